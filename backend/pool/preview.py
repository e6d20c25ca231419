"""The pool as `pool preview` and the admin's preview show it, without the full rows."""

import datetime as dt
from typing import Any

from backend.pool.pool_warnings import describe_warning, is_past
from backend.pool.snapshot import CityPool, LegPool, PoolWarning, Snapshot
from backend.text import Locale


def list_warnings(snapshot: Snapshot, now: dt.datetime | None) -> list[PoolWarning]:
    """The snapshot's warnings, and `PAST_DATE` where the trip begins before `now`."""
    first_city = snapshot.city_rows[snapshot.city_order[0]]
    if now is not None and is_past(snapshot.request, first_city, now):
        return [PoolWarning(code="PAST_DATE"), *snapshot.warnings]
    return list(snapshot.warnings)


def preview_document(
    snapshot: Snapshot, locale: Locale, now: dt.datetime | None = None
) -> dict[str, Any]:
    """Cities, legs, warnings (with a message each) and hash, as JSON values."""
    return {
        "cities": {city: _show_city(snapshot.cities[city]) for city in snapshot.city_order},
        "legs": [_show_leg(leg) for leg in snapshot.legs],
        "warnings": [
            warning.model_dump(mode="json", exclude_none=True)
            | {"message": describe_warning(snapshot, warning, locale)}
            for warning in list_warnings(snapshot, now)
        ],
        "sha256": snapshot.sha256,
    }


def _show_city(pool: CityPool) -> dict[str, Any]:
    shown = {"arrive", "leave", "pois", "must_see_added", "rejected", "hotels", "hotels_widened"}
    return pool.model_dump(mode="json", include=shown)


def _show_leg(pool: LegPool) -> dict[str, Any]:
    shown = {"from_city", "to_city", "date", "trains", "direct", "connections"}
    return pool.model_dump(mode="json", include=shown, by_alias=True)
