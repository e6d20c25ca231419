"""Edits of a plan and what they break: mended around what was asked, or said."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from backend.agent.builtin_planner import REVISION_PHASES, BuiltinPlanner
from backend.errors import RequestRefusedError
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.pool.snapshot import Snapshot
from backend.runs.life.verdict import check_plan
from backend.runs.relaxing.outcome import seek_for_draft
from backend.runs.revising.revision import Revised, RevisionRequest, Shown, revise
from backend.tools.context import RunState
from tests.agent.harness import Trial, run_trial
from tests.factories import make_hotel, make_poi, make_snapshot
from tests.sample_rows import BEIJING_POIS, HOTELS

SUNDAY = dt.date(2026, 10, 11)


def make_draft(days: dict[int, list[str]], **changes: Any) -> Draft:
    visits = {day: tuple(PlannedVisit(poi_id=f"bj-{i}") for i in ids) for day, ids in days.items()}
    choices = {"hotels": {"beijing": "bj-h-dongdan"}, "trains": {0: ("g2",), 1: ("g21",)}}
    return Draft(visits=visits, **{**choices, **changes})


def ask(snapshot: Snapshot, draft: Draft, *edits: dict[str, Any], **beside: Any) -> Revised:
    asked = RevisionRequest.model_validate({"edits": edits, **beside})
    return revise(Shown(draft, build_itinerary(snapshot, draft)), snapshot, asked)


async def mend(revised: Revised) -> Trial:
    """The run that follows: all that was asked for is held in it."""
    start = RunState(draft=revised.draft, locks=revised.locks, gone=revised.gone)
    trial = await run_trial(revised.snapshot, BuiltinPlanner(REVISION_PHASES), start=start)
    after = trial.result.state.draft
    assert revised.locks.list_broken(after) == revised.locks.list_back(after) == []
    return trial


def find_item(snapshot: Snapshot, draft: Draft, row_id: str) -> dict[str, int]:
    days = build_itinerary(snapshot, draft).days
    ids = ("poi_id", "hotel_id", "train_id")
    return next(
        {"day": day, "item": n}
        for day, row in enumerate(days, 1)
        for n, item in enumerate(row.items)
        if row_id in (getattr(item, key, None) for key in ids)
    )


async def test_a_sound_plan_is_looked_at_and_left_as_it_is() -> None:
    snapshot, draft = make_snapshot(), make_draft({2: ["gugong", "jingshan"]})
    revised = ask(snapshot, draft, {"op": "add", "poi_id": "天坛公园", "day": 3})
    assert revised.draft.visits_on(3) == (PlannedVisit(poi_id="bj-tiantan"),)
    trial = await mend(revised)
    assert trial.names == ["view_itinerary", "submit_itinerary"]
    assert trial.result.state.draft == revised.draft


async def test_a_day_that_gets_too_full_gives_a_visit_to_another_day() -> None:
    snapshot = make_snapshot()
    draft = make_draft({2: ["yiheyuan", "798", "shichahai"]})
    revised = ask(snapshot, draft, {"op": "add", "poi_id": "bj-gugong", "day": 2})
    trial = await mend(revised)
    after = trial.result.state.draft
    assert trial.errors == []
    assert set(after.poi_ids) == {*draft.poi_ids, "bj-gugong"}
    assert "bj-gugong" in [visit.poi_id for visit in after.visits_on(2)]
    assert after.visits_on(1) or after.visits_on(3)


async def test_what_has_no_room_on_any_day_goes_and_what_is_locked_stays() -> None:
    snapshot = make_snapshot(days=1, origin=None, day_end="17:00")
    draft = make_draft({1: ["tiantan", "yiheyuan"]}, hotels={}, trains={})
    here = find_item(snapshot, draft, "bj-tiantan")
    add = {"op": "add", "poi_id": "bj-gugong", "day": 1}
    trial = await mend(ask(snapshot, draft, add, lock=[here]))
    assert trial.errors == []
    assert set(trial.result.state.draft.poi_ids) == {"bj-tiantan", "bj-gugong"}


async def test_a_place_is_closed_on_the_day_that_is_asked_for() -> None:
    snapshot = make_snapshot(start_date=SUNDAY)
    draft = make_draft({2: ["tiantan", "jingshan"]})
    trial = await mend(ask(snapshot, draft, {"op": "add", "poi_id": "bj-gugong", "day": 2}))
    assert trial.errors == ["CLOSED"]
    assert set(trial.result.state.draft.poi_ids) == {"bj-tiantan", "bj-jingshan", "bj-gugong"}
    anywhere = ask(snapshot, draft, {"op": "add", "poi_id": "bj-gugong"})
    assert (await mend(anywhere)).errors == []


async def test_money_is_saved_where_nothing_was_asked_for() -> None:
    snapshot = make_snapshot(budget_total=Decimal(3600))
    draft = make_draft({2: ["kaoya"], 3: ["tiantan"]}, hotels={"beijing": "bj-h-xidan"})
    trial = await mend(ask(snapshot, draft, {"op": "add", "poi_id": "bj-yeshi", "day": 1}))
    assert trial.errors == []
    assert "bj-yeshi" in trial.result.state.draft.poi_ids
    dear = {"op": "swap_hotel", "city": "beijing", "hotel_id": "bj-h-xidan"}
    held = await mend(ask(snapshot, make_draft({2: ["kaoya"], 3: ["yeshi"]}), dear))
    assert held.errors == []
    assert held.result.state.draft.poi_ids != ("bj-kaoya", "bj-yeshi")


async def test_money_that_does_not_do_is_named_with_what_would() -> None:
    snapshot = make_snapshot(budget_total=Decimal(3000))
    draft = make_draft({2: ["gugong"]})
    trial = await mend(ask(snapshot, draft, {"op": "add", "poi_id": "bj-kaoya"}))
    assert trial.errors == ["OVER_BUDGET"]
    after = trial.result.state.draft
    sought = seek_for_draft(snapshot, after, check_plan(snapshot, after))
    assert sought.relaxation is not None
    assert sought.relaxation.kind == "raise_budget"
    assert sought.plan is not None
    assert sought.plan.draft == after


@pytest.mark.parametrize("row_id", ["bj-h-dongdan", "g2", "g21"])
async def test_another_hotel_or_train_is_taken_for_one_that_goes(row_id: str) -> None:
    snapshot, draft = make_snapshot(), make_draft({2: ["gugong"], 3: ["tiantan"]})
    revised = ask(snapshot, draft, {"op": "remove", **find_item(snapshot, draft, row_id)})
    trial = await mend(revised)
    assert trial.errors == []
    chosen = trial.result.state.draft
    assert row_id not in {*chosen.hotels.values(), *(i for t in chosen.trains.values() for i in t)}


async def test_a_later_train_makes_room_for_what_is_wanted_on_the_last_day() -> None:
    snapshot = make_snapshot()
    draft = make_draft({2: ["gugong"]}, trains={0: ("g2",), 1: ("g7",)})
    trial = await mend(ask(snapshot, draft, {"op": "add", "poi_id": "bj-yiheyuan", "day": 3}))
    assert trial.errors == []
    assert trial.result.state.draft.trains[1] == ("g21",)
    locked = [find_item(snapshot, draft, "g7")]
    held = ask(snapshot, draft, {"op": "add", "poi_id": "bj-yiheyuan", "day": 3}, lock=locked)
    kept = await mend(held)
    assert kept.errors != []
    assert kept.result.state.draft.trains[1] == ("g7",)


async def test_a_hotel_far_away_leaves_room_for_what_fits() -> None:
    far = make_hotel("bj-h-far", "密云酒店", lat=40.4, lon=117.0)
    snapshot = make_snapshot(hotels=(*HOTELS, far), day_end="18:00")
    draft = make_draft({2: ["gugong", "jingshan", "shichahai"], 3: ["tiantan", "guobo"]})
    swap = {"op": "swap_hotel", "city": "北京", "hotel_id": "bj-h-far"}
    trial = await mend(ask(snapshot, draft, swap))
    assert trial.errors == []
    assert trial.result.state.draft.hotels == {"beijing": "bj-h-far"}
    best = ask(snapshot, draft, {"op": "swap_hotel", "city": "北京"})
    assert best.draft.hotels == {"beijing": "bj-h-xidan"}
    removed = find_item(snapshot, draft, "bj-h-dongdan")
    gone = ask(snapshot, draft, {"op": "remove", **removed})
    assert gone.draft.hotels == best.draft.hotels
    swap = {"op": "swap_hotel", "city": "beijing"}
    again = ask(snapshot, draft, {"op": "remove", **removed}, swap)
    assert again.draft.hotels == {"beijing": "bj-h-far"}  # neither of the two that had to go


async def test_a_must_see_that_is_taken_out_is_none_any_more() -> None:
    snapshot = make_snapshot(must_see=("bj-gugong", "bj-tiantan"))
    draft = make_draft({2: ["gugong"], 3: ["tiantan"]})
    revised = ask(snapshot, draft, {"op": "remove", **find_item(snapshot, draft, "bj-gugong")})
    assert revised.snapshot.request.must_see == ("bj-tiantan",)
    assert (await mend(revised)).errors == []
    moved = ask(
        snapshot,
        draft,
        {"op": "remove", **find_item(snapshot, draft, "bj-gugong")},
        {"op": "add", "poi_id": "bj-gugong", "day": 3},
    )
    assert moved.locks.visits == ((3, "bj-gugong"),)
    assert moved.locks.out == ()


async def test_what_is_taken_out_is_no_wish_any_more() -> None:
    wishes = [
        {"kind": "at", "place": "bj-gugong", "day": 2},
        {"kind": "visit", "any_of": ["bj-gugong", "bj-tiantan"], "at_least": 2},
        {"kind": "hotel", "hotel": "bj-h-dongdan"},
        {"kind": "hotel", "hotel": "bj-h-dongdan", "stars": 3},
        {"kind": "visit", "any_of": ["bj-gugong"], "none": True},
    ]
    snapshot = make_snapshot(wishes=wishes)
    draft = make_draft({2: ["gugong"], 3: ["tiantan"]})
    revised = ask(
        snapshot,
        draft,
        {"op": "remove", **find_item(snapshot, draft, "bj-gugong")},
        {"op": "swap_hotel", "city": "beijing", "hotel_id": "bj-h-xidan"},
    )
    left = [wish.model_dump(mode="json") for wish in revised.snapshot.request.wishes]
    assert left == [
        {"weight": "must", "kind": "visit", "any_of": ["bj-tiantan"], "at_least": 1},
        {"weight": "must", "kind": "hotel", "stars": 3},
        {"weight": "must", "kind": "visit", "any_of": ["bj-gugong"], "at_least": 1, "none": True},
    ]
    assert ask(snapshot, draft, {"op": "pace", "pace": "packed"}).snapshot.request.wishes == (
        snapshot.request.wishes
    )


async def test_another_pace_says_what_went_and_keeps_what_edits_brought() -> None:
    snapshot = make_snapshot(pace="packed")
    draft = make_draft(
        {
            1: ["kaoya"],
            2: ["gugong", "jingshan", "shichahai", "hutong", "yeshi"],
            3: ["tiantan", "guobo", "yiheyuan"],
        }
    )
    add = {"op": "add", "poi_id": "bj-798", "day": 2}
    revised = ask(snapshot, draft, add, {"op": "pace", "pace": "relaxed"})
    assert revised.snapshot.request.pace == "relaxed"
    assert PlannedVisit(poi_id="bj-798") in revised.draft.visits_on(2)
    assert set(revised.gone) == set(draft.poi_ids) - set(revised.draft.poi_ids)
    assert revised.gone
    assert (await mend(revised)).errors == []


def test_edits_that_contradict_a_lock_or_each_other_are_refused_by_name() -> None:
    snapshot, draft = make_snapshot(), make_draft({2: ["gugong"], 3: ["tiantan"]})
    here = find_item(snapshot, draft, "bj-gugong")
    refused = [
        ([{"op": "remove", **here}], {"lock": [here]}, "/edits/0", "locked"),
        ([{"op": "add", "poi_id": "bj-gugong", "day": 3}], {}, "/edits/0", "already_planned"),
        ([{"op": "add", "poi_id": "bj-798", "day": 9}], {}, "/edits/0", "no_such_day"),
        ([{"op": "remove", "day": 2, "item": 0}], {}, "/edits/0", "no_choice"),
    ]
    for edits, beside, pointer, code in refused:
        with pytest.raises(RequestRefusedError) as caught:
            ask(snapshot, draft, *edits, **beside)
        assert [(f.pointer, f.code) for f in caught.value.faults] == [(pointer, code)]


async def test_a_city_without_another_hotel_says_so() -> None:
    alone = make_snapshot(hotels=HOTELS[:1], pois=(*BEIJING_POIS, make_poi("bj-new", "新馆")))
    draft = make_draft({2: ["gugong"]})
    with pytest.raises(RequestRefusedError) as caught:
        ask(alone, draft, {"op": "swap_hotel", "city": "beijing"})
    assert caught.value.faults[0].code == "no_other_hotel"
    gone = ask(alone, draft, {"op": "remove", **find_item(alone, draft, "bj-h-dongdan")})
    assert (await mend(gone)).errors == ["HOTEL_MISSING"]


async def test_a_must_see_that_is_displaced_finds_another_day() -> None:
    wall = make_poi("bj-wall", "长城", duration_min=420, lat=40.36, lon=116.02)
    snapshot = make_snapshot(
        pois=(*BEIJING_POIS, wall), must_see=("bj-gugong",), day_end="19:00", pace="packed"
    )
    draft = make_draft({2: ["gugong"], 3: ["yiheyuan", "798"]})
    trial = await mend(ask(snapshot, draft, {"op": "add", "poi_id": "bj-wall", "day": 2}))
    assert trial.errors == []
    assert {"bj-gugong", "bj-wall"} <= set(trial.result.state.draft.poi_ids)


async def test_what_is_cheaper_and_makes_the_plan_dearer_is_taken_back() -> None:
    far = make_hotel("bj-h-far", "密云酒店", lat=40.4, lon=117.0, price_per_night=Decimal(390))
    snapshot = make_snapshot(hotels=(HOTELS[0], far), budget_total=Decimal(2900))
    draft = make_draft({2: ["gugong"], 3: ["tiantan"]})
    trial = await mend(ask(snapshot, draft, {"op": "add", "poi_id": "bj-kaoya"}))
    assert trial.errors == ["OVER_BUDGET"]
    assert trial.names.count("choose_hotel") == 2
    assert trial.result.state.draft.hotels == {"beijing": "bj-h-dongdan"}
