"""A conversation by its sizes: every round sends the whole context again."""

from dataclasses import dataclass, field

from backend.results.tokens import count_tokens

BASE_BYTES = 2_000
"""System text and task, as in the measurement that this one stands beside."""


@dataclass(frozen=True)
class Size:
    """Bytes of UTF-8, and tokens of o200k_base."""

    bytes: int = 0
    tokens: int = 0

    def __add__(self, other: "Size") -> "Size":
        """Both together."""
        return Size(self.bytes + other.bytes, self.tokens + other.tokens)

    def as_json(self) -> dict[str, int]:
        """As a report has it."""
        return {"bytes": self.bytes, "tokens": self.tokens}


def measure(text: str) -> Size:
    """The size of a text."""
    return Size(len(text.encode()), count_tokens(text))


@dataclass
class Conversation:
    """A context that grows; `sent` is what all requests to the model have sent so far."""

    context: Size
    sent: Size = field(default_factory=Size)
    rounds: int = 0

    def ask(self) -> None:
        """One request to the model."""
        self.sent += self.context
        self.rounds += 1

    def add(self, text: Size) -> None:
        """What a tool gave stands in the context from now on."""
        self.context += text
