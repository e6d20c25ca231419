"""The rules: what a piece of a sentence means, each with its pattern and what it becomes."""

import datetime as dt
import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from backend.catalogue.opening_hours import find_named_holiday
from backend.reading.bookings import (
    CHINESE,
    ENGLISH,
    ENGLISH_DAY_FIRST,
    read_chinese,
    read_english,
)
from backend.reading.numbers_and_dates import (
    AMOUNT,
    FIXED_HOLIDAY,
    MONTH,
    NUMBER,
    WEEKDAY,
    WORD_NUMBER,
    find_holiday,
    find_weekday,
    make_date,
    read_amount,
    read_month,
    read_number,
)
from backend.reading.wish_rules import WISH_PATTERNS, Meaning

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], dt.date], Meaning | None]]
"""A pattern, and what a match becomes; None: it cannot be taken; empty: it is something else."""

_PHRASES: dict[str, dict[str, list[str]]] = {
    name: table
    for name, table in json.loads(
        Path(__file__).with_name("phrases.json").read_text(encoding="utf-8")
    ).items()
    if name != "filler"
}
FILLERS: frozenset[str] = frozenset(
    json.loads(Path(__file__).with_name("phrases.json").read_text(encoding="utf-8"))["filler"]
)
LISTS = frozenset({"access", "dietary", "seniors", "wishes"})
_MOVABLE = {
    "春节": "春节", "过年": "春节", "chinese new year": "春节", "spring festival": "春节",
    "清明": "清明节", "端午": "端午节", "dragon boat festival": "端午节",
    "中秋": "中秋节", "mid-autumn festival": "中秋节",
}  # fmt: skip
_KIN = {
    "爸妈": 2, "父母": 2, "爸爸妈妈": 2, "妈妈": 1, "爸爸": 1, "女朋友": 1,
    "男朋友": 1, "老婆": 1, "老公": 1, "妻子": 1, "丈夫": 1, "my parents": 2, "my wife": 1,
    "my husband": 1, "my girlfriend": 1, "my boyfriend": 1, "my mother": 1, "my father": 1,
    "my mom": 1, "my dad": 1, "my partner": 1, "闺女": 1, "男友": 1, "女友": 1, "对象": 1, "先生": 1, "妹妹": 1,
    "弟弟": 1, "姐姐": 1, "哥哥": 1, "my sister": 1, "my brother": 1, "my friend": 1,
}  # fmt: skip


_OLD = {"爷爷奶奶": 2, "外公外婆": 2, "姥姥姥爷": 2, "grandparents": 2, "my grandparents": 2,
        "奶奶": 1, "爷爷": 1, "外婆": 1, "外公": 1, "my grandmother": 1, "my grandfather": 1,
        "my grandma": 1, "my grandpa": 1}  # fmt: skip
PARENTS = frozenset({"爸妈", "父母", "爸爸妈妈", "my parents", "妈妈", "爸爸", "my mother", "my father",
                     "my mom", "my dad"})  # fmt: skip
_TAKEN_AGE = 60


