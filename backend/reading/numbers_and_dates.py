"""Numbers and dates as people say them, in Chinese and in English."""

import datetime as dt
import re
from decimal import Decimal

DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_ENGLISH = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
]
ENGLISH_NUMBERS = {word: n for n, word in enumerate(_ENGLISH)} | {"a": 1, "an": 1}
NUMBER = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
WORD_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(sorted(ENGLISH_NUMBERS, key=len, reverse=True))})"
AMOUNT = r"(?:\d{1,3}(?:,\d{3}){1,2}|\d{1,7}(?:\.\d{1,2})?|[一二两三四五六七八九十百千万]{1,8})"
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_HOLIDAYS = (
    (("国庆", "十一假期", "national day", "golden week"), 10, 1),
    (("五一", "劳动节", "labour day", "labor day", "may day"), 5, 1),
    (("元旦", "new year's day"), 1, 1),
    (("圣诞", "christmas"), 12, 25),
)


def read_number(said: str) -> int | None:
    """A whole number in digits, Chinese characters or an English word."""
    if said.isascii():
        return int(said) if said.isdigit() else ENGLISH_NUMBERS.get(said)
    total = part = 0
    digit: int | None = None
    last_unit = 10
    for c in said:
        if c in DIGITS:
            if digit is not None:
                return None
            digit = DIGITS[c]
        elif c == "万":
            total, part, digit, last_unit = (part + (digit or 0)) * 10_000, 0, None, 10_000
        elif c in _UNITS:
            part += (1 if digit is None else digit) * _UNITS[c]
            digit, last_unit = None, _UNITS[c]
        else:
            return None
    if digit and last_unit > 10:  # 一万五 is 15,000 and 两千三 is 2,300
        digit *= last_unit // 10
    return total + part + (digit or 0)


def read_amount(said: str, unit: str, rest: str) -> Decimal | None:
    """Money: 8000, 八千, 8k, 1万5; nothing where it is no amount."""
    plain = said.replace(",", "")
    number = Decimal(plain) if plain.isascii() else read_number(plain)
    if number is None:
        return None
    scale = {"千": 1000, "k": 1000, "万": 10_000, "w": 10_000}.get(unit, 1)
    more = read_number(rest) if rest else 0
    if more is None:
        return None
    return Decimal(number) * scale + Decimal(more) * scale / 10


def make_date(year: str | None, month: int, day: int, today: dt.date) -> dt.date | None:
    """The date, in the coming twelve months where no year is said; none that is past."""
    for candidate in [int(year)] if year else [today.year, today.year + 1]:
        try:
            found = dt.date(candidate, month, day)
        except ValueError:
            continue
        if found >= today:
            return found
    return None


def read_month(word: str) -> int:
    """The number of an English month."""
    return _MONTHS.index(word[:3]) + 1


def find_weekday(word: str, weeks: int, today: dt.date) -> dt.date | None:
    """A day of this week (0), or of the next one (1); none that is past."""
    order = "一二三四五六日".find(word.replace("天", "日").replace("末", "六"))
    number = order if order >= 0 else _DAYS.index(word[:3])
    day = today + dt.timedelta(number - today.weekday() + 7 * weeks)
    return day if day >= today else None


def find_holiday(word: str, today: dt.date) -> dt.date | None:
    """The next time that a holiday with a fixed date begins."""
    for names, month, day in _HOLIDAYS:
        if word in names:
            return make_date(None, month, day, today)
    return None


FIXED_HOLIDAY = "|".join(
    re.escape(name) for names, _, _ in _HOLIDAYS for name in sorted(names, key=len, reverse=True)
)

TIME = (
    r"(?:(?P<part>早上|上午|中午|下午|傍晚|晚上)?(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点(?:钟)?(?P<half>半)?|[:：](?P<minute>\d\d))"
    r"|(?P<hour_en>\d{1,2})(?::(?P<minute_en>\d\d))?\s*(?P<ampm>am|pm))"
)


def read_time(match: re.Match[str]) -> str | None:
    """The time of day of a match of `TIME`, as HH:MM."""
    said = match["hour"] or match["hour_en"]
    hour = read_number(said) if said else None
    minute = 30 if match["half"] else int(match["minute"] or match["minute_en"] or 0)
    if hour is None or hour > 24 or minute > 59:
        return None
    is_late = match["ampm"] == "pm" or match["part"] in {"下午", "傍晚", "晚上"}
    if is_late and hour < 12:
        hour += 12
    return f"{hour:02}:{minute:02}"
