"""Which places are in a plan: each limit from both sides."""

from typing import Any

import pytest

from tests.factories import make_snapshot
from tests.planner.constraints.written_plans import Written, alone
from tests.row_makers import make_hotel, make_poi

MUSEUM = make_poi("museum", tags=("art", "history"))
PLACES = [make_poi("here", tags=("park",)), make_poi("there", tags=()), MUSEUM]
FREE = alone(days=2, pois=PLACES)
CITIES = make_snapshot(
    ("beijing", "xian"), days=3, nights=[1, 1], origin=None,
    pois=[*PLACES, make_poi("wall", city="xian")],
)  # fmt: skip
NIGHT_TRAIN = make_snapshot(pois=PLACES)
TOO_LONG = [make_poi("long", duration_min=721), make_poi("whole", duration_min=720)]
DEAR = [make_poi("dear", price=100), make_poi("free", price=0)]
SHUT = make_poi("shut", opening_hours="Su 09:00-17:00")
STAY = "hotel bj-h-dongdan"


def leave_out(poi_id: str) -> str:
    return f"error 1.0 -: “{poi_id}” is among what is to be avoided"


def empty(day: int, why: str = "", city: str = "Beijing") -> str:
    return f"warning {day}.- -: Day {day} in {city} has no visit at all{why}."


def unused(day: int, name: str, city: str = "Beijing") -> str:
    return f"error {day}.- -: Day {day} in {city} has no visit at all; there is time for {name}."


def short(day_end: str, duration: int, hours: str = "24/7") -> Written:
    """Two days from 09:00; nothing is visited on the second, where one place is left."""
    left = make_poi("left", duration_min=duration, opening_hours=hours)
    return Written(
        alone(days=2, pois=[PLACES[0], left], day_end=day_end), ("09:00-10:00 visit here", "")
    )


def likes(*interests: str, hours: str = "24/7") -> Any:
    """A trip of who likes these; `art` is what the museum has."""
    museum = make_poi("museum", tags=("art",), opening_hours=hours)
    return alone(pois=[PLACES[0], museum], interests=interests)


