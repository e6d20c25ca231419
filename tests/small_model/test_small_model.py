"""A model that is real and weak: the whole agent ends in a sound plan or a typed failure, and never hangs.

Left out by default; `-m small_model` runs it, with the extra `small-model`.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import click
import httpx
import pytest

from backend.agent.ledger import StopReason
from backend.cli import run
from tests.flows.conftest import REQUEST, make_key, make_settings, serve
from tests.small_model.server import MODEL_CONFIG, serve_model

pytestmark = [
    pytest.mark.small_model,
    pytest.mark.timeout(3600),
    pytest.mark.parametrize("server_url", ["embedded"], indirect=True),
]

TRIP = {key: REQUEST[key] for key in ("destinations", "start_date", "budget_tier", "interests")}
END_SECONDS = 1_800
ENDED = {"succeeded", "failed", "infeasible", "cancelled"}


@pytest.fixture(scope="session")
def model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_model(tmp_path_factory.mktemp("model")) as url:
        yield url


@pytest.fixture
def models_file(model_url: str, tmp_path: Path) -> Path:
    file = tmp_path / "models.json"
    config = MODEL_CONFIG | {"base_url": model_url}
    file.write_text(json.dumps({"models": [config]}), encoding="utf-8")
    return file


@pytest.fixture
async def client(seeded_url: str, models_file: Path) -> AsyncIterator[httpx.AsyncClient]:
    secret = await make_key(seeded_url, "one", "user", "developer")
    headers = {"Authorization": f"Bearer {secret}"}
    settings = make_settings(seeded_url, models_file=models_file)
    async with (
        serve(settings) as address,
        httpx.AsyncClient(base_url=address, headers=headers, timeout=90) as client,
    ):
        yield client


async def plan(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    """A run to its end, which a model of this kind takes minutes for."""
    body = TRIP | {"days": 1, "travellers": 2} | changes
    answer = await client.post("/v1/itineraries", json=body)
    run_id = answer.raise_for_status().json()["id"]
    for _ in range(END_SECONDS):
        result: dict[str, Any] = (await client.get(f"/v1/itineraries/{run_id}")).json()
        if result["status"] in ENDED:
            return result
        await asyncio.sleep(1)
    pytest.fail("the run did not end")


def show(result: dict[str, Any], trace: dict[str, Any]) -> None:
    """What the model did, for whoever runs this with `-s`."""
    click.echo(json.dumps([result["fallback_reason"], result["usage"]]))
    for step in trace["items"]:
        if step["kind"] in {"model_replied", "tool_called"}:
            click.echo(json.dumps(step["payload"], ensure_ascii=False)[:400])


def is_typed(reason: str) -> bool:
    return reason in set(StopReason) or reason.startswith("MODEL_")


@pytest.mark.parametrize("locale", ["zh-CN", "en"])
async def test_a_weak_model_ends_in_a_sound_plan(client: httpx.AsyncClient, locale: str) -> None:
    result = await plan(client, locale=locale)
    ledger = (await client.get(f"/v1/runs/{result['id']}/ledger")).json()
    trace = (await client.get(f"/v1/runs/{result['id']}/trace", params={"limit": 200})).json()
    show(result, trace)
    assert result["status"] == "succeeded"
    assert not any(v["severity"] == "error" for v in result["violations"])
    assert result["planner_used"] == "openai" or is_typed(result["fallback_reason"])
    assert ledger["requests"]
    assert ledger["tokenizer"]["is_estimate"]
    assert result["usage"]["input_tokens"] > 1_000


async def test_without_a_fallback_the_end_is_typed(client: httpx.AsyncClient) -> None:
    result = await plan(client, planner="openai", locale="en")
    assert result["status"] in {"succeeded", "failed"}
    if result["status"] == "failed":
        assert is_typed(result["error"]["code"].lower()) or is_typed(result["error"]["code"])


def test_the_bench_measures_it(
    seeded_url: str,
    models_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps(TRIP | {"days": 1, "travellers": 2}), encoding="utf-8")
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    monkeypatch.setenv("WAYPOOL_MODELS_FILE", str(models_file))
    assert run(["bench", "loop", "--request", str(request), "--json"]) == 0
    shown = capsys.readouterr().out
    (item,) = json.loads(shown)["items"]
    with capsys.disabled():
        click.echo(shown)
    assert (item["model"], item["is_sound"]) == ("small", True)
    assert item["turns"] >= 1
    assert item["seconds"] > 0
    assert item["input_tokens"] > 0
