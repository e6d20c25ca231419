"""The deterministic reader of the benchmark: answers from what stands in its context, and from nothing else.

It reads facts as well as raw responses, and of a response that was cut what is left. What is not
there it cannot know: as a language model would, it takes what it sees for all there is.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

_ITEM = re.compile(r"<item>.*?<title>(.*?)</title>(.*?)</item>", re.S)
_STATION = re.compile(r"\[CDATA\[\s*([^\]]*?) - \w+ Stations: (\d+\+?) ")
_EVENT = re.compile(r'"dtstart":\s*\[\s*"(\d{8})".*?"summary":\s*"([^"]*)"', re.S)
_TEMPERATURE = re.compile(r'"place": "Hong Kong Observatory", "value": (-?\d+), "unit": "C"')
_HUMIDITY = re.compile(r'"unit": "percent", "value": (\d+)')
_LARGEST = 4


def read_answer(source: str, arguments: Mapping[str, Any], text: str) -> Any:
    """The answer to a source's question from a text of the context."""
    read_facts, read_raw = _READERS[source]
    facts = _parse(text)
    if isinstance(facts, dict) and _FACTS[source] in facts:
        return read_facts(facts)
    return read_raw(text, arguments)


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None  # no JSON, or cut


def _read_warnings(facts: Any) -> Any:
    return [warning["name"] for warning in facts["in_force"]]


def _read_raw_warnings(text: str, _arguments: Mapping[str, Any]) -> Any:
    entries = (_parse(text) or {}).values()
    return [entry["name"] for entry in entries if entry["actionCode"] != "CANCEL"]


def _read_air(facts: Any) -> Any:
    return {station: str(found["aqhi"]) for station, found in facts["stations"].items()}


def _read_raw_air(text: str, arguments: Mapping[str, Any]) -> Any:
    found = dict(_STATION.findall(text))
    return {station: found.get(station) for station in arguments["stations"]}


def _read_weather(facts: Any) -> Any:
    return {"temperature": facts["temperature"]["value"], "humidity": facts["humidity"]}


def _read_raw_weather(text: str, _arguments: Mapping[str, Any]) -> Any:
    temperature, humidity = _TEMPERATURE.search(text), _HUMIDITY.search(text)
    return {
        "temperature": int(temperature[1]) if temperature else None,
        "humidity": int(humidity[1]) if humidity else None,
    }


def _read_holiday(facts: Any) -> Any:
    return facts["holidays"][0]["name"] if facts["holidays"] else None


def _read_raw_holiday(text: str, arguments: Mapping[str, Any]) -> Any:
    return dict(_EVENT.findall(text)).get(arguments["date"].replace("-", ""))


def _read_news(facts: Any) -> Any:
    return [item["title"] for item in facts["news"]]


def _read_raw_news(text: str, arguments: Mapping[str, Any]) -> Any:
    topic = arguments["topic"]
    return [title for title, rest in _ITEM.findall(text) if topic in title or topic in rest]


def _read_crossings(facts: Any) -> Any:
    return {"largest": [list(pair) for pair in facts["largest"].items()], "total": facts["total"]}


def _read_raw_crossings(text: str, arguments: Mapping[str, Any]) -> Any:
    year, month, day = arguments["date"].split("-")
    counts: Counter[str] = Counter()
    for row in csv.DictReader(text.removeprefix("\ufeff").splitlines()):
        if row["Date"] == f"{day}-{month}-{year}":
            counts[row["Control Point"]] += int(row["Total"] or 0)
    largest = [list(pair) for pair in counts.most_common(_LARGEST)]
    return {"largest": largest, "total": counts.total()}


_FACTS = {
    "hk_weather_warnings": "in_force",
    "hk_air_quality": "stations",
    "hk_weather_now": "warnings",
    "hk_public_holidays": "holidays",
    "hk_news": "news",
    "hk_border_crossings": "total",
}
_READERS: dict[str, tuple[Callable[[Any], Any], Callable[[str, Mapping[str, Any]], Any]]] = {
    "hk_weather_warnings": (_read_warnings, _read_raw_warnings),
    "hk_air_quality": (_read_air, _read_raw_air),
    "hk_weather_now": (_read_weather, _read_raw_weather),
    "hk_public_holidays": (_read_holiday, _read_raw_holiday),
    "hk_news": (_read_news, _read_raw_news),
    "hk_border_crossings": (_read_crossings, _read_raw_crossings),
}
