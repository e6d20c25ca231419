"""What the double says and does, turn by turn: the scenario file.

A turn is counted from the conversation (its assistant messages), an attempt by how often the very
same conversation has come: so many conversations at a time, and resumed ones, all go their way.
"""

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from backend.agent.config_faults import list_faults, point_at
from backend.errors import ConfigurationError

DialectName = Literal["openai", "azure", "deepseek", "dashscope", "vllm", "ollama", "strictest"]

FaultKind = Literal[
    "rate_limited",
    "quota",
    "unauthorized",
    "forbidden",
    "bad_request",
    "server_error",
    "hang",
    "hang_midway",
    "reset",
    "reset_midway",
    "not_json",
    "cut_json",
    "no_choices",
    "error_document",
]

Spoil = Literal[
    "bad_arguments",
    "cut_arguments",
    "empty_arguments",
    "object_arguments",
    "huge_arguments",
    "no_ids",
    "same_ids",
    "long_ids",
    "no_index",
    "zero_index",
    "bare_chunks",
    "no_stream",
    "unknown_tool",
    "extra_call",
    "finish_stop",
    "finish_tool_calls",
    "finish_length",
    "no_finish",
    "no_content",
    "no_usage",
    "reasoning",
]

SPOILS: tuple[Spoil, ...] = get_args(Spoil)


class Scripted(BaseModel):
    """A frozen part of a scenario; unknown fields are a fault."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Fault(Scripted):
    """An answer that is no reply.

    `retry_after` is sent as seconds, with `as_date` as an HTTP date that lies so far ahead.
    """

    kind: FaultKind
    status: int | None = Field(None, ge=400, le=599, description="Instead of the kind's own.")
    message: str = ""
    code: str | None = None
    retry_after: float | None = Field(None, ge=0)
    as_date: bool = False
    headers: dict[str, str] = Field(default_factory=dict)


class CallScript(Scripted):
    """One call: `arguments` as an object, or as text that is sent as it stands."""

    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    id: str | None = None


class UsageScript(Scripted):
    """Tokens that the reply says it took; without it they are counted."""

    input: int = Field(0, ge=0)
    cached: int = Field(0, ge=0)
    output: int = Field(0, ge=0)


class Step(Scripted):
    """What one turn gets: `plan` (the built-in planner's choice), `calls`, `say`, `fail`, or `raw`.

    `first` are faults for the first requests of the turn; `spoil` disfigures the reply. `raw` is a
    body as it stands, JSON or text; in a stream a list is its events.
    """

    plan: bool = False
    say: str | None = None
    calls: tuple[CallScript, ...] = ()
    fail: Fault | None = None
    raw: Any = None
    first: tuple[Fault, ...] = ()
    spoil: tuple[Spoil, ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    usage: UsageScript | None = None
    delay_ms: float | None = Field(None, ge=0, le=3_600_000)
    piece_delay_ms: float | None = Field(None, ge=0, le=3_600_000)

    @model_validator(mode="after")
    def _is_one_thing(self) -> "Step":
        said = bool(self.calls) or self.say is not None
        if [self.plan, said, self.fail is not None, self.raw is not None].count(True) > 1:
            raise ValueError("one of plan, fail, raw, or calls with say")
        return self


class Chance(Scripted):
    """A fault that some requests meet: the same ones each time, by the digest of what is asked."""

    rate: float = Field(gt=0, le=1)
    fault: Fault


class Scenario(Scripted):
    """A whole script: turn n gets `turns[n]`, later ones take `then` in turn, again and again."""

    name: str = "scenario"
    about: str = ""
    dialect: DialectName = "strictest"
    is_strict: bool = Field(True, description="Answer 400 to a request that breaks a rule.")
    turns: tuple[Step, ...] = ()
    then: tuple[Step, ...] = Field((Step(plan=True),), min_length=1)
    sometimes: tuple[Chance, ...] = ()
    usage: UsageScript | None = None
    delay_ms: float = Field(0, ge=0, le=3_600_000)
    piece_delay_ms: float = Field(0, ge=0, le=3_600_000)

    def find_step(self, turn: int) -> Step:
        """The step of a turn, counted from 0."""
        if turn < len(self.turns):
            return self.turns[turn]
        return self.then[(turn - len(self.turns)) % len(self.then)]


_FIELDS = tuple(
    name
    for part in (Scenario, Step, Fault, CallScript, UsageScript, Chance)
    for name in part.model_fields
)


def read_scenario(document: Any, source: str) -> Scenario:
    """A scenario file's content; a `ConfigurationError` names every fault."""
    try:
        return Scenario.model_validate(document)
    except ValidationError as error:
        lines = tuple(
            f"{source}: {point_at(entry['loc']) or 'the file'}: {said}"
            for entry, said in list_faults(error, _FIELDS)
        )
        refused = ConfigurationError(f"{source} is no scenario: {len(lines)} fault(s)")
        refused.details = lines
        raise refused from None
