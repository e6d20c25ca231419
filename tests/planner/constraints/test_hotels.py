"""Nights and rooms: each limit from both sides."""

from decimal import Decimal
from typing import Any

import pytest

from backend.planner.plan.itinerary import Itinerary
from tests.factories import make_snapshot
from tests.planner.constraints.written_plans import Written, alone
from tests.row_makers import make_hotel, make_poi

PLACES = [make_poi("here"), make_poi("there")]
TWO_DAYS = alone(days=2, pois=PLACES)
THREE_DAYS = alone(days=3, pois=PLACES)
BARE = alone(days=3, hotels=[])
CITIES = make_snapshot(("beijing", "xian"), days=3, nights=[1, 1], origin=None)
CITIES_ONE_HOTEL = make_snapshot(
    ("beijing", "xian"),
    days=3,
    nights=[1, 1],
    origin=None,
    hotels=[make_hotel("xa-h-zhonglou", city="xian")],
)
NIGHT_TRAIN = make_snapshot(days=3)
FREE_IN = alone(days=2, pois=PLACES, hotels=[make_hotel("bj-h-dongdan", check_in="")])
STAY = "hotel bj-h-dongdan"


def with_rooms(rooms: int) -> Any:
    """Another number of rooms in the stay that ends the first day."""

    def change(itinerary: Itinerary) -> Itinerary:
        first, *others = itinerary.days
        stay = first.items[-1].model_copy(update={"rooms": rooms, "cost": Decimal(400) * rooms})
        days = (first.model_copy(update={"items": (*first.items[:-1], stay)}), *others)
        return itinerary.model_copy(update={"days": days})

    return change


