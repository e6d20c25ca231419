"""Made-up responses of the six configured sources, of the sizes of a public measurement.

Each comes with a question, the arguments of the call and the answer, which is known from the making
and not from reading.
"""

import datetime as dt
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.bench.context.traffic import Crossing, make_crossings

SIZES = {
    "hk_weather_warnings": 2,
    "hk_air_quality": 1_621,
    "hk_weather_now": 2_775,
    "hk_public_holidays": 14_535,
    "hk_news": 308_209,
    "hk_border_crossings": 3_261_115,
}
"""Bytes of each response in the measurement that this one stands beside."""

_NOW = dt.datetime(2026, 9, 14, 10, 45, tzinfo=dt.timezone(dt.timedelta(hours=8)))
_HOLIDAY = dt.date(2026, 10, 1)
_DAY = dt.date(2026, 8, 15)
_TOPIC = "hiking"
_STATIONS = {
    "Sha Tin": "3 Low",
    "Central": "8 Very High",
    "Tai Po": "2 Low",
    "Mong Kok": "7 High",
    "Eastern": "3 Low",
}
_ASKED = ("Sha Tin", "Mong Kok")
_PLACES = [
    "Hong Kong Observatory",
    "King's Park",
    "Wong Chuk Hang",
    "Ta Kwu Ling",
    "Lau Fau Shan",
    "Tai Po",
    "Sha Tin",
    "Tuen Mun",
    "Tseung Kwan O",
    "Sai Kung",
    "Cheung Chau",
    "Chek Lap Kok",
    "Tsing Yi",
    "Shek Kong",
    "Happy Valley",
    "Stanley",
]
_DISTRICTS = [
    "Central & Western District",
    "Eastern District",
    "Kwai Tsing",
    "Islands District",
    "North District",
    "Sai Kung",
    "Sha Tin",
    "Southern District",
    "Tai Po",
    "Tsuen Wan",
    "Tuen Mun",
    "Wan Chai",
    "Yuen Long",
    "Yau Tsim Mong",
    "Sham Shui Po",
    "Kowloon City",
    "Wong Tai Sin",
    "Kwun Tong",
]
_HOLIDAYS = [
    "The first day of January",
    "Lunar New Year's Day",
    "The second day of Lunar New Year",
    "The third day of Lunar New Year",
    "Ching Ming Festival",
    "Good Friday",
    "The day following Good Friday",
    "Easter Monday",
    "Labour Day",
    "The Birthday of the Buddha",
    "Tuen Ng Festival",
    "Hong Kong Special Administrative Region Establishment Day",
    "The day following the Chinese Mid-Autumn Festival",
    "National Day",
    "Chung Yeung Festival",
    "Christmas Day",
    "Boxing Day",
]
_HOLIDAY_DAYS = [
    "0101",
    "0129",
    "0130",
    "0131",
    "0404",
    "0418",
    "0419",
    "0421",
    "0501",
    "0505",
    "0531",
    "0701",
    "1007",
    "1001",
    "1029",
    "1225",
    "1226",
]
_NEWS_ITEMS = 100
_ON_TOPIC = (9, 34, 71)


@dataclass(frozen=True)
class Question:
    """One question to one source, its response and the right answer."""

    source: str
    text: str
    arguments: Mapping[str, Any]
    raw: bytes
    answer: Any


def make_questions(seed: int) -> list[Question]:
    """The six of them, in the order of their sizes."""
    crossings, rows = make_crossings(seed, SIZES["hk_border_crossings"])
    made: Sequence[tuple[str, str, Mapping[str, Any], bytes, Any]] = (
        ("hk_weather_warnings", "Which weather warnings are in force?", {}, b"{}", []),
        (
            "hk_air_quality",
            f"What is the air quality at {' and '.join(_ASKED)}?",
            {"stations": list(_ASKED)},
            _pad("hk_air_quality", _make_air()),
            {station: _STATIONS[station].split()[0] for station in _ASKED},
        ),
        (
            "hk_weather_now",
            "What are temperature and humidity now?",
            {},
            _pad("hk_weather_now", _make_weather()),
            {"temperature": 29, "humidity": 84},
        ),
        (
            "hk_public_holidays",
            f"Is {_HOLIDAY} a public holiday?",
            {"date": str(_HOLIDAY)},
            _pad("hk_public_holidays", _make_holidays()),
            "National Day",
        ),
        (
            "hk_news",
            f"What is new on {_TOPIC}?",
            {"topic": _TOPIC},
            _pad("hk_news", _make_news(seed)),
            [_name_item(n) for n in _ON_TOPIC],
        ),
        (
            "hk_border_crossings",
            f"How many crossed at the four largest control points on {_DAY}, and in all?",
            {"date": str(_DAY)},
            crossings,
            _count_crossings(rows),
        ),
    )
    return [Question(*each) for each in made]


