"""What names are compared by: keys of a name that the catalogue knows, and of one that was said.

A key has no case, width, punctuation, tone mark or invisible character; it is in simplified
Chinese. Every name of the catalogue has several keys, each with the way in which it names.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from opencc import OpenCC
from pypinyin import lazy_pinyin

NameUse = Literal["name", "alias", "short", "former"]

LONGEST_SAID = 80
"""Of what was said that is compared; no name is longer."""

_HAN = "\u3400-\u9fff\U00020000-\U0003ffff"
_HAS_HAN = re.compile(f"[{_HAN}]")
_ALL_HAN = re.compile(f"[{_HAN}]+")
_WORD = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_APOSTROPHES = dict.fromkeys(map(ord, "'’‘ʼʻ`´′＇"))
_RUN = re.compile(f"[{_HAN}]+|[^{_HAN}]+")
_BRACKETS = re.compile(r"^(.*?)[（(](.+?)[)）](.*)$")
_BRANCH = re.compile(r"^(.{2,6}?)(?:国际)?(?:酒店|饭店)?[（(]?(.+?)店[)）]?$")
_UNSEEN = frozenset({"Mn", "Cf"})
_TONES = re.compile(r"(?<=[a-z])[1-5]$")


class Way(IntEnum):
    """How a key names its owner, the surest first."""

    NAME = 1
    ALIAS = 2
    CORE = 3  # without the city or the word for its kind
    PINYIN = 4
    PINYIN_CORE = 5
    INITIALS = 6


SURE = frozenset({Way.NAME, Way.ALIAS, Way.CORE, Way.PINYIN, Way.PINYIN_CORE})


def _end_in(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for texts that end in one of the words; the longest one counts."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"^(.+?)({'|'.join(longest_first)})$")


_WORDS = json.loads(Path(__file__).with_name("name_words.json").read_text(encoding="utf-8"))
_ENGLISH_STOP = frozenset(_WORDS["english_stop"])
_ENGLISH_SAME: dict[str, str] = _WORDS["english_same"]
_ENGLISH_KINDS: dict[str, list[str]] = _WORDS["english_kinds"]
_ENGLISH_GENERAL = frozenset([*_ENGLISH_KINDS, *_WORDS["english_general"]])
_ENGLISH_NEUTRAL = frozenset(_WORDS["english_neutral"])
_TOO_GENERAL = frozenset(_WORDS["too_general"])
_NEUTRAL_END = _end_in(_WORDS["neutral_ends"])
_KIND_END = _end_in((*_WORDS["kind_ends"], *_WORDS["park_ends"]))
_SAID_END = _end_in((*_WORDS["neutral_ends"], "站", "店"))


@dataclass(frozen=True)
class CityWords:
    """The names of an owner's city, which its own names often begin with."""

    han: str = ""
    latin: frozenset[str] = frozenset()

    @classmethod
    def of(cls, name: str, name_en: str) -> "CityWords":
        """From the city's two names."""
        return cls("".join(split_words(name)), frozenset(_english(split_words(name_en))))


@cache
def _converter() -> OpenCC:
    return OpenCC("t2s")


