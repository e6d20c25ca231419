"""Puts places into the days one by one, where `arrange` is switched off."""

from collections.abc import Iterator

from backend.agent.policy.brief import BriefCity
from backend.agent.policy.call_log import Row, read_price
from backend.agent.policy.places import need_minutes
from backend.agent.policy.situation import Situation
from backend.agent.policy.usable import measure_day
from backend.agent.replies import make_call
from backend.planner.pace import MAX_VISITS
from backend.tools.call import ToolCall

MOST_DAYS_TRIED = 2
"""Days on which a place is tried that broke something on the first."""

LAST_CALLS = 2
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
        poi_id not in situation.draft.removed and total + price * brief.travellers <= brief.budget
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
