"""Distances on the earth; positions are WGS-84 degrees."""

import math

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius, IUGG."""


def measure_distance_m(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance in metres between two (lat, lon) positions (haversine)."""
    lat_a, lon_a, lat_b, lon_b = map(math.radians, (*a, *b))
    h = (
        math.sin((lat_b - lat_a) / 2) ** 2
        + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    )
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(min(1.0, h)))
