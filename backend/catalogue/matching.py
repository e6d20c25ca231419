"""Chooses what a name that was said means: the surest owner of a key, all of them where several are.

A wrong place is worse than none: a slip of the finger counts only in a long name and for one owner.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from backend.catalogue.naming import CityWords, Reading, Said, Way, make_keys, read_said

NameKind = Literal["city", "tag", "area", "station", "hotel", "poi", "group"]

MOST_NEAR = 4
SHORTEST_SLIP = 7
"""Letters of a name in which one may be wrong; a Chinese name has at least five characters."""
_SHORTEST_HAN_SLIP = 5
_TWO_SLIPS = 12
_TELLING = frozenset(
    "东西南北中大小新老古上下前后左右内外一二三四五六七八九十省市县区岛山河湖海寺庙园院馆"
)
"""Characters that tell two real places apart: one of them is never taken for a slip."""


@dataclass(frozen=True)
class KeyRow:
    """A key of the index and whose it is."""

    key: str
    kind: NameKind
    id: str
    city: str | None
    way: Way


Rows = Mapping[str, Sequence[KeyRow]]
Owner = tuple[NameKind, str]
_Rank = tuple[int, int, int]


@dataclass(frozen=True)
class Scope:
    """What is looked for: kinds, the preferred first, and the cities; None: everywhere."""

    kinds: tuple[NameKind, ...]
    cities: tuple[str, ...] | None = None

    def holds(self, row: KeyRow) -> bool:
        """Whether a row is looked for."""
        inside = self.cities is None or row.kind in {"city", "tag"} or row.city in self.cities
        return row.kind in self.kinds and inside


@dataclass(frozen=True)
class Choice:
    """Rows of the owners that are meant: one, several, or the members of a group."""

    rows: tuple[KeyRow, ...] = ()

    @property
    def is_group(self) -> bool:
        """Whether any of them is meant by what was said."""
        return bool(self.rows) and self.rows[0].kind == "group"

    @property
    def is_clear(self) -> bool:
        """Whether the name means one thing."""
        return len(self.rows) == 1 or self.is_group


def choose(said: Said, rows: Rows, scope: Scope) -> Choice:
    """What is meant, by the rows of the keys of what was said."""
    ranked: dict[Owner, tuple[_Rank, KeyRow]] = {}
    _rank(ranked, said.whole, rows, scope, scope.holds)
    for left, right in said.cuts:
        for part, rest in ((left, right), (right, left)):
            cities = find_cities(part, rows)
            if cities:
                _rank(ranked, _later(rest), rows, scope, _inside(scope, cities))
    _rank_parts(ranked, said, rows, scope)
    if not ranked:
        return Choice()
    best = min(rank for rank, _ in ranked.values())
    found = [row for rank, row in ranked.values() if rank == best]
    return _settle(found)


def _settle(found: Sequence[KeyRow]) -> Choice:
    groups = [row for row in found if row.kind == "group"]
    if groups and len({row.city for row in groups}) == 1:
        found = groups
    elif groups:
        found = [KeyRow(row.key, "poi", row.id, row.city, row.way) for row in found]
    return Choice(tuple(sorted(found, key=lambda row: (row.kind, row.id))))


def _rank(
    ranked: dict[Owner, tuple[_Rank, KeyRow]],
    readings: Iterable[Reading],
    rows: Rows,
    scope: Scope,
    holds: Callable[[KeyRow], bool],
) -> None:
    for reading in readings:
        for row in rows.get(reading.key, ()):
            if row.way in reading.ways and holds(row):
                rank = (reading.level, int(row.way), scope.kinds.index(row.kind))
                known = ranked.get((row.kind, row.id))
                if known is None or rank < known[0]:
                    ranked[row.kind, row.id] = rank, row


def _later(readings: Iterable[Reading]) -> Iterator[Reading]:
    return (Reading(r.key, r.level + 2, r.ways) for r in readings)


def _inside(scope: Scope, cities: Collection[str]) -> Callable[[KeyRow], bool]:
    return lambda row: scope.holds(row) and row.kind != "city" and row.city in cities


def find_cities(part: Iterable[Reading], rows: Rows) -> frozenset[str]:
    """Cities that a part of what was said names."""
    return frozenset(
        row.id
        for reading in part
        for row in rows.get(reading.key, ())
        if row.kind == "city" and row.way <= Way.PINYIN
    )


def _rank_parts(
    ranked: dict[Owner, tuple[_Rank, KeyRow]], said: Said, rows: Rows, scope: Scope
) -> None:
    """A site and a part of it that both name the same place: 故宫太和殿."""
    for left, right in said.cuts:
        one: dict[Owner, tuple[_Rank, KeyRow]] = {}
        other: dict[Owner, tuple[_Rank, KeyRow]] = {}
        _rank(one, left, rows, scope, scope.holds)
        _rank(other, right, rows, scope, scope.holds)
        for owner in one:
            if owner in other and owner not in ranked:
                ranked[owner] = (4, 0, scope.kinds.index(owner[0])), one[owner][1]


def make_halves(key: str, way: Way) -> tuple[str | None, str | None]:
    """The two halves of a key by which it is found though the other half was mistyped."""
    if way in {Way.CORE, Way.INITIALS} or not _may_slip(key):
        return None, None
    n = len(key)
    return f"{n}:{key[: n // 2]}", f"{n}:{key[n // 2 :]}"


def _may_slip(key: str) -> bool:
    shortest = SHORTEST_SLIP - 1 if key.isascii() else _SHORTEST_HAN_SLIP - 1
    return len(key) >= shortest and " " not in key and sum(c.isdigit() for c in key) < 3


def list_halves(key: str) -> tuple[list[str], list[str]]:
    """Halves that a key has which differs from this one in one place, at most."""
    if not _may_slip(key):
        return [], []
    sizes = range(len(key) - 1, len(key) + 2)
    return (
        [f"{n}:{key[: n // 2]}" for n in sizes],
        [f"{n}:{key[len(key) - n + n // 2 :]}" for n in sizes],
    )


def list_slip_keys(said: Said, rows: Rows) -> list[str]:
    """Keys of what was said that may be mistyped; without a city's name where it has one."""
    readings = [r for r in said.whole if r.level == 0]
    for left, right in said.cuts:
        for part, rest in ((left, right), (right, left)):
            if find_cities(part, rows):
                readings += rest
    return sorted({r.key for r in readings if _may_slip(r.key)})


