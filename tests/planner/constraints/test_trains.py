"""Trains and the traveller's own ways between cities: each limit from both sides."""

from typing import Any

import pytest

from tests.factories import make_snapshot
from tests.planner.constraints.written_plans import Written, alone
from tests.row_makers import make_poi, make_train
from tests.sample_rows import TRAINS

SHANGHAI, BEIJING = ("shanghai", "上海虹桥站"), ("beijing", "北京南站")
ZHENGZHOU, OTHER_STATION = ("zhengzhou", "郑州东站"), ("zhengzhou", "郑州站")
K1 = make_train("K1", (*SHANGHAI, "07:00"), (*ZHENGZHOU, "10:00"))
K2 = make_train("K2", (*ZHENGZHOU, "10:10"), (*BEIJING, "13:10"))
K3 = make_train("K3", (*OTHER_STATION, "12:00"), (*BEIJING, "15:00"))
AT_STATION = make_poi("square", lat=39.8652, lon=116.3786)
POIS = [AT_STATION, make_poi("here"), make_poi("wall", city="xian")]
IN = make_snapshot(days=3, pois=POIS)
CHANGING = make_snapshot(
    pois=POIS, trains=[K1, K2, K3, *(t for t in TRAINS if t.to_city != "beijing")],
    connections=[("k1", "k2"), ("k1", "k3")],
)  # fmt: skip
ONE_WAY_HOME = make_snapshot(days=3, pois=POIS, trains=[t for t in TRAINS if t.id != "g7"])
NO_TRAINS = make_snapshot(days=3, trains=[])
BY_CAR = make_snapshot(
    ("beijing", "xian"), days=3, nights=[1, 1], origin=None, trains=[], pois=POIS
)
PLACE = {"lat": 39.8652, "lon": 116.3786, "name": "car park"}
LEAVING = alone(days=2, pois=POIS, departure={"time": "18:00", "place": PLACE})
ARRIVING = alone(pois=POIS, arrival={"time": "10:00", "place": PLACE})
CHOSEN: dict[int, tuple[str, ...]] = {0: ("g2",), 1: ("g21",)}
SOUTH = "Leave earlier, leave out what is before, or take a later one."


def choose(trains: dict[int, tuple[str, ...]], snapshot: Any = IN) -> Written:
    """Three empty days with these trains."""
    return Written(snapshot, ("", "", ""), trains=trains)


def change(first: str, second: str, train: str = "k2") -> Written:
    """A connection of two trains with other times than their own."""
    return Written(CHANGING, (f"{first} train k1; {second} train {train}", "", ""))


def no_choice(where: str, trains: str, leg: int) -> str:
    return (f"error {where}.- -: {trains} is no choice for leg {leg}. "
            "Choose a train or a connection of that leg.")  # fmt: skip


def unchosen(day: int, leg: int, ends: str) -> str:
    return (f"error {day}.- -: No train is chosen for leg {leg} ({ends}). "
            "Choose one of the candidates.")  # fmt: skip


def tight(number: str, minutes: int, least: int) -> str:
    return (f"error 1.1 -: From K1 to {number} there are {minutes} minutes to change; it should be "
            f"{least} to 240. Take another connection.")  # fmt: skip


def missed(where: str, minutes: int, text: str) -> str:
    return f"error {where} {minutes}: After {text} (30 minutes before). {SOUTH}"


