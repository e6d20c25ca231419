"""When it gets dark in a city on a date, computed from the position of the sun to a few minutes."""

import datetime as dt
import math
from zoneinfo import ZoneInfo

from backend.pool.candidate import CityRow

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
