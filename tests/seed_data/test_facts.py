"""Facts of the seed that contradict each other: parts far from their whole, lights shut at dusk."""

import datetime as dt
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from backend.catalogue.importers.catalogue_csv import read_folder
from backend.catalogue.importers.lines import FareLine, PoiLine
from backend.catalogue.opening_hours import is_in_season, open_intervals
from backend.pool.candidate import measure_distance_m

FOLDER = Path(__file__).parents[2] / "seed_data"
NIGHT = {"night_view", "nightlife"}
PART_KM = {"qingdao-laoshan": 20, "guilin-lijiang": 30, "guilin-longji": 8, "shanghai-waitan": 2}
"""How far the parts of a whole may lie from it; 6 km where nothing is named."""

AREA_KM = 15
"""How far a place may lie from the middle of its area, or four times as far as most do."""

FAR_IN_THEIR_AREA = frozenset(
    [
        "beijing-chuandixia",
        "beijing-nanshan",
        "beijing-shuichangcheng",
        "chengdu-xiling",
        "chengdu-xinchang",
        "chongqing-furongdong",
        "chongqing-jindaoxia",
        "chongqing-yingshicheng",
        "guangzhou-maofengshan",
        "guilin-longshengwenquan",
        "guilin-maoershan",
        "guilin-yangdi",
        "hangzhou-jingshansi",
        "luoyang-huaguoshan",
        "nanjing-liuhewenmiao",
        "qingdao-langyatai",
        "qingdao-zangmashan",
        "shanghai-dishuihu",
        "shanghai-haichang",
        "shanghai-hanghaibowuguan",
        "shanghai-jinshanshatan",
        "shanghai-tianwenguan",
        "shanghai-xinchang",
        "shanghai-yeshengdongwu",
        "shenzhen-dafen",
        "shenzhen-gankeng",
        "suzhou-zhenze",
        "wuhan-panlongcheng",
        "wuhan-zhangduhu",
    ]
)
"""Looked at one by one: their districts are that large."""


@cache
def read_pois() -> dict[str, PoiLine]:
    return {poi.id: poi for poi in read_folder(FOLDER)[0].pois}


def measure_km(one: PoiLine, other: PoiLine) -> float:
    return measure_distance_m((one.lat, one.lon), (other.lat, other.lon)) / 1000


def test_parts_lie_near_their_whole() -> None:
    pois = read_pois()
    parts = [poi for poi in pois.values() if poi.part_of]
    far = [
        (poi.id, poi.part_of, round(measure_km(poi, pois[poi.part_of]), 1))
        for poi in parts
        if poi.part_of and measure_km(poi, pois[poi.part_of]) > PART_KM.get(poi.part_of, 6)
    ]
    assert far == []
    assert len({poi.city for poi in parts}) == 16


def test_no_part_outranks_its_whole() -> None:
    pois = read_pois()
    louder = [
        poi.id
        for poi in pois.values()
        if poi.part_of and (poi.popularity or 0) > (pois[poi.part_of].popularity or 0)
    ]
    assert louder == []


def test_what_is_for_the_night_is_open_in_the_evening() -> None:
    shut = []
    for poi in read_pois().values():
        if not NIGHT & set(poi.tags) and "night" not in poi.best_time:
            continue
        for month in (1, 7):
            days = [dt.date(2026, month, day) for day in range(12, 19)]
            days = [day for day in days if is_in_season(poi.closed_season, day)]
            ends = [i.end for day in days for i in open_intervals(poi.opening_hours, day, ())]
            if ends and max(ends) < 19 * 60:
                shut.append((poi.id, month))
    assert shut == []


def test_the_halls_are_open_only_while_the_gate_is() -> None:
    for poi in read_pois().values():
        if poi.halls_hours is None:
            continue
        for month in (1, 7):
            day = dt.date(2026, month, 14)
            gate, halls = (open_intervals(t, day, ()) for t in (poi.opening_hours, poi.halls_hours))
            assert all((gate, halls)), poi.id
            assert gate[0].start <= halls[0].start < halls[-1].end <= gate[-1].end, poi.id


def _find_middle(rows: Iterable[PoiLine]) -> tuple[float, float]:
    places = list(rows)
    return statistics.median(p.lat for p in places), statistics.median(p.lon for p in places)


def test_places_lie_in_their_area() -> None:
    areas: dict[tuple[str, str], list[PoiLine]] = defaultdict(list)
    for poi in read_pois().values():
        areas[poi.city, poi.area].append(poi)
    far = []
    for rows in areas.values():
        middle = _find_middle(rows)
        distances = [measure_distance_m(middle, (p.lat, p.lon)) / 1000 for p in rows]
        limit = max(AREA_KM, 4 * statistics.median(distances))
        far += [p.id for p, km in zip(rows, distances, strict=True) if km > limit]
    assert sorted(set(far) - FAR_IN_THEIR_AREA) == []


def test_islands_and_gorges_say_how_one_gets_there() -> None:
    pois = read_pois()
    for ferried in ("xiamen-gulangyu", "hangzhou-santan", "qingdao-lingshandao"):
        assert pois[ferried].reach_mode == "ferry"
    modes = Counter(poi.reach_mode for poi in pois.values() if poi.reach_mode)
    assert min(modes[mode] for mode in ("ferry", "cable_car", "coach")) >= 5


def test_every_restaurant_has_a_cuisine() -> None:
    assert [p.id for p in read_pois().values() if p.type == "restaurant" and not p.cuisine] == []


def test_every_age_has_one_fare_of_a_kind() -> None:
    fares: list[FareLine] = read_folder(FOLDER)[0].fares
    for kind in ("rail", "sight"):
        for age in range(100):
            found = [
                fare
                for fare in fares
                if (fare.country, fare.kind) == ("CN", kind)
                and fare.who != "student"
                and fare.age_from <= age <= (fare.age_to if fare.age_to is not None else 200)
            ]
            assert len(found) == 1, (kind, age)
