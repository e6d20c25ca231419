"""What a run's log holds: a step, and for each kind of step the model of its payload.

The models are what is written and what is read, so every reader gets checked types. In the database
and in an export a payload is a JSON object without its kind, which stands beside it. A field that
came later than the first logs has a default, and is left out of the JSON where it has none to tell,
so old logs read and new ones look as they always did.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_serializer

from backend import __version__
from backend.agent.llm import ModelReply, Size, ToolProgress
from backend.agent.text_reader import ModelReading
from backend.planner.plan.draft import Draft, Locks
from backend.planner.plan.itinerary import Itinerary, Violation
from backend.pool.findings import FunnelStep
from backend.pool.plan_request import PlannerChoice, PlanRequest
from backend.pool.snapshot import Kind, PoolWarning, SnapshotRows
from backend.runs.log.lifecycle import RunStatus
from backend.tools.call import ToldSource, ToolCall, ToolOutcome
from backend.tools.context import ToolLimit

PlannerName = Literal["builtin", "openai"]
Mark = Literal["recorded", "computed"]


def _is_none(value: object) -> bool:
    return value is None


class Part(BaseModel):
    """A frozen value of the log."""

    model_config = ConfigDict(frozen=True)


class Payload(Part):
    """What a step of one kind holds."""

    def as_json(self) -> dict[str, JsonValue]:
        """The JSON object that stands in the log."""
        return self.model_dump(mode="json", exclude={"kind"})


class RunError(Part):
    """Why a run failed."""

    code: str
    message: str


class RunQueued(Payload):
    """The request was sound and waits for a worker."""

    kind: Literal["run_queued"] = "run_queued"
    planner: PlannerChoice


class InputNeeded(Payload):
    """The request has open questions: the fields that are asked for."""

    kind: Literal["input_needed"] = "input_needed"
    fields: tuple[str, ...]


class RevisionBegun(Payload):
    """The plan that a revision begins with, after its edits; `gone` are places without room."""

    kind: Literal["revision_begun"] = "revision_begun"
    revision_of: str
    wish: str = ""
    gone: tuple[str, ...] = ()
    draft: Draft
    locks: Locks = Locks()


class RunStarted(Payload):
    """A worker has begun."""

    kind: Literal["run_started"] = "run_started"


class RunResumed(Payload):
    """A worker has taken the run over where another one left it."""

    kind: Literal["run_resumed"] = "run_resumed"


class TextRead(Payload):
    """What a language model has read where the rules had not understood the text.

    `reading` is what was taken out of the reply; `error` says why there is no reply.
    """

    kind: Literal["text_read"] = "text_read"
    model: str
    seconds: float
    reply: ModelReply | None
    reading: ModelReading
    error: str | None = Field(None, exclude_if=_is_none)


class PoolBuilt(Payload):
    """The frozen pool: its hash, and the funnel up to it."""

    kind: Literal["pool_built"] = "pool_built"
    sha256: str
    funnel: dict[Kind, FunnelStep]
    warnings: tuple[PoolWarning, ...]

    @field_serializer("warnings")
    def _show_warnings(self, warnings: tuple[PoolWarning, ...]) -> list[dict[str, JsonValue]]:
        return [warning.model_dump(mode="json", exclude_none=True) for warning in warnings]


class PlannerChosen(Payload):
    """Who plans; `model` is the configured name of a language model."""

    kind: Literal["planner_chosen"] = "planner_chosen"
    planner: PlannerName
    model: str | None = Field(None, exclude_if=_is_none)


class ModelProgressed(Payload):
    """How far a streamed reply is; `text` is what came since the step before."""

    kind: Literal["model_progressed"] = "model_progressed"
    planner: PlannerName
    turn: int
    attempt: int
    text: str
    calls: tuple[ToolProgress, ...]


@dataclass(frozen=True)
class Conditions:
    """What held while a reply or a call was made; a replay needs the same.

    `limits` are the return limits that are not the code's, `replayed` says whether the outcome is
    the original run's, `sources` are those that were offered, where they have changed.
    """

    limits: Mapping[str, ToolLimit] | None = None
    replayed: Mark | None = None
    sources: tuple[ToldSource, ...] | None = None


class ModelReplied(Payload):
    """One reply of the planner's model, and how long it took."""

    kind: Literal["model_replied"] = "model_replied"
    planner: PlannerName
    turn: int
    seconds: float | None = Field(None, exclude_if=_is_none)
    reply: ModelReply
    limits: Mapping[str, ToolLimit] | None = Field(None, exclude_if=_is_none)
    replayed: Mark | None = Field(None, exclude_if=_is_none)
    sources: tuple[ToldSource, ...] | None = Field(None, exclude_if=_is_none)


class ToolCalled(Payload):
    """One call of a turn with its outcome; `index` counts the calls of the turn from 0."""

    kind: Literal["tool_called"] = "tool_called"
    planner: PlannerName
    turn: int
    index: int
    call: ToolCall
    outcome: ToolOutcome
    limits: Mapping[str, ToolLimit] | None = Field(None, exclude_if=_is_none)
    replayed: Mark | None = Field(None, exclude_if=_is_none)
    sources: tuple[ToldSource, ...] | None = Field(None, exclude_if=_is_none)


