"""A made-up table of border crossings, as large and as shaped as the real one that was measured.

Seeded: 2,083 days, fourteen control points throughout and two that close; four columns of counts of
which the last is the sum, an eighth column that is always empty, points that never count anyone.
"""

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import dataclass

ROWS = 61_744
FIRST_DAY = dt.date(2021, 1, 1)
DAYS = 2083
_CLOSED_AFTER = 855
_REOPENED = 935
_HEAD = (
    "\ufeffDate,Control Point,Arrival / Departure,Hong Kong Residents,Mainland Visitors,"
    "Other Visitors,Total,\r\n"
)
_WEIGHTS = {
    "Airport": 38_000,
    "Express Rail Link West Kowloon": 31_000,
    "Lo Wu": 84_000,
    "Lok Ma Chau Spur Line": 79_000,
    "Heung Yuen Wai": 33_000,
    "Hong Kong-Zhuhai-Macao Bridge": 41_000,
    "Lok Ma Chau": 29_000,
    "Man Kam To": 9_000,
    "Sha Tau Kok": 0,
    "Shenzhen Bay": 52_000,
    "China Ferry Terminal": 5_000,
    "Harbour Control": 300,
    "Kai Tak Cruise Terminal": 2_000,
    "Macau Ferry Terminal": 14_000,
    "Hung Hom": 0,
    "Tuen Mun Ferry Terminal": 0,
}
_CLOSING = ("Hung Hom", "Tuen Mun Ferry Terminal")
_ALWAYS_OPEN = ("Airport", "Shenzhen Bay", "Harbour Control")


@dataclass
class Crossing:
    """One row; the total follows."""

    day: dt.date
    point: str
    direction: str
    residents: int
    mainland: int
    others: int

    @property
    def total(self) -> int:
        """All three together."""
        return self.residents + self.mainland + self.others

    def write(self) -> str:
        """As the file has it."""
        counts = f"{self.residents},{self.mainland},{self.others},{self.total}"
        return f"{self.day:%d-%m-%Y},{self.point},{self.direction},{counts},\r\n"


def make_crossings(seed: int, size: int) -> tuple[bytes, list[Crossing]]:
    """The file, of exactly so many bytes, and its rows."""
    rows = list(_draw(random.Random(seed)))  # noqa: S311 - made-up data
    _fit(rows, size)
    content = (_HEAD + "".join(row.write() for row in rows)).encode()
    return content, rows


def _draw(chance: random.Random) -> Iterator[Crossing]:
    for number in range(DAYS):
        day = FIRST_DAY + dt.timedelta(days=number)
        for point, weight in _WEIGHTS.items():
            if point in _CLOSING and number >= _CLOSED_AFTER:
                continue
            for direction in ("Arrival", "Departure"):
                yield Crossing(day, point, direction, *_draw_counts(chance, number, point, weight))


def _draw_counts(
    chance: random.Random, number: int, point: str, weight: int
) -> tuple[int, int, int]:
    if not weight or (number < _REOPENED and point not in _ALWAYS_OPEN):
        return 0, 0, 0
    scale = weight // 40 if number < _REOPENED else weight
    residents = int(scale * chance.uniform(0.7, 1.3))
    return residents, int(scale * chance.uniform(0, 0.12)), int(scale * chance.uniform(0, 0.005))


def _fit(rows: list[Crossing], size: int) -> None:
    """Lengthen or shorten counts digit by digit until the file has its size."""
    missing = size - len(_HEAD.encode()) - sum(len(row.write()) for row in rows)
    for row in rows[:: len(_WEIGHTS) + 1]:
        before = len(row.write())
        changed = Crossing(row.day, row.point, row.direction, 0, 0, 0)
        changed.residents = _find_digits(before + missing, changed)
        after = len(changed.write())
        if abs(missing - (after - before)) < abs(missing):
            row.residents, row.mainland, row.others = changed.residents, 0, 0
            missing -= after - before
        if not missing:
            return
    raise AssertionError(f"{missing} bytes are missing")


def _find_digits(wanted: int, row: Crossing) -> int:
    """Of 1, 11, … 11,111 the count with which the row comes nearest to a length."""
    counts = [int("1" * digits) for digits in range(1, 6)]
    base = len(row.write())
    return min(counts, key=lambda n: abs(base + 2 * (len(str(n)) - 1) - wanted))
