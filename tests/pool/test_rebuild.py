"""Other sizes within a snapshot's reserve, refusals beyond it, and snapshots that were tampered with."""

from typing import Any

import pytest

from backend.errors import CatalogueNeededError
from backend.params.registry import default_values
from backend.pool.plan_request import PlanRequest
from backend.pool.rebuild import BrokenSnapshotError, find_differences, rebuild
from backend.pool.rules import Entry
from backend.pool.snapshot import Snapshot
from tests.factories import make_hotel, make_poi, make_request, make_train
from tests.pool.memory_catalogue import MemoryCatalogue
from tests.row_makers import CITIES

TRAINS = [
    make_train(f"G{hour}", ("shanghai", "A", f"{hour:02d}:00"), ("beijing", "B", f"{hour + 4:02d}:30"))
    for hour in range(6, 18)
]  # fmt: skip
CATALOGUE = MemoryCatalogue(
    cities=CITIES,
    tags=("history",),
    pois=(
        *(Entry(make_poi(f"p{n:02d}", popularity=float(90 - n))) for n in range(20)),
        Entry(make_poi("shut", opening_hours="off")),
    ),
    hotels=tuple(Entry(make_hotel(f"h{n}")) for n in range(4)),
    trains=tuple(Entry(train) for train in TRAINS),
)
SIZES = {
    "POOL_POI_SIZE": 5,
    "POOL_RESERVE_SIZE": 6,
    "POOL_HOTEL_SIZE": 3,
    "POOL_TRAIN_SIZE": 4,
}
MIX = "POOL_KNOWN_SIZE", "POOL_FOOD_SIZE"
REQUEST = make_request(("beijing",), must_see=("p02", "p09", "p19", "shut"))


def build(request: PlanRequest = REQUEST, **params: Any) -> Snapshot:
    return CATALOGUE.build(request, default_values() | SIZES | params, version=1)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"POOL_POI_SIZE": 1},
        {"POOL_HOTEL_SIZE": 1},
        {"POOL_TRAIN_SIZE": 1},
        {"POOL_TRAIN_SIZE": 11},
        {"POOL_RESERVE_SIZE": 0},
        {"AGENT_MAX_TURNS": 3},
        {"POI_PRICE_CAP_QUALITY": "1.00"},  # another tier's
        {"HOTEL_STARS_ECONOMY": [1]},
    ],
)
def test_the_rebuilt_snapshot_is_the_catalogues_to_the_byte(params: dict[str, Any]) -> None:
    rebuilt, wanted = rebuild(build(), params), build(**params)
    assert (rebuilt.as_text(), rebuilt.sha256) == (wanted.as_text(), wanted.sha256)


def test_a_larger_pool_is_the_catalogues_but_for_a_shorter_reserve() -> None:
    rebuilt, wanted = rebuild(build(), {"POOL_POI_SIZE": 10}), build(POOL_POI_SIZE=10)
    assert rebuilt.cities["beijing"].pois == wanted.cities["beijing"].pois
    assert rebuilt.cities["beijing"].rejected == wanted.cities["beijing"].rejected
    assert rebuilt.cities["beijing"].reserve == ("p10",)
    assert rebuilt.warnings == wanted.warnings


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"POOL_POI_SIZE": 12}, "places of beijing"),
        ({"POOL_RESERVE_SIZE": 7}, "places of beijing"),
        ({"POOL_KNOWN_SIZE": 3}, "places of beijing"),
        ({"POOL_FOOD_SIZE": 3}, "places of beijing"),
        ({"POOL_HOTEL_SIZE": 4}, "hotels of beijing"),
        ({"POI_PRICE_CAP_COMFORT": "299.00"}, "price cap"),
        ({"POI_PRICE_CAP_COMFORT": None}, "price cap"),
        ({"HOTEL_STARS_COMFORT": [3]}, "stars"),
        ({"POOL_ALLOW_SYNTHETIC": True}, "synthetic"),
    ],
)
def test_what_lies_beyond_needs_the_catalogue(params: dict[str, Any], named: str) -> None:
    with pytest.raises(CatalogueNeededError, match=named):
        rebuild(build(), params)


def test_sizes_beyond_all_there_is_need_no_catalogue() -> None:
    whole = build(POOL_POI_SIZE=15, POOL_HOTEL_SIZE=4)
    assert len(whole.cities["beijing"].reserve) == 5
    rebuilt = rebuild(whole, {"POOL_POI_SIZE": 500, "POOL_HOTEL_SIZE": 200, "POOL_TRAIN_SIZE": 200})
    assert len(rebuilt.cities["beijing"].pois) == 21
    assert len(rebuilt.cities["beijing"].hotels) == 4
    assert len(rebuilt.legs[0].trains) == 12


def test_a_snapshot_with_every_row_can_be_mixed_anew() -> None:
    whole = build(POOL_RESERVE_SIZE=200)
    rebuilt, wanted = (
        rebuild(whole, {"POOL_KNOWN_SIZE": 1}),
        build(POOL_RESERVE_SIZE=200, POOL_KNOWN_SIZE=1),
    )
    assert rebuilt.as_text() == wanted.as_text()


def test_a_snapshot_of_the_first_version_is_ranked_by_interests_alone() -> None:
    old = build(POOL_KNOWN_SIZE=0, POOL_FOOD_SIZE=500)
    params = {key: value for key, value in old.params.items() if key not in MIX}
    old = old.model_copy(update={"params": params}).sealed()
    assert find_differences(old) == []


def test_a_snapshot_read_from_its_file_is_sound() -> None:
    snapshot = Snapshot.model_validate_json(build().as_text())
    assert snapshot == build()
    assert find_differences(snapshot) == []


def test_tampering_is_found_where_it_is() -> None:
    snapshot = build()
    pool = snapshot.cities["beijing"]
    swapped = pool.model_copy(update={"pois": (pool.pois[1], pool.pois[0], *pool.pois[2:])})
    changed = snapshot.model_copy(update={"cities": {"beijing": swapped}})
    assert find_differences(changed) == ["/cities/beijing/pois"]
    assert find_differences(changed.sealed()) == ["/cities/beijing/pois", "/sha256"]
    dearer = snapshot.rows.pois["p00"].model_copy(update={"intro": "other"})
    rows = snapshot.rows.model_copy(update={"pois": {**snapshot.rows.pois, "p00": dearer}})
    assert find_differences(snapshot.model_copy(update={"rows": rows})) == ["/sha256"]


def test_a_snapshot_without_its_rows_is_refused_by_name() -> None:
    snapshot = build()
    pois = {poi_id: row for poi_id, row in snapshot.rows.pois.items() if poi_id != "p01"}
    rows = snapshot.rows.model_copy(update={"pois": pois})
    with pytest.raises(BrokenSnapshotError, match="p01"):
        find_differences(snapshot.model_copy(update={"rows": rows}))
