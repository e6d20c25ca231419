"""Writes change the draft by code and answer with what the plan is then, short and with its breaches."""

from typing import Any

from tests.factories import make_snapshot
from tests.tools.desk import Desk, error_of


def settle(desk: Desk) -> None:
    """Hotels and trains of the two-city trip."""
    desk("choose_hotel", city="Beijing", hotel_id="bj-h-dongdan")
    desk("choose_hotel", city="西安", hotel_id="xa-h-zhonglou")
    for leg, train in enumerate(("g2", "g651", "g1936")):
        assert "error" not in desk("choose_train", leg=leg, train_ids=[train])


def kinds(day: dict[str, Any]) -> list[str]:
    return [item["kind"] for item in day["items"]]


def test_a_visit_answers_with_the_days_timeline() -> None:
    desk = Desk(make_snapshot())
    day = desk("put_visit", day=2, poi_id="bj-gugong", at="12:30")
    assert list(day) == ["day", "date", "city", "items", "violations", "plan"]
    assert (day["day"], day["date"], day["city"]) == (2, "2026-10-14", "beijing")
    visit = next(item for item in day["items"] if item["kind"] == "visit")
    assert visit == {
        "item": visit["item"],
        "kind": "visit",
        "poi_id": "bj-gugong",
        "name": "bj-gugong",
        "arrive": "12:30",
        "leave": "16:30",
        "cost": "120.00",
    }
    assert [item["item"] for item in day["items"]] == list(range(len(day["items"])))
    assert desk.state.draft.visits_on(2)[0].at == 750


def test_breaches_of_the_day_name_the_item_and_the_whole_plan_is_summed_up() -> None:
    desk = Desk(make_snapshot())
    day = desk("put_visit", day=2, poi_id="bj-gugong", at="16:30")  # last entry 16:00
    visit = next(item for item in day["items"] if item["kind"] == "visit")
    errors = [v for v in day["violations"] if v["severity"] == "error"]
    assert any(v.get("item") == visit["item"] for v in errors)
    assert all(set(v) <= {"code", "severity", "item", "message"} for v in day["violations"])
    assert day["plan"]["errors"] > len(errors)  # hotel and trains are missing elsewhere


def test_choices_answer_with_the_days_that_they_are_about() -> None:
    desk = Desk(make_snapshot(("beijing", "xian"), days=5))
    hotel = desk("choose_hotel", city="xian", hotel_id="xa-h-zhonglou")
    assert [day["day"] for day in hotel["days"]] == [3, 4, 5]
    assert "stay" in kinds(hotel["days"][0])
    train = desk("choose_train", leg=1, train_ids=["g663"])
    assert train["day"] == 3
    leg = next(item for item in train["items"] if item["kind"] == "leg")
    assert (leg["train_id"], leg["depart"], leg["arrive"]) == ("g663", "15:05", "20:20")


def test_a_train_over_night_arrives_with_its_date() -> None:
    day = Desk(make_snapshot())("choose_train", leg=0, train_ids=["d702"])
    leg = next(item for item in day["items"] if item["kind"] == "leg")
    assert (leg["depart"], leg["arrive"]) == ("21:20", "10-14 08:50")
    assert "cost" not in leg  # the price is unknown


def test_an_item_is_removed_by_its_number() -> None:
    desk = Desk(make_snapshot())
    day = desk("put_visit", day=2, poi_id="bj-jingshan")
    number = next(item["item"] for item in day["items"] if item["kind"] == "visit")
    assert "visit" not in kinds(desk("remove_item", day=2, item=number))
    assert desk.state.draft.visits == {}
    assert error_of(desk("remove_item", day=2, item=99))["code"] == "NO_SUCH_ITEM"


def test_refusals_change_nothing() -> None:
    desk = Desk(make_snapshot())
    for name, arguments, code in (
        ("put_visit", {"day": 1, "poi_id": "xa-dayanta"}, "NOT_IN_POOL"),
        ("put_visit", {"day": 4, "poi_id": "bj-gugong"}, "NO_SUCH_DAY"),
        ("choose_hotel", {"city": "rome", "hotel_id": "bj-h-xidan"}, "NO_SUCH_CITY"),
        ("choose_train", {"leg": 3, "train_ids": ["g2"]}, "NO_SUCH_LEG"),
        ("choose_train", {"leg": 0, "train_ids": ["g7"]}, "WRONG_LEG"),
        ("choose_train", {"leg": 0, "train_ids": []}, "BAD_ARGUMENTS"),
        ("choose_train", {"leg": 0, "train_ids": ["a", "b", "c"]}, "BAD_ARGUMENTS"),
        ("choose_train", {"leg": 0, "train_ids": "g2"}, "BAD_ARGUMENTS"),
    ):
        assert error_of(desk(name, **arguments))["code"] == code
        assert desk.outcomes[-1].draft is None
    assert desk.state.draft == type(desk.state.draft)()


def test_the_whole_plan_is_seen_day_by_day() -> None:
    desk = Desk(make_snapshot(("beijing", "xian"), days=5))
    settle(desk)
    plan = desk("view_itinerary")
    assert list(plan) == ["days", "violations", "plan"]
    assert [day["city"] for day in plan["days"]] == ["beijing", "beijing", "xian", "xian", "xian"]
    assert desk.outcomes[-1].draft is None


def test_a_plan_with_errors_is_not_submitted_and_they_are_named() -> None:
    desk = Desk(make_snapshot(("beijing", "xian"), days=5))
    error = error_of(desk("submit_itinerary"))
    assert error["code"] == "NOT_SOUND"
    assert "HOTEL_MISSING" in error["message"]
    assert "LEG_NOT_CHOSEN (day 1)" in error["message"]
    assert not desk.state.is_submitted


def test_a_sound_plan_is_submitted_and_an_edit_after_it_takes_that_back() -> None:
    desk = Desk(make_snapshot(("beijing", "xian"), days=5))
    settle(desk)
    for day, poi_id in (
        (1, "bj-jingshan"),
        (2, "bj-tiantan"),
        (4, "xa-chengqiang"),
        (5, "xa-dayanta"),
    ):
        desk("put_visit", day=day, poi_id=poi_id)
    answer = desk("submit_itinerary")
    assert answer["submitted"] is True
    assert answer["plan"]["errors"] == 0
    assert desk.state.is_submitted
    desk("list_pois", city="beijing")
    assert desk.state.is_submitted
    desk("put_visit", day=4, poi_id="xa-shaanbo")
    assert not desk.state.is_submitted
