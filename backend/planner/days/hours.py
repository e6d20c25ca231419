"""When a place may be entered on a date: opening intervals, last entry, closed season in one answer.

Unknown hours are planned 09:00–17:00; that is an assumption, so a warning goes with each visit.

When it gets dark in a city on a date, computed from the position of the sun to a few minutes.

When a place is at its best: by the catalogue, else by its type and tags, in the light of the date.

Lights, bars and night markets want the dark; temples, pandas and markets the morning.
"""

import datetime as dt
import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from zoneinfo import ZoneInfo

from backend.catalogue.opening_hours import Interval, Location, is_in_season, open_intervals
from backend.clock import parse_minutes
from backend.pool.candidate import CityRow, PoiCandidate, TimeOfDay
from backend.pool.snapshot import Snapshot

ASSUMED_HOURS = (Interval(9 * 60, 17 * 60),)
DAY_MIN = 24 * 60


@dataclass(frozen=True)
class Hours:
    """A place on one date; `last_entry` in minutes of that day, None: until closing."""

    intervals: tuple[Interval, ...]
    last_entry: int | None
    is_known: bool
    is_in_season: bool

    def list_starts(self, duration: int) -> tuple[tuple[int, int], ...]:
        """First and last minutes at which a visit of `duration` may begin, by interval."""
        starts = []
        for interval in self.intervals:
            latest = interval.end - duration
            if self.last_entry is not None:
                latest = min(latest, self.last_entry)
            if latest >= interval.start:
                starts.append((interval.start, latest))
        return tuple(starts)


def read_hours(snapshot: Snapshot, poi: PoiCandidate, date: dt.date) -> Hours:
    """The hours of `poi` on `date` by the snapshot's days off."""
    in_season = is_in_season(poi.closed_season, date)
    intervals = _read_intervals(snapshot, poi, date) if in_season else ()
    return Hours(
        intervals=intervals,
        last_entry=_read_last_entry(poi, intervals),
        is_known=bool(poi.opening_hours),
        is_in_season=in_season,
    )


def _read_intervals(snapshot: Snapshot, poi: PoiCandidate, date: dt.date) -> tuple[Interval, ...]:
    if not poi.opening_hours:
        return ASSUMED_HOURS
    city = snapshot.city_rows[poi.city]
    location = Location(city.lat, city.lon, city.timezone)
    return open_intervals(
        poi.opening_hours, date, snapshot.days_off.get(city.country, ()), location
    )


def _read_last_entry(poi: PoiCandidate, intervals: tuple[Interval, ...]) -> int | None:
    """The last entry in minutes of the day; `01:00` of a bar that opens at 18:00 is on the next day."""
    if poi.last_entry is None or not intervals:
        return None
    minutes = parse_minutes(poi.last_entry)
    return minutes + DAY_MIN if minutes < intervals[0].start else minutes


TILT = math.radians(23.44)
EQUINOX_DAY = 80
YEAR_DAYS = 365.25
MIN_A_DEGREE = 4
"""Minutes that the sun takes for one degree of longitude."""

TWILIGHT_MIN = 25
"""Minutes after sunset in which there is still light enough to walk."""


def find_dusk(city: CityRow, date: dt.date) -> int:
    """The minute of the day at which it is dark; where the sun never sets, about midnight."""
    day = date.timetuple().tm_yday
    tilt = math.asin(math.sin(TILT) * math.sin(2 * math.pi * (day - EQUINOX_DAY) / YEAR_DAYS))
    cosine = -math.tan(math.radians(city.lat)) * math.tan(tilt)
    half = math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) * MIN_A_DEGREE
    return round(_find_noon(city, date) + half) + TWILIGHT_MIN


def _find_noon(city: CityRow, date: dt.date) -> float:
    """When the sun stands highest, by the city's clock."""
    noon = dt.datetime.combine(date, dt.time(12), ZoneInfo(city.timezone))
    offset = noon.utcoffset() or dt.timedelta()
    return 12 * 60 + offset / dt.timedelta(minutes=1) - city.lon * MIN_A_DEGREE


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
    """Whether a visit lies in one of these times of day; asked for each order that is rated."""
    if "morning" in times and start < NOON:
        return True
    if "day" in times and start < dusk - SUNSET_MIN:
        return True
    if "dusk" in times and start <= dusk + SUNSET_MIN and end >= dusk - SUNSET_MIN:
        return True
    is_dark = end >= dusk + LEAST_DARK_MIN
    return is_dark and "night" in times and start >= find_evening(dusk)
