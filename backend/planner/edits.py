"""Edits of a draft: add or remove one choice. The position of a visit in its day is found by code.

An edit refuses only what cannot be right: an unknown id, a wrong city, a day that does not exist. A
visit that does not fit is accepted, and the validator says what it breaks, so that the model can
decide what to do.

Finds the position of a new visit in a day: first by what breaks, then by its wish, then by the way.

The errors of refused edits: a code, a sentence, and what would be allowed.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from backend.catalogue.matching import find_known, rank_known
from backend.errors import ToolError
from backend.planner.days.frame import Frame, Stop
from backend.planner.days.legs import find_connection
from backend.planner.days.schedule import PartPlan, schedule
from backend.planner.days.timeline import build_itinerary, make_frames, make_stops, make_ways
from backend.planner.days.trip import name_in, plan_trip
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.plan.itinerary import LegItem, MealItem, StayItem, VisitItem
from backend.pool.candidate import CityRow, HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.snapshot import Snapshot
from backend.text import Locale, shorten


def find_position(frame: Frame, stops: Sequence[Stop], stop: Stop) -> int:
    """The best index for `stop` among `stops`, whose order stays; ties go to the earliest."""
    ratings = [
        _rate(frame, schedule(frame, [*stops[:n], stop, *stops[n:]]), stop)
        for n in range(len(stops) + 1)
    ]
    return ratings.index(min(ratings))


def _rate(frame: Frame, plan: PartPlan, stop: Stop) -> tuple[int, int, int, int, int]:
    start = next(slot.start for slot in plan.slots if slot.stop is stop)
    late = start - stop.at if stop.at else 0
    return plan.faults, late, len(plan.missed), _measure_ways(frame, plan), plan.slots[-1].end


def _measure_ways(frame: Frame, plan: PartPlan) -> int:
    """Minutes under way in the whole part."""
    nodes = [frame.start, *plan.route.nodes]
    legs = sum(frame.ways.minutes(a, b) for a, b in pairwise(nodes))
    return legs + plan.route.gaps[-1]


LONGEST_VALUE = 200
"""Names are at most this long; what a model makes up may be longer."""

MESSAGES: dict[str, dict[Locale, str]] = {
    "NOT_IN_POOL": {
        "zh-CN": "{id} 不在候选范围内，请使用列表工具给出的 id。",
        "en": "{id} is not among the candidates; use an id that a list tool shows.",
    },
    "NO_SUCH_DAY": {
        "zh-CN": "没有第 {day} 天：行程共 {days} 天，从 1 数起。",
        "en": "There is no day {day}: the trip has {days} day(s), counted from 1.",
    },
    "NO_SUCH_LEG": {
        "zh-CN": "没有行程段 {leg}：共 {legs} 段，从 0 数起。",
        "en": "There is no leg {leg}: the trip has {legs} leg(s), counted from 0.",
    },
    "NO_SUCH_ITEM": {
        "zh-CN": "第 {day} 天没有第 {item} 项：共 {items} 项，从 0 数起。",
        "en": "Day {day} has no item {item}: it has {items} item(s), counted from 0.",
    },
    "NO_SUCH_CITY": {
        "zh-CN": "{city} 不是目的地城市。",
        "en": "{city} is none of the destination cities.",
    },
    "NOT_REMOVABLE": {
        "zh-CN": "第 {day} 天第 {item} 项（{kind}）不能删除：只能删除参观、用餐地点、车次和酒店。",
        "en": "Item {item} of day {day} ({kind}) cannot be removed: only visits, meals at a place, "
        "trains and stays can.",
    },
    "ALREADY_PLANNED": {
        "zh-CN": "{name}已安排在第 {day} 天；要换到别的天，请先删除。",
        "en": "{name} is planned on day {day} already; remove it there before moving it.",
    },
    "WRONG_CITY": {
        "zh-CN": "{name}在{city}，第 {day} 天不在该城市。",
        "en": "{name} is in {city}, and day {day} is not spent there.",
    },
    "WRONG_HOTEL_CITY": {
        "zh-CN": "{name}在{city}，不在{wanted}。",
        "en": "{name} is in {city}, not in {wanted}.",
    },
    "NO_NIGHT": {
        "zh-CN": "在{city}不过夜，不需要酒店。",
        "en": "No night is spent in {city}, so it needs no hotel.",
    },
    "BAD_TIME": {
        "zh-CN": "时间 {at} 无效：应为当天零点起的分钟数，0 至 1560（26:00）。",
        "en": "{at} is not a time: minutes after midnight, 0 to 1560 (26:00), are right.",
    },
    "WRONG_LEG": {
        "zh-CN": "{ids} 不是行程段 {leg} 的车次：请选一个直达车次，或列出的一组中转车次。",
        "en": "{ids} is no choice for leg {leg}: take one direct train, or one of its connections.",
    },
}


def refuse(
    snapshot: Snapshot,
    reason: str,
    allowed: Sequence[str] = (),
    *,
    code: str = "",
    **values: object,
) -> ToolError:
    """The error for a reason of `MESSAGES`; its code is the reason unless another is given."""
    shown = {name: shorten(str(value), LONGEST_VALUE) for name, value in values.items()}
    message = MESSAGES[reason][snapshot.request.locale].format(**shown)
    return ToolError(code or reason, message, tuple(allowed))


def refuse_unknown(
    snapshot: Snapshot,
    wanted: str,
    rows: Iterable[PoiCandidate | HotelCandidate | TrainCandidate],
) -> ToolError:
    """NOT_IN_POOL, with up to three ids whose id or name looks like what was wanted."""
    return refuse(snapshot, "NOT_IN_POOL", find_near_ids(wanted, rows), id=wanted)


def find_near_ids(
    wanted: str, rows: Iterable[PoiCandidate | HotelCandidate | TrainCandidate], limit: int = 3
) -> list[str]:
    """Ids of the rows whose id or names are nearest to `wanted`, nearest first."""
    return rank_known(wanted, {row.id: _list_names(row) for row in rows}, limit, LIKE_ENOUGH)


def find_city(snapshot: Snapshot, wanted: str) -> CityRow:
    """A destination city by id or name."""
    rows = {city: snapshot.city_rows[city] for city in snapshot.city_order}
    found = find_known(wanted, {city: (row.name, row.name_en) for city, row in rows.items()})
    if found is not None:
        return rows[found]
    raise refuse(snapshot, "NO_SUCH_CITY", snapshot.city_order, city=wanted)


def _list_names(row: PoiCandidate | HotelCandidate | TrainCandidate) -> tuple[str, ...]:
    if isinstance(row, TrainCandidate):
        return row.id, row.number
    return tuple(name for name in (row.id, row.name, row.name_en) if name)


LIKE_ENOUGH = 100
"""Of 200: what is less like a wanted name is no help."""

LATEST_AT = 26 * 60


def put_visit(
    snapshot: Snapshot, draft: Draft, day: int, poi_id: str, at: int | None = None
) -> Draft:
    """The place on that day, where it fits best or from `at` on; on the same day again: moved."""
    poi = find_poi(snapshot, poi_id)
    check_day(snapshot, day)
    if at is not None and not 0 <= at <= LATEST_AT:
        raise refuse(snapshot, "BAD_TIME", code="BAD_ARGUMENTS", at=at)
    _check_city(snapshot, poi, day)
    _check_not_planned(snapshot, draft, poi, day)
    others = tuple(visit for visit in draft.visits_on(day) if visit.poi_id != poi_id)
    visit = PlannedVisit(poi_id=poi_id, at=at)
    trip = plan_trip(snapshot, draft)
    frames = make_frames(trip, day, make_ways(snapshot))
    frame = next(frame for frame in frames if frame.part.city.id == poi.city)
    here = [v for v in others if make_stops(snapshot, frame, [v])]
    elsewhere = [v for v in others if v not in here]
    position = find_position(
        frame, make_stops(snapshot, frame, here), make_stops(snapshot, frame, [visit])[0]
    )
    here.insert(position, visit)
    return with_visits(draft, day, _order_by_parts(snapshot, draft, day, [*here, *elsewhere]))


def choose_hotel(snapshot: Snapshot, draft: Draft, city: str, hotel_id: str) -> Draft:
    """The hotel for all nights in that city; another choice replaces it."""
    row = find_city(snapshot, city)
    hotel = snapshot.hotel(hotel_id)
    pool = snapshot.cities[row.id]
    locale = snapshot.request.locale
    if pool.nights == 0:
        raise refuse(snapshot, "NO_NIGHT", city=name_in(row, locale))
    if hotel is None:
        raise refuse_unknown(snapshot, hotel_id, [snapshot.rows.hotels[i] for i in pool.hotels])
    if hotel.city != row.id:
        raise refuse(
            snapshot,
            "WRONG_HOTEL_CITY",
            pool.hotels,
            code="WRONG_CITY",
            name=name_in(hotel, locale),
            city=name_in(snapshot.city_rows[hotel.city], locale),
            wanted=name_in(row, locale),
        )
    return draft.model_copy(update={"hotels": {**draft.hotels, row.id: hotel_id}})


def choose_train(snapshot: Snapshot, draft: Draft, leg: int, train_ids: Sequence[str]) -> Draft:
    """One direct train, or the two of a connection, for a leg; another choice replaces it."""
    if not 0 <= leg < len(snapshot.legs):
        numbers = [str(n) for n in range(len(snapshot.legs))]
        raise refuse(snapshot, "NO_SUCH_LEG", numbers, leg=leg, legs=len(numbers))
    for train_id in train_ids:
        if snapshot.train(train_id) is None:
            pool_ids = snapshot.ids_by_kind["train"]
            trains = [t for i, t in snapshot.rows.trains.items() if i in pool_ids]
            raise refuse_unknown(snapshot, train_id, trains)
    pool = snapshot.legs[leg]
    is_direct = len(train_ids) == 1 and train_ids[0] in pool.trains
    if not is_direct and find_connection(pool, train_ids) is None:
        allowed = [*pool.trains, *("+".join(c.trains) for c in pool.connections)]
        raise refuse(snapshot, "WRONG_LEG", allowed, ids="+".join(train_ids) or "-", leg=leg)
    return draft.model_copy(update={"trains": {**draft.trains, leg: tuple(train_ids)}})


def remove_item(snapshot: Snapshot, draft: Draft, day: int, item: int) -> Draft:
    """The draft without the choice that item `item` (from 0) of the day's timeline shows."""
    check_day(snapshot, day)
    items = build_itinerary(snapshot, draft).days[day - 1].items
    if not 0 <= item < len(items):
        raise refuse(snapshot, "NO_SUCH_ITEM", day=day, item=item, items=len(items))
    shown = items[item]
    if isinstance(shown, VisitItem | MealItem) and shown.poi_id is not None:
        kept = [visit for visit in draft.visits_on(day) if visit.poi_id != shown.poi_id]
        return with_visits(draft, day, kept)
    if isinstance(shown, StayItem):
        hotels = {c: h for c, h in draft.hotels.items() if h != shown.hotel_id}
        return draft.model_copy(update={"hotels": hotels})
    if isinstance(shown, LegItem) and shown.train_id is not None:
        trains = {leg: ids for leg, ids in draft.trains.items() if shown.train_id not in ids}
        return draft.model_copy(update={"trains": trains})
    raise refuse(snapshot, "NOT_REMOVABLE", day=day, item=item, kind=shown.kind)


