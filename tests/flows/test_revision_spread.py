"""Edits over several plans of the seed catalogue: what was asked holds, or the answer says what clashes."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.conftest import REQUEST, Client
from tests.flows.test_revisions import plan, revise

pytestmark = pytest.mark.sql

TRIPS: tuple[dict[str, Any], ...] = (
    {"budget_total": "3600", "must_see": [], "days": 2},
    {
        "destinations": [{"city": "南京"}, {"city": "苏州"}],
        "must_see": ["中山陵"],
        "start_date": "2026-10-12",
        "days": 4,
        "budget_tier": "economy",
        "pace": "relaxed",
    },
)

Found = tuple[int, int, str]
Edit = dict[str, Any]
Result = dict[str, Any]


def list_items(result: Result, key: str) -> list[Found]:
    """Day, item and id of all that have such an id."""
    return [
        (day, item, entry[key])
        for day, row in enumerate(result["itinerary"]["days"], start=1)
        for item, entry in enumerate(row["items"])
        if entry.get(key)
    ]


def list_ids(result: Result, key: str) -> set[str]:
    return {row_id for _, _, row_id in list_items(result, key)}


def draw_edits(chance: random.Random, first: Result, snapshot: dict[str, Any]) -> Iterator[Edit]:
    """Edits of each kind, rather such as break something."""
    city = str(chance.choice(first["request"]["destinations"])["city"])
    pool, rows = snapshot["cities"][city], snapshot["rows"]
    unused = sorted(set(pool["pois"]) - list_ids(first, "poi_id"))
    days = [n for n, day in enumerate(first["itinerary"]["days"], 1) if day["city"] == city]
    longest = max(unused, key=lambda i: int(rows["pois"][i]["duration_min"]))
    dearest = max(pool["hotels"], key=lambda i: float(rows["hotels"][i]["price_per_night"] or 0))
    yield {"op": "add", "poi_id": longest, "day": chance.choice(days)}
    yield {"op": "add", "poi_id": chance.choice(unused)}
    yield {"op": "swap_hotel", "city": city}
    if dearest not in list_ids(first, "hotel_id"):
        yield {"op": "swap_hotel", "city": city, "hotel_id": dearest}
    for key in ("train_id", "hotel_id", "poi_id"):
        day, item, _ = chance.choice(list_items(first, key))
        yield {"op": "remove", "day": day, "item": item}
    yield {"op": "pace", "pace": chance.choice(["relaxed", "standard"])}


def draw_lock(chance: random.Random, first: Result, edit: Edit) -> list[Found]:
    """At times a visit that has to stay, which is not the one that goes."""
    here = edit.get("day"), edit.get("item")
    visits = [found for found in list_items(first, "poi_id") if found[:2] != here]
    return [chance.choice(visits)] if chance.random() < 0.5 else []


def list_out(first: Result, edit: Edit) -> set[str]:
    """Ids that may not be in the plan any more."""
    items = [
        *list_items(first, "poi_id"),
        *list_items(first, "hotel_id"),
        *list_items(first, "train_id"),
    ]
    if edit["op"] == "remove":
        return {i for day, item, i in items if (day, item) == (edit["day"], edit["item"])}
    if edit["op"] == "swap_hotel":
        days = first["itinerary"]["days"]
        stays = [e for day in days for e in day["items"] if day["city"] == edit["city"]]
        return {entry["hotel_id"] for entry in stays if entry.get("hotel_id")}
    return set()


def check_edit(first: Result, edit: Edit, revised: Result) -> None:
    keys = ("poi_id", "hotel_id", "train_id")
    planned = {key: list_ids(revised, key) for key in keys}
    assert list_out(first, edit).isdisjoint(set().union(*planned.values()))
    if edit["op"] == "add":
        days = {day for day, _, poi_id in list_items(revised, "poi_id") if poi_id == edit["poi_id"]}
        assert days == {edit["day"]} if "day" in edit else len(days) == 1
    if edit["op"] == "pace":
        assert revised["request"]["pace"] == edit["pace"]
    if "hotel_id" in edit:
        assert edit["hotel_id"] in planned["hotel_id"]


def check_end(revised: Result) -> None:
    """Sound, or what clashes is said."""
    errors = [v["code"] for v in revised["violations"] if v["severity"] == "error"]
    if revised["status"] == "succeeded":
        assert (errors, revised["clash"]) == ([], None)
        return
    assert revised["status"] == "infeasible"
    assert {clash["code"] for clash in revised["clash"]} <= set(errors)
    assert all(clash["message"] for clash in revised["clash"])


def check_losses(first: Result, edit: Edit, revised: Result) -> None:
    """Nothing that nobody asked for goes in silence."""
    lost = list_ids(first, "poi_id") - list_ids(revised, "poi_id") - list_out(first, edit)
    told = [v for v in revised["violations"] if v["code"] == "MADE_ROOM"]
    assert len(told) == len(lost)


@pytest.mark.parametrize("number", range(len(TRIPS)))
async def test_what_is_asked_holds_and_what_is_locked_stays(api: Client, number: int) -> None:
    client = await api("one", "user", "developer")
    first = await plan(client, **REQUEST | TRIPS[number])
    assert first["status"] == "succeeded"
    snapshot = (await client.get(f"/v1/runs/{first['id']}/snapshot")).json()
    chance = random.Random(number)
    ends = []
    for edit in draw_edits(chance, first, snapshot):
        locked = draw_lock(chance, first, edit)
        lock = [{"day": day, "item": item} for day, item, _ in locked]
        revised = await revise(client, first["id"], edits=[edit], lock=lock)
        check_edit(first, edit, revised)
        check_end(revised)
        check_losses(first, edit, revised)
        stays = {(day, poi_id) for day, _, poi_id in list_items(revised, "poi_id")}
        assert {(day, poi_id) for day, _, poi_id in locked} <= stays
        ends.append((edit["op"], revised["status"]))
    assert len(ends) >= 7
