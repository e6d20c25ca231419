"""Ways to travel each leg, and the choice among them: usable hours against the price of a ticket.

An hour is worth a share of the leg's mean ticket, so that the choice does not depend on the
currency. Legs are chosen together: no train may leave before the one before it has arrived, and no
city shall be left with nothing.

What the trip's trains and beds cost, and cheaper ones where the budget asks for it.

A choice has a cost, which the traveller pays, and a discomfort, in the same money. The best choice
has the least sum; under a budget the swap that saves most for its discomfort goes first.
"""

import datetime as dt
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from backend.agent.policy.brief import (
    DAY_MIN,
    FROM_STATION_MIN,
    TO_STATION_MIN,
    Brief,
    BriefLeg,
    Ride,
    rate_shortage,
)
from backend.agent.policy.call_log import CallLog, Row, read_price
from backend.clock import parse_minutes
from backend.money import add_up
from backend.pool.plan_request import Pace, Tier

Slot = tuple[str, str]
"""What is chosen: ("leg", "0") or ("hotel", city id)."""


@dataclass(frozen=True)
class Choice:
    """One way to fill a slot; all amounts are the party's. `ways` is a guess, `price` is not."""

    slot: Slot
    ids: tuple[str, ...]
    price: float
    discomfort: float
    ways: float = 0.0

    @property
    def cost(self) -> float:
        """What the choice costs with the local transport that it brings about."""
        return self.price + self.ways


Picks = dict[Slot, Choice]


def pick_best(options: Sequence[Sequence[Choice]]) -> Picks:
    """The choice with the least sum in each slot."""
    best = [min(choices, key=lambda c: c.cost + c.discomfort) for choices in options if choices]
    return {choice.slot: choice for choice in best}


def cut_costs(
    picks: Picks,
    options: Sequence[Sequence[Choice]],
    allowance: float,
    is_possible: Callable[[Picks], bool],
) -> Picks:
    """`picks` with swaps until all together cost no more than `allowance`, or none saves more."""
    cut = dict(picks)
    while add_up(choice.cost for choice in cut.values()) > allowance:
        swaps = [
            choice
            for choices in options
            for choice in choices
            if choice.slot in cut
            and choice.cost < cut[choice.slot].cost
            and is_possible({**cut, choice.slot: choice})
        ]
        if not swaps:
            break
        best = max(swaps, key=lambda choice: _rate_swap(cut[choice.slot], choice))
        cut[best.slot] = best
    return cut


def _rate_swap(before: Choice, after: Choice) -> float:
    """Saving for each unit of discomfort; a unit is added, so that free comfort divides by one."""
    return (before.cost - after.cost) / (1 + max(0.0, after.discomfort - before.discomfort))


HOUR_WORTH: dict[Tier, float] = {"economy": 0.08, "comfort": 0.14, "quality": 0.3}
"""What an hour less for the trip costs, in mean tickets of the leg."""

CHANGE_MIN = 30
"""Between two legs on one day, and before the traveller's own departure."""

EARLY_WORTH: dict[Pace, float] = {"relaxed": 1.8, "standard": 0.7, "packed": 0.5}
"""What it costs to set out an hour before one would, in hours of the trip."""

LATE_WORTH: dict[Pace, float] = {"relaxed": 1.8, "standard": 0.2, "packed": 0.0}
"""What it costs to come to the next bed an hour later than one would."""

USUAL_RISE_MIN = 60
"""So long before the start of the day one sets out, and after its end gets to bed, without a sigh."""

NIGHT_ENDS_MIN = 6 * 60 + 30
NIGHT_WORTH = 2.5
"""What an hour of sleep costs besides."""

TENDER_HOURS = 40.0
"""For a night on the train, or setting out at dawn, with small children or old people: anything else first."""

LATEST_MIN = 23 * 60
BEFORE_DAWN = range(5 * 60)
LOST_NIGHT_HOURS = 4.0
"""For a night without a bed: on the way until after dawn, or an arrival before it."""

HOME_BY_MIN = 21 * 60
MOST_FOR_HOME = 100.0
MUST_SEES_A_DAY = 2
LATE_HOME = 2.5
"""Mean tickets for coming home later, where another train is in time for so little more a head."""

