"""The scenarios that come along, by name: each a way in which a model or its service misbehaves.

`waypool mock-llm --show NAME` prints one as a file to begin one's own with.
"""

from collections.abc import Iterable
from typing import Any

from backend.errors import NotFoundError
from backend.mock_llm.scenario import CallScript, Fault, FaultKind, Scenario, Spoil, Step
from backend.text import find_near, quote

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
