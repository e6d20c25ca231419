"""The turn loop with a scripted model and the real tools: answers, stops, resuming."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from backend.agent.ledger import StopReason
from backend.agent.llm import Message, ModelError, ModelReply, Usage
from backend.agent.loop import hand_over
from backend.agent.replies import (
    MemoryRecorder,
    ScriptedLlm,
    calls,
    make_call,
    raw_call,
    says,
    several,
)
from backend.planner.plan.draft import Draft
from backend.tools.call import ToolCall, ToolSchema
from backend.tools.context import RunState, ToolLimit
from tests.agent.harness import OFF, Clock, Limits, check_history, codes, run_trial, with_params
from tests.factories import make_snapshot

GOOD_PLAN = (
    calls("list_pois", city="beijing"),
    calls("choose_train", leg=0, train_ids=["g2"]),
    calls("choose_train", leg=1, train_ids=["g21"]),
    calls("choose_hotel", city="beijing", hotel_id="bj-h-dongdan"),
    calls("arrange", poi_ids=["bj-gugong", "bj-tiantan", "bj-guobo"]),
    calls("submit_itinerary"),
)


async def test_a_plan_is_submitted_and_counted() -> None:
    llm = ScriptedLlm(GOOD_PLAN)
    trial = await run_trial(make_snapshot(), llm)
    assert trial.result.stop is StopReason.SUBMITTED
    assert trial.result.turns == 6
    assert trial.result.state.calls == 6
    assert trial.result.usage == Usage(input_tokens=600, output_tokens=60)
    assert set(trial.result.state.draft.poi_ids) == {"bj-gugong", "bj-tiantan", "bj-guobo"}
    check_history(llm.heard[-1])


async def test_ids_from_outside_the_pool_are_refused_and_the_run_goes_on() -> None:
    llm = ScriptedLlm([calls("put_visit", day=2, poi_id="bj-gugon"), *GOOD_PLAN])
    trial = await run_trial(make_snapshot(), llm)
    error = trial.calls[0][1].content["error"]
    assert error["code"] == "NOT_IN_POOL"
    assert "bj-gugong" in error["allowed"]
    assert trial.result.stop is StopReason.SUBMITTED


async def test_every_call_of_a_turn_gets_its_own_answer_in_order() -> None:
    bad = ToolCall(id="same", name="no such tool!", arguments='{"x": ')
    good = ToolCall(id="same", name="list_pois", arguments='{"city":"北京"}')
    llm = ScriptedLlm([several(good, bad, good), says("…")])
    trial = await run_trial(make_snapshot(), llm)
    assert codes(trial) == [None, "UNKNOWN_TOOL", None]
    assert trial.calls[2][1].content["repeat_of"] == 1
    said = llm.heard[1][2]
    assert [call.id for call in said.calls] == ["call_1_0", "call_1_1", "call_1_2"]
    assert (said.calls[1].name, said.calls[1].arguments) == ("no_such_tool_", "{}")
    check_history(llm.heard[-1])


async def test_invalid_arguments_stay_out_of_the_history_and_in_the_record() -> None:
    llm = ScriptedLlm([raw_call("list_pois", '{"city": "bei'), raw_call("view_itinerary", "")])
    trial = await run_trial(make_snapshot(), llm)
    assert codes(trial) == ["BAD_ARGUMENTS", None]
    assert trial.recorder.replies[1].calls[0].arguments == '{"city": "bei'
    assert llm.heard[1][2].calls[0].arguments == "{}"
    check_history(llm.heard[-1])


async def test_a_tool_switched_off_during_a_run_is_refused_and_no_longer_offered() -> None:
    rows: dict[str, ToolLimit] = {}

    class SwitchingLlm(ScriptedLlm):
        async def reply(
            self, messages: Sequence[Message], tools: Sequence[ToolSchema]
        ) -> ModelReply:
            reply = await super().reply(messages, tools)
            if len(self.heard) == 2:
                rows["get_poi"] = OFF
            return reply

    def read() -> Limits:
        return rows

    opened = calls("get_poi", poi_id="bj-gugong")
    llm = SwitchingLlm([opened, calls("get_poi", poi_id="bj-798"), *GOOD_PLAN])
    trial = await run_trial(make_snapshot(), llm, limits=read)
    assert codes(trial)[:2] == [None, "TOOL_DISABLED"]
    assert "get_poi" in llm.offered[1]
    assert "get_poi" not in llm.offered[2]
    assert trial.result.stop is StopReason.SUBMITTED


async def test_the_same_list_again_and_again_ends_the_run() -> None:
    llm = ScriptedLlm([calls("list_pois", city="beijing")] * 20)
    trial = await run_trial(make_snapshot(), llm)
    assert trial.result.stop is StopReason.NO_PROGRESS
    assert trial.result.turns == 6
    assert [o.content.get("repeat_of") for _, o in trial.calls] == [None, 1, 1, 1, 1, 1]


async def test_a_cycle_of_two_writes_ends_the_run() -> None:
    put, remove = calls("put_visit", day=2, poi_id="bj-798"), calls("remove_item", day=2, item=1)
    trial = await run_trial(make_snapshot(), ScriptedLlm([put, remove] * 20))
    assert codes(trial) == [None] * len(trial.calls)
    assert trial.result.stop is StopReason.NO_PROGRESS
    assert trial.result.turns == 6


async def test_calls_that_always_fail_end_the_run() -> None:
    script = [calls("put_visit", day=9, poi_id=f"bj-{n}") for n in range(20)]
    trial = await run_trial(make_snapshot(), ScriptedLlm(script))
    assert trial.result.stop is StopReason.NO_PROGRESS
    assert trial.result.turns == 5


async def test_talk_without_calls_is_nudged_once() -> None:
    llm = ScriptedLlm([says("Here is your plan."), calls("list_pois", city="beijing"), says("")])
    trial = await run_trial(make_snapshot(), llm)
    assert trial.result.stop is StopReason.NO_PROGRESS
    assert trial.result.turns == 4
    assert [m.role for m in llm.heard[1][2:]] == ["assistant", "user"]
    check_history(llm.heard[-1])


async def test_a_cut_call_is_no_call() -> None:
    cut = raw_call("list_pois", '{"city": "bei').model_copy(update={"finish_reason": "length"})
    llm = ScriptedLlm([cut, *GOOD_PLAN])
    trial = await run_trial(make_snapshot(), llm)
    assert trial.result.stop is StopReason.SUBMITTED
    assert trial.result.state.calls == 6


CUT = raw_call("list_pois", '{"city": "bei').model_copy(update={"finish_reason": "length"})
RAMBLING = says("Beijing is " * 200).model_copy(update={"finish_reason": "max_tokens"})


async def test_an_answer_that_was_cut_is_asked_for_again_shorter() -> None:
    llm = ScriptedLlm([RAMBLING, CUT, *GOOD_PLAN])
    trial = await run_trial(make_snapshot(), llm)
    assert (trial.result.stop, trial.result.turns) == (StopReason.SUBMITTED, 8)
    said, asked = llm.heard[1][2:]
    assert len(said.content) == 300
    assert "Be short" in asked.content
    check_history(llm.heard[-1])


async def test_answers_that_are_always_cut_end_the_run_with_a_reason_of_their_own() -> None:
    trial = await run_trial(make_snapshot(), ScriptedLlm([CUT, RAMBLING, CUT, *GOOD_PLAN]))
    assert (trial.result.stop, trial.result.turns) == (StopReason.ANSWER_CUT, 3)


async def test_cut_answers_are_no_talk_and_talk_is_no_cut_answer() -> None:
    script = [CUT, CUT, says("Enjoy!"), CUT, CUT, *GOOD_PLAN]
    trial = await run_trial(make_snapshot(), ScriptedLlm(script))
    assert trial.result.stop is StopReason.SUBMITTED
    trial = await run_trial(make_snapshot(), ScriptedLlm([says("a"), CUT, says("b"), *GOOD_PLAN]))
    assert trial.result.stop is StopReason.NO_PROGRESS


@pytest.mark.parametrize(
    ("params", "stop", "turns", "tool_calls"),
    [
        ({"AGENT_MAX_TURNS": 3}, StopReason.MAX_TURNS, 3, 3),
        ({"AGENT_MAX_TOKENS": 1000}, StopReason.SUBMITTED, 6, 6),
        ({"AGENT_MAX_TOOL_CALLS": 4}, StopReason.MAX_TOOL_CALLS, 4, 4),
    ],
)
async def test_stop_limits(
    params: dict[str, int], stop: StopReason, turns: int, tool_calls: int
) -> None:
    trial = await run_trial(with_params(make_snapshot(), **params), ScriptedLlm(GOOD_PLAN))
    assert (trial.result.stop, trial.result.turns) == (stop, turns)
    assert trial.result.state.calls == tool_calls


async def test_the_token_limit_holds_before_the_next_reply() -> None:
    dear = [r.model_copy(update={"usage": Usage(input_tokens=600)}) for r in GOOD_PLAN]
    snapshot = with_params(make_snapshot(), AGENT_MAX_TOKENS=1000)
    trial = await run_trial(snapshot, ScriptedLlm(dear))
    assert (trial.result.stop, trial.result.turns) == (StopReason.MAX_TOKENS, 2)


async def test_the_call_limit_holds_within_a_turn() -> None:
    reads = [make_call("get_poi", poi_id=i) for i in ("bj-gugong", "bj-798", "bj-tiantan")]
    snapshot = with_params(make_snapshot(), AGENT_MAX_TOOL_CALLS=2)
    trial = await run_trial(snapshot, ScriptedLlm([several(*reads)]))
    assert trial.result.stop is StopReason.MAX_TOOL_CALLS
    assert trial.result.state.calls == 2


class SlowLlm(ScriptedLlm):
    """Takes its time, by a clock that only this moves; may hang for ever."""

    def __init__(self, script: tuple[ModelReply, ...], clock: Clock, seconds: float) -> None:
        super().__init__(script)
        self.clock, self.seconds = clock, seconds
        self.hangs_at = -1

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        reply = await super().reply(messages, tools)
        self.clock.now += self.seconds
        if len(self.heard) == self.hangs_at:
            await asyncio.Event().wait()
        return reply


async def test_wall_time_stops_between_turns() -> None:
    clock = Clock()
    llm = SlowLlm(GOOD_PLAN, clock, 250)
    trial = await run_trial(make_snapshot(), llm, clock=clock)
    assert (trial.result.stop, trial.result.turns) == (StopReason.MAX_SECONDS, 3)


async def test_wall_time_stops_a_model_that_hangs() -> None:
    clock = Clock()
    llm = SlowLlm(GOOD_PLAN, clock, 599.95)
    llm.hangs_at = 2
    trial = await run_trial(make_snapshot(), llm, clock=clock)
    assert (trial.result.stop, trial.result.turns) == (StopReason.MAX_SECONDS, 1)


async def test_a_model_that_fails_is_a_typed_stop() -> None:
    failure = ModelError("no money", code="MODEL_QUOTA")
    trial = await run_trial(make_snapshot(), ScriptedLlm([*GOOD_PLAN[:2], failure]))
    assert trial.result.stop is StopReason.MODEL_FAILED
    assert trial.result.error is failure
    assert trial.result.state.draft.trains == {0: ("g2",)}


@pytest.mark.parametrize("looks", [0, 1, 4])
async def test_cancelling_ends_the_run_before_the_next_step(looks: int) -> None:
    trial = await run_trial(make_snapshot(), ScriptedLlm(GOOD_PLAN), stop_after=looks)
    assert trial.result.stop is StopReason.CANCELLED
    assert trial.result.state.calls == looks // 2


@pytest.mark.parametrize("kept", range(6))
async def test_a_resumed_run_asks_only_for_what_is_not_recorded(kept: int) -> None:
    snapshot = make_snapshot()
    whole = await run_trial(snapshot, ScriptedLlm(GOOD_PLAN))
    record = MemoryRecorder(
        replies={t: r for t, r in whole.recorder.replies.items() if t <= kept},
        outcomes={k: o for k, o in whole.recorder.outcomes.items() if k[0] <= kept - (kept % 2)},
    )
    llm = ScriptedLlm(GOOD_PLAN)
    resumed = await run_trial(snapshot, llm, recorder=record)
    assert resumed.result == whole.result
    assert resumed.recorder == whole.recorder
    assert len(llm.heard) == 6 - kept


async def test_time_that_no_worker_spent_does_not_count() -> None:
    clock = Clock()
    snapshot = make_snapshot()
    whole = await run_trial(snapshot, SlowLlm(GOOD_PLAN, clock, 90), clock=clock)
    assert [r.elapsed for r in whole.recorder.replies.values()] == [90, 180, 270, 360, 450, 540]
    record = MemoryRecorder(replies={1: whole.recorder.replies[1]})
    clock.now += 86_400
    resumed = await run_trial(snapshot, SlowLlm(GOOD_PLAN, clock, 90), clock=clock, recorder=record)
    assert resumed.result == whole.result


async def test_the_next_planner_goes_on_from_the_draft() -> None:
    snapshot = make_snapshot()
    failed = await run_trial(snapshot, ScriptedLlm([*GOOD_PLAN[:4], says(""), says("")]))
    start = hand_over(failed.result.state)
    llm = ScriptedLlm([calls("list_pois", city="beijing"), *GOOD_PLAN[4:]])
    trial = await run_trial(snapshot, llm, start=start)
    assert trial.result.stop is StopReason.SUBMITTED
    assert trial.calls[0][1].content["returned"] == 10
    assert trial.result.state.calls == failed.result.state.calls + 3
    brief = json.loads(llm.heard[0][1].content.split("\n")[1])
    assert brief["draft"]["hotels"] == {"beijing": "bj-h-dongdan"}


async def test_a_start_counts_its_own_calls_only() -> None:
    snapshot = with_params(make_snapshot(), AGENT_MAX_TOOL_CALLS=6)
    start = RunState(draft=Draft(), calls=6)
    trial = await run_trial(snapshot, ScriptedLlm(GOOD_PLAN), start=start)
    assert trial.result.stop is StopReason.SUBMITTED
