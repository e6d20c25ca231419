"""A killed process loses no run and pays no model call twice."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.mock_llm.scenario import Fault, Scenario, Step, UsageScript
from backend.mock_llm.server import serve_mock
from tests.flows.conftest import REQUEST, make_key, make_settings, serve

pytestmark = pytest.mark.sql

ROOT = Path(__file__).parents[2]
USAGE = UsageScript(input=100, cached=40, output=10)


@asynccontextmanager
async def api_process(url: str, double: str) -> AsyncIterator[tuple[subprocess.Popen[str], str]]:
    """`waypool serve` as a process of its own with a model, and its address."""
    env = os.environ | {  # noqa: TID251 - the environment of a child
        "WAYPOOL_DATABASE_URL": url,
        "WAYPOOL_MODEL": "double",
        "OPENAI_BASE_URL": double,
        "OPENAI_API_KEY": "sk-test",
        "WAYPOOL_HEARTBEAT_SECONDS": "0.2",
        "WAYPOOL_STALLED_AFTER_SECONDS": "1",
        "WAYPOOL_LOG_LEVEL": "error",
        "PYTHONUNBUFFERED": "1",
    }
    command = [sys.executable, "-m", "backend.cli", "serve", "--port", "0"]
    process = subprocess.Popen(  # noqa: ASYNC220 - starting it takes no time
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        yield process, line.split()[2].removesuffix("/v1")
    finally:
        if process.poll() is None:
            process.terminate()
        await asyncio.to_thread(process.wait)
        assert process.stdout is not None
        process.stdout.close()


async def follow(client: httpx.AsyncClient, run_id: str, until: str) -> dict[str, Any]:
    """The first event of a type."""
    async with client.stream("GET", f"/v1/itineraries/{run_id}/events") as events:
        async for line in events.aiter_lines():
            if line.startswith("data: "):
                event: dict[str, Any] = json.loads(line.removeprefix("data: "))
                if event["type"] == until:
                    return event
    raise AssertionError(f"no {until}")


async def test_killed_in_the_middle_and_started_again_the_run_ends(seeded_url: str) -> None:
    secret = await make_key(seeded_url, "one", "user", "developer")
    headers = {"Authorization": f"Bearer {secret}"}
    async with serve_mock(Scenario(delay_ms=50, usage=USAGE)) as double:
        async with (
            api_process(seeded_url, double.url) as (process, address),
            httpx.AsyncClient(base_url=address, headers=headers) as client,
        ):
            run_id = (await client.post("/v1/itineraries", json=REQUEST)).json()["id"]
            await follow(client, run_id, "tool_called")
            process.send_signal(signal.SIGKILL)
        async with (
            api_process(seeded_url, double.url) as (_, address),
            httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client,
        ):
            end = await follow(client, run_id, "run_finished")
            result = (await client.get(f"/v1/itineraries/{run_id}")).json()
            trace = (await client.get(f"/v1/runs/{run_id}/trace")).json()["items"]
    assert end["status"] == result["status"] == "succeeded"
    assert result["planner_used"] == "openai"
    assert [step["seq"] for step in trace] == list(range(1, len(trace) + 1))
    assert "run_resumed" in {step["kind"] for step in trace}
    replies = sum(step["kind"] == "model_replied" for step in trace)
    finished = Counter(seen.digest for seen in double.seen)
    # the one question that the kill cut off may be asked again, no finished one
    assert len(double.seen) <= replies + 1
    assert sum(count - 1 for count in finished.values()) <= 1
    assert result["usage"]["input_tokens"] == 100 * replies


async def test_a_model_over_real_http_plans_and_its_usage_is_recorded(seeded_url: str) -> None:
    secret = await make_key(seeded_url, "one", "user")
    async with serve_mock(Scenario(usage=USAGE)) as double:
        settings = make_settings(seeded_url, model="double", openai_base_url=double.url)
        async with serve(settings) as address:
            headers = {"Authorization": f"Bearer {secret}", "Prefer": "wait=50"}
            async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
                result = (await client.post("/v1/itineraries", json=REQUEST)).json()
    assert (result["status"], result["planner_used"]) == ("succeeded", "openai")
    turns = result["usage"]["turns"]
    assert result["usage"]["input_tokens"] == 100 * turns
    assert result["usage"]["cached_tokens"] == 40 * turns
    assert result["usage"]["output_tokens"] == 10 * turns
    assert double.faults == []


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (Step(fail=Fault(kind="unauthorized")), "MODEL_AUTH"),
        (Step(say="I think about it."), "no_progress"),
    ],
)
async def test_a_model_that_fails_hands_over_to_the_built_in_planner(
    seeded_url: str, step: Step, reason: str
) -> None:
    secret = await make_key(seeded_url, "one", "user")
    async with serve_mock(Scenario(then=(step,))) as double:
        settings = make_settings(seeded_url, model="double", openai_base_url=double.url)
        async with serve(settings) as address:
            headers = {"Authorization": f"Bearer {secret}", "Prefer": "wait=50"}
            async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
                result = (await client.post("/v1/itineraries", json=REQUEST)).json()
                only = REQUEST | {"planner": "openai"}
                strict = (await client.post("/v1/itineraries", json=only)).json()
    assert (result["status"], result["planner_used"]) == ("succeeded", "builtin")
    assert result["fallback_reason"] == reason
    assert strict["status"] == "failed"
    assert strict["error"]["code"] == reason.upper()
