"""How the services differ on the wire: what each one takes, and what its replies look like.

This is the services' side and is written without a look at the client's own table, so that the one
proves the other.
"""

from dataclasses import dataclass
from typing import Literal

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
