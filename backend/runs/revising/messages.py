"""A traveller's message as edits, by rules: for where no language model reads it."""

import re
from collections.abc import Iterator

from backend.planner.plan.itinerary import Itinerary, MealItem, VisitItem
from backend.pool.snapshot import Snapshot

_CLAUSE_END = re.compile(r"[，。；！？,;!?\n]|\.(?!\d)")
_RELAXED = re.compile(r"太满|太累|太赶|太紧|轻松|慢一点|少安排|too (?:full|much|tiring|packed|busy)|lighter|slower|more relaxed|take it easy")  # fmt: skip
_PACKED = re.compile(r"太空|太闲|太松|紧凑|多安排|多玩|too (?:empty|slow|light)|more packed|fuller|see more")  # fmt: skip
_HOTEL = re.compile(r"换.{0,6}(?:酒店|宾馆)|(?:酒店|宾馆).{0,4}换|(?:another|different|change|swap).{0,12}hotel")  # fmt: skip
_REMOVE = re.compile(r"去掉|删掉|删除|取消|不去|不想去|不要去|不要|别去|\b(?:remove|drop|skip|delete|without|take out|cut)\b")  # fmt: skip
_ADD = re.compile(r"加上|加一个|加个|加|增加|想去|还要去|补上|\b(?:add|include|also (?:see|visit|go to))\b")  # fmt: skip
_ITS_DAY = re.compile(r"第([1-9一二三四五六七八九十])天|\bday (\d{1,2})\b")
_DIGITS = {c: n for n, c in enumerate("一二三四五六七八九十", 1)}
_CHEAPER = re.compile(r"便宜|省|贵|cheap|expensive")


def read_message(message: str, shown: Itinerary, snapshot: Snapshot) -> list[dict[str, object]]:
    """The edits that a message asks for; none where a piece of it is not understood."""
    edits: list[dict[str, object]] = []
    for clause in _CLAUSE_END.split(message.lower()):
        if not clause.strip():
            continue
        found = list(_read_clause(clause, shown, snapshot))
        if not found:
            return []
        edits += found
    return edits


def _read_clause(clause: str, shown: Itinerary, snapshot: Snapshot) -> Iterator[dict[str, object]]:
    if _HOTEL.search(clause) and not _CHEAPER.search(clause):
        for city, pool in snapshot.cities.items():
            if pool.nights:
                yield {"op": "swap_hotel", "city": city}
    elif _REMOVE.search(clause):
        yield from _list_planned(clause, shown)
    elif _ADD.search(clause) and (place := _find_new(clause, shown, snapshot)):
        day = _ITS_DAY.search(clause)
        number = None if day is None else _DIGITS.get(day[1] or "") or int(day[1] or day[2])
        yield {"op": "add", "poi_id": place, **({} if number is None else {"day": number})}
    elif _RELAXED.search(clause):
        yield {"op": "pace", "pace": "relaxed"}
    elif _PACKED.search(clause):
        yield {"op": "pace", "pace": "packed"}


def _list_planned(clause: str, shown: Itinerary) -> Iterator[dict[str, object]]:
    """What the clause names of the plan, by the name as shown or a beginning of it."""
    for day, row in enumerate(shown.days, start=1):
        for item, entry in enumerate(row.items):
            if isinstance(entry, VisitItem | MealItem) and _is_named(clause, entry.name or ""):
                yield {"op": "remove", "day": day, "item": item}


def _is_named(clause: str, name: str) -> bool:
    plain = name.lower()
    shortest = 2 if not plain.isascii() else 6
    return bool(plain) and (plain in clause or any(
        plain[:n] in clause for n in range(len(plain) - 1, shortest - 1, -1)
        if not plain.isascii() and n >= len(plain) - 3
    ))  # fmt: skip


def _find_new(clause: str, shown: Itinerary, snapshot: Snapshot) -> str | None:
    """The place of the pool that the clause names, the longest name first; None where two fit."""
    planned = {getattr(i, "poi_id", None) for day in shown.days for i in day.items}
    named = [
        (len(name), place)
        for place in sorted(snapshot.ids_by_kind["poi"])
        for name in (snapshot.rows.pois[place].name, snapshot.rows.pois[place].name_en)
        if name and place not in planned and name.lower() in clause
    ]
    longest = {place for length, place in named if length == max(named)[0]}
    return longest.pop() if len(longest) == 1 else None
