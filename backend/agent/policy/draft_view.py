"""The draft as the answers to writes have shown it; the brief's draft where none has yet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.agent.policy.call_log import CallLog, Row, Step

VISIT_KINDS = frozenset({"visit", "meal"})


@dataclass(frozen=True)
class Broken:
    """A violation of severity error; without `day` no single day is to blame."""

    code: str
    day: int | None
    item: int | None


@dataclass
class DraftView:
    """Choices and, of the days that were shown, the items and what they break.

    `removed` are places that were taken out on purpose.
    """

    visits: dict[int, tuple[str, ...]] = field(default_factory=dict)
    hotels: dict[str, str] = field(default_factory=dict)
    trains: dict[int, tuple[str, ...]] = field(default_factory=dict)
    items: dict[int, Sequence[Row]] = field(default_factory=dict)
    broken: dict[int | None, tuple[Broken, ...]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    errors: int = 0
    total: float | None = None

    @property
    def poi_ids(self) -> tuple[str, ...]:
        """All places in the plan, by day."""
        return tuple(poi_id for day in sorted(self.visits) for poi_id in self.visits[day])

    @property
    def faults(self) -> tuple[Broken, ...]:
        """Known errors, by day, then those of no day."""
        days = sorted(day for day in self.broken if day is not None)
        return tuple(fault for day in (*days, None) for fault in self.broken.get(day, ()))

    @property
    def is_known(self) -> bool:
        """Whether all errors that the plan has are among the known ones."""
        return len(self.faults) == self.errors

    def has(self, code: str) -> bool:
        """Whether an error with this code is known."""
        return any(fault.code == code for fault in self.faults)

    def apply(self, step: Step) -> None:
        """Take in what a call has shown or changed."""
        if step.is_error:
            return
        if step.tool == "choose_hotel":
            self.hotels[str(step.arguments["city"])] = step.arguments["hotel_id"]
        elif step.tool == "choose_train":
            self.trains[step.arguments["leg"]] = tuple(step.arguments["train_ids"])
        before = self.poi_ids
        if "plan" in step.content:
            self._read_plan(step.content)
        if step.tool == "remove_item":
            self.removed.update(set(before).difference(self.poi_ids))

    def _read_plan(self, content: Mapping[str, Any]) -> None:
        """A day, with what no day is to blame for mixed in; or days, with that apart."""
        if "items" in content:
            self._read_day(content, content["day"])
        for day in content.get("days", ()):
            self._read_day(day, day["day"])
        if "days" in content:
            self.broken[None] = tuple(_list_broken(content, None))
        self.errors = content["plan"]["errors"]
        self.total = float(content["plan"]["total_cost"])

    def _read_day(self, shown: Mapping[str, Any], day: int) -> None:
        self.items[day] = shown["items"]
        self.visits[day] = tuple(
            item["poi_id"]
            for item in shown["items"]
            if item["kind"] in VISIT_KINDS and item.get("poi_id")
        )
        broken = tuple(_list_broken(shown, day))
        self.broken[day] = tuple(fault for fault in broken if fault.code not in OVERALL)
        if "plan" in shown:
            self.broken[None] = tuple(fault for fault in broken if fault.code in OVERALL)


OVERALL = frozenset({"OVER_BUDGET", "MUST_SEE_MISSING"})
"""Errors that no single day is to blame for."""


def read_draft(log: CallLog) -> DraftView:
    """The draft after all calls so far."""
    given = log.brief.draft
    view = DraftView(
        visits={
            int(day): tuple(visit["poi_id"] for visit in visits)
            for day, visits in given.get("visits", {}).items()
        },
        hotels=dict(given.get("hotels", {})),
        trains={int(leg): tuple(ids) for leg, ids in given.get("trains", {}).items()},
    )
    for step in log.steps:
        view.apply(step)
    return view


def _list_broken(shown: Mapping[str, Any], day: int | None) -> Iterator[Broken]:
    for violation in shown.get("violations", ()):
        if violation["severity"] == "error":
            yield Broken(violation["code"], day, violation.get("item"))
