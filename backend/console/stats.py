"""What happened: figures by group, changes of parameters on the time axis, and findings."""

import datetime as dt
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query, Response

from backend.catalogue.queries import read_cities
from backend.clock import read_utc
from backend.console.findings_view import list_findings
from backend.console.render import show_page
from backend.console.timeline import MARKED, draw_timeline, mark_changes
from backend.console.visit import ServicesDep, VisitDep, require
from backend.db.session import transaction
from backend.errors import OutOfBoundsError
from backend.runs.statistics import GroupBy
from backend.runs.stats import choose_span, read_stats

router = APIRouter()

SPANS = (1, 7, 30)
"""Days back from now that one click chooses."""

Typed = Annotated[str, Query(max_length=40)]


@router.get("/stats")
async def show_stats(
    visit: VisitDep,
    services: ServicesDep,
    since: Typed = "",
    until: Typed = "",
    by: Typed = "city",
    against: Typed = "",
) -> Response:
    """The answer of `GET /v1/admin/stats` as a page; a span that is none is told, and kept."""
    tenant = require(visit, "admin").tenant
    group: Any = by if by in get_args(GroupBy) else "city"
    is_compared = against == "previous"
    form = {"since": since, "until": until, "by": group, "is_compared": is_compared}
    try:
        span = choose_span(_read_moment(since), _read_moment(until))
        async with transaction(services.engine) as session:
            stats = await read_stats(session, tenant, span, group, is_compared=is_compared)
            cities = {city.id: city for city in await read_cities(session)}
    except OutOfBoundsError as error:
        return show_page(visit, "stats.html", 422, form=form, spans=(), fault=error.message)
    marks = mark_changes(stats["changes"])
    values: dict[str, Any] = {
        "form": form | {"since": _write_moment(span[0])},
        "spans": _list_spans(),
        "fault": "",
        "stats": stats,
        "cities": cities,
        "previous": {entry["key"]: entry for entry in stats["previous"] or ()},
        "findings": list_findings(stats["findings"], cities, visit.locale),
        "timeline": draw_timeline(stats, marks, visit.locale),
        "marks": marks,
        "unmarked": len(stats["changes"]) - len(marks),
        "most": MARKED,
    }
    return show_page(visit, "stats.html", **values)


def _list_spans() -> list[tuple[int, str]]:
    """Days, and the moment that lies so many days back."""
    now = read_utc()
    return [(days, _write_moment(now - dt.timedelta(days=days))) for days in SPANS]


def _read_moment(text: str) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(text) if text else None
    except ValueError:
        raise OutOfBoundsError(f"{text} is no date with a time, such as 2026-05-01T09:00") from None


def _write_moment(moment: dt.datetime) -> str:
    """As a field for date and time takes it: UTC, to the minute."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M")
