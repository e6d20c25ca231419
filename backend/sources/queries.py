"""Reads and writes sources; every change stands in the audit trail.

Sources as rows that an admin writes, and their last responses.

The sources that come with Waypool, as data files; all are switched off at first.
"""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import (
    BigInteger,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    cast,
    delete,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import JSON, insert
from sqlalchemy.orm import Mapped, mapped_column

from backend.audit.queries import Author, Change, record_change
from backend.db.session import Base, CodeText, Session, Statements
from backend.document import Document
from backend.document import Moment as MomentText
from backend.errors import ConflictError, NotFoundError, StaleVersionError, WaypoolError
from backend.settings import find_data
from backend.sources.spec import Source
from backend.text import find_near

Moment = DateTime(timezone=True)


class DataSource(Base):
    """A source by its name; `spec` is the whole of it, the switch stands beside it."""

    __tablename__ = "data_source"

    name: Mapped[CodeText] = mapped_column(primary_key=True)
    enabled: Mapped[bool]
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    version: Mapped[int] = mapped_column(default=1)
    updated_at: Mapped[dt.datetime] = mapped_column(Moment)

    @property
    def source(self) -> Source:
        """The source that the row says."""
        return Source.model_validate(self.spec)


class SourceResponse(Base):
    """A response as it came, compressed, and encrypted where a key is configured."""

    __tablename__ = "source_response"
    __table_args__ = (
        Index("ix_source_response_source", "source"),
        Index("ix_source_response_used_at", "used_at"),
    )

    address: Mapped[CodeText] = mapped_column(primary_key=True)
    source: Mapped[CodeText] = mapped_column(ForeignKey("data_source.name", ondelete="CASCADE"))
    content: Mapped[bytes] = mapped_column(LargeBinary)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    content_type: Mapped[str | None] = mapped_column(Text)
    etag: Mapped[str | None] = mapped_column(Text)
    modified: Mapped[str | None] = mapped_column(Text)
    fresh_until: Mapped[dt.datetime] = mapped_column(Moment)
    used_at: Mapped[dt.datetime] = mapped_column(Moment)


class BadSourceError(WaypoolError):
    """A source whose row could not work; every fault is named."""

    code = "BAD_SOURCE"


def parse_source(value: Any) -> Source:
    """The source that a JSON value says; a `BadSourceError` names every fault with its place."""
    try:
        return Source.model_validate(value)
    except ValidationError as error:
        fault = BadSourceError("this is no source that could work")
        fault.details = tuple(
            f"{'.'.join(map(str, entry['loc'])) or 'the source'}: {_say(entry)}"
            for entry in error.errors(include_url=False)
        )
        raise fault from None


def _say(entry: Mapping[str, Any]) -> str:
    return str(entry["msg"]).removeprefix("Value error, ")


@cache
def list_configured() -> tuple[Source, ...]:
    """The sources of `seed_data/sources`, by name."""
    files = sorted((find_data("seed_data") / "sources").glob("*.json"))
    return tuple(parse_source(json.loads(file.read_text("utf-8"))) for file in files)


def get_configured(name: str) -> Source:
    """One of them."""
    return next(source for source in list_configured() if source.name == name)


async def insert_configured(session: Session, at: dt.datetime) -> int:
    """A row, switched off, for each source that comes along and is not there; how many were added."""
    rows = [
        {"name": s.name, "enabled": False, "spec": dump_spec(s), "version": 1, "updated_at": at}
        for s in list_configured()
    ]
    statement = insert(DataSource).values(rows).on_conflict_do_nothing(index_elements=["name"])
    return len((await session.execute(statement.returning(DataSource.name))).all())


def dump_spec(source: Source) -> dict[str, Any]:
    """The source as its row keeps it: what was said, and no defaults."""
    return source.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def list_sources(session: Session) -> Sequence[DataSource]:
    """All sources by name."""
    return (await session.scalars(select(DataSource).order_by(DataSource.name))).all()


class SourceRow(NamedTuple):
    """A source as its row keeps it, `spec` as JSON text."""

    name: str
    enabled: bool
    spec: str


_ROWS = select(DataSource.name, DataSource.enabled, cast(DataSource.spec, Text)).order_by(
    DataSource.name
)
_ROWS_TEXT = str(_ROWS)


async def list_source_rows(session: Session) -> list[SourceRow]:
    """All sources by name."""
    return [SourceRow(*row) for row in await session.execute(_ROWS)]


async def list_sources_alone(statements: Statements) -> list[SourceRow]:
    """The same in a statement of its own, as the calls of runs read them."""
    async with statements.connection() as connection:
        rows = await (await connection.execute(_ROWS_TEXT.encode())).fetchall()
    return [SourceRow(*row) for row in rows]


async def get_source(session: Session, name: str) -> DataSource:
    """The row of that name; a `NotFoundError` names near ones."""
    row = await session.get(DataSource, name)
    if row is None:
        names = (await session.scalars(select(DataSource.name))).all()
        near = ", ".join(find_near(name, names)) or ", ".join(sorted(names)) or "there are none"
        raise NotFoundError(f"no source {name[:60]!r}; near: {near}")
    return row


async def add_source(session: Session, source: Source, author: Author) -> DataSource:
    """A new source, switched off."""
    values = {"name": source.name, "enabled": False, "spec": dump_spec(source), "version": 1}
    statement = insert(DataSource).values(**values, updated_at=author.at)
    added = statement.on_conflict_do_nothing(index_elements=["name"]).returning(DataSource)
    row = (await session.scalars(added)).one_or_none()
    if row is None:
        raise ConflictError(f"there is a source {source.name!r}; change or remove that one")
    await record_change(session, author, Change("source", source.name, None, _show(row), 1))
    return row


async def write_source(
    session: Session,
    name: str,
    author: Author,
    *,
    source: Source | None = None,
    enabled: bool | None = None,
    expected_version: int | None = None,
) -> DataSource:
    """Change what a source says, or switch it on or off; it holds from the next call on."""
    await get_source(session, name)
    wanted = select(DataSource).where(DataSource.name == name).with_for_update()
    row = (await session.scalars(wanted)).one()
    if expected_version is not None and row.version != expected_version:
        raise StaleVersionError(f"{name} is at version {row.version}, not {expected_version}")
    old = _show(row)
    if source is not None:
        row.spec = dump_spec(source)
        await session.execute(delete(SourceResponse).where(SourceResponse.source == name))
    if enabled is not None:
        row.enabled = enabled
    row.version, row.updated_at = row.version + 1, author.at
    await record_change(session, author, Change("source", name, old, _show(row), row.version))
    return row


async def remove_source(
    session: Session, name: str, author: Author, *, expected_version: int | None = None
) -> None:
    """Delete a source and its responses."""
    row = await get_source(session, name)
    if expected_version is not None and row.version != expected_version:
        raise StaleVersionError(f"{name} is at version {row.version}, not {expected_version}")
    change = Change("source", name, _show(row), None, row.version + 1)
    await session.execute(delete(DataSource).where(DataSource.name == name))
    await record_change(session, author, change)


def _show(row: DataSource) -> dict[str, Any]:
    return {"enabled": row.enabled, "spec": row.spec}


async def find_response(session: Session, address: str, at: dt.datetime) -> SourceResponse | None:
    """The kept response of an address, which is thereby used."""
    row = await session.get(SourceResponse, address)
    if row is not None:
        row.used_at = at
    return row


async def put_response(session: Session, values: dict[str, Any]) -> None:
    """Keep a response in place of the former one; none where its source is gone."""
    known = select(DataSource.name).where(DataSource.name == values["source"])
    if (await session.execute(known.with_for_update(key_share=True))).first() is None:
        return
    statement = insert(SourceResponse).values(**values)
    changed = {key: value for key, value in values.items() if key != "address"}
    statement = statement.on_conflict_do_update(index_elements=["address"], set_=changed)
    await session.execute(statement)


async def drop_response(session: Session, address: str) -> None:
    """Keep nothing for an address."""
    await session.execute(delete(SourceResponse).where(SourceResponse.address == address))


async def make_room(session: Session, limit: int, unused_since: dt.datetime) -> None:
    """Drop what nobody has used for long, and the least used beyond `limit` bytes of content."""
    await session.execute(delete(SourceResponse).where(SourceResponse.used_at < unused_since))
    total = func.sum(SourceResponse.size_bytes).over(order_by=SourceResponse.used_at.desc())
    ranked = select(SourceResponse.address, total.label("total")).subquery()
    beyond = select(ranked.c.address).where(ranked.c.total > limit)
    await session.execute(delete(SourceResponse).where(SourceResponse.address.in_(beyond)))


class SourceItem(Document):
    """A source's row; `id` is its name, `spec` a `Source`."""

    id: str
    name: str
    enabled: bool
    question: str
    cities: tuple[str, ...]
    spec: dict[str, Any]
    version: int
    updated_at: MomentText


def show_source(row: DataSource) -> SourceItem:
    """A source as lists show it."""
    source = row.source
    return SourceItem(
        id=row.name,
        name=row.name,
        enabled=row.enabled,
        question=source.question,
        cities=source.cities,
        spec=row.spec,
        version=row.version,
        updated_at=row.updated_at.isoformat(),
    )
