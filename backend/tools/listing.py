"""One list call as a value: what is in scope, what matches, what the page shows, what is left."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Generic, TypeVar

from backend.pool.candidate import HotelCandidate, PoiCandidate, TrainCandidate

RowT = TypeVar("RowT", PoiCandidate, HotelCandidate, TrainCandidate)

UNSEEN_ONLY = "unseen_only"


@dataclass(frozen=True)
class Filter(Generic[RowT]):
    """An argument that narrows a list: `has` says whether a row matches one value of it.

    `values` are those of a row that may be suggested, at most `most` of them in one hint.
    """

    key: str
    has: Callable[[RowT, str], bool]
    values: Callable[[RowT], Iterable[str]] = lambda _: ()
    most: int = 0


@dataclass(frozen=True)
class Suggestion:
    """An argument to add, and the total that it would answer with."""

    key: str
    value: str
    count: int


@dataclass(frozen=True)
class Listing(Generic[RowT]):
    """A list call over `scope`, which is in pool order.

    `asked` gives the filters in use with the values of which one must match. `seen` holds the ids
    that list tools showed before this call; counts of suggestions are as they are after it.
    """

    scope: tuple[RowT, ...]
    filters: tuple[Filter[RowT], ...]
    asked: Mapping[str, tuple[str, ...]]
    seen: frozenset[str]
    unseen_only: bool
    limit: int
    is_cut: bool = False

    @property
    def used(self) -> tuple[str, ...]:
        """Arguments that narrow this call."""
        return (*self.asked, *((UNSEEN_ONLY,) if self.unseen_only else ()))

    @cached_property
    def matches(self) -> tuple[RowT, ...]:
        """All rows of the scope that match, in pool order."""
        return self._match_without(None)

    @property
    def page(self) -> tuple[RowT, ...]:
        """The rows that this call shows."""
        return self.matches[: self.limit]

    @property
    def page_ids(self) -> tuple[str, ...]:
        """Ids of those rows."""
        return tuple(row.id for row in self.page)

    @property
    def rest(self) -> tuple[RowT, ...]:
        """Matches that this call does not show."""
        return self.matches[self.limit :]

    @cached_property
    def shown(self) -> frozenset[str]:
        """Ids shown so far, this page's among them."""
        return self.seen.union(self.page_ids)

    @cached_property
    def fresh(self) -> tuple[RowT, ...]:
        """Matches that were never shown, not even now."""
        return tuple(row for row in self.rest if row.id not in self.shown)

    @property
    def fresh_outside(self) -> int:
        """Rows of the scope that were never shown, whatever they match."""
        return sum(row.id not in self.shown for row in self.scope)

    def count_without(self, key: str) -> int:
        """How many would match if this argument were dropped."""
        return len(self._match_without(key))

    def suggest(self) -> Iterator[Suggestion]:
        """Arguments not used yet that would narrow the list, best first within each."""
        for narrowing in self.filters:
            if narrowing.key not in self.asked:
                yield from self._suggest_values(narrowing)

    def _match_without(self, dropped: str | None) -> tuple[RowT, ...]:
        tests = [
            (narrowing.has, self.asked[narrowing.key])
            for narrowing in self.filters
            if narrowing.key in self.asked and narrowing.key != dropped
        ]
        is_unseen_only = self.unseen_only and dropped != UNSEEN_ONLY
        skipped = self.seen if is_unseen_only else frozenset()
        return tuple(
            row
            for row in self.scope
            if row.id not in skipped
            and all(any(has(row, value) for value in values) for has, values in tests)
        )

    def _suggest_values(self, narrowing: Filter[RowT]) -> Iterator[Suggestion]:
        """Values that lead to rows never shown; where all were shown, to any of the rest."""
        wanted = self.fresh or self.rest
        after = self.rest if self.unseen_only else self.matches
        values = dict.fromkeys(value for row in wanted for value in narrowing.values(row) if value)
        ranked = sorted(values, key=lambda v: -sum(narrowing.has(row, v) for row in wanted))
        counted = ((v, sum(narrowing.has(row, v) for row in after)) for v in ranked)
        useful = (Suggestion(narrowing.key, v, n) for v, n in counted if n < len(after))
        yield from islice(useful, narrowing.most)


def cut_limit(wanted: int | None, most: int) -> tuple[int, bool]:
    """The return limit that applies, and whether more was wanted."""
    if wanted is None:
        return most, False
    return min(wanted, most), wanted > most
