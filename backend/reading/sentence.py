"""Reads a sentence by rules: fields of a request, and for every piece of the text what it became.

A field that is said twice in two ways is not taken: it is asked for. Names are looked up by the
caller (`list_names` tells which), so that this module reads no catalogue.
"""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from backend.catalogue.naming import simplify
from backend.reading.bookings import date_booking
from backend.reading.joining import Span, join
from backend.reading.rules import FILLERS, LISTS, RULES
from backend.reading.wish_rules import RATHER, Meaning

Role = Literal["origin", "to", "avoid", "none"]
LONGEST_TEXT = 2000
MOST_NAMES = 200
_MASK = "\0"

_NEGATED = re.compile(r"(?:不是|不要|不想|别|不|没|除了|至少|最少|最多|超过|少于|\bnot?|\bnot (?:in|on|for)|except|at least|at most|before|after|以前)\s*$")  # fmt: skip
_OTHER_PRICE = re.compile(r"酒店|宾馆|住宿|每晚|一晚|/晚|门票|机票|每天|一天|餐|已经|花了|定金|hotel|night|ticket|meal|dinner|a day|per day|spent|already|room")  # fmt: skip
_CLAUSE_END = re.compile(r"[，。；！？,;!?\n]|\.(?!\d)")
_RANGE_NEXT = re.compile(r"\s*(?:[-~–—到至\d]|多个?[天人])")
_AVOID = r"不想去|不要去|不想看|别去|不去|不看|不爬|不想|不要|不喜欢|避开|\bavoid|\bnot?\b|\bwithout|\bskip|\bdon't (?:want|like)(?: to)?"  # fmt: skip
_AVOIDING = re.compile(rf"(?:{_AVOID})[a-z ]*$")
_CUE = re.compile(rf"(?P<avoid>{_AVOID})|(?P<origin>从|\bfrom\b)|(?P<leave>出发)|(?P<to>一定要去|一定要看|必须去|必去|必看|想看|想去|喜欢|逛逛|参观|打卡|包括|住在|住|看看|去|到|飞|在|逛|看|吃|爱|\bmust see\b|\bsee\b|\bvisit(?:ing)?\b|\bto\b|\blikes?\b|\bloves?\b|\binterested in\b)|(?P<end>[，。；！？,.;!?\n])|(?P<and>[、/和跟与及&+\s]|\band\b|\bwith\b)", re.ASCII)  # fmt: skip
_FILLER = re.compile("|".join(
    rf"(?<![a-z]){re.escape(w)}(?![a-z])" if w.isascii() else re.escape(w)
    for w in sorted(FILLERS, key=lambda w: (-len(w), w))
))  # fmt: skip
_SPACE_OR_MARK = re.compile(r"[\s\W_]+")
_QUESTIONS = {
    "destinations": ("想去哪座城市？", "Which city do you want to visit?"),
    "start_date": ("哪天出发？", "On which day does the trip begin?"),
    "days": ("玩几天？", "How many days is the trip?"),
    "travellers": ("一共几个人？", "How many people travel?"),
    "budget_tier": ("想要经济、舒适还是品质？", "Economy, comfort or quality?"),
    "budget_total": ("总预算是多少元？", "What is the whole budget, in yuan?"),
}
_DEFAULTS: dict[str, object] = {"days": 3, "travellers": 2, "budget_tier": "comfort"}
_CHOICES: dict[str, list[object]] = {"budget_tier": ["economy", "comfort", "quality"]}
REQUIRED = ("destinations", "start_date", "days", "travellers", "budget_tier")
MOST_NEEDS = 3
DAYS_AHEAD = 14
"""Until the day that is taken where none is said."""


@dataclass(frozen=True)
class Known:
    """What a name was found to be: a city, a tag, or places of which one is enough."""

    kind: Literal["city", "tag", "place", "hotel"]
    ids: tuple[str, ...]
    cities: tuple[str, ...] = ()
    """The cities that the places are in."""


@dataclass(frozen=True)
class Piece:
    """A piece that no rule has taken and that may be a name."""

    start: int
    end: int
    text: str
    role: Role


