"""Several models behind one API: chosen per run, accounted for, paid for, bounded."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from backend.mock_llm.scenario import CallScript, Scenario, Step, UsageScript
from tests.flows.conftest import REQUEST
from tests.flows.models import open_desk

pytestmark = pytest.mark.sql

PRICES = {"prices": {"input": "2", "cached": "0.5", "output": "8"}}
USAGE = UsageScript(input=1000, cached=400, output=50)


async def test_each_run_has_its_model_its_ledger_and_its_cost(
    seeded_url: str, tmp_path: Path
) -> None:
    scenarios = {
        "good": Scenario(dialect="openai"),
        "paid": Scenario(dialect="deepseek", usage=USAGE),
    }
    configs: dict[str, Any] = {
        "good": {"model": "gpt-5", "profile": "openai"},
        "paid": {"profile": "deepseek", **PRICES},
    }
    async with open_desk(seeded_url, tmp_path, scenarios, configs) as desk:
        first, paid = await desk.plan(), await desk.plan("paid")
        ledger = await desk.read(f"/v1/runs/{first['id']}/ledger")
        bill = await desk.read(f"/v1/runs/{paid['id']}/ledger")
        refused = await desk.client.post("/v1/itineraries?model=piad", json=REQUEST)
        events = (await desk.client.get(f"/v1/itineraries/{paid['id']}/events")).text
    assert (first["model"], paid["model"]) == ("good", "paid")
    assert {first["status"], paid["status"]} == {"succeeded"}
    assert {first["planner_used"], paid["planner_used"]} == {"openai"}
    assert [mock.faults for mock in desk.mocks.values()] == [[], []]
    assert '"model": "paid"' in events
    assert refused.json()["errors"][0]["suggestions"][0]["id"] == "paid"

    turns = first["usage"]["turns"]
    assert first["cost"] is None
    assert [request["turn"] for request in ledger["requests"]] == list(range(1, turns + 1))
    assert ledger["tokenizer"] == {"name": "o200k_base", "is_estimate": False}
    check_reported(ledger, first["usage"])
    # The prefix is byte-stable: from the second request on the double's cache knows all that was sent.
    for before, after in itertools.pairwise(ledger["requests"]):
        assert after["reported"]["cached_tokens"] == before["reported"]["input_tokens"]
        assert after["total"]["bytes"] == before["total"]["bytes"] + after["new"]["bytes"]
    assert ledger["main_context"]["fits"]
    assert ledger["main_context"]["total"]["tokens"] > ledger["requests"][-1]["total"]["tokens"]

    turns = paid["usage"]["turns"]
    assert paid["cost"] == {"amount": f"{turns * 0.0018:.4f}".rstrip("0"), "currency": "CNY"}
    assert bill["cost"] == paid["cost"]
    assert bill["tokenizer"]["is_estimate"]


def check_reported(ledger: dict[str, Any], usage: dict[str, Any]) -> None:
    reported = ledger["throughput"]["reported"]
    for key in ("input_tokens", "cached_tokens", "output_tokens"):
        assert reported[key] == usage[key] == sum(r["reported"][key] for r in ledger["requests"])
    assert reported["new_tokens"] == usage["input_tokens"] - usage["cached_tokens"]


async def test_a_spent_day_refuses_new_runs_in_words(seeded_url: str, tmp_path: Path) -> None:
    configs = {"paid": PRICES}
    scenarios = {"paid": Scenario(usage=USAGE, then=(Step(say="Enjoy!"),))}
    async with open_desk(seeded_url, tmp_path, scenarios, configs) as desk:
        limit = "/v1/admin/params/TENANT_DAILY_COST_LIMIT"
        (await desk.client.patch(limit, json={"value": "0.01"})).raise_for_status()
        for _ in range(3):  # each costs 0.0036
            result = await desk.plan()
            assert (result["status"], result["cost"]["amount"]) == ("succeeded", "0.0036")
        refused = await desk.client.post("/v1/itineraries", json=REQUEST)
        free = await desk.plan(planner="builtin")
        (await desk.client.patch(limit, json={"value": None})).raise_for_status()
        again = await desk.plan()
    assert refused.status_code == 429
    assert refused.json()["code"] == "COST_LIMIT"
    assert "0.0108 today, the limit is 0.01" in refused.json()["detail"]
    assert (free["status"], free["cost"]) == ("succeeded", None)
    assert again["status"] == "succeeded"


async def test_a_full_context_hands_over_and_says_so(seeded_url: str, tmp_path: Path) -> None:
    listing = CallScript(name="list_pois", arguments={"city": "beijing", "unseen_only": True})
    scenarios = {"greedy": Scenario(then=(Step(calls=(listing,)),))}
    async with open_desk(seeded_url, tmp_path, scenarios) as desk:
        budget = "/v1/admin/params/CONTEXT_TOKEN_BUDGET"
        (await desk.client.patch(budget, json={"value": 6000})).raise_for_status()
        result = await desk.plan()
        ledger = await desk.read(f"/v1/runs/{result['id']}/ledger")
    assert (result["status"], result["planner_used"]) == ("succeeded", "builtin")
    assert result["fallback_reason"] == "context_budget"
    assert all(request["total"]["tokens"] <= 6000 for request in ledger["requests"])
    assert ledger["main_context"]["fits"] is False


async def test_a_slow_stream_shows_its_progress(seeded_url: str, tmp_path: Path) -> None:
    words = "我先看一看北京有哪些地方。" * 20
    slow = Step(say=words, piece_delay_ms=120)
    scenarios = {"slow": Scenario(dialect="openai", turns=(slow,))}
    async with open_desk(seeded_url, tmp_path, scenarios, {"slow": {"profile": "openai"}}) as desk:
        result = await desk.plan()
        trace = await desk.read(f"/v1/runs/{result['id']}/trace")
    told = [s["payload"] for s in trace["items"] if s["kind"] == "model_progressed"]
    assert told
    assert words.startswith("".join(payload["text"] for payload in told))
    assert result["status"] == "succeeded"
