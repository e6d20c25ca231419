"""For developers: the large results that a run has stored, and questions about them."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from backend.api.deps import Developer, ServicesDep
from backend.api.responses import document_problems
from backend.db.session import transaction
from backend.document import Page
from backend.errors import ConflictError, NotFoundError, OutOfBoundsError, ToolError, WaypoolError
from backend.results.asking import answer, parse_query_text
from backend.results.document import Document
from backend.results.handle import Reader
from backend.results.path_grammar import MAX_CHARACTERS
from backend.results.run_results import ResultItem, list_overview
from backend.results.values import write_json
from backend.runs.life.commands import get_run
from backend.runs.log.queries import list_ancestors

router = APIRouter(prefix="/runs", tags=["developer"])

RunId = Annotated[str, Path(description="Id of the run, `run_…`.")]
Handle = Annotated[str, Path(description="Handle of the result, `res_…`.")]

_KINDS: dict[str, type[WaypoolError]] = {
    "NO_SUCH_HANDLE": NotFoundError,
    "RESULT_PENDING": ConflictError,
    "RESULT_FAILED": ConflictError,
    "RESULT_EXPIRED": ConflictError,
}


@router.get(
    "/{run_id}/results",
    summary="The run's large results, with their summaries",
    responses={200: {"model": Page[ResultItem]}, **document_problems(404)},
)
async def list_results(
    run_id: RunId,
    services: ServicesDep,
    principal: Developer,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the last page.")] = None,
) -> Response:
    """What the model got a handle for instead of the content, newest first."""
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
    reader = Reader(principal.key_id, principal.tenant, (run_id,))
    return _make_response(await list_overview(services.results, reader, limit, cursor))


@router.get(
    "/{run_id}/results/{handle}",
    summary="Ask about a large result",
    responses={
        200: {"content": {"application/json": {"schema": {"type": "object"}}}},
        **document_problems(404, 409),
    },
    response_class=Response,
)
async def ask_result(
    run_id: RunId,
    handle: Handle,
    services: ServicesDep,
    principal: Developer,
    path: Annotated[
        str | None, Query(max_length=MAX_CHARACTERS, description="A path, like `rows[0:5]`.")
    ] = None,
    query: Annotated[
        str | None, Query(max_length=65536, description="Instead: a structured query as JSON.")
    ] = None,
) -> Response:
    """As a model sees it, at most 500 tokens; handles of the runs that this one came out of too."""
    if (path is None) == (query is None):
        raise OutOfBoundsError("give either path or query, and only one of them")

    def ask(document: Document) -> tuple[dict[str, Any], int]:
        asked = None if query is None else parse_query_text(query)
        return answer(document, path, asked, "en")

    async with transaction(services.engine) as session:
        ancestors = await list_ancestors(session, run_id)
    reader = Reader(principal.key_id, principal.tenant, (run_id, *ancestors))
    try:
        return _make_response(await services.results.read(handle, reader, ask))
    except ToolError as error:
        kind = _KINDS.get(error.code, OutOfBoundsError)
        raise kind(error.message, code=error.code) from None


def _make_response(document: dict[str, Any]) -> Response:
    """JSON with the digits that the numbers have."""
    return Response(write_json(document), media_type="application/json")
