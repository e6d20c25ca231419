"""The built-in planner over small snapshots: a sound plan or a typed stop, the same every time."""

import itertools
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.ledger import StopReason
from backend.agent.llm import Message, ModelReply
from backend.agent.loop import hand_over
from backend.agent.replies import MemoryRecorder, ScriptedLlm, calls, says
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.pool.snapshot import Snapshot
from backend.tools.call import ToolSchema
from backend.tools.context import RunState, ToolLimit
from tests.agent.harness import OFF, Trial, run_trial, with_params
from tests.factories import make_snapshot
from tests.row_makers import make_hotel, make_poi
from tests.sample_rows import BEIJING_POIS, TRAINS

LISTS = ("list_pois", "list_hotels", "list_trains")


async def plan(snapshot: Snapshot, **how: Any) -> Trial:
    return await run_trial(snapshot, BuiltinPlanner(), **how)


def check_sound(trial: Trial) -> None:
    assert trial.result.stop is StopReason.SUBMITTED
    assert trial.errors == []


def total(trial: Trial) -> Decimal:
    return build_itinerary(trial.snapshot, trial.result.state.draft).costs.total


NIGHT_HOME = [train for train in TRAINS if train.id != "g7"]
"""The last day is free for visits: the one train home leaves in the evening."""


@pytest.mark.parametrize("locale", ["zh-CN", "en"])
async def test_three_days_in_few_calls(locale: str) -> None:
    trial = await plan(make_snapshot(trains=NIGHT_HOME, interests=["history"], locale=locale))
    check_sound(trial)
    draft = trial.result.state.draft
    assert set(draft.visits) == {1, 2, 3}
    assert {"bj-gugong", "bj-guobo", "bj-tiantan"} <= set(draft.poi_ids)
    assert draft.trains == {0: ("g2",), 1: ("g21",)}
    assert draft.hotels.keys() == {"beijing"}
    assert trial.result.state.calls <= 40
    opened = {c.arguments for c, _ in trial.calls if c.name == "get_poi"}
    assert len(opened) >= len(draft.poi_ids)


async def test_two_cities() -> None:
    trial = await plan(make_snapshot(("beijing", "xian"), days=5))
    check_sound(trial)
    assert set(trial.result.state.draft.trains) == {0, 1, 2}
    assert set(trial.result.state.draft.hotels) == {"beijing", "xian"}


async def test_the_same_messages_give_the_same_calls() -> None:
    snapshot = make_snapshot(("beijing", "xian"), days=5)
    one, two = await plan(snapshot), await plan(snapshot)
    assert one.recorder.replies == two.recorder.replies
    assert one.result == two.result


@pytest.mark.parametrize("kept", [1, 3, 5])
async def test_it_can_be_resumed_anywhere(kept: int) -> None:
    snapshot = make_snapshot()
    whole = await plan(snapshot)
    record = MemoryRecorder(
        replies={t: r for t, r in whole.recorder.replies.items() if t <= kept},
        outcomes={k: o for k, o in whole.recorder.outcomes.items() if k[0] < kept or not k[1]},
    )
    resumed = await plan(snapshot, recorder=record)
    assert resumed.result == whole.result


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("locale", ["zh-CN", "en"])
async def test_small_return_limits(rows: int, locale: str) -> None:
    limits = dict.fromkeys(LISTS, ToolLimit(max_return_rows=rows))
    trial = await plan(make_snapshot(("beijing", "xian"), days=5, locale=locale), limits=limits)
    check_sound(trial)
    listed = {c.name for c, o in trial.calls if o.content.get("hasMore")}
    assert "list_pois" in listed
    assert len(trial.result.state.draft.poi_ids) >= 5


OPTIONAL = ("get_poi", "get_hotel", "get_train", "arrange", "view_itinerary", "remove_item")


@pytest.mark.parametrize(
    "off",
    [
        *itertools.combinations(OPTIONAL, 1),
        ("get_poi", "get_hotel", "get_train", "arrange", "view_itinerary"),
        ("put_visit",),
        ("list_hotels",),
        ("list_trains",),
    ],
)
async def test_it_does_without_optional_tools(off: Sequence[str]) -> None:
    trial = await plan(make_snapshot(interests=["park"]), limits=dict.fromkeys(off, OFF))
    check_sound(trial)
    assert not set(off).intersection(trial.names)
    assert len(trial.result.state.draft.poi_ids) >= 4


