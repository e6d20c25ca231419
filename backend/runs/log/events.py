"""Steps of the run log as a traveller's app sees them: no internal ids, no words of the model's service.

Each type is a document of its own; what a step holds beyond its document stays in the log.
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from backend.agent.llm import Usage
from backend.pool.findings import FunnelStep
from backend.pool.snapshot import Kind, PoolWarning
from backend.runs.log.lifecycle import RunStatus
from backend.runs.log.steps import ModelReplied as RecordedReply
from backend.runs.log.steps import PlannerName, Step
from backend.runs.log.steps import TextRead as RecordedReading
from backend.runs.log.steps import ToolCalled as RecordedCall

_INTERNAL = re.compile(r"\b(?:call_\d+_\d+|(?:call|res)_[0-9a-z]{26})\b")
_PAGE_FIELDS = ("total", "returned", "hasMore", "limit", "hint", "repeat_of")


class EventBase(BaseModel):
    """What every event has: its number in the run, without gaps, and its moment."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    seq: int
    at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class ErrorShown(BaseModel):
    """Why a run failed, or what was wrong with a call."""

    model_config = ConfigDict(frozen=True)

    code: str
    message: str
    allowed: tuple[str, ...] = ()


class RunQueued(EventBase):
    """The request was sound, and waits for a worker."""

    type: Literal["run_queued"]
    planner: Literal["auto", "builtin", "openai"]


class InputNeeded(EventBase):
    """The request has open questions; the run goes on when they are answered."""

    type: Literal["input_needed"]
    fields: tuple[str, ...] = Field(description="What is asked for.")


class RevisionBegun(EventBase):
    """The run changes a finished plan; what was asked for by edits is done already."""

    type: Literal["revision_begun"]
    revision_of: str


class RunStarted(EventBase):
    """A worker has begun."""

    type: Literal["run_started"]


class RunResumed(EventBase):
    """A worker has taken the run up again where another one left it."""

    type: Literal["run_resumed"]


class WordsRead(BaseModel):
    """Words that a model has read, and the field of the request that they are about."""

    model_config = ConfigDict(frozen=True)

    field: str
    words: str


class TextRead(EventBase):
    """A language model has read what the rules had not understood in the text."""

    type: Literal["text_read"]
    model: str = Field(description="The configured name of the language model.")
    entries: tuple[WordsRead, ...] = Field(
        description="What was read; the request shows what of it holds."
    )
    error: str | None = Field(None, description="Why the model gave no answer: a code.")


class PoolBuilt(EventBase):
    """The candidates stand; the funnel is counted up to the pool."""

    type: Literal["pool_built"]
    sha256: str
    funnel: dict[Kind, FunnelStep]
    warnings: tuple[PoolWarning, ...]


class PlannerChosen(EventBase):
    """Who plans: a language model, or the built-in planner."""

    type: Literal["planner_chosen"]
    planner: PlannerName
    model: str | None = Field(None, description="The configured name of the language model.")


class CallProgress(BaseModel):
    """A call that the model is writing."""

    model_config = ConfigDict(frozen=True)

    tool: str
    characters: int = Field(description="Of its arguments, so far.")


class ModelProgressed(EventBase):
    """A streamed reply is coming: what was said since the event before, and the calls so far.

    A new `attempt`, or `run_resumed`, begins the reply anew.
    """

    type: Literal["model_progressed"]
    planner: PlannerName
    turn: int
    attempt: int
    text: str
    calls: tuple[CallProgress, ...]


class ModelReplied(EventBase):
    """The planner has answered: its words and the tools that it calls next."""

    type: Literal["model_replied"]
    planner: PlannerName
    turn: int
    text: str
    tools: tuple[str, ...]
    usage: Usage


