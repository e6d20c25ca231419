"""A part of a day as the scheduler sees it: only numbers, without any stop yet."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.planner.daylight import find_dusk
from backend.planner.meals import Meal
from backend.planner.stops import NOWHERE, Stop, make_fixed_stop
from backend.planner.travel_time import Ways
from backend.planner.trip import Part
from backend.pool.plan_request import Pace

REST_MIN: dict[Pace, int] = {"relaxed": 20, "standard": 10, "packed": 0}
"""Minutes of rest between two visits, in addition to the way; without them days would be exhausting."""


@dataclass(frozen=True)
class Frame:
    """`start` and `end` are node numbers of `ways`; `end` None: the part ends anywhere.

    `dusk`: from this minute on it is dark.
    """

    part: Part
    ways: Ways
    start: int
    end: int | None
    fixed: tuple[Stop, ...]
    meals: tuple[Meal, ...]
    rest: int
    dusk: int

    @property
    def latest_end(self) -> int:
        """When the traveller must be at the end: `leave_by` at a station, the end of the day at a hotel."""
        return self.part.closes if self.part.leave_by is None else self.part.leave_by

    def way_home(self, node: int) -> int:
        """Minutes from `node` to the end of the part."""
        return 0 if self.end is None else self.ways.minutes(node, self.end)

    def gap(self, node: int, stop: Stop, *, is_after_visit: bool) -> int:
        """Minutes from leaving `node` to entering `stop`, with the rest between two visits."""
        if stop.node == NOWHERE:
            return 0
        rest = self.rest if is_after_visit and stop.fixed < 0 else 0
        return self.ways.minutes(node, stop.node) + rest


def make_frame(part: Part, ways: Ways, meals: Sequence[Meal], pace: Pace) -> Frame:
    """A frame over shared `ways`, so that no distance is measured twice."""
    fixed = tuple(
        make_fixed_stop(slot, NOWHERE if slot.position is None else ways.add(slot.position))
        for slot in part.fixed
    )
    return Frame(
        part=part,
        ways=ways,
        start=ways.add(part.start.position),
        end=None if part.end is None else ways.add(part.end.position),
        fixed=fixed,
        meals=() if part.is_void else tuple(meals),
        rest=REST_MIN[pace],
        dusk=find_dusk(part.city, part.date),
    )
