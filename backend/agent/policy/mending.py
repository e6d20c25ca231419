"""Mends what the validator says: misfits go, must-sees come back, dear things get cheaper."""

from collections.abc import Iterator

from backend.agent.policy.choosing import choose_cheaper
from backend.agent.policy.draft_view import VISIT_KINDS, Broken
from backend.agent.policy.situation import Situation
from backend.agent.replies import make_call
from backend.tools.call import ToolCall

HOPELESS = frozenset({"CLOSED", "CLOSED_SEASON", "NO_TIME"})
"""Reasons of `arrange` that no other plan takes away."""

MOST_DAYS_TRIED = 3
SPARE = 1.02
"""Ways change a little with every hotel and visit."""


def mend(situation: Situation) -> list[ToolCall]:
    """The first remedy that has something to try."""
    if not situation.draft.errors:
        return []
    for remedy in (_look, _remove_misfits, _restore_must_sees, _spend_less):
        calls = remedy(situation)
        if calls:
            return calls
    return []


def _look(situation: Situation) -> list[ToolCall]:
    """The whole plan, where a write has broken something on a day that it did not show."""
    log = situation.log
    if situation.draft.is_known or not log.may("view_itinerary"):
        return []
    was_last = log.steps[-1].tool == "view_itinerary"
    return [] if was_last else [make_call("view_itinerary")]


def _remove_misfits(situation: Situation) -> list[ToolCall]:
    """The visit to blame for the first error of each day."""
    if not situation.log.may("remove_item"):
        return []
    blamed: dict[int, int] = {}
    for fault in situation.draft.faults:
        if fault.day is not None and fault.day not in blamed:
            item = _find_blamed(situation, fault)
            if item is not None:
                blamed[fault.day] = item
    return [make_call("remove_item", day=day, item=item) for day, item in sorted(blamed.items())]


def _find_blamed(situation: Situation, fault: Broken) -> int | None:
    """The item itself or the visit before it; rather one that is no must-see."""
    if fault.day is None or fault.item is None:
        return None
    must = {poi_id for poi_id, _ in situation.brief.must_see}
    items = situation.draft.items.get(fault.day, ())
    visits = [
        item
        for item in items
        if item["item"] <= fault.item and item["kind"] in VISIT_KINDS and item.get("poi_id")
    ]
    near = visits[-2:] if visits and visits[-1]["item"] == fault.item else visits[-1:]
    free = [item for item in near if item["poi_id"] not in must]
    chosen = (free or near)[-1:]
    return int(chosen[0]["item"]) if chosen else None


def _restore_must_sees(situation: Situation) -> list[ToolCall]:
    """Must-sees alone arranged anew, else each on a day where it was not tried."""
    if not situation.draft.has("MUST_SEE_MISSING"):
        return []
    log = situation.log
    must = [poi_id for poi_id, _ in situation.brief.must_see]
    if log.may("arrange") and not log.has_called("arrange", poi_ids=must, keep=False):
        return [make_call("arrange", poi_ids=must, keep=False)]
    if not log.may("put_visit"):
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


def _spend_less(situation: Situation) -> list[ToolCall]:
    """Cheaper trains and hotels; else, if that is enough, without the dearest places."""
    budget, total = situation.brief.budget, situation.draft.total
    if budget is None or total is None or total <= budget:
        return []
    return choose_cheaper(situation, (total - budget) * SPARE) or _drop_dear(
        situation, total - budget
    )


def _drop_dear(situation: Situation, over: float) -> list[ToolCall]:
    """The dearest visit that is no must-see, if leaving out all of them would do."""
    must = {poi_id for poi_id, _ in situation.brief.must_see}
    dear = [
        (float(item["cost"]), -day, int(item["item"]))
        for day, items in situation.draft.items.items()
        for item in items
        if item.get("poi_id") and item["poi_id"] not in must and float(item.get("cost", 0)) > 0
    ]
    if not situation.log.may("remove_item") or sum(cost for cost, _, _ in dear) < over:
        return []
    _, day, item = max(dear)
    return [make_call("remove_item", day=-day, item=item)]
