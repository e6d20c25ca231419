"""The committed modelled files: what the rules give, and near enough to how trains really run."""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from backend.catalogue.importers.lines import TrainLine, read_weekdays
from backend.catalogue.modelling.__main__ import render_modelled
from backend.catalogue.modelling.hotels import (
    Station,
    Way,
    find_way,
    load_segments,
    load_services,
    read_rows,
)
from backend.clock import parse_minutes
from backend.pool.candidate import measure_distance_m

SEED_DATA = Path(__file__).parents[2] / "seed_data"
DAY = 24 * 60

NO_DIRECT_TRAIN = {
    pair
    for one, other in (
        ("suzhou", "guilin"),
        ("guilin", "qingdao"),
        ("luoyang", "xiamen"),
        ("luoyang", "guilin"),
    )
    for pair in ((one, other), (other, one))
}

KNOWN_TRIPS = (
    # from, to, class, quickest minutes from-to, yuan from-to: as travellers know them
    ("beijing", "shanghai", "G", (255, 290), (550, 630)),
    ("beijing", "tianjin", "C", (27, 35), (50, 60)),
    ("beijing", "xian", "G", (245, 290), (490, 600)),
    ("beijing", "wuhan", "G", (225, 270), (500, 600)),
    ("beijing", "guangzhou", "G", (430, 510), (850, 1010)),
    ("beijing", "qingdao", "G", (155, 200), (300, 375)),
    ("shanghai", "hangzhou", "G", (39, 55), (62, 120)),
    ("shanghai", "nanjing", "G", (58, 75), (120, 145)),
    ("shanghai", "xiamen", "G", (280, 350), (340, 450)),
    ("shanghai", "xian", "G", (300, 375), (600, 720)),
    ("xian", "luoyang", "G", (75, 100), (160, 190)),
    ("xian", "chengdu", "G", (175, 210), (225, 280)),
    ("chengdu", "chongqing", "G", (58, 80), (120, 160)),
    ("guangzhou", "wuhan", "G", (215, 250), (430, 520)),
    ("guangzhou", "shenzhen", "G", (28, 40), (65, 95)),
    ("guangzhou", "guilin", "G", (115, 160), (135, 185)),
    ("shenzhen", "xiamen", "D", (180, 225), (145, 185)),
    ("chongqing", "wuhan", "D", (310, 400), (235, 290)),
    ("beijing", "xian", "Z", (620, 760), (240, 290)),
    ("beijing", "shanghai", "T", (830, 980), (280, 330)),
)


@cache
def read_trains() -> tuple[TrainLine, ...]:
    with (SEED_DATA / "trains" / "modelled.csv").open(encoding="utf-8", newline="") as file:
        return tuple(TrainLine.model_validate(row) for row in csv.DictReader(file))


@cache
def read_stations() -> dict[str, Station]:
    return {s.name: s for s in read_rows(SEED_DATA / "stations.csv", Station)}


@cache
def read_city_ids() -> tuple[str, ...]:
    with (SEED_DATA / "cities.csv").open(encoding="utf-8", newline="") as file:
        return tuple(row["id"] for row in csv.DictReader(file))


@cache
def index_trains() -> dict[tuple[str, str], list[TrainLine]]:
    by_pair = defaultdict(list)
    for train in read_trains():
        by_pair[train.from_city, train.to_city].append(train)
    return by_pair


def minutes_of(train: TrainLine) -> int:
    return parse_minutes(train.arrive) + DAY * train.day_offset - parse_minutes(train.depart)


def runs_on(train: TrainLine, weekday: int) -> bool:
    return bool(read_weekdays(train.runs_on) >> weekday % 7 & 1)


def km_of(train: TrainLine) -> float:
    one, other = (read_stations()[name] for name in (train.from_station, train.to_station))
    return measure_distance_m((one.lat, one.lon), (other.lat, other.lon)) / 1000


@cache
def index_ways() -> dict[tuple[str, str, str, bool], Way]:
    ways: dict[tuple[str, str, str, bool], Way] = {}
    for service in load_services():
        kind = (service.train_class, service.time == "night")
        ways[service.start, service.end, *kind] = find_way(service)
        ways[service.end, service.start, *kind] = find_way(service)
    return ways


def way_of(train: TrainLine) -> Way:
    kind = (train.number[1], train.day_offset > 0)
    return index_ways()[train.from_station, train.to_station, *kind]


def list_connections(start: str, end: str, weekday: int) -> Iterator[tuple[TrainLine, TrainLine]]:
    for via in read_city_ids():
        for first in index_trains().get((start, via), ()):
            if runs_on(first, weekday):
                for second in index_trains().get((via, end), ()):
                    if may_change(first, second, weekday):
                        yield first, second


def may_change(first: TrainLine, second: TrainLine, weekday: int) -> bool:
    least = 20 if first.to_station == second.from_station else 90
    arrival = parse_minutes(first.arrive)
    return any(
        least <= parse_minutes(second.depart) + DAY * late - arrival <= 240
        and runs_on(second, weekday + first.day_offset + late)
        for late in (0, 1)
    )


def test_committed_files_are_what_the_rules_give() -> None:
    for path, text in render_modelled(SEED_DATA).items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name} is stale: run `python -m backend.catalogue.modelling`"
        )


