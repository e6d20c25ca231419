"""A finished plan: changed by a form, which starts a new run, and checked against today's catalogue."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.console.render import show_page
from backend.console.revise_form import Sent, find_places, make_revision, sort_faults
from backend.console.run_page import look_at_run, show_run_page
from backend.console.visit import ServicesDep, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import Fault, RequestRefusedError
from backend.runs.life.admission import CostLimitError, QueueFullError
from backend.runs.life.result import list_selected
from backend.runs.revising.recheck import recheck_run
from backend.runs.revising.revisions import start_revision

router = APIRouter(prefix="/runs")

RunId = Annotated[str, Path(max_length=64)]


@router.get("/{run_id}/revise")
async def go_to_form(run_id: RunId, visit: VisitDep) -> Response:
    """Where a browser lands that loads the answer to a refused form again."""
    require(visit, "user")
    return RedirectResponse(f"/console/runs/{run_id}#revise-form", 303)


@router.post("/{run_id}/revise")
async def revise(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """Start the run that changes the plan and go to its page; with faults, the form as it was."""
    principal = require(visit, "user")
    fields = await read_form(request, visit)
    asked = make_revision(fields)
    has_model = bool(services.planners.model_names)
    try:
        started = await start_revision(
            services.engine,
            services.queue,
            run_id,
            principal.tenant,
            asked.body,
            has_model=has_model,
        )
    except RequestRefusedError as refused:
        sent = Sent(fields, sort_faults(asked, refused.faults), 422)
        return await show_run_page(services, visit, run_id, sent=sent)
    except (QueueFullError, CostLimitError) as full:
        sent = Sent(fields, {"": [Fault("", full.code.lower(), full.message)]}, 429)
        return await show_run_page(services, visit, run_id, sent=sent)
    return RedirectResponse(f"/console/runs/{started.run_id}", 303)


@router.get("/{run_id}/places")
async def find(
    run_id: RunId,
    visit: VisitDep,
    services: ServicesDep,
    q: Annotated[str, Query(min_length=1, max_length=100)],
) -> list[str]:
    """Names of places of the run's pool that are not in its plan, as the form offers them."""
    require(visit, "user")
    seen = await look_at_run(services, run_id, visit)
    if seen.snapshot is None:
        return []
    async with transaction(services.engine) as session:
        planned = await list_selected(session, run_id)
    return find_places(seen.snapshot, seen.names, q, planned)


@router.post("/{run_id}/recheck")
async def recheck(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """What today's catalogue says of the things in the plan."""
    principal = require(visit, "user")
    await read_form(request, visit)
    answer = await recheck_run(services.engine, run_id, principal.tenant)
    return show_page(visit, "rechecked.html", run_id=run_id, answer=answer)
