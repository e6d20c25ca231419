"""The names that people use: each leads to its place in its city, and to no other."""

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from backend.catalogue.importers.catalogue_csv import read_folder
from backend.catalogue.importers.import_batch import ImportBatch
from backend.catalogue.matching import KeyRow, NameKind, Scope, choose
from backend.catalogue.naming import CityWords, Way, make_keys, read_said

FOLDER = Path(__file__).parents[2] / "seed_data"
ANYTHING = Scope(("poi", "group", "hotel"))


@cache
def seed() -> ImportBatch:
    batch, faults = read_folder(FOLDER)
    assert not faults
    return batch


def index(city: str) -> dict[str, list[KeyRow]]:
    batch = seed()
    row = next(line for line in batch.cities if line.id == city)
    words = CityWords.of(row.name, row.name_en)
    names: dict[tuple[NameKind, str], list[tuple[str, Way]]] = defaultdict(list)
    for poi in (line for line in batch.pois if line.city == city):
        names["poi", poi.id] += [(poi.name, Way.NAME), (poi.name_en, Way.NAME)]
    for hotel in (line for line in batch.hotels if line.city == city):
        names["hotel", hotel.id] += [(hotel.name, Way.NAME), (hotel.name_en, Way.NAME)]
    for line in batch.names:
        if (line.kind, line.id) in names or line.kind == "group":
            way = Way.NAME if line.use == "name" else Way.ALIAS
            names[line.kind, line.id].append((line.name, way))
    rows: dict[str, list[KeyRow]] = defaultdict(list)
    for (kind, owner), own in names.items():
        if kind != "group" or ("poi", owner) in names:
            for key, way in make_keys(own, words).items():
                rows[key].append(KeyRow(key, kind, owner, city, way))
    return rows


def test_thousands_of_names_in_both_languages_for_every_city() -> None:
    counted: dict[tuple[str, str], int] = defaultdict(int)
    cities = {poi.id: poi.city for poi in seed().pois}
    for line in seed().names:
        if line.kind == "poi":
            counted[cities[line.id], line.language] += 1
    assert len(counted) == 2 * len(seed().cities)
    assert min(counted.values()) >= 250


@pytest.mark.parametrize("city", [line.id for line in seed().cities])
def test_a_name_leads_to_its_own_place(city: str) -> None:
    rows = index(city)
    own = {row.id for part in rows.values() for row in part}
    wrong, unclear, total = [], [], 0
    for line in seed().names:
        if line.kind not in {"poi", "hotel"} or line.id not in own:
            continue
        total += 1
        found = [row.id for row in choose(read_said(line.name), rows, ANYTHING).rows]
        if line.id not in found:
            wrong.append((line.name, line.id, found))
        elif len(found) > 1:
            unclear.append((line.name, found))
    assert len(wrong) <= 0.005 * total, wrong
    assert len(unclear) <= 0.03 * total, unclear
