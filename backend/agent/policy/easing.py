"""Takes the waiting out of a sound plan: a later train there, an earlier one home, for the same visits.

An earlier one too where it is only for bed that one comes to the next city.

Only a direct train between the same stations that costs no more, and that leaves the ways as they
are: all times that matter are in the plan.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backend.agent.policy.brief import DAY_MIN, BriefLeg, Ride
from backend.agent.policy.call_log import Row, Step
from backend.agent.policy.rides import list_rides
from backend.agent.policy.situation import Situation
from backend.agent.replies import make_call
from backend.clock import parse_minutes
from backend.planner.days.legs import BOARDING_MIN
from backend.planner.days.meals import MEALS, SHORT_MEAL_MIN, Meal
from backend.tools.call import ToolCall

MEAL_BY_NAME: dict[str, Meal] = {meal.name: meal for meal in MEALS}
ANCHORS = frozenset({"visit", "meal", "fixed", "leg"})
SPARE_MIN = 10
LEAST_GAIN_MIN = 30
"""Less waiting than this is none."""

CLOCK_LENGTH = len("HH:MM")
LAST_CALLS = 4


def ease_trains(situation: Situation) -> list[ToolCall]:
    """One better train; asked again until there is none."""
    log = situation.log
    may = log.may("choose_train") and log.calls_left > LAST_CALLS
    if situation.draft.errors or not situation.draft.is_known or not may:
        return []
    for leg in situation.brief.legs:
        ride = next((r for r in situation.rides if r.leg == leg.leg), None)
        better = None if ride is None else _find_better(situation, leg, ride)
        if better is not None:
            return [make_call("choose_train", leg=leg.leg, train_ids=list(better.train_ids))]
    return []


def was_eased(steps: Sequence[Step], number: int) -> bool:
    """Whether a call changed a train of a sound plan that stayed sound: nothing is to be redone."""
    step = steps[number]
    before = [s.content["plan"]["errors"] for s in steps[:number] if "plan" in s.content]
    return (
        step.tool == "choose_train"
        and before[-1:] == [0]
        and step.content.get("plan", {}).get("errors") == 0
    )


def _find_better(situation: Situation, leg: BriefLeg, ride: Ride) -> Ride | None:
    """The train with the least waiting, if it was not chosen before."""
    brief = situation.brief
    others = list(_list_like(situation, leg, ride))
    if brief.is_way_in(leg):
        latest = _find_first_need(situation, leg, ride)
        later = [r for r in others if ride.depart + LEAST_GAIN_MIN <= r.depart]
        fitting = [r for r in later if latest is not None and r.arrive <= latest]
        return max(fitting, key=lambda r: r.depart, default=None)
    if brief.is_way_home(leg):
        earliest = _find_last_need(situation, leg, ride)
        sooner = [r for r in others if r.arrive <= ride.arrive - LEAST_GAIN_MIN]
        fitting = [r for r in sooner if earliest is not None and r.depart >= earliest]
        return min(fitting, key=lambda r: r.arrive, default=None)
    return _find_sooner_to_bed(situation, leg, ride, others)


def _find_sooner_to_bed(
    situation: Situation, leg: BriefLeg, ride: Ride, others: Sequence[Ride]
) -> Ride | None:
    """Where nothing is done on arrival any more; a free meal may be moved, behind the ride too."""
    items = situation.draft.items.get(leg.day, ())
    at = next((n for n, item in enumerate(items) if item.get("train_id") in ride.train_ids), None)
    if at is None or any(item["kind"] in ANCHORS for item in items[at + 1 :]):
        return None
    evening = _read_evening(items[:at])
    sooner = [r for r in others if r.arrive <= ride.arrive - LEAST_GAIN_MIN]
    fitting = [r for r in sooner if evening is not None and evening.leaves_time(r)]
    return min(fitting, key=lambda r: r.arrive, default=None)


@dataclass(frozen=True)
class _Evening:
    """From the end of the last thing with a time: free meals, and minutes to be on the train."""

    ends: int
    away: int
    meals: tuple[Meal, ...]

    def leaves_time(self, ride: Ride) -> bool:
        """Whether one catches it, and can eat before setting out or after the ride."""
        leaves = ride.depart - self.away
        return self.ends <= leaves and all(self._is_eaten(m, leaves, ride) for m in self.meals)

    def _is_eaten(self, meal: Meal, leaves: int, ride: Ride) -> bool:
        before = min(leaves, meal.closes) - max(self.ends, meal.opens)
        after = meal.closes - max(ride.arrive + SPARE_MIN, meal.opens)
        return max(before, after) >= SHORT_MEAL_MIN


def _read_evening(items: Sequence[Row]) -> _Evening | None:
    firm = next((n for n in reversed(range(len(items))) if _is_firm(items[n])), None)
    ends = None if firm is None else _read_span(items[firm])[1]
    if firm is None or ends is None:
        return None
    rest = items[firm + 1 :]
    spans = [_read_span(item) for item in rest if item["kind"] == "transfer"]
    way = sum(end - start for start, end in spans if start is not None and end is not None)
    meals = tuple(MEAL_BY_NAME[item["meal"]] for item in rest if item["kind"] == "meal")
    return _Evening(ends, way + BOARDING_MIN + SPARE_MIN, meals)


def _is_firm(item: Row) -> bool:
    is_free_meal = item["kind"] == "meal" and not item.get("poi_id")
    return item["kind"] in ANCHORS and not is_free_meal


def _list_like(situation: Situation, leg: BriefLeg, ride: Ride) -> Iterator[Ride]:
    """Trains of the leg between the same stations that cost no more, none of them tried."""
    log = situation.log
    rows = {row["id"]: row for row in log.list_rows("list_trains", leg=leg.leg)}
    now = rows.get(ride.train_ids[0])
    if now is None or len(ride.train_ids) > 1 or ride.price is None:
        return
    ends = now["from_station"], now["to_station"]
    for other in list_rides(log, leg):
        row = rows.get(other.train_ids[0], {})
        is_like = len(other.train_ids) == 1 and (row.get("from_station"), row.get("to_station"))
        is_tried = log.has_called("choose_train", leg=leg.leg, train_ids=list(other.train_ids))
        is_dear = other.price is None or other.price > ride.price
        if is_like == ends and not is_tried and not is_dear:
            yield other


def _find_first_need(situation: Situation, leg: BriefLeg, ride: Ride) -> int | None:
    """The latest arrival that leaves what comes after it as it is."""
    items = list(situation.draft.items.get(leg.day, ()))
    at = next((n for n, item in enumerate(items) if item.get("train_id") in ride.train_ids), None)
    return None if at is None else _read_need(items[at + 1 :])


def _read_need(items: Sequence[Row]) -> int | None:
    """Ways come before what has a time; a free meal too, as long as it is a time to eat."""
    way, bound = 0, DAY_MIN
    for item in items:
        start, end = _read_span(item)
        if start is None or end is None:
            return None
        if item["kind"] == "meal" and not item.get("poi_id"):
            bound = min(bound, MEAL_BY_NAME[item["meal"]].closes - (end - start) - way)
        elif item["kind"] in ANCHORS:
            return min(bound, start - way) - SPARE_MIN
        way += end - start
    return None


def _find_last_need(situation: Situation, leg: BriefLeg, ride: Ride) -> int | None:
    """The earliest departure that leaves what comes before it as it is."""
    items = list(situation.draft.items.get(leg.day, ()))
    at = next((n for n, item in enumerate(items) if item.get("train_id") in ride.train_ids), None)
    way = 0
    for item in reversed(items[: at or 0]):
        start, end = _read_span(item)
        if start is None or end is None:
            return None
        if item["kind"] in ANCHORS:
            return end + way + BOARDING_MIN + SPARE_MIN
        way += end - start
    return None


def _read_span(item: Row) -> tuple[int | None, int | None]:
    """Start and end of an item on its own day; None where one of them lies on another."""
    keys = ("arrive", "leave") if item["kind"] == "visit" else ("depart", "arrive")
    if item["kind"] in {"meal", "fixed", "luggage"}:
        keys = "start", "end"
    start, end = (str(item.get(key, "")) for key in keys)
    return _read_clock(start), _read_clock(end)


def _read_clock(text: str) -> int | None:
    return parse_minutes(text) if len(text) == CLOCK_LENGTH else None
