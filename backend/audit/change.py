"""A change and its author, as values."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from backend.document import Document, Moment, Page

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


class AuditItem(Document):
    """A change; `old` and `new` are values, of a tool or a row of the catalogue objects."""

    id: int
    at: Moment
    who: str = Field(description="Id of the key, or `operator` for the command line.")
    kind: str
    subject: str
    version: int | None = Field(description="The version that the change made.")
    old: Any
    new: Any
    why: str | None


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

    def show(self) -> AuditItem:
        """The entry as lists show it."""
        return AuditItem(
            id=self.id,
            at=self.at.isoformat(),
            who=self.who,
            kind=self.kind,
            subject=self.subject,
            version=self.version,
            old=self.old,
            new=self.new,
            why=self.why,
        )


def make_page(entries: Sequence[Recorded], limit: int) -> Page[AuditItem]:
    """A page of at most `limit` entries; `entries` holds one more where there are more."""
    items = tuple(entry.show() for entry in entries[:limit])
    return Page(items=items, next_cursor=items[-1].id if len(entries) > limit else None)