CASES: list[tuple[str, Written, list[str]]] = [
    ("HOTEL_MISSING", Written(THREE_DAYS, (STAY, STAY, "")), []),
    ("HOTEL_MISSING", Written(THREE_DAYS, (STAY, "", "")),
     ["error 2.- -: No hotel is chosen in Beijing (from day 2). Choose one of the candidates."]),
    ("HOTEL_MISSING", Written(THREE_DAYS, ("", "", "")),
     ["error 1.- -: No hotel is chosen in Beijing (from day 1). Choose one of the candidates."]),
    ("HOTEL_MISSING", Written(CITIES, ("", "", "")),
     ["error 1.- -: No hotel is chosen in Beijing (from day 1). Choose one of the candidates.",
      "error 2.- -: No hotel is chosen in Xi'an (from day 2). Choose one of the candidates."]),
    ("HOTEL_MISSING", Written(BARE, ("", "", "")), []),
    ("HOTEL_MISSING", Written(NIGHT_TRAIN, ("", STAY, ""), trains={0: ("d702",)}), []),
    ("HOTEL_NOT_COVERED", Written(BARE, ("", "", "")),
     ["warning 1.- -: There is no hotel to choose in Beijing: 2 night(s) are left to the "
      "traveller."]),
    ("HOTEL_NOT_COVERED", Written(THREE_DAYS, ("", "", "")), []),
    ("HOTEL_NOT_COVERED", Written(alone(hotels=[]), ("",)), []),
    ("HOTEL_TWICE", Written(TWO_DAYS, (STAY, STAY)), []),
    ("HOTEL_TWICE", Written(TWO_DAYS, (f"{STAY}; hotel bj-h-xidan; {STAY}", "")),
     [f"error 1.{n} -: The night of day 1 is in “bj-h-dongdan” already, and in “{name}” too. "
      "Keep one of them." for n, name in ((1, "bj-h-xidan"), (2, "bj-h-dongdan"))]),
    ("HOTEL_WRONG_CITY", Written(CITIES, (STAY, "hotel xa-h-zhonglou", "")), []),
    ("HOTEL_WRONG_CITY", Written(CITIES, ("hotel xa-h-zhonglou", STAY, STAY)),
     [f"error {day}.0 -: The night of day {day} is not spent in the city of “{name}”. "
      "Choose a hotel of the city of that night."
      for day, name in ((1, "xa-h-zhonglou"), (2, "bj-h-dongdan"), (3, "bj-h-dongdan"))]),
    ("HOTEL_WRONG_CITY", Written(CITIES, ("09:00-10:00 lunch; hotel nowhere", "", "")), []),
    ("ROOMS_TOO_FEW", Written(alone(days=2, travellers=3), (STAY, "")), []),
    ("ROOMS_TOO_FEW", Written(alone(days=2, travellers=3, rooms=None), (f"09:00-10:00 lunch; {STAY}", "")),
     ["error 1.1 -: “bj-h-dongdan” has 1 room(s) in the night of day 1; the party needs 2."]),
    ("ROOMS_TOO_FEW", Written(alone(days=2, travellers=2, rooms=2), (STAY, ""),
                              change=with_rooms(1)),
     ["error 1.0 -: “bj-h-dongdan” has 1 room(s) in the night of day 1; the party needs 2."]),
    ("ROOMS_TOO_FEW", Written(alone(days=2, travellers=3, rooms=1), (STAY, ""),
                              change=with_rooms(1)), []),
    ("ROOMS_TOO_FEW", Written(alone(days=2, travellers=2), (STAY, ""), change=with_rooms(2)), []),
    ("CHECK_IN", Written(TWO_DAYS, (f"12:00-13:30 visit here; 13:30-14:00 walk; {STAY}", "")), []),
    ("CHECK_IN", Written(TWO_DAYS, (f"12:00-13:30 visit here; 13:30-13:59 walk; {STAY}", "")),
     ["warning 1.2 -: “bj-h-dongdan” lets guests in from 14:00; one is there at 13:59. "
      "Leave the luggage there, or visit something on the way."]),
    ("CHECK_IN", Written(TWO_DAYS, (f"10:00-11:00 walk; 12:00-13:59 visit here; {STAY}", "")),
     ["warning 1.2 -: “bj-h-dongdan” lets guests in from 14:00; one is there at 13:59. "
      "Leave the luggage there, or visit something on the way."]),
    ("CHECK_IN", Written(TWO_DAYS, (f"13:00-13:59 lunch; {STAY}", "")),
     ["warning 1.1 -: “bj-h-dongdan” lets guests in from 14:00; one is there at 13:59. "
      "Leave the luggage there, or visit something on the way."]),
    ("CHECK_IN", Written(TWO_DAYS, (f"13:00-14:00 lunch; {STAY}", "")), []),
    # time for a meal, which has no place of its own, may be spent at the hotel
    ("CHECK_IN", Written(TWO_DAYS, (f"12:00-13:00 walk; 13:00-15:00 lunch; {STAY}", "")),
     ["warning 1.2 -: “bj-h-dongdan” lets guests in from 14:00; one is there at 13:00. "
      "Leave the luggage there, or visit something on the way."]),
    ("CHECK_IN", Written(TWO_DAYS, (STAY, "")), []),
    ("CHECK_IN", Written(FREE_IN, (f"10:00-11:00 visit here; {STAY}", "")), []),
    ("CHECK_IN", Written(THREE_DAYS, (f"10:00-15:00 visit here; {STAY}",
                                      f"10:00-11:00 visit there; {STAY}", "")), []),
    ("CHECK_IN", Written(THREE_DAYS, (f"10:00-15:00 visit here; {STAY}",
                                      "10:00-11:00 visit there; hotel bj-h-xidan", "")),
     ["warning 2.1 -: “bj-h-xidan” lets guests in from 14:00; one is there at 11:00. "
      "Leave the luggage there, or visit something on the way."]),
    ("CHECK_IN", Written(THREE_DAYS, (f"10:00-15:00 visit here; {STAY}", "",
                                      f"10:00-11:00 visit there; {STAY}")),
     ["warning 3.1 -: “bj-h-dongdan” lets guests in from 14:00; one is there at 11:00. "
      "Leave the luggage there, or visit something on the way."]),
    ("CHECK_IN", Written(TWO_DAYS, (f"10:00-11:00 visit here; hotel nowhere; {STAY}", "")),
     ["warning 1.2 -: “bj-h-dongdan” lets guests in from 14:00; one is there at 11:00. "
      "Leave the luggage there, or visit something on the way."]),
    ("HOTEL_MISSING", Written(CITIES_ONE_HOTEL, ("", "", "")),
     ["error 2.- -: No hotel is chosen in Xi'an (from day 2). Choose one of the candidates."]),
    ("HOTEL_TWICE", Written(TWO_DAYS, (f"{STAY}; 12:00-13:00 lunch; hotel bj-h-xidan", "")),
     ["error 1.2 -: The night of day 1 is in “bj-h-dongdan” already, and in “bj-h-xidan” too. "
      "Keep one of them."]),
    ("HOTEL_WRONG_CITY", Written(CITIES, ("12:00-13:00 lunch; hotel xa-h-zhonglou", "", "")),
     ["error 1.1 -: The night of day 1 is not spent in the city of “xa-h-zhonglou”. "
      "Choose a hotel of the city of that night."]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "plan", "findings"), CASES)
def test_hotels(code: str, plan: Written, findings: list[str]) -> None:
    assert plan.find(code) == findings
