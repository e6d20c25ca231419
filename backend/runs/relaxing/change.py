"""One way to ask for less: what it is called, how much it asks of the traveller, the request it makes.

What a relaxation says, in both languages.

What of a plan stands against the request, sorted by what could be asked of the traveller.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from backend.money import add_up
from backend.planner.check.context import Breach, CheckContext
from backend.planner.days.trip import DAY_MIN, FixedSlot, Part
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import LegItem
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Snapshot
from backend.runs.life.verdict import UNSEEN, Findings
from backend.runs.log.steps import RelaxationDocument
from backend.text import Locale

_JOIN: dict[Locale, str] = {"zh-CN": "", "en": " "}


@dataclass(frozen=True)
class Change:
    """`value` names the fields of the request as they become, or how much is asked for.

    `effort` compares changes of all kinds, see `suggestions.py`. With `is_elsewhen` other dates or
    cities are meant, so that another pool is needed. `grow` gives what to try next where a plan
    under this change was not enough.
    """

    kind: str
    value: Any
    message: str
    effort: float
    apply: Callable[[PlanRequest], PlanRequest]
    is_elsewhen: bool = False
    grow: "Callable[[Diagnosis], Iterator[Change]] | None" = None

    def show(self) -> RelaxationDocument:
        """The delivered shape."""
        return RelaxationDocument(kind=self.kind, value=self.value, message=self.message)


def apply_all(request: PlanRequest, changes: Sequence[Change]) -> PlanRequest:
    """The request with all changes, checked anew."""
    for change in changes:
        request = change.apply(request)
    return PlanRequest.model_validate(request.model_dump())


def sum_effort(changes: Sequence[Change]) -> float:
    """What several changes ask together."""
    return add_up(change.effort for change in changes)


def show_changes(changes: Sequence[Change], locale: Locale) -> RelaxationDocument:
    """One change as it is, several as a combination."""
    if len(changes) == 1:
        return changes[0].show()
    return RelaxationDocument(
        kind="combination",
        value=[change.show().model_dump(mode="json") for change in changes],
        message=_JOIN[locale].join(change.message for change in changes),
    )


MESSAGES: dict[str, dict[Locale, str]] = {
    "raise_budget": {
        "zh-CN": "把预算提高{amount} {currency}。",
        "en": "Raise the budget by {amount} {currency}.",
    },
    "leave_out": {
        "zh-CN": "放弃{names}。",
        "en": "Leave out {names}.",
    },
    "add_day": {
        "zh-CN": "在{city}多留 {count} 天（{dates}）。",
        "en": "Stay {count} more day(s) in {city}: {dates}.",
    },
    "extend_day": {
        "zh-CN": "把每天的时间放宽到 {first}-{last}。",
        "en": "Let the days last from {first} to {last}.",
    },
    "move_booking": {
        "zh-CN": "把“{title}”改到 {start}-{end}（{minutes} 分钟）。",
        "en": "Move “{title}” by {minutes} minutes, to {start}-{end}.",
    },
    "omit_booking": {
        "zh-CN": "取消“{title}”（{start}-{end}）。",
        "en": "Do without “{title}” ({start}-{end}).",
    },
    "move_arrival": {
        "zh-CN": "提前到 {time} 到达。",
        "en": "Arrive at {time}.",
    },
    "move_departure": {
        "zh-CN": "推迟到 {time} 离开。",
        "en": "Depart at {time}.",
    },
    "change_wish": {
        "zh-CN": "把要求“{before}”改为“{after}”。",
        "en": "Change the wish “{before}” to “{after}”.",
    },
    "drop_wish": {
        "zh-CN": "放弃要求“{before}”。",
        "en": "Give up the wish “{before}”.",
    },
    "drop_city": {
        "zh-CN": "不去{city}。",
        "en": "Leave out {city}.",
    },
}


BUDGET = "OVER_BUDGET"
MUST_SEES = frozenset({"MUST_SEE_MISSING", "MUST_SEE_NO_FIT", "RESERVATION_PASSED"})
LEGS = frozenset({"LEG_MISSED", "LEG_ORDER", "LEG_TOO_SHORT"})
TIMES = LEGS | {"OVERLAP", "TRAVEL_TIME", "DAY_HOURS"}
NO_TIMES = frozenset({BUDGET, UNSEEN, "EMPTY_DAY"})
KNOWN = MUST_SEES | TIMES | {BUDGET, UNSEEN, "EMPTY_DAY"}


@dataclass(frozen=True)
class Diagnosis:
    """A plan at which planning has ended, and its clashes."""

    snapshot: Snapshot
    draft: Draft
    findings: Findings

    @property
    def clashes(self) -> tuple[Breach, ...]:
        """All of them."""
        return self.findings.clashes

    @property
    def is_known(self) -> bool:
        """Whether some change of the request could answer each clash."""
        return all(
            clash.violation.code in KNOWN or clash.violation.where.wish is not None
            for clash in self.clashes
        )

    @cached_property
    def missed_wishes(self) -> dict[int, list[Breach]]:
        """Wishes that cannot be kept, by number, with what stands against each."""
        missed: dict[int, list[Breach]] = {}
        for clash in self.clashes:
            if clash.violation.where.wish is not None:
                missed.setdefault(clash.violation.where.wish, []).append(clash)
        return missed

    @property
    def is_only_budget(self) -> bool:
        """Whether more money would do."""
        return bool(self.clashes) and all(c.violation.code == BUDGET for c in self.clashes)

    @property
    def is_unseen(self) -> bool:
        """Whether nothing can be seen."""
        return any(clash.violation.code == UNSEEN for clash in self.clashes)

    @property
    def is_full(self) -> bool:
        """Whether the plan was not cut down for the sake of what clashes."""
        codes = {clash.violation.code for clash in self.clashes}
        return not codes & {BUDGET, "MUST_SEE_MISSING"}

    @property
    def timing(self) -> list[Breach]:
        """Clashes of times on a day."""
        return [c for c in self.clashes if c.violation.code in TIMES]

    @property
    def short_cities(self) -> list[str]:
        """Cities of the must-sees without room."""
        rows = self.snapshot.rows.pois
        return list(dict.fromkeys(rows[poi_id].city for poi_id in self.missing))

    @cached_property
    def cramped(self) -> list[str]:
        """Destinations where a day is lacking, most likely: where trains cannot be caught, else all of the day."""
        cities = [*self.short_cities, *(c for clash in self.timing for c in self._locate(clash))]
        visited = self.snapshot.city_order
        if not self.draft.poi_ids and all(c.violation.code in NO_TIMES for c in self.clashes):
            return list(visited)  # a trip that can be done, on which nothing is seen
        return [city for city in dict.fromkeys(cities) if city in visited]

    @cached_property
    def missing(self) -> list[str]:
        """Must-sees without room; what is closed on all days is not among them."""
        if not any(clash.violation.code in MUST_SEES for clash in self.clashes):
            return []
        reasons = self._context.missing_must_sees
        return [poi_id for poi_id, reason in reasons.items() if reason != "closed"]

    @property
    def has_early_booking(self) -> bool:
        """Whether something on the first day begins too early."""
        return any(c.violation.where.day == 1 for c in self.timing) and bool(self.list_bookings(1))

    def parts_on(self, day: int) -> tuple[Part, ...]:
        """The parts of a day."""
        return self._context.trip.parts[day]

    def list_bookings(self, day: int) -> list[FixedSlot]:
        """The traveller's bookings of a day, and those of the evening before that run into it."""
        evening = self.parts_on(day - 1) if day > 1 else ()
        late = [slot for part in evening for slot in part.fixed if slot.end > DAY_MIN]
        return [*late, *(slot for part in self.parts_on(day) for slot in part.fixed)]

    @cached_property
    def _context(self) -> CheckContext:
        return CheckContext(self.snapshot, self.draft, self.findings.itinerary)

    def _locate(self, clash: Breach) -> Iterator[str]:
        """Where a train is missed; a way into the trip is taken for the city that it leads to."""
        where = clash.violation.where
        if where.day is None:
            return
        items = self.findings.itinerary.days[where.day - 1].items
        item = items[where.item] if where.item is not None else None
        if isinstance(item, LegItem):
            yield item.from_city if item.from_city in self.snapshot.city_order else item.to_city
        elif clash.violation.code not in LEGS:
            yield from (part.city.id for part in self.parts_on(where.day))
