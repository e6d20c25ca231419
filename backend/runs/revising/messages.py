"""A traveller's message about a finished plan as edits, by rules: no language model reads it.

Each clause is one thing to change. What is said of the plan itself (a day, a hotel, a train, a place
in it) has rules here; what is said as in a request ("no taxi", "vegetarian") is read as a request is.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from backend.catalogue.finder import find_names
from backend.catalogue.matching import Scope
from backend.catalogue.place_types import FOOD_TYPES, read_words
from backend.clock import format_minutes, parse_minutes
from backend.db.session import Session
from backend.planner.plan.itinerary import Itinerary, LegItem, MealItem, StayItem, VisitItem
from backend.pool.candidate import HotelCandidate, PoiCandidate, measure_distance_m
from backend.pool.snapshot import Snapshot
from backend.reading.joining import PARTS, end_morning
from backend.reading.numbers_and_dates import read_number
from backend.reading.reading import read_text

Edits = list[dict[str, object]]

MOST_CLAUSES = 20
_CLAUSE_END = re.compile(r"[，。；！？,;!?\n]|\.(?!\d)|\b(?:and then|but)\b|(?<=[^先])然后")
_MARKS = " \t\n，。；,.;、"
_N = r"(\d{1,2}|[一二两三四五六七八九十]{1,3}|one|two|three|four|five|six|seven)"
_DAY = re.compile(rf"第{_N}天|\bday {_N}\b|\b(first|second|third|fourth|fifth|sixth|last) day\b|(最后一天|头一天|首日)")  # fmt: skip
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
_PART = re.compile("|".join(PARTS))
_HOURS = re.compile(r"(\d{1,2})(?:[:：点时](\d{2})?|\s*(am|pm)\b|(?<=at \d)\b|(?<=at \d\d)\b)(半)?")
_HALF_DAY_MIN = 12 * 60
_MORE_MIN = 60
"""What "longer", "later" or "earlier" means where no number is said."""

_HOTEL = re.compile(r"酒店|宾馆|旅馆|住宿|住处|\bhotels?\b|\bstay\b|\baccommodation\b")
_CHEAPER = re.compile(r"便宜|省|太贵|贵了|实惠|降低|cheap|less expensive|too expensive|too (?:dear|pricey)|lower")  # fmt: skip
_BETTER = re.compile(r"更?好(?:一?点|一些|的)|高级|升级|豪华|星级高|better|nicer|upgrade|fancier|more (?:stars|comfort)|luxur")  # fmt: skip
_OTHER = re.compile(r"换|别的|另一|其他|\b(?:another|different|change|swap|other)\b")
_NEAR = re.compile(r"离(.{1,16}?)(?:近|不远)|靠近(.{1,16})|在(.{1,16}?)(?:附近|旁边|边上)|(?:closer to|close to|near(?:er)?(?: to)?|next to|by) (.{2,40})")  # fmt: skip
_FULL = re.compile(r"太满|太累|太赶|太紧|轻松|慢一点|少安排|少去|too (?:full|much|tiring|packed|busy|long)|lighter|slower|more relaxed|take it easy|less packed|fewer")  # fmt: skip
_EMPTY = re.compile(r"太空|太闲|太松|太少|紧凑|多安排|多玩|too (?:empty|slow|light|little)|more packed|fuller|see more|\badd more\b")  # fmt: skip
_FREE = re.compile(r"自由活动|空出来|留空|不安排|休息|\bfree\b|\brest\b|\bnothing planned\b")
_REMOVE = re.compile(r"去掉|删掉|删除|取消|不去|不想去|不要去|不要|别去|不看|\b(?:remove|drop|skip|delete|without|take out|cut|no)\b|\bdon'?t want\b")  # fmt: skip
_ADD = re.compile(r"加上|加一个|加个|加入|增加|想去|还要去|还想去|补上|\b(?:add|include|also (?:see|visit|go to)|want to (?:see|visit))\b")  # fmt: skip
_KEEP = re.compile(r"保留|留着|别动|不要动|\bkeep\b")
_MOVE = re.compile(r"挪|移|改到|放到|放在|调到|换到|安排在|安排到|\b(?:move|put|shift|reschedule|visit|see)\b")  # fmt: skip
_REPLACE = re.compile(r"把(.{1,20})(?:换成|改成|替换成)(.{1,20})|\breplace (.{2,40}) (?:with|by) (.{2,40})|(.{2,40}) instead of (.{2,40})")  # fmt: skip
_ORDER = re.compile(r"先(?:去|看|玩)?(.{1,20}?)(?:，)?(?:再|然后|后)(?:去|看|玩)?(.{1,20})|(.{2,40}?) before (.{2,40})|first (.{2,40}?) then (.{2,40})")  # fmt: skip
_LONGER = re.compile(r"多待|多玩|多留|久一点|长一点|多.{0,3}时间|\blonger\b|\bmore time\b")
_SWAP_DAYS = re.compile(r"(?:对调|互换|交换|调换|换一下|\b(?:swap|switch|exchange)\b)")
_MORE_DAYS = re.compile(rf"多(?:玩|待|住|加)?{_N}天|加{_N}天|延长{_N}天|\b{_N} (?:more|extra) days?\b|\b(?:a|an) (?:more|extra|additional) day\b|\bone day longer\b")  # fmt: skip
_LESS_DAYS = re.compile(rf"少(?:玩|待|住)?{_N}天|减{_N}天|缩短{_N}天|\b{_N} days? (?:less|fewer|shorter)\b|\ba day (?:less|shorter)\b")  # fmt: skip
_SET_DAYS = re.compile(rf"(?:改成|改为|变成|只玩|一共){_N}天|\b(?:make it|only) {_N} days\b")
_LATER_START = re.compile(r"晚(?:一?点|些).{0,2}(?:出发|出门|开始|起)|睡懒觉|睡个?懒觉|不想早起|起不来|别太早|太早|\b(?:start|begin|leave|set out)\b.{0,10}\blater\b|\bsleep in\b|\btoo early\b|\blater start\b")  # fmt: skip
_EARLIER_START = re.compile(
    r"早(?:一?点|些).{0,2}(?:出发|出门|开始)|\b(?:start|begin|set out)\b.{0,10}\bearlier\b"
)
_START_AT = re.compile(r"(?:再|才)?(?:出发|出门|开始)|\b(?:start|begin|leave|set out)\b")
_EARLIER_END = re.compile(r"早(?:一?点|些).{0,2}(?:回|结束|休息)|\b(?:back|finish|end)\b.{0,14}\bearlier\b|\bearly nights?\b")  # fmt: skip
_LATER_END = re.compile(
    r"晚(?:一?点|些).{0,2}(?:回|结束)|\b(?:back|finish|end|stay out)\b.{0,14}\blater\b"
)
_WAY = re.compile(r"返程|回程|回去|回家|去程|火车|高铁|动车|列车|车次|航班|\btrain\b|\bflight\b|\b(?:way|trip|journey) (?:back|home|there|out)\b|\breturn\b|\boutbound\b")  # fmt: skip
_BACK = re.compile(r"返程|回程|回去|回家|回来|\bback\b|\bhome\b|\breturn\b")
_LATER = re.compile(r"晚(?:一?点|些)|迟|\blater\b")
_EARLIER = re.compile(r"早(?:一?点|些)|提前|\bearlier\b")
_BUDGET = re.compile(
    r"预算|总价|总共|控制在|不超过|以内|\bbudget\b|\bwithin\b|\bat most\b|\bunder\b"
)
_AMOUNT = re.compile(
    r"(\d{3,7})(?:元|块|yuan|rmb)?|([一二两三四五六七八九])([千万])|(\d(?:\.\d)?)([千万k])"
)
_ALL_CHEAPER = re.compile(r"整体|总体|总的|全部|\boverall\b|\bwhole (?:trip|thing)\b|\btrip\b|太贵|便宜一?点|省一?点|\bcheaper\b|\btoo expensive\b")  # fmt: skip
_TIER = {
    "economy": r"经济|economy|budget level",
    "comfort": r"舒适|comfort",
    "quality": r"品质|豪华|quality|luxury",
}
_LESS_WALKING = re.compile(
    r"少走|走太多|走得太多|走路太多|不想走|\bless walking\b|\btoo much walking\b|\bwalk less\b"
)
_MORE_OF = re.compile(r"多(?:安排|加|去|看)?(?:一?些|几个|点)?(.{1,8})|\bmore ([a-z ]{3,20})")
_MEAL = re.compile(r"午饭|午餐|中午.{0,12}吃|晚饭|晚餐|晚上.{0,12}吃|\blunch\b|\bdinner\b")
_LUNCH = re.compile(r"午|\blunch\b")
_MORE_PEOPLE = re.compile(rf"(?:多|加|再加|再来){_N}个?(?:大人|人)|\b{_N} more (?:people|adults?|persons?)\b|\bone more (?:person|adult)\b")  # fmt: skip
_LESS_PEOPLE = re.compile(rf"少{_N}个?(?:大人|人)|\b{_N} (?:people|adults?|persons?) (?:less|fewer)\b|\bone (?:person|adult) less\b")  # fmt: skip
_SHIFT = re.compile(rf"(?:推迟|延后|晚){_N}天|(?:提前|早){_N}天|\b{_N} days? (later|earlier)\b|\ba (?:day|week) (?:later|earlier)\b|(?:推迟|提前)一?周")  # fmt: skip
_CHEAPER_SHARE = Decimal("0.85")
_WALK_M = 800
_LISTS = ("dietary", "access")
_SINGLE = ("day_start", "day_end", "budget_tier")


@dataclass(frozen=True)
class ReadMessage:
    """The edits that a message asks for, and the pieces of it that were not understood."""

    edits: Edits = field(default_factory=list)
    unclear: tuple[str, ...] = ()


async def read_message(
    session: Session, message: str, shown: Itinerary, snapshot: Snapshot
) -> ReadMessage:
    """What a message asks to be changed; a clause that no rule understands is unclear."""
    edits: Edits = []
    unclear: list[str] = []
    clauses = [c for c in _split(message) if c.strip(_MARKS)]
    for clause in clauses[:MOST_CLAUSES]:
        reader = _Clause(clause.strip(_MARKS), shown, snapshot)
        found = await reader.read(session)
        if found is None:
            unclear.append(clause.strip(_MARKS))
        else:
            edits += [edit for edit in found if edit not in edits]
    unclear += [clause.strip(_MARKS) for clause in clauses[MOST_CLAUSES:]]
    return ReadMessage(edits, tuple(unclear))


def _split(message: str) -> list[str]:
    """The clauses; "first this, then that" is one."""
    whole = re.sub(r"(先[^，,。]{1,20})[，,](?=再|然后)", r"\1", message)
    return _CLAUSE_END.split(whole)


def _number(text: str | None) -> int | None:
    if not text:
        return None
    words = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
    if text in words:
        return words[text]
    value = read_number(text)
    return None if value is None else int(value)


@dataclass
class _Clause:
    """One clause, in small letters, and what it may be about."""

    said: str
    shown: Itinerary
    snapshot: Snapshot
    names: dict[str, str] = field(default_factory=dict)
    """Places that it names: the words and the id."""

    def __post_init__(self) -> None:
        self.low = self.said.lower()
        self.days = [day for match in _DAY.finditer(self.low) if (day := self._read_day(match))]

    async def read(self, session: Session) -> Edits | None:
        """The edits of the clause; None where it is not understood."""
        self.names = await self._find_places(session)
        if more := await self._more(session):
            return more
        for rule in (
            self._replace, self._order, self._swap_days, self._hotel, self._change_days,
            self._people, self._shift, self._way, self._money, self._times, self._free,
            self._keep, self._meal, self._length, self._move, self._remove, self._add,
            self._fullness, self._walking,
        ):  # fmt: skip
            edits = rule()
            if edits:
                return edits
        return await self._as_request(session)

    def _read_day(self, match: re.Match[str]) -> int | None:
        count = len(self.shown.days)
        if match[3] == "last" or (match[4] or "").startswith("最后"):
            return count
        if match[4]:
            return 1
        day = _ORDINALS.get(match[3] or "") or _number(match[1] or match[2])
        return day if day and day <= count else None

    async def _find_places(self, session: Session) -> dict[str, str]:
        """Places of the plan by their names, and of the catalogue by what the finder knows."""
        found: dict[str, str] = {}
        for poi in self._list_planned():
            for name in (poi.name.lower(), poi.name_en.lower()):
                said = _find_part(name, self.low)
                if said and said not in found:
                    found[said] = poi.id
        rest = self.low
        for said in found:
            rest = rest.replace(said, "，")
        words = dict.fromkeys(w for w in _list_words(rest) if len(w) >= 2)
        cities = tuple(self.snapshot.city_order)
        if words:
            hits = await find_names(session, [*words][:60], Scope(("poi",), cities), 0)
            taken = sorted((h for h in hits if h.one), key=lambda hit: -len(hit.said))
            for hit in taken:
                inside = any(hit.said in said for said in found)
                if hit.one and not inside and hit.one.id not in found.values():
                    found[hit.said] = hit.one.id
        return found

    def _list_planned(self) -> Iterator[PoiCandidate]:
        rows = self.snapshot.rows.pois
        for day in self.shown.days:
            for item in day.items:
                if isinstance(item, VisitItem | MealItem) and item.poi_id in rows:
                    yield rows[item.poi_id]

    def _list_items(self, poi_id: str) -> Iterator[dict[str, object]]:
        for day, row in enumerate(self.shown.days, start=1):
            for number, item in enumerate(row.items):
                if isinstance(item, VisitItem | MealItem) and item.poi_id == poi_id:
                    yield {"op": "remove", "day": day, "item": number}

    def _find_day(self, poi_id: str) -> int | None:
        return next((int(str(i["day"])) for i in self._list_items(poi_id)), None)

    def _named(self, text: str | None) -> str | None:
        """The place that a piece of the clause names."""
        plain = (text or "").lower().strip(_MARKS)
        fits = [(len(said), place) for said, place in self.names.items() if said in plain]
        return max(fits)[1] if fits else None

    def _order(self) -> Edits:
        match = _ORDER.search(self.low)
        if match is None:
            return []
        first, then = (self._named(text) for text in [t for t in match.groups() if t][:2])
        if first is None or then is None or first == then:
            return []
        return [_wish(kind="at", place=then, after=first)]

    def _replace(self) -> Edits:
        match = _REPLACE.search(self.low)
        if match is None:
            return []
        old, new = [t for t in match.groups() if t][:2]
        if match[5]:
            old, new = new, old
        gone, come = self._named(old), self._named(new)
        if gone is None or come is None:
            return []
        day = self._find_day(gone)
        on: dict[str, object] = {"day": day} if day else {}
        if come in self._ids():
            return [*self._list_items(gone), *([_wish(kind="at", place=come, **on)] if on else [])]
        return [*self._list_items(gone), {"op": "add", "poi_id": come, **on}]

    def _swap_days(self) -> Edits:
        days = [int(n) for n in re.findall(r"\d", self.low)] if len(self.days) < 2 else self.days
        if "天" in self.low and len(self.days) < 2:
            days = [n for n in map(_number, re.findall(r"[一二三四五六七八九]", self.low)) if n]
        days = [day for day in dict.fromkeys(days) if 1 <= day <= len(self.shown.days)]
        if not _SWAP_DAYS.search(self.low) or len(days) != 2 or _HOTEL.search(self.low):
            return []
        edits: Edits = []
        for day, other in ((days[0], days[1]), (days[1], days[0])):
            for item in self.shown.days[day - 1].items:
                if isinstance(item, VisitItem):
                    edits.append(_wish(kind="at", place=item.poi_id, day=other))
        return edits

    def _hotel(self) -> Edits:
        if not _HOTEL.search(self.low):
            return []
        near = _NEAR.search(self.low)
        place = self._named(next((t for t in near.groups() if t), "")) if near else None
        wants = _CHEAPER.search(self.low) or _BETTER.search(self.low) or _OTHER.search(self.low)
        if (
            not wants
            and place is None
            and not re.search(r"市中心|城里|downtown|central|centre", self.low)
        ):
            return []
        edits: Edits = []
        for city, pool in self.snapshot.cities.items():
            if pool.nights:
                hotel = self._choose_hotel(city, place)
                swap: dict[str, object] = {"op": "swap_hotel", "city": city}
                edits.append(swap | ({"hotel_id": hotel} if hotel else {}))
        is_vague = _OTHER.search(self.low) and not _CHEAPER.search(self.low) and not place
        return [e for e in edits if "hotel_id" in e or is_vague]

    def _choose_hotel(self, city: str, place: str | None) -> str | None:
        """The hotel of the pool that is what was asked for, and else most like the present one."""
        rows = self.snapshot.rows.hotels
        now = next((rows[i] for i in self._list_hotels() if rows[i].city == city), None)
        others = [rows[i] for i in self.snapshot.cities[city].hotels if now is None or i != now.id]
        price = now.price_per_night if now else None
        if _CHEAPER.search(self.low):
            fits = [h for h in others if price and h.price_per_night and h.price_per_night < price]
            return _first(fits, lambda h: _prefer(h, now))
        if place is not None:
            row = self.snapshot.rows.pois.get(place)
            if row is None:
                return None
            spot = row.position
            fits = [h for h in others if now is None or _far(h, spot) < _far(now, spot)]
            return _first(fits, lambda h: (_far(h, spot), h.id))
        if _BETTER.search(self.low):
            level = ((now.stars or 0), (now.rating or 0)) if now else (0, 0)
            fits = [h for h in others if ((h.stars or 0), (h.rating or 0)) > level]
            return _first(fits, lambda h: _prefer(h, now))
        if re.search(r"市中心|城里|downtown|central|centre", self.low):
            centre = self.snapshot.city_rows[city].position
            return _first(others, lambda h: (_far(h, centre), h.id))
        return None

    def _list_hotels(self) -> Iterator[str]:
        for day in self.shown.days:
            for item in day.items:
                if isinstance(item, StayItem) and item.hotel_id in self.snapshot.rows.hotels:
                    yield item.hotel_id

    def _change_days(self) -> Edits:
        days = self.snapshot.request.days
        if more := _MORE_DAYS.search(self.low):
            return [_set("days", days + (_number(next((g for g in more.groups() if g), "")) or 1))]
        if less := _LESS_DAYS.search(self.low):
            return [_set("days", days - (_number(next((g for g in less.groups() if g), "")) or 1))]
        if exact := _SET_DAYS.search(self.low):
            return [_set("days", _number(next(g for g in exact.groups() if g)) or days)]
        return []

    def _people(self) -> Edits:
        count = self.snapshot.request.travellers
        for pattern, sign in ((_MORE_PEOPLE, 1), (_LESS_PEOPLE, -1)):
            if match := pattern.search(self.low):
                by = _number(next((g for g in match.groups() if g), "")) or 1
                return [_set("travellers", count + sign * by)]
        return []

    def _shift(self) -> Edits:
        match = _SHIFT.search(self.low)
        if match is None or _WAY.search(self.low):
            return []
        by = 7 if re.search("周|week", match[0]) else _number(match[1] or match[2] or match[3]) or 1
        is_earlier = re.search("提前|早|earlier", match[0])
        date = self.snapshot.request.start_date + dt.timedelta(-by if is_earlier else by)
        return [_set("start_date", date.isoformat())]

    def _way(self) -> Edits:
        """Another time for the way there or back, told by the clock or by the present one."""
        if not _WAY.search(self.low):
            return []
        legs = [i for day in self.shown.days for i in day.items if isinstance(i, LegItem)]
        is_back = bool(_BACK.search(self.low))
        leg = next(iter(legs[-1:] if is_back else legs[:1]), None)
        which = "back" if is_back else "out"
        part, clock = _PART.search(self.low), self._read_clock()
        wish: dict[str, object] = {"kind": "intercity", "legs": which}
        if clock is not None:
            key = "depart_before" if re.search("之?前|before|by ", self.low) else "depart_after"
            return [_wish(**wish, **{key: format_minutes(clock)})]
        if part:
            hours = PARTS[part[0]]
            times = {"depart_after": hours.get("from"), "depart_before": hours.get("to")}
            return [_wish(**wish, **{k: v for k, v in times.items() if v})]
        if leg is None or leg.depart is None:
            return []
        now = leg.depart.hour * 60 + leg.depart.minute
        if _LATER.search(self.low):
            return [_wish(**wish, depart_after=format_minutes(min(now + _MORE_MIN, 23 * 60)))]
        if _EARLIER.search(self.low):
            return [_wish(**wish, depart_before=format_minutes(max(now - _MORE_MIN, 5 * 60)))]
        return []

    def _read_clock(self) -> int | None:
        match = _HOURS.search(self.low)
        if match is None:
            return None
        hours = int(match[1])
        is_late = re.search("下午|晚上|傍晚|pm", self.low)
        minutes = (hours + 12 * bool(is_late and hours < 12)) * 60
        minutes += int(match[2] or 0) + 30 * bool(match[4])
        return minutes if minutes < 24 * 60 else None

    def _money(self) -> Edits:
        total = self.shown.costs.total
        for tier, pattern in _TIER.items():
            if re.search(pattern, self.low) and re.search(
                "改|换|升|降|档|to |upgrade|switch|change|level", self.low
            ):
                return [_set("budget_tier", tier)]
        amount = _read_amount(self.low)
        if amount and _BUDGET.search(self.low):
            return [_set("budget_total", str(amount))]
        if _CHEAPER.search(self.low) and _ALL_CHEAPER.search(self.low) and not self.names:
            return [_set("budget_total", str((total * _CHEAPER_SHARE).quantize(Decimal(1))))]
        return []

    def _times(self) -> Edits:
        request, clock = self.snapshot.request, self._read_clock()
        start, end = parse_minutes(request.day_start), parse_minutes(request.day_end)
        if clock is not None and clock <= _HALF_DAY_MIN and _START_AT.search(self.low):
            return [_set("day_start", format_minutes(clock))]
        if _LATER_START.search(self.low):
            return [_set("day_start", format_minutes(start + _MORE_MIN))]
        if _EARLIER_START.search(self.low):
            return [_set("day_start", format_minutes(max(start - _MORE_MIN, 5 * 60)))]
        if _EARLIER_END.search(self.low):
            return [_set("day_end", format_minutes(max(end - _MORE_MIN, start + 3 * _MORE_MIN)))]
        if _LATER_END.search(self.low) and not _WAY.search(self.low):
            return [_set("day_end", format_minutes(min(end + _MORE_MIN, 26 * 60)))]
        return []

    def _free(self) -> Edits:
        """Hours of a day that nothing is put into: a booking of the traveller's own."""
        part = _PART.search(self.low)
        if not _FREE.search(self.low) or not self.days:
            return []
        hours = PARTS[part[0]] if part else {"from": "09:00", "to": "18:00"}
        date = self.snapshot.request.date_of(self.days[0])
        request = self.snapshot.request.model_dump(mode="json")
        is_chinese = self.snapshot.request.locale == "zh-CN"
        booking = {
            "title": "自由活动" if is_chinese else "Free time",
            "start": f"{date}T{hours.get('from', '09:00')}",
            "end": f"{date}T{hours.get('to', '21:00')}",
        }
        return [_set("fixed", [*request["fixed"], booking])]

    def _keep(self) -> Edits:
        if not _KEEP.search(self.low) or not self.names:
            return []
        return self._want(list(self.names.values()))

    def _want(self, places: Sequence[str]) -> Edits:
        """Places that the plan has already, as must-sees: nothing pushes them out any more."""
        old = self.snapshot.request.model_dump(mode="json")["must_see"]
        new = [place for place in places if place not in self.snapshot.must_see]
        return [_set("must_see", [*old, *new])]

    def _meal(self) -> Edits:
        match = _MEAL.search(self.low)
        rows = self.snapshot.rows.pois
        tables = [p for p in self.names.values() if p in rows and rows[p].type in FOOD_TYPES]
        if match is None or not tables:
            return []
        meal = "lunch" if _LUNCH.search(self.low) else "dinner"
        return [_wish(kind="eat", place=tables[0], meal=meal)]

    def _length(self) -> Edits:
        """Longer at a place, by so many minutes or by an hour."""
        if not self.names or not _LONGER.search(self.low):
            return []
        place = next(iter(self.names.values()))
        rows = self.snapshot.rows.pois
        if place not in rows:
            return []
        usual = rows[place].duration_min
        match = re.search(rf"{_N}(?:个)?(半)?(?:小时|hours?)|(\d{{1,3}}) ?(?:分钟|min)", self.low)
        by = _MORE_MIN
        if match:
            by = int(match[3]) if match[3] else 60 * (_number(match[1]) or 1) + 30 * bool(match[2])
        return [_wish(kind="at", place=place, minutes=usual + by)]

    def _ids(self) -> set[str]:
        return {poi.id for poi in self._list_planned()}

    def _move(self) -> Edits:
        """A place on another day, or at another time of day."""
        part = _PART.search(self.low)
        if not self.names or not (self.days or part) or _REMOVE.search(self.low):
            return []
        if not (_MOVE.search(self.low) or _ADD.search(self.low) or part):
            return []
        edits: Edits = []
        for place in self.names.values():
            is_planned = place in self._ids()
            day = self.days[-1] if self.days else None
            if not is_planned and not part:
                edits.append({"op": "add", "poi_id": place} | ({"day": day} if day else {}))
            else:
                times = self._read_times(place, part[0]) if part else {}
                on: dict[str, object] = {"day": day} if day else {}
                edits.append(_wish(kind="at", place=place, **on, **times))
        return edits

    def _read_times(self, place: str, part: str) -> dict[str, object]:
        """From when to when; a long visit of the morning begins then, and may end later."""
        hours: dict[str, object] = {**PARTS[part]}
        row = self.snapshot.rows.pois.get(place)
        return (
            hours
            if hours != PARTS["上午"] or row is None
            else {"to": end_morning(row.duration_min)}
        )

    def _remove(self) -> Edits:
        if not _REMOVE.search(self.low):
            return []
        return [edit for place in self.names.values() for edit in self._list_items(place)]

    def _add(self) -> Edits:
        if not _ADD.search(self.low):
            return []
        day: dict[str, object] = {"day": self.days[0]} if self.days else {}
        planned = self._ids()
        new: Edits = [
            {"op": "add", "poi_id": place} | day
            for place in self.names.values()
            if place not in planned
        ]
        return new or (self._want(list(self.names.values())) if self.names else [])

    def _fullness(self) -> Edits:
        """A day with one visit less or more; the whole trip by another pace."""
        if _FULL.search(self.low):
            if not self.days:
                return [{"op": "pace", "pace": "relaxed"}]
            return [edit for day in self.days for edit in self._thin_out(day)]
        if _EMPTY.search(self.low):
            if not self.days:
                return [{"op": "pace", "pace": "packed"}]
            return [edit for day in self.days for edit in self._fill(day)]
        return []

    def _thin_out(self, day: int) -> Edits:
        """Without the visit of the day that is wanted least and that nobody asked for by name."""
        ranks = self._rank()
        must = set(self.snapshot.must_see)
        visits = [
            (ranks.get(item.poi_id, len(ranks)), number)
            for number, item in enumerate(self.shown.days[day - 1].items)
            if isinstance(item, VisitItem) and item.poi_id not in must
        ]
        return [{"op": "remove", "day": day, "item": max(visits)[1]}] if visits else []

    def _fill(self, day: int) -> Edits:
        planned, rows = self._ids(), self.snapshot.rows.pois
        city = self.shown.days[day - 1].city
        pool = self.snapshot.cities.get(city)
        free = [p for p in (pool.pois if pool else ()) if p not in planned]
        sights = [p for p in free if rows[p].type not in FOOD_TYPES]
        return [{"op": "add", "poi_id": sights[0], "day": day}] if sights else []

    def _rank(self) -> dict[str, int]:
        order = [p for pool in self.snapshot.cities.values() for p in pool.pois]
        return {poi_id: n for n, poi_id in enumerate(order)}

    def _walking(self) -> Edits:
        if not _LESS_WALKING.search(self.low):
            return []
        return [_wish(kind="local", longest_walk_m=_WALK_M)]

    async def _as_request(self, session: Session) -> Edits | None:
        """What a request says in the same words; None where a piece of it is not understood."""
        request = self.snapshot.request
        first = request.start_date
        read: Any = await read_text(session, self.said, first, self.snapshot.city_order, first)
        if any(not span["understood"] and span["text"].strip(_MARKS) for span in read["spans"]):
            return None
        found, edits = read["request"], []
        edits += [{"op": "wish", "wish": wish} for wish in found.get("wishes", ())]
        old = request.model_dump(mode="json")
        for name in _LISTS:
            new = [value for value in found.get(name, ()) if value not in (old.get(name) or ())]
            if new:
                edits.append(_set(name, [*(old.get(name) or ()), *new]))
        edits += [_set(name, found[name]) for name in _SINGLE if name in found]
        if "fixed" in found:
            edits.append(_set("fixed", [*old["fixed"], *found["fixed"]]))
        if "pace" in found:
            edits.append({"op": "pace", "pace": found["pace"]})
        if "budget_total" in found:
            edits.append(_set("budget_total", found["budget_total"]))
        return edits or None

    async def _more(self, session: Session) -> Edits:
        """ "More parks": one more visit of the kind than the plan has."""
        match = _MORE_OF.search(self.low)
        if match is None or self.days or self.names:
            return []
        kind = (match[1] or match[2]).strip()
        read: Any = await read_text(session, f"想看{kind}" if match[1] else f"we want to see {kind}",
                                    self.snapshot.request.start_date)  # fmt: skip
        tags = list(read["request"].get("interests", ()))
        wishes = read["request"].get("wishes", ())
        types = [t for wish in wishes if wish["kind"] == "visit" for t in wish.get("type", ())]
        if types:
            words = read_words("type")
            known = {key for key, said in words.items() if {key, *said} & {*types}}
            rows = [poi for poi in self._list_planned() if poi.type in known]
            return [_wish(kind="visit", type=types, at_least=len({r.id for r in rows}) + 1)]
        if tags:
            rows = [poi for poi in self._list_planned() if set(tags) & set(poi.tags)]
            return [_wish(kind="visit", tag=tags, at_least=len({r.id for r in rows}) + 1)]
        return []


