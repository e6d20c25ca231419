"""Cuts the rows that the rules found to the sizes of a pool, and makes the snapshot of them.

What the traveller should know about a pool, with texts in both languages.

The pool as `pool preview` and the admin's preview show it, without the full rows.

Chooses trains spread over the day: the quickest of each slot first, then the widest gaps.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from backend.params.registry import ParamValue
from backend.pool.candidate import CityRow, StationRow, TagRow
from backend.pool.fares import FareKind, FareRule, has_ages
from backend.pool.findings import (
    EXEMPT,
    MAX_LEG_TRAINS,
    HotelFindings,
    PlaceFindings,
    PoolLimits,
    TrainFindings,
)
from backend.pool.plan_request import PlanRequest
from backend.pool.rules import is_closed_throughout
from backend.pool.snapshot import (
    CatalogueCounts,
    CityPool,
    Connection,
    LegPool,
    PoolWarning,
    Snapshot,
    SnapshotRows,
)
from backend.pool.stay import (
    Departure,
    Leg,
    Stay,
    TripCalendar,
    Zones,
    find_zone,
    measure_journey,
    plan_stays,
)
from backend.pool.wish_texts import make_names, show_wishes
from backend.pool.wished import is_by_own_means, keeps_ride
from backend.pool.wishes import IntercityWish
from backend.text import Locale

PLACES_A_DAY = 4

WISHED_TRAINS = 4
"""Trains of a leg that wishes bring into the pool."""

_TEXTS: dict[str, dict[Locale, str]] = {
    "ADULT_FARES": {
        "en": "The catalogue lacks fares by age for a part of this trip:"
        " there children and seniors are counted at adult fares.",
        "zh-CN": "数据中缺少部分行程的优惠票价，这部分儿童和老人按成人票价计算。",
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
    fares: Sequence[FareRule],
) -> tuple[PoolWarning, ...]:
    """Warnings in the order of the trip.

    A date in the past is none of them: it depends on the clock, and the hash must not.
    """
    found = [PoolWarning(code="ADULT_FARES")] * _lack_fares(request, legs, calendar, fares)
    if any(entry.pointer == "/origin" and entry.id is None for entry in request.resolved):
        found.append(PoolWarning(code="LEG_NOT_COVERED"))
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


def _lack_fares(
    request: PlanRequest,
    legs: Sequence[LegPool],
    calendar: TripCalendar,
    fares: Sequence[FareRule],
) -> bool:
    """Whether somebody of the party pays as an adult only because no fares by age are known."""
    sold: list[tuple[FareKind, str]] = [("sight", stay.city) for stay in plan_stays(request)]
    sold += [("rail", leg.from_city) for leg in legs if leg.trains or leg.connections]
    needed = {(kind, calendar.countries.get(city)) for kind, city in sold}
    return has_ages(request) and not needed <= {(rule.kind, rule.country) for rule in fares}


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
    if warning.code == "LEG_NOT_COVERED" and warning.leg is None:
        return describe_own_origin(snapshot.request, locale)
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


def describe_own_origin(request: PlanRequest, locale: Locale) -> str:
    """That the way from and to a place that no city of the catalogue is called is the traveller's."""
    origin = next(entry for entry in request.resolved if entry.pointer == "/origin")
    text = _OWN_ORIGIN[locale].format(origin=origin.said)
    return text + (_NEAR[locale].format(near=", ".join(origin.near)) if origin.near else "")


_OWN_ORIGIN: dict[Locale, str] = {
    "zh-CN": "目录中没有出发地“{origin}”，往返交通需自行安排。",
    "en": "The catalogue has no city {origin}: the way there and back is left to the traveller.",
}
_NEAR: dict[Locale, str] = {"zh-CN": "相近的城市：{near}。", "en": " Near: {near}."}


def _name_city(snapshot: Snapshot, city: str, locale: Locale) -> str:
    row = snapshot.city_rows[city]
    return row.name_en if locale == "en" else row.name


def list_warnings(snapshot: Snapshot, now: dt.datetime | None) -> list[PoolWarning]:
    """The snapshot's warnings, and `PAST_DATE` where the trip begins before `now`."""
    first_city = snapshot.city_rows[snapshot.city_order[0]]
    if now is not None and is_past(snapshot.request, first_city, now):
        return [PoolWarning(code="PAST_DATE"), *snapshot.warnings]
    return list(snapshot.warnings)


