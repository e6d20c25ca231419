"""The hint of a list tool, in three cases: nothing matched, more is left, or all is returned.

Arguments stand as `area=海淀区 (12)`: adding that one to the present arguments answers with that
total. A filter that is used already is not offered again; a page that was not whole can always be
continued with `unseen_only`.

One call of a list tool as a value: the rows in scope, the matches, the page, and the rest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Generic, TypeVar

from backend.pool.candidate import HotelCandidate, PoiCandidate, TrainCandidate
from backend.text import Locale

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


Texts = Mapping[Locale, str]

_MORE: Texts = {
    "zh-CN": "还有 {n} 条符合条件但未返回，不要用同样的参数重复调用。",
    "en": "{n} more match and are not in this page; do not repeat the same arguments.",
}
_MORE_UNSEEN: Texts = {
    "zh-CN": "还有 {n} 条符合条件且未展示过。",
    "en": "{n} more match and are not shown yet.",
}
_NEXT: Texts = {
    "zh-CN": "用同样的参数再次调用会给出后面的，因为已有 unseen_only=true。",
    "en": "The same call again gives the next ones, since it has unseen_only=true.",
}
_ALL_SEEN: Texts = {
    "zh-CN": "其余的在本次规划中都展示过。",
    "en": "The others were all shown earlier in this run.",
}
_ADD: Texts = {"zh-CN": "可加其中一个参数： {options}。", "en": "Add one of: {options}."}
_ALL: Texts = {"zh-CN": "符合条件的 {n} 条已全部返回。", "en": "All {n} that match are returned."}
_NONE: Texts = {"zh-CN": "没有符合条件的结果。", "en": "Nothing matches."}
_NONE_UNSEEN: Texts = {
    "zh-CN": "符合条件的 {n} 条都已展示过，没有新的了。",
    "en": "All {n} that match were shown before; nothing is new.",
}
_DROP: Texts = {
    "zh-CN": "请去掉其中一个条件（{options}），不要逐个试值。",
    "en": "Drop one of the filters ({options}); do not try values one by one.",
}
_DROP_ALL: Texts = {
    "zh-CN": "去掉任何一个条件都不够；去掉 {keys} 后共有 {n} 条。不要逐个试值。",
    "en": "Dropping one filter is not enough; without {keys} there are {n}. Do not try values one by one.",
}
_WITHOUT: Texts = {"zh-CN": "去掉 {key} 有 {n} 条", "en": "without {key} {n}"}
_OTHERS: Texts = {
    "zh-CN": "不加其他条件、只用 unseen_only=true，还有 {n} 条未展示过。",
    "en": "With unseen_only=true and no other filter, {n} more are not shown yet.",
}
_CUT: Texts = {
    "zh-CN": "每次最多返回 {limit} 条，要求的 limit 已降为 {limit}。",
    "en": "At most {limit} rows are returned at a time: the limit asked for was cut to {limit}.",
}
_REPEAT: Texts = {
    "zh-CN": "与第 {number} 次调用相同且结果没有变化，请看那次的结果，不要再重复。",
    "en": "The same as call {number}, and nothing has changed: use its answer, do not repeat it.",
}


@dataclass(frozen=True)
class Advice:
    """What a tool adds in words of its own: next steps, and what to say where nothing is in scope.

    `names` are ids that these words show.
    """

    go_on: Texts
    empty: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hint:
    """`text` goes with the page; `onward` is the part that a repeat still needs."""

    text: str
    onward: str


def make_hint(listing: Listing[RowT], advice: Advice, locale: Locale) -> Hint:
    """The hint of a page, in three cases."""
    if not listing.matches:
        body = onward = _join(_explain_nothing(listing, advice, locale), locale)
    elif listing.rest:
        body = onward = _join(_offer_more(listing, locale), locale)
    else:
        steps = [*_mention_others(listing, locale), advice.go_on[locale]]
        onward = _join(steps, locale)
        body = _join([_ALL[locale].format(n=len(listing.matches)), onward], locale)
    cut = _CUT[locale].format(limit=listing.limit) if listing.is_cut else ""
    return Hint(_join([cut, body], locale), onward)


def make_repeat_hint(number: int, onward: str, locale: Locale) -> str:
    """The hint of a repeat: where the answer stands, and what would be new."""
    return _join([_REPEAT[locale].format(number=number), onward], locale)


def _offer_more(listing: Listing[RowT], locale: Locale) -> Iterator[str]:
    text = _MORE_UNSEEN if listing.unseen_only else _MORE
    yield text[locale].format(n=len(listing.rest))
    if not listing.fresh:
        yield _ALL_SEEN[locale]
    options = list(_list_options(listing))
    if options:
        yield _ADD[locale].format(options=_list(options, locale))
    if listing.unseen_only:
        yield _NEXT[locale]


def _list_options(listing: Listing[RowT]) -> Iterator[str]:
    if listing.fresh and not listing.unseen_only:
        yield _write(Suggestion("unseen_only", "true", len(listing.fresh)))
    yield from map(_write, listing.suggest())


def _write(suggestion: Suggestion) -> str:
    return f"{suggestion.key}={suggestion.value} ({suggestion.count})"


def _explain_nothing(listing: Listing[RowT], advice: Advice, locale: Locale) -> Iterator[str]:
    if not listing.scope:
        yield advice.empty
        return
    shown = listing.count_without("unseen_only") if listing.unseen_only else 0
    if shown:
        yield _NONE_UNSEEN[locale].format(n=shown)
        yield from _mention_others(listing, locale)
        yield advice.go_on[locale]
        return
    yield _NONE[locale]
    yield _say_what_to_drop(listing, locale)


def _say_what_to_drop(listing: Listing[RowT], locale: Locale) -> str:
    counts = {key: listing.count_without(key) for key in listing.used}
    options = [_WITHOUT[locale].format(key=key, n=n) for key, n in counts.items() if n]
    if options:
        return _DROP[locale].format(options=_list(options, locale))
    keys = _list(list(listing.used), locale)
    return _DROP_ALL[locale].format(keys=keys, n=len(listing.scope))


def _mention_others(listing: Listing[RowT], locale: Locale) -> Iterator[str]:
    """Say how to see rows that were never shown because filters leave them out."""
    if listing.asked and listing.fresh_outside:
        yield _OTHERS[locale].format(n=listing.fresh_outside)


def _list(options: Sequence[str], locale: Locale) -> str:
    return ("；" if locale == "zh-CN" else "; ").join(options)


def _join(sentences: Sequence[str] | Iterator[str], locale: Locale) -> str:
    return ("" if locale == "zh-CN" else " ").join(s for s in sentences if s)
