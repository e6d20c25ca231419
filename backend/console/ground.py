"""What lies below the days on the map where no street map is at hand: the pool and its districts."""

from statistics import fmean
from typing import Any

from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot
from backend.text import Locale


def draw_ground(snapshot: Snapshot, locale: Locale) -> dict[str, Any]:
    """Places of the pool as `[lat, lon, name]`; districts at the middle of theirs, with at least 2."""
    places = [snapshot.rows.pois[poi] for pool in snapshot.cities.values() for poi in pool.pois]
    areas: dict[tuple[str, str], list[PoiCandidate]] = {}
    for place in places:
        areas.setdefault((place.city, place.area), []).append(place)
    return {
        "places": [
            [place.lat, place.lon, place.name if locale == "zh-CN" else place.name_en or place.name]
            for place in places
        ],
        "areas": [
            [fmean(p.lat for p in inside), fmean(p.lon for p in inside), area]
            for (_, area), inside in areas.items()
            if area and len(inside) > 1
        ],
    }
