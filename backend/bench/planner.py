"""How near the solver comes to the best known values of public orienteering instances.

The wall clock rules here, one thread works, and no value is shown that `evaluate` has not confirmed.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from backend.bench.toptw import Instance, read_instance
from backend.errors import ConfigurationError
from backend.planner.orienteering import Orienteering, evaluate
from backend.planner.solver import Budget, solve

_NAME = re.compile(r"[a-z]{1,2}\d{2,3}", re.IGNORECASE)
_WARM_UP_SECONDS = 0.05


class Task(NamedTuple):
    """An instance with its number of tours and what is known of it."""

    instance: Instance
    tours: int
    best: int | None


class Result(NamedTuple):
    """What was reached in how many seconds; `gap` in percent of the best known value."""

    instance: str
    m: int
    seconds: float
    value: int
    best: int | None
    gap: float | None

    def as_json(self) -> dict[str, Any]:
        """The result as an object; whole seconds as a whole number."""
        seconds = int(self.seconds) if self.seconds == int(self.seconds) else self.seconds
        return {**self._asdict(), "seconds": seconds}


def list_tasks(folder: Path, best_file: Path | None) -> list[Task]:
    """Each instance of the folder with its rows of the best values, else once with one tour."""
    known = _read_best(folder / "best.csv" if best_file is None else best_file, best_file)
    paths = sorted(path for path in folder.glob("*.txt") if _NAME.fullmatch(path.stem))
    if not paths:
        raise ConfigurationError(f"{folder} holds no instances (c101.txt, pr01.txt, t101.txt, …)")
    return [
        Task(instance, tours, best)
        for instance in map(read_instance, paths)
        for tours, best in known.get(instance.name.lower(), [(1, None)])
    ]


def measure(tasks: Sequence[Task], seconds: Sequence[float]) -> Iterator[Result]:
    """Results in order: all tasks with the first number of seconds, then with the next."""
    if tasks:
        _solve(tasks[0].instance.state(1), _WARM_UP_SECONDS)
    for limit in seconds:
        for task in tasks:
            value = _solve(task.instance.state(task.tours), limit)
            gap = None if not task.best else round(100 * (task.best - value) / task.best, 3)
            yield Result(task.instance.name, task.tours, limit, value, task.best, gap)


def average(results: Sequence[Result], seconds: float) -> float | None:
    """The mean gap in percent over results with a best known value."""
    gaps = [r.gap for r in results if r.gap is not None and r.seconds == seconds]
    return sum(gaps) / len(gaps) if gaps else None


def _solve(problem: Orienteering, seconds: float) -> int:
    solved = solve(problem, Budget(rounds=None, seconds=seconds))
    return evaluate(problem, solved.visits).profit


def _read_best(path: Path, asked: Path | None) -> dict[str, list[tuple[int, int | None]]]:
    """Tours and best value by instance; without a file that nobody asked for, none."""
    if asked is None and not path.is_file():
        return {}
    known: dict[str, list[tuple[int, int | None]]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for number, row in enumerate(csv.DictReader(stream), 2):
                name, tours, best = _read_row(path, number, row)
                known.setdefault(name, []).append((tours, best))
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from None
    return known


def _read_row(path: Path, number: int, row: dict[str, str]) -> tuple[str, int, int]:
    try:
        name, tours, best = row["instance"].strip(), int(row["m"]), int(row["best"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ConfigurationError(f"{path.name}, line {number}: expected instance,m,best") from None
    if tours < 1 or best < 1:
        raise ConfigurationError(f"{path.name}, line {number}: m and best begin at 1")
    return name.lower(), tours, best