def read_sentence(
    text: str, today: dt.date, known: Mapping[str, Known], start: dt.date | None = None
) -> dict[str, object]:
    """The reading: request, spans, needs and warnings; `start` is the first day, where it is known."""
    plain = make_plain(text)
    spans = _apply_rules(plain, today)
    spans += _read_names(plain, spans, known)
    spans = [_weigh(plain, span) for span in join(plain, spans)]
    spans = _cover(plain, sorted(spans, key=lambda span: span.start))
    request, clashes = _collect(spans)
    spans = _date_bookings(spans, request, start)
    is_chinese = bool(re.search("[\u3400-\u9fff]", text))
    warnings = _list_assumed(text, spans, is_chinese=is_chinese)
    if "destinations" not in request and "destinations" not in clashes:
        warnings += _assume_cities(request, known, is_chinese=is_chinese)
    spans = [_without_marks(span) for span in spans]
    spans = [
        replace(s, understood=False, becomes={}) if clashes.keys() & s.becomes.keys() else s
        for s in spans
    ]
    spans = _join_unread(spans)
    request["locale"] = "zh-CN" if is_chinese else "en"
    return {
        "request": request,
        "spans": [
            {"from": s.start, "to": s.end, "text": text[s.start : s.end],
             "understood": s.understood, "becomes": s.becomes}
            for s in spans
        ],
        "needs": _list_needs(request, clashes, today, is_chinese=is_chinese),
        "warnings": [*_list_warnings(text, spans, is_chinese=is_chinese), *warnings],
    }  # fmt: skip


def list_names(text: str, today: dt.date) -> list[str]:
    """The pieces that may be names, for the caller to look up."""
    plain = make_plain(text)
    names = (p.text for p in _list_pieces(plain, _apply_rules(plain, today)))
    return list(dict.fromkeys(names))[:MOST_NAMES]


def make_plain(text: str) -> str:
    """Small letters and narrow digits, with every character at its place."""
    narrow = (chr(ord(c) - 0xFEE0) if "０" <= c <= "ｚ" else c for c in text)
    return "".join(low if len(low := c.lower()) == 1 else c for c in map(simplify, narrow)).replace(
        "\0", " "
    )


def _apply_rules(plain: str, today: dt.date) -> list[Span]:
    spans: list[Span] = []
    rest = plain
    for pattern, read in RULES:
        for match in list(pattern.finditer(rest)):
            start, end = match.span()
            while start < end and plain[start].isspace():
                start += 1
            meaning = read(match, today)
            if meaning == {} or start == end:
                continue
            refused = meaning is None or _is_refused(plain, start, end, meaning)
            spans.append(Span(start, end, not refused, {} if refused else meaning or {}))
            rest = rest[:start] + _MASK * (end - start) + rest[end:]
    return spans


def _is_refused(plain: str, start: int, end: int, meaning: Meaning) -> bool:
    """Whether the words around it say that it is meant otherwise."""
    if _NEGATED.search(plain[max(0, start - 12) : start]):
        return True
    if not meaning.keys() & {"budget_total", "budget_each"}:
        return False
    before = _CLAUSE_END.split(plain[max(0, start - 30) : start])[-1]
    after = _CLAUSE_END.split(plain[end : end + 12])[0]
    return bool(
        _OTHER_PRICE.search(before)
        or _OTHER_PRICE.match(after.strip())
        or _RANGE_NEXT.match(plain[end:end + 3])
    )  # fmt: skip


def _list_pieces(plain: str, spans: Sequence[Span]) -> Iterator[Piece]:
    """Runs between cues, as a whole and, where it is not one name, cut at its joining words."""
    chars = list(plain)
    for span in spans:
        chars[span.start : span.end] = _MASK * (span.end - span.start)
    rest = "".join(chars)
    role: Role = "none"
    starts = [0]
    for cue in _CUE.finditer(rest + "\n"):
        after: Role = "origin" if cue["leave"] else role
        for start in dict.fromkeys((starts[0], *starts[-4:])):
            yield from _trim(rest, start, cue.start(), after)
        starts.append(cue.end())
        if not cue["and"]:
            starts = [cue.end()]
            role = _role_of(cue)


def _role_of(cue: re.Match[str]) -> Role:
    if cue["origin"]:
        return "origin"
    if cue["avoid"]:
        return "avoid"
    return "to" if cue["to"] else "none"


