"""The trains chosen for a leg are that leg's: they begin and end where it does, on its date.

A train is chosen for each leg for which the pool has one.

Warns of a leg without trains: the traveller has to arrange it.

Trains follow one another: none leaves before the one before it has arrived.

Trains are reached 30 minutes before they leave, and nothing is visited before they arrive.

There is enough time for a way between two cities that the traveller arranges.

Its times are unknown, so its estimated length is compared with the time that is left for it.

Between the two trains of a connection there is enough time to change, and at most four hours.
"""

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise

from backend.clock import parse_minutes
from backend.planner.check.context import CheckContext, Constraint, Finding, Located
from backend.planner.days.legs import BOARDING_MIN, Move, find_connection, make_local
from backend.planner.days.trip import Part
from backend.planner.plan.itinerary import LegItem, list_timed
from backend.pool.stay import LONGEST_WAIT_MIN, OTHER_STATION_MIN, SAME_STATION_MIN


def find_wrong_leg(context: CheckContext) -> Iterator[Finding]:
    """Choices that are neither one of the leg's trains nor one of its connections."""
    legs = context.snapshot.legs
    for number, trains in context.draft.trains.items():
        values = {"leg": number, "trains": ", ".join(trains)}
        if not 0 <= number < len(legs):
            yield Finding(values=values)
            continue
        is_direct = len(trains) == 1 and trains[0] in legs[number].trains
        if not is_direct and find_connection(legs[number], trains) is None:
            day = (legs[number].date - context.snapshot.request.start_date).days + 1
            yield Finding(day, None, values)


WRONG_LEG = Constraint(
    "WRONG_LEG",
    "error",
    {
        "zh-CN": "{trains} 不是行程段 {leg} 的车次。",
        "en": "{trains} is no choice for leg {leg}.",
    },
    find_wrong_leg,
    fix={
        "zh-CN": "请从该行程段的车次或换乘方案中选择。",
        "en": "Choose a train or a connection of that leg.",
    },
)


def find_leg_not_chosen(context: CheckContext) -> Iterator[Finding]:
    """Legs without a choice although the pool has trains or connections for them."""
    for move in context.trip.moves:
        leg = context.snapshot.legs[move.leg]
        if move.is_own and (leg.trains or leg.connections):
            day = (leg.date - context.snapshot.request.start_date).days + 1
            ends = context.name_city(leg.from_city), context.name_city(leg.to_city)
            yield Finding(day, None, {"leg": move.leg, "start": ends[0], "end": ends[1]})


LEG_NOT_CHOSEN = Constraint(
    "LEG_NOT_CHOSEN",
    "error",
    {
        "zh-CN": "行程段 {leg}（{start} → {end}）还没有选车次。",
        "en": "No train is chosen for leg {leg} ({start} → {end}).",
    },
    find_leg_not_chosen,
    fix={"zh-CN": "请从候选车次中选择。", "en": "Choose one of the candidates."},
)


def find_leg_not_covered(context: CheckContext) -> Iterator[Finding]:
    """Legs for which the pool has neither trains nor connections."""
    for number, leg in enumerate(context.snapshot.legs):
        if leg.trains or leg.connections:
            continue
        day = (leg.date - context.snapshot.request.start_date).days + 1
        ends = context.name_city(leg.from_city), context.name_city(leg.to_city)
        yield Finding(day, _find_item(context, day, number), {"start": ends[0], "end": ends[1]})


def _find_item(context: CheckContext, day: int, leg: int) -> int | None:
    ends = context.snapshot.legs[leg].from_city, context.snapshot.legs[leg].to_city
    for number, item in enumerate(context.itinerary.days[day - 1].items):
        if item.kind == "leg" and (item.from_city, item.to_city) == ends:
            return number
    return None


LEG_NOT_COVERED = Constraint(
    "LEG_NOT_COVERED",
    "warning",
    {
        "zh-CN": "{start} → {end} 没有可选车次，请自行安排交通。",
        "en": "There is no train from {start} to {end}: this leg is left to the traveller.",
    },
    find_leg_not_covered,
)


