"""Phrases that become wishes: money by category, ways, beds, hotels, meals, kinds of places."""

import datetime as dt
import re
from collections.abc import Callable

from backend.reading.numbers_and_dates import (
    AMOUNT,
    NUMBER,
    TIME,
    WORD_NUMBER,
    read_amount,
    read_number,
    read_time,
)

Meaning = dict[str, object]
Read = Callable[[re.Match[str], dt.date], Meaning | None]

RATHER = re.compile(r"最好|尽量|希望|如果可以|可以的话|优先|if possible|preferabl[ey]|would be (?:nice|great)|ideally|\brather\b|would like|would prefer|hopefully")  # fmt: skip
"""Words in whose clause a wish is a `rather`."""

_UNIT = r"(?:(?P<unit>千|万|k\b)(?P<rest>[1-9](?!\d))?)?"
_YUAN = r"\s*(?:块钱|块|元|人民币|rmb\b|cny\b|yuan\b)?"
_MONEY = rf"(?:¥|￥|rmb|cny)?\s*(?P<amount>{AMOUNT})\s?{_UNIT}{_YUAN}"
_AT_MOST = r"(?:预算|费用|价格)?(?:总共|一共|加起来|总价|总计|合计)?(?:大概|大约)?(?:不要超过|不能超过|不超过|控制在|低于|最多|上限|别超过|不高于)?"
_WITHIN = r"(?:以内|以下|之内|左右)?"
_UNDER = r"(?:under|below|at most|no more than|max(?:imum)?(?: of)?|up to|less than|for less than|within|not over)"
_TOTAL = re.compile(r"总共|一共|加起来|总价|总计|合计|in total|altogether|in all|\bon (?:hotels?|tickets?|meals?|food)|spend")  # fmt: skip
_EACH = {
    "night": re.compile(r"每晚|一晚|/晚|一夜|每间|per night|a night|each night|nightly"),
    "ticket": re.compile(r"每张|单张|每个|每处|一张|each|per (?:ticket|person)"),
    "meal": re.compile(r"每顿|每餐|一顿|一餐|人均|each|per (?:meal|person)|a meal"),
}
_ONE = {"hotels": "night", "tickets": "ticket", "meals": "meal"}
_SPENT_ON = (
    ("hotels", r"酒店|住宿|宾馆|旅馆|房费", r"hotels?|accommodation|rooms?"),
    ("meals", r"餐饮|吃饭|餐费|伙食|每顿饭|每顿|每餐", r"meals?|food|dinners?|dining"),
    ("local", r"市内交通|打车费", r"local transport"),
    ("intercity", r"往返交通|大交通|交通费|交通|路费|车票|火车票|机票", r"train tickets?|trains?|flights?|transport"),
    ("tickets", r"门票|景点票", r"tickets?|admissions?|entrance fees?"),
)  # fmt: skip


def _wish(kind: str, **fields: object) -> Meaning:
    return {"wishes": [{"kind": kind, **{k: v for k, v in fields.items() if v not in (None, ())}}]}


def _limit(on: str) -> Read:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        amount = read_amount(m["amount"], m["unit"] or "", m["rest"] or "")
        if amount is None or not re.search(
            rf"{_UNDER}|不|控制|低于|最多|上限|以内|以下|之内", m[0]
        ):
            return None
        at_most = format(amount, "f")
        of = _ONE.get(on)
        if of is not None and not _TOTAL.search(m[0]) and _EACH[of].search(m[0]):
            return _wish("price", of=of, at_most=at_most)
        if of is not None and not _TOTAL.search(m[0]):
            return None
        return _wish("spend", on=on, at_most=at_most)

    return read


_TRAINS = ["G", "D", "C"]
_OUT = r"(?P<leg>去程|回程|返程|回来|往返|来回)?(?:时|的时候)?(?:希望|想|要|都)?"
_LEGS = {"去程": "out", "回程": "back", "返程": "back", "回来": "back"}


