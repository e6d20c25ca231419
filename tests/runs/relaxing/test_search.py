"""Relaxations: each clash is answered by the change that asks least, and a plan proves it."""

from decimal import Decimal
from typing import Any

import pytest

from backend.errors import CatalogueNeededError
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Snapshot
from backend.runs.life.verdict import show_clash
from backend.runs.relaxing import search
from backend.runs.relaxing.change import apply_all
from backend.runs.relaxing.search import Relaxation, find_relaxation
from backend.runs.relaxing.trial import Trial, plan_trip
from tests.factories import make_hotel, make_poi, make_snapshot, make_train
from tests.sample_rows import BEIJING_POIS, HOTELS, TRAINS, XIAN_POIS

POIS = (*BEIJING_POIS, *XIAN_POIS)
AT = {"lat": 39.93, "lon": 116.44}
STATION = "北京南站"


class World:
    """Snapshots of one catalogue, for a request and for the ones that are tried instead."""

    def __init__(self, **rows: Any) -> None:
        self.rows, self.built = rows, 0

    def show(self, request: PlanRequest) -> Snapshot:
        fields = {name: getattr(request, name) for name in PlanRequest.model_fields}
        destinations = fields.pop("destinations")
        cities, nights = zip(*((d.city, d.nights) for d in destinations), strict=True)
        return make_snapshot(cities, nights=list(nights), **fields, **self.rows)

    async def build(self, request: PlanRequest) -> Snapshot:
        self.built += 1
        return self.show(request)


async def relax(
    destinations: tuple[str, ...] = ("beijing",), world: World | None = None, **request: Any
) -> tuple[Relaxation | None, Trial, World]:
    """What is found for a request, and the plan that there was before."""
    world = world or World()
    base = await plan_trip(make_snapshot(destinations, **request, **world.rows))
    assert base.findings.clashes
    found = await find_relaxation(base.snapshot, base.draft, base.findings, world.build)
    return found, base, world


def list_kinds(found: Relaxation | None) -> list[str]:
    assert found is not None
    return [change.kind for change in found.changes]


async def check_proof(found: Relaxation | None, base: Trial, world: World) -> PlanRequest:
    """The changed request is planned without any clash, and so is the plan that is delivered."""
    assert found is not None
    assert found.trial.findings.clashes == ()
    request = apply_all(base.snapshot.request, found.changes)
    again = await plan_trip(world.show(request))
    assert again.findings.clashes == ()
    assert again.draft.poi_ids
    assert found.trial.draft.poi_ids
    assert found.trial.snapshot.request == request
    return request


def big(count: int, **more: Any) -> list[Any]:
    """Places that take a whole day each."""
    hours = {"opening_hours": "09:00-18:00", **more}
    return [make_poi(f"big-{n}", duration_min=420, **hours) for n in range(count)]


@pytest.mark.parametrize("budget", [1, 1500])
async def test_too_little_money_is_asked_for_in_full_and_no_more(budget: int) -> None:
    found, base, world = await relax(budget_total=budget, must_see=["bj-gugong"])
    assert list_kinds(found) == ["raise_budget"]
    request = await check_proof(found, base, world)
    assert found is not None
    assert found.trial.total == request.budget_total
    assert base.snapshot.request.budget_total is not None
    asked = request.budget_total - base.snapshot.request.budget_total
    assert found.changes[0].value == f"{asked:.2f}"
    assert found.trial.total <= base.total
    assert "bj-gugong" in found.trial.draft.poi_ids
    trains = min(t.price or 0 for t in TRAINS if t.to_city == "beijing") * 2
    assert found.trial.total > trains + 2 * min(h.price_per_night or 0 for h in HOTELS)


