"""Fits the worth of places to published itineraries: `python -m backend.bench.fitting PATH`.

PATH holds one JSON object a line: `{"city", "days", "partial"?, "plan": [[id or name, …] a day]}`.
Only whole trips of two to five days count. What is fitted is the chance that such a trip holds a
place of the seed catalogue, by logistic regression; the error is tried on each city in turn with
the figures of the others. The numbers go into `backend.planner.worth.FITTED` by hand.
"""

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backend.catalogue.place_types import FOOD_TYPES
from backend.planner.worth import FITTED, TEN_POINTS, UNKNOWN_POPULARITY, USUAL_POPULARITY, Fit
from backend.settings import find_data

SHORTEST, LONGEST = 2, 5
RIDGE = 0.3
STEPS = 60
LONGEST_HOURS = 6.0
SIZES = 8, 12, 16
"""Places of a plan whose agreement with the itineraries is shown."""

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Sample:
    """One row a place: what is known of it, how many trips hold it, of how many, its city."""

    known: Floats
    held: Floats
    trips: Floats
    cities: Any

    def only(self, mask: Any) -> "Sample":
        """The rows of a mask."""
        return Sample(self.known[mask], self.held[mask], self.trips[mask], self.cities[mask])


def read_sample(lines: Iterable[str]) -> Sample:
    """The trips of the lines, counted over the seed catalogue."""
    held: dict[str, Counter[str]] = {}
    trips: Counter[str] = Counter()
    for trip in map(json.loads, lines):
        if SHORTEST <= trip["days"] <= LONGEST and not trip.get("partial"):
            places = {name.split("@")[0] for day in trip["plan"] for name in day}
            held.setdefault(trip["city"], Counter()).update(places)
            trips[trip["city"]] += 1
    rows = [row for row in read_places() if row["city"] in trips]
    return Sample(
        np.array([_describe(row) for row in rows], dtype=np.float64),
        np.array([held[row["city"]][row["id"]] for row in rows], dtype=np.float64),
        np.array([trips[row["city"]] for row in rows], dtype=np.float64),
        np.array([row["city"] for row in rows]),
    )


def read_places() -> Iterator[Mapping[str, str]]:
    """Rows of the seed catalogue."""
    for path in sorted((find_data("seed_data") / "pois").glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file)


def _describe(row: Mapping[str, str]) -> list[float]:
    popularity = float(row["popularity"] or UNKNOWN_POPULARITY)
    hours = min(LONGEST_HOURS, float(row["duration_min"]) / 60)
    return [1, (popularity - USUAL_POPULARITY) / TEN_POINTS, hours, row["type"] in FOOD_TYPES]


def fit(sample: Sample) -> tuple[Floats, Floats]:
    """Coefficients with their standard errors, by Newton's method."""
    known, ridge = sample.known, RIDGE * np.eye(sample.known.shape[1])
    ridge[0, 0] = 0
    found = np.zeros(known.shape[1])
    for _ in range(STEPS):
        chance = _predict(found, known)
        slope = known.T @ (sample.held - sample.trips * chance) - ridge @ found
        spread = sample.trips * chance * (1 - chance)
        curve = (known * spread[:, None]).T @ known + ridge
        found = found + np.linalg.solve(curve, slope)
    return found, np.sqrt(np.diag(np.linalg.inv(curve)))


def _predict(found: Floats, known: Floats) -> Floats:
    chance: Floats = np.clip(1 / (1 + np.exp(-known @ found)), 1e-9, 1 - 1e-9)
    return chance


def measure_loss(found: Floats, sample: Sample) -> float:
    """Log loss of a place in a trip."""
    chance = _predict(found, sample.known)
    held, missed = sample.held, sample.trips - sample.held
    return float(-(held * np.log(chance) + missed * np.log(1 - chance)).sum() / sample.trips.sum())


def measure_agreement(found: Floats, sample: Sample, size: int) -> float:
    """How often trips hold the best `size` places of each city, of what the best set would reach."""
    shares = []
    for city in sorted(set(sample.cities)):
        here = sample.only(sample.cities == city)
        best = np.argsort(-_predict(found, here.known), kind="stable")[:size]
        shares.append(here.held[best].sum() / np.sort(here.held)[::-1][:size].sum())
    return float(np.mean(shares))


def describe_fit(sample: Sample) -> list[str]:
    """The fit, its errors, and what the code has."""
    found, errors = fit(sample)
    names = Fit.__dataclass_fields__
    cities = sorted(set(sample.cities))
    left_out = [
        measure_loss(fit(sample.only(sample.cities != city))[0], sample.only(sample.cities == city))
        for city in cities
    ]
    agreement = [f"{size}: {measure_agreement(found, sample, size):.3f}" for size in SIZES]
    return [
        f"{len(sample.held)} places of {len(cities)} cities",
        *(
            f"{name}: {value:.3f} ± {error:.3f} (in the code: {now})"
            for name, value, error, now in zip(names, found, errors, astuple(FITTED), strict=True)
        ),
        f"log loss: {measure_loss(found, sample):.4f};"
        f" on a city that was left out: {np.mean(left_out):.4f}",
        f"agreement with the trips by number of places: {', '.join(agreement)}",
    ]


def main() -> None:
    """Fit to the file that is named."""
    sample = read_sample(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    print("\n".join(describe_fit(sample)))  # noqa: T201 - a command


if __name__ == "__main__":
    main()
