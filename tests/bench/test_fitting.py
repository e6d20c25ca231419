"""The fit to published trips: it finds what made them, and says how well."""

import json
import random

from backend.bench.fitting import describe_fit, fit, read_places, read_sample


def make_trips(count: int = 300) -> list[str]:
    """Trips that hold a place of Beijing or Xi'an by chance, the better known ones more often."""
    draw = random.Random(5)
    rows = [row for row in read_places() if row["city"] in {"beijing", "xian"}]
    lines = []
    for number in range(count):
        city = ("beijing", "xian")[number % 2]
        here = [row for row in rows if row["city"] == city]
        chosen = [
            r["id"] for r in here if draw.random() < 1.12 ** (float(r["popularity"] or 30) - 100)
        ]
        lines.append(json.dumps({"city": city, "days": 3, "plan": [chosen, ["somewhere@e"]]}))
    return lines


def test_the_better_known_are_found_to_be_held_more_often() -> None:
    sample = read_sample(make_trips())
    (_, slope, hour, food), errors = fit(sample)
    assert 1.0 < slope < 2.0
    assert abs(hour) < 0.2
    assert abs(food) < 1.0
    assert all(error > 0 for error in errors)


def test_partial_and_long_trips_do_not_count() -> None:
    trips = make_trips(4)
    others = [json.dumps({"city": "beijing", "days": 9, "plan": [["x"]]}),
              json.dumps({"city": "beijing", "days": 3, "partial": True, "plan": [["x"]]})]  # fmt: skip
    assert read_sample([*trips, *others]).trips.tolist() == read_sample(trips).trips.tolist()


def test_the_report_shows_the_figures_beside_those_of_the_code() -> None:
    lines = describe_fit(read_sample(make_trips(40)))
    assert any(line.startswith("slope: ") and "in the code: 1.095" in line for line in lines)
    assert any("left out" in line for line in lines)
