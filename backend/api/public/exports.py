"""A run's plan as a file: calendar, map, Markdown, each at an address of its own."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response

from backend.api.deps import ServicesDep, User
from backend.api.responses import Responses, document_problems
from backend.planner.exports.formats import FORMATS, Format
from backend.runs.life.result import read_delivered

router = APIRouter(prefix="/itineraries", tags=["itineraries"])

RunId = Annotated[str, Path(description="Id of the run, `run_…`.")]


def _make_endpoint(form: Format) -> Callable[..., Awaitable[Response]]:
    async def export(run_id: RunId, services: ServicesDep, principal: User) -> Response:
        delivered = await read_delivered(services.engine, run_id, principal.tenant)
        headers = {
            "Content-Disposition": f'attachment; filename="{delivered.run_id}.{form.suffix}"',
            "X-Content-Type-Options": "nosniff",  # names in it are anybody's: never to be run
        }
        content = form.write(delivered).encode("utf-8", "replace")
        return Response(content, media_type=form.media_type, headers=headers)

    return export


def _document(form: Format) -> Responses:
    schema: dict[str, Any] = {"type": "object" if form.suffix == "geojson" else "string"}
    described = {"description": form.summary, "content": {form.media_type: {"schema": schema}}}
    return {200: described, **document_problems(404, 409)}


for _form in FORMATS:
    router.add_api_route(
        f"/{{run_id}}/{_form.name}",
        _make_endpoint(_form),
        name=f"export_{_form.option}",
        summary=_form.summary,
        description="Of a run that has ended with a plan; of an infeasible one, the best there is.",
        response_class=Response,
        responses=_document(_form),
    )
