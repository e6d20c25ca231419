"""Steps of the run log as a traveller's app sees them: no internal ids, no words of the model's service.

Each type is a document of its own; what a step holds beyond its document stays in the log.
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from backend.agent.llm import Usage
from backend.pool.findings import FunnelStep
from backend.pool.snapshot import Kind, PoolWarning
from backend.runs.log.lifecycle import RunStatus
from backend.runs.log.run_log import Step

PlannerName = Literal["builtin", "openai"]

_INTERNAL = re.compile(r"\b(?:call_\d+_\d+|(?:call|res)_[0-9a-z]{26})\b")
_PAGE = ("total", "returned", "hasMore", "limit", "hint", "repeat_of")


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
    arguments: Any = Field(description="null where the model sent no JSON.")
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
    RunQueued
    | RevisionBegun
    | RunStarted
    | RunResumed
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


def render_event(step: Step) -> dict[str, Any] | None:
    """The public event of a step as JSON values; None for a kind that is not for travellers."""
    if step.kind not in _SHOWN:
        return None
    render = {"model_replied": _render_reply, "tool_called": _render_call}.get(step.kind)
    values = render(step.payload) if render else step.payload
    head = {"seq": step.seq, "type": step.kind, "at": step.at.isoformat()}
    event = EVENT.validate_python({**_conceal(values), **head})
    return event.model_dump(mode="json", exclude_unset=True)


def _render_reply(payload: Mapping[str, Any]) -> dict[str, Any]:
    reply = payload["reply"]
    return {
        "planner": payload["planner"],
        "turn": payload["turn"],
        "text": reply["text"],
        "tools": [call["name"] for call in reply["calls"]],
        "usage": reply["usage"],
    }


def _render_call(payload: Mapping[str, Any]) -> dict[str, Any]:
    outcome = payload["outcome"]
    content = outcome["content"]
    shown: dict[str, Any] = {
        "planner": payload["planner"],
        "turn": payload["turn"],
        "number": outcome["number"],
        "tool": outcome["tool"],
        "arguments": _parse(payload["call"]["arguments"]),
    }
    if outcome["is_error"]:
        return shown | {"error": content["error"]}
    return shown | {key: content[key] for key in _PAGE if key in content}


def _parse(arguments: str) -> Any:
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return None


def _conceal(value: Any) -> Any:
    """Without handles and ids of calls, wherever a model has quoted one."""
    if isinstance(value, str):
        return _INTERNAL.sub("…", value)
    if isinstance(value, Mapping):
        return {key: _conceal(entry) for key, entry in value.items()}
    return [_conceal(entry) for entry in value] if isinstance(value, list | tuple) else value
