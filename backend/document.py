"""What a delivered document is: a closed, frozen model; API, command line and console show the same.

Each document stands beside the code that makes it, and OpenAPI is generated from them.
"""

from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class Document(BaseModel):
    """A closed answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def as_json(self) -> dict[str, Any]:
        """The object that is delivered, as JSON values."""
        return self.model_dump(mode="json", by_alias=True)


class SparseDocument(Document):
    """An answer whose optional fields are left out where they do not belong to it."""

    def as_json(self) -> dict[str, Any]:
        """The object with the fields that were set."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


Entry = TypeVar("Entry")


class Page(Document, Generic[Entry]):
    """A page, newest first; `next_cursor` is null on the last one."""

    items: tuple[Entry, ...]
    next_cursor: str | int | None = None
