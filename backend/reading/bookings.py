"""Bookings of the traveller's own in a sentence: "dentist at 15:00 on day 2", “10月2日晚上7点半有演出”.

A booking needs a day and a clock time; without them it is not understood, since it would be guessed.
How long it takes is hardly ever said: then an hour and a half is kept free, with a mark.
"""

import datetime as dt
import re

from backend.clock import format_minutes
from backend.reading.numbers_and_dates import MONTH, NUMBER, make_date, read_month, read_number

Meaning = dict[str, object]

USUAL_MIN = 90
_EVENTS = r"演出|演唱会|音乐会|话剧|表演|球赛|比赛|会议|开会|个会|客户|牙医|看病|医生|婚礼|聚会|聚餐|面试|约会|培训|答辩|讲座"  # fmt: skip
_EVENTS_EN = r"dentist|doctor|meeting|concert|show|wedding|appointment|match|game|interview|performance|conference|lecture|party"  # fmt: skip
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_DAY_EN = rf"day (?P<en>\d{{1,2}})|(?P<nth>{'|'.join(_NTH)}) day|(?P<month>{MONTH})\.? (?P<dom>\d{{1,2}})(?:st|nd|rd|th)?|(?P<dom2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month2>{MONTH})"  # fmt: skip
_YEAR = r"(?:,? (?P<year>20\d\d))?"
_LONG_EN = r"(?: for (?P<long_en>\d{1,2}|an|one|two|three) hours?)?"

CHINESE = (
    rf"(?:第(?P<n>{NUMBER})天|(?P<m>{NUMBER})月(?P<d>{NUMBER})[日号])(?:的)?"
    r"(?P<part>凌晨|早上|上午|中午|下午|傍晚|晚上)?"
    rf"(?P<h>{NUMBER})(?:[:：](?P<min>\d{{2}})|[点时](?:(?P<half>半)|(?P<min2>\d{{1,2}})分?)?)"
    rf"(?P<title>[^，。；！？,;!?\n0-9]{{0,8}}?(?:{_EVENTS})[^，。；！？,;!?\n0-9]{{0,4}})"
    rf"(?:[，,]?(?:大概|约)?(?P<long>{NUMBER})(?:个)?小时)?"
)
ENGLISH = (
    rf"\b(?P<title>(?:a |an |the |my )?(?:[a-z]+ ){{0,2}}?(?:{_EVENTS_EN})(?: with [a-z]+)?)"
    r" (?:at|from) (?P<h>\d{1,2})(?::(?P<min>\d{2}))? ?(?P<half_day>am|pm)?"
    rf"(?:,? (?:on|of) (?:the )?(?:{_DAY_EN}){_YEAR})\b{_LONG_EN}"
)
ENGLISH_DAY_FIRST = (
    rf"\b(?:on )?(?:the )?(?:{_DAY_EN}){_YEAR}"
    r",? (?:at|from) (?P<h>\d{1,2})(?::(?P<min>\d{2}))? ?(?P<half_day>am|pm)?"
    rf"(?: (?:I|we) (?:have|go to))? (?P<title>(?:a |an |the |my )?(?:[a-z]+ ){{0,2}}?(?:{_EVENTS_EN}))\b"
    rf"{_LONG_EN}"
).replace("(?:I|we)", "(?:i|we)")
_LEAD = re.compile(r"^(?:有一?[场个]?|要去?|约了|约|去|参加|i have|we have|a |an |the |my )+")


def read_chinese(m: re.Match[str], today: dt.date) -> Meaning | None:
    """A match of `CHINESE`; None where the day or the hour cannot be."""
    hour = read_number(m["h"])
    if hour is None:
        return None
    if (
        m["part"] in {"下午", "傍晚", "晚上", "中午"}
        and hour < 12
        and not (m["part"] == "中午" and hour >= 11)
    ):
        hour += 12
    minutes = int(m["min"] or m["min2"] or 0) + 30 * bool(m["half"])
    date = None if m["n"] else make_date(
        None, read_number(m["m"]) or 0, read_number(m["d"]) or 0, today
    )  # fmt: skip
    number = read_number(m["n"]) if m["n"] else None
    return _book(number, date, hour * 60 + minutes, m["title"], read_number(m["long"] or ""))


def read_english(m: re.Match[str], today: dt.date) -> Meaning | None:
    """A match of one of the English patterns."""
    hour = int(m["h"])
    if m["half_day"]:
        hour = hour % 12 + 12 * (m["half_day"] == "pm")
    minutes = hour * 60 + int(m["min"] or 0)
    number = int(m["en"]) if m["en"] else _NTH.get(m["nth"] or "")
    month, dom = m["month"] or m["month2"], m["dom"] or m["dom2"]
    date = make_date(m["year"], read_month(month), int(dom), today) if month else None
    long = {"an": 1, "one": 1, "two": 2, "three": 3}.get(m["long_en"] or "")
    long = long or (int(m["long_en"]) if (m["long_en"] or "").isdigit() else None)
    return _book(number, date, minutes, m["title"], long)


def _book(
    day: int | None, date: dt.date | None, minute: int, title: str, hours: int | None
) -> Meaning | None:
    if (day is None) == (date is None) or not 0 <= minute < 24 * 60 or day == 0:
        return None
    length = hours * 60 if hours else USUAL_MIN
    booking = {"title": _LEAD.sub("", title.strip()).strip() or title.strip(), "minute": minute}
    booking |= {"day": day, "date": date.isoformat() if date else None, "length": length}
    mark: Meaning = {} if hours else {"_assumed": "length"}
    return {"_booking": booking, **mark}


def date_booking(booking: Meaning, start: dt.date | None) -> dict[str, str] | None:
    """The booking as the request has it; None where its day counts from a date that nobody knows."""
    day, date = booking["day"], booking["date"]
    if isinstance(date, str):
        first = dt.date.fromisoformat(date)
    elif isinstance(day, int) and start is not None:
        first = start + dt.timedelta(day - 1)
    else:
        return None
    minute, length = booking["minute"], booking["length"]
    assert isinstance(minute, int)
    assert isinstance(length, int)
    end = minute + length
    last = first + dt.timedelta(end // (24 * 60))
    return {
        "title": str(booking["title"]),
        "start": f"{first}T{format_minutes(minute)}",
        "end": f"{last}T{format_minutes(end % (24 * 60))}",
    }