class ToolCalled(EventBase):
    """A call has its outcome: of a page how much there was, of a refused call why."""

    type: Literal["tool_called"]
    planner: PlannerName
    turn: int
    number: int = Field(description="Counts the run's calls from 1.")
    tool: str
    arguments: JsonValue = Field(description="null where the model sent no JSON.")
    error: ErrorShown | None = None
    total: int | None = None
    returned: int | None = None
    hasMore: bool | None = None  # noqa: N815 - the page's own word
    limit: int | None = None
    hint: str | None = None
    repeat_of: int | None = None


class PlannerStopped(EventBase):
    """The planner is done, or was stopped; `error` is the code of what its model met."""

    type: Literal["planner_stopped"]
    planner: PlannerName
    stop: str
    error: str | None


class PlannerFellBack(EventBase):
    """The built-in planner goes on from what the language model has left."""

    type: Literal["planner_fell_back"]
    planner: PlannerName
    reason: str


class RelaxationShown(BaseModel):
    """What would make the request possible."""

    model_config = ConfigDict(frozen=True)

    kind: str
    message: str


class RelaxationSought(EventBase):
    """The request is impossible as asked; null where nothing was found that would help."""

    type: Literal["relaxation_sought"]
    relaxation: RelaxationShown | None


class RunFinished(EventBase):
    """The last event."""

    type: Literal["run_finished"]
    status: RunStatus
    error: ErrorShown | None


Event = Annotated[
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
    | RelaxationSought
    | RunFinished,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_SHOWN = frozenset(EVENT.json_schema()["discriminator"]["mapping"])


def make_event(step: Step) -> Event | None:
    """The public event of a step; None for a kind that is not for travellers."""
    if step.kind not in _SHOWN:
        return None
    head: dict[str, JsonValue] = {
        "seq": step.seq,
        "type": step.kind,
        "at": step.at.isoformat(),
    }
    return EVENT.validate_python({**_conceal_all(_show(step)), **head})


def render_event(step: Step) -> dict[str, JsonValue] | None:
    """The same as JSON values, with the fields that it has."""
    event = make_event(step)
    return None if event is None else event.model_dump(mode="json", exclude_unset=True)


def _show(step: Step) -> dict[str, JsonValue]:
    if isinstance(step.payload, RecordedReply):
        return _show_reply(step.payload)
    if isinstance(step.payload, RecordedCall):
        return _show_call(step.payload)
    if isinstance(step.payload, RecordedReading):
        return _show_reading(step.payload)
    return step.payload.as_json()


def _show_reply(replied: RecordedReply) -> dict[str, JsonValue]:
    return {
        "planner": replied.planner,
        "turn": replied.turn,
        "text": replied.reply.text,
        "tools": [call.name for call in replied.reply.calls],
        "usage": replied.reply.usage.model_dump(),
    }


def _show_reading(read: RecordedReading) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {
        "model": read.model,
        "entries": [{"field": e.field, "words": e.words} for e in read.reading.entries],
    }
    return shown if read.error is None else shown | {"error": read.error}


def _show_call(called: RecordedCall) -> dict[str, JsonValue]:
    content = called.outcome.content
    shown: dict[str, JsonValue] = {
        "planner": called.planner,
        "turn": called.turn,
        "number": called.outcome.number,
        "tool": called.outcome.tool,
        "arguments": _parse(called.call.arguments),
    }
    if called.outcome.is_error:
        return shown | {"error": content["error"]}
    return shown | {key: content[key] for key in _PAGE_FIELDS if key in content}


def _parse(arguments: str) -> JsonValue:
    try:
        parsed: JsonValue = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return parsed


def _conceal_all(values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: _conceal(value) for key, value in values.items()}


def _conceal(value: JsonValue) -> JsonValue:
    """Without handles and ids of calls, wherever a model has quoted one."""
    if isinstance(value, str):
        return _INTERNAL.sub("…", value)
    if isinstance(value, dict):
        return _conceal_all(value)
    return [_conceal(entry) for entry in value] if isinstance(value, list) else value