def preview_document(
    snapshot: Snapshot, locale: Locale, now: dt.datetime | None = None
) -> dict[str, Any]:
    """Cities, legs, warnings (with a message each) and hash, as JSON values."""
    return {
        "cities": {city: _show_city(snapshot.cities[city]) for city in snapshot.city_order},
        "legs": [_show_leg(leg) for leg in snapshot.legs],
        "warnings": [
            warning.model_dump(mode="json", exclude_none=True)
            | {"message": describe_warning(snapshot, warning, locale)}
            for warning in list_warnings(snapshot, now)
        ],
        "resolved": [entry.as_json() for entry in snapshot.request.resolved],
        **_preview_wishes(snapshot, locale),
        "sha256": snapshot.sha256,
    }


def _preview_wishes(snapshot: Snapshot, locale: Locale) -> dict[str, Any]:
    """The wishes, if there are any; whether they are kept only a plan shows."""
    wishes = show_wishes(snapshot.request, make_names(snapshot, locale), locale, None)
    return {"wishes": [shown.as_json() for shown in wishes]} if wishes else {}


def _show_city(pool: CityPool) -> dict[str, Any]:
    shown = {"arrive", "leave", "pois", "must_see_added", "rejected", "hotels", "hotels_widened"}
    return pool.model_dump(mode="json", include=shown)


def _show_leg(pool: LegPool) -> dict[str, Any]:
    shown = {"from_city", "to_city", "date", "trains", "direct", "connections"}
    return pool.model_dump(mode="json", include=shown, by_alias=True)


class Choice(NamedTuple):
    """What the spread looks at: departure and journey in minutes, price None where unknown."""

    id: str
    depart: int
    journey: int
    price: Decimal | None


def spread_trains(choices: Sequence[Choice], size: int) -> list[str]:
    """Ids of at most `size` trains, listed by departure, then id."""
    chosen = list(choices) if len(choices) <= size else _choose(choices, size)
    return [choice.id for choice in sort_by_departure(chosen)]


def sort_by_departure(choices: Sequence[Choice]) -> list[Choice]:
    """By departure, then id."""
    return sorted(choices, key=lambda choice: (choice.depart, choice.id))


def _choose(choices: Sequence[Choice], size: int) -> list[Choice]:
    chosen = _pick_by_slot(choices, size)
    taken = {choice.id for choice in chosen}
    gaps = {
        choice: min(abs(choice.depart - other.depart) for other in chosen)
        for choice in choices
        if choice.id not in taken
    }
    while len(chosen) < size:
        best = min(gaps, key=lambda choice: (-gaps[choice], choice.depart, choice.id))
        chosen.append(best)
        del gaps[best]
        for choice, gap in gaps.items():
            gaps[choice] = min(gap, abs(choice.depart - best.depart))
    return chosen


