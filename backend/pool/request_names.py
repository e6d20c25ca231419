"""Names that a request says: looked up, echoed, refused; and what the names in wishes mean.

A type, a cuisine or an offer of a hotel is a word. One that the catalogue has for no row of these
cities is no fault: such a wish cannot be kept, and the plan says so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from backend.catalogue.finder import MOST_SOUGHT, Found, Named, find_names
from backend.catalogue.matching import NameKind, Scope, find_known, rank_known
from backend.catalogue.naming import LONGEST_SAID, fold
from backend.catalogue.place_types import WordKind, name_word, read_words
from backend.catalogue.queries import NamedPlace, find_hotels, find_places, find_types
from backend.db.session import Session
from backend.errors import MOST_SUGGESTIONS, Fault
from backend.pool.plan_request import Resolved
from backend.text import make_pointer, quote

MOST_WORDS = 100
"""Of one list that are looked up; a longer one is at fault as a list."""

_NAMED_IN_WISHES: dict[str, dict[str, Literal["place", "near", "hotel"]]] = {
    "visit": {"any_of": "place"},
    "eat": {"place": "place"},
    "hotel": {"hotel": "hotel", "near": "near"},
    "at": {"place": "place", "after": "place"},
}
_WORDS_IN_WISHES: dict[str, dict[str, WordKind]] = {
    "visit": {"type": "type", "tag": "tag"},
    "eat": {"cuisine": "cuisine"},
    "hotel": {"features": "feature"},
}
_KINDS: dict[str, tuple[NameKind, ...]] = {
    "place": ("poi", "group"),
    "near": ("poi", "group", "station"),
    "hotel": ("hotel",),
}
_WORD_KINDS: tuple[WordKind, ...] = ("tag", "type", "cuisine", "feature")
_MOST_WISHES = 30
_LIKE = 60
"""How much a word has to be like what was said in order to be offered, of 200."""


@dataclass(frozen=True)
class Word:
    """A name that the request says, and where."""

    pointer: str
    text: str


@dataclass(frozen=True)
class Avoided:
    """What is to be kept out of the plan."""

    places: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()


@dataclass
class Reading:
    """A request half read: what its words mean, and the faults found on the way."""

    session: Session
    locale: str
    allow_synthetic: bool
    faults: list[Fault] = field(default_factory=list)
    resolved: list[Resolved] = field(default_factory=list)
    sought: int = 0

    def refuse(self, pointer: str, code: str, message: str, near: Sequence[str] = ()) -> None:
        """Note a fault."""
        self.faults.append(Fault(pointer, code, message, tuple(near)))

    def refuse_name(self, word: Word, found: Found, code: str, message: str) -> None:
        """Note a name that is not clear, with the rows that are near."""
        if found.is_ambiguous:
            code, message = "ambiguous_place", f"several are named {quote(word.text)}; give an id"
        near = tuple(named.id for named in found.near)
        names = tuple(named.name_in(self.locale) for named in found.near)
        self.faults.append(Fault(word.pointer, code, message, near, names))

    def echo(self, word: Word, found: Iterable[Named]) -> None:
        """Keep what a name was taken for; an id says so itself."""
        for named in found:
            self.echo_word(word, named.id, named.name_in(self.locale))

    def echo_word(self, word: Word, row_id: str, name: str) -> None:
        """The same for one row or word of the catalogue."""
        if word.text != row_id:
            self.resolved.append(
                Resolved(pointer=word.pointer, said=word.text, id=row_id, name=name)
            )

    async def find(
        self, words: Sequence[Word], kinds: tuple[NameKind, ...], cities: Sequence[str] = ()
    ) -> list[Found]:
        """What each word means: in these cities, else elsewhere, else what is near."""
        scope = Scope(kinds, tuple(cities) or None)
        found = await self._look_up(words, scope, 0)
        if cities:
            found = await self._fill(words, found, Scope(kinds), 0, needs_one=True)
        return await self._fill(words, found, scope, MOST_SOUGHT - self.sought)

    async def find_tags(self, names: Sequence[str]) -> dict[str, Named]:
        """The tags that some of these names mean."""
        found = await self._look_up([Word("", name) for name in names], Scope(("tag",)), 0)
        return {f.said: f.one for f in found if f.one is not None}

    async def _fill(
        self,
        words: Sequence[Word],
        found: list[Found],
        scope: Scope,
        near_for: int,
        *,
        needs_one: bool = False,
    ) -> list[Found]:
        """Look the words up that mean nothing yet."""
        open_ones = [n for n, f in enumerate(found) if not f.hits and not f.is_ambiguous]
        again = await self._look_up([words[n] for n in open_ones], scope, near_for)
        self.sought += min(max(near_for, 0), len(open_ones))
        filled = list(found)
        for n, entry in zip(open_ones, again, strict=True):
            if entry.hits or not needs_one:
                filled[n] = entry
        return filled

    async def _look_up(self, words: Sequence[Word], scope: Scope, near_for: int) -> list[Found]:
        if not words:
            return []
        return await find_names(self.session, [word.text for word in words], scope, near_for)


@dataclass(frozen=True)
class PlaceCheck:
    """Whether a place or hotel that is wanted by name can be in the plan at all."""

    reading: Reading
    cities: Sequence[str]
    avoided: Avoided

    def check(self, pointer: str, place: NamedPlace) -> None:
        """Note what speaks against it."""
        if place.city not in self.cities:
            message = f"{place.name} is in {place.city}, which is no destination"
            self.reading.refuse(pointer, "place_elsewhere", message, sorted(self.cities))
        if not place.enabled:
            message = f"{place.name} is disabled in the catalogue"
            self.reading.refuse(pointer, "disabled_place", message)
        if place.is_synthetic and not self.reading.allow_synthetic:
            message = f"{place.name} is made up for scale tests, and those are not allowed"
            self.reading.refuse(pointer, "synthetic_place", message)
        if place.id in self.avoided.places or self.avoided.tags & set(place.tags):
            message = f"{place.name} is to be avoided by its id or one of its tags"
            self.reading.refuse(pointer, "avoided_place", message)


@dataclass(frozen=True)
class _Saying:
    """Words in a field of a wish; `is_wanted`: the wish wants what they name."""

    wish: int
    kind: str
    name: str
    words: tuple[Word, ...]
    means: str
    is_wanted: bool


Fields = dict[str, object]


async def read_wishes(
    reading: Reading, raw: Mapping[str, Any], cities: Sequence[str], avoided: Avoided
) -> list[Fields]:
    """For each wish the fields that hold names, with ids in their place."""
    entries = raw.get("wishes")
    wishes = list(entries[:_MOST_WISHES]) if isinstance(entries, list | tuple) else []
    filled: list[Fields] = [{} for _ in wishes]
    check = PlaceCheck(reading, cities, avoided)
    for means in _KINDS:
        await _read_named(check, list(_list_sayings(wishes, _NAMED_IN_WISHES, means)), filled)
    for kind in _WORD_KINDS:
        sayings = list(_list_sayings(wishes, _WORDS_IN_WISHES, kind))
        await _read_words(reading, kind, sayings, filled, cities)
    return filled


def _list_sayings(
    wishes: Sequence[Any], table: Mapping[str, Mapping[str, str]], means: str
) -> Iterator[_Saying]:
    for n, wish in enumerate(wishes):
        kind = wish.get("kind") if isinstance(wish, Mapping) else None
        fields = table.get(kind, {}) if isinstance(kind, str) else {}
        for name, meant in fields.items():
            if meant == means:
                words = tuple(_list_words(make_pointer("wishes", n, name), wish.get(name)))
                is_wanted = not (wish.get("not") is True or wish.get("none") is True)
                yield _Saying(n, str(kind), name, words, means, is_wanted)


def _list_words(pointer: str, said: object) -> Iterator[Word]:
    """A name, a list of names, or a group of which one is enough."""
    if isinstance(said, Mapping):
        yield from _list_words(f"{pointer}/any_of", said.get("any_of"))
    elif isinstance(said, list | tuple):
        for n, entry in enumerate(said[:MOST_WORDS]):
            if isinstance(entry, str) and entry.strip():
                yield Word(f"{pointer}/{n}", entry.strip())
    elif isinstance(said, str) and said.strip():
        yield Word(pointer, said.strip())


async def _read_named(
    check: PlaceCheck, sayings: Sequence[_Saying], filled: Sequence[Fields]
) -> None:
    """Places, stations and hotels."""
    if not any(saying.words for saying in sayings):
        return
    means = sayings[0].means
    words = [word for saying in sayings for word in saying.words]
    found = await check.reading.find(words, _KINDS[means], check.cities)
    meant = dict(zip(words, found, strict=True))
    ids = {n.id for entry in found for n in entry.hits if n.kind != "station"}
    find_rows = find_hotels if means == "hotel" else find_places
    rows = {row.id: row for row in await find_rows(check.reading.session, ids)}
    for saying in sayings:
        hits = [hit for word in saying.words for hit in _take(check, saying, word, meant, rows)]
        if saying.words:
            one = tuple(dict.fromkeys(hit.id for hit in hits))
            is_list = saying.name == "any_of"
            filled[saying.wish][saying.name] = one if is_list else _name_or_group(one)


def _name_or_group(ids: tuple[str, ...]) -> object:
    return ids[0] if len(ids) == 1 else {"any_of": ids}


def _take(
    check: PlaceCheck,
    saying: _Saying,
    word: Word,
    meant: Mapping[Word, Found],
    rows: Mapping[str, NamedPlace],
) -> Sequence[Named]:
    """The rows that a word means, if they may be taken."""
    found, reading = meant[word], check.reading
    if not found.hits:
        code = "unknown_hotel" if saying.means == "hotel" else "unknown_place"
        kind = "hotel" if saying.means == "hotel" else "place"
        reading.refuse_name(word, found, code, f"no {kind} {quote(word.text)} in the catalogue")
        return ()
    reading.echo(word, found.hits)
    for named in found.hits:
        if named.kind == "station":
            if named.city not in check.cities:
                message = f"{named.name} is in {named.city}, which is no destination"
                reading.refuse(word.pointer, "place_elsewhere", message, sorted(check.cities))
        elif saying.is_wanted:
            check.check(word.pointer, rows[named.id])
    return found.hits


@dataclass(frozen=True)
class _WordReading:
    """What words of one kind mean: tags and types of the catalogue, else words of the table."""

    reading: Reading
    kind: WordKind
    tags: Mapping[str, Named]
    types: frozenset[str]

    async def take(self, name: str, word: Word, filled: Fields) -> None:
        """Put what a word means into a wish; a type may be a tag of the catalogue, or a tag a type."""
        tag = self.tags.get(word.text)
        key = self._find_key(word.text)
        if tag is not None:
            self.reading.echo(word, (tag,))
            _add(filled, "tag" if self.kind == "type" else name, tag.id)
        elif key is not None:
            shown = name_word("type" if self.kind == "tag" else self.kind, key, self.reading.locale)
            self.reading.echo_word(word, key, shown)
            _add(filled, "type" if self.kind == "tag" else name, key)
        elif self.kind == "tag":
            [found] = await self.reading.find([word], ("tag",))
            self.reading.refuse_name(word, found, "unknown_tag", f"no tag {quote(word.text)}")
        else:
            near = rank_known(word.text, read_words("type"), MOST_SUGGESTIONS, _LIKE)
            message = f"no type of places {quote(word.text)}"
            self.reading.refuse(word.pointer, "unknown_type", message, near)

    def _find_key(self, word: str) -> str | None:
        if self.kind in {"type", "tag"}:
            return word if word in self.types else find_word("type", word)
        return find_word(self.kind, word) or fold(word[:LONGEST_SAID])


async def _read_words(
    reading: Reading,
    kind: WordKind,
    sayings: Sequence[_Saying],
    filled: Sequence[Fields],
    cities: Sequence[str],
) -> None:
    """Tags, types, cuisines and offers of hotels."""
    words = [word for saying in sayings for word in saying.words]
    if not words:
        return
    tags = await _find_tags(reading, kind, words)
    others = {w.text for w in words if w.text not in tags and find_word("type", w.text) is None}
    is_type = bool(others) and kind in {"type", "tag"}
    types = await find_types(reading.session, others, cities) if is_type else frozenset()
    meant = _WordReading(reading, kind, tags, types)
    for saying in sayings:
        for word in saying.words:
            filled[saying.wish].setdefault(saying.name, ())
            await meant.take(saying.name, word, filled[saying.wish])


async def _find_tags(reading: Reading, kind: WordKind, words: Sequence[Word]) -> dict[str, Named]:
    """What is a tag of the catalogue under one of its names; a cuisine is none."""
    if kind == "cuisine":
        return {}
    asked = {w.text: _list_names(kind, w.text) for w in words if _may_be_tag(kind, w.text)}
    found = await reading.find_tags(
        list(dict.fromkeys(n for names in asked.values() for n in names))
    )
    return {
        word: named
        for word, names in asked.items()
        if (named := next((found[name] for name in names if name in found), None)) is not None
    }


def _may_be_tag(kind: WordKind, word: str) -> bool:
    """A type of places is a tag only where it is no type."""
    return kind != "type" or find_word("type", word) is None


def _list_names(kind: WordKind, word: str) -> list[str]:
    """The word and other names of the same thing."""
    table: WordKind = "tag" if kind == "type" else kind
    key = find_word(table, word)
    return [word] if key is None else list(dict.fromkeys((word, key, *read_words(table)[key])))


def find_word(kind: WordKind, word: str) -> str | None:
    """The word of the catalogue for what was said, if the table has it."""
    return _find_word(kind, word) if len(word) <= LONGEST_SAID else None


@lru_cache(maxsize=4096)
def _find_word(kind: WordKind, word: str) -> str | None:
    return find_known(word, read_words(kind))


def _add(filled: Fields, name: str, value: str) -> None:
    known = filled.get(name, ())
    assert isinstance(known, tuple)
    filled[name] = tuple(dict.fromkeys((*known, value)))
