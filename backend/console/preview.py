"""What a change would do to a pool, before it is made; the value goes on from here to be saved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from backend.bootstrap import Services
from backend.catalogue.queries import read_cities
from backend.console.render import draw_funnel, show_page
from backend.console.settings_view import (
    Knob,
    KnobKind,
    Setting,
    Typed,
    find_knob,
    find_setting,
    keep_typed,
    read_text,
)
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import Session, transaction
from backend.errors import OutOfBoundsError, RequestRefusedError, WaypoolError
from backend.http_status import find_status
from backend.runs.life.commands import get_run
from backend.runs.log.queries import RunHead, list_runs
from backend.runs.stats.pool_trial import KINDS, Trial, try_pool
from backend.runs.stats.report import read_limit_use

router = APIRouter(prefix="/tune/preview")

COUNTED = 500
"""Runs of the last week that a stop limit is compared with."""

CHOICE = 20
"""Of the tenant's last requests that a change can be tried on."""


@dataclass(frozen=True)
class Tried:
    """Both pools side by side; nothing where there was no request, or it could not be tried.

    `use` says of a stop limit how near runs came to it.
    """

    runs: Sequence[RunHead]
    run: RunHead | None
    pools: dict[str, Any] | None = None
    use: dict[str, int] | None = None
    error: WaypoolError | None = None


@router.get("/{kind}/{name}")
async def follow_link(
    kind: KnobKind,
    name: str,
    visit: VisitDep,
    services: ServicesDep,
    value: Annotated[str | None, Query(max_length=200)] = None,
    run: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """What a finding proposes, tried on the request of one of its runs."""
    require(visit, "admin")
    knob = find_knob(kind, name)
    return await _show(visit, services, knob, Typed(name, value), run)


@router.post("/{kind}/{name}")
async def try_form(
    request: Request, kind: KnobKind, name: str, visit: VisitDep, services: ServicesDep
) -> Response:
    """What stands in the form beside a parameter or a tool."""
    require(visit, "admin")
    knob = find_knob(kind, name)
    form = await read_form(request, visit)
    return await _show(visit, services, knob, keep_typed(knob, form), read_text(form, "run"))


async def _show(
    visit: Visit, services: Services, knob: Knob, typed: Typed, run_id: str
) -> Response:
    async with transaction(services.engine) as session:
        setting = await find_setting(session, typed)
        cities = {city.id: city for city in await read_cities(session)}
        tried = await _try(session, visit, knob, setting, run_id)
    fault = tried.error.message if tried.error else ""
    values = {
        "setting": replace(setting, typed=replace(typed, fault=fault)),
        "tried": tried,
        "cities": cities,
        "sides": _show_sides(tried.pools, visit) if tried.pools else (),
        "shapes_pools": knob.shapes_pools,
    }
    status = find_status(tried.error) if tried.error else 200
    return show_page(visit, "preview.html", status, **values)


async def _try(session: Session, visit: Visit, knob: Knob, setting: Setting, run_id: str) -> Tried:
    tenant = require(visit, "admin").tenant
    runs = list(await list_runs(session, tenant, CHOICE))
    if run_id and run_id not in {run.id for run in runs}:
        runs.append(await get_run(session, run_id, tenant))
    run = next((run for run in runs if run.id == run_id), next(iter(runs), None))
    tried = Tried(runs, run)
    form = {knob.field: [setting.shown], **({"enabled": ["1"]} if setting.is_offered else {})}
    try:
        value = knob.parse(form)
        if not knob.shapes_pools:
            use = await read_limit_use(session, tenant, knob.name, value, COUNTED)
            return replace(tried, use=use)
        if not run:
            return tried
        params, limits = knob.make_trial(value)
        trial = Trial(run.request, params, limits)
        return replace(tried, pools=(await try_pool(session, trial, is_sealed=False)).as_json())
    except OutOfBoundsError as error:
        return replace(tried, error=error)
    except RequestRefusedError as refused:
        text = "; ".join(fault.message for fault in refused.faults)
        return replace(tried, error=OutOfBoundsError(text))


def _show_sides(pools: dict[str, Any], visit: Visit) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "funnel": draw_funnel(pools[side]["funnel"], visit.locale),
            "rejected": {kind: pools[side]["funnel"][kind]["rejected"] for kind in KINDS},
            "lists": pools[side]["lists"],
        }
        for side, name in (("today", "preview.today"), ("proposed", "preview.then"))
    ]
