"""A trip asked for in a sentence over HTTP: read, asked back, answered, planned."""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from backend.db.session import make_engine, transaction
from backend.params.queries import read_params
from backend.pool.plan_request import PlanRequest
from backend.runs.life.asking import take_request
from tests.agent.hostile_texts import HOSTILE
from tests.flows.conftest import REQUEST, Client
from tests.flows.test_itineraries import read_events

pytestmark = pytest.mark.sql

WHOLE = "2027年3月5日从上海去西安玩3天，两个人，舒适，预算6000元，想看兵马俑"


async def ask(client: httpx.AsyncClient, wait: int = 0, **body: Any) -> httpx.Response:
    headers = {"Prefer": f"wait={wait}"} if wait else {}
    return await client.post("/v1/itineraries", json=body, headers=headers)


async def test_a_whole_sentence_is_planned_and_shown_back(api: Client) -> None:
    response = await ask(await api(), 50, text=WHOLE)
    assert response.status_code == 200, response.text
    run = response.json()
    assert run["status"] == "succeeded"
    assert run["needs"] == []
    assert run["request"]["must_see"] == ["xian-bingmayong"]
    assert "".join(span["text"] for span in run["reading"]["spans"]) == WHOLE
    becomes = {k for span in run["reading"]["spans"] for k in span["becomes"]}
    assert {"origin", "destinations", "days", "travellers", "budget_total"} <= becomes


async def test_a_long_visit_of_the_morning_begins_in_it(api: Client) -> None:
    text = "2027年3月5日去北京玩3天，两个人，舒适，第二天上午去故宫"
    run = (await ask(await api(), 50, text=text)).json()
    assert run["status"] == "succeeded", run["violations"]
    (visit,) = (
        item
        for item in run["itinerary"]["days"][1]["items"]
        if item.get("poi_id") == "beijing-gugong"
    )
    assert visit["arrive"][11:16] <= "11:00"


@pytest.mark.parametrize(
    "body",
    [
        {"text": "2027年3月5日去北京玩3天，两个人，舒适，第二天下午三点看牙医"},
        {"text": "2027年3月5日去北京玩3天，两个人，舒适", "notes": "第二天下午三点看牙医"},
    ],
)
async def test_a_booking_in_words_is_kept_free_and_one_without_a_day_is_named(
    api: Client, body: dict[str, str]
) -> None:
    client = await api()
    run = (await ask(client, 50, **body)).json()
    assert run["status"] == "succeeded", run["violations"]
    (item,) = (i for i in run["itinerary"]["days"][1]["items"] if i["kind"] == "fixed")
    assert (item["title"], item["start"][11:16], item["end"][11:16]) == ("看牙医", "15:00", "16:30")
    unclear = {**body, "notes": "下午三点看牙医"}
    told = (await ask(client, 50, **unclear)).json()
    assert "下午三点看牙医" in str([w["text"] for w in told["reading"]["warnings"]])


async def test_text_names_and_ids_of_one_request_give_one_hash(api: Client) -> None:
    client = await api()
    fields = {
        "origin": "shanghai", "destinations": [{"city": "西安"}], "start_date": "2027-03-05",
        "days": 3, "travellers": 2, "budget_tier": "comfort", "budget_total": "6000",
    }  # fmt: skip
    runs = [
        (await ask(client, 50, text=WHOLE)).json(),
        (await ask(client, 50, **fields, must_see=["兵马俑"])).json(),
        (await ask(client, 50, **fields, must_see=["xian-bingmayong"], ask=False)).json(),
        (await ask(client, 50, text="想看兵马俑，两个人，去西安", **fields)).json(),
    ]
    assert len({run["snapshot_sha256"] for run in runs}) == 1
    assert runs[0]["snapshot_sha256"]


