"""Joins pieces that belong together: a place and its day or hours, a city and its nights.

A rule that finds only the half of a wish gives it a name that begins with `_`; here it meets the
place or the city that it is about, or it is not understood.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from backend.clock import format_minutes, parse_minutes

Meaning = dict[str, object]

_CLAUSE_END = re.compile(r"[，。；！？,;!?\n]|\.(?!\d)")
_NEXT_TO = re.compile(r"\s*(?:住|玩|待|for|in|的|则|then|[(（:：])?\s*")
_WAY = re.compile(r"\s*(?:到|去|飞往|飞|至|to|→|->|—|-)\s*")
NOON = "12:30"
PARTS = {
    "上午": {"to": NOON}, "早上": {"to": NOON}, "下午": {"from": "12:00", "to": "18:00"},
    "晚上": {"from": "18:00"}, "傍晚": {"from": "17:00"}, "morning": {"to": NOON},
    "afternoon": {"from": "12:00", "to": "18:00"}, "evening": {"from": "18:00"},
}  # fmt: skip
"""When a visit of a part of the day begins at the earliest and ends at the latest."""

LATE_MORNING_MIN = 11 * 60
"""What is visited in the morning begins by then."""


def end_morning(minutes: int) -> str:
    """When a visit of the morning ends at the latest: a long one begins in it, and may go on."""
    return format_minutes(max(parse_minutes(NOON), LATE_MORNING_MIN + minutes))


@dataclass(frozen=True)
class Span:
    """A piece of the text; `becomes` is empty for words that carry no wish."""

    start: int
    end: int
    understood: bool
    becomes: Meaning = field(default_factory=dict)


def join(plain: str, spans: Sequence[Span]) -> list[Span]:
    """The spans with their halves put together."""
    ordered = sorted(spans, key=lambda span: span.start)
    ordered = _join_ways(plain, ordered)
    ordered = _join_nights(plain, ordered)
    ordered = _join_places(plain, ordered)
    return [_drop_half(span) for span in ordered]


def _drop_half(span: Span) -> Span:
    halves = {key for key in span.becomes if key in {"_day", "_part", "_minutes", "_near"}}
    return Span(span.start, span.end, understood=False) if halves else span


def _city(span: Span) -> str | None:
    cities = span.becomes.get("destinations")
    return str(cities[0]) if isinstance(cities, list) and len(cities) == 1 else None


def _join_ways(plain: str, spans: list[Span]) -> list[Span]:
    """ "Shanghai to Beijing": the first city is where the trip begins."""
    if any("origin" in span.becomes for span in spans):
        return spans
    cities = [n for n, span in enumerate(spans) if _city(span)]
    for n, other in pairwise(cities):
        first, second = spans[n], spans[other]
        if _WAY.fullmatch(plain[first.end : second.start]) and _city(first) != _city(second):
            changed = replace(first, becomes={"origin": _city(first)})
            return [*spans[:n], changed, *spans[n + 1 :]]
    return spans


def _join_nights(plain: str, spans: list[Span]) -> list[Span]:
    """Nights beside a city are spent there; several counts of days beside cities are added up."""
    cities = [span for span in spans if _city(span)]
    named = {_city(span) for span in cities}
    beside: dict[int, str] = {}
    for n, span in enumerate(spans):
        if "_nights" in span.becomes or "days" in span.becomes:
            city = _find_beside(plain, span, cities)
            if city is not None and city not in beside.values():
                beside[n] = city
    nights = {n: c for n, c in beside.items() if "_nights" in spans[n].becomes}
    days = {n: c for n, c in beside.items() if "days" in spans[n].becomes}
    if len(named) > 1 and len(nights) == len(named):
        return _spread(spans, {n: (c, _number(spans[n], "_nights")) for n, c in nights.items()})
    if len(named) > 1 and len(days) == len(named):
        last = max(days)
        counts = {n: (c, _number(spans[n], "days") - (n == last)) for n, c in days.items()}
        return _spread(spans, counts)
    return [_as_days(span) for span in spans]


def _number(span: Span, name: str) -> int:
    value = span.becomes[name]
    return value if isinstance(value, int) else 0


def _as_days(span: Span) -> Span:
    """Nights of the whole trip are a day less than its days."""
    if "_nights" not in span.becomes:
        return span
    return replace(span, becomes={"days": _number(span, "_nights") + 1})


def _spread(spans: list[Span], counts: Mapping[int, tuple[str, int]]) -> list[Span]:
    """Each city's nights beside it, and the days of the whole trip."""
    total = sum(nights for _, nights in counts.values()) + 1
    by_city = dict(counts.values())
    changed: list[Span] = []
    for n, span in enumerate(spans):
        city = _city(span)
        if n in counts:
            changed.append(replace(span, becomes={"days": total}))
        elif city in by_city:
            changed.append(
                replace(span, becomes={"destinations": [{"city": city, "nights": by_city[city]}]})
            )
        else:
            changed.append(_as_days(span))
    return changed


