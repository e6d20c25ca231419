"""A request with faults gets one answer with all of them: pointer, code and suggestions."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.catalogue.importers.catalogue_csv import import_catalogue
from backend.db.session import transaction
from backend.errors import Fault, RequestRefusedError
from backend.params.registry import default_values
from backend.pool.plan_request import PlanRequest
from backend.pool.request_faults import resolve_request

pytestmark = pytest.mark.sql

CATALOGUE = Path(__file__).parent / "cases" / "pool-1" / "catalogue"
GOOD: dict[str, Any] = {
    "origin": "CityC",
    "destinations": [{"city": "citya"}, {"city": "CityB"}],
    "start_date": "2026-05-01",
    "days": 6,
    "travellers": 3,
    "budget_tier": "舒适",
}


@pytest.fixture
async def catalogue(engine: AsyncEngine) -> AsyncEngine:
    async with transaction(engine) as session:
        await import_catalogue(session, CATALOGUE)
    return engine


async def resolve(engine: AsyncEngine, raw: object) -> PlanRequest:
    async with transaction(engine) as session:
        return await resolve_request(session, raw, default_values())


async def find_faults(engine: AsyncEngine, raw: object) -> dict[str, Fault]:
    with pytest.raises(RequestRefusedError) as refused:
        await resolve(engine, raw)
    return {fault.pointer: fault for fault in refused.value.faults}


async def test_names_become_ids_and_defaults_are_filled(catalogue: AsyncEngine) -> None:
    request = await resolve(catalogue, GOOD | {"must_see": ["CityA place 1", "poi_cityb_0002"]})
    assert request.origin == "cityc"
    assert [(d.city, d.nights) for d in request.destinations] == [("citya", 3), ("cityb", 2)]
    assert request.must_see == ("poi_citya_0001", "poi_cityb_0002")
    assert (request.budget_tier, request.rooms, request.day_end) == ("comfort", 2, "21:00")


@pytest.mark.parametrize(
    ("travellers", "children", "rooms"),
    [(2, [], 1), (3, [], 2), (4, [3, 5], 1), (4, [4, 7, 9], 1), (4, [12, 15], 2), (3, [13], 2)],
)
async def test_small_children_need_no_room_of_their_own(
    catalogue: AsyncEngine, travellers: int, children: list[int], rooms: int
) -> None:
    raw = {name: value for name, value in GOOD.items() if name != "rooms"}
    request = await resolve(catalogue, raw | {"travellers": travellers, "children": children})
    assert request.rooms == rooms


async def test_the_party_is_kept_and_left_out_where_nothing_is_said(
    catalogue: AsyncEngine,
) -> None:
    party = {"seniors": [66], "access": ["few_steps"], "dietary": ["halal"]}
    request = await resolve(catalogue, GOOD | party)
    assert party.items() <= request.model_dump(mode="json").items()
    assert not party.keys() & (await resolve(catalogue, GOOD)).model_dump().keys()


async def test_resolving_what_is_resolved_changes_nothing(catalogue: AsyncEngine) -> None:
    request = await resolve(catalogue, GOOD | {"interests": ["museum", "museum"]})
    assert request.interests == ("museum",)
    again = await resolve(catalogue, request.model_dump(mode="json"))
    assert again == request.model_copy(update={"resolved": ()})


async def test_seven_faults_are_named_in_one_answer(catalogue: AsyncEngine) -> None:
    raw = GOOD | {
        "destinations": [{"city": "citya"}, {"city": "cityx"}],
        "start_date": "yesterday",
        "days": 31,
        "interests": ["musuem"],
        "must_see": ["poi_citya_001", "poi_cityd_0002"],
        "travelers": 2,
    }
    faults = await find_faults(catalogue, raw)
    assert {(pointer, fault.code) for pointer, fault in faults.items()} == {
        ("/destinations/1/city", "unknown_city"),
        ("/start_date", "date_from_datetime_parsing"),
        ("/days", "less_than_equal"),
        ("/interests/0", "unknown_tag"),
        ("/must_see/0", "unknown_place"),
        ("/must_see/1", "place_elsewhere"),
        ("/travelers", "unknown_field"),
    }
    assert faults["/interests/0"].suggestions[0] == "museum"
    assert "poi_citya_0001" in faults["/must_see/0"].suggestions
    assert faults["/travelers"].suggestions[0] == "travellers"


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"destinations": [{"city": "citya"}, {"city": "CityA"}]}, "/destinations/1/city", "duplicate_city"),
        ({"destinations": [{"city": "citya", "nights": 5}, {"city": "cityb"}]}, "/destinations/1/nights", "nights_incomplete"),
        ({"destinations": [{"city": "citya", "nights": 4}]}, "/destinations", "nights_sum"),
        ({"destinations": []}, "/destinations", "too_short"),
        ({"children": [3, 4, 5, 6]}, "/children", "too_many_children"),
        ({"children": [3, 4, 17]}, "/children", "no_adult"),
        ({"children": [3, 4], "seniors": [70, 66]}, "/seniors", "too_many_seniors"),
        ({"seniors": [59]}, "/seniors/0", "greater_than_equal"),
        ({"access": ["wings"]}, "/access/0", "literal_error"),
        ({"rooms": 4}, "/rooms", "too_many_rooms"),
        ({"travellers": True}, "/travellers", "int_type"),
        ({"travellers": 21}, "/travellers", "less_than_equal"),
        ({"start_date": "1999-12-31"}, "/start_date", "greater_than_equal"),
        ({"budget_total": "12.345"}, "/budget_total", "decimal_max_places"),
        ({"budget_total": 0}, "/budget_total", "greater_than"),
        ({"budget_tier": "lux"}, "/budget_tier", "literal_error"),
        ({"day_start": "22:00"}, "/day_end", "day_order"),
        ({"day_end": "26:30"}, "/day_end", "bad_time"),
        ({"avoid": ["nothing"]}, "/avoid/0", "unknown_avoid"),
        ({"must_see": ["poi_citya_0001", "CityA place 1"]}, "/must_see/1", "duplicate_place"),
        ({"must_see": ["poi_citya_0001"], "avoid": ["poi_citya_0001"]}, "/must_see/0", "avoided_place"),
        ({"must_see": ["poi_citya_0001"], "avoid": ["art"]}, "/must_see/0", "avoided_place"),
        ({"arrival": {"time": "10:00", "place": "Nowhere"}}, "/arrival/place", "unknown_station"),
        ({"arrival": {"time": "10", "place": {"lat": 1, "lon": 2, "name": "x"}}}, "/arrival/time", "bad_time"),
        ({"fixed": [{"title": "x", "start": "2026-05-01T12:00", "end": "2026-05-01T11:00"}]}, "/fixed/0", "fixed_order"),
        ({"fixed": [{"title": "x", "start": "2026-06-01T12:00", "end": "2026-06-01T13:00"}]}, "/fixed/0", "outside_trip"),
        ({"notes": "a\0b"}, "/notes", "bad_text"),
        ({"notes": "x" * 2001}, "/notes", "string_too_long"),
        ({"origin": "\ud800"}, "/origin", "bad_text"),
        ({"\ud800": 1}, "", "bad_text"),
        ({"destinations": [{"city": None}]}, "/destinations/0/city", "string_type"),
    ],
)  # fmt: skip
async def test_each_fault_has_its_pointer_and_code(
    catalogue: AsyncEngine, change: dict[str, Any], pointer: str, code: str
) -> None:
    faults = await find_faults(catalogue, GOOD | change)
    assert list(faults) == [pointer]
    assert faults[pointer].code == code


@pytest.mark.parametrize("raw", [None, [], "x", 5])
async def test_a_body_that_is_no_object(catalogue: AsyncEngine, raw: object) -> None:
    assert (await find_faults(catalogue, raw))[""].code == "not_an_object"


async def test_disabled_and_ambiguous_places_are_refused(
    catalogue: AsyncEngine, tmp_path: Path
) -> None:
    header, *lines = (CATALOGUE / "pois.csv").read_text().splitlines()
    first = lines[1].replace("poi_citya_0001", "poi_citya_twin")
    off = lines[2].replace(",true,", ",false,")
    (tmp_path / "pois.csv").write_text("\n".join([header, first, off]) + "\n")
    async with transaction(catalogue) as session:
        await import_catalogue(session, tmp_path)
    raw = GOOD | {"must_see": ["CityA place 1", "poi_citya_0002"]}
    faults = await find_faults(catalogue, raw)
    assert faults["/must_see/0"].code == "ambiguous_place"
    assert faults["/must_see/0"].suggestions == ("poi_citya_0001", "poi_citya_twin")
    assert faults["/must_see/1"].code == "disabled_place"


LONG = "x" * 1_000_000


LONG_ONES: list[dict[str, Any]] = [
    {"origin": LONG},
    {"destinations": [{"city": LONG}, {"city": LONG}]},
    {"destinations": [{"city": "citya", LONG: 1}]},
    {"start_date": LONG},
    {"days": LONG},
    {"budget_tier": LONG},
    {"budget_total": LONG},
    {"interests": [LONG]},
    {"must_see": [LONG, LONG]},
    {"avoid": [LONG]},
    {"pace": LONG},
    {"day_start": LONG},
    {"arrival": {"time": LONG, "place": LONG}},
    {"departure": {"time": "10:00", "place": {"lat": 0, "lon": 0, "name": LONG}}},
    {"fixed": [{"title": LONG, "start": LONG, "end": LONG}]},
    {"notes": LONG},
    {"locale": LONG},
    {LONG: 1},
    {"children": [LONG]},
    {"interests": ["nothing like it"] * 50_000},
]


async def test_a_fault_quotes_no_more_than_a_name(catalogue: AsyncEngine) -> None:
    for more in LONG_ONES:
        faults = await find_faults(catalogue, GOOD | more)
        assert 0 < len(faults) <= 101
        for fault in faults.values():
            assert len(fault.message) < 300
            assert len(fault.pointer) < 300
            assert all(len(near) < 300 for near in fault.suggestions)


async def test_names_are_taken_as_people_say_them(catalogue: AsyncEngine) -> None:
    said = GOOD | {
        "origin": "CITYC ",
        "destinations": [{"city": "City A"}, {"city": "CITYB"}],
        "interests": ["Museum"],
        "must_see": ["the citya  place 1", {"any_of": ["CityB place 1", "poi_cityb_0002"]}],
        "avoid": ["CITYB PLACE 3"],
        "locale": "en",
    }
    request = await resolve(catalogue, said)
    assert request.origin == "cityc"
    assert [d.city for d in request.destinations] == ["citya", "cityb"]
    assert request.must_see_choices == (
        ("poi_citya_0001",),
        ("poi_cityb_0001", "poi_cityb_0002"),
    )
    assert request.avoid == ("poi_cityb_0003",)
    echoed = {(entry.pointer, entry.id) for entry in request.resolved}
    assert ("/must_see/0", "poi_citya_0001") in echoed
    assert ("/must_see/1/any_of/0", "poi_cityb_0001") in echoed
    assert "resolved" not in (request.model_copy(update={"resolved": ()}).model_dump(mode="json"))


async def test_an_unknown_origin_is_the_travellers_own_business(catalogue: AsyncEngine) -> None:
    request = await resolve(catalogue, GOOD | {"origin": "CityQ"})
    assert request.origin is None
    [entry] = [e for e in request.resolved if e.pointer == "/origin"]
    assert (entry.id, entry.said) == (None, "CityQ")
    assert entry.near


async def test_near_names_are_looked_up_for_five_and_a_hundred_faults_are_told(
    catalogue: AsyncEngine,
) -> None:
    raw = GOOD | {
        "must_see": [f"CityA plaze {n}x" for n in range(50)],
        "avoid": ["CityA plaze 7x"] * 60,
    }
    with pytest.raises(RequestRefusedError) as refused:
        await resolve(catalogue, raw)
    faults = refused.value.faults
    assert sum(fault.code == "unknown_place" for fault in faults) == 50
    assert 0 < sum(bool(fault.suggestions) for fault in faults) <= 5
    problem = refused.value.as_problem()
    assert len(problem["errors"]) == 100
    assert problem["more"] == len(refused.value.faults) - 100
    near = next(e for e in problem["errors"] if e["suggestions"])["suggestions"]
    assert len(near) <= 4
    assert set(near[0]) == {"id", "name"}


WISHES: list[dict[str, Any]] = [
    {"kind": "spend", "on": "hotels", "at_most": 2000},
    {"kind": "visit", "type": ["博物馆", "street", "Museums"], "tag": ["Museum"], "at_least": 2},
    {"kind": "visit", "any_of": ["the citya  place 1", "poi_cityb_0002"], "weight": "rather"},
    {"kind": "eat", "cuisine": ["四川菜", "Sichuan food", "Martian"], "at_least": 2},
    {"kind": "hotel", "hotel": "CITYA HOTEL 0", "near": "CityA place 2", "within_m": 900},
    {"kind": "hotel", "features": ["游泳池", "swimming pool", "Moon Gate"]},
    {"kind": "at", "place": {"any_of": ["CityA place 2", "CityA place 1"]}, "day": 2},
    {"kind": "intercity", "legs": "out", "mode": "train", "types": ["G"]},
]


async def test_names_in_wishes_become_ids(catalogue: AsyncEngine) -> None:
    request = await resolve(catalogue, GOOD | {"wishes": WISHES, "locale": "en"})
    wishes: list[Any] = list(request.wishes)
    assert wishes[1].type == ("museum", "street")
    assert wishes[1].tag == ("museum",)
    assert wishes[2].any_of == ("poi_citya_0001", "poi_cityb_0002")
    assert wishes[3].cuisine == ("sichuan", "martian")
    assert (wishes[4].hotel, wishes[4].near) == ("hotel_citya_000", "poi_citya_0002")
    assert wishes[5].features == ("pool", "moongate")
    assert wishes[6].place.any_of == ("poi_citya_0002", "poi_citya_0001")
    echoed = {(entry.pointer, entry.said, entry.id, entry.name) for entry in request.resolved}
    assert ("/wishes/1/type/0", "博物馆", "museum", "museum") in echoed
    assert ("/wishes/2/any_of/0", "the citya  place 1", "poi_citya_0001", "CityA place 1") in echoed
    assert ("/wishes/3/cuisine/0", "四川菜", "sichuan", "sichuan") in echoed
    assert (
        "/wishes/6/place/any_of/1",
        "CityA place 1",
        "poi_citya_0001",
        "CityA place 1",
    ) in echoed
    assert request.wished_place_ids == ("poi_citya_0001", "poi_cityb_0002", "poi_citya_0002")
    assert request.wished_hotel_ids == ("hotel_citya_000",)
    again = await resolve(catalogue, request.model_dump(mode="json"))
    assert again.model_copy(update={"resolved": ()}) == request.model_copy(update={"resolved": ()})
    assert not again.resolved


async def test_a_wish_for_more_rooms_sets_their_number(catalogue: AsyncEngine) -> None:
    wish = {"kind": "beds", "in_room": "two_single", "rooms": 3}
    assert (await resolve(catalogue, GOOD | {"wishes": [wish]})).rooms == 3
    assert (await resolve(catalogue, GOOD | {"wishes": [wish | {"weight": "rather"}]})).rooms == 2


AT = {"kind": "at", "place": "CityA place 1"}


@pytest.mark.parametrize(
    ("wish", "pointer", "code"),
    [
        ({"kind": "fly"}, "/kind", "unknown_wish"),
        ({"kind": "visit", "any_of": ["nothing like it"]}, "/any_of/0", "unknown_place"),
        ({"kind": "visit", "any_of": ["CityD place 2"]}, "/any_of/0", "place_elsewhere"),
        ({"kind": "visit", "type": ["museum", "nothing"]}, "/type/1", "unknown_type"),
        ({"kind": "visit", "tag": ["nothing"]}, "/tag/0", "unknown_tag"),
        ({"kind": "hotel", "hotel": "nothing like it"}, "/hotel", "unknown_hotel"),
        ({"kind": "hotel", "hotel": "CityD hotel 0"}, "/hotel", "place_elsewhere"),
        ({"kind": "hotel", "features": ["pool"], "within_m": 100}, "/near", "missing"),
        ({"kind": "eat", "place": "nothing like it"}, "/place", "unknown_place"),
        (AT | {"day": 7}, "/day", "outside_trip"),
        (AT | {"from": "12:00", "to": "12:00"}, "/from", "wish_range"),
        (AT | {"from": "12:00", "to": "12:30", "minutes": 31}, "/minutes", "wish_range"),
        (AT | {"after": "nothing like it"}, "/after", "unknown_place"),
        ({"kind": "intercity", "legs": 3, "mode": "train"}, "/legs", "no_such_leg"),
        ({"kind": "intercity", "depart_after": "10:00", "depart_before": "09:59"}, "/depart_after", "wish_range"),
        ({"kind": "spend", "on": "meals", "at_least": 2, "at_most": 1}, "/at_least", "wish_range"),
        ({"kind": "price", "of": "meal", "at_least": "1.01", "at_most": 1}, "/at_least", "wish_range"),
        ({"kind": "local", "use": ["taxi"], "never": ["taxi"]}, "/never", "wish_clash"),
        ({"kind": "beds", "in_room": "family", "rooms": 4}, "/rooms", "too_many_rooms"),
    ],
)  # fmt: skip
async def test_each_fault_of_a_wish_has_its_pointer_and_code(
    catalogue: AsyncEngine, wish: dict[str, Any], pointer: str, code: str
) -> None:
    faults = await find_faults(catalogue, GOOD | {"wishes": [WISHES[0], wish]})
    assert list(faults) == [f"/wishes/1{pointer}"]
    assert faults[f"/wishes/1{pointer}"].code == code


async def test_what_is_not_wanted_may_be_anywhere(catalogue: AsyncEngine) -> None:
    wishes = [
        {"kind": "visit", "any_of": ["CityD place 1", "poi_citya_0001"], "none": True},
        {"kind": "hotel", "hotel": "CityD hotel 0", "not": True},
    ]
    raw = GOOD | {"wishes": wishes, "avoid": ["poi_citya_0001"]}
    request = await resolve(catalogue, raw)
    assert not request.wished_place_ids
    assert not request.wished_hotel_ids


async def test_a_hotel_may_be_near_a_station(catalogue: AsyncEngine, tmp_path: Path) -> None:
    (tmp_path / "stations.csv").write_text("city,name,lat,lon\ncitya,CityA East,30,110\n")
    async with transaction(catalogue) as session:
        await import_catalogue(session, tmp_path)
    raw = GOOD | {"wishes": [{"kind": "hotel", "near": "citya east"}]}
    request = await resolve(catalogue, raw)
    wish: Any = request.wishes[0]
    assert wish.near == "citya/CityA East"
    assert not request.wished_place_ids
    again = await resolve(catalogue, request.model_dump(mode="json"))
    assert again.wishes == request.wishes
