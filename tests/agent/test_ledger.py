"""What the ledger counts is what is sent; it adds up, and a budget stops before it is exceeded."""

import dataclasses
import json
from collections.abc import Sequence

import pytest

from backend.agent.ledger import Ledger, StopReason, is_estimate
from backend.agent.llm import Message, ModelReply, Usage, add_sizes
from backend.agent.loop import Watch, run_agent
from backend.agent.replies import MemoryRecorder, ScriptedLlm, calls, says
from backend.pool.snapshot import Snapshot
from backend.results.values import count_tokens
from backend.tools.call import ToolSchema
from backend.tools.runner import ToolRunner
from tests.agent.harness import with_params
from tests.factories import make_snapshot

SCRIPT = [
    calls("list_pois", city="beijing"),
    says("嗯"),
    calls("get_poi", poi_id="bj-gugong"),
    calls("list_pois", city="beijing"),
]


@dataclasses.dataclass
class Told(ScriptedLlm):
    """Remembers the requests as a provider would get them."""

    requests: list[tuple[tuple[Message, ...], tuple[ToolSchema, ...]]] = dataclasses.field(
        default_factory=list
    )

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        self.requests.append((tuple(messages), tuple(tools)))
        return await super().reply(messages, tools)


async def run(snapshot: Snapshot, llm: ScriptedLlm, recorder: MemoryRecorder) -> StopReason:
    async def never() -> bool:
        return False

    async def no_limits() -> dict[str, object]:
        return {}

    tools = ToolRunner(snapshot, no_limits)  # type: ignore[arg-type]
    watch = Watch(lambda: 0.0, never, Ledger())
    return (await run_agent(snapshot, llm, tools, recorder, watch)).stop


def count(text: str) -> dict[str, int]:
    return {"bytes": len(text.encode()), "characters": len(text), "tokens": count_tokens(text)}


async def test_each_request_is_counted_by_part() -> None:
    llm, recorder = Told(SCRIPT), MemoryRecorder()
    await run(make_snapshot(locale="zh-CN"), llm, recorder)
    sent = [reply.sent for reply in recorder.replies.values() if reply.sent]
    assert len(sent) == len(llm.requests) >= 5
    for (messages, tools), measured in zip(llm.requests, sent, strict=True):
        schemas = [tool.model_dump() for tool in tools]
        text = json.dumps(schemas, ensure_ascii=False, separators=(",", ":"))
        assert measured.parts["tools"].model_dump() == count(text)
        assert measured.parts["system"].model_dump() == count(messages[0].content)
        assert measured.parts["request"].model_dump() == count(messages[1].content)
        told = [m.content for m in messages if m.role == "tool"]
        listed = sum(size.bytes for part, size in measured.parts.items() if part[:5] == "tool:")
        assert listed == sum(len(content.encode()) for content in told)
    assert set(sent[4].parts) == {
        "system", "tools", "request", "model", "nudge", "tool:list_pois", "tool:get_poi",
    }  # fmt: skip


async def test_what_is_new_adds_up_to_the_last_request() -> None:
    recorder = MemoryRecorder()
    await run(make_snapshot(), ScriptedLlm(SCRIPT), recorder)
    sent = [reply.sent for reply in recorder.replies.values() if reply.sent]
    fresh = add_sizes(size for one in sent for size in one.fresh.values())
    assert fresh == sent[-1].total
    assert set(sent[0].fresh) == {"system", "tools", "request"}
    assert set(sent[1].fresh) == {"model", "tool:list_pois"}


async def test_a_request_that_would_exceed_the_budget_is_not_made() -> None:
    llm, recorder = Told(SCRIPT), MemoryRecorder()
    await run(make_snapshot(), llm, recorder)
    totals = [reply.sent.total.tokens for reply in recorder.replies.values() if reply.sent]
    snapshot = with_params(make_snapshot(), CONTEXT_TOKEN_BUDGET=totals[1])
    bounded, kept = Told(SCRIPT), MemoryRecorder()
    assert await run(snapshot, bounded, kept) is StopReason.CONTEXT_BUDGET
    assert len(bounded.requests) == 2
    assert all(r.sent.total.tokens <= totals[1] for r in kept.replies.values() if r.sent)


async def test_a_service_that_counts_more_is_believed() -> None:
    dear = [r.model_copy(update={"usage": Usage(input_tokens=90_000)}) for r in SCRIPT]
    snapshot = with_params(make_snapshot(), CONTEXT_TOKEN_BUDGET=90_010)
    recorder = MemoryRecorder()
    assert await run(snapshot, Told(dear), recorder) is StopReason.CONTEXT_BUDGET
    assert len(recorder.replies) == 1


async def test_nothing_that_was_sent_is_ever_changed() -> None:
    llm = Told(SCRIPT)
    await run(make_snapshot(), llm, MemoryRecorder())
    for (before, tools), (after, later) in zip(llm.requests, llm.requests[1:], strict=False):
        assert after[: len(before)] == before
        assert later == tools


@pytest.mark.parametrize(
    ("model", "estimated"),
    [("gpt-5-mini", False), ("openai/o3", False), ("qwen-max", True), ("double", True)],
)
def test_another_model_s_tokens_are_an_estimate(model: str, estimated: bool) -> None:
    assert is_estimate(model) is estimated