@lru_cache(maxsize=16384)
def simplify(character: str) -> str:
    """A traditional character as a simplified one; any other as it is."""
    if not "\u3400" <= character <= "\u9fff":
        return character
    plain = str(_converter().convert(character))
    return plain if len(plain) == 1 else character


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared: runs of Chinese, and of anything else."""
    plain = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES))
    if _HAS_HAN.search(plain):
        plain = _converter().convert(plain)
    plain = plain.casefold().replace("&", " and ")
    if not plain.isascii():
        spread = unicodedata.normalize("NFD", plain)
        plain = "".join(c for c in spread if unicodedata.category(c) not in _UNSEEN)
    return tuple(_WORD.findall(plain))


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """The plain key of a text."""
    return "".join(split_words(text))


def _stem(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def _english(words: Iterable[str]) -> list[str]:
    """The words that an English name is told by."""
    plain = [w for w in words if w not in _ENGLISH_STOP]
    stems = (_ENGLISH_SAME.get(w, w) for w in map(_stem, plain))
    return [w for w in stems if w] or plain


@lru_cache(maxsize=16384)
def _sound_run(run: str) -> tuple[str, ...]:
    sounds = tuple(s.replace("lv", "lu").replace("nv", "nu") for s in lazy_pinyin(run))
    return sounds if len(sounds) == len(run) else tuple(run)


def _syllables(key: str) -> tuple[str, ...]:
    """A syllable for every character; what is not Chinese stands for itself."""
    runs = _RUN.findall(key)
    return tuple(s for run in runs for s in (_sound_run(run) if _HAS_HAN.match(run) else run))


def _pinyin(key: str) -> str:
    return "".join(_syllables(key))


def _slice_syllables(key: str, core: str) -> tuple[str, ...]:
    """Syllables of a part of a key: a character sounds in it as it does in the whole."""
    at = key.find(core)
    return _syllables(key)[at : at + len(core)] if at >= 0 else _syllables(core)


def _strip_kinds(key: str) -> Iterator[str]:
    for pattern in (_NEUTRAL_END, _KIND_END):
        found = pattern.match(key)
        if found:
            key = found[1]
            yield key


def _cores(key: str, city: CityWords) -> list[str]:
    """A Chinese name without its city's name and without the word for its kind."""
    bases = [key]
    for prefix in (f"{city.han}市", city.han, "中国"):
        if prefix not in {"市", ""} and key.startswith(prefix):
            bases.append(key[len(prefix) :])
            break
    found = [*bases[1:], *(core for base in bases for core in _strip_kinds(base))]
    good = (c for c in found if len(c) > 1 and c not in _TOO_GENERAL and c != city.han)
    return list(dict.fromkeys(c for c in good if c != key))


def _branch_names(text: str, city: CityWords) -> list[str]:
    """Short forms of a hotel of a chain: 全季酒店北京王府井店 is 全季王府井 and 王府井全季."""
    key = text.replace(" ", "")
    found = _BRANCH.match(key)
    if not found or not city.han or city.han not in found[2]:
        return []
    brand, quarter = found[1], found[2].replace(city.han, "", 1)
    if not quarter or ("酒店" not in key and "之星" not in key):
        return []
    return [brand + quarter, quarter + brand, brand + found[2], found[2] + brand]


def _han_keys(text: str, way: Way, city: CityWords) -> Iterator[tuple[str, Way]]:
    key = fold(text)
    yield key, way
    yield _pinyin(key), Way.PINYIN
    for core in (key, *_cores(key, city)):
        syllables = _slice_syllables(key, core)
        if core != key:
            yield core, Way.CORE
            yield "".join(syllables), Way.PINYIN_CORE
        if len(syllables) > 2 and _ALL_HAN.fullmatch(core):
            yield "".join(s[:1] for s in syllables), Way.INITIALS
    yield from ((fold(name), Way.CORE) for name in _branch_names(text, city))


def _latin_keys(text: str, way: Way, city: CityWords) -> Iterator[tuple[str, Way]]:
    words = split_words(text)
    english = _english(words)
    yield "".join(english), way
    yield "".join(words), way
    yield _bag(english), Way.CORE
    own = [w for w in english if w not in city.latin and w != "hotel"]
    if 0 < len(own) < len(english) and not _ENGLISH_GENERAL.issuperset(own):
        yield "".join(own), Way.CORE
        yield _bag(own), Way.CORE


def _bag(words: Iterable[str]) -> str:
    """The words in an order of their own: a temple of heaven is a heaven temple."""
    return " ".join(sorted(set(words)))


def _alternatives(text: str, way: Way) -> Iterator[tuple[str, Way]]:
    """The text, and what stands before, in or after its brackets or its comma."""
    yield text, way
    found = _BRACKETS.match(text)
    if found and not found[2].endswith("店"):
        yield f"{found[1]} {found[3]}", way
        yield found[2], Way.ALIAS
    elif "," in text:
        yield text.split(",")[0], Way.ALIAS


def make_keys(names: Iterable[tuple[str, Way]], city: CityWords) -> dict[str, Way]:
    """Keys of one owner with the surest way of each; a name's way is `NAME` or `ALIAS`."""
    keys: dict[str, Way] = {}
    for name, said_as in names:
        for text, way in _alternatives(name, said_as):
            make = _han_keys if _HAS_HAN.search(text) else _latin_keys
            for key, key_way in make(text, way, city):
                if len(key) > 1 or key_way is Way.NAME:
                    keys[key] = min(key_way, keys.get(key, key_way))
    keys.pop("", None)
    return keys


