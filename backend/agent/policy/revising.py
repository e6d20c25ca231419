"""Mends a revised plan around what the traveller asked for: as little as does it, and nothing that is held.

What stands on broken days is ordered anew, what has no room there any more goes to other days, then
another train may leave the day more time. A plan that is sound is left as it is.

Lists what the pool has, page by page as the hints say, until enough is known to choose from.

Hands the plan over, once for each state of it; says so where it cannot be made sound.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.agent.policy.brief import BriefLeg, Ride
from backend.agent.policy.call_log import Broken, CallLog, Step
from backend.agent.policy.mending import NOT_BY_VISITS, spend_less
from backend.agent.policy.rides import is_possible, list_rides
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


NOT_BY_PLACES = NOT_BY_VISITS | {"OVER_BUDGET"}
"""Errors that no other order of the visits takes away."""

CHOICES = frozenset({"choose_train", "choose_hotel"})

MOST_CHOICES = 12
"""Trains and hotels that are tried; the run has other things to do."""


def look(situation: Situation) -> list[ToolCall]:
    """The plan as it stands after the edits, before anything else."""
    log = situation.log
    if not log.may("view_itinerary") or log.has_called("view_itinerary"):
        return []
    return [make_call("view_itinerary")]


def survey_where_broken(situation: Situation) -> list[ToolCall]:
    """What there is to choose from, where another train or hotel may be needed."""
    return survey_choices(situation) if situation.draft.errors else []


def save(situation: Situation) -> list[ToolCall]:
    """One cheaper train or hotel while the plan costs more than the budget."""
    if sum(step.tool in CHOICES for step in situation.log.steps) >= MOST_CHOICES:
        return []
    calls = spend_less(situation)
    first = next((n for n, call in enumerate(calls) if call.name in CHOICES), len(calls))
    return calls[: first + 1]


def take_back(situation: Situation) -> list[ToolCall]:
    """What was there before, where something cheaper has made the whole plan dearer by its ways."""
    *before, last = situation.log.steps or (None,)
    budget = situation.brief.budget
    if last is None or budget is None or last.tool not in CHOICES or last.is_error:
        return []
    totals = [_read_total(step) for step in before if step is not None and "plan" in step.content]
    if not totals or totals[-1] <= budget or _read_total(last) < totals[-1]:
        return []
    key = "leg" if last.tool == "choose_train" else "city"
    slot = {key: last.arguments[key]}
    others = [s for s in situation.log.find(last.tool, **slot) if s is not last and not s.is_error]
    arguments = others[-1].arguments if others else _read_given(situation, last)
    is_same = not arguments or arguments == last.arguments
    return [] if is_same else [make_call(last.tool, **arguments)]


def _read_total(step: Step) -> float:
    return float(step.content["plan"]["total_cost"])


def _read_given(situation: Situation, step: Step) -> Mapping[str, Any]:
    """What the plan had in the place of a choice, if it may come back."""
    draft, out = situation.brief.draft, {row_id for _, row_id in situation.brief.locks.out}
    if step.tool == "choose_hotel":
        city = step.arguments["city"]
        hotel = draft.get("hotels", {}).get(city)
        return {"city": city, "hotel_id": hotel} if hotel and hotel not in out else {}
    leg = step.arguments["leg"]
    trains = draft.get("trains", {}).get(str(leg))
    is_free = bool(trains) and not out.intersection(trains)
    return {"leg": leg, "train_ids": trains} if is_free else {}


def rearrange(situation: Situation) -> list[ToolCall]:
    """Each day's visits in another order; then what was left out of them on any other day.

    All anew, but for what is held, where a must-see has no room even so.
    """
    log, draft = situation.log, situation.draft
    tries = _list_tries(log.steps)
    if not log.may("arrange"):
        return []
    missing = [i for i, _ in log.brief.must_see if i not in draft.poi_ids]
    given = [*missing, *draft.poi_ids]
    if not tries:
        is_wanted = bool(given) and any(f.code not in NOT_BY_PLACES for f in draft.faults)
        return [make_call("arrange", poi_ids=given, keep=True)] if is_wanted else []
    left = [entry["poi_id"] for entry in tries[-1].content.get("left_out", ())]
    if len(tries) == 1 and left:
        return [make_call("arrange", poi_ids=left, keep=True)]
    if len(tries) == 2 and set(left) & set(missing):
        return [make_call("arrange", poi_ids=[*dict.fromkeys((*given, *left))], keep=False)]
    return []


def retime(situation: Situation) -> list[ToolCall]:
    """Another train for a leg whose day has no room for what is held; the first one if none helps."""
    log = situation.log
    if not log.may("choose_train") or not log.has_called("arrange"):
        return []
    for leg in log.brief.legs:
        ids = None if leg.leg in log.brief.locks.trains else _find_other_train(situation, leg)
        if ids is not None:
            return [make_call("choose_train", leg=leg.leg, train_ids=list(ids))]
    return []


def _list_tries(steps: Sequence[Step]) -> list[Step]:
    """Arrangements since a train or a hotel was changed."""
    changes = [n for n, s in enumerate(steps) if s.tool in CHOICES and not s.is_error]
    since = steps[changes[-1] + 1 :] if changes else steps
    return [step for step in since if step.tool == "arrange"]


def _find_other_train(situation: Situation, leg: BriefLeg) -> tuple[str, ...] | None:
    """The next one to try, None where nothing is broken that it could mend or all were tried."""
    is_later = _wants_later(situation, leg)
    present = situation.draft.trains.get(leg.leg)
    tried = [
        tuple(s.arguments["train_ids"]) for s in situation.log.find("choose_train", leg=leg.leg)
    ]
    given = situation.brief.draft.get("trains", {}).get(str(leg.leg))
    if is_later is None or not (given or tried):
        return None
    first = tuple(given) if given else tried[0]
    options = _list_roomier(situation, leg, first, is_later=is_later)
    untried = (ride.train_ids for ride in options if ride.train_ids not in tried)
    return next(untried, None if present == first else first)


def _wants_later(situation: Situation, leg: BriefLeg) -> bool | None:
    """Whether what is broken on the leg's day stands before it; None where nothing is."""
    items = situation.draft.items.get(leg.day, ())
    rides = [item["item"] for item in items if item["kind"] == "leg"]
    broken = [fault.item for fault in _list_faults(situation, leg.day) if fault.item is not None]
    if not rides or not broken:
        return None
    is_first = leg is next(other for other in situation.brief.legs if other.day == leg.day)
    at = rides[0] if is_first else rides[-1]
    if situation.brief.is_way_in(leg):
        return False
    return True if situation.brief.is_way_home(leg) else min(broken) <= at


def _list_faults(situation: Situation, day: int) -> Iterator[Broken]:
    return (f for f in situation.draft.faults if f.day == day and f.code not in NOT_BY_PLACES)


def _list_roomier(
    situation: Situation, leg: BriefLeg, first: tuple[str, ...], *, is_later: bool
) -> list[Ride]:
    """A ride that leaves the day more time, and the one that leaves it most."""
    rides = list_rides(situation.log, leg)
    now = next((ride for ride in rides if ride.train_ids == first), None)
    if now is None:
        return []
    others = [ride for ride in situation.rides if ride.leg != leg.leg]
    better = sorted(
        (r for r in rides if (r.depart > now.depart if is_later else r.arrive < now.arrive)),
        key=lambda ride: ride.depart if is_later else -ride.arrive,
    )
    possible = [
        ride
        for ride in better
        if is_possible(situation.brief, sorted([*others, ride], key=lambda r: r.leg))
    ]
    return [possible[len(possible) // 2], possible[-1]] if possible else []
