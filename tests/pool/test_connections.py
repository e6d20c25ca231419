"""One change on the way: waiting times, midnight, weekdays, time zones, order, unknown prices."""

import datetime as dt
from decimal import Decimal
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.pool.snapshot import Connection
from backend.pool.stay import Departure, Leg, find_connections, measure_journey

MONDAY = dt.date(2026, 10, 12)
LEG = Leg("a", "b", MONDAY)
ZONES = {"a": "Asia/Shanghai", "v": "Asia/Shanghai", "w": "Asia/Tokyo", "b": "Europe/Berlin"}
DAILY = 0b111_1111


def train(
    train_id: str,
    ends: str,
    depart: str,
    minutes: int,
    *,
    start: str = "North",
    end: str = "North",
    price: str | None = "10",
    weekdays: int = DAILY,
) -> Departure:
    """A train `a-v` that shows `minutes` more on the clocks at its end."""
    hour, minute = depart.split(":")
    at = int(hour) * 60 + int(minute)
    amount = None if price is None else Decimal(price)
    return Departure(train_id, ends[0], start, ends[2], end, at, at + minutes, amount, weekdays)


def find_pairs(*trains: Departure, leg: Leg = LEG) -> list[tuple[str, str]]:
    return [connection.trains for connection in find_connections(leg, trains, ZONES)]


@pytest.mark.parametrize(
    ("wait", "same", "other"),
    [(19, False, False), (20, True, False), (89, True, False), (90, True, True),
     (240, True, True), (241, False, False), (-10, False, False)],
)  # fmt: skip
def test_waiting_times(wait: int, same: bool, other: bool) -> None:
    first = train("1", "a-v", "08:00", 60)
    leaves = f"{(540 + wait) // 60:02d}:{(540 + wait) % 60:02d}"
    assert bool(find_pairs(first, train("2", "v-b", leaves, 60))) is same
    assert bool(find_pairs(first, train("2", "v-b", leaves, 60, start="South"))) is other


def test_a_change_over_midnight_and_the_weekday_of_the_second_train() -> None:
    first = train("1", "a-v", "22:00", 90)  # Monday 23:30
    tuesday, monday = 0b000_0010, 0b000_0001
    assert find_pairs(first, train("2", "v-b", "00:30", 60, weekdays=tuesday)) == [("1", "2")]
    assert find_pairs(first, train("2", "v-b", "00:30", 60, weekdays=monday)) == []


def test_a_first_train_over_two_nights() -> None:
    first = train("1", "a-v", "23:00", 60 + 1440 + 30)  # leaves Monday, arrives Wednesday 00:30
    wednesday = 0b000_0100
    (found,) = find_connections(
        LEG, [first, train("2", "v-b", "01:00", 60, weekdays=wednesday)], ZONES
    )
    assert found.arrive.date() == dt.date(2026, 10, 14)


def test_the_first_train_must_run_on_the_date() -> None:
    second = train("2", "v-b", "10:00", 60)
    assert find_pairs(train("1", "a-v", "08:00", 60, weekdays=0b111_1110), second) == []


def test_only_third_cities_and_one_change() -> None:
    back = [train("1", "a-b", "08:00", 60), train("2", "b-b", "10:00", 60)]
    two = [train("3", "a-v", "08:00", 60), train("4", "v-w", "10:00", 60)]
    assert find_pairs(*back, *two, train("5", "w-b", "13:00", 60)) == []


def test_times_are_local_with_offset_and_price_is_the_sum() -> None:
    (found,) = find_connections(
        LEG,
        [
            train("1", "a-w", "08:00", 240, price="553"),
            train("2", "w-b", "13:00", 300, price="0.5"),
        ],
        ZONES,
    )
    shown = found.model_dump(mode="json")
    assert shown == {
        "trains": ["1", "2"],
        "via": "w",
        "depart": "2026-10-12T08:00:00+08:00",
        "arrive": "2026-10-12T18:00:00+02:00",
        "price": "553.50",
    }
    assert Connection.model_validate(shown) == found


def test_an_offset_of_nothing_is_a_number_too() -> None:
    leg = Leg("a", "b", dt.date(2026, 12, 1))
    trains = [train("1", "a-v", "08:00", 60), train("2", "v-b", "10:00", 60)]
    (found,) = find_connections(leg, trains, {**ZONES, "b": "Europe/London"})
    assert found.model_dump(mode="json")["arrive"] == "2026-12-01T11:00:00+00:00"