async def test_what_is_missing_is_asked_for_answered_once_and_planned(api: Client) -> None:
    client = await api()
    response = await ask(client, 20, text="from Shanghai to Xi'an, see the Terracotta Army")
    assert response.status_code == 202
    run = response.json()
    assert (run["status"], run["request"], run["cost"]) == ("needs_input", None, None)
    assert [need["field"] for need in run["needs"]] == ["start_date", "days", "travellers"]
    assert all(need["question"].endswith("?") and need["default"] for need in run["needs"])
    there = f"/v1/itineraries/{run['id']}/answers"

    bad = [
        {"answers": [{"field": "days", "value": 99}]},
        {"answers": [{"field": "pace", "value": "relaxed"}]},
        {"answers": [{"field": "days", "value": 3}, {"field": "days", "value": 4}]},
        {"answers": [{"field": "start_date", "value": "once upon a time"}]},
        {"answers": "3"},
        {},
    ]
    for body in bad:
        refused = await client.post(there, json=body)
        assert refused.status_code == 422, body
        assert refused.json()["errors"][0]["pointer"].startswith("/answers"), refused.json()
    listed = (await client.get("/v1/itineraries", params={"status": "needs_input"})).json()
    assert [item["id"] for item in listed["items"]] == [run["id"]]
    assert (await client.get(f"/v1/itineraries/{run['id']}")).json()["needs"] == run["needs"]

    answers = [{"field": "start_date", "value": "2027-03-05"}, {"field": "days", "value": "3"}]
    done = await client.post(there, json={"answers": answers}, headers={"Prefer": "wait=50"})
    assert done.status_code == 200, done.text
    document = done.json()
    assert document["status"] == "succeeded"
    assert (document["request"]["days"], document["request"]["travellers"]) == (3, 2)
    assert document["request"]["start_date"] == "2027-03-05"
    taken = [w for w in document["reading"]["warnings"] if w["code"] == "DEFAULT_TAKEN"]
    assert len(taken) == 2  # travellers and budget_tier
    again = await client.post(there, json={"answers": answers})
    assert (again.status_code, again.json()["code"]) == (409, "NO_QUESTIONS")
    events = await read_events(client, run["id"])
    assert [e["type"] for e in events][:3] == ["input_needed", "run_queued", "run_started"]
    assert events[0]["fields"] == ["start_date", "days", "travellers"]
    await asyncio.sleep(0)


async def test_without_asking_the_defaults_are_taken(api: Client) -> None:
    run = (await ask(await api(), 50, text="去西安", ask=False)).json()
    assert run["status"] in {"succeeded", "infeasible"}
    assert (run["request"]["days"], run["request"]["travellers"]) == (3, 2)
    assert run["needs"] == []


async def test_given_fields_beat_the_text_and_what_is_said_twice_is_asked_for(api: Client) -> None:
    client = await api()
    run = (await ask(client, text=WHOLE, days=2, ask=True)).json()
    assert run["request"]["days"] == 2
    twice = (await ask(client, text="3月5号或者3月8号去西安3天，两个人，舒适")).json()
    [need] = twice["needs"]
    assert (need["field"], len(need["choices"])) == ("start_date", 2)
    assert need["default"] == need["choices"][0]
    both = (
        await ask(client, text="去西安玩3天，两个人，舒适，带5岁孩子", start_date="2027-03-05")
    ).json()
    assert both["request"]["children"] == [5]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"text": "x" * 2001}, "/text"), ({"text": " "}, "/text"), ({"text": 5}, "/text"),
        ({"text": "去西安", "ask": "no"}, "/ask"), ({"text": "去西安", "days": 99}, "/days"),
        ({"text": "a\0b"}, "/text"), ({"text": "去西安", "must_see": ["没有这地方"]}, "/must_see/0"),
        ({"ask": False}, "/budget_tier"),
    ],
)  # fmt: skip
async def test_faults_of_what_is_given_are_named(
    api: Client, body: dict[str, Any], pointer: str
) -> None:
    response = await (await api()).post("/v1/itineraries", json=body)
    assert response.status_code == 422, response.text
    assert response.json()["errors"][0]["pointer"] == pointer