async def test_one_must_see_too_many_is_left_out_and_the_rest_stays() -> None:
    rows = [*big(2), *BEIJING_POIS]
    found, base, world = await relax(
        world=World(pois=rows), days=1, origin=None, must_see=["big-0", "big-1"]
    )
    assert list_kinds(found) == ["leave_out"]
    request = await check_proof(found, base, world)
    assert found is not None
    [gone] = found.changes[0].value
    assert {gone, *request.must_see} == {"big-0", "big-1"}
    assert found.trial.draft.poi_ids[0] in request.must_see
    assert world.built == 1  # for the proof


async def test_rather_a_day_more_than_two_must_sees_given_up() -> None:
    rows = [make_poi(f"half-{n}", duration_min=180, opening_hours="09:00-17:00") for n in range(4)]
    found, base, world = await relax(
        world=World(pois=rows), days=1, origin=None, must_see=[poi.id for poi in rows]
    )
    assert list_kinds(found) == ["add_day"]
    request = await check_proof(found, base, world)
    assert found is not None
    assert (request.days, found.changes[0].value["dates"]) == (2, ["2026-10-14"])
    assert request.destinations[0].nights == 1
    assert found.changes[0].value["destinations"] == [{"city": "beijing", "nights": 1}]
    assert {poi.id for poi in rows} <= set(found.trial.draft.poi_ids)


async def test_short_days_are_made_longer_by_as_little_as_does() -> None:
    found, base, world = await relax(
        world=World(pois=[make_poi("long", duration_min=200)]),
        days=1,
        origin=None,
        day_end="12:00",
        must_see=["long"],
    )
    assert list_kinds(found) == ["extend_day"]
    request = await check_proof(found, base, world)
    assert (request.day_start, request.day_end) == ("09:00", "13:00")


async def test_a_booking_after_the_last_train_asks_for_a_day_more() -> None:
    show = {"title": "show", "start": "2026-10-15T21:00", "end": "2026-10-15T23:00", **AT}
    found, base, world = await relax(fixed=[show])
    assert [c.violation.code for c in base.findings.clashes] == ["LEG_MISSED"]
    assert list_kinds(found) == ["add_day"]
    request = await check_proof(found, base, world)
    assert request.days == 4


async def test_a_booking_before_the_first_train_asks_for_a_day_before() -> None:
    talk = {"title": "talk", "start": "2026-10-13T07:00", "end": "2026-10-13T08:00", **AT}
    found, base, world = await relax(fixed=[talk])
    assert list_kinds(found) == ["add_day"]
    request = await check_proof(found, base, world)
    assert str(request.start_date) == "2026-10-12"
    assert request.last_date == base.snapshot.request.last_date


async def test_two_bookings_at_one_time_are_moved_apart() -> None:
    one = {"title": "one", "start": "2026-10-14T13:00", "end": "2026-10-14T14:00", **AT}
    two = {**one, "title": "two", "start": "2026-10-14T13:40", "end": "2026-10-14T15:00"}
    found, base, world = await relax(fixed=[one, two])
    assert [(c.violation.code, c.amount) for c in base.findings.clashes] == [("TRAVEL_TIME", 20)]
    assert list_kinds(found) == ["move_booking"]
    request = await check_proof(found, base, world)
    moved = [
        b for b, old in zip(request.fixed, base.snapshot.request.fixed, strict=True) if b != old
    ]
    assert len(moved) == 1
    assert found is not None
    assert f"{moved[0].start:%H:%M}" in found.changes[0].message


async def test_bookings_that_cannot_be_moved_apart_are_chosen_between() -> None:
    one = {"title": "one", "start": "2026-10-14T09:00", "end": "2026-10-14T17:00"}
    two = {"title": "two", "start": "2026-10-14T10:00", "end": "2026-10-14T22:00"}
    found, base, world = await relax(fixed=[one, two])
    assert list_kinds(found) == ["omit_booking"]
    request = await check_proof(found, base, world)
    assert len(request.fixed) == 1


