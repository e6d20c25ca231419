"""Wishes of the request, one constraint for each kind: an error for a `must`, else a warning.

What the catalogue does not know does not count as kept. It is a warning even of a `must`: nobody
knows the plan to be wrong, and whoever shows it can ask.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from backend.clock import parse_minutes
from backend.money import CENT
from backend.planner.check.context import CheckContext, Constraint, Finding, Visited, show_time
from backend.planner.days.legs import count_minutes
from backend.planner.days.meals import is_food_place
from backend.planner.days.travel_time import Position
from backend.planner.plan.itinerary import (
    DayItem,
    LegItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
    WishParams,
)
from backend.pool.candidate import HotelCandidate, measure_distance_m
from backend.pool.snapshot import LegPool
from backend.pool.wish_texts import BEDS, MODES, describe_wish, list_words, say, show_amount
from backend.pool.wished import (
    has_feature,
    is_numbered,
    is_of_kind,
    is_train_wished,
    list_times,
    serves,
)
from backend.pool.wishes import (
    AtWish,
    BedsWish,
    EatWish,
    HotelWish,
    IntercityWish,
    LocalWish,
    PriceWish,
    SpendWish,
    VisitWish,
    list_ids,
    number_wishes,
)

Truth = bool | None
"""None: the catalogue does not know."""

Texts = tuple[str, str]


@dataclass(frozen=True)
class Miss:
    """Why a wish is not kept: what is instead, in both languages, and by how much."""

    have: Texts
    day: int | None = None
    item: int | None = None
    amount: int | Decimal | None = None
    is_known: bool = True


def _unknown(chinese: str, english: str, day: int | None = None, item: int | None = None) -> Miss:
    return Miss((chinese, english), day, item, is_known=False)


Judge = Callable[[CheckContext, Any], Iterable[Miss]]


def _find(kind: str, judge: Judge, context: CheckContext) -> Iterator[Finding]:
    """What keeps the wishes of one kind from being kept."""
    for number, wish in number_wishes(context.snapshot.request.wishes, kind):
        wished = describe_wish(wish, context.name_id, context.locale)
        for miss in judge(context, wish):
            have = say(miss.have, context.locale)
            yield Finding(
                miss.day,
                miss.item,
                {"wish": wished, "have": have},
                "error" if wish.weight == "must" and miss.is_known else "warning",
                miss.amount,
                wish=number,
                params=WishParams(wish=wished, have=have, known=miss.is_known),
            )


def _make(kind: str, label: Texts, judge: Judge) -> Constraint:
    return Constraint(
        f"WISH_{kind.upper()}",
        "error",
        {
            "zh-CN": f"{label[0]}：希望“{{wish}}”，但{{have}}。",
            "en": f"{label[1]}: wished for “{{wish}}”; {{have}}.",
        },
        partial(_find, kind, judge),
    )


_COSTS: dict[str, tuple[str, Any]] = {
    "hotels": ("hotels", StayItem),
    "tickets": ("tickets", VisitItem),
    "meals": ("meals", MealItem),
    "intercity": ("trains", LegItem),
    "local": ("local_transport", TransferItem),
}


def judge_spend(context: CheckContext, wish: SpendWish) -> Iterator[Miss]:
    """The sum of one kind of costs against its limits."""
    name, kind = _COSTS[wish.on]
    cost: Decimal = getattr(context.itinerary.costs, name)
    over = _measure_over(cost, wish)
    unknown = sum(isinstance(item, kind) and _lacks_price(item) for _, _, item in context.items())
    shown = show_amount(cost)
    if unknown and (over or Decimal(0)) <= 0 and not wish.negated:
        yield _unknown(
            f"有 {unknown} 项价格未知，已知部分共 {shown}",
            f"the prices of {unknown} item(s) are not known, the others come to {shown}",
        )
    elif (over is None) == wish.negated:
        yield Miss((f"实际为 {shown}", f"it is {shown}"), amount=abs(over) if over else None)


def _measure_over(amount: Decimal, wish: SpendWish | PriceWish) -> Decimal | None:
    """By how much an amount is above its limit, or (negative) below; None: within the limits."""
    if wish.at_most is not None and amount > wish.at_most:
        return amount - wish.at_most
    if wish.at_least is not None and amount < wish.at_least:
        return amount - wish.at_least
    return None


def _lacks_price(item: DayItem) -> bool:
    """Whether something is paid for it and nobody knows how much."""
    if isinstance(item, MealItem):
        return item.poi_id is not None and item.price is None
    return isinstance(item, LegItem | VisitItem | StayItem) and item.price is None


_PRICED: dict[str, Any] = {"night": StayItem, "meal": MealItem, "ticket": VisitItem}


def judge_price(context: CheckContext, wish: PriceWish) -> Iterator[Miss]:
    """Prices for one, each of them or their mean; of a hotel its first night stands for all."""
    items = [
        (day, number, item)
        for day, number, item in context.items()
        if isinstance(item, _PRICED[wish.of]) and not _is_unbound(item)
    ]
    if wish.each:
        yield from _judge_each(wish, items)
    elif items:
        yield from _judge_mean(wish, [getattr(item, "price", None) for _, _, item in items])


def _is_unbound(item: DayItem) -> bool:
    return isinstance(item, MealItem) and item.poi_id is None


def _judge_each(wish: PriceWish, items: Sequence[tuple[int, int, Any]]) -> Iterator[Miss]:
    seen: set[str] = set()
    for day, number, item in items:
        if isinstance(item, StayItem) and item.hotel_id in seen:
            continue
        seen.add(getattr(item, "hotel_id", ""))
        if item.price is None:
            yield _unknown(f"“{item.name}”价格未知", f"the price of “{item.name}” is not known",
                           day, number)  # fmt: skip
            continue
        over, price = _measure_over(item.price, wish), show_amount(item.price)
        if (over is None) == wish.negated:
            have = (f"“{item.name}”为 {price}", f"“{item.name}” costs {price}")
            yield Miss(have, day, number, abs(over) if over else None)


def _judge_mean(wish: PriceWish, prices: Sequence[Decimal | None]) -> Iterator[Miss]:
    known = [price for price in prices if price is not None]
    if len(known) < len(prices):
        missing = len(prices) - len(known)
        yield _unknown(f"有 {missing} 项价格未知", f"{missing} of the prices are not known")
        return
    mean = (sum(known, Decimal(0)) / len(known)).quantize(CENT)
    over, shown = _measure_over(mean, wish), show_amount(mean)
    if (over is None) == wish.negated:
        yield Miss((f"平均为 {shown}", f"the mean is {shown}"), amount=abs(over) if over else None)


def judge_intercity(context: CheckContext, wish: IntercityWish) -> Iterator[Miss]:
    """How the legs that a wish is about are travelled, and when."""
    legs = context.snapshot.legs
    ways = [(leg.from_city, leg.to_city) for leg in legs]
    numbers = wish.pick_legs(ways, context.snapshot.request.origin)
    if not numbers:
        yield _unknown("行程中没有由系统安排的这段路", "the plan has no such way between cities")
    elif wish.number is not None and not wish.negated:
        numbers = [number for number in numbers if _has_train(context, legs[number], wish)]
        if not numbers:
            yield _unknown(f"数据中这段路没有 {wish.number}",
                           f"the catalogue has no {wish.number} on this way")  # fmt: skip
    travelled = _list_rides(context)
    for number in numbers:
        rides = travelled.get(number, [])
        day, item = rides[0][:2] if rides else (None, None)
        if not rides or any(ride.mode == "own" for _, _, ride in rides):
            start, end = (context.name_city(city) for city in ways[number])
            yield _unknown(f"{start}到{end}需自行安排", f"{start} to {end} is left to the traveller",
                           day, item)  # fmt: skip
            continue
        late = _measure_leg(wish, legs[number], [ride for _, _, ride in rides])
        if (late is None) == wish.negated:
            yield Miss(_show_rides([ride for _, _, ride in rides]), day, item, late or None)


def _has_train(context: CheckContext, leg: LegPool, wish: IntercityWish) -> bool:
    """Whether the catalogue has the train of that number on a leg, as far as the snapshot knows."""
    pairs = (train for connection in leg.connections for train in connection.trains)
    trains = context.snapshot.rows.trains
    numbers = [trains[i].number for i in (*leg.trains, *leg.reserve, *pairs) if i in trains]
    return any(is_numbered(wish, [number]) for number in numbers)


def _list_rides(context: CheckContext) -> dict[int, list[tuple[int, int, LegItem]]]:
    """The items of each leg in their order; two where one changes."""
    legs, rides, number = context.snapshot.legs, dict[int, list[tuple[int, int, LegItem]]](), 0
    for day, item_number, item in context.items():
        if isinstance(item, LegItem) and number < len(legs):
            rides.setdefault(number, []).append((day, item_number, item))
            number += item.to_city == legs[number].to_city
    return rides


def _measure_leg(wish: IntercityWish, leg: LegPool, rides: Sequence[LegItem]) -> int | None:
    """None: as wished; else the minutes by which it is too early or late, or 0."""
    numbers = [ride.number or "" for ride in rides]
    is_other_mode = wish.mode is not None and any(ride.mode != wish.mode for ride in rides)
    if is_other_mode or not is_train_wished(wish, numbers):
        return 0
    depart, arrive = rides[0].depart, rides[-1].arrive
    assert depart is not None
    assert arrive is not None
    off = list_times(wish, count_minutes(depart, leg.date), count_minutes(arrive, leg.date))
    if wish.longest_min is not None:
        off.append((arrive - depart) // dt.timedelta(minutes=1) - wish.longest_min)
    return next((minutes for minutes in off if minutes > 0), None)


def _show_rides(rides: Sequence[LegItem]) -> Texts:
    depart, arrive = rides[0].depart, rides[-1].arrive
    assert depart is not None
    assert arrive is not None
    span = f"{depart:%H:%M}–{arrive:%H:%M}"
    number = " + ".join(ride.number or "" for ride in rides)
    mode = MODES.get(rides[0].mode, (rides[0].mode, rides[0].mode))
    return f"实际乘{mode[0]} {number}（{span}）", f"it is the {mode[1]} {number} ({span})"


@dataclass(frozen=True)
class _Stay:
    """The first night in a hotel."""

    day: int
    item: int
    row: StayItem
    hotel: HotelCandidate


def _list_stays(context: CheckContext) -> list[_Stay]:
    stays: dict[str, _Stay] = {}
    for day, number, item in context.items():
        hotel = context.snapshot.hotel(item.hotel_id) if isinstance(item, StayItem) else None
        if isinstance(item, StayItem) and hotel is not None:
            stays.setdefault(hotel.id, _Stay(day, number, item, hotel))
    return list(stays.values())


def judge_beds(context: CheckContext, wish: BedsWish) -> Iterator[Miss]:
    """Whether each hotel has such beds, and whether so many rooms are taken."""
    beds = BEDS[wish.in_room]
    for stay in _list_stays(context):
        where = stay.day, stay.item
        name = context.name(stay.hotel)
        if not stay.hotel.beds:
            yield _unknown(f"“{name}”的床型未知，请向酒店确认",
                           f"the beds of “{name}” are not known: ask the hotel", *where)  # fmt: skip
            continue
        others = set(stay.hotel.beds) - {wish.in_room}
        if wish.negated and not others:
            yield Miss(
                (f"“{name}”只有{beds[0]}", f"“{name}” has only rooms with {beds[1]}"), *where
            )
        elif not wish.negated and wish.in_room not in stay.hotel.beds:
            yield Miss((f"“{name}”没有{beds[0]}", f"“{name}” has no rooms with {beds[1]}"), *where)
        elif not wish.negated and wish.rooms is not None and stay.row.rooms < wish.rooms:
            rooms = stay.row.rooms
            have = (f"“{name}”只订 {rooms} 间", f"{rooms} room(s) are taken in “{name}”")
            yield Miss(have, *where, wish.rooms - rooms)


def judge_visit(context: CheckContext, wish: VisitWish) -> Iterator[Miss]:
    """Distinct places of a kind, or that none of them is in the plan."""
    found = [v for v in context.visits if _is_of_kind(v, wish)]
    if wish.is_unwanted:
        for visited in found:
            name = context.name(visited.poi)
            have = (f"行程中有“{name}”", f"“{name}” is in the plan")
            yield Miss(have, visited.day, visited.item)
        return
    if not wish.each_day:
        yield from _judge_count(context, wish, found)
        return
    days = [wish.day] if wish.day else range(1, len(context.itinerary.days) + 1)
    for day in days:
        yield from _judge_count(context, wish, [v for v in found if v.day == day], day)


def _is_of_kind(visited: Visited, wish: VisitWish) -> bool:
    return wish.day in {None, visited.day} and is_of_kind(visited.poi, wish)


def _judge_count(
    context: CheckContext,
    wish: VisitWish | EatWish,
    found: Sequence[Visited],
    day: int | None = None,
) -> Iterator[Miss]:
    """Places of visits, each counted once, or meals, each of them counted."""
    names = list(dict.fromkeys(context.name(visited.poi) for visited in found))
    places = {visited.poi.id for visited in found}
    count = len(places) if isinstance(wish, VisitWish) else len(found)
    listed = list_words(names, context.locale)
    if count < wish.at_least:
        none = ("没有" if day else "行程中没有", "there is none" + ("" if day else " in the plan"))
        have = (f"只有 {count} 个（{listed}）", f"only {count} ({listed})")
        yield Miss(have if names else none, day, amount=wish.at_least - count)
    elif wish.at_most is not None and count > wish.at_most:
        have = (f"有 {count} 个（{listed}）", f"{count} ({listed})")
        yield Miss(have, day, amount=count - wish.at_most)


def judge_eat(context: CheckContext, wish: EatWish) -> Iterator[Miss]:
    """Meals of a cuisine or at a place."""
    meals = [v for v in context.visits if _is_meal(context, v, wish)]
    found = [v for v in meals if serves(v.poi, wish)]
    unsure = [v for v in meals if wish.cuisine and not v.poi.cuisine and not serves(v.poi, wish)]
    if wish.negated:
        for visited in found:
            name = context.name(visited.poi)
            yield Miss((f"安排了“{name}”", f"one eats at “{name}”"), visited.day, visited.item)
        for visited in unsure:
            name = context.name(visited.poi)
            yield _unknown(f"“{name}”的菜系未知", f"the cuisine of “{name}” is not known",
                           visited.day, visited.item)  # fmt: skip
    elif wish.meal == "breakfast":
        yield _unknown("行程不安排早餐", "a plan has no breakfasts")
    elif len(found) < wish.at_least and not wish.place and not _is_offered(context, wish):
        yield _unknown("数据中没有已知是这种菜系的餐馆",
                       "the catalogue knows no place here with this cuisine")  # fmt: skip
    else:
        yield from _judge_count(context, wish, found)


def _is_meal(context: CheckContext, visited: Visited, wish: EatWish) -> bool:
    item = context.itinerary.days[visited.day - 1].items[visited.item]
    if wish.day not in {None, visited.day}:
        return False
    if isinstance(item, MealItem):
        return wish.meal in {None, item.meal}
    return wish.meal is None and is_food_place(visited.poi)


def _is_offered(context: CheckContext, wish: EatWish) -> bool:
    rows = (context.snapshot.rows.pois[i] for c in context.snapshot.cities.values() for i in c.pois)
    return any(not {*wish.cuisine}.isdisjoint(row.cuisine) for row in rows)


def judge_hotel(context: CheckContext, wish: HotelWish) -> Iterator[Miss]:
    """What the hotels are, have and stand near; a hotel or place by name speaks of its city."""
    stays = [s for s in _list_stays(context) if _is_meant(context, s.hotel, wish)]
    if not stays and not wish.negated:
        yield Miss(("行程中没有这样的酒店夜宿", "the plan has no such night in a hotel"))
    if wish.same and not wish.negated:
        yield from _judge_same(context, stays)
    for stay in stays:
        facts = list(_list_facts(context, stay.hotel, wish))
        truths = [truth for truth, _, _ in facts]
        name = context.name(stay.hotel)
        if wish.negated and facts and all(truth is not False for truth in truths):
            have = (f"住的是“{name}”", f"it is “{name}”")
            yield Miss(have, stay.day, stay.item, is_known=all(truths))
        elif not wish.negated:
            wrong = [fact for fact in facts if not fact[0]]
            yield from (Miss(_of(name, text), stay.day, stay.item, amount, is_known=truth is False)
                        for truth, text, amount in wrong)  # fmt: skip


def _of(name: str, text: Texts) -> Texts:
    return f"“{name}”{text[0]}", f"“{name}” {text[1]}"


def _is_meant(context: CheckContext, hotel: HotelCandidate, wish: HotelWish) -> bool:
    rows = context.snapshot.rows
    cities = {row.city for row in (rows.hotels.get(wish.hotel or ""),) if row is not None}
    cities |= {rows.pois[place].city for place in wish.places if place in rows.pois}
    cities |= {place.split("/")[0] for place in list_ids(wish.near) if "/" in place}
    return not cities or hotel.city in cities


def _judge_same(context: CheckContext, stays: Sequence[_Stay]) -> Iterator[Miss]:
    first: dict[str, _Stay] = {}
    for stay in stays:
        before = first.setdefault(stay.hotel.city, stay)
        if before is not stay:
            a, b = context.name(before.hotel), context.name(stay.hotel)
            yield Miss((f"“{a}”之后又换到“{b}”", f"it is “{a}”, then “{b}”"), stay.day, stay.item)


def _list_facts(
    context: CheckContext, hotel: HotelCandidate, wish: HotelWish
) -> Iterator[tuple[Truth, Texts, int | None]]:
    """Whether each part of the wish is true of a hotel, and what is instead."""
    if wish.hotel is not None:
        yield hotel.id == wish.hotel, ("不是所要的酒店", "is another hotel"), None
    for feature in wish.features:
        yield _judge_feature(context, hotel, feature)
    if wish.near is not None:
        yield _judge_near(context, hotel, wish)
    yield from _judge_class(hotel, wish)


def _judge_class(
    hotel: HotelCandidate, wish: HotelWish
) -> Iterator[tuple[Truth, Texts, int | None]]:
    """Stars and rating."""
    stars, rating = hotel.stars, hotel.rating
    if stars is None and (wish.stars, wish.stars_at_most) != (None, None):
        yield None, ("星级未知", "has no known number of stars"), None
    elif stars is not None:
        off = max((wish.stars or stars) - stars, stars - (wish.stars_at_most or stars))
        if (wish.stars, wish.stars_at_most) != (None, None):
            yield off <= 0, (f"是 {stars} 星", f"has {stars} star(s)"), off
    if wish.rating is not None and rating is None:
        yield None, ("评分未知", "has no known rating"), None
    elif wish.rating is not None and rating is not None:
        yield rating >= wish.rating, (f"评分 {rating:g}", f"is rated {rating:g}"), None


def _judge_feature(
    context: CheckContext, hotel: HotelCandidate, feature: str
) -> tuple[Truth, Texts, None]:
    """A feature is known to be missing only where another hotel of the city is known to have it."""
    others = (row for row in context.snapshot.rows.hotels.values() if row.city == hotel.city)
    truth: Truth = True
    if not has_feature(hotel, feature):
        truth = False if any(has_feature(row, feature) for row in others) else None
    shown = context.name_id(feature)
    if truth is None:
        return (
            None,
            (f"是否有“{shown}”未知，请向酒店确认", f"may or may not have “{shown}”: ask the hotel"),
            None,
        )
    return truth, (f"没有“{shown}”", f"does not have “{shown}”"), None


def _judge_near(
    context: CheckContext, hotel: HotelCandidate, wish: HotelWish
) -> tuple[Truth, Texts, int | None]:
    found = (find_position(context, place) for place in list_ids(wish.near))
    positions = [position for position in found if position is not None]
    if not positions:
        return None, ("离该地点的距离未知", "is at an unknown distance from there"), None
    metres = round(min(measure_distance_m(hotel.position, position) for position in positions))
    return metres <= wish.metres, (f"距 {metres} 米", f"is {metres} m away"), metres - wish.metres


def find_position(context: CheckContext, place: str) -> Position | None:
    """Where a place or a station of a wish stands, if the snapshot knows."""
    if "/" in place:
        city, name = place.split("/", 1)
        stations = context.snapshot.stations
        here = (s for s in stations if (s.city, s.name) == (city, name))
        return next(((s.lat, s.lon) for s in here), None)
    row = context.snapshot.rows.pois.get(place)
    return None if row is None else row.position


def judge_local(context: CheckContext, wish: LocalWish) -> Iterator[Miss]:
    """Ways inside cities: their modes, and how far one walks at once."""
    ways = [(d, n, item) for d, n, item in context.items() if isinstance(item, TransferItem)]
    only = () if wish.negated or wish.only == ("bus",) else wish.only
    never, use = (wish.use, wish.never) if wish.negated else (wish.never, wish.use)
    for day, number, way in ways:
        if way.mode in never or (only and way.mode not in only):
            yield Miss(_show_way(way), day, number)
        elif over := _measure_way(way, wish):
            yield Miss(_show_way(way), day, number, over)
    unknown = [mode for mode in (*use, *wish.only) if mode == "bus"]
    if unknown and not wish.negated:
        yield _unknown("数据中没有公交线路", "the catalogue has no buses")
    for mode in use:
        if mode not in unknown and ways and all(way.mode != mode for _, _, way in ways):
            name = MODES[mode]
            yield Miss((f"没有用{name[0]}", f"no way is by {name[1]}"))
    if wish.only and wish.negated and ways and all(way.mode in wish.only for _, _, way in ways):
        yield Miss(("没有用别的方式", "no other way is used"))


def _measure_way(way: TransferItem, wish: LocalWish) -> int:
    """By how many metres a walk is too long, or a way by how many minutes; 0: neither."""
    if wish.negated:
        return 0
    if wish.longest_walk_m is not None and way.mode == "walk":
        over = way.distance_m - wish.longest_walk_m
        if over > 0:
            return over
    minutes = (way.arrive - way.depart) // dt.timedelta(minutes=1)
    return max(0, minutes - (wish.longest_min or minutes))


def _show_way(way: TransferItem) -> Texts:
    mode = MODES.get(way.mode, (way.mode, way.mode))
    return (
        f"“{way.from_}”到“{way.to}”是{mode[0]} {way.distance_m} 米",
        f"from “{way.from_}” to “{way.to}” it is {way.distance_m} m by {mode[1]}"
        if way.mode != "walk"
        else f"from “{way.from_}” to “{way.to}” it is a walk of {way.distance_m} m",
    )


def judge_at(context: CheckContext, wish: AtWish) -> Iterator[Miss]:
    """When one of the places is visited, for how long, and after what."""
    found = [v for v in context.visits if v.poi.id in list_ids(wish.place)]
    reasons = [_measure_visit(context, visited, wish) for visited in found]
    as_wished = [v for v, reason in zip(found, reasons, strict=True) if reason is None]
    if wish.negated:
        for visited in as_wished:
            yield Miss(_show_visit(context, visited), visited.day, visited.item)
    elif not found:
        yield Miss(("行程中没有这个地点", "the place is not in the plan"))
    elif not as_wished:
        visited, reason = found[0], reasons[0]
        yield Miss(_show_visit(context, visited), visited.day, visited.item, reason or None)


def _show_visit(context: CheckContext, visited: Visited) -> Texts:
    name = context.name(visited.poi)
    span = f"{show_time(visited.arrive)}–{show_time(visited.leave)}"
    return f"“{name}”在第 {visited.day} 天 {span}", f"“{name}” is on day {visited.day}, {span}"


def _measure_visit(context: CheckContext, visited: Visited, wish: AtWish) -> int | None:
    """None: as wished; else the minutes by which it is too early, late or short, or 0."""
    if wish.day is not None and visited.day != wish.day:
        return 0
    off = [
        parse_minutes(wish.start) - visited.arrive if wish.start else 0,
        visited.leave - parse_minutes(wish.end) if wish.end else 0,
        (wish.minutes or 0) - (visited.leave - visited.arrive),
    ]
    wrong = next((minutes for minutes in off if minutes > 0), None)
    if wrong is not None or not wish.after:
        return wrong
    earlier = (v for v in context.visits if (v.day, v.item) < (visited.day, visited.item))
    return None if any(v.poi.id in list_ids(wish.after) for v in earlier) else 0


WISH_SPEND = _make("spend", ("花费", "Spending"), judge_spend)
WISH_PRICE = _make("price", ("价格", "Prices"), judge_price)
WISH_INTERCITY = _make("intercity", ("城际交通", "Travel between cities"), judge_intercity)
WISH_BEDS = _make("beds", ("床型", "Beds"), judge_beds)
WISH_VISIT = _make("visit", ("参观", "Visits"), judge_visit)
WISH_EAT = _make("eat", ("用餐", "Meals"), judge_eat)
WISH_HOTEL = _make("hotel", ("酒店", "Hotels"), judge_hotel)
WISH_LOCAL = _make("local", ("市内交通", "Ways in the city"), judge_local)
WISH_AT = _make("at", ("时间安排", "Times"), judge_at)
