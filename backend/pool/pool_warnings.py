"""What the traveller should know about a pool, with texts in both languages."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from backend.pool.candidate import CityRow
from backend.pool.departure import find_zone
from backend.pool.plan_request import PlanRequest
from backend.pool.rules import is_closed_throughout
from backend.pool.snapshot import CityPool, LegPool, PoolWarning, Snapshot, SnapshotRows
from backend.pool.stay import plan_stays
from backend.pool.trip_calendar import TripCalendar
from backend.text import Locale

PLACES_A_DAY = 4

_TEXTS: dict[str, dict[Locale, str]] = {
    "ADULT_FARES": {
        "en": "The catalogue has no child fares: children are counted at adult fares.",
        "zh-CN": "数据中没有儿童票价，儿童按成人票价计算。",
    },
    "HOLIDAY_UNKNOWN": {
        "en": "The official days off in {city} are not all known for these dates;"
        " unknown ones count as ordinary days.",
        "zh-CN": "{city}在这些日期的法定节假日尚未公布，未公布的日子按普通日子处理。",
    },
    "MUST_SEE_CLOSED": {
        "en": "{place} in {city} is closed on every day of the stay.",
        "zh-CN": "{city}的{place}在停留期间每天都不开放。",
    },
    "POOL_THIN": {
        "en": "Only {count} places in {city} fit this request, fewer than"
        f" {PLACES_A_DAY} a day.",
        "zh-CN": f"{{city}}只有{{count}}个地点符合要求，平均每天不足{PLACES_A_DAY}个。",
    },
    "LEG_NOT_COVERED": {
        "en": "No train covers the way from {start} to {end} on {date}:"
        " it is left to the traveller.",
        "zh-CN": "{date}从{start}到{end}没有可用的火车，这一段需自行安排。",
    },
    "PAST_DATE": {
        "en": "The trip begins on {date}, which is in the past.",
        "zh-CN": "出发日期{date}已经过去。",
    },
}


def find_warnings(
    request: PlanRequest,
    cities: Mapping[str, CityPool],
    legs: Sequence[LegPool],
    rows: SnapshotRows,
    calendar: TripCalendar,
) -> tuple[PoolWarning, ...]:
    """Warnings in the order of the trip.

    A date in the past is none of them: it depends on the clock, and the hash must not.
    """
    found = [PoolWarning(code="ADULT_FARES")] if request.children else []
    for stay in plan_stays(request):
        pool = cities[stay.city]
        if stay.city in calendar.unknown:
            found.append(PoolWarning(code="HOLIDAY_UNKNOWN", city=stay.city))
        found.extend(
            _find_closed(pool, stay.city, stay.dates, rows, calendar.days_off_in(stay.city))
        )
        if len(pool.pois) < PLACES_A_DAY * len(stay.dates):
            found.append(PoolWarning(code="POOL_THIN", city=stay.city, count=len(pool.pois)))
    return (*found, *_find_uncovered(legs))


def _find_closed(
    pool: CityPool,
    city: str,
    dates: Sequence[dt.date],
    rows: SnapshotRows,
    days_off: frozenset[dt.date],
) -> Iterator[PoolWarning]:
    for poi_id in pool.must_see_added:
        row = rows.pois[poi_id]
        if is_closed_throughout(row.opening_hours, row.closed_season, dates, days_off):
            yield PoolWarning(code="MUST_SEE_CLOSED", city=city, poi_id=poi_id)


def _find_uncovered(legs: Sequence[LegPool]) -> Iterator[PoolWarning]:
    for n, leg in enumerate(legs):
        if not leg.direct and not leg.connections:
            yield PoolWarning(code="LEG_NOT_COVERED", leg=n)


def is_past(request: PlanRequest, first_city: CityRow, now: dt.datetime) -> bool:
    """Whether the trip began on an earlier day than the one now on in its first city."""
    return request.start_date < now.astimezone(find_zone(first_city.timezone)).date()


def describe_warning(snapshot: Snapshot, warning: PoolWarning, locale: Locale) -> str:
    """The warning as a sentence."""
    values = {"count": str(warning.count), "date": str(snapshot.request.start_date)}
    if warning.city is not None:
        values["city"] = _name_city(snapshot, warning.city, locale)
    if warning.poi_id is not None:
        place = snapshot.rows.pois[warning.poi_id]
        values["place"] = place.name_en if locale == "en" else place.name
    if warning.leg is not None:
        leg = snapshot.legs[warning.leg]
        values["start"] = _name_city(snapshot, leg.from_city, locale)
        values["end"] = _name_city(snapshot, leg.to_city, locale)
        values["date"] = str(leg.date)
    return _TEXTS[warning.code][locale].format_map(values)


def _name_city(snapshot: Snapshot, city: str, locale: Locale) -> str:
    row = snapshot.city_rows[city]
    return row.name_en if locale == "en" else row.name