class PlannerStopped(Payload):
    """Why a planner stopped; `context` is its conversation at the end, by part."""

    kind: Literal["planner_stopped"] = "planner_stopped"
    planner: PlannerName
    stop: str
    error: str | None = None
    message: str | None = None
    context: dict[str, Size] | None = Field(None, exclude_if=_is_none)


class PlannerFellBack(Payload):
    """Another planner goes on with the draft."""

    kind: Literal["planner_fell_back"] = "planner_fell_back"
    planner: PlannerName
    reason: str


class Clash(Part):
    """A constraint that cannot be kept together with the others."""

    code: str
    amount: str | None = Field(
        description="By how much: money, minutes, metres or a number, as the message says."
    )
    message: str
    wish: int | None = Field(
        None,
        description="The number of the wish of the request that it is about, from 0.",
        exclude_if=lambda value: value is None,
    )


class RelaxationDocument(Part):
    """The least that would make the request possible; `itinerary` is the best plan under it."""

    kind: str = Field(
        description="raise_budget, leave_out, add_day, extend_day, move_booking, omit_booking,"
        " move_arrival, move_departure, drop_city, change_wish, drop_wish, or combination."
    )
    value: JsonValue = Field(
        description="An amount, ids, or fields of the request as they become; of a wish its number"
        " and what it becomes; of a combination its relaxations."
    )
    message: str


class RelaxedPlan(Part):
    """The best plan under a relaxation; `request` is the relaxed one, of which it is a plan.

    `rows` are those of its things: other dates have another pool than the run's own.
    """

    draft: Draft
    itinerary: Itinerary
    warnings: tuple[Violation, ...]
    request: PlanRequest | None = None
    rows: SnapshotRows | None = None


class Sought(Payload):
    """What would make an impossible request possible: nothing is in it where nothing was found.

    A plan without a relaxation does what was asked: the run has succeeded after all.

    `shortage` is the clash with the budget: the plan under the relaxation shows how little would do.
    """

    kind: Literal["relaxation_sought"] = "relaxation_sought"
    relaxation: RelaxationDocument | None
    plan: RelaxedPlan | None
    shortage: Clash | None = None

    @property
    def is_possible(self) -> bool:
        """Whether the request can be done as it is."""
        return self.plan is not None and self.relaxation is None


PLANNER_REVISION = 3
"""Raised when the same pool and the same replies give other outcomes, or another plan.

`python -m tests.replay.planner_revision` raises it; a test fails where that was forgotten.
"""
RESULT_SCHEMA = 2
"""Raised, by the same command, when the shape of an itinerary changes."""


class MadeBy(Part):
    """Which Waypool made a run: only the same one has to come to the same result again."""

    version: str
    planner_revision: int
    result_schema: int


THIS_WAYPOOL = MadeBy(
    version=__version__, planner_revision=PLANNER_REVISION, result_schema=RESULT_SCHEMA
)


class RunFinished(Payload):
    """The last step of every log; `made_by` is missing where an older Waypool wrote it."""

    kind: Literal["run_finished"] = "run_finished"
    status: RunStatus
    error: RunError | None
    made_by: MadeBy | None = Field(None, exclude_if=_is_none)


Known = Annotated[
    InputNeeded
    | RunQueued
    | RevisionBegun
    | RunStarted
    | RunResumed
    | TextRead
    | PoolBuilt
    | PlannerChosen
    | ModelProgressed
    | ModelReplied
    | ToolCalled
    | PlannerStopped
    | PlannerFellBack
    | Sought
    | RunFinished,
    Field(discriminator="kind"),
]


class UnknownPayload(Part):
    """A step of another version of Waypool, kept as it is: it decides nothing here."""

    kind: str
    values: dict[str, JsonValue]

    def as_json(self) -> dict[str, JsonValue]:
        """The JSON object that stands in the log."""
        return self.values


StepPayload = Known | UnknownPayload
PayloadT = TypeVar("PayloadT", bound=Payload)

_MODELS: dict[str, type[Payload]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(Known)[0])
}
KINDS = tuple(_MODELS)


@dataclass(frozen=True)
class Step:
    """A row of the log: its number in the run, what was done, and when."""

    seq: int
    payload: StepPayload
    at: dt.datetime

    @property
    def kind(self) -> str:
        """The name of what was done."""
        return self.payload.kind


def read_payload(kind: str, values: Mapping[str, Any]) -> StepPayload:
    """The payload that a row holds; a `ValidationError` where it is not of its kind."""
    model = _MODELS.get(kind)
    if model is None:
        return UnknownPayload(kind=kind, values=dict(values))
    payload: Any = model.model_validate(values)
    return payload  # type: ignore[no-any-return]


def select_payloads(steps: Iterable[Step], model: type[PayloadT]) -> Iterator[PayloadT]:
    """The payloads of one kind, in order."""
    for step in steps:
        if isinstance(step.payload, model):
            yield step.payload
