"""What real users met with real services, one test a line: the whole agent over real HTTP."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from backend.agent.ledger import StopReason
from backend.agent.llm import Retries
from backend.agent.loop import AgentResult, Watch, run_agent
from backend.agent.openai_client import OpenAiClient
from backend.agent.provider_profile import Endpoint, find_profile
from backend.agent.replies import MemoryRecorder
from backend.mock_llm.scenario import CallScript, DialectName, Fault, Scenario, Spoil, Step
from backend.mock_llm.server import MockLlm, serve_mock
from backend.tools.context import ToolLimit
from backend.tools.runner import ToolRunner
from tests.agent.harness import with_params
from tests.factories import make_snapshot

PLAN = Step(plan=True)
LIST = CallScript(name="list_pois", arguments={"city": "beijing"})
DETAIL = CallScript(name="get_poi", arguments={"poi_id": "bj-gugong"})


@dataclass(frozen=True)
class Talk:
    """A run: its end, its record, and the requests as the service saw them."""

    result: AgentResult
    recorder: MemoryRecorder
    mock: MockLlm
    pauses: list[float]

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        return [seen.body for seen in self.mock.seen]

    @property
    def contents(self) -> list[dict[str, Any]]:
        """Of all outcomes, in order."""
        return [outcome.content for _, outcome in sorted(self.recorder.outcomes.items())]

    def codes(self) -> list[str | None]:
        return [content.get("error", {}).get("code") for content in self.contents]


async def talk(
    *turns: Step,
    profile: str = "openai",
    dialect: DialectName | None = None,
    limits: Mapping[str, ToolLimit] | None = None,
    overrides: Mapping[str, Any] | None = None,
    **params: int,
) -> Talk:
    """A run whose model plays these turns and then plans; every request has to be accepted."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def never() -> bool:
        return False

    async def read_limits() -> Mapping[str, ToolLimit]:
        return limits or {}

    scenario = Scenario(dialect=dialect or profile, turns=turns)
    snapshot, recorder = with_params(make_snapshot(days=1), **params), MemoryRecorder()
    async with serve_mock(scenario) as mock:
        endpoint = Endpoint("double", find_profile("double", None, profile, overrides), mock.url)
        async with OpenAiClient(endpoint, Retries(pause=pause)) as client:
            result = await run_agent(
                snapshot,
                client,
                ToolRunner(snapshot, read_limits),
                recorder,
                Watch(lambda: 0.0, never),
            )
    assert mock.faults == []
    return Talk(result, recorder, mock, pauses)


