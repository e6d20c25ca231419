"""Finds what a name means: in the index by equality, and by halves where it was mistyped.

No look-up reads the catalogue from end to end: what no key leads to is not found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalogue.matching import (
    Choice,
    KeyRow,
    NameKind,
    Rows,
    Scope,
    choose,
    choose_slip,
    list_halves,
    list_slip_keys,
    rank_near,
)
from backend.catalogue.naming import LONGEST_SAID, Said, Way, fold, read_said
from backend.catalogue.tables import City, Hotel, Place, Tag

MOST_SOUGHT = 5
"""Unknown names of one request for which near ones are looked up."""
_MOST_ROWS = 3_000
_MOST_CANDIDATES = 200

_EQUAL = text(
    "select k.key, k.kind, k.id, k.city, k.way, r.name, r.name_en from name_key k left join lateral ("
    " select name, name_en from place where id = k.id and k.kind in ('poi', 'group')"
    " union all select name, name_en from hotel where id = k.id and k.kind = 'hotel'"
    " union all select name, name_en from city where id = k.id and k.kind = 'city'"
    " union all select name, name_en from tag where id = k.id and k.kind = 'tag') r on true"
    " where k.key = any(:keys)"
    " and (cast(:cities as text[]) is null or k.city = any(:cities) or k.kind in ('city', 'tag'))"
    " limit :most"
)
_HALVES = text(
    "(select key, kind, id, city, way from name_key where head = any(:heads) limit :most)"
    " union all"
    " (select key, kind, id, city, way from name_key where tail = any(:tails) limit :most)"
)
_BEGUN = text(
    "select key, kind, id, city, way from"
    " (select * from name_key where key >= :low and key < :high order by key limit 3000) k"
    " where cast(:cities as text[]) is null or city = any(:cities) or kind in ('city', 'tag')"
    " limit :most"
)
_HOLDING = text(
    "select id from place where city_id = any(:cities)"
    " and (strpos(lower(name), :typed) > 0 or strpos(lower(name_en), :typed) > 0)"
    " order by least(nullif(strpos(lower(name), :typed), 0),"
    " nullif(strpos(lower(name_en), :typed), 0)) > 1, char_length(name), id limit :most"
)

_OF_KINDS = text(
    "select key, kind, id, city, way from name_key where kind = any(:kinds) and way < 6 limit :most"
)


@dataclass(frozen=True)
class Named:
    """A row that a name leads to."""

    kind: NameKind
    id: str
    city: str | None
    name: str
    name_en: str

    def name_in(self, locale: str) -> str:
        """Its name for a reader."""
        return self.name_en if locale == "en" and self.name_en else self.name


@dataclass(frozen=True)
class Found:
    """What a name means: one row, all members of a group, or nothing; else the near ones."""

    said: str
    hits: tuple[Named, ...] = ()
    near: tuple[Named, ...] = ()
    is_ambiguous: bool = False

    @property
    def one(self) -> Named | None:
        """The row, where it is one."""
        return self.hits[0] if len(self.hits) == 1 else None


async def find_names(
    session: AsyncSession, words: Sequence[str], scope: Scope, near_for: int = MOST_SOUGHT
) -> list[Found]:
    """What each of the words means; near rows for the first unknown ones only."""
    saids = [read_said(word) for word in words]
    rows, named = await _read_rows(session, {key for said in saids for key in said.keys}, scope)
    choices: list[tuple[Choice, list[KeyRow]]] = []
    for word, said in zip(words, saids, strict=True):
        own = _find_id(word, rows, scope)
        choice = Choice((own,)) if own is not None else choose(said, rows, scope)
        near: list[KeyRow] = []
        if not choice.rows and near_for > 0:
            near_for -= 1
            choice, near = await _look_closer(session, said, rows, scope)
        elif not choice.is_clear:
            near = rank_near(said, choice.rows, scope)
        choices.append((choice, near))
    shown = (row for choice, near in choices for row in (*choice.rows, *near))
    named |= await _read_named(session, (r for r in shown if (r.kind, r.id) not in named))
    return [
        _tell(word, choice, near, named)
        for word, (choice, near) in zip(words, choices, strict=True)
    ]


async def complete_place(
    session: AsyncSession, typed: str, cities: Sequence[str], most: int
) -> list[Named]:
    """Places of these cities that may be meant by a piece of a name, as it is being typed.

    First those whose own name holds the piece, at its beginning before elsewhere; then those that
    are called so otherwise. The database looks through the names of the cities, no others.
    """
    scope = Scope(("poi",), tuple(cities))
    values = {"cities": list(cities), "typed": typed.strip().casefold(), "most": most}
    ids = list((await session.scalars(_HOLDING, values)).all())
    holding = {named.id: named for named in await _read_rows_by_id(session, "poi", ids)}
    others = await _complete_alias(session, typed, scope, most)
    return list({**{i: holding[i] for i in ids}, **{o.id: o for o in others}}.values())[:most]


async def _complete_alias(
    session: AsyncSession, typed: str, scope: Scope, most: int
) -> list[Named]:
    said = read_said(typed)
    rows, _ = await _read_rows(session, [reading.key for reading in said.whole], scope)
    equal = [row for part in rows.values() for row in part]
    near = rank_near(said, [*equal, *await _read_begun(session, fold(typed), scope)], scope, most)
    named = await _read_named(session, near)
    return [named[row.kind, row.id] for row in near if (row.kind, row.id) in named]


def _tell(
    word: str, choice: Choice, near: Iterable[KeyRow], named: dict[tuple[str, str], Named]
) -> Found:
    hits = [named[row.kind, row.id] for row in choice.rows if (row.kind, row.id) in named]
    others = tuple(named[row.kind, row.id] for row in near if (row.kind, row.id) in named)
    if choice.is_clear:
        return Found(word, tuple(hits))
    return Found(word, (), others, is_ambiguous=bool(choice.rows))


async def _look_closer(
    session: AsyncSession, said: Said, rows: Rows, scope: Scope
) -> tuple[Choice, list[KeyRow]]:
    """The owner of a mistyped name, and what is near to a name that nobody has."""
    keys = list_slip_keys(said, rows)
    halves = [list_halves(key) for key in keys]
    heads, tails = ([half for pair in halves for half in pair[n]] for n in (0, 1))
    found = (
        await _read_keys(
            session, _HALVES, {"heads": heads, "tails": tails, "most": _MOST_CANDIDATES}
        )
        if heads
        else []
    )
    choice = choose_slip(keys, found, scope)
    if choice.rows:
        return choice, []
    cut = (row for part in rows.values() for row in part if row.key in set(said.keys))
    few = [kind for kind in scope.kinds if kind in {"city", "tag"}]
    begun = await _read_begun(session, fold(said.text), scope)
    all_few = await _read_keys(session, _OF_KINDS, {"kinds": few, "most": _MOST_ROWS})
    near = rank_near(said, [*found, *cut, *begun, *all_few], scope)
    return Choice(), near


async def _read_begun(session: AsyncSession, key: str, scope: Scope) -> list[KeyRow]:
    """Keys that begin as this one: with most of it, then with its first letters."""
    short = 4 if key.isascii() else 2
    found: list[KeyRow] = []
    for low in dict.fromkeys((key[: max(short, len(key) * 2 // 3)], key[:short])):
        if low:
            high = low[:-1] + chr(ord(low[-1]) + 1)
            values = {"low": low, "high": high, "cities": _list_cities(scope)}
            found += await _read_keys(session, _BEGUN, values | {"most": _MOST_CANDIDATES})
    return found


async def _read_rows(
    session: AsyncSession, keys: Iterable[str], scope: Scope
) -> tuple[Rows, dict[tuple[str, str], Named]]:
    """Rows of these keys, and their owners by name: most names need no second statement."""
    values = {"keys": sorted(keys), "cities": _list_cities(scope), "most": _MOST_ROWS}
    rows: dict[str, list[KeyRow]] = {}
    named: dict[tuple[str, str], Named] = {}
    for found in await session.execute(_EQUAL, values):
        row = KeyRow(found.key, found.kind, found.id, found.city, Way(found.way))
        rows.setdefault(row.key, []).append(row)
        if found.name is not None:
            owner = Named(row.kind, row.id, row.city, found.name, found.name_en)
            named[row.kind, row.id] = owner
    for part in rows.values():
        part.sort(key=lambda row: (row.kind, row.id))
    return rows, named


def _list_cities(scope: Scope) -> list[str] | None:
    return None if scope.cities is None else list(scope.cities)


async def _read_keys(session: AsyncSession, statement: object, values: object) -> list[KeyRow]:
    rows = await session.execute(statement, values)  # type: ignore[call-overload]
    found = [KeyRow(r.key, r.kind, r.id, r.city, Way(r.way)) for r in rows]
    return sorted(found, key=lambda row: (row.key, row.kind, row.id))


def _find_id(word: str, rows: Rows, scope: Scope) -> KeyRow | None:
    """The row whose id the word is: ids are keys too."""
    named = [
        row
        for row in rows.get(fold(word[:LONGEST_SAID]), ())
        if row.id == word and scope.holds(row)
    ]
    return min(named, key=lambda row: scope.kinds.index(row.kind), default=None)


_TABLES: dict[str, Any] = {"city": City, "tag": Tag, "poi": Place, "hotel": Hotel}


async def _read_rows_by_id(
    session: AsyncSession, kind: NameKind, ids: Sequence[str]
) -> list[Named]:
    table = _TABLES["poi" if kind == "group" else kind]
    city = getattr(table, "city_id", table.id if kind == "city" else None)
    columns = [table.id, table.name, table.name_en, *([] if city is None else [city])]
    chosen = select(*columns).where(table.id.in_(ids)).order_by(table.id)
    rows: Sequence[Any] = (await session.execute(chosen)).all()
    return [Named(kind, r[0], r[3] if len(r) > 3 else None, r[1], r[2]) for r in rows]


async def _read_named(
    session: AsyncSession, rows: Iterable[KeyRow]
) -> dict[tuple[str, str], Named]:
    wanted: dict[NameKind, set[str]] = {}
    for row in rows:
        wanted.setdefault(row.kind, set()).add(row.id)
    named: dict[tuple[str, str], Named] = {}
    for kind, ids in wanted.items():
        if kind in {"station", "area"}:
            found = [Named(kind, i, i.split("/")[0], i.split("/")[1], "") for i in ids]
        else:
            found = await _read_rows_by_id(session, kind, sorted(ids))
        named.update({(kind, row.id): row for row in found})
    return named
