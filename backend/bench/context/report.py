"""`waypool bench context`: both tables, as JSON values and as lines of Markdown.

The six questions to the configured language model: one request a strategy, graded as the reader is.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backend.agent.llm import LlmClient, Message, ModelError
from backend.agent.prompt import SYSTEM
from backend.bench.context.line import ROWS, draw_line
from backend.bench.context.responses import make_questions
from backend.bench.context.strategies import (
    STRATEGIES,
    Asked,
    Size,
    ask_sources,
    compare,
    make_base,
    measure,
    run_strategy,
)
from backend.bench.context.trip import measure_tools, measure_trip
from backend.bootstrap import make_models
from backend.results.values import count_tokens
from backend.settings import Settings

MAX_TOKENS = 100_000
"""What most models have room for; a strategy with more is not asked."""

_SYSTEM = """Answer the questions from the tool results alone. Reply with one JSON object and nothing else:
{"hk_weather_warnings": [names], "hk_air_quality": {station: index as text},
"hk_weather_now": {"temperature": number, "humidity": number},
"hk_public_holidays": name of the holiday or null, "hk_news": [titles, newest first],
"hk_border_crossings": {"largest": [[control point, passengers], four of them], "total": number}}"""


async def ask_model(client: LlmClient, asked: Sequence[Asked]) -> dict[str, Any]:
    """By strategy which answers were right; None where the context has no room for it."""
    return {
        name: await _ask(client, asked, [choose(each) for each in asked])
        for name, choose, has_agents in STRATEGIES
        if not has_agents  # its context is that of the bare facts
    }


async def _ask(
    client: LlmClient, asked: Sequence[Asked], texts: Sequence[str]
) -> dict[str, Any] | None:
    if sum(map(count_tokens, texts)) > MAX_TOKENS:
        return None
    parts = [
        f"{each.question.source}: {each.question.text}\n{text}"
        for each, text in zip(asked, texts, strict=True)
    ]
    messages = [
        Message(role="system", content=_SYSTEM),
        Message(role="user", content="\n\n".join(parts)),
    ]
    try:
        reply = await client.reply(messages, [])
    except ModelError as error:
        return {"error": error.code, "right": [False] * len(asked), "input_tokens": 0}
    answers = _parse(reply.text)
    right = [answers.get(each.question.source, asked) == each.question.answer for each in asked]
    return {"right": right, "input_tokens": reply.usage.input_tokens}


def _parse(text: str) -> dict[str, Any]:
    """The object in a reply, whatever stands around it."""
    try:
        found = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


REFERENCE = {"full_final_context": 1059, "full_throughput": 389, "agents_throughput": 186}
"""An earlier public measurement of the same task."""

WANTED = {"full_final_context": 800, "full_throughput": 280, "agents_throughput": 130}
"""What an answer as it is sent, with `kept` and handle, should reach all the same."""


async def run_context_bench(url: str, settings: Settings, seed: int) -> dict[str, Any]:
    """Six questions and one trip; sizes in bytes and tokens."""
    asked = ask_sources(make_questions(seed))
    report = compare_strategies(asked) | {"trip": await measure_trip(url, settings)}
    models = make_models(settings)
    if models is None:
        return report
    async with models.open(None) as client:
        return report | {"model": await ask_model(client, asked)}


def compare_strategies(asked: Sequence[Asked], counts: Sequence[int] = ROWS) -> dict[str, Any]:
    """The six questions, and results of so many rows."""
    base = make_base(SYSTEM["en"] + "".join(each.question.text for each in asked) + SYSTEM["en"])
    strategies = {
        name: run_strategy(asked, choose, base, has_agents=has_agents)
        for name, choose, has_agents in STRATEGIES
    }
    real = measure(SYSTEM["en"]) + measure_tools()
    return {
        "base": base.as_json(),
        "real_base": real.as_json(),
        "sources": [_describe_source(each) for each in asked],
        "strategies": strategies,
        "ratios": compare(strategies),
        "reference": REFERENCE,
        "wanted": WANTED,
        "line": draw_line(base, counts),
    }


def _describe_source(asked: Asked) -> dict[str, Any]:
    sizes: Mapping[str, Size] = {
        "raw": measure(asked.raw),
        "facts": measure(asked.facts),
        "sent": measure(asked.sent),
    }
    shown = {name: size.as_json() for name, size in sizes.items()}
    return {"source": asked.question.source, "question": asked.question.text, **shown}


def describe_context(report: Mapping[str, Any]) -> Iterator[str]:
    """The report as Markdown."""
    yield from _describe_sources(report)
    yield ""
    yield from _describe_strategies(report)
    yield ""
    yield from _describe_ratios(report)
    yield ""
    yield _describe_bases(report)
    if "trip" in report:
        yield ""
        yield from describe_trip(report["trip"])
    yield ""
    yield from describe_line(report["line"])
    if "model" in report:
        yield ""
        yield from describe_model(report["model"])


def describe_model(answers: Mapping[str, Any]) -> Iterator[str]:
    """What the configured model made of the same contexts."""
    yield from _head("model", "input tokens", "right")
    for name, found in answers.items():
        if found is None:
            yield _row(name, "", "no room")
        else:
            right = found.get("error") or f"{sum(found['right'])} of {len(found['right'])}"
            yield _row(name, f"{found['input_tokens']:,}", right)


def _describe_bases(report: Mapping[str, Any]) -> str:
    base, real = report["base"], report["real_base"]
    return (
        f"base: {base['bytes']:,} bytes, {base['tokens']:,} tokens; the product's own, system prompt"
        f" and schemas of all tools: {real['bytes']:,} bytes, {real['tokens']:,} tokens"
    )


def _describe_sources(report: Mapping[str, Any]) -> Iterator[str]:
    yield from _head("source", "raw bytes", "facts", "as sent", "raw tokens", "facts", "as sent")
    for source in report["sources"]:
        sizes = [source[name] for name in ("raw", "facts", "sent")]
        numbers = [size["bytes"] for size in sizes] + [size["tokens"] for size in sizes]
        yield _row(f"`{source['source']}`", *(f"{number:,}" for number in numbers))


def _describe_strategies(report: Mapping[str, Any]) -> Iterator[str]:
    titles = ("final context, bytes", "tokens", "throughput, bytes", "tokens", "rounds", "right")
    yield from _head("strategy", *titles)
    for name, found in report["strategies"].items():
        rounds = f"{found['rounds']}"
        if found["agent_rounds"]:
            rounds += f" + {found['agent_rounds']}"
        right = f"{sum(found['right'])} of {len(found['right'])}"
        yield _row(name, *_sizes(found), rounds, right)


def _describe_ratios(report: Mapping[str, Any]) -> Iterator[str]:
    yield from _head("ratio", "measured elsewhere", "bare facts", "wanted as sent", "as sent")
    labels = {
        "full_final_context": "full dump / projection, final context",
        "full_throughput": "full dump / projection, throughput",
        "agents_throughput": "sub-agent / projection, throughput",
    }
    bare, sent = report["ratios"].values()
    for key, label in labels.items():
        yield _row(
            label,
            f"{report['reference'][key]:,}",
            f"{bare[key]:,.0f}",
            f"{report['wanted'][key]:,}",
            f"{sent[key]:,.0f}",
        )


def describe_trip(trip: Mapping[str, Any]) -> Iterator[str]:
    """The second table."""
    titles = ("rows", "final context, bytes", "tokens", "throughput, bytes", "tokens", "rounds")
    yield from _head("one trip", *titles)
    for name in ("pool pages", "rows of its cities", "whole catalogue"):
        found = trip[name]
        yield _row(name, f"{found['rows']:,}", *_sizes(found), str(found["rounds"]))


def describe_line(line: Mapping[str, Any]) -> Iterator[str]:
    """Where a handle begins to pay; tokens, whole / handle."""
    titles = ("whole", "handle", "3 rounds", "6 rounds", "from the summary")
    yield from _head("rows", *titles, "six questions", "all rows, 6 rounds")
    for found in line["lines"]:
        pairs = [*found["rounds"].values(), found["six_questions"], found["all_rows"]]
        shown = [f"{pair['whole']:,} / {pair['handle']:,}" for pair in pairs]
        known = f"{len(found['summary_answers'])} of {len(line['follow_ups'])}"
        sizes = (f"{found[name]:,}" for name in ("rows", "whole_tokens", "handle_tokens"))
        yield _row(*sizes, *shown[:2], known, *shown[2:])
    yield ""
    labels = {
        "smaller_from": "a handle is smaller",
        "six_questions_from": "it costs less with all six questions",
        "all_rows_from": "it costs less where every row is needed",
    }
    for key, label in labels.items():
        found = line["thresholds"][key]
        yield f"{label}: " + (
            f"from {found['rows']:,} rows, {found['tokens']:,} tokens on" if found else "never"
        )


def _sizes(found: Mapping[str, Any]) -> Sequence[str]:
    pairs = (found["final_context"], found["throughput"])
    return [f"{pair[unit]:,}" for pair in pairs for unit in ("bytes", "tokens")]


def _head(*titles: str) -> Iterator[str]:
    yield _row(*titles)
    yield _row(*("---" for _ in titles))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
