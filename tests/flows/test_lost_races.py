"""Of admins who change the same thing at once one wins; the others get 412, and nothing of theirs is done."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import pytest

from tests.flows.conftest import Client
from tests.sources.specs import make_spec

pytestmark = pytest.mark.sql

POI, HOTEL, TRAIN = "pois/beijing-gugong", "hotels/{hotel}", "trains/{train}"

CHANGES: dict[str, tuple[str, str, Sequence[Mapping[str, Any]]]] = {
    "param": ("params/POOL_POI_SIZE", "PATCH", [{"value": n} for n in (31, 32, 33, 34)]),
    "tool": ("tools/list_pois", "PATCH", [{"max_return_rows": n} for n in (3, 4, 5)]),
    "switch": ("tools/get_poi", "PATCH", [{"enabled": False}, {"enabled": False, "why": "so"}]),
    "param set back": (
        "params/POOL_POI_SIZE/revert",
        "POST",
        [{"to": 1}, {"to": "default"}, {}, {"to": 1, "why": "no"}],
    ),
    "tool set back": ("tools/list_pois/revert", "POST", [{"to": 1}, {"to": "default"}, {}]),
    "place": (POI, "PATCH", [{"price": f"{n}.00"} for n in (71, 72, 73)]),
    "hotel": (HOTEL, "PATCH", [{"price_per_night": f"{n}.00"} for n in (371, 372, 373)]),
    "train": (TRAIN, "PATCH", [{"price": f"{n}.00"} for n in (271, 272, 273)]),
    "source": ("sources/double", "PATCH", [{"enabled": True}, {"enabled": True, "why": "so"}]),
}


async def find_rows(admin: httpx.AsyncClient) -> dict[str, str]:
    """A hotel and a train of the catalogue."""
    request = {
        "origin": "shanghai",
        "destinations": [{"city": "beijing"}],
        "start_date": "2026-11-27",
        "days": 3,
        "travellers": 2,
        "budget_tier": "comfort",
    }
    body = {"request": request}
    today = (await admin.post("/v1/admin/pool-preview", json=body)).json()["today"]
    hotel, train = today["cities"]["beijing"]["hotels"][0], today["legs"][0]["trains"][0]
    return {"hotel": hotel, "train": train}


async def count_entries(admin: httpx.AsyncClient) -> int:
    return len((await admin.get("/v1/admin/audit", params={"limit": 200})).json()["items"])


async def test_one_writer_wins_and_nothing_of_the_others_is_done(api: Client) -> None:
    admins = [await api(tenant, "admin") for tenant in ("one", "one", "two")]
    first = admins[0]
    rows = await find_rows(first)
    await first.post("/v1/admin/sources", json=make_spec())
    for name, (path, method, bodies) in CHANGES.items():
        place = f"/v1/admin/{path.format(**rows)}"
        thing = place.removesuffix("/revert")
        seen = await first.get(thing)
        tag = {"If-Match": seen.headers["ETag"]}
        entries = await count_entries(first)
        answers = await asyncio.gather(
            *(
                admins[n % 3].request(method, place, json=body, headers=tag)
                for n, body in enumerate(bodies)
            )
        )
        codes = [answer.status_code for answer in answers]
        assert sorted(codes) == [200, *[412] * (len(bodies) - 1)], (name, codes)
        lost = [answer.json()["code"] for answer in answers if answer.status_code == 412]
        assert set(lost) == {"STALE_VERSION"}, name
        won = next(answer for answer in answers if answer.status_code == 200)
        now = await first.get(thing)
        assert (now.json(), now.headers["ETag"]) == (won.json(), won.headers["ETag"]), name
        assert now.json() != seen.json(), name
        assert await count_entries(first) == entries + 1, name
        late = await first.request(method, place, json=bodies[0], headers=tag)
        assert late.status_code == 412, name
        assert (await first.get(thing)).json() == now.json(), name
        if "catalogue_version" in now.json():
            versions = (answer.json()["catalogue_version"] for answer in (seen, now))
            assert next(versions) + 1 == next(versions), name