def test_trains_cover_every_pair_but_the_named_ones() -> None:
    cities = read_city_ids()

    assert len(cities) == 16
    assert set(index_trains()) == set(permutations(cities, 2)) - NO_DIRECT_TRAIN
    assert 4300 <= len(read_trains()) <= 5200


def test_each_service_runs_as_often_there_as_back() -> None:
    for (start, end), trains in index_trains().items():
        assert len(trains) == len(index_trains()[end, start])


@pytest.mark.parametrize("pair", sorted(NO_DIRECT_TRAIN), ids="-".join)
def test_pair_without_direct_train_has_a_connection_on_every_weekday(pair: tuple[str, str]) -> None:
    for weekday in range(7):
        assert next(list_connections(*pair, weekday), None) is not None, weekday


def test_nobody_can_take_one_for_a_real_train() -> None:
    for train in read_trains():
        assert train.source == "modelled"
        assert re.fullmatch(r"M[GDCZTK]\d{1,4}", train.number)
        assert train.id == f"train-{train.from_city}-{train.to_city}-{train.number[1:].lower()}"


def test_ids_and_numbers_are_unique() -> None:
    trains = read_trains()

    assert len({train.id for train in trains}) == len({train.number for train in trains})
    assert len({train.id for train in trains}) == len(trains)


def test_every_train_uses_known_stations_of_its_cities() -> None:
    for train in read_trains():
        assert read_stations()[train.from_station].city == train.from_city
        assert read_stations()[train.to_station].city == train.to_city


def test_stations_lie_near_their_city() -> None:
    with (SEED_DATA / "cities.csv").open(encoding="utf-8", newline="") as file:
        centres = {r["id"]: (float(r["lat"]), float(r["lon"])) for r in csv.DictReader(file)}

    for station in read_stations().values():
        metres = measure_distance_m(centres[station.city], (station.lat, station.lon))
        assert metres < 60_000, station


def test_no_line_is_shorter_than_the_straight_line_between_its_stations() -> None:
    for service in load_services():
        one, other = read_stations()[service.start], read_stations()[service.end]
        straight = measure_distance_m((one.lat, one.lon), (other.lat, other.lon)) / 1000
        assert straight <= find_way(service).km < 2.5 * straight, service


def test_every_line_is_used() -> None:
    used = {segment for service in load_services() for segment in find_way(service).segments}

    assert set(load_segments()) == used


def test_no_train_is_faster_than_its_line_or_class() -> None:
    top = {"G": 350, "C": 350, "D": 250, "Z": 160, "T": 140, "K": 120}

    for train in read_trains():
        limit = min(top[train.number[1]], way_of(train).line_speed)
        assert 25 < km_of(train) * 60 / minutes_of(train) < limit, train
        assert way_of(train).km * 60 / minutes_of(train) < limit, train


def test_prices_a_km_are_within_bounds() -> None:
    bounds = {
        "G": (0.30, 0.80),
        "C": (0.43, 0.60),
        "D": (0.29, 0.45),
        "Z": (0.18, 0.25),
        "T": (0.18, 0.25),
        "K": (0.14, 0.25),
    }
    for train in read_trains():
        low, high = bounds[train.number[1]]
        assert train.price is not None
        assert train.price * 2 == int(train.price * 2)
        assert low < float(train.price) / way_of(train).km < high, train


@pytest.mark.parametrize("trip", KNOWN_TRIPS, ids=lambda t: f"{t[0]}-{t[1]}-{t[2]}")
def test_known_trips_are_as_travellers_know_them(
    trip: tuple[str, str, str, tuple[int, int], tuple[int, int]],
) -> None:
    start, end, letter, (least, most), (cheap, dear) = trip
    trains = [t for t in index_trains()[start, end] if t.number[1] == letter]

    assert least <= min(map(minutes_of, trains)) <= most
    for train in trains:
        assert train.price is not None
        assert cheap <= train.price <= dear


def test_night_trains_arrive_on_the_next_morning() -> None:
    nights = [train for train in read_trains() if train.day_offset]

    assert len(nights) >= 100
    assert {train.number[1] for train in nights} == set("DZTK")
    for train in nights:
        assert train.day_offset == 1
        assert parse_minutes(train.depart) >= parse_minutes("16:00")
        assert parse_minutes("05:30") <= parse_minutes(train.arrive) <= parse_minutes("15:00")


def test_no_day_train_leaves_in_the_night_or_arrives_after_midnight() -> None:
    for train in read_trains():
        if not train.day_offset:
            assert parse_minutes(train.depart) >= parse_minutes("05:00")
            assert parse_minutes(train.arrive) > parse_minutes(train.depart)


def test_some_trains_run_only_on_some_weekdays_and_most_every_day() -> None:
    days = Counter(train.runs_on for train in read_trains())

    assert set(days) == {"", "Mo-Fr", "Fr-Su", "Sa,Su"}
    assert days[""] > 0.8 * len(read_trains())


def test_some_pair_has_direct_trains_only_on_some_weekdays() -> None:
    weekdays = {
        n for train in index_trains()["shenzhen", "qingdao"] for n in range(7) if runs_on(train, n)
    }

    assert weekdays == {4, 5, 6}


def test_modes_name_the_metro_only_where_there_is_one() -> None:
    with (SEED_DATA / "cities.csv").open(encoding="utf-8", newline="") as file:
        modes = {row["id"]: row["modes"] for row in csv.DictReader(file)}

    assert {city for city, text in modes.items() if "metro" not in text} == {"guilin"}
