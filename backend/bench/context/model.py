"""The six questions to the configured language model: one request a strategy, graded as the reader is."""

import json
from collections.abc import Sequence
from typing import Any

from backend.agent.llm import LlmClient, Message, ModelError
from backend.bench.context.strategies import STRATEGIES, Asked
from backend.results.tokens import count_tokens

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
