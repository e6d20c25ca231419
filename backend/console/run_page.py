"""One run: how it goes, what came out, how it was narrowed; and what can be done with it.

What lies below the days on the map where no street map is at hand: the pool and its districts.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from backend.agent.ledger import read_stop_limits
from backend.bootstrap import Services
from backend.catalogue.queries import read_cities
from backend.console.plan_view import Names, list_days, list_read
from backend.console.render import PARTS, draw_funnel, draw_ledger, show_page
from backend.console.results import make_reader
from backend.console.revise_form import Sent, show_form
from backend.console.run_pages import list_lines, list_turns, tell
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    RequestRefusedError,
    UnauthorizedError,
)
from backend.params.registry import PARAMS
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot
from backend.pool.why import explain_place
from backend.results.run_results import list_overview
from backend.runs.life.commands import answer_run, cancel_run, get_run, remove_run, retry_run
from backend.runs.life.ledger import describe_ledger
from backend.runs.life.result import list_selected, show_run
from backend.runs.log.lifecycle import is_final
from backend.runs.log.queries import read_snapshot_text
from backend.runs.log.run_log import read_steps
from backend.runs.log.steps import PoolBuilt, Step, select_payloads
from backend.text import Locale


def draw_ground(snapshot: Snapshot, locale: Locale) -> dict[str, Any]:
    """Places of the pool as `[lat, lon, name]`; districts at the middle of theirs, with at least 2."""
    places = [snapshot.rows.pois[poi] for pool in snapshot.cities.values() for poi in pool.pois]
    areas: dict[tuple[str, str], list[PoiCandidate]] = {}
    for place in places:
        areas.setdefault((place.city, place.area), []).append(place)
    return {
        "places": [
            [place.lat, place.lon, place.name if locale == "zh-CN" else place.name_en or place.name]
            for place in places
        ],
        "areas": [
            [fmean(p.lat for p in inside), fmean(p.lon for p in inside), area]
            for (_, area), inside in areas.items()
            if area and len(inside) > 1
        ],
    }


router = APIRouter(prefix="/runs")

PARAM_KEYS = tuple(param.key for param in PARAMS if param.in_snapshot)

RunId = Annotated[str, Path(max_length=64)]
NOTHING_SENT = Sent()
MAX_HANDLES = 50


@dataclass(frozen=True)
class Seen:
    """What the page of a run is made from."""

    result: dict[str, Any]
    steps: tuple[Step, ...]
    snapshot: Snapshot | None
    names: Names


def _check(visit: Visit) -> str:
    """The tenant whose runs the key may see."""
    if visit.principal is None:
        raise UnauthorizedError("sign in first")
    if not (visit.may("user") or visit.may("developer")):
        raise ForbiddenError("this key lacks the scopes 'user' and 'developer'")
    return visit.principal.tenant


async def look_at_run(services: Services, run_id: str, visit: Visit) -> Seen:
    """The run with its log and snapshot, for keys that may see it."""
    tenant = _check(visit)
    result = (await show_run(services.engine, run_id, tenant)).as_json()
    steps = await read_steps(services.engine, run_id)
    async with transaction(services.engine) as session:
        text = await read_snapshot_text(session, run_id)
        cities = {
            city.id: city.name if visit.locale == "zh-CN" else city.name_en
            for city in await read_cities(session)
        }
    snapshot = None
    if text is not None:  # a large one takes a moment; others are served meanwhile
        snapshot = await asyncio.to_thread(Snapshot.model_validate_json, text)
    return Seen(result, tuple(steps), snapshot, Names(visit.locale, cities, snapshot))


@router.get("/{run_id}")
async def show_one(
    run_id: RunId,
    visit: VisitDep,
    services: ServicesDep,
    why: Annotated[str, Query(max_length=200)] = "",
    *,
    thanks: bool = False,
) -> Response:
    """The run as it stands; with `why`, also why that place is not in the plan."""
    return await show_run_page(services, visit, run_id, why=why, thanks=thanks)


async def show_run_page(
    services: Services,
    visit: Visit,
    run_id: str,
    *,
    why: str = "",
    thanks: bool = False,
    sent: Sent = NOTHING_SENT,
) -> Response:
    """The page of a run; with the form that changes its plan as it was sent, and what is wrong."""
    seen = await look_at_run(services, run_id, visit)
    if seen.result["request"] is None:
        return show_page(visit, "questions.html", **_describe_questions(seen))
    values = {
        **(await _describe(services, visit, seen, why)),
        "revise": _offer(services, visit, seen, sent),
        "thanks": thanks,
        "params": PARAM_KEYS,
    }
    return show_page(visit, "run.html", sent.status, **values)


def _offer(services: Services, visit: Visit, seen: Seen, sent: Sent) -> dict[str, Any] | None:
    """The form that changes the plan, where there is one and the key may ask."""
    is_changeable = is_final(seen.result["status"]) and seen.result["itinerary"]
    if not is_changeable or seen.snapshot is None or not visit.may("user"):
        return None
    has_model = bool(services.planners.model_names)
    return show_form(seen.snapshot, seen.names, sent, has_model=has_model)


async def _describe(services: Services, visit: Visit, seen: Seen, why: str) -> Mapping[str, Any]:
    result = seen.result
    funnel = result["funnel"] or _find_funnel(seen.steps)
    told = tell(seen.steps)
    return {
        "run": result,
        "read": list_read(result, seen.names),
        "is_final": is_final(result["status"]),
        "names": seen.names,
        "parts": PARTS,
        "lines": list_lines(told, visit.locale),
        "turns": list_turns(told) if visit.may("developer") else (),
        **_read_account(services, visit, seen),
        "handles": await _list_handles(services, visit, result["id"]),
        "days": list_days(result, seen.names),
        "general": [v for v in result["violations"] if not v["where"]["day"]],
        "funnel": draw_funnel(funnel, visit.locale) if funnel else "",
        "rejected": {kind: step["rejected"] for kind, step in (funnel or {}).items()},
        "why": why,
        "answer": await _explain(services, seen, why) if why and seen.snapshot else None,
    }


def _read_account(services: Services, visit: Visit, seen: Seen) -> dict[str, Any]:
    """The ledger of a run that a language model worked on, for developers."""
    if seen.snapshot is None or not visit.may("developer"):
        return {"ledger": None, "ledger_chart": ""}
    budget = read_stop_limits(seen.snapshot.params).context
    models = services.planners.models
    ledger = describe_ledger(seen.result["id"], seen.steps, budget, models).as_json()
    return {
        "ledger": ledger if ledger["requests"] else None,
        "ledger_chart": draw_ledger(ledger, visit.locale),
    }


async def _list_handles(services: Services, visit: Visit, run_id: str) -> list[Any] | None:
    """What the run has stored behind handles, for developers."""
    if not visit.may("developer"):
        return None
    page = await list_overview(services.results, make_reader(visit, run_id), MAX_HANDLES)
    return list(page["items"])


def _find_funnel(steps: tuple[Step, ...]) -> dict[str, Any] | None:
    """The funnel up to the pool, as soon as that stands."""
    built = next(select_payloads(steps, PoolBuilt), None)
    return None if built is None else {k: v.model_dump() for k, v in built.funnel.items()}


async def _explain(services: Services, seen: Seen, place: str) -> Any:
    assert seen.snapshot is not None
    async with transaction(services.engine) as session:
        selected = await list_selected(session, seen.result["id"])
        try:
            return await explain_place(session, seen.snapshot, place, selected)
        except (NotFoundError, ConflictError) as error:
            return error


def _describe_questions(seen: Seen, answers: Mapping[str, str] | None = None) -> dict[str, Any]:
    read = list_read(seen.result, seen.names)
    return {"run": seen.result, "read": read, "answers": answers or {}, "faults": ()}


@router.post("/{run_id}/answers")
async def answer(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """Answer the questions of a run; with faults, the form as it was and what is wrong."""
    principal = require(visit, "user")
    fields = {name: values[0] for name, values in (await read_form(request, visit)).items()}
    answers = [{"field": name, "value": value} for name, value in fields.items() if value.strip()]
    try:
        body = {"answers": answers}
        await answer_run(services.engine, services.queue, run_id, principal.tenant, body)
    except RequestRefusedError as refused:
        seen = await look_at_run(services, run_id, visit)
        shown = _describe_questions(seen, fields) | {"faults": refused.faults}
        return show_page(visit, "questions.html", 422, **shown)
    return RedirectResponse(f"/console/runs/{run_id}", 303)


@router.get("/{run_id}/progress")
async def show_progress(run_id: RunId, visit: VisitDep, services: ServicesDep) -> Response:
    """The lines of what has happened, alone: the page replaces its own by them."""
    tenant = _check(visit)
    result = (await show_run(services.engine, run_id, tenant)).as_json()
    steps = await read_steps(services.engine, run_id)
    lines = list_lines(tell(steps), visit.locale)
    funnel = result["funnel"] or _find_funnel(tuple(steps))
    drawn = draw_funnel(funnel, visit.locale) if funnel else ""
    return show_page(visit, "progress.html", lines=lines, funnel=drawn)


@router.get("/{run_id}/ground.json")
async def show_ground(run_id: RunId, visit: VisitDep, services: ServicesDep) -> Response:
    """What the map shows below the plan: places of the pool and names of districts."""
    seen = await look_at_run(services, run_id, visit)
    if seen.snapshot is None:
        raise NotFoundError("the pool of this run is not built yet")
    return JSONResponse(draw_ground(seen.snapshot, visit.locale))


@router.post("/{run_id}/cancel")
async def cancel(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """Stop the run at its next step."""
    principal = require(visit, "user")
    await read_form(request, visit)
    await cancel_run(services.engine, run_id, principal.tenant)
    return RedirectResponse(f"/console/runs/{run_id}", 303)


@router.post("/{run_id}/again")
async def plan_again(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """A new run for the same request, on today's catalogue and parameters."""
    principal = require(visit, "user")
    await read_form(request, visit)
    started = await retry_run(
        services.engine,
        services.queue,
        run_id,
        principal.tenant,
        has_model=bool(services.planners.models),
    )
    return RedirectResponse(f"/console/runs/{started.run_id}", 303)


@router.post("/{run_id}/delete")
async def delete(
    request: Request, run_id: RunId, visit: VisitDep, services: ServicesDep
) -> Response:
    """Remove an ended run with all that belongs to it."""
    principal = require(visit, "user")
    await read_form(request, visit)
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
    await remove_run(services.engine, run_id, principal.tenant)
    return RedirectResponse("/console/runs", 303)
