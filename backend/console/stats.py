"""What happened: figures by group, changes of parameters on the time axis, and findings.

Runs along a time axis with the changes of parameters marked on it, as SVG.

Findings in the page's language, each with the address of the preview that it suggests.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, get_args
from urllib.parse import quote, urlencode
from xml.sax.saxutils import escape

from fastapi import APIRouter, Query, Response
from markupsafe import Markup

from backend.catalogue.queries import read_cities
from backend.catalogue.tables import City
from backend.clock import read_utc
from backend.console.render import show_page, translate
from backend.console.texts import TEXTS
from backend.console.visit import ServicesDep, VisitDep, require
from backend.db.session import transaction
from backend.errors import OutOfBoundsError
from backend.runs.stats.figures import GroupBy
from backend.runs.stats.report import choose_span, read_stats
from backend.text import Locale

MARKED = 40
"""The newest changes of a span that are marked and listed; more would cover each other."""

_KNOBS = frozenset({"param", "tool", "source"})
_WIDTH, _LEFT, _TOP, _BAR = 720, 40, 40, 110
_CLOSE = 30
"""Marks so near to each other share a number: theirs would cover each other."""


def mark_changes(changes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What was turned in the span, numbered, oldest first; edits of the catalogue are no knobs."""
    knobs = [change for change in changes if change["kind"] in _KNOBS][-MARKED:]
    return [{**change, "number": number} for number, change in enumerate(knobs, 1)]


def draw_timeline(
    stats: Mapping[str, Any], marks: Sequence[Mapping[str, Any]], locale: Locale
) -> Markup:
    """A bar a part of the span: valid plans below, runs without one above; a line a change."""
    parts = stats["timeline"]
    most = max(1, *(part["runs"] for part in parts))
    width = (_WIDTH - _LEFT) / len(parts)
    drawn = [_write(_LEFT - 6, _TOP + 10, f"{most:,}", "end")]
    for n, part in enumerate(parts):
        drawn += _draw_part(part, _LEFT + n * width, width, _BAR / most)
    base = _TOP + _BAR
    drawn.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{base}" y2="{base}"/>')
    since, until = (dt.datetime.fromisoformat(stats[end]) for end in ("since", "until"))
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        moment = since + share * (until - since)
        label = moment.astimezone(dt.UTC).strftime("%m-%d %H:%M")
        drawn.append(_write(_LEFT + share * (_WIDTH - _LEFT), base + 16, label, anchor))
    places = [
        _LEFT + (dt.datetime.fromisoformat(mark["at"]) - since) / (until - since) * (_WIDTH - _LEFT)
        for mark in marks
    ]
    drawn += _draw_marks(places)
    words = translate(locale, "stats.chart", runs=stats["runs"], changes=len(marks))
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="timeline-chart" viewBox="0 0 {_WIDTH} {base + 24}" role="img"'
        f' aria-label="{escape(words)}">{"".join(drawn)}</svg>'
    )


def _draw_part(part: Mapping[str, Any], left: float, width: float, scale: float) -> list[str]:
    """Succeeded, without a plan, and the others, from the bottom."""
    others = part["runs"] - part["succeeded"] - part["without_plan"]
    bottom = float(_TOP + _BAR)
    drawn = []
    counts = (("good", part["succeeded"]), ("bad", part["without_plan"]), ("other", others))
    for kind, count in counts:
        height = count * scale
        bottom -= height
        if count:
            drawn.append(
                f'<rect class="{kind}" x="{left + 1:.1f}" y="{bottom:.1f}"'
                f' width="{width - 2:.1f}" height="{height:.1f}"/>'
            )
    return drawn


def _draw_marks(places: Sequence[float]) -> Iterator[str]:
    """A line each, and the numbers of those that stand close together in one."""
    first = 0
    for n, x in enumerate(places):
        yield f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 12}" y2="{_TOP + _BAR}"/>'
        if n + 1 == len(places) or places[n + 1] - places[first] > _CLOSE:
            text = str(n + 1) if n == first else f"{first + 1}–{n + 1}"
            anchor = "end" if x > _WIDTH - _CLOSE else "middle"
            yield _write((places[first] + x) / 2, _TOP - 16, text, anchor)
            first = n + 1


def _write(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


_SHARES = ("share", "has_more_share", "repeat_share", "empty_share")


def list_findings(
    findings: list[dict[str, Any]], cities: Mapping[str, City], locale: Locale
) -> list[dict[str, Any]]:
    """What is wrong in words with its numbers; `href` is None where no knob would change it."""
    return [
        {**finding, "text": _word(finding, cities, locale), "href": _link(finding)}
        for finding in findings
    ]


def _word(finding: Mapping[str, Any], cities: Mapping[str, City], locale: Locale) -> str:
    values = {**finding["evidence"]}
    values |= {key: f"{values[key] or 0:.0%}" for key in _SHARES if key in values}
    if city := cities.get(values.get("city", "")):
        values["city"] = city.name if locale == "zh-CN" else city.name_en
    if "reason" in values:
        values["reason"] = translate(locale, f"reason.{values['reason']}")
        values["tier"] = translate(locale, f"tier.{values['tier']}")
    key = f"finding.{finding['code']}"
    return translate(locale, key, **values) if key in TEXTS else str(finding["message"])


def _link(finding: Mapping[str, Any]) -> str | None:
    """A page that tries the value on one of the runs that show it."""
    kind, name = ("params", finding["param"]) if finding["param"] else ("tools", finding["tool"])
    if name is None:
        return None
    query = {"value": finding["value"], "run": finding["run_id"]}
    filled = urlencode({key: value for key, value in query.items() if value is not None})
    return f"/console/tune/preview/{kind}/{quote(name)}?{filled}"


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
            found = await read_stats(session, tenant, span, group, is_compared=is_compared)
            stats = found.as_json()
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
