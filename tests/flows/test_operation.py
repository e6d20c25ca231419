"""What an operator sees from outside: metrics, open runs, refusals under load, traces by the book."""

import asyncio
import json
import socket
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from backend.clock import read_utc
from backend.db import session as database
from backend.db.session import make_engine, transaction
from backend.document import Page
from backend.mock_llm.scenario import Scenario, UsageScript
from backend.mock_llm.server import serve_mock
from backend.runs.life.open_runs import OpenRunItem
from backend.runs.log.queries import list_runs
from backend.runs.log.run_log import append_step
from backend.runs.log.steps import ModelProgressed, RunFinished, Step
from backend.runs.work import spans
from tests.flows.conftest import REQUEST, Client, make_key, make_settings, serve

pytestmark = pytest.mark.sql

WAIT = {"Prefer": "wait=50"}


def read_samples(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


async def test_metrics_tell_of_ended_and_waiting_runs_to_anybody(api: Client) -> None:
    client = await api("one", "user")
    run = (await client.post("/v1/itineraries", json=REQUEST, headers=WAIT)).json()
    assert run["status"] == "succeeded"
    answer = await client.get("/metrics", headers={"Authorization": ""})
    assert answer.status_code == 200
    samples = read_samples(answer.text)
    assert samples["waypool_runs_total"] == [({"status": "succeeded", "reason": ""}, 1.0)]
    assert samples["waypool_queue_depth"] == [({}, 0.0)]
    assert samples["waypool_run_seconds_count"] == [({}, 1.0)]
    assert samples["waypool_run_seconds_sum"][0][1] > 0
    calls = sum(value for _, value in samples["waypool_tool_calls_total"])
    assert calls == run["usage"]["tool_calls"]
    replies = [value for labels, value in samples["waypool_steps_total"]
               if labels["kind"] == "model_replied"]  # fmt: skip
    assert replies == [run["usage"]["turns"]]
    assert samples["waypool_model_seconds_count"][0][0] == {"planner": "builtin"}


async def test_an_admin_sees_what_is_open_of_the_own_tenant(seeded_url: str) -> None:
    key = await make_key(seeded_url, "one", "user", "admin")
    other = await make_key(seeded_url, "two", "admin")
    async with serve(make_settings(seeded_url, api_worker=False)) as address:  # noqa: SIM117
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            mine, theirs = ({"Authorization": f"Bearer {k}"} for k in (key, other))
            made = [
                (await client.post("/v1/itineraries", json=REQUEST, headers=mine)).json()["id"]
                for _ in range(2)
            ]
            page = (await client.get("/v1/admin/runs", headers=mine)).json()
            nothing = (await client.get("/v1/admin/runs", headers=theirs)).json()
    assert [run["id"] for run in page["items"]] == made
    first = Page[OpenRunItem].model_validate(page).items[0]
    assert (first.status, first.last_step, first.steps) == ("queued", "run_queued", 1)
    assert page["items"][0]["age_seconds"] >= page["items"][1]["age_seconds"] >= 0
    assert nothing["items"] == []


async def test_a_full_queue_is_a_429_that_says_when_to_come_again(seeded_url: str) -> None:
    key = await make_key(seeded_url, "one", "user", "admin")
    async with serve(make_settings(seeded_url, api_worker=False)) as address:
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            await client.patch("/v1/admin/params/TENANT_MAX_QUEUED", json={"value": 2})
            again = {"Idempotency-Key": "k"}
            first = await client.post("/v1/itineraries", json=REQUEST, headers=again)
            answers = await asyncio.gather(
                *(client.post("/v1/itineraries", json=REQUEST) for _ in range(4))
            )
            repeated = await client.post("/v1/itineraries", json=REQUEST, headers=again)
            await client.post(f"/v1/itineraries/{first.json()['id']}/cancel")
            after = await client.post("/v1/itineraries", json=REQUEST)
    assert sorted(answer.status_code for answer in answers) == [202, 429, 429, 429]
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.json()["code"] == "QUEUE_FULL"
    assert int(refused.headers["retry-after"]) > 0
    assert repeated.json()["id"] == first.json()["id"]
    assert after.status_code == 202


async def test_a_pool_without_a_free_connection_is_a_503(
    seeded_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "POOL_SECONDS", 0.2)
    key = await make_key(seeded_url, "one", "user")
    settings = make_settings(seeded_url, api_worker=False, database_pool_size=1)
    engine = make_engine(seeded_url)
    async with serve(settings) as address, httpx.AsyncClient(base_url=address) as client:
        async with transaction(engine) as session:  # the one connection waits for this lock
            await (await session.connection()).exec_driver_sql("lock table agent_run")
            headers = {"Authorization": f"Bearer {key}"}
            stuck = asyncio.create_task(client.get("/v1/itineraries", headers=headers, timeout=60))
            answer = await client.get("/readyz", timeout=60)
            while answer.status_code == 200:  # the other has not come to its lock yet
                answer = await client.get("/readyz", timeout=60)
        assert (await stuck).status_code == 200
    await engine.dispose()
    assert answer.status_code == 503
    assert answer.json()["code"] == "UNAVAILABLE"
    assert "retry-after" in answer.headers


async def test_a_reader_that_hangs_up_is_forgotten(seeded_url: str) -> None:
    key = await make_key(seeded_url, "one", "user")
    settings = make_settings(seeded_url, api_worker=False)
    headers = {"Authorization": f"Bearer {key}"}
    async with serve(settings) as address:  # noqa: SIM117 - the client needs the address
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            run_id = (await client.post("/v1/itineraries", json=REQUEST)).json()["id"]
            async with client.stream("GET", f"/v1/itineraries/{run_id}/events") as events:
                lines = events.aiter_lines()  # to drop it would hang up
                await anext(lines)
                assert await count_readers(client) == 1
            while await count_readers(client):  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(0.05)


MANY, LONG = 400, 25_000
"""Events of some 10 MB in all, more than sockets hold."""


async def test_a_reader_that_takes_nothing_costs_nobody_else(seeded_url: str) -> None:
    key = await make_key(seeded_url, "one", "user")
    headers = {"Authorization": f"Bearer {key}"}
    async with serve(make_settings(seeded_url, api_worker=False)) as address:  # noqa: SIM117
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            run_id = (await client.post("/v1/itineraries", json=REQUEST)).json()["id"]
            await write_long_log(seeded_url, run_id)
            path = f"/v1/itineraries/{run_id}/events"
            slow, hang_up = await read_nothing(address, path, key)
            others = await asyncio.gather(*(list_events(client, path) for _ in range(3)))
            assert others == [list(range(1, MANY + 1))] * 3
            assert await count_readers(client) == 1  # the slow one is still where it was
            text = await asyncio.wait_for(slow.read(), 60)
            hang_up.close()
    ids = [int(line[4:]) for line in text.split(b"\n") if line.startswith(b"id: ")]
    assert ids == others[0][1:]


async def write_long_log(url: str, run_id: str) -> None:
    """Steps behind the first one that say much, and the end."""
    said = ModelProgressed(planner="openai", turn=1, attempt=1, text="x" * LONG, calls=())
    engine = make_engine(url)
    async with transaction(engine) as session:
        for seq in range(2, MANY):
            step = Step(seq, said, read_utc())
            await append_step(session, run_id, step)
        ended = RunFinished(status="cancelled", error=None)
        await append_step(session, run_id, Step(MANY, ended, read_utc()))
    await engine.dispose()


async def read_nothing(
    address: str, path: str, key: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection that has asked for the events and takes its time."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    parts = urlsplit(address)
    connection.connect((parts.hostname, parts.port))
    reader, writer = await asyncio.open_connection(sock=connection, limit=4096)
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n"
        f"Authorization: Bearer {key}\r\n\r\n".encode()
    )
    await reader.readuntil(b"id: 1\n")
    return reader, writer


async def list_events(client: httpx.AsyncClient, path: str) -> list[int]:
    async with client.stream("GET", path) as events:
        lines = [line async for line in events.aiter_lines() if line.startswith("id: ")]
    return [int(line[4:]) for line in lines]


async def count_readers(client: httpx.AsyncClient) -> float:
    samples = read_samples((await client.get("/metrics")).text)
    return samples["waypool_event_readers"][0][1]


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(spans, "_TRACER", provider.get_tracer("test"))
    return exporter


def read_spans(exporter: InMemorySpanExporter) -> Sequence[dict[str, Any]]:
    return [json.loads(span.to_json()) for span in exporter.get_finished_spans()]


async def test_traces_follow_the_conventions_and_hold_no_contents(
    seeded_url: str, exporter: InMemorySpanExporter
) -> None:
    key = await make_key(seeded_url, "one", "user")
    usage = UsageScript(input=100, cached=40, output=10)
    async with serve_mock(Scenario(usage=usage)) as double:
        settings = make_settings(seeded_url, model="double", openai_base_url=double.url)
        async with serve(settings) as address:
            headers = {"Authorization": f"Bearer {key}", **WAIT}
            async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
                told = REQUEST | {"notes": "a secret wish"}
                run = (await client.post("/v1/itineraries", json=told)).json()
    assert run["status"] == "succeeded"
    found = read_spans(exporter)
    agents = [span for span in found if span["name"] == "invoke_agent waypool"]
    asked = [span for span in found if span["name"] == "chat double"]
    chats = [span for span in asked if span["parent_id"] is not None]
    assert len(asked) == len(chats) + 1  # the note was read before the planner began
    tools = [span for span in found if span["name"].startswith("execute_tool ")]
    assert len(agents) == 1
    assert agents[0]["attributes"]["gen_ai.conversation.id"] == run["id"]
    assert agents[0]["attributes"]["waypool.tenant"] == "one"
    assert len(chats) == run["usage"]["turns"]
    assert len(tools) == run["usage"]["tool_calls"]
    assert {span["parent_id"] for span in (*chats, *tools)} == {agents[0]["context"]["span_id"]}
    used = sum(span["attributes"]["gen_ai.usage.input_tokens"] for span in asked)
    assert used == run["usage"]["input_tokens"]
    assert "secret" not in json.dumps(found)
    assert "故宫" not in json.dumps(found, ensure_ascii=False)


async def test_nobody_listens_unless_asked() -> None:
    assert not isinstance(trace.get_tracer_provider(), TracerProvider)


async def test_one_tenants_many_runs_leave_anothers_one_alone(seeded_url: str) -> None:
    keys = [await make_key(seeded_url, tenant, "user") for tenant in ("many", "few")]
    engine = make_engine(seeded_url)
    settings = make_settings(seeded_url, worker_concurrency=2)
    async with serve(settings) as address, httpx.AsyncClient(base_url=address) as client:
        many, few = ({"Authorization": f"Bearer {key}"} for key in keys)
        for _ in range(24):
            await client.post("/v1/itineraries", json=REQUEST, headers=many, timeout=60)
        one = await client.post("/v1/itineraries", json=REQUEST, headers=few | WAIT, timeout=60)
        async with transaction(engine) as session:
            left = await list_runs(session, "many", 100, status="queued")
    await engine.dispose()
    assert one.json()["status"] == "succeeded"
    assert len(left) > 8
