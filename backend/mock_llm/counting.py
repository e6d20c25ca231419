"""Counts what a request would cost, with a prompt cache as providers have one: by equal beginnings.

So a client that rewrites what it has sent already shows in its own usage.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.mock_llm.replies import WireReply
from backend.mock_llm.scenario import UsageScript
from backend.results.tokens import count_tokens

_REMEMBERED = 20_000
_OVERHEAD = 4
"""Tokens that each message has beside its text, about."""


@dataclass
class PromptCache:
    """The beginnings seen so far, by digest; the oldest are forgotten first."""

    seen: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def count(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """Tokens of a request, and how many of them came before with the same beginning."""
        total = cached = 0
        digest = hashlib.sha256()
        for part in _list_parts(body):
            digest.update(part.encode("utf-8", "replace"))
            key, tokens = digest.hexdigest(), count_tokens(part) + _OVERHEAD
            total += tokens
            if key in self.seen:
                cached = total
            self._remember(key)
        return total, cached

    def _remember(self, key: str) -> None:
        self.seen[key] = None
        self.seen.move_to_end(key)
        while len(self.seen) > _REMEMBERED:
            self.seen.popitem(last=False)


def _list_parts(body: Mapping[str, Any]) -> Iterator[str]:
    yield json.dumps(body.get("tools", []), ensure_ascii=False)
    for message in body["messages"]:
        yield json.dumps(message, ensure_ascii=False)


def write_usage(
    counted: tuple[int, int], reply: WireReply, script: UsageScript | None
) -> dict[str, Any]:
    """The `usage` of a reply: what the script says, else what was counted."""
    if script is None:
        said = json.dumps([[c.name, c.arguments] for c in reply.calls], ensure_ascii=False)
        output = count_tokens(f"{reply.reasoning or ''}{reply.text or ''}{said}")
        script = UsageScript(input=counted[0], cached=counted[1], output=output)
    return {
        "prompt_tokens": script.input,
        "completion_tokens": script.output,
        "total_tokens": script.input + script.output,
        "prompt_tokens_details": {"cached_tokens": script.cached},
    }
