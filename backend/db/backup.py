"""A whole database in one file, and back: by COPY, so that neither programs nor versions matter.

`pg_dump` must be as new as the server, and what a new one writes an older server does not take,
while a given PostgreSQL may be any from 15 on. So the archive (a zip file) holds the rows as
PostgreSQL's COPY text, and the revision of the database. A restore makes the tables by Waypool's
own migrations up to that revision and puts the rows in; the usual upgrade brings them to today's.
"""

import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Literal

import psycopg
from psycopg import sql
from pydantic import BaseModel, ConfigDict, ValidationError

from backend.db.migrate import build_schema, hold_connection
from backend.errors import ConfigurationError, ConflictError, UnavailableError, WaypoolError

MANIFEST = "waypool-backup.json"
QUEUE_PREFIX = "procrastinate_"
OWN_PREFIX = "waypool_"
"""Begins the names of functions that migrations make."""

OF_EVERY_INSTALLATION = frozenset({"system_param", "function_tool", "migration_phase"})
"""Tables that have rows before anybody has put anything in."""

CHUNK = 1 << 20
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)

OnProgress = Callable[[int, int], None]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TableEntry(_Entry):
    """A table of the archive; its rows are in `tables/NAME`."""

    name: str
    columns: tuple[str, ...]
    rows: int


class SequenceEntry(_Entry):
    """Where a sequence stands."""

    name: str
    last_value: int
    is_called: bool


class Manifest(_Entry):
    """What an archive holds, and what made it."""

    format: Literal["waypool-backup-1"] = "waypool-backup-1"
    version: str
    revision: str
    created_at: str
    tables: tuple[TableEntry, ...]
    sequences: tuple[SequenceEntry, ...]

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for table in self.tables)


@dataclass(frozen=True)
class Maker:
    """Who makes an archive: the version of the code, the time, and the tables that are Waypool's."""

    version: str
    created_at: str
    tables: frozenset[str]


