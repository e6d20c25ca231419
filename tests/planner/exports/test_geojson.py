"""A map reads back what was planned: by a parser of that format, day by day and in order."""

import json
from dataclasses import replace
from typing import Any

import geojson
import pytest

from backend.planner.exports.delivered import Delivered
from backend.planner.exports.formats import write_map
from backend.planner.plan.itinerary import LegItem
from tests.factories import make_snapshot
from tests.planner.exports.deliveries import HOTELS, deliver, deliver_two_cities
from tests.planner.plans import make_draft

STYLES = {"color", "colour", "stroke", "fill", "marker-color", "stroke-width"}


def read(delivered: Delivered) -> list[Any]:
    """The features, valid by the format's rules."""
    collection = geojson.loads(write_map(delivered))
    assert isinstance(collection, geojson.FeatureCollection)
    assert collection.is_valid, collection.errors()
    ids = [feature["id"] for feature in collection["features"]]
    assert len(set(ids)) == len(ids)
    return list(collection["features"])


@pytest.mark.parametrize("locale", ["zh-CN", "en"])
def test_visits_hotels_stations_bookings_and_ways_are_on_the_map(locale: str) -> None:
    delivered = deliver_two_cities(locale=locale)
    features = read(delivered)
    properties = [feature["properties"] for feature in features]
    for wanted in ("visit", "stay", "leg", "transfer", "fixed"):
        shown = [p for p in properties if p["kind"] == wanted]
        assert len(shown) == sum(entry.item.kind == wanted for entry in delivered.entries), wanted
    assert sum(p["kind"] == "station" for p in properties) == 6
    assert sum(p["kind"] == "meal" for p in properties) == 1  # only one is eaten somewhere
    places = [(p["day"], p["order"]) for p in properties]
    assert places == sorted(places)
    for entry in delivered.entries:
        for row in (p for p in properties if (p["day"], p["order"]) == (entry.day, entry.number)):
            assert row["date"] == f"{entry.date}"
            assert row["title"]
            assert not STYLES & set(row)


def test_longitude_comes_first_and_ways_join_their_places() -> None:
    features = read(deliver_two_cities(locale="en"))
    palace = next(f for f in features if f["properties"].get("poi_id") == "bj-gugong")
    assert palace["geometry"] == {"type": "Point", "coordinates": [116.3908, 39.9159]}
    assert palace["properties"]["cost"] == "120.00"
    assert any("2026-10-07" in note for note in palace["properties"]["notes"])
    way = next(f for f in features if f["properties"].get("to") == "bj-gugong")
    assert way["geometry"]["type"] == "LineString"
    assert way["geometry"]["coordinates"] == [[116.4114, 39.9082], [116.3908, 39.9159]]
    train = next(f for f in features if f["properties"].get("number") == "G663")
    stations = [f for f in features if f["id"] in {"3-2-depart", "3-2-arrive"}]
    ends = [station["geometry"]["coordinates"] for station in stations]
    assert train["geometry"]["coordinates"] == ends
    assert [s["properties"]["city"] for s in stations] == ["beijing", "xian"]


def test_own_transport_and_a_city_without_a_hotel_are_on_the_map() -> None:
    airport = {"lat": 40.08, "lon": 116.58, "name": "airport"}
    snapshot = make_snapshot(
        hotels=[],
        arrival={"time": "10:00", "place": airport},
        departure={"time": "18:00", "place": "北京西站"},
    )
    draft = make_draft({1: ["bj-tiantan"], 2: ["bj-guobo"], 3: ["bj-jingshan"]})
    features = read(deliver(snapshot, draft))
    lines = {
        (f["properties"]["from"], f["properties"]["to"]): f["geometry"]["coordinates"]
        for f in features
        if f["properties"]["kind"] == "transfer"
    }
    assert lines["airport", "bj-tiantan"][0] == [116.58, 40.08]
    assert lines["bj-tiantan", "centre of Beijing"][1] == [116.4074, 39.9042]
    assert lines["bj-jingshan", "北京西站"][1] == [116.3217, 39.8949]


def test_a_leg_without_trains_joins_the_cities() -> None:
    features = read(deliver(make_snapshot(trains=[]), make_draft(hotels=HOTELS)))
    legs = [f for f in features if f["properties"]["kind"] == "leg"]
    assert [leg["properties"]["mode"] for leg in legs] == ["own", "own"]
    assert legs[0]["geometry"]["coordinates"] == [[121.4737, 31.2304], [116.4074, 39.9042]]


def test_a_leg_over_the_180th_meridian_is_cut_there() -> None:
    snapshot = make_snapshot(trains=[])
    rows = {**snapshot.city_rows}
    rows["shanghai"] = rows["shanghai"].model_copy(update={"lat": 40.0, "lon": 170.0})
    rows["beijing"] = rows["beijing"].model_copy(update={"lat": 50.0, "lon": -170.0})
    moved = snapshot.model_copy(update={"city_rows": rows})
    legs = [f for f in read(deliver(moved, make_draft())) if f["properties"]["kind"] == "leg"]
    assert legs[0]["geometry"] == {
        "type": "MultiLineString",
        "coordinates": [[[170.0, 40.0], [180.0, 45.0]], [[-180.0, 45.0], [-170.0, 50.0]]],
    }
    assert legs[1]["geometry"]["coordinates"][0] == [[-170.0, 50.0], [-180.0, 45.0]]


def test_what_nobody_can_place_is_left_out_and_the_rest_stays() -> None:
    delivered = deliver_two_cities()
    days = list(delivered.itinerary.days)
    odd = LegItem(
        mode="own", train_id=None, number=None, from_city="nowhere", from_station=None,
        to_city="beijing", to_station=None, depart=None, arrive=None, price=None, tickets=2,
        cost=None,
    )  # fmt: skip
    days[0] = days[0].model_copy(update={"items": (odd, *days[0].items)})
    moved = delivered.itinerary.model_copy(update={"days": tuple(days)})
    features = read(replace(delivered, itinerary=moved))
    assert len(features) == len(read(delivered))
    assert json.loads(write_map(delivered))["type"] == "FeatureCollection"
