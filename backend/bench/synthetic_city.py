"""Made-up places in PostgreSQL's copy format: the same for the same size, spread by fixed strides.

Neighbouring rows lie in different cities, as they do in a catalogue that grew over time.
"""

from collections.abc import Iterator
from typing import Any

from backend.catalogue.importers.catalogue_csv import make_mask

TAGS = tuple(f"tag{n:02d}" for n in range(48))
HOURS = (
    ("", ""),
    ("24/7", ""),
    ("Mo-Su 09:00-17:00", ""),
    ("Tu-Su 09:00-17:00", ""),
    ("Tu-Su 08:30-17:00; PH 08:30-17:00", ""),
    ("Mo-Fr 10:00-18:00", ""),
    ("Fr-Mo 10:00-16:00", ""),
    ("Sa,Su 09:00-21:00", ""),
    ("Mo-Su 17:00-02:00", ""),
    ("We off; Mo,Tu,Th-Su 09:00-17:00", ""),
    ("Mo-Su 09:00-17:00", "11-15/03-31"),
    ("", "04-01/06-30"),
)
_TYPES = ("museum", "park", "temple", "historic_site", "market", "viewpoint")
_NULL = "\\N"


def name_city(n: int) -> str:
    """Id of a city, counted from 0."""
    return f"bench-city-{n:03d}"


def name_place(n: int) -> str:
    """Id of a place, counted from 0; it lies in the city `n` modulo their number."""
    return f"bench-{n:07d}"


def make_cities(count: int) -> list[dict[str, Any]]:
    """Rows for `city`."""
    return [
        {
            "id": name_city(n),
            "name": f"测试城市 {n:03d}",
            "name_en": f"Bench city {n:03d}",
            "country": "CN",
            "lat": 30 + n % 10,
            "lon": 105 + n % 15,
            "timezone": "Asia/Shanghai",
            "modes": ["walk", "taxi"],
        }
        for n in range(count)
    ]


def make_tags() -> list[dict[str, Any]]:
    """Rows for `tag`."""
    return [{"id": tag, "name": tag, "name_en": tag, "bit": n} for n, tag in enumerate(TAGS)]


def make_lines(count: int, cities: int, schedules: list[int]) -> Iterator[str]:
    """Lines for `place`; `schedules` are the ids of `HOURS`, in that order."""
    tag_cells = [_make_tag_cells(n) for n in range(997)]
    for n in range(count):
        city, turn = n % cities, n // cities
        mixed = (turn * 7919 + city * 104729) % 1_000_003
        price = _NULL if mixed % 23 == 0 else str(mixed % 401)
        popularity = _NULL if mixed % 29 == 0 else str(mixed // 7 % 1001 / 10)
        enabled = "f" if mixed % 53 == 0 else "t"
        yield (
            f"{name_place(n)}\t{name_city(city)}\t测试地点 {n:07d}\tBench place {n:07d}\t"
            f"{_TYPES[mixed % 6]}\t区 {mixed % 9}\t{price}\t{30 + mixed % 8 * 30}\t{popularity}\t"
            f"{tag_cells[mixed % 997]}\t{30 + mixed % 500 / 1000}\t{105 + mixed % 700 / 1000}\t"
            f"{schedules[mixed % len(schedules)]}\t{_NULL}\t为规模测试而编造的地点，并不存在。\t"
            f"{enabled}\tsynthetic\tnone\t0\n"
        )


def _make_tag_cells(n: int) -> str:
    own = tuple(dict.fromkeys(TAGS[n * stride % len(TAGS)] for stride in (1, 5, 11)))
    mask = make_mask(own, {tag: bit for bit, tag in enumerate(TAGS)})
    return f"{{{','.join(own)}}}\t{mask}"
