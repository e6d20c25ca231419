"""Six questions under four strategies: what stands in the context, and whether the answers are right.

The main conversation has eight rounds: a call to each source, the answer, and one more question of
the traveller. A sub-agent begins with the same base, reads one response, and tells its answer.

The deterministic reader of the benchmark: answers from what stands in its context, and from nothing else.

It reads facts as well as raw responses, and of a response that was cut what is left. What is not
there it cannot know: as a language model would, it takes what it sees for all there is.

A conversation by its sizes: every round sends the whole context again.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.bench.context.responses import Question
from backend.results.values import count_tokens, write_json
from backend.sources.projection import Projection, fill_arguments, project
from backend.sources.queries import get_configured

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


BASE_BYTES = 2_000
"""System text and task, as in the measurement that this one stands beside."""


@dataclass(frozen=True)
class Size:
    """Bytes of UTF-8, and tokens of o200k_base."""

    bytes: int = 0
    tokens: int = 0

    def __add__(self, other: "Size") -> "Size":
        """Both together."""
        return Size(self.bytes + other.bytes, self.tokens + other.tokens)

    def as_json(self) -> dict[str, int]:
        """As a report has it."""
        return {"bytes": self.bytes, "tokens": self.tokens}


def measure(text: str) -> Size:
    """The size of a text."""
    return Size(len(text.encode()), count_tokens(text))


@dataclass
class Conversation:
    """A context that grows; `sent` is what all requests to the model have sent so far."""

    context: Size
    sent: Size = field(default_factory=Size)
    rounds: int = 0

    def ask(self) -> None:
        """One request to the model."""
        self.sent += self.context
        self.rounds += 1

    def add(self, text: Size) -> None:
        """What a tool gave stands in the context from now on."""
        self.context += text


CUT_BYTES = 8 * 1024
HANDLE = "res_01m8n3sn0sh3kxts3ra5qps92w"
"""A handle as any other, so that each run counts the same tokens."""

_AFTER = 2  # rounds: the answer, and one question after it


@dataclass(frozen=True)
class Asked:
    """A question with what its source's projection gives, bare and as it is sent."""

    question: Question
    facts: str
    sent: str

    @property
    def raw(self) -> str:
        """The response as text."""
        return self.question.raw.decode()

    @property
    def cut(self) -> str:
        """The first 8 KB of it; half a character is dropped."""
        return self.question.raw[:CUT_BYTES].decode(errors="ignore")


def ask_sources(questions: Sequence[Question]) -> list[Asked]:
    """Project each response as the tool of its source does."""
    return [_ask(question) for question in questions]


def _ask(question: Question) -> Asked:
    source = get_configured(question.source)
    arguments = fill_arguments(source, question.arguments)
    found: Projection = project(source, question.raw, arguments)
    handle = None if found.kept is None else HANDLE
    return Asked(question, write_json(found.answer), write_json(found.as_sent(handle)))


STRATEGIES: tuple[tuple[str, Callable[[Asked], str], bool], ...] = (
    ("full dump", lambda asked: asked.raw, False),
    ("projection, bare facts", lambda asked: asked.facts, False),
    ("projection, as sent", lambda asked: asked.sent, False),
    ("sub-agent", lambda asked: asked.facts, True),
    ("cut at 8 KB", lambda asked: asked.cut, False),
)
"""Name, what comes into the main context, and whether a sub-agent reads the response before."""


def run_strategy(
    asked: Sequence[Asked], choose: Callable[[Asked], str], base: Size, *, has_agents: bool
) -> dict[str, Any]:
    """Sizes and answers of one strategy; a context has room for what it holds, however much it is."""
    main, agents = Conversation(base), Size()
    right = []
    for each in asked:
        main.ask()
        text = choose(each)
        if has_agents:
            agents += _run_agent(base, measure(each.raw))
        main.add(measure(text))
        question = each.question
        found = read_answer(question.source, question.arguments, text)
        right.append(found == question.answer)
    for _ in range(_AFTER):
        main.ask()
    return {
        "final_context": main.context.as_json(),
        "throughput": (main.sent + agents).as_json(),
        "rounds": main.rounds,
        "agent_rounds": 2 * len(asked) if has_agents else 0,
        "right": right,
    }


def _run_agent(base: Size, raw: Size) -> Size:
    """What a sub-agent sends: the task, and the task with the response."""
    agent = Conversation(base)
    agent.ask()
    agent.add(raw)
    agent.ask()
    return agent.sent


def compare(strategies: Mapping[str, Any]) -> dict[str, Any]:
    """The ratios of the public measurement, for bare facts and for answers as they are sent."""
    full, agents = strategies["full dump"], strategies["sub-agent"]
    bare = strategies["projection, bare facts"]["throughput"]["bytes"]
    behind = agents["throughput"]["bytes"] - bare  # what the sub-agents send
    ratios = {}
    for name in ("projection, bare facts", "projection, as sent"):
        own = strategies[name]
        main = own["throughput"]["bytes"]
        ratios[name] = {
            "full_final_context": _divide(full, own, "final_context"),
            "full_throughput": _divide(full, own, "throughput"),
            "agents_throughput": round((main + behind) / main, 1),
        }
    return ratios


def _divide(one: Mapping[str, Any], other: Mapping[str, Any], what: str) -> float:
    return round(float(one[what]["bytes"] / other[what]["bytes"]), 1)


def make_base(text: str) -> Size:
    """The size of the first 2,000 bytes of a text, which has to be that long."""
    base = measure(text.encode()[:BASE_BYTES].decode(errors="ignore"))
    assert base.bytes == BASE_BYTES
    return base
