"""A text read by rules and, where they do not understand, by a model that has to quote the words."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from backend.mock_llm.scenario import CallScript, Fault, Scenario, Step
from backend.mock_llm.server import MockLlm, serve_mock
from tests.flows.conftest import make_key, make_settings, serve
from tests.flows.test_itineraries import read_events

pytestmark = pytest.mark.sql

WHOLE = "2027年3月5日去西安玩3天，两个人，舒适"
ODD = "有人打呼噜所以床要分开"
"""Words that no rule knows."""


class Reader:
    """Answers the question about a text with entries, and plans as the built-in planner does."""

    def __init__(self, *entries: Mapping[str, Any], fail: Fault | None = None) -> None:
        self._entries, self._fail = entries, fail
        self.asked: list[dict[str, Any]] = []

    async def choose(self, body: Mapping[str, Any], turn: int) -> Step:
        del turn
        tools = [tool["function"]["name"] for tool in body["tools"]]
        if tools != ["take_reading"]:
            return Step(plan=True)
        self.asked.append(json.loads(body["messages"][1]["content"]))
        if self._fail:
            return Step(fail=self._fail)
        call = CallScript(name="take_reading", arguments={"entries": list(self._entries)})
        return Step(calls=(call,))


def entry(field: str, value: object, words: str) -> dict[str, str]:
    return {"field": field, "value": json.dumps(value, ensure_ascii=False), "words": words}


BEDS = entry("wishes", [{"kind": "beds", "in_room": "two_single", "weight": "must"}], ODD)


@asynccontextmanager
async def desk(url: str, reader: Reader) -> AsyncIterator[tuple[httpx.AsyncClient, MockLlm]]:
    secret = await make_key(url, "one", "user", "developer")
    headers = {"Authorization": f"Bearer {secret}", "Prefer": "wait=50"}
    async with serve_mock(Scenario(), brain=reader) as mock:
        settings = make_settings(url, model="double", openai_base_url=mock.url)
        async with (
            serve(settings) as address,
            httpx.AsyncClient(base_url=address, headers=headers, timeout=90) as client,
        ):
            yield client, mock


async def ask(client: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    response = await client.post("/v1/itineraries", json=body)
    assert response.status_code == 200, response.text
    document: dict[str, Any] = response.json()
    return document


async def look(client: httpx.AsyncClient, run_id: str) -> dict[str, Any]:
    document: dict[str, Any] = (await client.get(f"/v1/itineraries/{run_id}")).json()
    return document


def list_quoted(run: Mapping[str, Any], code: str) -> list[str]:
    return [w["text"] for w in run["reading"]["warnings"] if w["code"] == code]


async def test_what_a_model_reads_is_quoted_checked_recorded_and_planned(seeded_url: str) -> None:
    reader = Reader(BEDS)
    async with desk(seeded_url, reader) as (client, mock):
        run = await ask(client, text=f"{WHOLE}，{ODD}")
        fields = {k: v for k, v in run["request"].items() if k != "resolved"}
        same = await ask(client, **fields)
        events = await read_events(client, run["id"])
        assert mock.faults == []
    assert run["status"] == "succeeded", run
    assert [wish["kind"] for wish in run["request"]["wishes"]] == ["beds"]
    assert run["snapshot_sha256"] == same["snapshot_sha256"]
    assert len(reader.asked) == 1  # the request in fields has nothing to read
    assert reader.asked[0]["unread"] == [ODD] or ODD in "".join(reader.asked[0]["unread"])
    assert "".join(span["text"] for span in run["reading"]["spans"]) == f"{WHOLE}，{ODD}"
    by_model = [span for span in run["reading"]["spans"] if span.get("by") == "model"]
    assert [(s["text"], s["understood"], list(s["becomes"])) for s in by_model] == [
        (ODD, True, ["wishes"])
    ]
    assert list_quoted(run, "NOT_UNDERSTOOD") == []
    read = next(event for event in events if event["type"] == "text_read")
    assert read["entries"] == [{"field": "wishes", "words": ODD}]
    kinds = [event["type"] for event in events]
    assert kinds.index("run_started") < kinds.index("text_read") < kinds.index("pool_built")


async def test_its_tokens_count_and_the_run_verifies_byte_for_byte(seeded_url: str) -> None:
    async with desk(seeded_url, Reader(BEDS)) as (client, _):
        run = await ask(client, text=f"{WHOLE}，{ODD}")
        events = await read_events(client, run["id"])
        replay = await client.post(f"/v1/runs/{run['id']}/replay", json={})
    told = sum(e["usage"]["input_tokens"] for e in events if e["type"] == "model_replied")
    assert run["usage"]["input_tokens"] > told > 0
    assert replay.json()["verified"] is True, replay.text


REFUSED = [
    (entry("wishes", [{"kind": "beds", "in_room": "two_single"}], "两张床"), "words of its own"),
    (entry("planner", "openai", ODD), "no field of a trip"),
    (entry("wishes", [{"kind": "spaceship"}], ODD), "no kind of wish"),
    (entry("must_see", ["火星基地"], ODD), "a place that is not there"),
    (entry("days", 9, ODD), "a field that the text has said"),
    (entry("destinations", ["北京"], "西安"), "words that the rules have understood"),
    ({"field": "wishes", "value": "[" * 500, "words": ODD}, "no JSON"),
    ({"entries": 3}, "no entry"),
]


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in REFUSED], ids=[why for _, why in REFUSED])
async def test_what_a_model_makes_up_changes_nothing(
    seeded_url: str, wrong: Mapping[str, Any]
) -> None:
    async with desk(seeded_url, Reader(wrong)) as (client, _):
        run = await ask(client, text=f"{WHOLE}，{ODD}")
    assert run["status"] == "succeeded", run
    request = run["request"]
    assert (request["days"], request["planner"]) == (3, "auto")
    assert [stay["city"] for stay in request["destinations"]] == ["xian"]
    assert not request.get("wishes")
    assert not request["must_see"]
    assert any(ODD in said for said in list_quoted(run, "NOT_UNDERSTOOD"))


async def test_a_model_that_fails_costs_only_its_reading(seeded_url: str) -> None:
    async with desk(seeded_url, Reader(fail=Fault(kind="quota"))) as (client, _):
        run = await ask(client, text=f"{WHOLE}，{ODD}")
        events = await read_events(client, run["id"])
    assert run["status"] == "succeeded"
    read = next(event for event in events if event["type"] == "text_read")
    assert (read["entries"], read["error"]) == ([], "MODEL_QUOTA")
    assert any(ODD in said for said in list_quoted(run, "NOT_UNDERSTOOD"))


async def test_no_model_is_asked_where_all_is_understood_or_none_may_be(seeded_url: str) -> None:
    reader = Reader(BEDS)
    async with desk(seeded_url, reader) as (client, _):
        await ask(client, text=WHOLE)
        await ask(client, text=f"{WHOLE}，{ODD}", planner="builtin")
    assert reader.asked == []


async def test_notes_are_read_too_and_say_no_more_than_notes_may(seeded_url: str) -> None:
    moving = entry("budget_tier", "economy", ODD)
    base = {
        "destinations": [{"city": "西安"}],
        "start_date": "2027-03-05",
        "days": 3,
        "travellers": 2,
        "budget_tier": "comfort",
    }
    async with desk(seeded_url, Reader(BEDS, moving)) as (client, _):
        run = await ask(client, **base, notes=ODD)
    assert run["request"]["budget_tier"] == "comfort"
    assert list_kinds(run["request"]["wishes"]) == ["beds"]


def list_kinds(wishes: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(wish["kind"]) for wish in wishes]


VAGUE = "2027年3月5日去西安，两个人，舒适，从周五待到周日下午"
DAYS = entry("days", 3, "从周五待到周日下午")


async def test_a_model_reads_what_is_missing_before_anybody_is_asked(seeded_url: str) -> None:
    async with desk(seeded_url, Reader(DAYS)) as (client, _):
        run = await ask(client, text=VAGUE)
        kinds = [event["type"] for event in await read_events(client, run["id"])]
    assert (run["status"], run["request"]["days"], run["needs"]) == ("succeeded", 3, [])
    assert "input_needed" not in kinds


async def test_what_the_model_cannot_read_either_is_asked_for(seeded_url: str) -> None:
    async with desk(seeded_url, reader := Reader()) as (client, _):
        response = await client.post("/v1/itineraries", json={"text": VAGUE})
        asked = response.json()
        assert (response.status_code, asked["status"]) == (202, "needs_input")
        assert [need["field"] for need in asked["needs"]] == ["days"]
        assert (asked["request"], asked["finished_at"]) == (None, None)
        answers = {"answers": [{"field": "days", "value": 2}]}
        done = await client.post(f"/v1/itineraries/{asked['id']}/answers", json=answers)
        assert done.status_code == 200, done.text
        run = done.json()
        kinds = [event["type"] for event in await read_events(client, run["id"])]
    assert (run["status"], run["request"]["days"]) == ("succeeded", 2)
    assert len(reader.asked) == 1
    expected = ["run_queued", "run_started", "text_read", "input_needed", "run_queued"]
    assert kinds[: len(expected)] == expected


async def test_without_asking_defaults_are_taken_only_for_what_no_model_reads(
    seeded_url: str,
) -> None:
    text = "去西安，从周五待到周日下午"
    async with desk(seeded_url, Reader(DAYS)) as (client, _):
        run = await ask(client, text=text, ask=False)
    assert (run["status"], run["request"]["days"]) == ("succeeded", 3)
    taken = [w["code"] for w in run["reading"]["warnings"] if w["code"] == "DEFAULT_TAKEN"]
    assert len(taken) == 3  # date, travellers, tier


async def test_a_run_whose_words_are_being_read_can_be_cancelled(seeded_url: str) -> None:
    slow = Fault(kind="hang")
    async with desk(seeded_url, Reader(fail=slow)) as (client, _):
        started = await client.post(
            "/v1/itineraries", json={"text": VAGUE}, headers={"Prefer": "wait=1"}
        )
        assert started.status_code == 202
        assert started.json()["status"] in {"queued", "running"}
        assert (started.json()["request"], started.json()["needs"]) == (None, [])
        run_id = started.json()["id"]
        listed = (await client.get("/v1/itineraries")).json()["items"]
        assert [item["id"] for item in listed] == [run_id]
        await client.post(f"/v1/itineraries/{run_id}/cancel")
        async with asyncio.timeout(20):
            while (await look(client, run_id))["status"] != "cancelled":  # noqa: ASYNC110 - HTTP tells nobody
                await asyncio.sleep(0.1)