def _pick_by_slot(choices: Sequence[Choice], size: int) -> list[Choice]:
    first = min(choice.depart for choice in choices)
    span = max(choice.depart for choice in choices) - first
    best: dict[int, Choice] = {}
    for choice in choices:
        slot = min(size - 1, (choice.depart - first) * size // span) if span else 0
        if slot not in best or _merit(choice) < _merit(best[slot]):
            best[slot] = choice
    return list(best.values())


def _merit(choice: Choice) -> tuple[int, bool, Decimal, str]:
    return choice.journey, choice.price is None, choice.price or Decimal(0), choice.id


@dataclass(frozen=True)
class Frame:
    """The parts of a snapshot that are not candidates."""

    currency: str
    city_rows: dict[str, CityRow]
    stations: tuple[StationRow, ...]
    tags: tuple[TagRow, ...]
    calendar: TripCalendar
    catalogue: CatalogueCounts
    fares: tuple[FareRule, ...] = ()
    asked_on: dt.date | None = None


def cut_city(
    stay: Stay, places: PlaceFindings, hotels: HotelFindings, limits: PoolLimits
) -> CityPool:
    """The pool of one city. Places counted = in the pool + rejected, must-sees among them."""
    ranked = sorted(places.ranking[: limits.poi_size], key=lambda poi_id: places.ranks[poi_id])
    added = [
        poi_id
        for poi_id, reason in places.must_see.items()
        if reason in EXEMPT or (reason is None and poi_id not in ranked)
    ]
    exempt_from_rank = sum(places.must_see[poi_id] is None for poi_id in added)
    rank = places.eligible - len(ranked) - exempt_from_rank
    chosen = hotels.ranking[: limits.hotel_size]
    wished = {i: fits for i, fits in hotels.wished.items() if i not in chosen}
    beyond = hotels.eligible - len(chosen) - sum(wished.values())
    return CityPool(
        arrive=stay.arrive,
        leave=stay.leave,
        nights=stay.nights,
        pois=(*ranked, *added),
        must_see_added=tuple(added),
        rejected={**places.rejected, "rank": rank},
        reserve=places.ranking[limits.poi_size : limits.poi_size + limits.reserve_size],
        hotels=(*chosen, *wished),
        hotels_widened=hotels.is_widened,
        hotels_rejected={**hotels.rejected, "rank": beyond},
    )


def cut_leg(
    leg: Leg,
    trains: TrainFindings,
    connections: Sequence[Connection],
    limits: PoolLimits,
    zones: Zones,
    wishes: Sequence[IntercityWish] = (),
) -> LegPool:
    """The pool of one leg; the reserve fills up to 200 trains, earliest first.

    Trains that keep the wishes for the leg are in it too; none is where it must be another mode.
    """
    is_own = is_by_own_means(wishes)

    def choose(running: Sequence[Departure], size: int) -> list[str]:
        choices = [
            Choice(train.id, train.depart, measure_journey(train, leg.date, zones), train.price)
            for train in running
        ]
        return spread_trains(choices, size)

    picked = {} if is_own else dict.fromkeys(choose(trains.running, limits.train_size))
    if wishes and not is_own:
        picked |= dict.fromkeys(choose(_keep_wished(trains.running, wishes), WISHED_TRAINS))
    chosen = [train.id for train in trains.running if train.id in picked]
    others = [train.id for train in trains.running if train.id not in chosen]
    return LegPool(
        from_city=leg.from_city,
        to_city=leg.to_city,
        date=leg.date,
        trains=tuple(chosen),
        direct=bool(trains.running) and not is_own,
        connections=() if is_own else tuple(connections),
        reserve=tuple(others[: MAX_LEG_TRAINS - len(chosen)]),
        rejected={**trains.rejected, "spread": len(others)},
    )


def _keep_wished(running: Sequence[Departure], wishes: Sequence[IntercityWish]) -> list[Departure]:
    """Of the trains those that keep all wishes of a leg, else those that keep the musts."""
    musts = [wish for wish in wishes if wish.weight == "must"]
    for asked in (wishes, musts):
        fitting = [t for t in running if _keeps_all(t, asked)]
        if asked and fitting:
            return fitting
    return []


def _keeps_all(train: Departure, wishes: Iterable[IntercityWish]) -> bool:
    return all(keeps_ride(wish, [train.number], train.depart, train.arrive) for wish in wishes)


def list_candidates(
    cities: Iterable[CityPool], legs: Iterable[LegPool]
) -> tuple[list[str], list[str], list[str]]:
    """Ids of all places, hotels and trains that a snapshot keeps in full, sorted."""
    cities, legs = list(cities), list(legs)
    pois = {poi for city in cities for poi in (*city.pois, *city.reserve)}
    hotels = {hotel for city in cities for hotel in city.hotels}
    trains = {train for leg in legs for train in (*leg.trains, *leg.reserve)}
    trains.update(t for leg in legs for c in leg.connections for t in c.trains)
    return sorted(pois), sorted(hotels), sorted(trains)


def list_tags(request: PlanRequest, rows: SnapshotRows) -> frozenset[str]:
    """Words that the request or a candidate uses."""
    used = {tag for row in rows.pois.values() for tag in row.tags}
    used.update(tag for row in rows.hotels.values() for tag in row.tags)
    return frozenset(used.union(request.interests, request.avoid))


def put_together(
    request: PlanRequest,
    params: Mapping[str, ParamValue],
    cities: dict[str, CityPool],
    legs: Sequence[LegPool],
    rows: SnapshotRows,
    frame: Frame,
) -> Snapshot:
    """The snapshot, not sealed yet."""
    return Snapshot(
        request=request,
        params=dict(params),
        currency=frame.currency,
        cities=cities,
        legs=tuple(legs),
        warnings=find_warnings(request, cities, legs, rows, frame.calendar, frame.fares),
        rows=rows,
        city_rows=frame.city_rows,
        stations=frame.stations,
        tags=frame.tags,
        days_off=frame.calendar.by_country,
        fares=frame.fares,
        asked_on=frame.asked_on,
        catalogue=frame.catalogue,
    )
