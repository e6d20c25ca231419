"""Reading public instances: units, cut distances, weekdays, and faults named with their line."""

from pathlib import Path

import pytest

from backend.bench.planner import read_instance
from backend.errors import ConfigurationError
from backend.planner.orienteering.problem import Tour, Window
from tests.bench.instances import write_solomon, write_trip


def test_solomon_times_are_tenths_and_distances_are_cut(tmp_path: Path) -> None:
    write_solomon(tmp_path / "r101.txt")
    problem = read_instance(tmp_path / "r101.txt").state(2)
    assert problem.tours == (Tour(0, 0, 0, 2_000),) * 2
    assert problem.nodes[1].service == 100
    assert problem.nodes[1].profit == 6
    assert problem.nodes[1].windows == ((Window(370, 970),),) * 2
    assert problem.nodes[0].windows == ((), ())
    assert problem.travel[0][1] == 336  # 17 and 29: 33.615…


def test_cordeau_distances_have_two_decimals(tmp_path: Path) -> None:
    write_solomon(tmp_path / "pr01.txt")
    assert read_instance(tmp_path / "pr01.txt").state(1).travel[0][1] == 3_361


def test_tours_of_a_trip_have_the_windows_of_their_weekday(tmp_path: Path) -> None:
    write_trip(tmp_path / "t101.txt", start_day=5)
    problem = read_instance(tmp_path / "t101.txt").state(4)
    closed = [
        [k for k in range(1, 9) if problem.nodes[k].windows[tour] == (Window(0, 0),)]
        for tour in range(4)
    ]
    assert closed == [[5], [6], [7], [1, 8]]
    assert problem.tours[0] == Tour(0, 0, 51_000, 121_000)
    assert problem.nodes[2].windows[0] == (Window(54_000, 99_000),)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("c101.txt", "", "holds no places"),
        ("c101.txt", "1 2\n3 4\n0 1 x 0 0 0 9\n", "line 3"),
        ("c101.txt", "1 2\n3 4\n0 1 2\n", "line 3"),
        ("t101.txt", "20 1\n0 1 2 0 0 5 9\n", "start day"),
    ],
)
def test_a_file_that_is_no_instance_is_named(
    tmp_path: Path, name: str, text: str, fault: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=fault):
        read_instance(path)
