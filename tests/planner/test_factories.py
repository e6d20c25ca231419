"""The test snapshots follow the request: stays, legs and connections are what section 2 says."""

import datetime as dt

from tests.factories import START_DATE, make_snapshot
from tests.sample_rows import TRAINS


def test_stays_and_legs_follow_the_request() -> None:
    snapshot = make_snapshot(("beijing", "xian"), days=5)
    assert [(c, p.arrive.day, p.leave.day) for c, p in snapshot.cities.items()] == [
        ("beijing", 13, 15),
        ("xian", 15, 17),
    ]
    assert [(leg.from_city, leg.to_city, leg.date.day) for leg in snapshot.legs] == [
        ("shanghai", "beijing", 13),
        ("beijing", "xian", 15),
        ("xian", "shanghai", 17),
    ]
    assert snapshot.legs[0].trains == ("g2", "g14", "d702")
    assert snapshot.sha256


def test_without_a_direct_train_connections_are_offered() -> None:
    trains = [train for train in TRAINS if train.id != "g1936"]
    snapshot = make_snapshot(
        ("beijing", "xian"), days=5, trains=trains, connections=[("g2204", "g1811")]
    )
    leg = snapshot.legs[2]
    assert not leg.direct
    assert leg.connections[0].via == "zhengzhou"
    assert leg.connections[0].arrive.date() == START_DATE + dt.timedelta(4)
    assert snapshot.train("g1811") is not None