def _list_words(text: str) -> Iterator[str]:
    """Pieces that may be a name: runs of Chinese signs from 2 to 8, and one to five English words."""
    for run in re.findall(r"[\u3400-\u9fff]+", text):
        for size in range(min(8, len(run)), 1, -1):
            yield from (run[n : n + size] for n in range(len(run) - size + 1))
    words = re.findall(r"[a-z0-9'’-]+", text)
    for size in range(5, 0, -1):
        for n in range(len(words) - size + 1):
            piece = " ".join(words[n : n + size])
            if len(piece) > 3:
                yield piece


def _find_part(name: str, text: str) -> str | None:
    """The longest beginning of a name that a text holds: the whole, or all but its last signs."""
    if not name:
        return None
    if name.isascii():
        return name if re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text) else None
    shortest = max(2, len(name) - 3)
    return next((name[:n] for n in range(len(name), shortest - 1, -1) if name[:n] in text), None)


def _first(rows: Sequence[HotelCandidate], key: Callable[[HotelCandidate], Any]) -> str | None:
    return min(rows, key=key).id if rows else None


_QUARTER_M = 1_500
"""Hotels so near to each other count as equally near."""


def _prefer(hotel: HotelCandidate, now: HotelCandidate | None) -> tuple[int, float, Decimal, str]:
    """Near the present one first, so that the plan need not change; then what guests say."""
    away = 0 if now is None else int(_far(hotel, now.position) // _QUARTER_M)
    return away, -(hotel.rating or 0), hotel.price_per_night or Decimal(0), hotel.id


def _far(hotel: HotelCandidate, spot: tuple[float, float]) -> float:
    return measure_distance_m(hotel.position, spot)


def _read_amount(text: str) -> int | None:
    match = _AMOUNT.search(text)
    if match is None:
        return None
    if match[1]:
        return int(match[1])
    unit = match[3] or match[5]
    factor = 10_000 if unit == "万" else 1_000
    return int(Decimal(match[4] or str(_number(match[2]) or 0)) * factor)


def _wish(**parts: object) -> dict[str, object]:
    return {"op": "wish", "wish": {**parts, "weight": "must"}}


def _set(name: str, value: object) -> dict[str, object]:
    return {"op": "set", "field": name, "value": value}