async def test_one_key_is_one_run_also_where_it_asks(api: Client) -> None:
    client = await api()
    key = {"Idempotency-Key": "k"}
    first = await client.post("/v1/itineraries", json={"text": "去西安"}, headers=key)
    second = await client.post("/v1/itineraries", json={"text": "去西安"}, headers=key)
    assert first.json()["id"] == second.json()["id"]
    other = await client.post("/v1/itineraries", json={"text": "去北京"}, headers=key)
    assert other.status_code == 409


async def test_a_run_with_questions_is_cancelled_by_hand_or_by_time(
    api: Client, seeded_url: str
) -> None:
    client = await api()
    by_hand, by_time = [(await ask(client, text="去西安")).json()["id"] for _ in range(2)]
    cancelled = await client.post(f"/v1/itineraries/{by_hand}/cancel")
    assert cancelled.json()["status"] == "cancelled"
    engine = make_engine(seeded_url)
    async with transaction(engine) as session:
        late = "update agent_run set deadline_at = now() - interval '1 minute' where id = :id"
        await session.execute(text(late), {"id": by_time})
    await engine.dispose()
    for _ in range(100):
        run = (await client.get(f"/v1/itineraries/{by_time}")).json()
        if run["status"] != "needs_input":
            break
        await asyncio.sleep(0.1)
    assert (run["status"], run["error"]) == ("cancelled", None)
    answers: dict[str, Any] = {"answers": []}
    late_answer = await client.post(f"/v1/itineraries/{by_time}/answers", json=answers)
    assert late_answer.status_code == 409


async def test_fields_alone_are_asked_for_as_ever(api: Client) -> None:
    run = (await ask(await api(), **REQUEST)).json()
    assert (run["needs"], run["reading"]) == ([], None)


async def test_notes_are_read_and_what_is_not_understood_is_quoted(api: Client) -> None:
    notes = "vegetarian, wheelchair, nothing spicy, dentist at 15:00, must see the Temple of Heaven"
    body = REQUEST | {"notes": notes, "locale": "en", "must_see": ["故宫博物院"]}
    run = (await ask(await api(), 50, **body)).json()
    request = run["request"]
    assert set(request["dietary"]) == {"vegetarian", "not_spicy"}
    assert request["access"] == ["wheelchair"]
    assert request["must_see"] == ["beijing-gugong", "beijing-tiantan"]
    assert (request["days"], request["notes"]) == (REQUEST["days"], notes)
    unclear = [v for v in run["violations"] if v["code"] == "NOT_UNDERSTOOD"]
    assert [v["severity"] for v in unclear] == ["warning"]
    assert "dentist at 15:00" in unclear[0]["message"]


@pytest.mark.parametrize("field", ["text", "notes"])
async def test_an_instruction_in_words_changes_no_rule(seeded_url: str, field: str) -> None:
    engine = make_engine(seeded_url)
    async with transaction(engine) as session:
        params = await read_params(session)
        plain = (await take_request(session, REQUEST, params)).request
        assert plain is not None
        for hostile in HOSTILE:
            said = hostile.text[:2000].replace("\0", "") or "-"
            taken = await take_request(session, {**REQUEST, field: said}, params)
            assert taken.request is not None
            kept = {"planner", "days", "destinations", "travellers", "start_date", "budget_tier",
                    "origin"}  # fmt: skip
            for name in kept:
                assert getattr(taken.request, name) == getattr(plain, name), (name, said)
            assert taken.reading is not None
            assert set(taken.reading.request) <= set(PlanRequest.model_fields)
    await engine.dispose()


async def test_the_tier_that_is_offered_is_comfort(api: Client) -> None:
    run = (await ask(await api(), text="2027年3月5日去西安3天，两个人")).json()
    assert [(need["field"], need["default"]) for need in run["needs"]] == [
        ("budget_tier", "comfort")
    ]