def choose_slip(keys: Iterable[str], rows: Iterable[KeyRow], scope: Scope) -> Choice:
    """The one owner of a name that differs from a key in one place, if there is just one."""
    found: dict[Owner, tuple[int, KeyRow]] = {}
    wanted = list(keys)
    for row in rows:
        if not scope.holds(row) or row.kind in {"city", "tag"}:
            continue
        for key in wanted:
            edits = _count_slips(key, row.key)
            if edits and edits <= found.get((row.kind, row.id), (9, row))[0]:
                found[row.kind, row.id] = edits, row
    if not found:
        return Choice()
    fewest = min(edits for edits, _ in found.values())
    best = [row for edits, row in found.values() if edits == fewest]
    groups = {row.kind == "group" for row in best}
    return _settle(best) if len(best) == 1 or groups == {True} else Choice()


def _count_slips(said: str, key: str) -> int:
    """Places in which the two differ; 0 where they differ too much, or tell two places apart."""
    if said.isascii() != key.isascii() or "".join(filter(str.isdigit, said)) != "".join(
        filter(str.isdigit, key)
    ):
        return 0
    if not said.isascii():
        return _count_han_slips(said, key)
    if min(len(said), len(key)) < SHORTEST_SLIP:
        return 0
    most = 2 if min(len(said), len(key)) >= _TWO_SLIPS else 1
    edits = OSA.distance(said, key, score_cutoff=most)
    return edits if edits <= most else 0


def _count_han_slips(said: str, key: str) -> int:
    if len(said) != len(key) or len(key) < _SHORTEST_HAN_SLIP:
        return 0
    differing = {c for a, b in zip(said, key, strict=True) if a != b for c in (a, b)}
    alike = OSA.distance(said, key, score_cutoff=1) == 1
    return 1 if alike and (sorted(said) == sorted(key) or not differing & _TELLING) else 0


def rank_near(
    said: Said, rows: Iterable[KeyRow], scope: Scope, most: int = MOST_NEAR, least: float = 0
) -> list[KeyRow]:
    """One row of each owner, those whose keys look most like what was said first.

    `least` is how much a key has to be like it, from 0 (not at all) to 200 (the same).
    """
    keys = sorted({r.key for r in said.whole if r.level == 0}) or [said.text]
    best: dict[str, tuple[float, KeyRow]] = {}
    for row in rows:
        if scope.holds(row):
            score = max(fuzz.WRatio(key, row.key) + fuzz.ratio(key, row.key) for key in keys)
            known = best.get(row.id)
            if known is None or score > known[0]:
                best[row.id] = score, row
    ordered = sorted(best.values(), key=lambda entry: (-entry[0], entry[1].id))
    return [row for score, row in ordered[:most] if score >= least]


Known = Mapping[str, Iterable[str]]
"""Names by id, of rows that are at hand."""


@lru_cache(maxsize=8192)
def list_keys(names: tuple[str, ...]) -> Mapping[str, Way]:
    """The keys of one row's names."""
    return make_keys([(name, Way.NAME) for name in names], CityWords())


def find_known(wanted: str, known: Known) -> str | None:
    """The one row at hand that a name means, as the finder would in the catalogue."""
    if wanted in known:
        return wanted
    said = read_said(wanted)
    rows = _index(known)
    choice = choose(said, rows, _AT_HAND)
    if not choice.rows:
        every = (row for part in rows.values() for row in part)
        choice = choose_slip(list_slip_keys(said, rows), every, _AT_HAND)
    return choice.rows[0].id if len(choice.rows) == 1 else None


def rank_known(wanted: str, known: Known, limit: int, least: float = 0) -> list[str]:
    """Rows at hand by how much their names look like what was wanted, the nearest first."""
    every = [row for part in _index(known).values() for row in part]
    return [row.id for row in rank_near(read_said(wanted), every, _AT_HAND, limit, least)]


_AT_HAND = Scope(("poi",))


def _index(known: Known) -> dict[str, list[KeyRow]]:
    rows: dict[str, list[KeyRow]] = {}
    for row_id, names in known.items():
        for key, way in list_keys((row_id, *names)).items():
            rows.setdefault(key, []).append(KeyRow(key, "poi", row_id, None, way))
    return rows
