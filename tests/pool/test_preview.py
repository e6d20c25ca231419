"""Warnings of a pool, with a text each in both languages; `PAST_DATE` only where a clock is given."""

import datetime as dt
from typing import Any

import pytest

from backend.pool.build import find_warnings, list_warnings, preview_document
from backend.pool.snapshot import PoolWarning, Snapshot
from backend.pool.stay import TripCalendar
from backend.text import Locale
from tests.factories import make_poi, make_snapshot

MANY = [make_poi(f"p{n}") for n in range(12)]


def warn(snapshot: Snapshot, unknown: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
    calendar = TripCalendar(snapshot.days_off, {"beijing": "CN"}, unknown)
    found = find_warnings(
        snapshot.request, snapshot.cities, snapshot.legs, snapshot.rows, calendar, snapshot.fares
    )
    return [warning.model_dump(exclude_none=True) for warning in found]


def test_twelve_places_are_enough_for_three_days_and_eleven_are_thin() -> None:
    assert warn(make_snapshot(pois=MANY)) == []
    assert warn(make_snapshot(pois=MANY[1:])) == [
        {"code": "POOL_THIN", "city": "beijing", "count": 11}
    ]


def test_children_pay_adult_fares_and_unknown_days_off_are_said() -> None:
    snapshot = make_snapshot(pois=MANY, children=(7,))
    assert warn(snapshot, frozenset({"beijing"})) == [
        {"code": "ADULT_FARES"},
        {"code": "HOLIDAY_UNKNOWN", "city": "beijing"},
    ]


def test_a_must_see_closed_on_every_day_is_named_whatever_else_is_against_it() -> None:
    shut = make_poi("shut", opening_hours="off")
    snapshot = make_snapshot(pois=[*MANY, shut], must_see=("shut",))
    pool = snapshot.cities["beijing"].model_copy(update={"must_see_added": ("shut",)})
    changed = snapshot.model_copy(update={"cities": {"beijing": pool}})
    assert warn(changed) == [{"code": "MUST_SEE_CLOSED", "city": "beijing", "poi_id": "shut"}]


def test_a_leg_without_any_train_is_not_covered() -> None:
    snapshot = make_snapshot(pois=MANY, trains=[])
    assert warn(snapshot) == [
        {"code": "LEG_NOT_COVERED", "leg": 0},
        {"code": "LEG_NOT_COVERED", "leg": 1},
    ]


@pytest.mark.parametrize(
    ("now", "is_past"),
    [("2026-10-13T15:59", False), ("2026-10-13T16:00", True), ("2026-10-12T12:00", False)],
)
def test_a_past_date_is_judged_by_the_first_citys_clock(now: str, is_past: bool) -> None:
    moment = dt.datetime.fromisoformat(now).replace(tzinfo=dt.UTC)  # midnight there is at 16:00
    codes = [warning.code for warning in list_warnings(make_snapshot(), moment)]
    assert ("PAST_DATE" in codes) is is_past
    assert list_warnings(make_snapshot(), None) == []


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_every_warning_has_a_text(locale: Locale) -> None:
    warnings = (
        PoolWarning(code="ADULT_FARES"),
        PoolWarning(code="HOLIDAY_UNKNOWN", city="beijing"),
        PoolWarning(code="MUST_SEE_CLOSED", city="beijing", poi_id="p1"),
        PoolWarning(code="POOL_THIN", city="beijing", count=3),
        PoolWarning(code="LEG_NOT_COVERED", leg=1),
    )
    snapshot = make_snapshot(pois=MANY).model_copy(update={"warnings": warnings})
    long_after = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
    shown = preview_document(snapshot, locale, long_after)["warnings"]
    assert [w["code"] for w in shown] == ["PAST_DATE", *(w.code for w in warnings)]
    city = "Beijing" if locale == "en" else "北京"
    assert [city in w["message"] for w in shown] == [False, False, True, True, True, True]
    assert shown[3]["poi_id"] == "p1"
    assert "None" not in "".join(w["message"] for w in shown)
