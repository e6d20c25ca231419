"""What is done with an ended run: change it, rate it, verify it, plan it again, compare it."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.bootstrap import Services
from backend.catalogue.queries import read_cities
from backend.clock import read_utc
from backend.console.plan_view import Names
from backend.console.render import show_page
from backend.console.revise_form import Sent, find_places, make_revision, sort_faults
from backend.console.run_page import look_at_run, show_run_page
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import ConflictError, Fault, OutOfBoundsError, RequestRefusedError
from backend.params.registry import ParamValue, find_param, parse_value
from backend.replay.export import RunExport
from backend.replay.live import Change, build_export, start_live
from backend.replay.run_diff import diff_runs, is_same
from backend.replay.verify import start_verification, wait_for_verification
from backend.runs.life.admission import CostLimitError, QueueFullError
from backend.runs.life.commands import get_run
from backend.runs.life.result import list_selected
from backend.runs.log.lifecycle import is_final
from backend.runs.log.queries import list_runs, save_feedback
from backend.runs.log.steps import PlannerName
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


MAX_CHOICE = 30

WAIT_SECONDS = 20.0
"""How long the page of a verification waits for it; then it asks to be loaded again."""


@router.post("/{run_id}/feedback")
async def rate(request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep) -> Response:
    """A rating of 1 to 5 and a word; a later one replaces the former."""
    principal = require(visit, "user")
    form = await read_form(request, visit)
    rating = form.get("rating", [""])[0]
    if rating not in {"1", "2", "3", "4", "5"}:
        raise OutOfBoundsError("the rating must be 1 to 5")
    comment = form.get("comment", [""])[0].strip()[:2000] or None
    async with transaction(services.engine) as session:
        run = await get_run(session, run_id, principal.tenant)
        if not is_final(run.status):
            raise ConflictError(f"{run_id} is {run.status}: there is nothing to rate yet")
        await save_feedback(session, run_id, int(rating), comment, read_utc())
    return RedirectResponse(f"/console/runs/{run_id}?thanks=1#feedback", 303)


@router.post("/{run_id}/verify")
async def verify_run(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """Ask a worker to play the recording again; the page that this leads to waits for it."""
    principal = require(visit, "developer")
    await read_form(request, visit)
    asked = await start_verification(services.engine, services.queue, run_id, principal.tenant)
    return RedirectResponse(f"/console/runs/{run_id}/verify/{asked}", 303)


@router.get("/{run_id}/verify/{replay_id}")
async def show_verified(
    run_id: RunId, replay_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """The same bytes, or the first difference."""
    tenant = require(visit, "developer").tenant
    answer = await wait_for_verification(services.engine, run_id, replay_id, tenant, WAIT_SECONDS)
    return show_page(visit, "verified.html", run_id=run_id, answer=answer)


@router.post("/{run_id}/live")
async def replay_live(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """A new run on the same snapshot, with one parameter or another planner."""
    principal = require(visit, "developer")
    form = await read_form(request, visit)
    key, typed = form.get("key", [""])[0], form.get("value", [""])[0].strip()
    params: dict[str, ParamValue] = {key: parse_value(find_param(key), typed)} if key else {}
    planner: PlannerName | None = "builtin" if "builtin" in form.get("planner", []) else None
    change = Change(planner, None, params, {})
    child = await start_live(services.engine, services.queue, run_id, principal.tenant, change)
    return RedirectResponse(f"/console/runs/{child}", 303)


@router.get("/{run_id}/diff")
async def show_diff(
    run_id: RunId,
    visit: VisitDep,
    services: ServicesDep,
    other: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """This run beside another one; without one, those to choose from."""
    principal = require(visit, "developer")
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
        runs = await list_runs(session, principal.tenant, MAX_CHOICE)
        cities = {
            city.id: city.name if visit.locale == "zh-CN" else city.name_en
            for city in await read_cities(session)
        }
    choice = [run for run in runs if is_final(run.status) and run.id != run_id]
    diff = None
    if other:
        mine, its = [await _read(services, visit, known) for known in (run_id, other)]
        diff = await asyncio.to_thread(diff_runs, mine, its)
    names = Names(visit.locale, cities, None)
    values: dict[str, Any] = {"choice": choice, "other": other, "diff": diff, "names": names}
    is_equal = diff is not None and is_same(diff)
    return show_page(visit, "diff.html", run_id=run_id, is_same=is_equal, **values)


async def _read(services: Services, visit: Visit, run_id: str) -> RunExport:
    assert visit.principal is not None
    tenant = visit.principal.tenant
    return await build_export(services.engine, services.results, run_id, tenant, is_hashed=False)