@pytest.mark.parametrize("off", ["list_pois", "choose_hotel", "submit_itinerary", "choose_train"])
async def test_without_what_it_needs_it_stops_with_a_reason(off: str) -> None:
    trial = await plan(make_snapshot(), limits={off: OFF})
    assert trial.result.stop is StopReason.NO_PROGRESS


async def test_a_tool_switched_off_on_the_way_is_gone_round() -> None:
    looks = 0

    def limits() -> dict[str, ToolLimit]:
        nonlocal looks
        looks += 1
        return {"arrange": OFF, "get_hotel": OFF} if looks > 8 else {}

    check_sound(await plan(make_snapshot(), limits=limits))


async def test_must_sees_come_first() -> None:
    must = ["bj-hutong", "bj-kaoya", "bj-798"]
    trial = await plan(make_snapshot(days=2, must_see=must, interests=["history"]))
    check_sound(trial)
    assert set(must) <= set(trial.result.state.draft.poi_ids)


async def test_a_must_see_that_is_closed_throughout_does_not_stop_the_plan() -> None:
    closed = make_poi("closed", opening_hours="off")
    trial = await plan(make_snapshot(pois=(*BEIJING_POIS, closed), must_see=["closed"]))
    check_sound(trial)
    assert "MUST_SEE_CLOSED" in [v.code for v in trial.violations]


@pytest.mark.parametrize(("pace", "most"), [("relaxed", 3), ("standard", 5), ("packed", 7)])
@pytest.mark.parametrize("off", [(), ("arrange",)])
async def test_pace_is_kept(pace: str, most: int, off: Sequence[str]) -> None:
    pois = [make_poi(f"p{n:02d}", duration_min=45, popularity=90.0 - n) for n in range(40)]
    snapshot = make_snapshot(pois=pois, trains=NIGHT_HOME, pace=pace, day_end="23:00")
    trial = await plan(snapshot, limits=dict.fromkeys(off, OFF))
    check_sound(trial)
    assert "PACE" not in [v.code for v in trial.violations]
    visits = [len(v) for v in trial.result.state.draft.visits.values()]
    assert max(visits) <= most
    assert sum(visits) >= 2 * most - 1


@pytest.mark.parametrize("off", [(), ("arrange",)])
async def test_a_tight_budget_is_kept_by_cheaper_choices(off: Sequence[str]) -> None:
    hotels = [
        make_hotel("dear", stars=5, rating=4.9, price_per_night=Decimal(1500)),
        make_hotel("cheap", stars=4, rating=3.0, price_per_night=Decimal(150)),
    ]
    free = await plan(make_snapshot(hotels=hotels, budget_tier="quality"))
    assert free.result.state.draft.hotels == {"beijing": "dear"}
    snapshot = make_snapshot(hotels=hotels, budget_tier="quality", budget_total="2800")
    trial = await plan(snapshot, limits=dict.fromkeys(off, OFF))
    check_sound(trial)
    assert total(trial) <= 2800
    assert trial.result.state.draft.hotels == {"beijing": "cheap"}


async def test_dear_places_are_left_out_of_a_draft_over_the_budget() -> None:
    draft = Draft(
        visits={2: (PlannedVisit(poi_id="bj-kaoya"), PlannedVisit(poi_id="bj-gugong"))},
        trains={0: ("g2",), 1: ("g21",)},
        hotels={"beijing": "bj-h-dongdan"},
    )
    snapshot = make_snapshot(budget_total="3100", hotels=[make_hotel("bj-h-dongdan")])
    trial = await plan(snapshot, start=RunState(draft=draft))
    check_sound(trial)
    assert "bj-kaoya" not in trial.result.state.draft.poi_ids
    assert "bj-gugong" in trial.result.state.draft.poi_ids


async def test_a_budget_that_nothing_can_keep_is_a_typed_stop_with_the_best_plan() -> None:
    trial = await plan(make_snapshot(budget_total="100"))
    assert trial.result.stop is StopReason.NO_PROGRESS
    assert trial.errors == ["OVER_BUDGET"]
    assert trial.names[-1] == "submit_itinerary"
    assert trial.result.state.calls <= 40


