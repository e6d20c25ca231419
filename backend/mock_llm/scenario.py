"""What the double says and does, turn by turn: the scenario file.

A turn is counted from the conversation (its assistant messages), an attempt by how often the very
same conversation has come: so many conversations at a time, and resumed ones, all go their way.

The scenarios that come along, by name: each a way in which a model or its service misbehaves.

`waypool mock-llm --show NAME` prints one as a file to begin one's own with.
"""

from collections.abc import Iterable
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from backend.agent.provider_profile import list_faults
from backend.errors import ConfigurationError, NotFoundError
from backend.text import find_near, make_pointer, quote

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
            f"{source}: {make_pointer(*entry['loc']) or 'the file'}: {said}"
            for entry, said in list_faults(error, _FIELDS)
        )
        refused = ConfigurationError(f"{source} is no scenario: {len(lines)} fault(s)")
        refused.details = lines
        raise refused from None


_PLAN = Step(plan=True)
_LIST = CallScript(name="list_pois", arguments={"city": "beijing"})
_HOTELS = CallScript(name="list_hotels", arguments={"city": "beijing"})


def _spoiled(*spoil: Spoil, turns: Iterable[int] = range(3)) -> dict[str, Any]:
    """Plans, with the replies of these turns disfigured."""
    wanted = set(turns)
    script = (Step(plan=True, spoil=spoil if n in wanted else ()) for n in range(max(wanted) + 1))
    return {"turns": tuple(script)}


def _always(*spoil: Spoil) -> dict[str, Any]:
    return {"then": (Step(plan=True, spoil=spoil),)}


def _fails_first(kind: FaultKind, **fault: Any) -> dict[str, Any]:
    """Plans, but the third turn's first request meets a fault."""
    broken = Step(plan=True, first=(Fault(kind=kind, **fault),))
    return {"turns": (_PLAN, _PLAN, broken)}


def _fails(kind: FaultKind, **fault: Any) -> dict[str, Any]:
    """Plans two turns, then every request meets a fault."""
    return {"turns": (_PLAN, _PLAN), "then": (Step(fail=Fault(kind=kind, **fault)),)}


def _repeats(*steps: Step) -> dict[str, Any]:
    return {"then": steps}


def _call(*calls: CallScript) -> Step:
    return Step(calls=calls)


def _row(name: str, about: str, script: dict[str, Any]) -> Scenario:
    return Scenario(name=name, about=about, **script)


SCENARIOS: tuple[Scenario, ...] = (
    _row("plain", "plans well", {}),
    _row("bad-arguments", "arguments are invalid JSON in the first turns", _spoiled("bad_arguments")),
    _row("bad-arguments-always", "arguments are never valid JSON", _always("bad_arguments")),
    _row("cut-arguments", "arguments end at the token limit twice", _spoiled("cut_arguments", turns=[0, 1])),
    _row("cut-arguments-always", "arguments always end at the token limit", _always("cut_arguments")),
    _row("cut-unsaid", "arguments end in the middle, and finish_reason is tool_calls", _spoiled("cut_arguments", "finish_tool_calls", turns=[0, 1])),
    _row("cut-talk", "words up to the token limit", _repeats(Step(say="Beijing is " * 90, finish_reason="length"))),
    _row("cut-thinking", "nothing but reasoning up to the token limit", _repeats(Step(say="", reasoning="Hm, " * 90, finish_reason="length"))),
    _row("empty-arguments", "arguments are an empty text", _spoiled("empty_arguments")),
    _row("object-arguments", "arguments are an object instead of a text", _always("object_arguments")),
    _row("huge-arguments", "arguments of 200 KB", _spoiled("huge_arguments", turns=[1])),
    _row("unknown-tool", "tools that do not exist", _spoiled("unknown_tool")),
    _row("one-bad-of-several", "one unknown call beside good ones in every turn", _always("extra_call")),
    _row("no-ids", "calls without ids", _always("no_ids")),
    _row("same-ids", "all calls have one id", _always("same_ids")),
    _row("long-ids", "ids of 1.5 KB with path signs", _always("long_ids")),
    _row("no-index", "streamed calls without index", _always("no_index", "extra_call")),
    _row("zero-index", "streamed calls all with index 0", _always("zero_index", "extra_call")),
    _row("bare-chunks", "stream events without choices or delta", _always("bare_chunks")),
    _row("no-stream", "one document where a stream was asked for", _always("no_stream")),
    _row("reasoning", "reasoning_content beside each reply", _always("reasoning")),
    _row("finish-stop", "finish_reason stop with calls", _always("finish_stop")),
    _row("finish-length", "finish_reason length on whole answers", _always("finish_length")),
    _row("no-finish", "no finish_reason at all", _always("no_finish")),
    _row("no-usage", "no usage is reported", _always("no_usage")),
    _row("empty-reply", "one reply without text and calls", _spoiled("no_content", turns=[2])),
    _row("empty-always", "nothing is ever said", _always("no_content")),
    _row("talk", "words instead of calls", _repeats(Step(say="Here is your plan: enjoy!"))),
    _row("repeats", "the same call again and again", _repeats(_call(_LIST))),
    _row("two-call-cycle", "two calls in turn for ever", _repeats(_call(_LIST), _call(_HOTELS))),
    _row(
        "always-fails",
        "calls that are always refused",
        _repeats(_call(CallScript(name="put_visit", arguments={"day": 1, "poi_id": "made-up"}))),
    ),
    _row("rate-limited", "429 with Retry-After in seconds", _fails_first("rate_limited", retry_after=0.05)),
    _row("rate-limited-date", "429 with Retry-After as a date", _fails_first("rate_limited", retry_after=1, as_date=True)),
    _row("rate-limited-for-days", "429 with Retry-After of two days", _fails("rate_limited", retry_after=172_800)),
    _row("quota", "429: the account is empty", _fails("quota")),
    _row("unauthorized", "401", _fails("unauthorized")),
    _row("bad-request", "400", _fails("bad_request")),
    _row("server-error", "one 503", _fails_first("server_error")),
    _row("server-error-always", "503 for ever", _fails("server_error")),
    _row("reset", "one connection reset before an answer", _fails_first("reset")),
    _row("reset-midway", "one connection reset in mid-answer", _fails_first("reset_midway")),
    _row("hang", "an answer that never begins", _fails("hang")),
    _row("hang-midway", "answers that fall silent in the middle", _fails("hang_midway")),
    _row("not-json", "one answer that is a web page", _fails_first("not_json")),
    _row("cut-json", "one answer that ends too early", _fails_first("cut_json")),
    _row("no-choices", "one answer without choices", _fails_first("no_choices")),
    _row("error-document", "one answer of status 200 that holds an error", _fails_first("error_document")),
    _row("quota-document", "answers of status 200 that say the account is empty", _fails("error_document", code="insufficient_quota")),
)  # fmt: skip


def find_scenario(name: str) -> Scenario:
    """The scenario of that name; a `NotFoundError` names near ones."""
    for scenario in SCENARIOS:
        if scenario.name == name:
            return scenario
    near = ", ".join(find_near(name, [scenario.name for scenario in SCENARIOS]))
    raise NotFoundError(f"no scenario {quote(name)}; near: {near}")
