"""Puts places into the days: opened first, then all of them arranged at once by code.

Puts places into the days one by one, where `arrange` is switched off.
"""

from collections.abc import Iterator

from backend.agent.policy.brief import BriefCity, measure_day
from backend.agent.policy.call_log import KEPT_CALLS, Row, Step, read_price
from backend.agent.policy.easing import was_eased
from backend.agent.policy.places import measure_room, need_minutes
from backend.agent.policy.situation import Situation
from backend.agent.replies import make_call
from backend.planner.days.meals import MAX_VISITS
from backend.tools.call import ToolCall

MOST_OPENED = 45
OPENED_A_DAY = 5
"""Places that are opened one at a time; `arrange` reads the rest."""

FULL_SHARE = 0.8
"""A city with this share of the visits that its days can take is full."""

MOST_GIVEN = 200
"""Places that `arrange` takes."""

MOST_ARRANGED = 3
MOST_FILLED = 2
LAST_CALLS = 2
"""To mend and to submit."""

CHOICES = frozenset({"choose_train", "choose_hotel"})


def open_places(situation: Situation) -> list[ToolCall]:
    """What is about to be written, in detail; most wanted first, city by city in turns."""
    log = situation.log
    if not log.may_open("get_poi") or not (log.may("arrange") or log.may("put_visit")):
        return []
    opened = sum(1 for _ in log.find("get_poi"))
    most = min(MOST_OPENED, OPENED_A_DAY * log.brief.days)
    room = min(most - opened, log.calls_left - KEPT_CALLS)
    planned = set(situation.draft.poi_ids)
    unread = [p for p in _take_turns(situation) if not log.has_called("get_poi", poi_id=p)]
    wanted = [poi_id for poi_id in unread if poi_id not in planned]
    return [make_call("get_poi", poi_id=poi_id) for poi_id in wanted[: max(0, room)]]


def arrange_places(situation: Situation) -> list[ToolCall]:
    """All wanted places at once; again when a train or hotel was changed since."""
    log = situation.log
    if not log.may("arrange") or not situation.wanted:
        return []
    attempts = [n for n, step in enumerate(log.steps) if step.tool == "arrange"]
    changes = [
        n for n, step in enumerate(log.steps) if _is_change(step) and not was_eased(log.steps, n)
    ]
    if attempts and attempts[-1] > max(changes, default=-1):
        return []
    if any(log.steps[n].is_error for n in attempts):
        return []
    keep = bool(log.brief.draft.get("visits"))
    wanted = (*_take_turns(situation), *situation.tables)
    given = [poi_id for poi_id in dict.fromkeys(wanted) if situation.may_afford(poi_id)]
    if not given:
        return []
    return [make_call("arrange", poi_ids=given[:MOST_GIVEN], keep=keep)]


def fill_days(situation: Situation) -> list[ToolCall]:
    """The next best places too, where an arrangement has left days with room; once for each.

    All are arranged anew, since a visit that is kept may cost a meal.
    """
    log = situation.log
    arranged = [step for step in log.find("arrange") if not step.is_error]
    if not log.may("arrange") or not arranged:
        return []
    given = arranged[-1].arguments["poi_ids"]
    must = [poi_id for poi_id, _ in log.brief.must_see]
    is_over = len(arranged) > MOST_ARRANGED or log.calls_left <= LAST_CALLS
    known = {*situation.wanted, *situation.tables}
    if is_over or given == must or set(given) - known or situation.over_budget:
        return []
    more = [p for city in log.brief.cities for p in _list_more(situation, city, set(given))]
    if not more or len(given) >= MOST_GIVEN:
        return []
    keep = bool(arranged[-1].arguments.get("keep"))
    return [make_call("arrange", poi_ids=[*given, *more][:MOST_GIVEN], keep=keep)]


def fill_empty_days(situation: Situation) -> list[ToolCall]:
    """All other places of the cities where a day has no visit although one would fit, beside the rest."""
    log, draft = situation.log, situation.draft
    empty = [fault.day for fault in draft.faults if fault.code == "EMPTY_DAY" and fault.day]
    cities = [city for city in log.brief.cities if not set(city.days).isdisjoint(empty)]
    left_alone = draft.removed.union(draft.poi_ids)
    rows = [row["id"] for city in cities for row in log.list_rows("list_pois", city=city.id)]
    wanted = [poi_id for city in cities for poi_id in situation.list_wanted(city)]
    more = [poi_id for poi_id in dict.fromkeys((*wanted, *rows)) if poi_id not in left_alone]
    given = {"poi_ids": more[:MOST_GIVEN], "keep": True}
    tries = sum(1 for _ in log.find("arrange", keep=True))
    is_over = log.calls_left <= LAST_CALLS or tries >= MOST_FILLED
    if not empty or not more or is_over or not log.may("arrange"):
        return []
    return [make_call("arrange", **given)]


