"""Mends what the validator says: misfits go, must-sees come back, dear things get cheaper."""

from collections.abc import Iterator, Sequence

from backend.agent.policy.call_log import VISIT_KINDS, Broken, Row
from backend.agent.policy.choosing import choose_cheaper
from backend.agent.policy.situation import Situation
from backend.agent.replies import make_call
from backend.money import add_up
from backend.tools.call import ToolCall

HOPELESS = frozenset({"CLOSED", "CLOSED_SEASON", "NO_TIME", "RESERVATION_PASSED"})
"""Reasons of `arrange` that no other plan takes away."""

BY_CHOICES = frozenset({"WISH_AT", "WISH_BEDS", "WISH_HOTEL", "WISH_INTERCITY", "WISH_LOCAL"})
NOT_BY_VISITS = BY_CHOICES | {"LEG_ORDER", "HOTEL_MISSING", "LEG_NOT_CHOSEN"}
"""Errors that no visit less would take away."""

ANCHORS = frozenset({"leg", "fixed"})
"""What has a time of its own besides visits."""

MOST_DAYS_TRIED = 3
SPARE = 1.02
"""Of what is saved: ways change a little with every hotel and visit."""


def look_again(situation: Situation) -> list[ToolCall]:
    """The whole plan, where a write has broken something on a day that it did not show."""
    log, draft = situation.log, situation.draft
    if draft.is_known or not log.may("view_itinerary"):
        return []
    was_last = log.steps[-1].tool == "view_itinerary"
    return [] if was_last else [make_call("view_itinerary")]


def remove_misfits(situation: Situation) -> list[ToolCall]:
    """The visit to blame for the first error of each day."""
    if not situation.log.may("remove_item"):
        return []
    blamed: dict[int, int] = {}
    for fault in situation.draft.faults:
        if fault.day is not None and fault.day not in blamed:
            item = _find_blamed(situation, fault.day, fault)
            if item is not None:
                blamed[fault.day] = item
    return [make_call("remove_item", day=day, item=item) for day, item in sorted(blamed.items())]


def _find_blamed(situation: Situation, day: int, fault: Broken) -> int | None:
    """What was put there last, else the item itself or what comes before it; rather no must-see."""
    if fault.item is None or fault.code in NOT_BY_VISITS:
        return None
    must = {poi_id for poi_id, _ in situation.brief.must_see}
    visits = _list_near(situation, day, fault.item)
    if fault.code.startswith("WISH_"):
        visits = [item for item in visits if item["item"] == fault.item]
    if not visits:
        return None
    free = [item for item in visits if item["poi_id"] not in must]
    put = [step.arguments.get("poi_id") for step in situation.log.find("put_visit", day=day)]
    late = [item for item in _list_free(situation, day, must) if item["poi_id"] in put]
    if late:
        return int(max(late, key=lambda item: _find_last(put, item["poi_id"]))["item"])
    return int((free or visits)[-1]["item"])


def _list_near(situation: Situation, day: int, item: int) -> list[Row]:
    """The visits among the item and what comes before it; nothing where that is a train."""
    items = situation.draft.items.get(day, ())
    before = [i for i in items if i["item"] <= item and i["kind"] in ANCHORS | VISIT_KINDS]
    anchored = [i for i in before if i["kind"] in ANCHORS or i.get("poi_id")][-2:]
    return [i for i in anchored if i["kind"] in VISIT_KINDS]


def _list_free(situation: Situation, day: int, must: set[str]) -> list[Row]:
    """The visits of a day that may go."""
    items = situation.draft.items.get(day, ())
    return [i for i in items if i.get("poi_id") and i["poi_id"] not in must]


def _find_last(put: Sequence[str | None], poi_id: str) -> int:
    return max(n for n, put_id in enumerate(put) if put_id == poi_id)


def keep_to_must_sees(situation: Situation) -> list[ToolCall]:
    """Must-sees alone arranged anew, where they have no room or the budget has none for more."""
    log = situation.log
    must = [poi_id for poi_id, _ in situation.brief.must_see]
    is_wanted = situation.draft.has("MUST_SEE_MISSING") or situation.over_budget > 0
    if not must or not is_wanted or not log.may("arrange"):
        return []
    if log.has_called("arrange", poi_ids=must, keep=False):
        return []
    return [make_call("arrange", poi_ids=must, keep=False)]


def restore_must_sees(situation: Situation) -> list[ToolCall]:
    """One that is missing, on a day where it was not tried."""
    if not situation.draft.has("MUST_SEE_MISSING") or not situation.log.may("put_visit"):
        return []
    return list(_put_missing(situation))[:1]


def _put_missing(situation: Situation) -> Iterator[ToolCall]:
    planned, hopeless = set(situation.draft.poi_ids), _list_hopeless(situation)
    for poi_id, city_id in situation.brief.must_see:
        tried = {s.arguments.get("day") for s in situation.log.find("put_visit", poi_id=poi_id)}
        if poi_id in planned | hopeless or len(tried) >= MOST_DAYS_TRIED:
            continue
        for day in situation.brief.city(city_id).days:
            if day not in tried:
                yield make_call("put_visit", day=day, poi_id=poi_id)
                break


def _list_hopeless(situation: Situation) -> set[str]:
    left = (
        entry
        for step in situation.log.find("arrange")
        for entry in step.content.get("left_out", ())
    )
    return {entry["poi_id"] for entry in left if entry["code"] in HOPELESS}


def spend_less(situation: Situation) -> list[ToolCall]:
    """Cheaper trains and hotels while the plan costs more than the budget."""
    over = situation.over_budget
    return choose_cheaper(situation, over * SPARE) if over > 0 else []


def drop_dear(situation: Situation) -> list[ToolCall]:
    """The dearest visit that is no must-see, if leaving out all of them would do."""
    over = situation.over_budget
    must = {poi_id for poi_id, _ in situation.brief.must_see} | situation.brief.locks.poi_ids
    must.update(poi_id for w in situation.brief.wishes if w.is_must for poi_id in w.pois)
    dear = [
        (float(item["cost"]), -day, int(item["item"]))
        for day, items in situation.draft.items.items()
        for item in items
        if item.get("poi_id") and item["poi_id"] not in must and float(item.get("cost", 0)) > 0
    ]
    is_enough = 0 < over <= add_up(cost for cost, _, _ in dear)
    if not situation.log.may("remove_item") or not is_enough:
        return []
    _, day, item = max(dear)
    return [make_call("remove_item", day=-day, item=item)]