def _words(words: list[str] | tuple[str, ...]) -> str:
    """A pattern for any of the words; a Latin one counts only as a whole word."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(
        rf"(?<![a-z]){re.escape(w)}(?![a-z])" if w.isascii() else re.escape(w) for w in longest
    )


def _dates(
    first: dt.date | None, last: dt.date | None = None, *, is_sure: bool = False
) -> Meaning | None:
    if first is None:
        return None
    found: Meaning = {"start_date": first.isoformat()}
    if not is_sure:
        found["_assumed"] = "date"
    if last is not None:
        days = (last - first).days + 1
        if not 1 <= days <= 30:
            return None
        found["days"] = days
    return found


def _iso(m: re.Match[str], today: dt.date) -> Meaning | None:
    return _dates(make_date(m[1], int(m[2]), int(m[3]), today), is_sure=True)


def _chinese_date(m: re.Match[str], today: dt.date) -> Meaning | None:
    month, day = read_number(m[2]), read_number(m[3])
    first = make_date(m[1], month or 0, day or 0, today)
    if first is None or not m[5]:
        return _dates(first, is_sure=bool(m[1])) if not m[5] else None
    last_month = read_number(m[4]) if m[4] else month
    last = make_date(None, last_month or 0, read_number(m[5]) or 0, first)
    return _dates(first, last, is_sure=bool(m[1]))


def _english_date(m: re.Match[str], today: dt.date) -> Meaning | None:
    first = make_date(m[5], read_month(m[1]), int(m[2]), today)
    if first is None or not m[4]:
        return _dates(first, is_sure=bool(m[5])) if not m[4] else None
    last_month = read_month(m[3]) if m[3] else first.month
    last = make_date(None, last_month, int(m[4]), first)
    return _dates(first, last, is_sure=bool(m[5]))


def _day_month(m: re.Match[str], today: dt.date) -> Meaning | None:
    return _dates(make_date(m[3], read_month(m[2]), int(m[1]), today), is_sure=bool(m[3]))


def _slash_date(m: re.Match[str], today: dt.date) -> Meaning | None:
    return _dates(make_date(None, int(m[1]), int(m[2]), today))


def _next_month(m: re.Match[str], today: dt.date) -> Meaning | None:
    year, month = divmod(today.year * 12 + today.month, 12)
    return _dates(make_date(str(year), month + 1, read_number(m[1]) or 0, today))


def _part_of_day(m: re.Match[str], _today: dt.date) -> Meaning | None:
    return {"_part": m[1] or m[2]}


def _day_number(m: re.Match[str], _today: dt.date) -> Meaning | None:
    said = m["n"] or m["n_en"] or m["nth"]
    number = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}.get(said)
    number = number or read_number(re.sub(r"(?:st|nd|rd|th)$", "", said))
    part = m["part"] or m["part_en"] or m["part_of"]
    if not number or number > 30:
        return None
    return {"_day": number} | ({"_part": part} if part else {})


def _stay_hours(m: re.Match[str], _today: dt.date) -> Meaning | None:
    if m["half_only"]:
        return {"_minutes": 240}
    number = read_number(m["n"])
    if number is None:
        return None
    minutes = number * (1 if m["unit"] in {"分钟", "minutes"} else 60)
    minutes += 30 if m["half"] else 0
    return {"_minutes": minutes} if 1 <= minutes <= 1440 else None


def _old_people(m: re.Match[str], _today: dt.date) -> Meaning | None:
    """Seniors with their ages, or taken to be 60."""
    ages = [n for a in re.findall(r"\d{2,3}", m[0]) if (n := int(a)) and _TAKEN_AGE <= n <= 120]
    if ages:
        return {"seniors": ages, "old": len(ages)}
    word = m.groupdict().get("old")
    count = (
        _OLD.get(word or "")
        or read_number(m.groupdict().get("n") or m.groupdict().get("n_en") or "")
        or 0
    )
    if not 1 <= count <= 20:
        return None
    return {"seniors": [_TAKEN_AGE] * count, "old": count, "_assumed": "age"}


def _chinese_weekday(m: re.Match[str], today: dt.date) -> Meaning | None:
    return _dates(find_weekday(m[2], len(m[1]) if "下" in m[1] else 0, today))


def _english_weekday(m: re.Match[str], today: dt.date) -> Meaning | None:
    word = "saturday" if m[2] == "weekend" else m[2]
    return _dates(find_weekday(word, 1 if m[1] == "next" else 0, today))


def _ahead(m: re.Match[str], today: dt.date) -> Meaning | None:
    number = read_number(m[1])
    weeks = m[2].startswith(("week", "周", "星期", "个星期", "礼拜", "个礼拜"))
    return None if number is None else _dates(today + dt.timedelta(number * (7 if weeks else 1)))


def _near_day(m: re.Match[str], today: dt.date) -> Meaning | None:
    ahead = {"今天": 0, "today": 0, "后天": 2, "the day after tomorrow": 2, "大后天": 3}
    return _dates(today + dt.timedelta(ahead.get(m[0], 1)))


def _is(meaning: Meaning) -> Callable[[re.Match[str], dt.date], Meaning | None]:
    return lambda _match, _today: dict(meaning)


def _fixed_holiday(m: re.Match[str], today: dt.date) -> Meaning | None:
    return _dates(find_holiday(m[1], today))


def _movable_holiday(m: re.Match[str], today: dt.date) -> Meaning | None:
    return _dates(find_named_holiday("CN", _MOVABLE[m[1]], today))


def _count(
    field: str, most: int, add: int = 0
) -> Callable[[re.Match[str], dt.date], Meaning | None]:
    def read(m: re.Match[str], _today: dt.date) -> Meaning | None:
        number = read_number(m[1])
        return {field: number + add} if number and 1 <= number + add <= most else None

    return read


def _weeks(m: re.Match[str], _today: dt.date) -> Meaning | None:
    number = read_number(m[1])
    return {"days": number * 7} if number and number <= 4 else None


def _money(m: re.Match[str], _today: dt.date) -> Meaning | None:
    if m["foreign"] or (m["before"] and m["before"] in {"$", "€", "£"}):
        return None
    is_alone = m["amount"] and _stands_alone(m)
    marks = (
        is_alone,
        m["lead"],
        m["each"],
        m["before"],
        m["money"],
        m["each_after"],
        m["unit"] == "k",
    )
    if not any(marks):
        return {}
    amount = read_amount(m["amount"], m["unit"] or "", m["rest"] or "")
    if amount is None or not Decimal(100) <= amount < Decimal(10**9):
        return None
    each = m["each"] or m["each_after"]
    name = "budget_each" if each else "budget_total"
    found: Meaning = {name: format(amount.quantize(Decimal("0.01")), "f")}
    return found if any(marks[1:]) else found | {"_assumed": "budget"}


def _stands_alone(m: re.Match[str]) -> bool:
    """Whether a bare amount, such as 八千, is a clause of its own."""
    before, after = m.string[: m.start()].rstrip(), m.string[m.end() :].lstrip()
    marks = "，。；,;、.\n"
    is_apart = (not before or before[-1] in marks) and (not after or after[0] in marks)
    amount = read_amount(m["amount"], m["unit"] or "", m["rest"] or "")
    return is_apart and amount is not None and amount >= 1000


def _kin(m: re.Match[str], _today: dt.date) -> Meaning | None:
    found: Meaning = {"kin": _KIN[m[0]]}
    return found | {"_assumed": "parents"} if m[0] in PARENTS else found


def _child_zh(m: re.Match[str], _today: dt.date) -> Meaning | None:
    ages = [
        n for a in re.findall(NUMBER, m[0].replace("个", "")) if (n := read_number(a)) is not None
    ]
    return {"children": ages} if ages and all(age <= 17 for age in ages) else None


def _child_en(m: re.Match[str], _today: dt.date) -> Meaning | None:
    ages = [int(age) for age in re.findall(r"\d{1,2}", m[1])]
    return {"children": ages} if ages and all(age <= 17 for age in ages) else None


def _adults_children(m: re.Match[str], _today: dt.date) -> Meaning | None:
    numbers = [read_number(m[1]), read_number(m[2])]
    return (
        {"travellers": sum(n or 0 for n in numbers), "kids": numbers[1]} if all(numbers) else None
    )


def _phrase(field: str, value: str) -> Meaning:
    return {field: [value] if field in LISTS else value}


_CURRENCY = r"\$|€|£|¥|￥|rmb|cny"
_BUDGET = (
    rf"(?:(?P<lead>预算|花费|总共|不超过|budget(?: of| is)?|under|within|up to|max)\s*[:：]?\s*"
    rf"(?:大概|约|about |around )?)?(?P<each>人均|每人)?(?:预算)?\s*(?P<before>{_CURRENCY})?\s*"
    rf"(?P<amount>{AMOUNT})\s?(?:(?P<unit>k\b|w\b|千|万)(?P<rest>[1-9一二三四五六七八九](?![个人天晚位\d]))?)?\s*"
    rf"(?P<money>块钱|块|元|人民币|rmb\b|cny\b|yuan\b)?(?P<foreign>美元|欧元|港币|日元|英镑|刀|usd\b|eur\b|dollars?\b|euros?\b)?"
    rf"\s*(?P<each_after>per person|each|pp\b|/人|每人|一个人)?(?:以内|左右|之内)?"
)
_KIDS = r"(?:孩子|小孩|宝宝|娃|儿子|女儿|小朋友|孙子|孙女|男孩|女孩|儿童)"
_HOURS = r"小时|个小时|个钟头|钟头|分钟|hours|hour|minutes"
_AND = r"(?:\s*(?:,|and|&)\s*)"
_PATTERNS: tuple[tuple[str, Callable[[re.Match[str], dt.date], Meaning | None]], ...] = (
    (r"第(?P<n>\d{1,2}|[一二三四五六七八九十]{1,3})天(?P<part>上午|早上|下午|傍晚|晚上)?|\b(?:on |in )?(?:the (?P<part_of>morning|afternoon|evening) of )?(?:the )?(?:day (?P<n_en>\d{1,2})|(?P<nth>first|second|third|fourth|fifth|\d(?:st|nd|rd|th)) day)(?:,? in the (?P<part_en>morning|afternoon|evening))?", _day_number),
    (rf"(?:\b(?:for )?at least |\bfor )?(?:至少|起码|最少|不少于)?(?:要|想)?(?:待|呆|玩|逛|看|留|游览|参观)?(?:至少|起码|够)?(?:(?P<n>{NUMBER}|{WORD_NUMBER}) ?(?:个)?(?P<half>半)?(?P<unit>{_HOURS})(?![以之]?后)|(?P<half_only>半天))(?: or more)?", _stay_hours),
    (r"附近|旁边|周边|边上|靠近|离(?=.{1,10}近)|\b(?:stay(?:ing)? |hotel )?(?:near(?:by)?|close to|next to)(?: the)?\b", _is({"_near": True})),
    (r"(?:两位?|(?:\d|[一二两三四])[位个])?老人(?:家)?[,，（( ]*\d{2}岁?(?:(?:和|、|,)\d{2}岁?)*[)）]?|\b(?:\d |two |three )?(?:seniors?|grandparents|parents|elderly people) ?[(,]?(?: ?aged?)? ?\d{2}(?:(?:,| and|,? and) ?\d{2})*\)?", _old_people),
    (rf"(?P<old>{_words(tuple(_OLD))})", _old_people),
    (r"(?P<n>\d|[一二两三四])[位个]老人|\b(?P<n_en>\d|two|three|four) (?:seniors|elderly people)\b", _old_people),
    (rf"下个?月({NUMBER})[号日]", _next_month),
    (r"(?<!\d)(20\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?![\d])", _iso),
    (rf"(?<!\d)(?:(20\d\d)年)?({NUMBER})月({NUMBER})(?:[号日]|(?=到|至|-|~|—))(?:(?:到|至|-|~|—)(?:({NUMBER})月)?({NUMBER})[号日])?", _chinese_date),
    (rf"\b({MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:\s?(?:-|–|to)\s?(?:({MONTH}) )?(\d{{1,2}})(?:st|nd|rd|th)?)?(?:,? (20\d\d))?\b", _english_date),
    (rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({MONTH})(?: (20\d\d))?\b", _day_month),
    (r"(?<![\d/])(1[0-2]|[1-9])/(3[01]|[12]\d|[1-9])(?![\d/])", _slash_date),
    (r"(下下|下|这|本)个?(?:周|星期|礼拜)([一二三四五六日天末])", _chinese_weekday),
    (rf"\b(next|this) ({WEEKDAY}|weekend)\b", _english_weekday),
    (rf"\bin ({WORD_NUMBER}) (weeks?|days?)\b", _ahead),
    (rf"({NUMBER})(个?星期|个?礼拜|周|天)(?:以后|之后|后)", _ahead),
    (r"大后天|后天|明天|今天|\bthe day after tomorrow\b|\btomorrow\b|\btoday\b", _near_day),
    (rf"({FIXED_HOLIDAY})(?:节|假期|长假|期间)?", _fixed_holiday),
    (rf"({_words(tuple(_MOVABLE))})(?:节|假期|期间)?", _movable_holiday),
    (r"当天来回|当天往返|(?<![\d -])\s?\bday trip\b", _is({"days": 1})),
    (rf"(?:玩|待|住|共)?({NUMBER})[天日](?:{NUMBER}[晚夜]|游)?", _count("days", 30)),
    (rf"(?:玩|待|住|共)?({NUMBER})[晚夜]", _count("_nights", 29)),
    (rf"(?:玩|待|住)?({NUMBER})个?(?:星期|礼拜|周)(?![一二三四五六日天末])", _weeks),
    (rf"\b({WORD_NUMBER})[ -]days?(?:,? (?:and )?{WORD_NUMBER} nights?)?\b", _count("days", 30)),
    (rf"\b({WORD_NUMBER})[ -]nights?\b", _count("_nights", 29)),
    (r"\b(?:long )?week(?= in\b| trip\b)", _is({"days": 7})),
    (rf"\b({WORD_NUMBER}) weeks?\b", _weeks),
    (rf"({NUMBER})个?大人?({NUMBER})个?(?:小孩|小|孩子)", _adults_children),
    (rf"\b({WORD_NUMBER}) adults?{_AND}({WORD_NUMBER}) (?:child(?:ren)?|kids?)\b", _adults_children),
    (rf"{NUMBER}岁(?:(?:和|、){NUMBER}岁)*的?(?:{NUMBER}个)?{_KIDS}|{_KIDS}{NUMBER}岁(?:(?:和|、){NUMBER}岁)*", _child_zh),
    (rf"\b(?:with )?(?:(?:{WORD_NUMBER}) )?(?:kids?|child(?:ren)?|son|daughter),? \(?aged? (\d{{1,2}}(?:{_AND}\d{{1,2}})*)\)?", _child_en),
    (r"\baged? (\d{1,2}(?:(?:,| and|, and) ?\d{1,2})*)\b", _child_en),
    (rf"\b(?:(?:{WORD_NUMBER}) )?(\d{{1,2}})[- ]years?[- ]old\b(?: (?:kid|child|son|daughter))?", _child_en),
    (r"孩?子?[（(]\d{1,2}岁(?:(?:和|、|,|，)\d{1,2}岁)*[)）]|\b(?:kids|children|sons|daughters) \((\d{1,2}(?:(?:,| and|, and) ?\d{1,2})*)\)", _child_zh),
    (rf"一家({NUMBER})口|\bfamily of ({WORD_NUMBER})\b", lambda m, _: {"travellers": read_number(m[1] or m[2])}),
    (rf"(?:我们|一行)?({NUMBER})(?:个人|位|人)(?!均)", _count("travellers", 20)),
    (r"(?:俩|两口)(?:人|子)?|夫妻俩|我们俩", _is({"travellers": 2})),
    (rf"\b({WORD_NUMBER}) (?:people|travell?ers|persons?|of us)\b", _count("travellers", 20)),
    (rf"\b({WORD_NUMBER}) adults?\b", _count("adults", 20)),
    (rf"(?:和|跟|与|带)({NUMBER})个?(?:朋友|同学|同事|闺蜜)", _count("kin", 19)),
    (rf"({NUMBER})[个位]?(?:朋友|同学|同事|闺蜜)", _count("travellers", 20)),
    (rf"\bwith ({WORD_NUMBER}) friends\b", _count("kin", 19)),
    (rf"\b({WORD_NUMBER}) friends\b", _count("travellers", 20)),
    (r"情侣|夫妻|两口子|蜜月|\b(?:a )?couple\b|\bhoneymoon\b|\b(?:us|we) two\b", _is({"adults": 2})),
    (r"一个人|独自|\bsolo\b|\balone\b|\bjust me\b|\bby myself\b", _is({"travellers": 1})),
    (r"(上午|下午|傍晚|晚上)(?![\d一二三四五六七八九十点好的])|\bin the (morning|afternoon|evening)\b", _part_of_day),
    (r"\bfor (two|three|four|five|six|[2-9])\b(?! ?(?:days?|nights?|weeks?|hours?|people|meals?|minutes|-))", _count("travellers", 20)),
)  # fmt: skip


def _make_rules() -> list[Rule]:
    phrases = [
        (_words([word]), _is(_phrase(field, value)))
        for field, table in _PHRASES.items()
        for value, words in table.items()
        for word in sorted(words, key=lambda word: (-len(word), word))
    ]
    bookings = (
        (CHINESE, read_chinese),
        (ENGLISH, read_english),
        (ENGLISH_DAY_FIRST, read_english),
    )
    known = (
        *bookings,
        *WISH_PATTERNS,
        *phrases,
        *_PATTERNS,
        (_words(tuple(_KIN)), _kin),
        (_BUDGET, _money),
    )
    return [(re.compile(pattern, re.ASCII), read) for pattern, read in known]


RULES: list[Rule] = _make_rules()
"""In the order in which they are tried: what one has taken is not looked at by the next."""
