"""The scheduler: gives times to stops in a given order, and puts meals between them.

It never fails: a stop that does not fit gets the time at which it would take place, and the
validator says what that breaks. Bookings keep their times. A meal never delays a stop so much that
the stop no longer fits.

The order of a part's stops and how late each may begin: visits as given, bookings merged in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.planner.days.frame import NOWHERE, Frame, Stop
from backend.planner.days.meals import (
    BETWEEN_MEALS_MIN,
    MEAL_MIN,
    SHORT_MEAL_MIN,
    Meal,
    find_served,
    is_self_catered,
)


@dataclass(frozen=True)
class Route:
    """Stops in the order in which they are reached, without meals yet.

    `gaps[k]` are the minutes needed before stop k, `starts` the earliest starts, `latest` the
    latest ones that break nothing more than is broken anyway; the last entry of `gaps` and
    `latest` is the end of the part.
    """

    stops: tuple[Stop, ...]
    nodes: tuple[int, ...]
    gaps: tuple[int, ...]
    starts: tuple[int, ...]
    latest: tuple[int, ...]

    def find_claims(self, meals: Sequence[Meal]) -> dict[str, int]:
        """Which stop will be which meal, as far as one can tell before meals are placed."""
        claims: dict[str, int] = {}
        for number, stop in enumerate(self.stops):
            if stop.is_food and (meal := find_served(self.starts[number], meals)):
                claims.setdefault(meal.name, number)
        return claims


def find_route(frame: Frame, visits: Sequence[Stop]) -> Route:
    """Merge the bookings into the visits: a visit that would make a booking late comes after it."""
    stops = _merge(frame, visits)
    gaps, nodes = _measure_gaps(frame, stops)
    starts = []
    ready = frame.part.ready
    for stop, gap in zip(stops, gaps, strict=False):
        starts.append(stop.start_from(ready + gap))
        ready = max(ready, starts[-1] + stop.duration)
    latest = _find_latest(frame, stops, gaps, starts)
    return Route(tuple(stops), tuple(nodes), tuple(gaps), tuple(starts), tuple(latest))


def _merge(frame: Frame, visits: Sequence[Stop]) -> list[Stop]:
    if not frame.fixed:
        return list(visits)
    waiting = list(frame.fixed)
    stops: list[Stop] = []
    node, ready, is_visit = frame.start, frame.part.ready, False
    for visit in visits:
        while True:
            start = visit.start_from(ready + frame.gap(node, visit, is_after_visit=is_visit))
            leave = start + visit.duration
            if _reaches(frame, visit.node, leave, waiting):
                break
            booking = waiting.pop(0)
            stops.append(booking)
            node = node if booking.node == NOWHERE else booking.node
            ready, is_visit = max(ready, booking.at + booking.duration), False
        stops.append(visit)
        node, ready, is_visit = visit.node, leave, True
    return stops + waiting


def _reaches(frame: Frame, node: int, leave: int, waiting: Sequence[Stop]) -> bool:
    """Whether the next booking is reached, and through those without a position the one behind."""
    for number, booking in enumerate(waiting):
        is_next = number == 0 or booking.node != NOWHERE
        if is_next and leave + frame.gap(node, booking, is_after_visit=False) > booking.at:
            return False
        if booking.node != NOWHERE:
            return True
        leave = max(leave, booking.at + booking.duration)
    return True


def _measure_gaps(frame: Frame, stops: Sequence[Stop]) -> tuple[list[int], list[int]]:
    """Minutes before each stop and before the end; the node of each stop, known or not."""
    gaps: list[int] = []
    nodes: list[int] = []
    node, is_visit = frame.start, False
    for stop in stops:
        gaps.append(frame.gap(node, stop, is_after_visit=is_visit))
        node = node if stop.node == NOWHERE else stop.node
        nodes.append(node)
        is_visit = stop.fixed < 0
    gaps.append(frame.way_home(node))
    return gaps, nodes


def _find_latest(
    frame: Frame, stops: Sequence[Stop], gaps: Sequence[int], starts: Sequence[int]
) -> list[int]:
    latest = [frame.latest_end]
    for number in range(len(stops) - 1, -1, -1):
        stop = stops[number]
        bound = latest[-1] - gaps[number + 1] - stop.duration
        found = stop.latest_by(bound)
        latest.append(starts[number] if found is None else max(found, starts[number]))
    latest.reverse()
    return latest


@dataclass(frozen=True, slots=True)
class Slot:
    """A stop or a free meal with its times; a stop with `meal` is eaten at."""

    start: int
    end: int
    stop: Stop | None
    meal: Meal | None


@dataclass(frozen=True)
class PartPlan:
    """`slots` in order; the way to the end of the part comes before slot `home_at`.

    `faults` counts what visits break: their own starts, and bookings or an end reached too late
    from them. Bookings that are too close to each other or to the end are no fault of a visit.
    """

    slots: tuple[Slot, ...]
    home_at: int
    route: Route
    missed: tuple[Meal, ...]
    faults: int


def schedule(frame: Frame, visits: Sequence[Stop]) -> PartPlan:
    """Times for `visits` in this order, with the part's bookings and meals between them."""
    route = find_route(frame, visits)
    run = _Run(frame, route)
    for number in range(len(route.stops)):
        run.eat_before(number)
        run.enter(number)
    run.go_home()
    return PartPlan(tuple(run.slots), run.home_at, route, tuple(run.missed), run.faults)