async def test_connections_are_read_from_the_hint() -> None:
    trains = [train for train in TRAINS if train.id != "g1936"]
    for locale in ("zh-CN", "en"):
        snapshot = make_snapshot(
            ("beijing", "xian"),
            days=5,
            trains=trains,
            connections=[("g2204", "g1811")],
            locale=locale,
        )
        trial = await plan(snapshot)
        check_sound(trial)
        assert trial.result.state.draft.trains[2] == ("g2204", "g1811")


async def test_a_leg_without_trains_is_the_travellers_own() -> None:
    trial = await plan(make_snapshot(("luoyang",), pois=[make_poi("lm", city="luoyang")]))
    check_sound(trial)
    assert trial.result.state.draft.trains == {}


async def test_an_empty_pool_ends_well() -> None:
    check_sound(await plan(make_snapshot(pois=[], hotels=[], trains=[])))


async def test_own_transport_and_bookings_are_planned_around() -> None:
    trial = await plan(
        make_snapshot(
            arrival={"time": "11:00", "place": {"lat": 40.08, "lon": 116.6, "name": "Airport"}},
            departure={"time": "16:00", "place": {"lat": 40.08, "lon": 116.6, "name": "Airport"}},
            fixed=[{"title": "Opera", "start": "2026-10-14T19:00", "end": "2026-10-14T20:30"}],
        )
    )
    check_sound(trial)


async def test_a_draft_that_a_model_left_is_continued() -> None:
    snapshot = make_snapshot(trains=NIGHT_HOME)
    model = ScriptedLlm(
        [
            calls("list_pois", city="beijing"),
            calls("choose_train", leg=0, train_ids=["g14"]),
            calls("put_visit", day=2, poi_id="bj-798"),
            says(""),
            says(""),
        ]
    )
    failed = await run_trial(snapshot, model)
    assert failed.result.stop is StopReason.NO_PROGRESS
    trial = await plan(snapshot, start=hand_over(failed.result.state))
    check_sound(trial)
    draft = trial.result.state.draft
    assert draft.trains[0] == ("g14",)
    assert "bj-798" in [visit.poi_id for visit in draft.visits_on(2)]
    assert len(draft.poi_ids) >= 6


async def test_a_broken_draft_is_mended() -> None:
    late = tuple(PlannedVisit(poi_id=p) for p in ("bj-gugong", "bj-guobo", "bj-yiheyuan", "bj-798"))
    draft = Draft(visits={3: late}, trains={1: ("g7",)})
    trial = await plan(make_snapshot(), start=RunState(draft=draft))
    check_sound(trial)
    assert trial.result.state.draft.trains[1] == ("g7",)


@pytest.mark.parametrize("most", [10, 12, 20, 30])
async def test_few_calls_are_spent_on_what_matters(most: int) -> None:
    snapshot = with_params(make_snapshot(), AGENT_MAX_TOOL_CALLS=most)
    trial = await plan(snapshot)
    check_sound(trial)
    assert trial.result.state.draft.poi_ids


async def test_it_reads_nothing_but_messages_and_schemas() -> None:
    class Eavesdropper(BuiltinPlanner):
        """Forgets itself between turns."""

        async def reply(
            self, messages: Sequence[Message], tools: Sequence[ToolSchema]
        ) -> ModelReply:
            copies = [Message.model_validate_json(m.model_dump_json()) for m in messages]
            return await BuiltinPlanner().reply(copies, tools)

    snapshot = make_snapshot()
    whole = await plan(snapshot)
    assert (await run_trial(snapshot, Eavesdropper())).result == whole.result


async def test_one_eats_at_a_known_table_on_the_way_also_without_a_wish_for_food() -> None:
    sights = [make_poi(f"s{n}", lat=39.9 + n / 50, popularity=90) for n in range(4)]
    table = make_poi("table", type="restaurant", lat=39.921, popularity=70, price=60)
    trial = await plan(make_snapshot(pois=[*sights, table], interests=[]))
    check_sound(trial)
    days = build_itinerary(trial.snapshot, trial.result.state.draft).days
    meals = [i.poi_id for day in days for i in day.items if i.kind == "meal"]
    assert "table" in meals