def _ride(mode: str, types: list[str] | None = None, *, is_unwanted: bool = False) -> Read:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        leg = _LEGS.get(m.groupdict().get("leg") or "")
        return _wish("intercity", legs=leg, mode=mode, types=types, **_not(is_unwanted))

    return read


def _not(is_unwanted: bool) -> Meaning:  # noqa: FBT001
    return {"not": True} if is_unwanted else {}


def _number(m: re.Match[str], _today: dt.date) -> Meaning | None:
    return _wish("intercity", number=m["number"].upper())


def _hour(legs: str | None, field: str) -> Read:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        time = read_time(m)
        if time is None:
            return None
        leg = legs or _LEGS.get(m.groupdict().get("leg") or "", "out")
        return _wish("intercity", legs=leg, **{field: time})

    return read


def _day_time(field: str) -> Read:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        time = read_time(m)
        return None if time is None else {field: time}

    return read


_MODES = {
    "walk": r"步行|走路|walking|on foot|walk",
    "metro": r"地铁|metro|subway|underground",
    "bus": r"公交车|公交|巴士|buses|bus",
    "taxi": r"出租车|打车|打的|网约车|taxis?|cabs?",
}
_MODE = "|".join(_MODES.values())
_SOME_MODES = rf"(?:{_MODE})(?:(?:和|、|与|或|\s*(?:,|and|or|&)\s*)(?:坐)?(?:{_MODE}))*"


def _modes(said: str) -> list[str]:
    found = [(m.start(), mode) for mode, p in _MODES.items() if (m := re.search(p, said))]
    return [mode for _, mode in sorted(found)]


def _local(field: str) -> Read:
    return lambda m, _today: _wish("local", **{field: _modes(m[0])})


def _longest_walk(m: re.Match[str], _today: dt.date) -> Meaning | None:
    number = read_number(m["n"])
    metres = (number or 0) * (1 if m["metres"] in {"米", "m", "metres", "meters"} else 1000)
    return _wish("local", longest_walk_m=metres) if 100 <= metres <= 20_000 else None


_BEDS = (
    ("two_single", r"双床房|双床|标准间|标间|两张床", r"twin (?:beds?|rooms?)|twins?|two (?:single )?beds"),
    ("one_double", r"大床房|大床|双人床", r"double[- ]beds?(?: rooms?)?|double rooms?|king[- ]size beds?|king beds?"),
    ("family", r"家庭房|亲子房|家庭套房", r"family (?:rooms?|suites?)"),
)  # fmt: skip


def _beds(in_room: str) -> Read:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        groups = m.groupdict()
        said = groups.get("rooms") or groups.get("rooms_after")
        rooms = read_number(said) if said else None
        return _wish("beds", in_room=in_room, rooms=rooms)

    return read


_FEATURES = (
    r"游泳池|泳池|早餐|停车场|停车位|健身房|洗衣房|电梯|儿童乐园|温泉|"
    r"swimming pool|pool|breakfast|parking|gym|laundry|spa|elevator|lift"
)
_A_HOTEL = r"(?:酒店|宾馆|住宿|hotels?|room)"


def _features(m: re.Match[str], _today: dt.date) -> Meaning | None:
    return _wish("hotel", features=re.findall(_FEATURES, m[0]))


def _stars(m: re.Match[str], _today: dt.date) -> Meaning | None:
    stars = read_number(m["stars"])
    return _wish("hotel", stars=stars) if stars and 1 <= stars <= 5 else None


_TYPES = (
    r"博物馆|美术馆|寺庙|寺院|教堂|公园|动物园|水族馆|海洋馆|游乐园|商场|夜市|古镇|酒吧|植物园|"
    r"museums?|galler(?:y|ies)|temples?|churches|parks?|zoos?|aquariums?|theme parks?|"
    r"shopping malls?|malls?|night markets?|bars"
)


def _singular(said: str) -> str:
    if said.endswith("ies"):
        return f"{said[:-3]}y"
    if said == "churches":
        return "church"
    return said[:-1] if said.isascii() and said.endswith("s") else said