def write_backup(url: str, target: Path, maker: Maker, on_progress: OnProgress) -> Manifest:
    """Write all rows, as they are at one moment, into a file that is there whole or not at all."""
    with _explained(target), _whole_file(target) as unfinished, psycopg.connect(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        revision = _read_revision(connection)
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            tables = _list_tables(connection, maker.tables)
            entries = []
            for n, (name, columns) in enumerate(tables.items(), 1):
                entries.append(_write_table(connection, archive, name, columns))
                on_progress(n, len(tables))
            manifest = Manifest(
                version=maker.version,
                revision=revision,
                created_at=maker.created_at,
                tables=tuple(entries),
                sequences=_read_sequences(connection, tables),
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
    return manifest


def restore_backup(
    url: str, source: Path, tables: frozenset[str], on_progress: OnProgress, *, replaces: bool
) -> Manifest:
    """Put an archive's rows into a database, all or nothing; it is at the archive's revision then.

    A database that holds anything is refused unless `replaces`; `tables` are those of Waypool, and
    no others are touched.
    """
    with _explained(source), _open_archive(source) as archive:
        manifest = _read_manifest(archive, source)
        with hold_connection(url) as connection:
            raw = connection.connection.driver_connection
            assert isinstance(raw, psycopg.Connection)
            _clear(raw, tables, replaces=replaces)
            build_schema(connection, manifest.revision)
            raw.execute("set local statement_timeout = 0")
            _fill(raw, archive, manifest, on_progress)
            connection.commit()
    return manifest


def _read_revision(connection: psycopg.Connection) -> str:
    found = connection.execute("select to_regclass('alembic_version') is not null").fetchone()
    row = None
    if found and found[0]:
        row = connection.execute("select version_num from alembic_version").fetchone()
    if row is None:
        raise ConfigurationError("the database is empty: there is nothing to back up")
    return str(row[0])


def _list_tables(
    connection: psycopg.Connection, known: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """The columns of Waypool's and its queue's tables; generated columns are computed again."""
    rows = connection.execute(
        "select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')"
        " and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''"
        ' order by c.relname collate "C", a.attnum'
    )
    found: dict[str, tuple[str, ...]] = {}
    for table, column in rows:
        if _is_ours(table, known):
            found[table] = (*found.get(table, ()), column)
    return found


def _is_ours(table: str, known: frozenset[str]) -> bool:
    return table in known or table.startswith(QUEUE_PREFIX)


def _copy(table: str, columns: tuple[str, ...], direction: str) -> sql.Composed:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    way = sql.SQL("to stdout") if direction == "out" else sql.SQL("from stdin")
    return sql.SQL("copy {} ({}) ").format(sql.Identifier(table), names) + way


def _write_table(
    connection: psycopg.Connection, archive: zipfile.ZipFile, name: str, columns: tuple[str, ...]
) -> TableEntry:
    with connection.cursor() as cursor:
        with (
            archive.open(f"tables/{name}", "w", force_zip64=True) as member,
            cursor.copy(_copy(name, columns, "out")) as rows,
        ):
            for block in rows:
                member.write(block)
        return TableEntry(name=name, columns=columns, rows=cursor.rowcount)


def _read_sequences(
    connection: psycopg.Connection, tables: dict[str, tuple[str, ...]]
) -> tuple[SequenceEntry, ...]:
    names = connection.execute(
        "select s.relname, t.relname from pg_class s join pg_depend d on d.objid = s.oid"
        " join pg_class t on t.oid = d.refobjid where s.relkind = 'S' and d.deptype in ('a', 'i')"
        " and s.relnamespace = current_schema()::regnamespace"
        ' order by s.relname collate "C"'
    ).fetchall()
    found = []
    for name in dict.fromkeys(name for name, table in names if table in tables):
        query = sql.SQL("select last_value, is_called from {}").format(sql.Identifier(name))
        row = connection.execute(query).fetchone()
        assert row is not None
        found.append(SequenceEntry(name=name, last_value=row[0], is_called=row[1]))
    return tuple(found)


@contextmanager
def _whole_file(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its name once all of it is on the disk.

    Only its owner may read it: it holds requests and the hashes of keys.
    """
    unfinished = target.with_name(f".{target.name[:50]}.{os.getpid()}.unfinished")
    try:
        unfinished.touch(mode=0o600, exist_ok=False)
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@contextmanager
def _open_archive(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(source)
    except zipfile.BadZipFile:
        raise ConfigurationError(
            f"{source} is no backup of Waypool, or a part of one: make it again with 'waypool backup'"
        ) from None
    with archive:
        yield archive


def _read_manifest(archive: zipfile.ZipFile, source: Path) -> Manifest:
    """The manifest, once every byte of the archive is known to be as it was written."""
    if MANIFEST not in archive.namelist():
        raise ConfigurationError(f"{source} is a zip file, but no backup of Waypool")
    try:
        damaged = archive.testzip()
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except _DAMAGE:
        damaged = MANIFEST
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise ConfigurationError(
            f"{source} cannot be read by this version: {at}: {first['msg']}"
        ) from None
    if damaged:
        raise ConfigurationError(f"{source} is damaged: {damaged} is not as it was written")
    missing = {f"tables/{table.name}" for table in manifest.tables} - set(archive.namelist())
    if missing:
        raise ConfigurationError(f"{source} is damaged: it lacks {min(missing)}")
    return manifest


def _clear(connection: psycopg.Connection, known: frozenset[str], *, replaces: bool) -> None:
    """Take away Waypool's tables, and what its queue has made beside its own."""
    present = _list_tables(connection, known)
    if not replaces:
        _refuse_rows(connection, present)
    for table in (*present, "alembic_version"):
        connection.execute(sql.SQL("drop table if exists {} cascade").format(sql.Identifier(table)))
    routines = connection.execute(
        "select oid::regprocedure::text from pg_proc where pronamespace ="
        " current_schema()::regnamespace and (starts_with(proname, %s) or starts_with(proname, %s))",
        [QUEUE_PREFIX, OWN_PREFIX],
    ).fetchall()
    types = connection.execute(
        "select oid::regtype::text from pg_type where typnamespace ="
        " current_schema()::regnamespace and typtype in ('e', 'c') and starts_with(typname, %s)",
        [QUEUE_PREFIX],
    ).fetchall()
    for kind, names in (("routine", routines), ("type", types)):
        for (name,) in names:  # as the server itself writes it, quoted where it must be
            connection.execute(f"drop {kind} if exists {name} cascade".encode())


def _refuse_rows(connection: psycopg.Connection, present: dict[str, tuple[str, ...]]) -> None:
    for table in present:
        if table in OF_EVERY_INSTALLATION or table.startswith(QUEUE_PREFIX):
            continue
        query = sql.SQL("select exists (select from {})").format(sql.Identifier(table))
        row = connection.execute(query).fetchone()
        if row and row[0]:
            raise ConflictError(
                f"the database is not empty (its table {table} has rows): give --replace to put the"
                " backup in the place of all that it holds"
            )


def _fill(
    connection: psycopg.Connection,
    archive: zipfile.ZipFile,
    manifest: Manifest,
    on_progress: OnProgress,
) -> None:
    order = _order_by_references(connection)
    entries = sorted(manifest.tables, key=lambda table: order.get(table.name, 0))
    for entry in entries:
        _set_triggers(connection, entry.name, "disable")
    for entry in entries:  # the migrations themselves put rows into some
        connection.execute(sql.SQL("truncate {} cascade").format(sql.Identifier(entry.name)))
    for n, entry in enumerate(entries, 1):
        _read_table(connection, archive, entry)
        on_progress(n, len(entries))
    for entry in entries:
        _set_triggers(connection, entry.name, "enable")
    for sequence in manifest.sequences:
        connection.execute(
            "select setval(quote_ident(%s)::regclass, %s, %s)",
            [sequence.name, sequence.last_value, sequence.is_called],
        )


def _set_triggers(connection: psycopg.Connection, table: str, state: str) -> None:
    """Triggers guard the audit trail and write events for jobs: rows come in as they went out."""
    statement = sql.SQL("alter table {} {} trigger user")
    connection.execute(statement.format(sql.Identifier(table), sql.SQL(state)))


def _read_table(
    connection: psycopg.Connection, archive: zipfile.ZipFile, entry: TableEntry
) -> None:
    with connection.cursor() as cursor:
        with (
            archive.open(f"tables/{entry.name}") as member,
            cursor.copy(_copy(entry.name, entry.columns, "in")) as rows,
        ):
            while block := member.read(CHUNK):
                rows.write(block)
        if cursor.rowcount != entry.rows:
            raise ConfigurationError(
                f"the backup is damaged: {entry.name} has {cursor.rowcount} rows, not {entry.rows}"
            )


def _order_by_references(connection: psycopg.Connection) -> dict[str, int]:
    """A number a table; what a table's rows refer to has a smaller one."""
    graph: TopologicalSorter[str] = TopologicalSorter()
    pairs = connection.execute(
        "select conrelid::regclass::text, confrelid::regclass::text from pg_constraint"
        " where contype = 'f' and connamespace = current_schema()::regnamespace order by 1, 2"
    )
    for table, referred in pairs:
        if table != referred:
            graph.add(table, referred)
    return {name: n for n, name in enumerate(graph.static_order(), 1)}


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"cannot use {file}: {error.strerror or error}") from error
    except psycopg.errors.LockNotAvailable as error:
        raise ConflictError(
            "other processes use the database: stop the servers and workers, then try again"
        ) from error
    except psycopg.errors.DiskFull as error:
        raise UnavailableError("the disk of the database is full; nothing was changed") from error
    except psycopg.OperationalError as error:
        raise UnavailableError(f"the database does not answer: {_first_line(error)}") from error
    except psycopg.Error as error:
        raise WaypoolError(
            f"the database refuses this, and nothing was changed: {_first_line(error)}",
            code="BACKUP",
        ) from error


def _first_line(error: Any) -> str:
    return str(error).strip().partition("\n")[0]