def find_leg_order(context: CheckContext) -> Iterator[Finding]:
    """Trains that leave before the train listed before them has arrived."""
    rides = [
        (day, number, item)
        for day, number, item in context.items()
        if isinstance(item, LegItem) and item.mode == "train"
    ]
    for (_, _, before), (day, number, after) in pairwise(rides):
        assert before.arrive is not None
        assert after.depart is not None
        if after.depart < before.arrive:
            yield Finding(
                day,
                number,
                amount=(before.arrive - after.depart) // dt.timedelta(minutes=1),
                values={
                    "number": after.number,
                    "depart": f"{after.depart:%m-%d %H:%M}",
                    "other": before.number,
                    "arrive": f"{before.arrive:%m-%d %H:%M}",
                },
            )


LEG_ORDER = Constraint(
    "LEG_ORDER",
    "error",
    {
        "zh-CN": "{number} 次 {depart} 发车，早于 {other} 次 {arrive} 到达。",
        "en": "{number} leaves at {depart}, before {other} arrives at {arrive}.",
    },
    find_leg_order,
    fix={"zh-CN": "请换一个车次。", "en": "Take another train."},
)


def find_leg_missed(context: CheckContext) -> Iterator[Finding]:
    """Each train by what is before it, on its day or in the night; the own departure likewise."""
    for day in range(1, len(context.itinerary.days) + 1):
        places = context.located(day)
        for before, after in pairwise(places):
            if isinstance(after.row, LegItem) and not _is_change(context, before, after):
                yield from _check_leg_missed(context, before, after, day)
        if places and isinstance(places[0].row, LegItem):
            yield from _check_opening(context, places[0])
    yield from _check_own_departure(context)


def _check_leg_missed(
    context: CheckContext, before: Located, after: Located, day: int
) -> Iterator[Finding]:
    way = 0
    if before.end_city == after.start_city:
        way = context.measure_way(after.start_city, before.end_at, after.start_at)
    between = range(before.item + 1, after.item)
    free = context.count_free(day, between, (before.end, after.start))
    yield from _find_late(before.name, after, way + BOARDING_MIN - free)


def _check_opening(context: CheckContext, leg: Located) -> Iterator[Finding]:
    """A train before which nothing has a place that day: one comes from bed, or from the night."""
    part = next((p for p in context.trip.parts[leg.day] if p.city.id == leg.start_city), None)
    if part is None or context.has_leg_into(part) or _comes_by_own_way(context, part):
        return
    since = make_local(context.snapshot, part.city.id, part.date, part.free_from)
    evening = [t.end for t in list_timed(context.itinerary) if t.day < leg.day]
    since = max([since, *evening])
    way = context.measure_way(part.city.id, part.start.position, leg.start_at)
    free = context.count_free(leg.day, range(leg.item), (since, leg.start))
    yield from _find_late(part.start.name, leg, way + BOARDING_MIN - free)


def _comes_by_own_way(context: CheckContext, part: Part) -> bool:
    """When one comes then is only assumed."""
    stays = (s for s in context.trip.stays if s.city.id == part.city.id)
    return any(s.into is not None and s.into.is_own and s.first_day == part.day for s in stays)


def _find_late(other: str, leg: Located, late: int) -> Iterator[Finding]:
    there = leg.start + dt.timedelta(minutes=late - BOARDING_MIN)
    if late > 0:
        values = {"number": leg.name, "depart": f"{leg.start:%H:%M}", "other": other}
        numbers = {"there": f"{there:%H:%M}", "boarding": BOARDING_MIN}
        yield Finding(leg.day, leg.item, {**values, **numbers}, amount=late)


def _is_change(context: CheckContext, before: Located, after: Located) -> bool:
    """Two trains of one connection have a rule of their own."""
    rows = before.row, after.row
    return (
        isinstance(rows[0], LegItem)
        and isinstance(rows[1], LegItem)
        and context.is_connection(rows[0], rows[1])
    )


def _check_own_departure(context: CheckContext) -> Iterator[Finding]:
    request = context.snapshot.request
    part = context.trip.parts[request.days][-1]
    here = [p for p in context.located(request.days) if p.end_city == part.city.id]
    if request.departure is None or part.end is None or part.leave_by is None or not here:
        return
    last = here[-1]
    way = context.measure_way(part.city.id, last.end_at, part.end.position)
    midnight = dt.datetime.combine(part.date, dt.time())
    there = last.end.replace(tzinfo=None) + dt.timedelta(minutes=way)
    late = there - (midnight + dt.timedelta(minutes=part.leave_by))
    boarding = parse_minutes(request.departure.time) - part.leave_by
    if late > dt.timedelta():
        values = {"number": part.end.name, "depart": request.departure.time, "other": last.name}
        numbers = {"there": f"{there:%H:%M}", "boarding": boarding}
        amount = late // dt.timedelta(minutes=1)
        yield Finding(request.days, last.item, {**values, **numbers}, amount=amount)


