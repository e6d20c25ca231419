"""Times between items: overlaps, ways, bookings. Each limit from both sides."""

from typing import Any

import pytest

from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.planner.constraints.written_plans import Written, alone
from tests.row_makers import make_poi

POIS = [make_poi(name) for name in ("here", "there", "else")]
POIS += [make_poi("near", lat=39.9092), make_poi("xian", city="xian")]
"""`near` is 9 minutes on foot from the others; the centre, where nights are spent, is `here`."""

FREE = alone(pois=POIS)
LONG = alone(days=2, pois=POIS)
IN = make_snapshot(pois=POIS, days=1)
CITIES = make_snapshot(("beijing", "xian"), days=2, nights=[1, 0], origin=None, pois=POIS)


def book(*titles: str, **changes: Any) -> Snapshot:
    """A day with bookings of an hour, the first at 13:00 and the next half an hour apart."""
    fixed = [
        {"title": title, "start": f"2026-10-13T{13 + 3 * n // 2}:{'30' if n % 2 else '00'}",
         "end": f"2026-10-13T{14 + 3 * n // 2}:{'30' if n % 2 else '00'}",
         "lat": 39.9042 if n == 0 else 39.9992, "lon": 116.4074}
        for n, title in enumerate(titles)
    ]  # fmt: skip
    return alone(pois=POIS, fixed=fixed, **changes)


TEA = book("tea")
TWO = book("tea", "talk")  # 38 minutes by metro, half an hour between them