CASES: list[tuple[str, Written, list[str]]] = [
    ("INTEREST_UNMET", Written(likes("art"), ("09:00-10:00 visit museum",)), []),
    ("INTEREST_UNMET", Written(likes(), ("09:00-10:00 visit here",)), []),
    ("INTEREST_UNMET", Written(likes("art"), ("09:00-10:00 visit here",)),
     ["warning -.- -: No visit serves the interest “Art”: the places that have it had no room "
      "beside the others."]),
    ("INTEREST_UNMET", Written(likes("art", hours="off"), ("09:00-10:00 visit here",)),
     ["warning -.- -: No visit serves the interest “Art”: no place that has it is open during the "
      "stay."]),
    ("INTEREST_UNMET", Written(likes("food"), ("09:00-10:00 visit here",)),
     ["warning -.- -: No visit serves the interest “Food”: no place to choose from has it."]),
    ("NOT_IN_POOL", Written(FREE, (f"09:00-10:00 visit here; 12:00-13:00 lunch there; {STAY}", ""),
                            hotels={"beijing": "bj-h-dongdan"}), []),
    ("NOT_IN_POOL", Written(FREE, (f"09:00-10:00 visit x; 12:00-13:00 lunch y; {STAY}; hotel z",
                                   "")),
     [f"error 1.{n} -: {name} is not among the candidates. Take one of the candidates."
      for n, name in ((0, "x"), (1, "y"), (3, "z"))]),
    ("NOT_IN_POOL", Written(FREE, ("09:00-10:00 visit bj-h-dongdan", "hotel here")),
     ["error 1.0 -: bj-h-dongdan is not among the candidates. Take one of the candidates.",
      "error 2.0 -: here is not among the candidates. Take one of the candidates."]),
    ("NOT_IN_POOL", Written(NIGHT_TRAIN, ("", "", ""), more={2: ("x", "here")},
                            trains={0: ("t", "g2")}, hotels={"beijing": "h"}),
     [f"error {day}.- -: {name} is not among the candidates. Take one of the candidates."
      for day, name in ((2, "x"), ("-", "h"), ("-", "t"))]),
    ("NOT_IN_POOL", Written(NIGHT_TRAIN, ("train g2; own beijing xian", "", "")), []),
    ("AVOIDED", Written(FREE, ("09:00-10:00 visit here", "")), []),
    ("AVOIDED", Written(alone(pois=PLACES, avoid=["here"]), ("09:00-10:00 visit here",)),
     [f"{leave_out('here')} (here). Leave it out."]),
    ("AVOIDED", Written(alone(pois=PLACES, avoid=["history", "art"]), ("09:00-10:00 visit museum",)),
     [f"{leave_out('museum')} (art). Leave it out."]),
    ("AVOIDED", Written(alone(pois=PLACES, avoid=["art"]), ("09:00-10:00 visit there",)), []),
    ("AVOIDED", Written(alone(days=2, avoid=["bj-h-dongdan"]), (STAY, "")),
     [f"{leave_out('bj-h-dongdan')} (bj-h-dongdan). Leave it out."]),
    ("AVOIDED", Written(alone(days=2, avoid=["loud", "bar"],
                              hotels=[make_hotel("h", tags=("loud", "bar"))]), ("hotel h", "")),
     [f"{leave_out('h')} (bar). Leave it out."]),
    ("WRONG_CITY", Written(CITIES, ("", "", ""), more={1: ("here",), 2: ("here", "wall"),
                                                       3: ("wall", "nowhere")}), []),
    ("WRONG_CITY", Written(CITIES, ("", "", ""), more={1: ("wall",), 3: ("here",)}),
     ["error 1.- -: wall is in Xi'an, and day 1 is not spent there. Move it to a day in that city.",
      "error 3.- -: here is in Beijing, and day 3 is not spent there. "
      "Move it to a day in that city."]),
    ("WRONG_CITY", Written(CITIES, ("", "", ""), more={4: ("wall",)}),
     ["error 4.- -: wall is in Xi'an, and day 4 is not spent there. Move it to a day in that city."]
     ),
    ("DUPLICATE", Written(FREE, ("09:00-10:00 visit here; 10:00-11:00 visit there", "")), []),
    ("DUPLICATE", Written(FREE, ("09:00-10:00 visit here; 10:00-11:00 visit here",
                                 "12:00-13:00 lunch here; 14:00-15:00 visit there")),
     [f"error {where} -: here is in the plan on day 1 already. Keep one visit."
      for where in ("1.1", "2.0")]),
    ("DUPLICATE", Written(FREE, ("", "09:00-10:00 visit there; 10:00-11:00 visit there")),
     ["error 2.1 -: there is in the plan on day 2 already. Keep one visit."]),
    ("MUST_SEE_MISSING", Written(alone(pois=PLACES, must_see=["here"]), ("09:00-10:00 visit here",)),
     []),
    ("MUST_SEE_MISSING", Written(alone(pois=PLACES, must_see=["here"]), ("",)),
     ["error -.- 90: The must-see place here is not in the plan. Put it in."]),
    ("MUST_SEE_MISSING", Written(alone(pois=TOO_LONG, must_see=["whole"]), ("",)),
     ["error -.- 720: The must-see place whole is not in the plan. Put it in."]),
    ("MUST_SEE_MISSING", Written(alone(pois=[*PLACES, *TOO_LONG, SHUT],
                                       must_see=["long", "shut", "here"]), ("",)),
     ["error -.- 90: The must-see place here is not in the plan. Put it in."]),
    ("MUST_SEE_NO_FIT", Written(alone(pois=TOO_LONG, must_see=["whole"]), ("",)), []),
    ("MUST_SEE_NO_FIT", Written(alone(pois=[*TOO_LONG, SHUT], must_see=["shut", "long"]), ("",)),
     ["warning -.- 721: No day has room for the must-see place long within its hours, beside the "
      "other must-sees, trains and bookings: it is not in the plan."]),
    ("MUST_SEE_CLOSED", Written(alone(pois=[*TOO_LONG, SHUT], must_see=["shut", "long"]), ("",)),
     ["warning -.- -: The must-see place shut is closed on every day of the stay, so it is not in "
      "the plan."]),
    ("MUST_SEE_CLOSED", Written(alone(days=6, pois=[SHUT], must_see=["shut"]), ("",) * 6), []),
    ("MUST_SEE_CLOSED", Written(alone(days=5, pois=[SHUT], must_see=["shut"]), ("",) * 5),
     ["warning -.- -: The must-see place shut is closed on every day of the stay, so it is not in "
      "the plan."]),
    ("EMPTY_DAY", Written(FREE, ("09:00-10:00 visit here", "12:00-13:00 lunch there")), []),
    ("EMPTY_DAY", Written(FREE, ("09:00-10:00 visit here", "12:00-13:00 lunch")),
     [unused(2, "there")]),
    ("EMPTY_DAY", Written(FREE, ("09:00-10:00 visit here", ""), free=(2,)), [empty(2)]),
    ("EMPTY_DAY", Written(alone(days=2, pois=DEAR, budget_total=99, travellers=1),
                          ("09:00-10:00 visit dear", "")), [empty(2)]),  # the budget is used up
    ("EMPTY_DAY", Written(alone(days=2, pois=DEAR, budget_total=100, travellers=1),
                          ("09:00-10:00 visit dear", "")), [unused(2, "free")]),
    ("NO_VISIT", Written(alone(pois=PLACES, day_end="10:00"), ("",)),
     ["warning -.- 30: Nothing can be seen on this trip: 0.0 hours between cities, and never more "
      "than 60 minutes in one. Allow more time, or more money."]),
    ("NO_VISIT", Written(alone(pois=PLACES), ("",)), []),  # there is time: EMPTY_DAY says so
    ("NO_VISIT", Written(alone(pois=[*PLACES[:1]], day_end="10:00"),
                         ("09:00-10:00 visit here",)), []),
    ("NO_VISIT", Written(alone(pois=PLACES, day_end="10:00", fixed=[
        {"title": "tea", "start": "2026-10-13T09:00", "end": "2026-10-13T10:00"}]), ("",)), []),
    ("NO_VISIT", Written(alone(pois=[]), ("",)), []),  # the catalogue has no places there
    ("NO_VISIT", Written(alone(pois=[SHUT]), ("",)),
     ["warning -.- -: Nothing can be seen on this trip: 0.0 hours between cities, and never more "
      "than 720 minutes in one. Allow more time, or more money."]),
    ("EMPTY_DAY", short("15:00", 360), [unused(2, "left")]),  # six hours are a whole day
    ("EMPTY_DAY", short("15:00", 361), [empty(2, ": there is too little time")]),
    ("EMPTY_DAY", short("14:59", 359), []),
    ("EMPTY_DAY", short("15:00", 480, "We 09:00-17:00"), [empty(2, ": there is too little time")]),
    ("EMPTY_DAY", short("15:00", 481, "We 09:00-17:00"),
     [empty(2, ": no place to choose from is open")]),
    ("EMPTY_DAY", Written(alone(days=2, pois=PLACES[:1]), ("09:00-10:00 visit here", "")),
     [empty(2, ": there is no place to choose from")]),
    ("EMPTY_DAY", Written(alone(pois=PLACES, day_end="10:00"), ("",)),
     [empty(1, ": there is too little time")]),  # nothing in the city at all
    ("EMPTY_DAY", Written(alone(pois=PLACES, locale="zh-CN", day_end="10:00"), ("",)),
     ["warning 1.- -: 第 1 天在北京没有安排任何景点：时间不够。"]),
    ("EMPTY_DAY", Written(alone(pois=[SHUT], locale="zh-CN"), ("",)),
     ["warning 1.- -: 第 1 天在北京没有安排任何景点：没有可选景点开放。"]),
    ("EMPTY_DAY", Written(alone(pois=[], locale="zh-CN"), ("",)),
     ["warning 1.- -: 第 1 天在北京没有安排任何景点：没有可选的景点。"]),
    ("EMPTY_DAY", Written(alone(pois=PLACES, locale="zh-CN"), ("",)),
     ["error 1.- -: 第 1 天在北京没有安排任何景点，例如可以安排here。"]),
    ("EMPTY_DAY", Written(alone(pois=PLACES, fixed=[{"title": "tea", "start": "2026-10-13T13:00",
                                                     "end": "2026-10-13T14:00"}]), ("",)), []),
    ("EMPTY_DAY", Written(CITIES, ("09:00-10:00 visit here", "09:00-10:00 visit there",
                                   "09:00-10:00 visit wall")), []),
    ("EMPTY_DAY", Written(CITIES, ("09:00-10:00 visit here", "", "09:00-10:00 visit wall")), []),
    ("EMPTY_DAY", Written(CITIES, ("09:00-10:00 visit here", "", "")),
     [unused(day, "wall", "Xi'an") for day in (2, 3)]),
    ("EMPTY_DAY", Written(NIGHT_TRAIN, ("train d702", "", ""), trains={0: ("d702",)}),
     [unused(2, "here"), unused(3, "here")]),  # on the train until the second day
]  # fmt: skip


@pytest.mark.parametrize(("code", "plan", "findings"), CASES)
def test_places(code: str, plan: Written, findings: list[str]) -> None:
    assert plan.find(code) == findings
