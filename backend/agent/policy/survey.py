"""Lists what the pool has, page by page as the hints say, until enough is known to choose from.

Hands the plan over, once for each state of it; says so where it cannot be made sound.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from backend.agent.policy.call_log import CallLog
from backend.agent.policy.situation import Situation
from backend.agent.replies import make_call
from backend.text import Locale
from backend.tools.call import ToolCall

MOST_PLACE_PAGES = 12
MOST_HOTEL_PAGES = 4
MOST_TRAIN_PAGES = 8
"""With a return limit of 1 these still show something of everything in few calls."""

MOST_SHARE = 0.5
"""Of the calls that the run may make: the rest is for opening and writing."""


@dataclass(frozen=True)
class Source:
    """A list tool with its fixed argument; `enough` rows make further pages needless."""

    tool: str
    arguments: dict[str, Any]
    enough: int
    most_pages: int


def look_at_draft(situation: Situation) -> list[ToolCall]:
    """A draft that another planner has left is looked at before anything else."""
    log = situation.log
    if log.brief.draft and log.may("view_itinerary") and not log.has_called("view_itinerary"):
        return [make_call("view_itinerary")]
    return []


def survey(situation: Situation) -> list[ToolCall]:
    """The next page of everything of which too little is known."""
    log = situation.log
    pages = [call for source in _list_sources(log) for call in _turn_page(log, source)]
    room = int(log.brief.max_calls * MOST_SHARE) - len(log.steps)
    return [*pages, *_open_must_sees(log)][: max(0, room)]


def survey_choices(situation: Situation) -> list[ToolCall]:
    """The next page of trains and hotels alone."""
    log = situation.log
    sources = (source for source in _list_sources(log) if source.tool != "list_pois")
    return [call for source in sources for call in _turn_page(log, source)]


def _list_sources(log: CallLog) -> Iterator[Source]:
    brief = log.brief
    for leg in brief.legs:
        if leg.trains or leg.connections:
            yield Source("list_trains", {"leg": leg.leg}, leg.trains, MOST_TRAIN_PAGES)
    for city in brief.cities:
        if city.nights and city.hotels:
            yield Source("list_hotels", {"city": city.id}, city.hotels, MOST_HOTEL_PAGES)
    for city in brief.cities:
        if city.pois:
            yield Source("list_pois", {"city": city.id}, city.pois, MOST_PLACE_PAGES)


def _turn_page(log: CallLog, source: Source) -> Iterator[ToolCall]:
    if not log.may(source.tool):
        return
    pages = list(log.find(source.tool, **source.arguments))
    if not pages:
        yield make_call(source.tool, **source.arguments)
        return
    last = pages[-1].content
    is_over = not last.get("hasMore") or not last.get("returned")
    if is_over or len(pages) >= source.most_pages:
        return
    if len(log.list_rows(source.tool, **source.arguments)) < source.enough:
        yield make_call(source.tool, **source.arguments, unseen_only=True)


def _open_must_sees(log: CallLog) -> Iterator[ToolCall]:
    """What they are decides what goes well with them."""
    for poi_id, _ in log.brief.must_see:
        if log.may_open("get_poi") and not log.has_called("get_poi", poi_id=poi_id):
            yield make_call("get_poi", poi_id=poi_id)


_END: dict[Locale, str] = {
    "zh-CN": "行程还有 {n} 处错误，内置规划器无法再改进。",
    "en": "The plan still has {n} error(s), and the built-in planner can mend no more.",
}


def submit(situation: Situation) -> list[ToolCall]:
    """Submit, unless that was refused and nothing has changed since."""
    log = situation.log
    was_last = bool(log.steps) and log.steps[-1].tool == "submit_itinerary"
    if was_last or not log.may("submit_itinerary"):
        return []
    return [make_call("submit_itinerary")]


def explain_end(situation: Situation) -> str:
    """Why there is no further call."""
    return _END[situation.brief.locale].format(n=situation.draft.errors)
