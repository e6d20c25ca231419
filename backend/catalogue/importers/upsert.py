"""Writes an import in sets: one statement a table, which says what was added and what changed.

Rows travel as one JSON parameter: a parameter for every cell would cost more than the writing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

CHUNK = 10_000


@dataclass(frozen=True)
class Written:
    """Rows of one table: new ones, altered ones, and those that stood there just so."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: "Written") -> "Written":
        """Totals of both."""
        return Written(
            self.added + other.added,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
        )


@cache
def _build_statement(table: Table) -> str:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    columns = [c for c in table.columns if c.computed is None and c.identity is None]
    keys = [c.name for c in table.primary_key if c.identity is None] or [
        "opening_hours",
        "closed_season",
    ]
    names = ", ".join(c.name for c in columns)
    typed = ", ".join(f"{c.name} {c.type.compile(dialect=dialect)}" for c in columns)
    rest = [c.name for c in columns if c.name not in keys]
    action = "do nothing"
    if rest:
        settings = ", ".join(f"{name} = excluded.{name}" for name in rest)
        old = ", ".join(f"{table.name}.{name}" for name in rest)
        new = ", ".join(f"excluded.{name}" for name in rest)
        action = f"do update set {settings} where row({old}) is distinct from row({new})"
    return (
        f"with written as (insert into {table.name} ({names}) select {names}"  # noqa: S608
        f" from jsonb_to_recordset(cast(:rows as jsonb)) as r({typed})"
        f" on conflict ({', '.join(keys)}) {action} returning (xmax = 0) as is_new)"
        " select count(*) filter (where is_new), count(*) filter (where not is_new) from written"
    )


async def upsert_rows(
    session: AsyncSession, table: Table, rows: Sequence[dict[str, Any]]
) -> Written:
    """Write rows by primary key (schedules by their pair of texts); unnamed rows stay."""
    total = Written()
    statement = text(_build_statement(table))
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        document = json.dumps(chunk, default=str, ensure_ascii=False)
        added, changed = (await session.execute(statement, {"rows": document})).one()
        total += Written(added, changed, len(chunk) - added - changed)
    return total