def test_order_is_by_arrival_then_price_with_unknown_last_then_ids() -> None:
    firsts = [
        train(n, "a-v", "08:00", 60, price=p) for n, p in (("x", None), ("y", "5"), ("z", "5"))
    ]
    seconds = [train("m", "v-b", "10:00", 90), train("l", "v-b", "10:00", 30)]
    expected = [("y", "l"), ("z", "l"), ("x", "l"), ("y", "m"), ("z", "m")]  # and no sixth
    assert find_pairs(*firsts, *seconds) == expected


def test_arrivals_compare_as_moments_not_as_clocks() -> None:
    leg = Leg("a", "b", dt.date(2026, 10, 24))  # clocks in Berlin go back at 03:00 on the 25th
    first = train("1", "a-v", "08:00", 60)
    late = train("late", "v-b", "10:00", 960)  # shows 02:00, which comes twice: the first one
    later = train("later", "v-b", "10:00", 1030)  # shows 03:10, more than two hours after
    assert find_pairs(first, later, late, leg=leg) == [("1", "late"), ("1", "later")]


def test_a_journey_is_corrected_where_zones_differ_alone() -> None:
    there = Departure("t", "a", "", "b", "", 600, 700, None, DAILY)
    assert measure_journey(there, MONDAY, ZONES) == 100 + 360
    assert measure_journey(there, dt.date(2026, 12, 1), ZONES) == 100 + 420
    assert measure_journey(there, MONDAY, {"a": "Europe/Berlin", "b": "Europe/Berlin"}) == 100


@given(seed=st.integers(0, 2**32))
def test_all_pairs_that_the_contract_allows(seed: int) -> None:
    random = Random(seed)
    trains = [make_train(random, str(n)) for n in range(30)]
    assert find_connections(LEG, trains, ZONES) == find_plainly(LEG, trains)


def make_train(random: Random, train_id: str) -> Departure:
    start, end = random.choice(("av", "aw", "vb", "wb", "vb", "ab", "vw"))
    depart = random.choice((0, 480, 540, 600, 1380, random.randrange(1440)))
    return Departure(
        train_id,
        start,
        random.choice("NS"),
        end,
        random.choice("NS"),
        depart,
        depart + random.choice((-300, 30, 60, 120, 600, 1440, 2000)),
        random.choice((None, Decimal(1), Decimal(2))),
        random.choice((DAILY, DAILY, 1, 2, 4, 0b110_0000)),
    )


def find_plainly(leg: Leg, trains: list[Departure]) -> list[Connection]:
    """Every pair on every day of a week, checked by the clock; a train west may arrive the day before."""
    found = []
    for first, second, days in product(trains, trains, range(-1, 6)):
        ends = first.from_city, second.to_city
        via = first.to_city
        if ends != (leg.from_city, leg.to_city) or via != second.from_city or via in ends:
            continue
        day = leg.date + dt.timedelta(days)
        arrive, depart = see(leg.date, first.arrive, via), see(day, second.depart, via)
        wait = (depart - arrive) / dt.timedelta(minutes=1)
        least = 20 if first.to_station == second.from_station else 90
        runs = first.weekdays >> leg.date.weekday() & 1 and second.weekdays >> day.weekday() & 1
        if runs and least <= wait <= 240:
            price = None
            if first.price is not None and second.price is not None:
                price = first.price + second.price
            end = see(day, second.arrive, leg.to_city)
            key = end, (price is None, price or 0), (first.id, second.id)
            start = see(leg.date, first.depart, leg.from_city)
            pair = Connection(trains=key[2], via=via, depart=start, arrive=end, price=price)
            found.append((key, pair))
    return [pair for _, pair in sorted(found, key=lambda entry: entry[0])[:5]]


def see(date: dt.date, minutes: int, city: str) -> dt.datetime:
    """In October 2026, before the clocks change, every zone has a fixed offset."""
    hours = {"a": 8, "v": 8, "w": 9, "b": 2}[city]
    midnight = dt.datetime.combine(date, dt.time(), dt.timezone(dt.timedelta(hours=hours)))
    return midnight + dt.timedelta(minutes=minutes)
