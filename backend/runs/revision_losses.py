"""Warns in a revision's result of places that nobody asked to take out and that are out all the same."""

from collections.abc import Iterator

from backend.planner.draft import Draft
from backend.planner.itinerary import Violation, Where
from backend.planner.trip import name_in
from backend.pool.snapshot import Snapshot
from backend.text import Locale
from backend.tools.context import RunState

CODE = "MADE_ROOM"

_MESSAGES: dict[Locale, str] = {
    "zh-CN": "按要求修改后放不下“{name}”，已从行程中去掉",
    "en": "“{name}” has no room beside what was asked for, so it is not in the plan any more",
}


def warn_of_losses(start: RunState, draft: Draft, snapshot: Snapshot) -> Iterator[Violation]:
    """One warning for each of them; after words it was the model's to decide what goes."""
    lost = () if start.wish else (*start.gone, *start.draft.poi_ids)
    for poi_id in lost:
        if poi_id not in draft.poi_ids:
            yield _describe(snapshot, poi_id)


def _describe(snapshot: Snapshot, poi_id: str) -> Violation:
    locale, poi = snapshot.request.locale, snapshot.rows.pois.get(poi_id)
    name = poi_id if poi is None else name_in(poi, locale)
    message = _MESSAGES[locale].format(name=name)
    return Violation(code=CODE, severity="warning", where=Where(), message=message)