NEXT_DAY_HOURS = 8.0
"""For coming home on the day after the trip's last, later than in its night."""

WISHED_HOURS = 6.0
"""For a train that is not as the traveller would rather have it."""

DAWN_MIN = DAY_MIN + 5 * 60

SITTING_SHARE = 0.25
"""How much an hour on the train costs, in hours of the trip: also where the trip is over anyway."""

IMPOSSIBLE = 1_000.0

NOON = DAY_MIN // 2
"""When a train leaves and arrives of which only the id is known."""

_CONNECTION = re.compile(r"train_ids=\[([^\]]+)\]((?:(?!train_ids=).)*)", re.DOTALL)
_MOMENT = re.compile(r"(\d\d)-(\d\d) (\d\d:\d\d)")
_PRICE = re.compile(r"(?<![\d:-])(\d+\.\d\d)(?![\d:-])")


def list_rides(log: CallLog, leg: BriefLeg) -> list[Ride]:
    """What was shown for a leg and not refused: trains, connections, ids that a refusal named."""
    if leg.leg not in log.rides:
        log.rides[leg.leg] = _read_rides(log, leg)
    return log.rides[leg.leg]


def _read_rides(log: CallLog, leg: BriefLeg) -> list[Ride]:
    direct = [_read_train(leg, row) for row in log.list_rows("list_trains", leg=leg.leg)]
    hints = [str(s.content.get("hint", "")) for s in log.find("list_trains", leg=leg.leg)]
    pairs = [ride for hint in hints for ride in _read_connections(leg, hint)]
    named = [
        Ride(leg.leg, tuple(ids.split("+")), NOON, NOON, None)
        for ids in log.list_allowed("choose_train", leg=leg.leg)
    ]
    refused = {
        tuple(step.arguments.get("train_ids", ()))
        for step in log.find("choose_train", leg=leg.leg)
        if step.is_error
    }
    found: dict[tuple[str, ...], Ride] = {}
    for ride in (*direct, *pairs, *named):
        found.setdefault(ride.train_ids, ride)
    out = {row_id for kind, row_id in log.brief.locks.out if kind == "train"}
    rides = [r for ids, r in found.items() if ids not in refused and not out.intersection(ids)]
    return _keep_wished(log, leg, rides)


def _keep_wished(log: CallLog, leg: BriefLeg, rides: list[Ride]) -> list[Ride]:
    """The rides that break the fewest musts, and the one that the traveller holds to."""
    slot = ("leg", str(leg.leg))
    held = log.brief.locks.trains.get(leg.leg)
    broken = {r.train_ids: log.brief.count_broken(slot, r.train_ids, is_must=True) for r in rides}
    least = min(broken.values(), default=0)
    return [r for r in rides if broken[r.train_ids] == least or r.train_ids == held]


def list_seats(log: CallLog, leg: BriefLeg) -> list[Choice]:
    """The rides of a leg as choices, for the party."""
    rides = list_rides(log, leg)
    mean = find_mean_price(rides)
    travellers = log.brief.travellers
    return [
        Choice(
            slot=("leg", str(leg.leg)),
            ids=ride.train_ids,
            price=(mean if ride.price is None else ride.price) * log.brief.rail_fares,
            discomfort=(
                rate_discomfort(log.brief, leg, ride)
                + LATE_HOME * is_late_home(log.brief, leg, ride, rides)
            )
            * (mean or 1.0)
            * travellers,
        )
        for ride in rides
    ]


@dataclass(frozen=True)
class Journey:
    """Rides for the first legs of the trip, and how bad they are together."""

    cost: float = 0.0
    rides: tuple[Ride, ...] = ()
    ready: float = -math.inf


def choose_rides(brief: Brief, options: Sequence[tuple[BriefLeg, Sequence[Ride]]]) -> list[Ride]:
    """One ride for each leg that has any, so that the whole journey is best."""
    ready = -math.inf if brief.arrival is None else brief.arrival + CHANGE_MIN
    journeys = [Journey(ready=ready)]
    for leg, rides in options:
        if rides:
            rated = [(ride, rate_ride(brief, leg, ride, rides)) for ride in rides]
            journeys = [
                min((_extend(brief, j, leg, ride, cost) for j in journeys), key=lambda j: j.cost)
                for ride, cost in rated
            ]
    return list(min(journeys, key=lambda j: j.cost + _rate_last_city(brief, j)).rides)