async def test_a_booking_that_runs_past_midnight_clashes_with_the_next_day() -> None:
    one = {"title": "one", "start": "2026-10-13T22:00", "end": "2026-10-14T10:00"}
    two = {"title": "two", "start": "2026-10-14T09:00", "end": "2026-10-14T12:00"}
    found, base, world = await relax(fixed=[one, two])
    assert [c.violation.code for c in base.findings.clashes] == ["OVERLAP"]
    assert list_kinds(found) == ["move_booking"]
    await check_proof(found, base, world)


@pytest.mark.parametrize(
    ("kind", "own", "booking", "time"),
    [
        ("move_arrival", {"arrival": {"time": "12:00", "place": STATION}}, "13T12:05/13:00", "11"),
        ("move_departure", {"departure": {"time": "20:00", "place": STATION}},
         "15T18:00/19:45", "20"),
    ],
)  # fmt: skip
async def test_own_transport_makes_room_for_a_booking(
    kind: str, own: dict[str, Any], booking: str, time: str
) -> None:
    start, end = (f"2026-10-{booking[:3]}{part}" for part in booking[3:].split("/"))
    show = {"title": "show", "start": start, "end": end, **AT}
    found, base, world = await relax(fixed=[show], origin=None, **own)
    assert list_kinds(found) == [kind]
    await check_proof(found, base, world)
    assert found is not None
    assert found.changes[0].value["time"].startswith(time)


async def test_too_many_cities_get_the_days_that_they_need() -> None:
    late = make_train("G9", ("shanghai", "上海虹桥站", "15:00"), ("beijing", STATION, "20:00"))
    trains = [late, *(t for t in TRAINS if (t.from_city, t.to_city) != ("shanghai", "beijing"))]
    early = [t for t in trains if t.from_city != "beijing" or t.depart_min < 15 * 60]
    found, base, world = await relax(
        ("beijing", "xian"), World(trains=early), days=2, nights=[0, 1]
    )
    assert {c.violation.code for c in base.findings.clashes} >= {"LEG_ORDER"}
    assert list_kinds(found) == ["add_day"]
    request = await check_proof(found, base, world)
    assert [d.nights for d in request.destinations] == [1, 1]


async def test_an_evening_place_is_reached_by_a_longer_evening() -> None:
    bar = make_poi("bar", opening_hours="20:00-24:00", duration_min=120)
    found, base, world = await relax(world=World(pois=[bar, *BEIJING_POIS]), must_see=["bar"])
    assert list_kinds(found) == ["extend_day"]
    request = await check_proof(found, base, world)
    assert request.day_end == "23:00"
    assert found is not None
    assert len(found.trial.draft.poi_ids) > 5


async def test_where_nothing_small_helps_much_is_asked() -> None:
    shut = [make_poi(f"far-{n}", city="xian", duration_min=420) for n in range(3)]
    found, base, world = await relax(
        ("beijing", "xian"),
        World(pois=[*BEIJING_POIS, *shut]),
        days=2,
        nights=[1, 0],
        must_see=[poi.id for poi in shut],
    )
    await check_proof(found, base, world)
    assert {"add_day", "leave_out"} & set(list_kinds(found))


async def test_two_clashes_are_answered_by_two_changes() -> None:
    late = [train for train in TRAINS if train.id != "g7"]  # it is home early, and takes the day
    found, base, world = await relax(
        world=World(pois=big(2), trains=late), days=1, budget_total=300, must_see=["big-0", "big-1"]
    )
    assert found is not None
    assert "raise_budget" in list_kinds(found)
    assert len(found.changes) > 1
    await check_proof(found, base, world)


async def test_nothing_is_promised_that_was_not_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    show = {"title": "show", "start": "2026-10-15T21:00", "end": "2026-10-15T23:00", **AT}
    monkeypatch.setattr(search, "MOST_PLANNED", 0)
    found, base, world = await relax(fixed=[show])
    assert list_kinds(found) == ["omit_booking"]  # the plan at hand proves it
    await check_proof(found, base, world)
    assert world.built == 1  # for the proof