def _pad(name: str, content: bytes) -> bytes:
    """White space at the end, which JSON and XML allow."""
    missing = SIZES[name] - len(content)
    assert 0 <= missing < len(content) // 4, (name, missing)
    return content + b"\n" * missing


def _make_air() -> bytes:
    at = f"{_NOW:%a, %d %b %Y %H}:30"
    items = "".join(
        f"<item><title>{name} : {text.replace(' ', ' : ', 1)}</title><link>https://aqhi.example</link>"
        f"<pubDate>{at}:00 +0800</pubDate><description><![CDATA[{name} - "
        f"{'Roadside' if name in ('Central', 'Mong Kok') else 'General'} Stations: {text} - {at}]]>"
        f"</description></item>\n"
        for name, text in _STATIONS.items()
    )
    return _make_rss("Air Quality Health Index", items)


def _make_rss(title: str, items: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>'
        f"<title>{title}</title><link>https://feed.example</link><description>{title}</description>"
        f"<language>en</language>\n{items}</channel></rss>"
    ).encode()


def _make_weather() -> bytes:
    temperature = [
        {"place": place, "value": 29 + n % 3, "unit": "C"} for n, place in enumerate(_PLACES)
    ]
    rain = [{"unit": "mm", "place": name, "max": 0, "main": "FALSE"} for name in _DISTRICTS]
    hour = _NOW.replace(minute=0).isoformat()
    reading = {
        "rainfall": {"data": rain, "startTime": hour, "endTime": _NOW.isoformat()},
        "icon": [51],
        "iconUpdateTime": hour,
        "uvindex": {"data": [{"place": "King's Park", "value": 6, "desc": "high"}]},
        "updateTime": _NOW.isoformat(),
        "temperature": {"data": temperature, "recordTime": hour},
        "warningMessage": "",
        "humidity": {
            "recordTime": hour,
            "data": [{"unit": "percent", "value": 84, "place": "Hong Kong Observatory"}],
        },
    }
    return json.dumps(reading).encode()


def _make_holidays() -> bytes:
    events = [
        {
            "dtstart": [day.strftime("%Y%m%d"), {"value": "DATE"}],
            "dtend": [(day + dt.timedelta(days=1)).strftime("%Y%m%d"), {"value": "DATE"}],
            "transp": "TRANSPARENT",
            "uid": f"{day:%Y%m%d}@a.example",
            "summary": name,
        }
        for year in (2024, 2025, 2026)
        for name, text in zip(_HOLIDAYS, _HOLIDAY_DAYS, strict=True)
        for day in (dt.date(year, int(text[:2]), int(text[2:])),)
    ]
    events.sort(key=lambda event: str(event["uid"]))
    calendar = {"prodid": "-//made//EN", "version": "2.0", "vevent": events}
    return json.dumps({"vcalendar": [calendar]}, indent=1).encode()


def _name_item(number: int) -> str:
    if number in _ON_TOPIC:
        return f"Country park no. {number} opens a new {_TOPIC} trail"
    return f"Announcement no. {number} on public services"


def _make_news(seed: int) -> bytes:
    chance = random.Random(seed)  # noqa: S311 - made-up data
    words = [
        "department",
        "service",
        "public",
        "district",
        "notice",
        "member",
        "office",
        "report",
        "scheme",
        "visit",
    ]
    size = SIZES["hk_news"] // _NEWS_ITEMS - 40
    return _make_rss(
        "Press releases",
        "".join(_make_item(n, size, chance.choice, words) for n in range(_NEWS_ITEMS)),
    )


def _make_item(
    number: int, size: int, choose: Callable[[Sequence[str]], str], words: Sequence[str]
) -> str:
    published = (_NOW - dt.timedelta(minutes=47 * number)).strftime("%a, %d %b %Y %H:%M:%S %z")
    head = (
        f"<item><title>{_name_item(number)}</title><link>https://news.example/{number}.htm</link>"
        f"<pubDate>{published}</pubDate><description><![CDATA[<p>"
    )
    tail = "</p>]]></description></item>\n"
    text = ""
    while len(head) + len(text) + len(tail) < size:
        text += f"{choose(words)} " if len(text) % 9 else f"{choose(words)}.</p><p>"
    return head + text + tail


def _count_crossings(rows: Sequence[Crossing]) -> dict[str, Any]:
    counts: dict[str, int] = {}
    for row in rows:
        if row.day == _DAY:
            counts[row.point] = counts.get(row.point, 0) + row.total
    largest = sorted(counts.items(), key=lambda pair: -pair[1])[:4]
    return {"largest": [list(pair) for pair in largest], "total": sum(counts.values())}