def _kinds(*, is_unwanted: bool) -> Read:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        kinds = [_singular(said) for said in re.findall(_TYPES, m[0])]
        if is_unwanted:
            return _wish("visit", type=kinds, none=True)
        number = read_number(m["n"])
        return _wish("visit", type=kinds, at_least=number) if number else None

    return read


_CUISINES = (
    r"川菜|粤菜|湘菜|鲁菜|淮扬菜|本帮菜|杭帮菜|东北菜|西北菜|云南菜|新疆菜|徽菜|闽菜|京菜|火锅|烤鸭|"
    r"面条|小吃|海鲜|早茶|烧烤|羊肉泡馍|小笼包|西餐|日料|日本料理|韩餐|素菜|"
    r"sichuan|szechuan|cantonese|hunan|hot ?pot|roast duck|peking duck|noodles|dumplings|seafood|"
    r"dim sum|barbecue|western|japanese|korean|street food"
)
_FOOD = r"(?:\s*(?:food|cuisine|dishes))?"
_MEALS = {
    "早餐": "breakfast", "早饭": "breakfast", "午餐": "lunch", "午饭": "lunch", "中饭": "lunch",
    "晚餐": "dinner", "晚饭": "dinner", "breakfast": "breakfast", "lunch": "lunch",
    "dinner": "dinner",
}  # fmt: skip
_TIMES = {"once": 1, "twice": 2}


def _eat(*, is_unwanted: bool = False) -> Read:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        said = m.groupdict()
        count = said.get("n") or said.get("n_after") or ""
        number = _TIMES.get(count) or (read_number(count) if count else None)
        meal = _MEALS.get(said.get("meal") or said.get("meal_after") or "")
        cuisines = re.findall(_CUISINES, m["food"])
        fields = _not(is_unwanted)
        return _wish(
            "eat", cuisine=cuisines, meal=meal, at_least=number if number != 1 else None, **fields
        )

    return read


_SAY_NOT = r"(?:尽量|最好)?(?:不想|不要|不能|不|别|避免)(?:去|坐|乘坐|乘|逛|看|吃|用|再)?"
_SAY_NOT_EN = r"(?:no|not|without|avoid|skip|(?:do not|don't|don’t) (?:want|like)(?: to (?:take|see|visit|eat))?|rather no)"  # fmt: skip
_AFTER = r"(?:以后|之后|后)"
_BEFORE = r"(?:以前|之前|前)"
_ZH_MEAL = r"(?:早餐|早饭|午餐|午饭|中饭|晚餐|晚饭)"


def _limit_patterns() -> list[tuple[str, Read]]:
    patterns: list[tuple[str, Read]] = []
    for on, chinese, english in _SPENT_ON:
        read = _limit(on)
        per = r"每间每晚|每晚|一晚|每张|单张|每顿|每餐|每人"
        patterns += [
            (rf"(?:{chinese})(?:的)?(?:费用|预算|花费|费)?(?:人均)?(?:{per})?{_AT_MOST}\s*{_MONEY}{_WITHIN}(?:每晚|一晚|/晚|一夜|每张|一顿|每顿)?", read),
            (rf"\b(?:{english})\s+(?:for |costs? |costing |of )?{_UNDER}\s+{_MONEY}(?:\s*(?:in total|altogether|in all|(?:a|per|each) (?:night|meal|person|ticket)|each|nightly))?", read),
            (rf"\b(?:spend(?:ing)? )?{_UNDER} {_MONEY}\s*(?:in total )?(?:on|for) (?:the )?(?:{english})(?: in total)?(?: (?:a|per) (?:night|meal))?\b", read),
        ]  # fmt: skip
    return patterns


def _bed_patterns() -> list[tuple[str, Read]]:
    patterns: list[tuple[str, Read]] = []
    for in_room, chinese, english in _BEDS:
        read = _beds(in_room)
        patterns += [
            (rf"(?:想要|要|住|订)?(?:(?P<rooms>{NUMBER})间)?(?:{chinese})(?:(?P<rooms_after>{NUMBER})间)?", read),
            (rf"\b(?:(?:a|(?P<rooms>{WORD_NUMBER})) )?(?:{english})\b(?: please)?", read),
        ]  # fmt: skip
    return patterns


