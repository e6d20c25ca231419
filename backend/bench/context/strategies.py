"""Six questions under four strategies: what stands in the context, and whether the answers are right.

The main conversation has eight rounds: a call to each source, the answer, and one more question of
the traveller. A sub-agent begins with the same base, reads one response, and tells its answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.bench.context.conversation import BASE_BYTES, Conversation, Size, measure
from backend.bench.context.reader import read_answer
from backend.bench.context.responses import Question
from backend.results.values import write_json
from backend.sources.arguments import fill_arguments
from backend.sources.configured import get_configured
from backend.sources.projection import Projection, project

CUT_BYTES = 8 * 1024
HANDLE = "res_01m8n3sn0sh3kxts3ra5qps92w"
"""A handle as any other, so that each run counts the same tokens."""

_AFTER = 2  # rounds: the answer, and one question after it


@dataclass(frozen=True)
class Asked:
    """A question with what its source's projection gives, bare and as it is sent."""

    question: Question
    facts: str
    sent: str

    @property
    def raw(self) -> str:
        """The response as text."""
        return self.question.raw.decode()

    @property
    def cut(self) -> str:
        """The first 8 KB of it; half a character is dropped."""
        return self.question.raw[:CUT_BYTES].decode(errors="ignore")


def ask_sources(questions: Sequence[Question]) -> list[Asked]:
    """Project each response as the tool of its source does."""
    return [_ask(question) for question in questions]


def _ask(question: Question) -> Asked:
    source = get_configured(question.source)
    arguments = fill_arguments(source, question.arguments)
    found: Projection = project(source, question.raw, arguments)
    handle = None if found.kept is None else HANDLE
    return Asked(question, write_json(found.answer), write_json(found.as_sent(handle)))


STRATEGIES: tuple[tuple[str, Callable[[Asked], str], bool], ...] = (
    ("full dump", lambda asked: asked.raw, False),
    ("projection, bare facts", lambda asked: asked.facts, False),
    ("projection, as sent", lambda asked: asked.sent, False),
    ("sub-agent", lambda asked: asked.facts, True),
    ("cut at 8 KB", lambda asked: asked.cut, False),
)
"""Name, what comes into the main context, and whether a sub-agent reads the response before."""


def run_strategy(
    asked: Sequence[Asked], choose: Callable[[Asked], str], base: Size, *, has_agents: bool
) -> dict[str, Any]:
    """Sizes and answers of one strategy; a context has room for what it holds, however much it is."""
    main, agents = Conversation(base), Size()
    right = []
    for each in asked:
        main.ask()
        text = choose(each)
        if has_agents:
            agents += _run_agent(base, measure(each.raw))
        main.add(measure(text))
        question = each.question
        found = read_answer(question.source, question.arguments, text)
        right.append(found == question.answer)
    for _ in range(_AFTER):
        main.ask()
    return {
        "final_context": main.context.as_json(),
        "throughput": (main.sent + agents).as_json(),
        "rounds": main.rounds,
        "agent_rounds": 2 * len(asked) if has_agents else 0,
        "right": right,
    }


def _run_agent(base: Size, raw: Size) -> Size:
    """What a sub-agent sends: the task, and the task with the response."""
    agent = Conversation(base)
    agent.ask()
    agent.add(raw)
    agent.ask()
    return agent.sent


def compare(strategies: Mapping[str, Any]) -> dict[str, Any]:
    """The ratios of the public measurement, for bare facts and for answers as they are sent."""
    full, agents = strategies["full dump"], strategies["sub-agent"]
    bare = strategies["projection, bare facts"]["throughput"]["bytes"]
    behind = agents["throughput"]["bytes"] - bare  # what the sub-agents send
    ratios = {}
    for name in ("projection, bare facts", "projection, as sent"):
        own = strategies[name]
        main = own["throughput"]["bytes"]
        ratios[name] = {
            "full_final_context": _divide(full, own, "final_context"),
            "full_throughput": _divide(full, own, "throughput"),
            "agents_throughput": round((main + behind) / main, 1),
        }
    return ratios


def _divide(one: Mapping[str, Any], other: Mapping[str, Any], what: str) -> float:
    return round(float(one[what]["bytes"] / other[what]["bytes"]), 1)


def make_base(text: str) -> Size:
    """The size of the first 2,000 bytes of a text, which has to be that long."""
    base = measure(text.encode()[:BASE_BYTES].decode(errors="ignore"))
    assert base.bytes == BASE_BYTES
    return base
