"""Finished plans to be exported: two cities in five days, and what a test wants to be different."""

import datetime as dt
from dataclasses import replace
from typing import Any

from backend.planner.check.validator import validate
from backend.planner.days.timeline import build_itinerary
from backend.planner.exports.delivered import Delivered
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.planner.plans import make_draft

MADE_AT = dt.datetime(2026, 10, 1, 8, 30, tzinfo=dt.UTC)
HOTELS = {"beijing": "bj-h-dongdan", "xian": "xa-h-zhonglou"}
TEA = {
    "title": "tea",
    "start": "2026-10-14T16:30",
    "end": "2026-10-14T17:30",
    "lat": 39.94,
    "lon": 116.39,
}
VISITS = {
    1: ["bj-tiantan"],
    2: ["bj-gugong", "bj-hutong"],
    4: ["xa-dayanta", "xa-huiminjie"],
}


def deliver(snapshot: Snapshot, draft: Draft, **changes: Any) -> Delivered:
    """The plan of a draft, as it would be exported."""
    itinerary = build_itinerary(snapshot, draft)
    violations = tuple(validate(snapshot, draft, itinerary))
    plan = Delivered("run_1", "succeeded", MADE_AT, snapshot, itinerary, violations)
    return replace(plan, **changes)


def deliver_two_cities(**request: Any) -> Delivered:
    """Shanghai, Beijing, Xi'an and back, with a booking."""
    snapshot = make_snapshot(("beijing", "xian"), days=5, **{"fixed": [TEA], **request})
    trains = {0: ["g2"], 1: ["g663"], 2: ["g1936"]}
    return deliver(snapshot, make_draft(VISITS, hotels=HOTELS, trains=trains))