def rate_journey(brief: Brief, rides: Sequence[Ride]) -> float:
    """How much too little the rides leave of the cities between them, in mean tickets."""
    return add_up(
        _rate_city(brief, city.id, rides)
        for city in brief.cities
        if any(city.id in _name_ends(brief, ride) for ride in rides)
    )


def rate_ride(brief: Brief, leg: BriefLeg, ride: Ride, among: Sequence[Ride]) -> float:
    """How bad a ride is, in mean tickets of its leg: discomfort and price."""
    mean = find_mean_price(among)
    price = 1.0 if ride.price is None or mean <= 0 else ride.price / mean
    late = LATE_HOME * is_late_home(brief, leg, ride, among)
    return rate_discomfort(brief, leg, ride) + late + price


def is_late_home(brief: Brief, leg: BriefLeg, ride: Ride, among: Sequence[Ride]) -> bool:
    """Whether a ride home ends in the night though another one does not, for little more money."""
    if not brief.is_way_home(leg) or ride.arrive <= HOME_BY_MIN:
        return False
    if len(brief.must_see) > MUST_SEES_A_DAY * (brief.days - 1):
        return False  # they need the last day too
    most = (ride.price or 0.0) + MOST_FOR_HOME
    return any(r.arrive <= HOME_BY_MIN and (r.price is None or r.price <= most) for r in among)


def rate_discomfort(brief: Brief, leg: BriefLeg, ride: Ride) -> float:
    """Lost hours, odd hours and bookings that would be missed, in mean tickets of the leg."""
    start, end = _find_lost_span(brief, leg, ride)
    hours = _count_lost_minutes(brief, start, end) / 60 + _count_odd_hours(brief, leg, ride)
    hours += NEXT_DAY_HOURS * (brief.is_way_home(leg) and ride.arrive > DAWN_MIN)
    hours += WISHED_HOURS * brief.count_broken(("leg", str(leg.leg)), ride.train_ids, is_must=False)
    clashes = sum(_meets(booking.start, booking.end, leg, start, end) for booking in brief.fixed)
    return hours * HOUR_WORTH[brief.tier] + IMPOSSIBLE * clashes


def find_mean_price(rides: Sequence[Ride]) -> float:
    """The mean of the known prices, 0 where none is known."""
    prices = [ride.price for ride in rides if ride.price is not None]
    return sum(prices) / len(prices) if prices else 0.0


def is_possible(brief: Brief, rides: Sequence[Ride]) -> bool:
    """Whether the rides follow one another."""
    ready = -math.inf
    for ride in rides:
        midnight = (brief.legs[ride.leg].day - 1) * DAY_MIN
        if midnight + ride.depart < ready:
            return False
        ready = midnight + ride.arrive + CHANGE_MIN
    return True


def _extend(brief: Brief, journey: Journey, leg: BriefLeg, ride: Ride, rated: float) -> Journey:
    midnight = (leg.day - 1) * DAY_MIN
    cost = journey.cost + rated
    if not brief.is_way_in(leg):
        cost += _rate_city(brief, leg.from_city, (*journey.rides[-1:], ride))
    if midnight + ride.depart < journey.ready:
        cost += IMPOSSIBLE
    if brief.departure is not None and leg is brief.legs[-1]:
        leaves = (brief.days - 1) * DAY_MIN + brief.departure
        cost += IMPOSSIBLE * (midnight + ride.arrive + CHANGE_MIN > leaves)
    return Journey(cost, (*journey.rides, ride), midnight + ride.arrive + CHANGE_MIN)


def _rate_city(brief: Brief, city_id: str, rides: Sequence[Ride]) -> float:
    """What the rides into and out of a city leave too little of it, in mean tickets."""
    there = [ride for ride in rides if city_id in _name_ends(brief, ride)]
    return rate_shortage(brief, brief.city(city_id), there) * HOUR_WORTH[brief.tier]


