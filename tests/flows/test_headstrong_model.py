"""A model that does what it was told not to, over real HTTP: the run still ends, sound or typed."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from backend.mock_llm.scenario import CallScript, Scenario, Step
from backend.mock_llm.server import serve_mock
from tests.flows.conftest import REQUEST, make_key, make_settings, serve

pytestmark = pytest.mark.sql

Calls = list[tuple[str, dict[str, Any]]]


@dataclass
class Headstrong:
    """Plays its own turns first, then lets the built-in planner plan."""

    turns: tuple[Calls, ...] = ()
    before_turn: Callable[[int], Awaitable[None]] | None = None

    async def choose(self, body: Mapping[str, Any], turn: int) -> Step:
        if self.before_turn is not None:
            await self.before_turn(turn)
        if turn >= len(self.turns):
            return Step(plan=True)
        calls = (CallScript(name=name, arguments=given) for name, given in self.turns[turn])
        return Step(calls=tuple(calls), spoil=("same_ids",))


async def run_with(
    url: str, double: Headstrong, client_made: Callable[[httpx.AsyncClient], None]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The result, and the outcomes of its calls in order."""
    secret = await make_key(url, "one", "user", "admin", "developer")
    headers = {"Authorization": f"Bearer {secret}", "Prefer": "wait=50"}
    async with serve_mock(Scenario(), brain=double) as mock:
        settings = make_settings(url, model="double", openai_base_url=mock.url)
        async with (
            serve(settings) as address,
            httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client,
        ):
            client_made(client)
            result = (await client.post("/v1/itineraries", json=REQUEST)).json()
            trace = (await client.get(f"/v1/runs/{result['id']}/trace")).json()["items"]
    assert mock.faults == []
    outcomes = [s["payload"]["outcome"] for s in trace if s["kind"] == "tool_called"]
    return result, outcomes


async def test_wrong_ids_switched_off_tools_and_repeats_end_well(seeded_url: str) -> None:
    same = ("list_pois", {"city": "北京"})
    off = ("list_hotels", {"city": "北京"})
    wrong = ("put_visit", {"day": 1, "poi_id": "shanghai-waitan"})
    clients: list[httpx.AsyncClient] = []

    async def switch(turn: int) -> None:
        if turn in (0, 2):
            path = "/v1/admin/tools/list_hotels"
            (await clients[0].patch(path, json={"enabled": turn == 2})).raise_for_status()

    double = Headstrong(turns=([same, same, same, off], [wrong, off]), before_turn=switch)
    result, outcomes = await run_with(seeded_url, double, clients.append)
    codes = [outcome["content"].get("error", {}).get("code") for outcome in outcomes[:6]]
    assert codes == [None, None, None, "TOOL_DISABLED", "NOT_IN_POOL", "TOOL_DISABLED"]
    assert [o["content"].get("repeat_of") for o in outcomes[:3]] == [None, 1, 1]
    assert result["status"] == "succeeded"
    assert result["planner_used"] == "openai" or result["fallback_reason"]


async def test_an_admins_limit_holds_from_the_next_page_of_the_same_run(seeded_url: str) -> None:
    page = ("list_pois", {"city": "北京", "unseen_only": True})
    clients: list[httpx.AsyncClient] = []

    async def lower(turn: int) -> None:
        if turn == 1:
            path = "/v1/admin/tools/list_pois"
            (await clients[0].patch(path, json={"max_return_rows": 5})).raise_for_status()

    double = Headstrong(turns=([page], [page]), before_turn=lower)
    result, outcomes = await run_with(seeded_url, double, clients.append)
    first, second = (outcome["content"] for outcome in outcomes[:2])
    assert (first["limit"], second["limit"], second["returned"]) == (25, 5, 5)
    assert len(second["rows"]) == 5
    assert result["status"] == "succeeded"