def with_visits(draft: Draft, day: int, visits: Sequence[PlannedVisit]) -> Draft:
    """The draft with other visits on a day; a day without any is absent."""
    kept = {d: v for d, v in draft.visits.items() if d != day}
    if visits:
        kept[day] = tuple(visits)
    return draft.model_copy(update={"visits": dict(sorted(kept.items()))})


def find_poi(snapshot: Snapshot, poi_id: str) -> PoiCandidate:
    """The place in the pool, or NOT_IN_POOL with near ones."""
    poi = snapshot.poi(poi_id)
    if poi is None:
        pois = [snapshot.rows.pois[i] for c in snapshot.cities.values() for i in c.pois]
        raise refuse_unknown(snapshot, poi_id, pois)
    return poi


def check_day(snapshot: Snapshot, day: int) -> None:
    """NO_SUCH_DAY unless the trip has this day."""
    days = snapshot.request.days
    if not 1 <= day <= days:
        numbers = sorted(range(1, days + 1), key=lambda n: (abs(n - day), n))
        raise refuse(snapshot, "NO_SUCH_DAY", [str(n) for n in numbers], day=day, days=days)


def list_days_in(snapshot: Snapshot, city: str) -> list[int]:
    """Days of the trip that touch a city, by the nominal dates."""
    pool, start = snapshot.cities[city], snapshot.request.start_date
    return list(range((pool.arrive - start).days + 1, (pool.leave - start).days + 2))


def _check_city(snapshot: Snapshot, poi: PoiCandidate, day: int) -> None:
    days = list_days_in(snapshot, poi.city)
    if day not in days:
        locale = snapshot.request.locale
        raise refuse(
            snapshot,
            "WRONG_CITY",
            [str(n) for n in sorted(days, key=lambda n: (abs(n - day), n))],
            name=name_in(poi, locale),
            city=name_in(snapshot.city_rows[poi.city], locale),
            day=day,
        )


def _check_not_planned(snapshot: Snapshot, draft: Draft, poi: PoiCandidate, day: int) -> None:
    for other, visits in draft.visits.items():
        if other != day and any(visit.poi_id == poi.id for visit in visits):
            name = name_in(poi, snapshot.request.locale)
            raise refuse(snapshot, "ALREADY_PLANNED", name=name, day=other)


def _order_by_parts(
    snapshot: Snapshot, draft: Draft, day: int, visits: Sequence[PlannedVisit]
) -> list[PlannedVisit]:
    """On the day of a move, visits in the first city come before those in the second."""
    cities = [part.city.id for part in plan_trip(snapshot, draft).parts[day]]
    return sorted(visits, key=lambda v: cities.index(snapshot.rows.pois[v.poi_id].city))