@dataclass(frozen=True)
class Reading:
    """A key that what was said may mean; a lower level is surer, `ways` is what it may match."""

    key: str
    level: int
    ways: frozenset[Way] = SURE


@dataclass(frozen=True)
class Said:
    """What was said, as keys: of the whole, and of each cut into two (a city and its place)."""

    text: str
    whole: tuple[Reading, ...]
    cuts: tuple[tuple[tuple[Reading, ...], tuple[Reading, ...]], ...]

    @property
    def keys(self) -> list[str]:
        """All keys, sorted."""
        parts = (reading for cut in self.cuts for part in cut for reading in part)
        return sorted({reading.key for reading in (*self.whole, *parts)})


def read_said(text: str) -> Said:
    """The readings of a name that was said."""
    words = split_words(text[:LONGEST_SAID])
    found = _BRACKETS.match(text[:LONGEST_SAID])
    outside = split_words(f"{found[1]} {found[3]}") if found else ()
    whole = [*_read_words(words), *(_lower(_read_words(outside), 1))]
    key = "".join(words)
    if len(key) > 2 and _ALL_HAN.fullmatch(key):  # a wrong character of the same sound
        whole.append(Reading(_pinyin(key), 3))
    whole += [Reading(k, 5, frozenset({Way.INITIALS})) for k in _read_initials(words)]
    return Said(text, tuple(whole), tuple(_cut(words)))


def _lower(readings: Iterable[Reading], by: int) -> Iterator[Reading]:
    return (Reading(r.key, r.level + by, r.ways) for r in readings)


def _read_words(words: tuple[str, ...]) -> list[Reading]:
    if not words:
        return []
    if any(_HAS_HAN.search(word) for word in words):
        return list(_read_han("".join(words)))
    return list(_read_latin(words))


def _read_han(key: str) -> Iterator[Reading]:
    yield Reading(key, 0)
    found = _SAID_END.match(key)
    if found and len(found[1]) > 1 and found[1] not in _TOO_GENERAL:
        yield Reading(found[1], 1, frozenset({Way.NAME, Way.ALIAS, Way.CORE}))


def _read_latin(words: tuple[str, ...]) -> Iterator[Reading]:
    english = _english(words)
    yield Reading("".join(english), 0)
    yield Reading(_bag(english), 0)
    raw = "".join(words)
    yield Reading(raw, 0)
    yield Reading(raw.replace("lv", "lu").replace("nv", "nu").replace("lyu", "lu"), 1)
    if all(map(_TONES.search, words)):
        yield Reading("".join(_TONES.sub("", word) for word in words), 0)
    plain = [w for w in english if w not in _ENGLISH_NEUTRAL]
    if plain and not _ENGLISH_GENERAL.issuperset(plain) and plain != english:
        yield Reading("".join(plain), 1)
        yield Reading(_bag(plain), 1)
    yield from _read_kinds(words)


def _read_kinds(words: tuple[str, ...]) -> Iterator[Reading]:
    """Pinyin with an English word for the kind: Huguo Temple, Houhai Lake, Mount Qingcheng."""
    stems = [_ENGLISH_SAME.get(w, w) for w in map(_stem, words)]
    for kind, rest in ((stems[-1], words[:-1]), (stems[0], words[1:])):
        if kind in _ENGLISH_KINDS and rest:
            name = "".join(w for w in rest if w not in {"the", "of", "ancient", "old"})
            if len(name) > 3:
                yield Reading(name, 1, frozenset({Way.NAME, Way.ALIAS, Way.PINYIN}))
            yield from (Reading(name + end, 1) for end in _ENGLISH_KINDS[kind])


def _read_initials(words: tuple[str, ...]) -> Iterator[str]:
    key = "".join(words)
    if 3 <= len(key) <= 8 and key.isascii() and key.isalpha() and not set(key) & set("eiou"):
        yield key


def _cut(words: tuple[str, ...]) -> Iterator[tuple[tuple[Reading, ...], tuple[Reading, ...]]]:
    key = "".join(words)
    if any(_HAS_HAN.search(word) for word in words):
        for n in range(2, min(len(key) - 1, 24)):
            left, right = split_words(key[:n]), split_words(key[n:])
            yield tuple(_read_words(left)), tuple(_read_words(right))
    else:
        for n in range(1, min(len(words), 10)):
            yield tuple(_read_words(words[:n])), tuple(_read_words(words[n:]))