def _take_turns(situation: Situation) -> Iterator[str]:
    """Must-sees of all cities, then first choices of all cities, second choices, and so on."""
    must = [poi_id for poi_id, _ in situation.brief.must_see]
    yield from must
    lists = [situation.list_wanted(city) for city in situation.brief.cities]
    for rank in range(max(map(len, lists), default=0)):
        for wanted in lists:
            if rank < len(wanted) and wanted[rank] not in must:
                yield wanted[rank]


def _is_change(step: Step) -> bool:
    return step.tool in CHOICES and not step.is_error


def _list_more(situation: Situation, city: BriefCity, given: set[str]) -> list[str]:
    """Places that were not tried in a city whose days are not full."""
    log, draft = situation.log, situation.draft
    rows = log.list_rows("list_pois", city=city.id)
    ids = {row["id"] for row in rows}
    planned = sum(poi_id in ids for poi_id in draft.poi_ids)
    room = measure_room(log.brief, city, situation.rides)
    if planned >= FULL_SHARE * room.visits:
        return []
    left_alone = given.union(draft.poi_ids, draft.removed, log.brief.refused)
    more = [*situation.list_wanted(city), *(row["id"] for row in rows)]
    new = [poi_id for poi_id in dict.fromkeys(more) if poi_id not in left_alone]
    return [poi_id for poi_id in new if situation.may_afford(poi_id)][: room.visits]


MOST_DAYS_TRIED = 2
"""Days on which a place is tried that broke something on the first."""

"""To mend and to submit."""


def put_places(situation: Situation) -> list[ToolCall]:
    """One place a day and turn, the most wanted first, each on the day with most time left."""
    log = situation.log
    if log.may("arrange") or not log.may("put_visit"):
        return []
    calls: dict[int, ToolCall] = {}
    for city in log.brief.cities:
        for poi_id in _list_unplanned(situation, city):
            day = _find_day(situation, city, poi_id, set(calls))
            if day is not None:
                calls[day] = make_call("put_visit", day=day, poi_id=poi_id)
    room = max(0, log.calls_left - LAST_CALLS)
    return [calls[day] for day in sorted(calls)][:room]


def _list_unplanned(situation: Situation, city: BriefCity) -> Iterator[str]:
    planned = set(situation.draft.poi_ids)
    for poi_id in situation.list_wanted(city):
        if poi_id not in planned and _is_affordable(situation, city, poi_id):
            yield poi_id


def _is_affordable(situation: Situation, city: BriefCity, poi_id: str) -> bool:
    """Whether the ticket leaves the plan within the budget, as far as both are known."""
    brief, total = situation.brief, situation.draft.total
    if not situation.may_afford(poi_id):
        return False
    price = read_price(_find_row(situation, city, poi_id).get("price")) or 0.0
    if brief.budget is None or total is None or not price or situation.over_budget:
        return True
    return (
        poi_id not in situation.draft.removed and total + price * brief.sight_fares <= brief.budget
    )


def _find_row(situation: Situation, city: BriefCity, poi_id: str) -> Row:
    """What was shown of a place: in detail, else in a list, else nothing."""
    rows = situation.log.list_rows("list_pois", city=city.id)
    listed = next((row for row in rows if row["id"] == poi_id), {})
    return situation.log.detail("get_poi", poi_id) or listed


def _find_day(situation: Situation, city: BriefCity, poi_id: str, busy: set[int]) -> int | None:
    """The day with most time left of those that are open, not full, and not tried yet."""
    log = situation.log
    tried = {step.arguments.get("day") for step in log.find("put_visit", poi_id=poi_id)}
    if len(tried) >= MOST_DAYS_TRIED:
        return None
    row = _find_row(situation, city, poi_id)
    need = need_minutes(row) if row else 0
    left = {
        day: _count_left(situation, city, day)
        for day in city.days
        if day not in tried | busy and _is_open(situation, row, day)
    }
    fitting = [day for day, minutes in left.items() if minutes >= need]
    return max(fitting, key=lambda day: left[day], default=None)


def _count_left(situation: Situation, city: BriefCity, day: int) -> int:
    """Minutes of a day that nothing takes; none where the pace allows no further visit."""
    visits = situation.draft.visits.get(day, ())
    if len(visits) >= MAX_VISITS[situation.brief.pace]:
        return -1
    rows = [_find_row(situation, city, poi_id) for poi_id in visits]
    used = sum(need_minutes(row) for row in rows if row)
    return measure_day(situation.brief, city, day, situation.rides) - used


def _is_open(situation: Situation, row: Row, day: int) -> bool:
    """Whether the place has hours on that date; one that was not opened may have."""
    if "dates" not in row:
        return True
    dates = {shown["date"]: shown["open"] for shown in row["dates"]}
    return bool(dates.get(situation.brief.date_of(day), True))
