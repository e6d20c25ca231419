"""The train rules, one by one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalogue.modelling.hotels import (
    ModelFactsError,
    Segment,
    Service,
    find_way,
    read_rows,
)
from backend.catalogue.modelling.trains import (
    SEAT_TAPER,
    SERVICES_BY_DEMAND,
    count_stops,
    list_departures,
    measure_journey_min,
    round_to_half,
    spread_departures,
    taper_km,
)


def service_of(**values: object) -> Service:
    fields = {
        "from": "北京南",
        "to": "上海虹桥",
        "class": "G",
        "network": "hs",
        "time": "day",
        "demand": 5,
        "runs_on": "",
        "via": "",
    }
    return Service.model_validate(fields | values)


def test_way_is_the_quickest_one() -> None:
    assert find_way(service_of()).km == 1318


def test_way_goes_through_its_via_stations() -> None:
    way = find_way(service_of(via="商丘"))

    assert {"商丘"} <= {segment.end for segment in way.segments}
    assert way.km > 1318


def test_unknown_station_is_named() -> None:
    with pytest.raises(ModelFactsError, match="北京南 to 拉萨"):
        find_way(service_of(to="拉萨"))


def test_bad_fact_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.csv"
    path.write_text("network,line,from,to,km,speed,fare_factor\nhs,x,a,b,0,350,1\n")

    with pytest.raises(ModelFactsError, match=r"lines\.csv:2: .*km"):
        read_rows(path, Segment)


def test_an_express_stops_less_and_is_quicker() -> None:
    service = service_of()
    way = find_way(service)
    by_pattern = {p: measure_journey_min(service, way, p) for p in ("express", "standard", "local")}

    assert by_pattern["express"] < by_pattern["standard"] < by_pattern["local"]
    assert [count_stops(service, way.km, p) for p in by_pattern] == [2, 6, 11]


@pytest.mark.parametrize("demand", SERVICES_BY_DEMAND)
def test_demand_decides_how_many_run(demand: int) -> None:
    departures = list_departures(service_of(demand=demand), reverse=False)

    assert len(departures) == SERVICES_BY_DEMAND[demand]
    times = [d.depart for d in departures]
    assert times == sorted(times)


def test_authored_running_days_win() -> None:
    departures = list_departures(service_of(demand=6, runs_on="Sa,Su"), reverse=True)

    assert {d.runs_on for d in departures} == {"Sa,Su"}


def test_a_journey_too_long_for_a_day_is_refused() -> None:
    with pytest.raises(ModelFactsError, match="do not fit"):
        spread_departures(service_of(), 20 * 60, 4, 0)


@given(st.integers(400, 1290), st.integers(1, 70), st.integers(0, 2**32))
def test_night_trains_leave_in_the_evening_and_arrive_by_day(
    journey: int, count: int, phase: int
) -> None:
    for depart in spread_departures(service_of(time="night"), journey, count, phase):
        assert 16 * 60 + 30 <= depart <= 23 * 60 + 20
        assert 24 * 60 + 340 <= depart + journey <= 24 * 60 + 15 * 60


@given(st.integers(30, 900), st.integers(1, 70), st.integers(0, 2**32))
def test_day_trains_arrive_before_midnight(journey: int, count: int, phase: int) -> None:
    for depart in spread_departures(service_of(), journey, count, phase):
        assert depart >= 6 * 60
        assert depart + journey <= 23 * 60 + 50


@given(st.integers(1, 4000), st.integers(1, 4000))
def test_fares_rise_with_distance_but_less_and_less(one: int, other: int) -> None:
    near, far = sorted((one, other))

    assert taper_km(near, SEAT_TAPER) <= taper_km(far, SEAT_TAPER)
    assert taper_km(near, SEAT_TAPER) / near >= taper_km(far, SEAT_TAPER) / far - 1e-9


@pytest.mark.parametrize(
    ("yuan", "rounded"), [(0.1, "0.5"), (54.24, "54"), (54.25, "54.5"), (54.74, "54.5")]
)
def test_fares_are_rounded_to_half_a_yuan(yuan: float, rounded: str) -> None:
    assert f"{round_to_half(yuan).normalize():f}" == rounded