CASES: list[tuple[str, Written, list[str]]] = [
    ("OVERLAP", Written(FREE, ("09:00-10:00 visit here; 10:00-11:00 visit there",)), []),
    ("OVERLAP", Written(FREE, ("09:00-10:00 visit here; 09:59-11:00 visit there",)),
     ["error 1.1 1: “there” begins before “here” ends at 10:00. Begin after 10:00."]),
    ("OVERLAP", Written(FREE, ("09:00-12:00 visit here; 10:00-10:30 lunch; 11:30-13:00 visit else",
                               )),
     ["error 1.1 120: “lunch” begins before “here” ends at 12:00. Begin after 12:00.",
      "error 1.2 30: “else” begins before “here” ends at 12:00. Begin after 12:00."]),
    ("OVERLAP", Written(FREE, ("09:00-10:00 visit here; 10:00-10:10 walk; 10:10-11:00 visit near",
                               )), []),
    ("OVERLAP", Written(FREE, ("09:00-10:00 visit here; 09:59-10:10 walk; 10:10-11:00 visit near",
                               )),
     ["error 1.1 1: “A → B” begins before “here” ends at 10:00. Begin after 10:00."]),
    ("OVERLAP", Written(FREE, ("09:00-10:00 visit here; 10:00-10:10 walk; 10:09-11:00 visit near",
                               )),
     ["error 1.2 1: “near” begins before “A → B” ends at 10:10. Begin after 10:10."]),
    # a way is compared with its neighbour, not with what ends later
    ("OVERLAP", Written(FREE, ("09:00-12:00 visit here; 10:00-10:30 lunch; 10:30-10:40 walk",)),
     ["error 1.1 120: “lunch” begins before “here” ends at 12:00. Begin after 12:00."]),
    # and what follows only with the way before it, and with all that is no way
    ("OVERLAP", Written(FREE, ("09:00-12:00 walk; 12:00-12:30 lunch; 12:30-13:00 visit near",)),
     []),
    ("OVERLAP", Written(FREE, ("09:00-12:00 walk; 11:00-11:30 lunch; 11:30-13:00 visit near",)),
     ["error 1.1 60: “lunch” begins before “A → B” ends at 12:00. Begin after 12:00."]),
    ("OVERLAP", Written(FREE, ("09:00-10:00 visit here; 09:50-10:00 walk; 09:55-11:00 visit near",
                               )),
     ["error 1.1 10: “A → B” begins before “here” ends at 10:00. Begin after 10:00.",
      "error 1.2 5: “near” begins before “A → B” ends at 10:00. Begin after 10:00."]),
    ("OVERLAP", Written(LONG, ("22:00-25:00 visit here; hotel bj-h-dongdan",
                               "01:00-02:00 visit there")), []),
    ("OVERLAP", Written(LONG, ("22:00-25:00 visit here; hotel bj-h-dongdan",
                               "00:59-02:00 visit there")),
     ["error 2.0 1: “there” begins before “here” ends at 01:00. Begin after 01:00."]),
    ("OVERLAP", Written(FREE, ("13:00-14:00 fixed tea; 13:59-15:00 fixed talk",)),
     ["warning 1.1 1: “talk” begins before “tea” ends at 14:00. Begin after 14:00."]),
    ("OVERLAP", Written(FREE, ("12:00-13:01 walk; 13:00-14:00 fixed tea",)),
     ["warning 1.1 1: “tea” begins before “A → B” ends at 13:01. Begin after 13:01."]),
    ("OVERLAP", Written(FREE, ("12:00-13:01 visit here; 13:00-14:00 fixed tea",)),
     ["error 1.1 1: “tea” begins before “here” ends at 13:01. Begin after 13:01."]),
    ("OVERLAP", Written(FREE, ("13:00-14:00 fixed tea; 13:59-15:00 visit here",)),
     ["error 1.1 1: “here” begins before “tea” ends at 14:00. Begin after 14:00."]),
    ("OVERLAP", Written(FREE, ("12:00-13:01 walk; 13:00-14:00 walk",)),
     ["error 1.1 1: “A → B” begins before “A → B” ends at 13:01. Begin after 13:01."]),
    ("OVERLAP", Written(IN, ("07:00-11:00 train g2; 10:00-12:00 train g7",)), []),  # LEG_ORDER
    ("OVERLAP", Written(IN, ("07:00-11:00 train g2; 10:59-12:00 visit here",)),
     ["error 1.1 1: “here” begins before “G2” ends at 11:00. Begin after 11:00."]),
    ("OVERLAP", Written(IN, ("07:00-11:00 visit here; 10:59-12:00 train g2",)),
     ["error 1.1 1: “G2” begins before “here” ends at 11:00. Begin after 11:00."]),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 visit here; 10:09-11:00 visit near",)), []),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 visit here; 10:08-11:00 visit near",)),
     ["error 1.1 1: From “here” to “near” takes 9 minutes; there are 8. Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 visit here; 09:59-11:00 visit near",)),
     ["error 1.1 10: From “here” to “near” takes 9 minutes; there are 0. Begin 10 minutes later."]),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 visit here; 10:00-10:08 walk; "
                                   "10:08-11:00 visit near",)),
     ["error 1.2 1: From “here” to “near” takes 9 minutes; there are 8. Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 visit here; 10:00-11:00 lunch; "
                                   "11:09-12:00 visit near",)), []),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 visit here; 10:00-11:00 lunch; "
                                   "11:08-12:00 visit near",)),
     ["error 1.2 1: From “here” to “near” takes 9 minutes; there are 8. Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(FREE, ("09:09-10:00 visit near",)), []),
    ("TRAVEL_TIME", Written(FREE, ("09:08-10:00 visit near",)),
     ["error 1.0 1: From “centre of Beijing” to “near” takes 9 minutes; there are 8. "
      "Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 visit near",)),
     ["error 1.0 9: From “centre of Beijing” to “near” takes 9 minutes; there are 0. "
      "Begin 9 minutes later."]),
    ("TRAVEL_TIME", Written(FREE, ("08:59-10:00 visit near",)), []),  # the fault is the day's
    ("TRAVEL_TIME", Written(FREE, ("09:30-10:30 lunch; 10:39-11:00 visit near",)), []),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 lunch; 10:00-10:09 walk; 10:09-11:00 visit near",
                                   )), []),
    ("TRAVEL_TIME", Written(FREE, ("09:00-10:00 lunch; 10:08-11:00 visit near",)),
     ["error 1.1 1: From “centre of Beijing” to “near” takes 9 minutes; there are 8. "
      "Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(LONG, ("09:00-10:00 visit here; 10:09-11:00 visit near",
                                   "09:08-10:00 visit near; 10:08-11:00 visit here")),
     ["error 2.1 1: From “near” to “here” takes 9 minutes; there are 8. Begin 1 minutes later.",
      "error 2.0 1: From “centre of Beijing” to “near” takes 9 minutes; there are 8. "
      "Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(TEA, ("13:00-14:00 fixed tea; 14:09-15:00 visit near",)), []),
    ("TRAVEL_TIME", Written(TEA, ("13:00-14:00 fixed tea; 14:08-15:00 visit near",)),
     ["error 1.1 1: From “tea” to “near” takes 9 minutes; there are 8. Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(TWO, ("13:00-14:00 fixed tea; 14:30-15:30 fixed talk",)),
     ["warning 1.1 8: From “tea” to “talk” takes 38 minutes; there are 30. "
      "Begin 8 minutes later."]),
    ("TRAVEL_TIME", Written(TWO, ("14:20-14:29 visit here; 14:30-15:30 fixed talk",)),
     ["error 1.1 37: From “here” to “talk” takes 38 minutes; there are 1. "
      "Begin 37 minutes later."]),
    ("TRAVEL_TIME", Written(book("tea", day_start="13:00"), ("13:00-14:00 fixed tea",)), []),
    ("TRAVEL_TIME", Written(IN, ("07:00-11:00 train g2; 11:24-12:00 visit here",),
                            trains={0: ("g2",)}), []),
    ("TRAVEL_TIME", Written(IN, ("07:00-11:00 train g2; 11:22-12:00 visit here",),
                            trains={0: ("g2",)}),
     ["error 1.1 1: From “G2” to “here” takes 23 minutes; there are 22. Begin 1 minutes later."]),
    ("TRAVEL_TIME", Written(IN, ("09:00-10:00 visit here; 10:00-12:00 train g7",)), []),
    ("TRAVEL_TIME", Written(CITIES, ("", "09:00-10:00 visit here; 10:00-11:00 visit xian"),
                            trains={0: ("g651",)}), []),  # between cities it is the train's rule
    ("TRAVEL_SHARE", Written(FREE, ("09:00-11:00 walk; 11:00-13:00 visit here",)), []),
    ("TRAVEL_SHARE", Written(FREE, ("09:00-11:00 walk; 11:00-12:59 visit here",)),
     ["warning 1.- -: Day 1 has 2.0 hours of ways for 2.0 hours of visits. "
      "Choose places that are nearer to each other."]),
    ("TRAVEL_SHARE", Written(FREE, ("09:00-10:59 walk; 11:00-11:30 visit here",)), []),
    ("TRAVEL_SHARE", Written(FREE, ("09:00-12:00 walk",)), []),
    ("TRAVEL_SHARE", Written(LONG, ("09:00-11:00 visit here", "09:00-10:30 walk; "
                                    "11:00-12:30 visit there; 13:00-14:15 metro")),
     ["warning 2.- -: Day 2 has 2.8 hours of ways for 1.5 hours of visits. "
      "Choose places that are nearer to each other."]),
    ("TRAVEL_SHARE", Written(IN, ("07:00-11:00 train g2; 11:30-12:00 visit here",)), []),
    ("FIXED_MOVED", Written(TEA, ("13:00-14:00 fixed tea",)), []),
    *[("FIXED_MOVED", Written(TEA, (line,)),
       ["error 1.- -: The booking “tea” is at 13:00 and cannot be moved. Put it back to its time."])
      for line in ("12:59-14:00 fixed tea", "13:00-14:01 fixed tea", "13:00-14:00 fixed talk", "",
                   "13:00-14:00 lunch")],
    ("TRAVEL_TIME", Written(IN, ("09:00-10:00 visit near; 10:30-11:00 train g2; "
                                 "11:22-12:00 visit here",), trains={0: ("g2",)}),
     ["error 1.2 1: From “G2” to “here” takes 23 minutes; there are 22. Begin 1 minutes later."]),
    # nobody can begin a booking later
    ("TRAVEL_TIME", Written(book("tea", "talk", day_start="14:20"), ("14:30-15:30 fixed talk",)),
     []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "plan", "findings"), CASES)
def test_ways(code: str, plan: Written, findings: list[str]) -> None:
    assert plan.find(code) == findings