CASES: list[tuple[str, Written, list[str]]] = [
    ("WRONG_LEG", choose(CHOSEN), []),
    ("WRONG_LEG", choose({0: ("g21",)}), [no_choice("1", "g21", 0)]),
    ("WRONG_LEG", choose({1: ("g2",)}), [no_choice("3", "g2", 1)]),
    ("WRONG_LEG", choose({2: ("g2",)}), [no_choice("-", "g2", 2)]),
    ("WRONG_LEG", choose({-1: ("g21",), 1: ("g2",)}),
     [no_choice("-", "g21", -1), no_choice("3", "g2", 1)]),
    ("WRONG_LEG", choose({0: ("g2", "g14")}), [no_choice("1", "g2, g14", 0)]),
    ("WRONG_LEG", choose({0: ("k1", "k2")}, CHANGING), []),
    ("WRONG_LEG", choose({0: ("k1",)}, CHANGING), [no_choice("1", "k1", 0)]),
    ("LEG_NOT_CHOSEN", choose(CHOSEN), []),
    ("LEG_NOT_CHOSEN", choose({}),
     [unchosen(1, 0, "Shanghai → Beijing"), unchosen(3, 1, "Beijing → Shanghai")]),
    ("LEG_NOT_CHOSEN", choose({1: ("g21",)}, CHANGING), [unchosen(1, 0, "Shanghai → Beijing")]),
    ("LEG_NOT_CHOSEN", choose({}, NO_TRAINS), []),
    ("LEG_NOT_COVERED", choose({}), []),
    ("LEG_NOT_COVERED", choose({}, CHANGING), []),
    ("LEG_NOT_COVERED", Written(NO_TRAINS, ("12:00-13:00 lunch; own beijing shanghai; "
                                            "own shanghai beijing", "", "")),
     ["warning 1.2 -: There is no train from Shanghai to Beijing: this leg is left to the "
      "traveller.",
      "warning 3.- -: There is no train from Beijing to Shanghai: this leg is left to the "
      "traveller."]),
    ("LEG_ORDER", Written(IN, ("07:00-11:00 train g2; 11:00-15:00 train g7", "", "")), []),
    ("LEG_ORDER", Written(IN, ("07:00-11:00 train g2; 10:59-15:00 train g7", "", "")),
     ["error 1.1 1: G7 leaves at 10-13 10:59, before G2 arrives at 10-13 11:00. "
      "Take another train."]),
    ("LEG_ORDER", Written(IN, ("20:00-32:00 train g2", "own beijing xian; 07:58-12:00 train g7",
                               "")),
     ["error 2.1 2: G7 leaves at 10-14 07:58, before G2 arrives at 10-14 08:00. "
      "Take another train."]),
    ("CHANGE_TIME", change("07:00-10:00", "10:20-13:00"), []),
    ("CHANGE_TIME", change("07:00-10:00", "10:19-13:00"), [tight("K2", 19, 20)]),
    ("CHANGE_TIME", change("07:00-10:00", "14:00-17:00"), []),
    ("CHANGE_TIME", change("07:00-10:00", "14:01-17:00"), [tight("K2", 241, 20)]),
    ("CHANGE_TIME", change("07:00-10:00", "11:30-17:00", "k3"), []),
    ("CHANGE_TIME", change("07:00-10:00", "11:29-17:00", "k3"), [tight("K3", 89, 90)]),
    ("CHANGE_TIME", change("07:00-10:00", "10:00-17:00"), [tight("K2", 0, 20)]),
    ("CHANGE_TIME", change("07:00-10:00", "09:59-17:00"), []),  # LEG_ORDER
    ("CHANGE_TIME", Written(CHANGING, ("07:00-10:00 train k1", "07:00-11:00 train g7; "
                                       "11:01-12:00 train k1; 12:02-13:00 train k2", "")),
     ["error 2.2 -: From K1 to K2 there are 2 minutes to change; it should be 20 to 240. "
      "Take another connection."]),
    ("LEG_MISSED", Written(IN, ("16:00-18:30 visit square; train g21", "", "")), []),
    ("LEG_MISSED", Written(IN, ("16:00-18:31 visit square; train g21", "", "")),
     [missed("1.1", 1, "“square” one is there at 18:31: too late for G21 at 19:00")]),
    ("LEG_MISSED", Written(IN, ("16:00-18:07 visit here; train g21", "", "")), []),
    ("LEG_MISSED", Written(IN, ("", "", "16:00-18:09 visit here; 18:09-18:30 walk; train g21")),
     [missed("3.2", 2, "“here” one is there at 18:32: too late for G21 at 19:00")]),
    ("LEG_MISSED", Written(IN, ("07:00-09:30 train g2; 10:00-15:00 train g7", "", "")), []),
    ("LEG_MISSED", Written(IN, ("07:00-09:31 train g2; 10:00-15:00 train g7", "", "")),
     [missed("1.1", 1, "“G2” one is there at 09:31: too late for G7 at 10:00")]),
    ("LEG_MISSED", Written(IN, ("07:00-09:30 train g7; 10:00-15:00 train g21", "", "")), []),
    ("LEG_MISSED", Written(IN, ("07:00-09:31 train g7; 10:00-15:00 train g21", "", "")),
     [missed("1.1", 1, "“G7” one is there at 09:31: too late for G21 at 10:00")]),
    ("LEG_MISSED", change("07:00-10:00", "10:01-13:00"), []),  # CHANGE_TIME
    ("LEG_MISSED", Written(LEAVING, ("19:00-20:00 visit square", "16:00-17:30 visit square")), []),
    ("LEG_MISSED", Written(LEAVING, ("", "09:00-10:00 visit here; 16:00-17:31 visit square")),
     [missed("2.1", 1, "“square” one is there at 17:31: too late for car park at 18:00")]),
    ("LEG_MISSED", Written(LEAVING, ("", "16:00-17:07 visit here")), []),
    ("LEG_MISSED", Written(LEAVING, ("", "16:00-17:09 visit here")),
     [missed("2.0", 2, "“here” one is there at 17:32: too late for car park at 18:00")]),
    ("LEG_MISSED", Written(LEAVING, ("", "")), []),
    ("LEG_MISSED", Written(alone(pois=POIS), ("16:00-23:00 visit here",)), []),
    ("LEG_TOO_SHORT", Written(BY_CAR, ("", "09:00-10:00 visit here; own beijing xian; "
                                       "15:13-16:00 visit wall", "")), []),
    ("LEG_TOO_SHORT", Written(BY_CAR, ("", "08:00-09:00 visit square; 09:00-10:00 visit here; "
                                       "own beijing xian; 15:11-16:00 visit wall", "")),
     ["error 2.3 2: From “here” to “wall” is another city: the own way takes about 313 minutes, "
      "and there are fewer. Leave one of them out, or move it to another day."]),
    ("LEG_TOO_SHORT", Written(BY_CAR, ("", "own beijing xian; 10:00-11:00 visit wall", "")), []),
    ("LEG_TOO_SHORT", Written(BY_CAR, ("", "10:00-11:00 visit here; own beijing xian", "")), []),
    ("LEG_TOO_SHORT", Written(BY_CAR, ("", "10:00-11:00 visit here; own xian beijing; "
                                       "11:00-12:00 visit wall", "")), []),
    ("BEFORE_ARRIVAL", Written(ARRIVING, ("09:59-11:00 visit square",)),
     ["error 1.0 1: square is before the arrival: one is at car park at 10:00. "
      "Put it after the arrival."]),
    ("BEFORE_ARRIVAL", Written(IN, ("", "08:49-09:50 visit square", ""), trains={0: ("d702",)}),
     ["error 2.0 1: square is before the arrival: one is at 北京南站 at 08:50. "
      "Put it after the arrival."]),
    ("BEFORE_ARRIVAL", Written(IN, ("", "08:50-09:50 visit square", ""), trains={0: ("d702",)}),
     []),
    # a train of the same day stands in the list: OVERLAP
    ("BEFORE_ARRIVAL", Written(IN, ("train g2; 10:00-11:00 visit square", "", ""), trains=CHOSEN),
     []),
    ("BEFORE_ARRIVAL", Written(BY_CAR, ("", "", "10:00-11:00 visit here"), trains={}), []),
    *[("LATE_ARRIVAL", Written(IN, (f"18:00-{end} train g2", "", "")), [
        f"warning 1.0 -: G2 arrives at {shown}, before dawn, and no hotel is planned for that "
        "night."] if shown else [])
      for end, shown in (("23:59", ""), ("24:00", "00:00"), ("28:59", "04:59"), ("29:00", ""))],
    ("LATE_ARRIVAL", Written(IN, ("", "", "own beijing xian; 18:00-25:00 train g21")), []),
    ("LATE_ARRIVAL", Written(IN, ("own shanghai beijing; 18:00-25:30 train g2", "", "")),
     ["warning 1.1 -: G2 arrives at 01:30, before dawn, and no hotel is planned for that night."]),
    ("LATE_ARRIVAL", Written(IN, ("18:00-29:01 train g2", "", "")), []),
    ("LATE_HOME", Written(ONE_WAY_HOME, ("", "", "16:00-21:00 train g21")), []),
    ("LATE_HOME", Written(ONE_WAY_HOME, ("", "", "16:00-21:01 train g21")),
     ["warning 3.0 -: G21 is home on 2026-10-15 at 21:01; no earlier train costs about the same."]),
    ("LATE_HOME", Written(ONE_WAY_HOME, ("", "", "22:00-24:30 train g21")),
     ["warning 3.0 -: G21 is home on 2026-10-16 at 00:30; no earlier train costs about the same."]),
    ("LATE_HOME", Written(IN, ("", "", "16:00-21:01 train g21")), []),
    ("LEG_MISSED", Written(IN, ("", "", "16:00-23:00 visit here"), trains=CHOSEN), []),
    ("LEG_NOT_COVERED", Written(make_snapshot(trains=TRAINS[:1]), ("", "", "")),
     ["warning 3.- -: There is no train from Beijing to Shanghai: this leg is left to the "
      "traveller."]),
    # only places of the city that is left, before the leg, and of the next one, after it, count
    ("LEG_TOO_SHORT", Written(BY_CAR, ("", "08:00-08:30 visit wall; 09:00-10:00 visit here; "
                                       "own beijing xian; 15:13-16:00 visit wall; "
                                       "16:00-17:00 visit here", "")), []),
    ("LEG_TOO_SHORT", Written(BY_CAR, ("", "07:00-08:00 visit square; 08:00-09:00 visit square; "
                                       "09:00-10:00 visit here; own beijing xian; "
                                       "15:12-16:00 visit wall", "")),
     ["error 2.4 1: From “here” to “wall” is another city: the own way takes about 313 minutes, "
      "and there are fewer. Leave one of them out, or move it to another day."]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "plan", "findings"), CASES)
def test_trains(code: str, plan: Written, findings: list[str]) -> None:
    assert plan.find(code) == findings
