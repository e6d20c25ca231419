"""A change and its author, as values."""

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal

ChangeKind = Literal["param", "tool", "source", "poi", "hotel", "train"]

OPERATOR = "operator"
"""Who works at the command line."""


@dataclass(frozen=True)
class Author:
    """Who makes a change, an API key's id or the operator, when, and why."""

    at: dt.datetime
    who: str = OPERATOR
    why: str | None = None


@dataclass(frozen=True)
class Change:
    """What has changed about one thing; `version` is the one that stands now."""

    kind: ChangeKind
    subject: str
    old: Any
    new: Any
    version: int | None = None


@dataclass(frozen=True)
class Recorded:
    """An entry of the trail; `id` grows with each."""

    id: int
    at: dt.datetime
    who: str
    kind: str
    subject: str
    version: int | None
    old: Any
    new: Any
    why: str | None

    def as_json(self) -> dict[str, Any]:
        """The entry as lists show it."""
        return {
            "id": self.id,
            "at": self.at.isoformat(),
            "who": self.who,
            "kind": self.kind,
            "subject": self.subject,
            "version": self.version,
            "old": self.old,
            "new": self.new,
            "why": self.why,
        }