async def test_invalid_json_stays_out_of_the_history() -> None:
    run = await talk(Step(calls=(LIST,), spoil=("bad_arguments",)), PLAN)
    assert run.codes()[0] == "BAD_ARGUMENTS"
    assert run.bodies[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert run.recorder.replies[1].calls[0].arguments.startswith('{"city": 北京')
    assert run.result.stop is StopReason.SUBMITTED


async def test_empty_arguments_are_an_empty_object() -> None:
    view = CallScript(name="view_itinerary", arguments="")
    run = await talk(Step(calls=(view, LIST), spoil=("empty_arguments",)), PLAN)
    assert run.codes()[:2] == [None, "BAD_ARGUMENTS"]
    sent = run.bodies[1]["messages"][2]["tool_calls"]
    assert [call["function"]["arguments"] for call in sent] == ["{}", "{}"]


async def test_every_call_gets_exactly_one_answer_unknown_tools_too() -> None:
    unknown = CallScript(name="book flight!", arguments={})
    run = await talk(Step(calls=(unknown, LIST, unknown)), PLAN)
    assert run.codes()[:3] == ["UNKNOWN_TOOL", None, "UNKNOWN_TOOL"]
    answered = [m["tool_call_id"] for m in run.bodies[1]["messages"] if m["role"] == "tool"]
    assert answered == [call["id"] for call in run.bodies[1]["messages"][2]["tool_calls"]]


@pytest.mark.parametrize(
    ("profile", "echoed"), [("deepseek", True), ("vllm", False), ("openai", False)]
)
async def test_reasoning_goes_back_only_where_it_is_wanted(profile: str, echoed: bool) -> None:
    run = await talk(Step(calls=(LIST,), reasoning="先查地点"), PLAN, profile=profile)
    assert run.recorder.replies[1].reasoning == "先查地点"
    said = run.bodies[1]["messages"][2]
    assert said.get("reasoning_content") == ("先查地点" if echoed else None)
    assert run.result.stop is StopReason.SUBMITTED


SHAPES: list[Spoil] = ["no_index", "zero_index", "bare_chunks"]


@pytest.mark.parametrize("spoil", SHAPES)
async def test_streams_without_order_are_gathered_by_id(spoil: Spoil) -> None:
    run = await talk(Step(say="看一看", calls=(LIST, DETAIL), spoil=(spoil,)), PLAN)
    assert [call.name for call in run.recorder.replies[1].calls] == ["list_pois", "get_poi"]
    assert run.codes()[:2] == [None, None]


IDS: list[Spoil] = ["no_ids", "same_ids", "long_ids"]


@pytest.mark.parametrize("spoil", IDS)
async def test_ids_are_our_own(spoil: Spoil) -> None:
    run = await talk(Step(calls=(LIST, DETAIL), spoil=(spoil,)), PLAN)
    sent = run.bodies[1]["messages"][2]["tool_calls"]
    assert [call["id"] for call in sent] == ["call_1_0", "call_1_1"]
    assert run.result.stop is StopReason.SUBMITTED


async def test_calls_count_whatever_the_finish_reason_says() -> None:
    lies = Step(calls=(LIST,), spoil=("finish_stop",)), Step(say="嗯", spoil=("finish_tool_calls",))
    run = await talk(*lies, PLAN)
    assert run.codes()[0] is None
    assert run.result.stop is StopReason.SUBMITTED


async def test_a_cut_answer_is_no_call() -> None:
    run = await talk(Step(calls=(LIST, DETAIL), spoil=("cut_arguments",)), PLAN)
    assert len(run.bodies[1]["messages"][2]["tool_calls"]) == 1
    alone = await talk(Step(calls=(LIST,), spoil=("cut_arguments",)), PLAN)
    assert "tool_calls" not in alone.bodies[1]["messages"][2]
    assert alone.result.stop is StopReason.SUBMITTED


async def test_a_cut_answer_that_says_it_is_none_spoils_nothing() -> None:
    lie = Step(calls=(LIST, DETAIL), spoil=("cut_arguments", "finish_tool_calls"))
    run = await talk(lie, PLAN)
    assert run.codes()[:2] == [None, "BAD_ARGUMENTS"]
    sent = run.bodies[1]["messages"][2]["tool_calls"]
    assert json.loads(sent[0]["function"]["arguments"]) == LIST.arguments
    assert sent[1]["function"]["arguments"] == "{}"
    assert run.result.stop is StopReason.SUBMITTED


async def test_cut_answers_are_asked_for_shorter_and_end_with_their_own_reason() -> None:
    cut = Step(calls=(LIST,), spoil=("cut_arguments",))
    twice = await talk(cut, Step(say="北京" * 500, finish_reason="length"), PLAN)
    assert twice.result.stop is StopReason.SUBMITTED
    said, asked = twice.bodies[2]["messages"][4:6]
    assert said["content"] == "北京" * 150
    assert "one tool call" in asked["content"]
    always = await talk(cut, cut, cut, PLAN)
    assert (always.result.stop, always.result.turns) == (StopReason.ANSWER_CUT, 3)


@pytest.mark.parametrize("profile", ["dashscope", "deepseek", "cautious"])
async def test_thinking_modes_get_neither_tool_choice_nor_strict(profile: str) -> None:
    run = await talk(PLAN, profile=profile, dialect="strictest" if profile == "cautious" else None)
    for body in run.bodies:
        assert "tool_choice" not in body
        for tool in body["tools"]:
            assert "strict" not in tool["function"]
            assert tool["function"]["parameters"]["additionalProperties"] is False


async def test_tool_choice_and_strict_are_sent_where_the_profile_says_so() -> None:
    loud = {"tool_choice": "required", "is_strict": True}
    run = await talk(PLAN, overrides=loud)
    for body in run.bodies:
        assert body["tool_choice"] == "required"
        assert all(tool["function"]["strict"] for tool in body["tools"])
    assert run.result.stop is StopReason.SUBMITTED


async def test_silence_after_an_outcome_is_nudged_once_and_never_a_success() -> None:
    silent = Step(plan=True, spoil=("no_content",))
    once = await talk(Step(calls=(LIST,)), silent, PLAN)
    assert once.result.stop is StopReason.SUBMITTED
    assert once.bodies[2]["messages"][-1]["role"] == "user"
    twice = await talk(Step(calls=(LIST,)), silent, silent, PLAN)
    assert (twice.result.stop, twice.result.turns) == (StopReason.NO_PROGRESS, 3)


async def test_short_waits_are_waited_for_and_quotas_are_not() -> None:
    fault = Fault(kind="rate_limited", retry_after=7)
    run = await talk(Step(plan=True, first=(fault, fault)), PLAN)
    assert run.result.stop is StopReason.SUBMITTED
    assert [7 < pause < 12 for pause in run.pauses] == [True, True]
    days = Fault(kind="rate_limited", retry_after=172_800)
    dated = days.model_copy(update={"as_date": True})
    faults = {
        "MODEL_QUOTA": (Fault(kind="quota"), days, dated),
        "MODEL_BAD_REQUEST": (Fault(kind="bad_request"),),
    }
    for code, fault in ((code, fault) for code, row in faults.items() for fault in row):
        failed = await talk(Step(plan=True, first=(fault,)))
        assert failed.result.stop is StopReason.MODEL_FAILED
        assert failed.result.error is not None
        assert failed.result.error.code == code
        assert (failed.pauses, len(failed.bodies)) == ([], 1)


async def test_one_bad_call_of_several_spoils_no_other() -> None:
    bad = CallScript(name="get_poi", arguments={"poi_id": "bj-nowhere"})
    run = await talk(Step(calls=(DETAIL, bad, LIST)), PLAN)
    assert run.codes()[:3] == [None, "NOT_IN_POOL", None]


async def test_a_page_names_arguments_that_work_and_repeats_are_short() -> None:
    again = Step(calls=(LIST,))
    limits = {"list_pois": ToolLimit(max_return_rows=3)}
    run = await talk(again, again, again, limits=limits)
    first, *rest = run.contents[:3]
    assert first["hasMore"]
    offered = re.search(r"(area|tags)=(\S+) \((\d+)\)", first["hint"])
    assert offered is not None
    key, value, count = offered.groups()
    wanted = {"area": value} if key == "area" else {"tags": [value]}
    narrow = CallScript(name="list_pois", arguments={"city": "beijing", **wanted})
    followed = await talk(Step(calls=(LIST, narrow)), limits=limits)
    assert followed.contents[1]["total"] == int(count)
    assert all(page["returned"] == 0 and page["repeat_of"] == 1 for page in rest)
    assert all(len(json.dumps(page)) < len(json.dumps(first)) for page in rest)


async def test_total_is_the_pool_s_and_a_full_page_is_not_the_last() -> None:
    run = await talk(Step(calls=(LIST,)), PLAN, limits={"list_pois": ToolLimit(max_return_rows=3)})
    page = run.contents[0]
    assert (page["total"], page["returned"], page["hasMore"]) == (10, 3, True)


async def test_a_cut_limit_and_an_empty_list_say_why() -> None:
    more = CallScript(name="list_pois", arguments={"city": "beijing", "limit": 500})
    none = CallScript(name="list_pois", arguments={"city": "beijing", "q": "滑雪场"})
    run = await talk(
        Step(calls=(more, none)), PLAN, limits={"list_pois": ToolLimit(max_return_rows=3)}
    )
    cut, empty = run.contents[:2]
    assert (cut["returned"], cut["limit"]) == (3, 3)
    assert "500" in cut["hint"] or "limit" in cut["hint"]
    assert empty["total"] == 0
    assert "q" in empty["hint"]


@pytest.mark.parametrize(
    ("steps", "most"),
    [
        ((Step(calls=(LIST,)),), 6),
        ((Step(calls=(LIST,)), Step(calls=(DETAIL,))), 7),
        ((Step(calls=(CallScript(name="put_visit", arguments={"day": 1, "poi_id": "x"}),)),), 5),
        ((Step(say="Here is your plan!"),), 2),
    ],
)
async def test_loops_end_with_a_typed_stop(steps: tuple[Step, ...], most: int) -> None:
    run = await talk(*(steps * 20)[:20])
    assert run.result.stop is StopReason.NO_PROGRESS
    assert run.result.turns <= most


async def test_out_of_steps_is_a_typed_stop() -> None:
    run = await talk(AGENT_MAX_TURNS=3)
    assert (run.result.stop, run.result.turns) == (StopReason.MAX_TURNS, 3)