def _trim(rest: str, start: int, end: int, role: Role) -> Iterator[Piece]:
    """The parts between what is taken, without fillers at their ends."""
    for part in re.finditer(rf"[^{_MASK}]+", rest[start:end]):
        first, last = start + part.start(), start + part.end()
        if last - first > 60:
            continue
        words = rest[first:last]
        cuts = [(0, len(words))]
        at = 0
        for filler in _FILLER.finditer(words):
            cuts.append((at, filler.start()))
            at = filler.end()
        cuts.append((at, len(words)))
        for a, b in dict.fromkeys(cuts):
            text = words[a:b].strip()
            if len(text) > (3 if text.isascii() else 1):
                begin = first + a + words[a:b].index(text)
                yield Piece(begin, begin + len(text), text, role)


def _weigh(plain: str, span: Span) -> Span:
    """A wish said with "preferably" is a `rather`."""
    wishes = span.becomes.get("wishes")
    if not isinstance(wishes, list):
        return span
    first = max((m.end() for m in _CLAUSE_END.finditer(plain, 0, span.start)), default=0)
    last = _CLAUSE_END.search(plain, span.end)
    if not RATHER.search(plain[first : last.start() if last else len(plain)]):
        return span
    weighed = [{**wish, "weight": "rather"} for wish in wishes]
    return replace(span, becomes={**span.becomes, "wishes": weighed})


