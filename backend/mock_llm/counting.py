"""Counts what a request would cost, with a prompt cache as providers have one: by equal beginnings.

So a client that rewrites what it has sent already shows in its own usage.

How the services differ on the wire: what each one takes, and what its replies look like.

This is the services' side and is written without a look at the client's own table, so that the one
proves the other.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

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


_PLAIN = frozenset(
    {"model", "messages", "tools", "stream", "temperature", "top_p", "seed", "user", "tool_choice"}
)


@dataclass(frozen=True)
class Dialect:
    """`takes`: keys of a body; `tool_choices`: values taken; `index`: of calls in a stream."""

    name: str
    takes: frozenset[str]
    tool_choices: frozenset[str] = frozenset({"auto", "none", "required"})
    takes_reasoning: bool = False
    demands_reasoning: bool = False
    gives_reasoning: bool = False
    is_parallel: bool = True
    index: Literal["right", "zero", "missing"] = "right"
    has_bare_chunks: bool = False
    has_usage_in_stream: bool = True


DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "openai",
        _PLAIN | {"max_completion_tokens", "stream_options", "parallel_tool_calls"},
    ),
    Dialect(
        "azure",
        _PLAIN | {"max_completion_tokens", "stream_options", "parallel_tool_calls"},
        has_bare_chunks=True,
    ),
    Dialect(
        "deepseek",
        _PLAIN | {"max_tokens", "stream_options"},
        tool_choices=frozenset({"auto", "none"}),
        takes_reasoning=True,
        demands_reasoning=True,
        gives_reasoning=True,
    ),
    Dialect(
        "dashscope",
        _PLAIN | {"max_tokens", "stream_options", "parallel_tool_calls"},
        tool_choices=frozenset({"auto", "none"}),
        gives_reasoning=True,
    ),
    Dialect("vllm", _PLAIN | {"max_tokens", "stream_options"}, gives_reasoning=True),
    Dialect(
        "ollama",
        _PLAIN | {"max_tokens", "stream_options"},
        tool_choices=frozenset({"auto"}),
        index="zero",
        has_usage_in_stream=False,
    ),
    Dialect(
        "strictest",
        frozenset({"model", "messages", "tools", "stream", "stream_options"}),
        tool_choices=frozenset({"auto"}),
    ),
)


def find_dialect(name: str) -> Dialect:
    """The dialect of that name, one of the table."""
    return next(dialect for dialect in DIALECTS if dialect.name == name)