_SOME_FEATURES = rf"(?:{_FEATURES})(?:(?:和|、|与|,? and (?:a )?|, )(?:{_FEATURES}))*"
_HAS_STARS = r"(?P<stars>[1-5一二三四五]|three|four|five)"

WISH_PATTERNS: tuple[tuple[str, Read], ...] = (
    *_limit_patterns(),
    (rf"{_OUT}{TIME}{_AFTER}(?:再)?(?:出发|走|离开|坐车|返程|发车)", _hour(None, "depart_after")),
    (rf"{_OUT}{TIME}{_BEFORE}(?:出发|走|离开|发车)", _hour(None, "depart_before")),
    (rf"(?:返程|回程)?{TIME}{_BEFORE}(?:要|能)?(?:到家|回到家|回家)", _hour("back", "arrive_before")),
    (rf"\b(?:leave|leaving|depart(?:ing)?) (?:not before|after) {TIME}", _hour("out", "depart_after")),
    (rf"\b(?:(?:come|be|get|arrive) )?(?:back )?(?:home|back) (?:before|by) {TIME}", _hour("back", "arrive_before")),
    (rf"{TIME}{_AFTER}(?:再)?(?:出门|起床|开始玩|开始)", _day_time("day_start")),
    (rf"{TIME}{_BEFORE}(?:要|能)?(?:回酒店|回到酒店|结束|收工|休息)", _day_time("day_end")),
    (rf"\b(?:back )?(?:at|in) the hotel (?:before|by) {TIME}", _day_time("day_end")),
    (r"不想早起|不要早起|别太早|睡到自然醒|晚点起|\bno early (?:mornings?|starts?)\b|\bsleep in\b", lambda _m, _t: {"day_start": "10:00"}),
    (rf"{_OUT}{_SAY_NOT}飞机|不飞", _ride("flight", is_unwanted=True)),
    (rf"\b{_SAY_NOT_EN} (?:flights?|planes?|flying)\b|\b(?:do not|don't|don’t) (?:want to )?fly\b", _ride("flight", is_unwanted=True)),
    (rf"{_OUT}{_SAY_NOT}(?:高铁|火车|动车)", _ride("train", is_unwanted=True)),
    (rf"\b{_SAY_NOT_EN} trains?\b", _ride("train", is_unwanted=True)),
    (rf"{_OUT}(?:坐|乘坐|乘|搭)?(?:高铁|动车)(?:去|往返|来回|出行|回来|回)?", _ride("train", _TRAINS)),
    (r"\b(?:by |take (?:a |the )?|on (?:a |the )?)?(?:high[- ]speed|bullet)[- ](?:trains?|rail)\b", _ride("train", _TRAINS)),
    (rf"{_OUT}(?:坐|乘坐|乘|搭)(?:飞机|航班)(?:去|往返|来回|出行)?|飞机(?:去|往返|来回)|飞过去", _ride("flight")),
    (r"\bby (?:plane|air)\b|\bfly(?:ing)?\b|\bflights?\b(?: please)?", _ride("flight")),
    (rf"{_OUT}(?:坐|乘坐|乘|搭)火车(?:去|往返|来回)?|火车(?:去|往返|来回)", _ride("train")),
    (r"\bby (?:train|rail)\b|\btake (?:a |the )?trains?\b", _ride("train")),
    (rf"{_OUT}(?:坐|乘坐|乘)(?:大巴|长途车|汽车)(?:去|往返)?", _ride("coach")),
    (rf"{_OUT}(?:坐|乘坐|乘)(?:轮船|渡轮|船)(?:去|往返)?", _ride("ferry")),
    (r"\bby (?:coach|long-distance bus)\b", _ride("coach")),
    (r"\bby (?:ferry|boat|ship)\b", _ride("ferry")),
    (r"(?:坐|乘|乘坐|take |on )(?P<number>[gdcztk]\d{1,4})(?!\d)(?:次)?(?:列车)?", _number),
    (rf"{_SAY_NOT}(?:{_SOME_MODES})", _local("never")),
    (rf"(?:只|全程|都)(?:想|要|能)?(?:坐|乘坐|乘|用|靠)?{_SOME_MODES}", _local("only")),
    (rf"\bonly (?:by |take |use |using )?(?:the )?{_SOME_MODES}\b|\b{_SOME_MODES} only\b", _local("only")),
    (rf"\b{_SAY_NOT_EN} (?:{_SOME_MODES})\b", _local("never")),
    (r"(?:可以|多)?打车(?:就好|就行|出行|也行)|\b(?:use|by|take) (?:a )?(?:taxis?|cabs?)\b", lambda _m, _t: _wish("local", use=["taxi"])),
    (rf"(?:每次)?(?:步行|走路)(?:距离)?(?:不要超过|不超过|最多|别超过)(?P<n>{NUMBER}|\d{{3,4}})\s*(?P<metres>米|公里|千米)", _longest_walk),
    *_bed_patterns(),
    (rf"(?:要|住|想住)?(?:带|有|含){_SOME_FEATURES}的?{_A_HOTEL}?", _features),
    (rf"{_A_HOTEL}(?:最好|希望|要|得|必须)*(?:带|有|含){_SOME_FEATURES}", _features),
    (rf"(?:\b{_A_HOTEL} )?\bwith (?:a |an )?{_SOME_FEATURES}", _features),
    (rf"\b(?:a )?(?:{_FEATURES})(?= would be| is a must| please)", _features),
    (rf"{_HAS_STARS}星级?(?:及|或)?(?:以上)?的?{_A_HOTEL}?(?:以上)?", _stars),
    (rf"{_A_HOTEL}(?:要|至少)?{_HAS_STARS}星级?(?:以上)?", _stars),
    (rf"\b{_HAS_STARS}[- ]stars?(?: {_A_HOTEL})?(?: or (?:better|above|more|higher))?", _stars),
    (r"(?:全程|都)?(?:住)?(?:同一家|同一个|一家)酒店|不(?:想|要)?换酒店|\b(?:the )?same hotel(?: throughout| all nights| every night| the whole time)?\b|\bno change of hotel\b", lambda _m, _t: _wish("hotel", same=True)),
    (rf"{_SAY_NOT}(?:{_TYPES})(?:(?:和|、|或)(?:{_TYPES}))*(?:类景点)?", _kinds(is_unwanted=True)),
    (rf"\b{_SAY_NOT_EN} (?:{_TYPES})(?:(?: or |, )(?:{_TYPES}))*\b", _kinds(is_unwanted=True)),
    (rf"(?:至少|起码)?(?:去|看|逛|参观)?(?P<n>{NUMBER})[个家座](?:{_TYPES})", _kinds(is_unwanted=False)),
    (rf"\b(?:at least )?(?P<n>{WORD_NUMBER}) (?:{_TYPES})\b", _kinds(is_unwanted=False)),
    (rf"{_SAY_NOT}(?P<food>{_CUISINES})", _eat(is_unwanted=True)),
    (rf"\b{_SAY_NOT_EN} (?P<food>{_CUISINES}){_FOOD}\b", _eat(is_unwanted=True)),
    (rf"(?:(?P<meal>{_ZH_MEAL})(?:想|要|都)?)?(?:想|要|必须|一定要|至少|喜欢)?(?:吃|尝尝|尝|品尝)(?:上)?(?:(?P<n>{NUMBER})[顿次餐])?(?P<food>(?:{_CUISINES})(?:(?:和|、)(?:{_CUISINES}))*)(?:(?P<n_after>{NUMBER})[顿次餐])?", _eat()),
    (rf"\b(?:eat |have |try |want )?(?P<food>{_CUISINES}){_FOOD}(?: (?P<n_after>once|twice|{WORD_NUMBER}(?= times)))?(?: times)?(?: for (?P<meal_after>breakfast|lunch|dinner))?\b", _eat()),
)  # fmt: skip
