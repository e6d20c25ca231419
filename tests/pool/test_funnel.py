"""From the catalogue to what was chosen: rows first, then distinct ids of the pool."""

from backend.pool.findings import count_funnel
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot, make_train

FIRST = make_train("G1", ("shanghai", "A", "08:00"), ("zhengzhou", "B", "12:00"))
SECOND = make_train("G2", ("zhengzhou", "B", "13:00"), ("beijing", "C", "16:00"))


def reject(snapshot: Snapshot, **counts: int) -> Snapshot:
    city = snapshot.cities["beijing"].model_copy(
        update={"rejected": snapshot.cities["beijing"].rejected | counts}
    )
    return snapshot.model_copy(update={"cities": {**snapshot.cities, "beijing": city}})


def test_rows_in_the_cities_are_those_in_the_pool_and_those_rejected() -> None:
    snapshot = reject(make_snapshot(), price=21, rank=3)
    places = count_funnel(snapshot)["poi"]
    assert places.pool == len(snapshot.cities["beijing"].pois)
    assert places.in_cities == places.pool + 24
    assert places.rejected["price"] == 21
    assert places.rejected["closed"] == 0


def test_only_distinct_ids_of_the_pool_count_and_each_for_its_kind() -> None:
    snapshot = make_snapshot()
    poi, hotel = snapshot.cities["beijing"].pois[0], snapshot.cities["beijing"].hotels[0]
    funnel = count_funnel(
        snapshot,
        listed={"poi": [poi, poi, "elsewhere", hotel], "hotel": [hotel]},
        opened={"poi": {poi}},
        selected={"hotel": {hotel}},
    )
    assert (funnel["poi"].listed, funnel["poi"].opened, funnel["poi"].selected) == (1, 1, 0)
    assert (funnel["hotel"].listed, funnel["hotel"].opened, funnel["hotel"].selected) == (1, 0, 1)


def test_trains_of_connections_are_in_the_pool_but_not_between_the_cities() -> None:
    snapshot = make_snapshot(trains=[FIRST, SECOND], connections=[("g1", "g2")])
    assert not snapshot.legs[0].direct
    trains = count_funnel(snapshot, selected={"train": ["g1", "g2"]})["train"]
    assert (trains.in_cities, trains.pool, trains.selected) == (0, 2, 2)