LEG_MISSED = Constraint(
    "LEG_MISSED",
    "error",
    {
        "zh-CN": "“{other}”之后 {there} 才能到站，赶不上 {depart} 的 {number}"
        "（需提前 {boarding} 分钟）。",
        "en": "After “{other}” one is there at {there}: too late for {number} at {depart} "
        "({boarding} minutes before).",
    },
    find_leg_missed,
    fix={
        "zh-CN": "请提前离开、去掉前面的安排，或换更晚的车次。",
        "en": "Leave earlier, leave out what is before, or take a later one.",
    },
)


def find_leg_too_short(context: CheckContext) -> Iterator[Finding]:
    """Such legs with less time than estimated between the last place before and the first after."""
    for move in context.trip.moves:
        if move.is_own:
            yield from _check_leg_too_short(context, move)


def _check_leg_too_short(context: CheckContext, move: Move) -> Iterator[Finding]:
    day = (context.snapshot.legs[move.leg].date - context.snapshot.request.start_date).days + 1
    ends = move.from_city, move.to_city
    items = enumerate(context.itinerary.days[day - 1].items)
    shown = (n for n, i in items if isinstance(i, LegItem) and (i.from_city, i.to_city) == ends)
    number = next(shown, None)
    if number is None:
        return
    places = context.located(day)
    before = [p for p in places if p.item < number and p.end_city == move.from_city]
    after = [p for p in places if p.item > number and p.start_city == move.to_city]
    if not before or not after:
        return
    needed = move.arrive - move.depart
    lacking = before[-1].end + needed - after[0].start
    if lacking > dt.timedelta():
        values = {"name": after[0].name, "other": before[-1].name}
        minutes = int(needed.total_seconds()) // 60
        amount = lacking // dt.timedelta(minutes=1)
        yield Finding(day, after[0].item, {**values, "needed": minutes}, amount=amount)


LEG_TOO_SHORT = Constraint(
    "LEG_TOO_SHORT",
    "error",
    {
        "zh-CN": "从“{other}”到“{name}”要换城市，自行前往约需 {needed} 分钟，时间不够。",
        "en": "From “{other}” to “{name}” is another city: the own way takes about {needed} "
        "minutes, and there are fewer.",
    },
    find_leg_too_short,
    fix={
        "zh-CN": "请去掉一处，或改到别的日子。",
        "en": "Leave one of them out, or move it to another day.",
    },
)


def find_change_time(context: CheckContext) -> Iterator[Finding]:
    """Second trains of connections that leave too soon or too late after the first.

    A second train that leaves before the first arrives is found by LEG_ORDER instead.
    """
    rides = [
        (day, number, item)
        for day, number, item in context.items()
        if isinstance(item, LegItem) and item.mode == "train"
    ]
    for (_, _, before), (day, number, after) in pairwise(rides):
        if not context.is_connection(before, after) or before.arrive is None:
            continue
        assert after.depart is not None
        have = (after.depart - before.arrive) // dt.timedelta(minutes=1)
        is_same = before.to_station == after.from_station
        least = SAME_STATION_MIN if is_same else OTHER_STATION_MIN
        if have >= 0 and not least <= have <= LONGEST_WAIT_MIN:
            values = {"number": after.number, "other": before.number, "have": have}
            yield Finding(day, number, {**values, "least": least, "most": LONGEST_WAIT_MIN})


CHANGE_TIME = Constraint(
    "CHANGE_TIME",
    "error",
    {
        "zh-CN": "{other} 次换乘 {number} 次有 {have} 分钟，应为 {least} 至 {most} 分钟。",
        "en": "From {other} to {number} there are {have} minutes to change; it should be {least} "
        "to {most}.",
    },
    find_change_time,
    fix={"zh-CN": "请换一个接续车次。", "en": "Take another connection."},
)