def _rate_last_city(brief: Brief, journey: Journey) -> float:
    """The last city, where no ride leaves it."""
    last = brief.cities[-1].id
    if not journey.rides or brief.legs[journey.rides[-1].leg].to_city != last:
        return 0.0
    return _rate_city(brief, last, journey.rides[-1:])


def _name_ends(brief: Brief, ride: Ride) -> tuple[str, str]:
    leg = brief.legs[ride.leg]
    return leg.from_city, leg.to_city


def _find_lost_span(brief: Brief, leg: BriefLeg, ride: Ride) -> tuple[int, int]:
    """Minutes that the leg takes from the trip: before the first arrival there was none to take."""
    start = 0 if brief.is_way_in(leg) else ride.depart - TO_STATION_MIN
    end = DAY_MIN if brief.is_way_home(leg) else ride.arrive + FROM_STATION_MIN
    return start, end


def _count_lost_minutes(brief: Brief, start: int, end: int) -> int:
    """The part of a span that lies within the days of the traveller."""
    lost = 0
    for midnight in range(0, end, DAY_MIN):
        opens, closes = midnight + brief.day_start, midnight + brief.day_end
        lost += max(0, min(end, closes) - max(start, opens))
    return lost


def _count_odd_hours(brief: Brief, leg: BriefLeg, ride: Ride) -> float:
    """Early starts, late arrivals, nights without a bed and sitting, as hours lost."""
    arrive = ride.arrive % DAY_MIN
    leaves = ride.depart - TO_STATION_MIN
    early = EARLY_WORTH[brief.pace] * max(0, brief.day_start - USUAL_RISE_MIN - leaves) / 60
    early += NIGHT_WORTH * max(0, min(brief.day_start, NIGHT_ENDS_MIN) - leaves) / 60
    late = max(0, arrive - LATEST_MIN) / 60
    if not brief.is_way_home(leg) and ride.arrive < DAWN_MIN:
        in_bed = ride.arrive + FROM_STATION_MIN
        late += LATE_WORTH[brief.pace] * max(0, in_bed - brief.day_end - USUAL_RISE_MIN) / 60
    is_night = arrive in BEFORE_DAWN or ride.arrive >= DAY_MIN
    sitting = SITTING_SHARE * max(0, ride.arrive - ride.depart) / 60
    is_hard = brief.is_tender and (ride.arrive >= DAY_MIN or leaves < NIGHT_ENDS_MIN)
    return early + late + LOST_NIGHT_HOURS * is_night + sitting + TENDER_HOURS * is_hard


def _meets(opens: dt.datetime, closes: dt.datetime, leg: BriefLeg, start: int, end: int) -> bool:
    midnight = dt.datetime.combine(leg.date, dt.time())
    begins, ends = (midnight + dt.timedelta(minutes=minutes) for minutes in (start, end))
    return opens < ends and begins < closes


def _read_train(leg: BriefLeg, row: Row) -> Ride:
    arrive = parse_minutes(row["arrive"]) + DAY_MIN * int(row["day_offset"])
    return Ride(
        leg.leg, (row["id"],), parse_minutes(row["depart"]), arrive, read_price(row["price"])
    )


def _read_connections(leg: BriefLeg, hint: str) -> Iterator[Ride]:
    """Pairs of trains as the hint offers them; one without readable times counts as noon."""
    for ids, rest in _CONNECTION.findall(hint):
        times = [_read_moment(leg.date, *found) for found in _MOMENT.findall(rest)]
        depart, arrive = times[:2] if len(times) >= 2 else (NOON, NOON)
        price = _PRICE.search(_MOMENT.sub("", rest))
        yield Ride(
            leg=leg.leg,
            train_ids=tuple(part.strip() for part in ids.split(",")),
            depart=depart,
            arrive=arrive,
            price=float(price[1]) if price else None,
        )


def _read_moment(date: dt.date, month: str, day: str, time: str) -> int:
    """Minutes from midnight of `date` to a month, day and time soon after it."""
    year = date.year + (int(month) < date.month)
    days = (dt.date(year, int(month), int(day)) - date).days
    return days * DAY_MIN + parse_minutes(time)