def _find_beside(plain: str, span: Span, cities: Sequence[Span]) -> str | None:
    for city in cities:  # "Beijing 3 nights" before "3 nights in Beijing"
        if city.end <= span.start and _NEXT_TO.fullmatch(plain[city.end : span.start]):
            return _city(city)
    for city in cities:
        gap = plain[span.end : city.start]
        if span.end <= city.start and gap.strip() and _NEXT_TO.fullmatch(gap):
            return _city(city)
    return None


def _place(span: Span) -> object:
    wanted = span.becomes.get("must_see")
    return wanted[0] if isinstance(wanted, list) and len(wanted) == 1 else None


def _join_places(plain: str, spans: list[Span]) -> list[Span]:
    """A day, a part of a day, hours or nearness go to a place in the same clause."""
    changed = list(spans)
    halves = [n for n, span in enumerate(spans) if any(k.startswith("_") for k in span.becomes)]
    for n in halves:
        half = changed[n].becomes
        if not half.keys() & {"_day", "_part", "_minutes", "_near"}:
            continue
        place = _find_place(plain, changed, n)
        if place is None:
            continue
        changed[place] = replace(changed[place], becomes=_add_half(changed[place], half))
        changed[n] = replace(changed[n], becomes={})
    return changed


def _find_place(plain: str, spans: Sequence[Span], n: int) -> int | None:
    """The nearest place of the clause: the one before hours, the one after a day."""
    span = spans[n]
    best: tuple[int, int, int] | None = None
    is_after_better = "_day" in span.becomes or "_part" in span.becomes
    for m, other in enumerate(spans):
        if m == n or (_place(other) is None and not _is_at(other)):
            continue
        first, second = sorted((span, other), key=lambda s: s.start)
        if _CLAUSE_END.search(plain[first.end : second.start]):
            continue
        comes_after = other.start > span.start
        rank = (int(comes_after != is_after_better), second.start - first.end, m)
        best = min(best, rank) if best else rank
    return best[2] if best else None


def _is_at(span: Span) -> bool:
    wishes = span.becomes.get("wishes")
    return isinstance(wishes, list) and len(wishes) == 1 and wishes[0].get("kind") == "at"


def _add_half(span: Span, half: Meaning) -> Meaning:
    wishes = span.becomes.get("wishes")
    old = dict(wishes[0]) if isinstance(wishes, list) and wishes else {"kind": "at"}
    place = old.get("place", _place(span))
    if "_near" in half:
        return {"wishes": [{"kind": "hotel", "near": place}]}
    wish = {**old, "place": place}
    if "_day" in half:
        wish["day"] = half["_day"]
    if "_minutes" in half:
        wish["minutes"] = half["_minutes"]
    wish |= PARTS.get(str(half.get("_part")), {})
    return {"wishes": [wish]}
