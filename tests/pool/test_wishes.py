"""Wishes of any shape: faults, never an exception; names and ids are one request."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.session import transaction
from backend.errors import RequestRefusedError
from backend.params.registry import default_values
from backend.pool.build import preview_document
from backend.pool.request_faults import resolve_request
from backend.pool.request_shape import check_fields_together, read_fields
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.pool.wish_texts import describe_wish
from backend.pool.wishes import WISH_KINDS
from tests.factories import make_snapshot
from tests.pool.test_request_faults import GOOD, catalogue

__all__ = ["catalogue"]

FIELDS = (
    "on", "at_most", "at_least", "of", "each", "legs", "mode", "types", "number", "depart_after",
    "arrive_before", "in_room", "rooms", "type", "tag", "any_of", "none", "cuisine", "place",
    "meal", "hotel", "features", "near", "within_m", "stars", "same", "only", "use", "never",
    "longest_walk_m", "day", "from", "to", "minutes", "after", "weight", "not", "nonsense",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    "hotels", "night", "train", "walk", "lunch", "one_double", "rather", "must", "all", "09:00",
    "25:59", "99:99", "CityA place 1", "poi_citya_0002", "CityD place 2", "CityA hotel 0", "museum",
    "博物馆", "川菜", "pool", "", " ", "\ufeff", "/", "~1", "x" * 300, "'; drop table place; --",
    0, 1, 2, 31, -1, 10**30, 1.5, "1e5", "12.345", True, False, None, [], {}, [[]], {"any_of": []},
    {"any_of": ["CityA place 1", 3]}, {"any_of": {"any_of": ["x"]}}, ["museum", None, ["x"]],
    ["walk", "taxi"], ["G", "D"], ["CityA place 1", "CityB place 1"], {"kind": "at"},
)  # fmt: skip

odd_wishes = st.lists(
    st.one_of(
        st.fixed_dictionaries({"kind": st.sampled_from(WISH_KINDS)}).flatmap(
            lambda kind: st.dictionaries(
                st.sampled_from(FIELDS), st.sampled_from(VALUES), max_size=6
            ).map(lambda fields: kind | fields)
        ),
        st.sampled_from([*VALUES]),
    ),
    max_size=33,
)


@given(odd_wishes)
def test_any_wishes_are_read_or_refused(wishes: list[Any]) -> None:
    values, faults = read_fields(GOOD | {"wishes": wishes})
    faults += check_fields_together(values)
    assert faults or "wishes" in values
    assert all(fault.pointer.startswith("/wishes") for fault in faults)
    for wish in values.get("wishes", ()):
        assert read_fields(GOOD | {"wishes": [wish.model_dump(mode="json")]})[0]["wishes"] == (
            wish,
        )
        for locale in ("zh-CN", "en"):
            assert describe_wish(wish, lambda row_id: row_id, locale)


@pytest.mark.sql
async def test_any_words_in_wishes_are_looked_up_or_refused(catalogue: AsyncEngine) -> None:
    taken = faults = 0
    async with transaction(catalogue) as session:
        for _ in range(80):
            wishes = [
                {"kind": random.choice(WISH_KINDS)}
                | {name: random.choice(VALUES) for name in random.sample(FIELDS, 4)}
                for _ in range(random.choice((1, 1, 2, 30)))
            ]
            try:
                request = await resolve_request(
                    session, GOOD | {"wishes": wishes}, default_values()
                )
            except RequestRefusedError as refused:
                faults += len(refused.as_problem()["errors"])
            else:
                taken += 1
                again = await resolve_request(
                    session, request.model_dump(mode="json"), default_values()
                )
                assert again.wishes == request.wishes
    assert taken + faults >= 80


async def build(engine: AsyncEngine, wishes: list[dict[str, Any]]) -> Snapshot:
    async with transaction(engine) as session:
        request = await resolve_request(session, GOOD | {"wishes": wishes}, default_values())
        return await CandidatePoolService(session).build(request, default_values())


@pytest.mark.sql
async def test_a_name_and_its_id_are_one_request(catalogue: AsyncEngine) -> None:
    said: list[dict[str, Any]] = [
        {"kind": "at", "place": "citya place 1", "day": 1},
        {"kind": "visit", "type": ["博物馆"], "tag": ["Museum"]},
        {"kind": "eat", "cuisine": ["四川菜"]},
        {"kind": "hotel", "hotel": "CityA Hotel 0", "weight": "rather"},
    ]
    ids: list[dict[str, Any]] = [
        {"kind": "at", "place": "poi_citya_0001", "day": 1, "weight": "must"},
        {"kind": "visit", "type": ["museum"], "tag": ["museum"], "at_least": 1},
        {"kind": "eat", "cuisine": ["sichuan"]},
        {"kind": "hotel", "hotel": "hotel_citya_000", "weight": "rather"},
    ]
    by_name, by_id = await build(catalogue, said), await build(catalogue, ids)
    assert by_name.sha256 == by_id.sha256
    assert (await build(catalogue, [])).sha256 != by_id.sha256
    shown = preview_document(by_name, "en")["wishes"]
    assert [wish["kept"] for wish in shown] == [None] * 4
    assert [wish["text"] for wish in shown] == [
        "CityA place 1; on day 1",
        "visit at least 1 of: museum",
        "at least 1 meal(s): sichuan",
        "stay at CityA hotel 0",
    ]


def test_without_wishes_a_snapshot_is_as_it_was_before_there_were_any() -> None:
    snapshot = make_snapshot()
    assert "wishes" not in snapshot.as_json()["request"]
    assert make_snapshot(wishes=[]).sha256 == snapshot.sha256