def _join_unread(spans: Sequence[Span]) -> list[Span]:
    """Pieces beside each other that are not understood as one: they are quoted, and read, together."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last is not None and not last.understood and not span.understood:
            joined[-1] = replace(last, end=span.end)
        else:
            joined.append(span)
    return joined


def _date_bookings(
    spans: Sequence[Span], request: dict[str, object], start: dt.date | None
) -> list[Span]:
    """Bookings with their dates, once the first day is known; one without a date is not understood."""
    said = request.get("start_date")
    first = dt.date.fromisoformat(said) if isinstance(said, str) else start
    dated, bookings = list(spans), []
    for n, span in enumerate(spans):
        booking = span.becomes.get("_booking")
        if not isinstance(booking, dict):
            continue
        found = date_booking(booking, first)
        marks = {k: v for k, v in span.becomes.items() if k == "_assumed"}
        becomes: Meaning = {"fixed": [found], **marks} if found else {}
        dated[n] = replace(span, understood=found is not None, becomes=becomes)
        bookings += [found] if found else []
    if bookings:
        request["fixed"] = bookings
    return dated


def _without_marks(span: Span) -> Span:
    kept = {k: v for k, v in span.becomes.items() if not k.startswith("_")}
    return replace(span, becomes=kept)


_ASSUMED = {
    "date": ("DATE_ASSUMED", "“{said}”按 {value} 计。", "“{said}” is taken as {value}."),
    "budget": ("BUDGET_ASSUMED", "“{said}”按总预算 {value} 元计。", "“{said}” is taken as a budget of {value} yuan."),
    "length": ("LENGTH_ASSUMED", "没有说“{said}”多久，按一个半小时计。", "No length of “{said}”: taken as an hour and a half."),
    "age": ("AGE_ASSUMED", "没有说“{said}”多大年纪，按 60 岁计。", "No age of “{said}”: taken as 60."),
    "parents": ("SENIOR_AGE_UNKNOWN", "没有说“{said}”多大年纪，按成人计。", "No age of “{said}”: counted as adults."),
}  # fmt: skip


def _list_assumed(text: str, spans: Sequence[Span], *, is_chinese: bool) -> list[dict[str, object]]:
    """What was taken without being sure, with the words that it came from."""
    found: list[dict[str, object]] = []
    for span in spans:
        mark = span.becomes.get("_assumed")
        if mark is None:
            continue
        code, chinese, english = _ASSUMED[str(mark)]
        said = text[span.start : span.end].strip()
        value = span.becomes.get("start_date") or span.becomes.get("budget_total")
        message = (chinese if is_chinese else english).format(said=said, value=value)
        found.append({"code": code, "message": message, "text": said})
    return found


def _assume_cities(
    request: dict[str, object], known: Mapping[str, Known], *, is_chinese: bool
) -> list[dict[str, object]]:
    """The cities of the places that are to be seen, where no city is named."""
    homes: dict[object, tuple[str, ...]] = {
        i: k.cities for k in known.values() if k.kind == "place" for i in k.ids
    }
    cities: dict[str, None] = {}
    for entry in _list_places(request):
        ids = entry["any_of"] if isinstance(entry, dict) else [entry]
        found = {city for i in ids for city in homes.get(i, ())}
        if len(found) != 1:
            return []
        cities |= dict.fromkeys(found)
    if not cities:
        return []
    request["destinations"] = [{"city": city} for city in cities]
    names = ", ".join(cities)
    message = f"没有说城市，按景点所在的 {names} 安排。" if is_chinese else f"No city: taken from the sights: {names}."  # fmt: skip
    return [{"code": "CITY_ASSUMED", "message": message}]


def _list_places(request: Mapping[str, object]) -> Iterator[object]:
    """What is to be seen: places by name, and those with a day or an hour."""
    wanted, wishes = request.get("must_see"), request.get("wishes")
    yield from wanted if isinstance(wanted, list) else ()
    for wish in wishes if isinstance(wishes, list) else ():
        if wish["kind"] == "at" and not wish.get("not"):
            yield wish["place"]


def _read_names(
    plain: str, spans: Sequence[Span], known: Mapping[str, Known]
) -> list[Span]:  # fmt: skip
    """The pieces that are names, the longest first."""
    found: list[Span] = []
    taken = bytearray(len(plain))
    pieces = [p for p in _list_pieces(plain, spans) if p.text in known]
    for piece in sorted(pieces, key=lambda p: (p.start - p.end, p.start)):
        if any(taken[piece.start : piece.end]):
            continue
        meaning = _mean(known[piece.text], piece.role)
        taken[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
        found.append(Span(piece.start, piece.end, meaning is not None, meaning or {}))
    return found


def _mean(known: Known, role: Role) -> Meaning | None:
    one = known.ids[0]
    if known.kind == "city":
        if role == "avoid":
            return None
        return {"origin": one} if role == "origin" else {"destinations": [one]}
    if role == "origin":
        return None
    if known.kind == "tag":
        return None if role == "avoid" else {"interests": [one]}
    if known.kind == "hotel":
        wish = {"kind": "hotel", "hotel": one, "weight": "must"}
        return {"wishes": [wish | {"not": True} if role == "avoid" else wish]}
    if role == "avoid":
        return {"avoid": list(known.ids)}
    return {"must_see": [one if len(known.ids) == 1 else {"any_of": list(known.ids)}]}


def _cover(plain: str, spans: Sequence[Span]) -> list[Span]:
    """All of the text: what stands between the spans is filler, or is not understood."""
    covered: list[Span] = []
    at = 0
    for span in (*spans, Span(len(plain), len(plain), understood=True)):
        if span.start > at:
            words = plain[at : span.start]
            if "avoid" in span.becomes:  # what is avoided is said by the next piece
                words = _AVOIDING.sub("", words)
            covered.append(Span(at, span.start, _says_nothing(words)))
        if span.end > span.start:
            covered.append(span)
        at = span.end
    return covered


def _says_nothing(words: str) -> bool:
    """Whether it is only cues, fillers and marks; an avoidance without its object says something."""
    if re.search(_AVOID, words):
        return not _SPACE_OR_MARK.sub("", _FILLER.sub("", _CUE.sub("", words))) and len(words) < 8
    return not _SPACE_OR_MARK.sub("", _FILLER.sub("", _CUE.sub("", words)))


_SINGLE = ("origin", "start_date", "days", "budget_total", "budget_each", "budget_tier", "pace",
           "travellers", "adults", "day_start", "day_end")  # fmt: skip
_MANY = ("destinations", "interests", "must_see", "avoid", *sorted(LISTS))


def _collect(spans: Sequence[Span]) -> tuple[dict[str, object], dict[str, list[object]]]:
    """The request, and fields that are said in two ways with what was said."""
    request: dict[str, object] = {}
    clashes: dict[str, list[object]] = {}
    for name in _SINGLE:
        said = list(dict.fromkeys(s.becomes[name] for s in spans if name in s.becomes))
        if len(said) == 1:
            request[name] = said[0]
        elif said:
            clashes[name] = list(said)
    for name in _MANY:
        values: list[object] = []
        for value in _gather(spans, name):
            if value not in values or name == "seniors":
                values.append(value)
        if values:
            request[name] = _list_stays(values) if name == "destinations" else values
    _count_party(request, spans)
    _multiply_budget(request, clashes)
    return request, clashes


def _gather(spans: Sequence[Span], name: str) -> Iterator[object]:
    for span in spans:
        values = span.becomes.get(name)
        if isinstance(values, list):
            yield from values


def _list_stays(values: Sequence[object]) -> list[object]:
    """Destinations; a city with its nights stands for the city alone."""
    with_nights = {v["city"] for v in values if isinstance(v, dict)}
    return [
        v if isinstance(v, dict) else {"city": v}
        for v in values
        if isinstance(v, dict) or v not in with_nights
    ]


def _list_kin(spans: Sequence[Span], *, are_parents: bool) -> list[int]:
    return [
        n
        for s in spans
        if isinstance(n := s.becomes.get("kin"), int)
        and (s.becomes.get("_assumed") == "parents") == are_parents
    ]


def _count_once(counts: Sequence[int]) -> int:
    """ "My parents … my mother": where several are said at once, one of them is no other person."""
    most = max(counts, default=0)
    return most if most > 1 else sum(counts)


def _count_party(request: dict[str, object], spans: Sequence[Span]) -> None:
    children = list(_gather(spans, "children"))
    kin = sum(_list_kin(spans, are_parents=False)) + _count_once(_list_kin(spans, are_parents=True))
    adults = request.pop("adults", None)
    if children:
        request["children"] = children
    old = _count_once([n for s in spans if isinstance(n := s.becomes.get("old"), int)])
    if isinstance(seniors := request.get("seniors"), list):
        request["seniors"] = sorted(seniors, reverse=True)[:old] if old < len(seniors) else seniors
    if "travellers" not in request and isinstance(adults, int):
        request["travellers"] = adults + old + len(children)
    elif "travellers" not in request and kin + old:
        request["travellers"] = 1 + kin + old + len(children)
    party = request.get("travellers")
    if isinstance(party, int) and not len(children) < party <= 20:
        del request["travellers"]


def _multiply_budget(request: dict[str, object], clashes: dict[str, list[object]]) -> None:
    each, total, party = request.pop("budget_each", None), request.get("budget_total"), request.get("travellers")  # fmt: skip
    if "budget_each" in clashes:
        clashes["budget_total"] = clashes.pop("budget_each")
        request.pop("budget_total", None)
    elif isinstance(each, str) and isinstance(party, int):
        product = format(Decimal(each) * party, "f")
        if total in {None, product}:
            request["budget_total"] = product
        else:
            del request["budget_total"]
            clashes["budget_total"] = [total, product]


def _list_needs(
    request: Mapping[str, object],
    clashes: Mapping[str, list[object]],
    today: dt.date,
    *,
    is_chinese: bool,
) -> list[dict[str, object]]:
    fields = [*(name for name in clashes if name in _QUESTIONS), *(n for n in REQUIRED if n not in request)]  # fmt: skip
    return [
        make_need(name, clashes.get(name, ()), today, is_chinese=is_chinese)
        for name in list(dict.fromkeys(fields))[:MOST_NEEDS]
    ]


def make_need(
    field: str, choices: Sequence[object], today: dt.date, *, is_chinese: bool
) -> dict[str, object]:
    """The question for a field; of two things that were said the first is the default."""
    default = _DEFAULTS.get(field)
    if field == "start_date":
        default = (today + dt.timedelta(DAYS_AHEAD)).isoformat()
    return {
        "field": field,
        "question": _QUESTIONS[field][0 if is_chinese else 1],
        "choices": list(choices) or _CHOICES.get(field, []),
        "default": choices[0] if choices else default,
    }


def _list_warnings(
    text: str, spans: Sequence[Span], *, is_chinese: bool
) -> list[dict[str, object]]:
    said = [text[s.start : s.end].strip(" \n\t，。；,.;") for s in spans if not s.understood]
    words = ("没有读懂：", "") if is_chinese else ("not understood: ", "")
    unclear: list[dict[str, object]] = [
        {"code": "NOT_UNDERSTOOD", "message": f"{words[0]}{quoted}", "text": quoted}
        for quoted in said
    ]
    if any("kids" in s.becomes for s in spans) and not any("children" in s.becomes for s in spans):
        message = (
            "没有说孩子几岁，按成人计。"
            if is_chinese
            else "No ages of children: counted as adults."
        )
        unclear.append({"code": "CHILD_AGE_UNKNOWN", "message": message})
    return unclear
