"""Statistics compare models by what their runs came to, and findings bring a value to try."""

from decimal import Decimal
from pathlib import Path

import pytest

from backend.mock_llm.scenario import Scenario, UsageScript, find_scenario
from tests.flows.conftest import REQUEST, make_key
from tests.flows.models import open_desk

pytestmark = pytest.mark.sql

PRICES = {"prices": {"input": "2", "cached": "0.5", "output": "8"}}


async def test_models_are_compared_by_ends_tokens_cost_seconds_and_invalid_calls(
    seeded_url: str, tmp_path: Path
) -> None:
    scenarios = {
        "good": Scenario(usage=UsageScript(input=1000, cached=400, output=50)),
        "lost": find_scenario("always-fails"),
    }
    async with open_desk(seeded_url, tmp_path, scenarios, {"good": PRICES}) as desk:
        runs = [await desk.plan(name) for name in ("good", "lost", "good")]
        stats = await desk.read("/v1/admin/stats", by="model", against="previous")
    good, lost = (group for group in stats["groups"])
    assert (good["key"], good["runs"], good["succeeded"], good["fell_back"]) == ("good", 2, 2, 0)
    assert (lost["key"], lost["runs"], lost["fell_back"]) == ("lost", 1, 1)
    for group, own in ((good, [runs[0], runs[2]]), (lost, [runs[1]])):
        for key in ("input_tokens", "cached_tokens", "output_tokens"):
            assert group[key] == sum(run["usage"][key] for run in own) > 0
        assert group["seconds"] > 0
    assert good["cost"] == str(sum(Decimal(run["cost"]["amount"]) for run in (runs[0], runs[2])))
    assert lost["cost"] is None
    assert (good["invalid_calls"], good["invalid_share"]) == (0, 0)
    assert lost["invalid_calls"] > 1
    assert 0 < lost["invalid_share"] <= 1
    assert sum(part["runs"] for part in stats["timeline"]) == 3


async def test_a_finding_names_a_value_a_run_and_the_call_that_tries_it(
    seeded_url: str, tmp_path: Path
) -> None:
    async with open_desk(seeded_url, tmp_path, {"lost": find_scenario("repeats")}) as desk:
        runs = [await desk.plan() for _ in range(3)]
        stats = await desk.read("/v1/admin/stats")
        found = {finding["code"]: finding for finding in stats["findings"]}
        repeats = found["REPEATS"]
        assert (repeats["tool"], repeats["value"]) == ("list_pois", 50)
        assert repeats["run_id"] in {run["id"] for run in runs}
        preview = repeats["preview"]
        tried = await desk.client.post(preview["href"], json=preview["body"])
    assert preview["body"] == {"run_id": repeats["run_id"], "limits": {"list_pois": 50}}
    before, after = (tried.json()[side]["lists"]["list_pois"] for side in ("today", "proposed"))
    assert after["pages"] < before["pages"]


async def test_another_tenant_sees_neither_figures_nor_requests_nor_runs(
    seeded_url: str, tmp_path: Path
) -> None:
    async with open_desk(seeded_url, tmp_path, {"lost": find_scenario("repeats")}) as desk:
        runs = [await desk.plan(notes="我的腿不好，请少走路") for _ in range(3)]
        ids = [run["id"] for run in runs]
        other = await make_key(seeded_url, "two", "user", "admin")
        strangers = {"Authorization": f"Bearer {other}"}
        own = await desk.client.post(
            "/v1/itineraries", json=REQUEST, headers=strangers | {"Prefer": "wait=60"}
        )
        for by in ("city", "model", "tenant", "tool"):
            span = {"by": by, "against": "previous"}
            mine = (await desk.client.get("/v1/admin/stats", params=span)).json()
            answer = await desk.client.get("/v1/admin/stats", params=span, headers=strangers)
            theirs = answer.json()
            assert (mine["runs"], theirs["runs"]) == (3, 1)
            assert [group["runs"] for group in theirs["groups"] if by != "tool"] == [1] * (
                by != "tool"
            )
            assert sum(part["runs"] for part in theirs["timeline"]) == 1
            assert theirs["findings"] == []
            assert mine["findings"]
            assert not any(run_id in answer.text for run_id in ids)
            assert "少走路" not in str(mine)
            assert "request" not in {key for f in mine["findings"] for key in f["preview"]["body"]}
            if by == "tenant":
                assert [[g["key"] for g in side["groups"]] for side in (mine, theirs)] == [
                    ["one"],
                    ["two"],
                ]
        assert own.status_code == 200
        for run_id, status in ((ids[0], 404), (own.json()["id"], 200), ("run_none", 404)):
            tried = await desk.client.post(
                "/v1/admin/pool-preview", json={"run_id": run_id}, headers=strangers
            )
            assert tried.status_code == status, tried.text
        for body in ({}, {"run_id": ids[0], "request": REQUEST}):
            refused = await desk.client.post("/v1/admin/pool-preview", json=body)
            assert refused.status_code == 422
            assert refused.json()["errors"][0]["message"] == "give either request or run_id"
