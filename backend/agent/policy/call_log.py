"""What was called and answered so far, read out of the messages; nothing else is remembered.

The draft as the answers to writes have shown it; the brief's draft where none has yet.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from backend.agent.llm import Message
from backend.agent.policy.brief import Brief, Ride, parse_brief
from backend.agent.prompt import read_brief
from backend.tools.call import ToolSchema

Row = Mapping[str, Any]

KEPT_CALLS = 20
"""For choosing, writing and mending; what is opened must leave as many."""

DETAIL_KEYS = {"get_poi": "poi_id", "get_hotel": "hotel_id", "get_train": "train_id"}


@dataclass(frozen=True)
class Step:
    """One call with what it was answered."""

    tool: str
    arguments: Mapping[str, Any]
    content: Mapping[str, Any]

    @property
    def is_error(self) -> bool:
        """Whether the call was refused."""
        return "error" in self.content

    def has(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether this was a call of that tool with those arguments among its own."""
        return self.tool == tool and all(
            self.arguments.get(key) == value for key, value in arguments.items()
        )


@dataclass(frozen=True)
class CallLog:
    """A conversation as the policy reads it."""

    brief: Brief
    steps: tuple[Step, ...]
    offered: frozenset[str]

    def may(self, tool: str) -> bool:
        """Whether the tool is switched on."""
        return tool in self.offered

    def find(self, tool: str, **arguments: Any) -> Iterator[Step]:
        """Calls of a tool with those arguments, refused ones too."""
        return (step for step in self._by_tool.get(tool, ()) if step.has(tool, arguments))

    @cached_property
    def _by_tool(self) -> dict[str, list[Step]]:
        found: dict[str, list[Step]] = {}
        for step in self.steps:
            found.setdefault(step.tool, []).append(step)
        return found

    @cached_property
    def rides(self) -> dict[int, list[Ride]]:
        """Rides by leg, as far as they were read: `list_rides` keeps them here."""
        return {}

    def has_called(self, tool: str, **arguments: Any) -> bool:
        """Whether there was such a call, refused or not."""
        return next(self.find(tool, **arguments), None) is not None

    def list_allowed(self, tool: str, **arguments: Any) -> list[str]:
        """Values that refusals of such calls have named as right, in order."""
        steps = (step for step in self.find(tool, **arguments) if step.is_error)
        return [str(v) for step in steps for v in step.content["error"].get("allowed", ())]

    def may_open(self, tool: str) -> bool:
        """Whether a detail tool is on, and calls are left for more than choosing and writing."""
        return self.may(tool) and self.calls_left > KEPT_CALLS

    @property
    def calls_left(self) -> int:
        """Calls before the stop limit ends the run."""
        return self.brief.max_calls - len(self.steps)

    def list_rows(self, tool: str, **arguments: Any) -> list[Row]:
        """Rows that a list tool has shown for a city or leg, each once, in the order shown.

        What the traveller has taken out is none of them.
        """
        rows: dict[str, Row] = {}
        for step in self.find(tool, **arguments):
            for row in step.content.get("rows", ()):
                rows.setdefault(row["id"], row)
        return [row for row_id, row in rows.items() if row_id not in self._barred]

    @cached_property
    def _barred(self) -> frozenset[str]:
        return frozenset(row_id for _, row_id in self.brief.locks.out)

    @cached_property
    def details(self) -> dict[str, Row]:
        """Answers of the detail tools by tool and id."""
        found: dict[str, Row] = {}
        for step in self.steps:
            key = DETAIL_KEYS.get(step.tool)
            if key is not None and "id" in step.content:
                found[f"{step.tool} {step.arguments.get(key)}"] = step.content
        return found

    def detail(self, tool: str, row_id: str) -> Row:
        """What a detail tool told of an id; nothing where it was not asked."""
        return self.details.get(f"{tool} {row_id}", {})


def read_log(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> CallLog:
    """The calls of a conversation with their answers, in order."""
    answers = {m.call_id: m.value for m in messages if m.role == "tool"}
    steps = (
        Step(call.name, call.value, answers[call.id])
        for message in messages
        for call in message.calls
        if call.id in answers
    )
    return CallLog(
        brief=parse_brief(read_brief(messages)),
        steps=tuple(steps),
        offered=frozenset(tool.name for tool in tools),
    )


def read_price(price: str | None) -> float | None:
    """A price of a row as a number; unknown ones stay unknown."""
    return None if price is None else float(price)


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