class _Run:
    """The way through one part: where the clock stands and which meals are still to come."""

    def __init__(self, frame: Frame, route: Route) -> None:
        self.frame = frame
        self.route = route
        self.clock = frame.part.ready
        self.waiting = list(frame.meals)
        self.claims = route.find_claims(frame.meals)
        self.slots: list[Slot] = []
        self.missed: list[Meal] = []
        self.home_at = -1
        self.faults = 0
        self.left_visit_at: int | None = None

    def enter(self, number: int) -> None:
        """Begin stop `number` as early as can be."""
        stop = self.route.stops[number]
        ready = self.clock + self.route.gaps[number]
        start = self._wait_for_hunger(stop, stop.start_from(ready))
        is_wrong = start < ready or not stop.is_allowed(start)
        self.faults += is_wrong and (stop.fixed < 0 or self.left_visit_at is not None)
        if stop.node != NOWHERE:
            self.left_visit_at = start + stop.duration if stop.fixed < 0 else None
        served = find_served(start, self.waiting) if stop.is_food else None
        if served is not None:
            self.missed += [meal for meal in self.waiting if meal.closes < served.opens]
            self.waiting = [meal for meal in self.waiting if meal.opens > served.opens]
        self.slots.append(Slot(start, start + stop.duration, stop, served))
        if served is not None:
            self._grow_hungry(start + stop.duration)
        self.clock = max(self.clock, start + stop.duration)

    def eat_before(self, number: int) -> None:
        """Eat what is due before stop `number`: in a gap, or by putting the stop off."""
        while self.waiting:
            meal = self.waiting[0]
            if self.clock > meal.closes - SHORT_MEAL_MIN:
                self.missed.append(self.waiting.pop(0))
                continue
            if self.claims.get(meal.name, -1) >= number:
                return
            start = self.route.stops[number].start_from(self.clock + self.route.gaps[number])
            eaten = self._find_gap(number, meal, start) or self._find_delay(number, meal, start)
            if eaten is None:
                return
            self._eat(eaten)

    def go_home(self) -> None:
        """The rest of the meals, and the way to the end of the part."""
        while self.waiting:
            meal = self.waiting[0]
            if self.home_at < 0 and self._is_home_first(meal):
                self._arrive_home()
            eaten = self._find_last_seat(meal)
            if eaten is None:
                self.missed.append(self.waiting.pop(0))
            else:
                self._eat(eaten)
        if self.home_at < 0:
            self._arrive_home()

    def _eat(self, slot: Slot) -> None:
        self.slots.append(slot)
        self.clock = slot.end
        self.waiting.pop(0)
        self._grow_hungry(slot.end)

    def _wait_for_hunger(self, stop: Stop, start: int) -> int:
        """The start at a restaurant that would be a meal, but for the one before."""
        if not stop.is_meal or find_served(start, self.waiting):
            return start
        meal = find_served(start, self.frame.meals)
        later = (m.opens for m in self.waiting if meal is not None and m.name == meal.name)
        return max([start, *later])

    def _grow_hungry(self, ate_at: int) -> None:
        """No meal straight after another: the next one waits, up to its usual time."""
        self.waiting = [meal.put_off(ate_at + BETWEEN_MEALS_MIN) for meal in self.waiting]

    def _arrive_home(self) -> None:
        self.home_at = len(self.slots)
        self.clock += self.route.gaps[-1]
        if self.left_visit_at is not None:
            self.faults += self.clock > self._find_latest_end(self.left_visit_at)

    def _find_latest_end(self, left_visit_at: int) -> int:
        """When the end has to be reached: as early as bookings allow at all.

        A bed waits for those whom a booking keeps; a train is missed then, but by no more.
        """
        latest = self.frame.latest_end
        over = max((stop.at + stop.duration for stop in self.frame.fixed), default=0)
        if self.frame.part.leave_by is None:
            is_kept = over > latest >= left_visit_at + self.route.gaps[-1]
            return self.clock if is_kept else latest
        placed = [stop.node for stop in self.frame.fixed if stop.node != NOWHERE]
        node = placed[-1] if placed else self.frame.start
        return max(latest, over + self.frame.way_home(node)) if self.frame.fixed else latest

    def _find_gap(self, number: int, meal: Meal, start: int) -> Slot | None:
        """A whole meal while one waits for the next stop anyway, near the usual time."""
        until = min(meal.closes, start - self.route.gaps[number])
        return _seat(meal, self.clock, until, MEAL_MIN)

    def _find_delay(self, number: int, meal: Meal, start: int) -> Slot | None:
        """A meal that puts stop `number` off, where eating after it would be worse or too late."""
        leave = start + self.route.stops[number].duration
        if is_self_catered([(start, leave)], meal):  # nobody waits for lunch in front of a mountain
            return None
        before = max(self.clock, meal.opens)
        length = min(MEAL_MIN, meal.closes - before)
        if not self._may_delay(number, before + length):
            length = min(SHORT_MEAL_MIN, length)
        if length < SHORT_MEAL_MIN or not self._may_delay(number, before + length):
            return None
        after = self._rate_after(number, meal, leave)
        rated = abs(before - meal.usual) + before - self.clock + MEAL_MIN - length
        if after is not None and after <= rated:
            return None
        return Slot(before, before + length, None, meal)

    def _may_delay(self, number: int, clock: int) -> bool:
        stop = self.route.stops[number]
        start = stop.start_from(clock + self.route.gaps[number])
        return start <= self.route.latest[number] and start >= clock + self.route.gaps[number]

    def _rate_after(self, number: int, meal: Meal, leave: int) -> int | None:
        """How bad the meal would be after stop `number`; None: there would be none."""
        start = max(leave, meal.opens)
        end = min(meal.closes, self.route.latest[number + 1] - self.route.gaps[number + 1])
        length = min(MEAL_MIN, end - start)
        if length < SHORT_MEAL_MIN:
            return None
        return abs(start - meal.usual) + MEAL_MIN - length

    def _is_home_first(self, meal: Meal) -> bool:
        """Long before the meal, or with no time to come home after it, one eats at home."""
        if self.frame.end is None or self.frame.part.leave_by is not None:
            return False
        home = self.clock + self.route.gaps[-1]
        start = max(self.clock, meal.opens)
        return home <= meal.opens or start + MEAL_MIN + self.route.gaps[-1] > self.frame.part.closes

    def _find_last_seat(self, meal: Meal) -> Slot | None:
        closes = min(meal.closes, self.frame.part.closes)
        if self.home_at < 0:
            closes = min(closes, self.frame.latest_end - self.route.gaps[-1])
        return _seat(meal, self.clock, closes, SHORT_MEAL_MIN)


def _seat(meal: Meal, ready: int, until: int, shortest: int) -> Slot | None:
    """The meal nearest to its usual time between `ready` and `until`, whole where it can be."""
    first = max(ready, meal.opens)
    length = min(MEAL_MIN, until - first)
    if length < shortest:
        return None
    start = max(first, min(meal.usual, until - length))
    return Slot(start, start + length, None, meal)
