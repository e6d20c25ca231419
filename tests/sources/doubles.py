"""Made-up responses in the shapes of the configured sources, with the traps of the real ones."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

POINTS = ("Airport", "Lo Wu", "Lok Ma Chau", "Shenzhen Bay", "Man Kam To", "Macao Ferry Terminal")
HEADER = (
    "Date,Control Point,Arrival / Departure,Hong Kong Residents,Mainland Visitors,"
    "Other Visitors,Total,"
)


def warning(code: str, action: str = "ISSUE", **more: str) -> dict[str, str]:
    times = dict.fromkeys(("issueTime", "updateTime"), "2031-09-07T21:20:00+08:00")
    return {"name": f"{code} Warning", "code": code, "actionCode": action} | times | more


def dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def rss(items: Iterable[str], title: str = "Double") -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<?xml-stylesheet href='style.xsl' type='text/xsl'?>\n"
        f'<rss version="2.0"><channel><title>{title}</title>{"".join(items)}</channel></rss>'
    ).encode()


def station(text: str, title: str = "") -> str:
    return (
        f"<item><title>{title}</title><guid isPermaLink='true'>http://a.test/</guid>"
        f"<description>\n   <![CDATA[{text}]]>\n  </description></item>"
    )


AIR = rss(
    station(text, title)
    for text, title in (
        ("North - General Stations: 3 Low - Sun, 07 Sep 2031 19:30", "North : 3 : Low"),
        ("Tap Mun - General Stations: 10+ Serious - Sun, 07 Sep 2031 19:30", "Tap Mun 10+"),
        ("Central - Roadside Stations: 10 Very High - Sun, 07 Sep 2031 19:30", "Central : 10"),
        ("Tai Po - General Stations:  - Sun, 07 Sep 2031 19:30", "Tai Po :"),
        ("Mong Kok - Roadside Stations: N.A. - Sun, 07 Sep 2031 19:30", "Mong Kok : N.A."),
    )
)


def weather(**changes: Any) -> bytes:
    places = ("King's Park", "Hong Kong Observatory", "Tai Po")
    return dump(
        {
            "rainfall": {
                "data": [
                    {"unit": "mm", "place": "North", "max": 4.5, "main": "FALSE"},
                    {"unit": "mm", "place": "Sai Kung", "main": "TRUE"},
                ]
            },
            "icon": [60],
            "uvindex": {"data": [{"place": "King's Park", "value": 6, "desc": "high"}]},
            "updateTime": "2031-09-07T12:02:00+08:00",
            "temperature": {
                "data": [{"place": p, "value": 27 + n, "unit": "C"} for n, p in enumerate(places)]
            },
            "warningMessage": ["The Very Hot Weather Warning is in force."],
            "humidity": {"data": [{"unit": "percent", "value": 79}]},
        }
        | changes
    )


def calendar(days: Sequence[tuple[str, str, str]]) -> bytes:
    events = [
        {
            "dtstart": [start, {"value": "DATE"}],
            "dtend": [end, {"value": "DATE"}],
            "uid": f"{start}@test",
            "summary": name,
        }
        for start, end, name in days
    ]
    return b"\xef\xbb\xbf" + dump({"vcalendar": [{"version": "2.0", "vevent": events}]})


CALENDAR = calendar(
    [
        ("20310101", "20310102", "New Year's Day"),
        ("20310123", "20310126", "Spring Festival"),
        ("20321225", "20321226", "Christmas Day"),
    ]
)


def news_item(number: int, title: str = "", text: str = "") -> str:
    """An item of about 3 KB of HTML; higher numbers are older."""
    filler = "".join(f"<p>Line {n} of release {number}.</p>" for n in range(80))
    day, hour = 28 - number // 24, 23 - number % 24
    return (
        f"<item><title>{title or f'Release {number}'}</title>"
        f"<link>https://news.test/{number}.htm</link><guid>{number}</guid>"
        f"<pubDate>Thu, {day:02} Aug 2031 {hour:02}:15:00 +0800</pubDate>"
        f"<description><![CDATA[<div>{text}<script>steal()</script>{filler}</div>]]></description>"
        "</item>"
    )


def news(special: dict[int, tuple[str, str]] | None = None) -> bytes:
    """100 items; some with a title and text of their own."""
    own = special or {}
    return rss(news_item(n, *own.get(n, ())) for n in range(100))


def traffic(days: Sequence[str], last: str = "") -> bytes:
    """Six points a day, arrivals and departures; the n-th point has n hundred passengers each."""
    lines = [HEADER]
    for day in days:
        for n, point in enumerate(POINTS):
            name = "Macau Ferry Terminal" if day.endswith("2030") and n == 5 else point
            for direction in ("Arrival", "Departure"):
                parts = (n * 50, n * 30, n * 20)
                counts = ",".join(map(str, parts))
                lines.append(f"{day},{name},{direction},{counts},{sum(parts)},")
    text = "\r\n".join(lines) + "\r\n" + last
    return b"\xef\xbb\xbf" + text.encode()
