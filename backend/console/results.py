"""Large results behind handles: those of the tenant, and questions to one of them."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import RedirectResponse

from backend.bootstrap import Services
from backend.console.render import show_page
from backend.console.visit import ServicesDep, Visit, VisitDep, require
from backend.errors import NotFoundError, ToolError
from backend.results.asking import Leaf, Question, leaf_through
from backend.results.document import Document
from backend.results.handle import Reader, ResultError
from backend.results.path_grammar import MAX_CHARACTERS
from backend.results.queries import show_head
from backend.results.run_results import list_overview

router = APIRouter(prefix="/results")

PAGE = 25
ROWS = 50
MAX_START = 10**9
MAX_QUERY = 8000
"""Characters of a structured query: it stands in the page's address."""

Handle = Annotated[str, Path(max_length=64)]


@router.get("")
async def show_results(
    visit: VisitDep,
    services: ServicesDep,
    before: Annotated[str, Query(max_length=64)] = "",
    handle: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """A page of the tenant's results, newest first; with a handle, on to that one."""
    require(visit, "developer")
    if handle.strip():
        return RedirectResponse(f"/console/results/{quote(handle.strip(), safe='')}", 303)
    page = await list_overview(services.results, make_reader(visit), PAGE, before or None)
    return show_page(visit, "results.html", page=page, before=before)


def make_reader(visit: Visit, *runs: str) -> Reader:
    """The developer who has signed in: what its tenant has stored, or some runs of it."""
    principal = require(visit, "developer")
    return Reader(principal.key_id, principal.tenant, runs or None)


@router.get("/{handle}")
async def show_result(
    handle: Handle,
    visit: VisitDep,
    services: ServicesDep,
    path: Annotated[str, Query(max_length=MAX_CHARACTERS)] = "",
    query: Annotated[str, Query(max_length=MAX_QUERY)] = "",
    start: Annotated[int, Query(ge=0, le=MAX_START)] = 0,
) -> Response:
    """One result: its state and columns, and the answer to a path or else a structured query."""
    reader = make_reader(visit)
    try:
        head = show_head(await services.results.find(handle, reader))
    except ToolError as error:
        raise NotFoundError(_say(error, visit).message) from None
    head["summary"] = None
    values: dict[str, Any] = {"head": head, "leaf": None, "fault": None}
    if head["state"] == "ready":
        head["summary"] = await services.results.read_summary(handle)
        asked = Question(path.strip() or None, query.strip() or None, start, ROWS)
        values |= await _ask(services, handle, reader, asked, visit)
    status = 422 if values["fault"] else 200
    typed = {"path": path, "query": query}
    return show_page(visit, "result.html", status, rows=ROWS, examples=EXAMPLES, **typed, **values)


EXAMPLES = (
    ("results.example.all", "{}"),
    ("results.example.count", '{"aggregate": [{"op": "count"}]}'),
)
"""Queries that every result understands, whatever is in it."""


async def _ask(
    services: Services, handle: str, reader: Reader, asked: Question, visit: Visit
) -> dict[str, Any]:
    """The rows of the answer, or why there are none; nothing where nothing is asked."""
    if asked.path is None and asked.query is None:
        return {}

    def ask(document: Document) -> tuple[Leaf, int]:
        leaf = leaf_through(document, asked)
        return leaf, leaf.size

    try:
        return {"leaf": await services.results.read(handle, reader, ask)}
    except ToolError as error:
        return {"fault": _say(error, visit)}


def _say(error: ToolError, visit: Visit) -> ToolError:
    return error.say(visit.locale) if isinstance(error, ResultError) else error