async def test_when_enough_was_planned_what_is_plain_is_still_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "MOST_DAYS", -1)
    rows = [*big(2), *BEIJING_POIS]
    found, base, world = await relax(
        world=World(pois=rows), days=1, origin=None, must_see=["big-0", "big-1"]
    )
    assert list_kinds(found) == ["leave_out"]
    await check_proof(found, base, world)


async def test_without_a_catalogue_what_needs_none_is_still_found() -> None:
    show = {"title": "show", "start": "2026-10-15T20:00", "end": "2026-10-15T21:00", **AT}
    base = await plan_trip(make_snapshot(fixed=[show]))

    async def refuse(request: PlanRequest) -> Snapshot:
        raise CatalogueNeededError("no catalogue")

    found = await find_relaxation(base.snapshot, base.draft, base.findings, refuse)
    assert list_kinds(found) in (["move_booking"], ["omit_booking"])


async def test_the_same_request_is_answered_alike() -> None:
    rows = big(3)
    how: dict[str, Any] = {"days": 2, "must_see": [poi.id for poi in rows], "budget_total": 2000}
    one, _, _ = await relax(world=World(pois=rows), **how)
    two, _, _ = await relax(world=World(pois=rows), **how)
    assert one is not None
    assert two is not None
    assert [c.show() for c in one.changes] == [c.show() for c in two.changes]
    assert one.trial.draft == two.trial.draft


async def test_who_stays_a_day_longer_does_not_move_out_of_town() -> None:
    near = make_hotel("near", price_per_night=Decimal(480), lat=39.91, lon=116.4)
    far = make_hotel("far", price_per_night=Decimal(350), lat=39.7, lon=116.75, area="郊外")
    show = {"title": "show", "start": "2026-10-15T21:00", "end": "2026-10-15T23:00", **AT}
    found, base, world = await relax(world=World(hotels=[near, far]), fixed=[show])
    assert list_kinds(found) == ["add_day"]
    await check_proof(found, base, world)
    assert found is not None
    assert base.draft.hotels == found.trial.draft.hotels == {"beijing": "near"}
    assert len(found.trial.draft.poi_ids) >= len(base.draft.poi_ids)


@pytest.mark.parametrize("budget", [1, 900, 1500, 2100])
async def test_money_for_two_trains_and_a_bed_alone_is_not_asked_for(budget: int) -> None:
    """The plan of what is asked for has a visit, and so has the one of a run with that budget."""
    priced = [make_poi(f"far-{n}", lat=40.1, price=Decimal(60)) for n in range(3)]
    found, base, world = await relax(world=World(pois=priced), budget_total=budget)
    assert list_kinds(found) == ["raise_budget"]
    await check_proof(found, base, world)


IMPOSSIBLE: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"kind": "spend", "on": "hotels", "at_most": "10"}, "WISH_SPEND", "change_wish"),
    ({"kind": "hotel", "near": "bj-gugong", "within_m": 100}, "WISH_HOTEL", "change_wish"),
    ({"kind": "visit", "type": ["beach"]}, "WISH_VISIT", "drop_wish"),
    ({"kind": "at", "place": "bj-gugong", "from": "20:00"}, "WISH_AT", "drop_wish"),
)


@pytest.mark.parametrize(("wish", "code", "kind"), IMPOSSIBLE)
async def test_a_wish_that_cannot_be_kept_is_changed_or_given_up(
    wish: dict[str, Any], code: str, kind: str
) -> None:
    found, base, world = await relax(days=3, wishes=[wish])
    clashes = base.findings.clashes
    assert {clash.violation.code for clash in clashes} == {code}
    assert {show_clash(clash).wish for clash in clashes} == {0}
    assert list_kinds(found) == [kind]
    request = await check_proof(found, base, world)
    assert len(request.wishes) == (kind == "change_wish")
