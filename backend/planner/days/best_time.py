"""When a place is at its best: by the catalogue, else by its type and tags, in the light of the date.

Lights, bars and night markets want the dark; temples, pandas and markets the morning.
"""

from collections.abc import Collection
from functools import lru_cache

from backend.pool.candidate import PoiCandidate, TimeOfDay

NIGHT_TAGS = frozenset({"night_view", "nightlife"})
NIGHT_TYPES = frozenset({"nightlife"})
MORNING_TYPES = frozenset({"market", "temple", "zoo"})
DAYLIGHT_TYPES = frozenset(
    {
        *("ancient_town", "beach", "campus", "garden", "historic_site", "lake"),
        *("memorial", "mountain", "palace", "park", "temple", "zoo"),
    }
)
NIGHT_WORDS = ("夜游", "夜市", "夜景", "酒吧", "灯光秀")
"""In a name they say that it is about the night."""

DARK: frozenset[TimeOfDay] = frozenset({"dusk", "night"})
ANY_TIME: frozenset[TimeOfDay] = frozenset({"morning", "day", "dusk", "night"})

NOON = 12 * 60
EARLIEST_EVENING, LATEST_EVENING = 17 * 60, 18 * 60
BEFORE_DARK_MIN = 15
"""An evening begins at 18:00, or so long before it is dark where that is earlier, but not in the afternoon."""

LEAST_DARK_MIN = 10
SUNSET_MIN = 60
"""Around dusk for so long before and after it."""


@lru_cache(maxsize=4096)
def read_best_times(poi: PoiCandidate) -> frozenset[TimeOfDay]:
    """The times of day at which it is at its best."""
    if poi.best_time:
        return frozenset(poi.best_time)
    if poi.type in NIGHT_TYPES or any(word in poi.name for word in NIGHT_WORDS):
        return DARK
    if is_lit(poi):
        return frozenset({"day", *DARK})
    if poi.type in MORNING_TYPES:
        return frozenset({"morning"})
    if poi.type in DAYLIGHT_TYPES:
        return frozenset({"morning", "day"})
    return ANY_TIME


def is_lit(poi: PoiCandidate) -> bool:
    """Whether it has something to see or do after dark."""
    return not NIGHT_TAGS.isdisjoint(poi.tags)


def is_for_evenings(poi: PoiCandidate, interests: Collection[str]) -> bool:
    """Whether this traveller wants it in the evening alone: lights for who comes for lights."""
    if read_best_times(poi) <= DARK:
        return True
    return is_lit(poi) and not NIGHT_TAGS.isdisjoint(interests) and "night" in read_best_times(poi)


def is_for_daylight(poi: PoiCandidate) -> bool:
    """Whether there is nothing to see in the dark: out of doors and not lit."""
    return poi.type in DAYLIGHT_TYPES and not is_lit(poi) and not read_best_times(poi) & DARK


def find_evening(dusk: int) -> int:
    """The minute at which an evening visit may begin."""
    return max(EARLIEST_EVENING, min(LATEST_EVENING, dusk - BEFORE_DARK_MIN))


def is_at_best(times: frozenset[TimeOfDay], start: int, end: int, dusk: int) -> bool:
    """Whether a visit lies in one of these times of day."""
    fits: dict[TimeOfDay, bool] = {
        "morning": start < NOON,
        "day": start < dusk - SUNSET_MIN,
        "dusk": start <= dusk + SUNSET_MIN and end >= dusk - SUNSET_MIN,
        "night": start >= find_evening(dusk) and end >= dusk + LEAST_DARK_MIN,
    }
    return any(fits[time] for time in sorted(times))
