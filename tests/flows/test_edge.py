"""What a stranger may send: every answer is a problem document that names the fault, never a 500."""

import json
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from backend.api.responses import Problem
from backend.document import Page
from backend.params.queries import ParamItem
from backend.pool.why import Explanation
from backend.runs.life.result import RunDocument
from backend.runs.log.queries import RunItem
from backend.runs.log.run_log import StepItem
from backend.tools.queries import ToolItem
from tests.flows.conftest import REQUEST, Client

pytestmark = pytest.mark.sql

JSON = {"Content-Type": "application/json"}


async def check_refused(response: httpx.Response, *statuses: int) -> dict[str, Any]:
    """The problem document of a refusal."""
    assert response.status_code in statuses, response.text[:300]
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert problem["status"] == response.status_code
    return problem


async def test_no_address_makes_the_server_fail(api: Client) -> None:
    client = await api("one", "user", "admin", "developer")
    run_id = (await client.post("/v1/itineraries", json=REQUEST)).json()["id"]
    for path in (
        "/v1/itineraries/%00",
        "/v1/itineraries/%00/events",
        f"/v1/itineraries/{run_id}/why?place=%00",
        "/v1/itineraries?cursor=%00",
        "/v1/runs/%00/trace",
        "/v1/runs/%00%0d%0aforged/snapshot",
    ):
        problem = await check_refused(await client.get(path), 400)
        assert problem["code"] == "BAD_ADDRESS", path
    for path, pointer in (
        ("/v1/itineraries?cursor=%27;%20drop", "/cursor"),
        ("/v1/itineraries?cursor=", "/cursor"),
        ("/v1/itineraries?limit=-1", "/limit"),
        ("/v1/itineraries?limit=1e2", "/limit"),
        (f"/v1/runs/{run_id}/trace?cursor=9999999999", "/cursor"),
        (f"/v1/runs/{run_id}/trace?cursor=-1", "/cursor"),
    ):
        problem = await check_refused(await client.get(path), 422)
        assert [fault["pointer"] for fault in problem["errors"]] == [pointer], path
    for path in ("/v1/itineraries/%ff", "/v1/itineraries/%F0%9F%98%80", "/v1/runs/'--/trace"):
        await check_refused(await client.get(path), 404)


async def test_no_header_makes_the_server_fail(api: Client) -> None:
    client = await api("one", "user", "admin")
    superscript, long = "²".encode("latin-1"), b"9" * 5000
    for prefer in (b"wait=" + superscript, b"wait=x", b"wait=-1", b"wait"):
        response = await client.post("/v1/itineraries", json=REQUEST, headers=[(b"prefer", prefer)])
        assert (response.status_code, response.headers.get("preference-applied")) == (202, None)
    path = "/v1/admin/params/POOL_POI_SIZE"
    for tag in (b'"' + superscript + b'"', b'"' + long + b'"', b'"-1"', b'"1", "2"', b"", b"x"):
        for target, body in (
            (path, {"value": 60}),
            ("/v1/admin/tools/list_pois", {"enabled": True}),
        ):
            response = await client.patch(target, json=body, headers=[(b"if-match", tag)])
            await check_refused(response, 422)
    response = await client.post("/v1/itineraries", json=REQUEST, headers={"Idempotency-Key": ""})
    await check_refused(response, 422)


BAD_BODIES = (
    (b'{"enabled": "yes"}', 422, "bool_type"),
    (b'{"enabled": null}', 422, "bool_type"),
    (b'{"max_return_rows": true}', 422, "int_type"),
    (b'{"max_return_rows": "5"}', 422, "int_type"),
    (b'{"max_return_rows": 0}', 422, "OUT_OF_BOUNDS"),
    (b'{"a/b~c": 1}', 422, "extra_forbidden"),
    (b"{}", 422, "value_error"),
    (b"[]", 422, "model_type"),
    (b"", 400, "BAD_JSON"),
    (b"{", 400, "BAD_JSON"),
    (b'{"enabled": true, "enabled": false}', 400, "BAD_JSON"),
    (b'{"enabled": NaN}', 400, "BAD_JSON"),
    (b"[" * 100_000, 400, "BAD_JSON"),
)


async def test_an_admins_bad_body_is_named_and_changes_nothing(api: Client) -> None:
    client = await api("one", "admin")
    path = "/v1/admin/tools/list_pois"
    before = (await client.get("/v1/admin/tools")).json()
    for body, status, code in BAD_BODIES:
        problem = await check_refused(await client.patch(path, content=body, headers=JSON), status)
        faults = problem.get("errors", ())
        assert code in {problem["code"], *(fault["code"] for fault in faults)}, body[:40]
        if b"a/b~c" in body:
            assert [fault["pointer"] for fault in faults] == ["/a~1b~0c"]
    assert (await client.get("/v1/admin/tools")).json() == before


async def test_a_tools_version_is_kept_too(api: Client) -> None:
    client = await api("one", "admin")
    path = "/v1/admin/tools/list_pois"
    first = await client.patch(path, json={"max_return_rows": 7})
    tag = {"If-Match": first.headers["etag"]}
    assert (await client.patch(path, json={"max_return_rows": 8}, headers=tag)).status_code == 200
    problem = await check_refused(
        await client.patch(path, json={"max_return_rows": 9}, headers=tag), 412
    )
    assert problem["code"] == "STALE_VERSION"


async def test_nothing_is_read_of_a_body_without_a_key_nor_beyond_the_bound(api: Client) -> None:
    client = await api("one", "user", "admin")
    path = "/v1/admin/tools/list_pois"
    stranger = {"Authorization": "Bearer wp_unknown"}
    await check_refused(await client.patch(path, json={}, headers=stranger), 401)
    huge = b"{" + b" " * 2_000_000
    for method, target in (("POST", "/v1/itineraries"), ("PATCH", path)):
        problem = await check_refused(await client.request(method, target, content=huge), 413)
        assert problem["code"] == "TOO_LARGE"


async def test_a_refusal_can_quote_what_is_no_text(api: Client) -> None:
    body = json.dumps(REQUEST | {"\ud800": 1}).encode()
    response = await (await api()).post("/v1/itineraries", content=body)
    await check_refused(response, 422)


async def test_a_wrong_method_is_told_the_right_ones(api: Client) -> None:
    client = await api()
    for path, methods in (("", "GET, POST"), ("/run_1", "DELETE, GET"), ("/run_1/cancel", "POST")):
        response = await client.put(f"/v1/itineraries{path}")
        await check_refused(response, 405)
        assert response.headers["allow"] == methods


async def test_answers_are_as_documented(api: Client) -> None:
    client = await api("one", "user", "admin", "developer")
    wait = {"Prefer": "wait=50"}
    run = (await client.post("/v1/itineraries", json=REQUEST, headers=wait)).json()
    path = f"/v1/itineraries/{run['id']}"
    tight = REQUEST | {"budget_total": 1}
    infeasible = (await client.post("/v1/itineraries", json=tight, headers=wait)).json()
    assert infeasible["status"] == "infeasible"
    answers: list[tuple[type[BaseModel], Any]] = [
        (RunDocument, run),
        (RunDocument, infeasible),
        (Page[RunItem], (await client.get("/v1/itineraries")).json()),
        (Explanation, (await client.get(f"{path}/why?place=故宫博物院")).json()),
        (Page[StepItem], (await client.get(f"/v1/runs/{run['id']}/trace")).json()),
        (Page[ParamItem], (await client.get("/v1/admin/params")).json()),
        (Page[ToolItem], (await client.get("/v1/admin/tools")).json()),
        (Problem, (await client.get("/v1/itineraries/run_unknown")).json()),
        (Problem, (await client.post("/v1/itineraries", json={})).json()),
    ]
    for document, answer in answers:
        assert document.model_validate(answer).model_dump(mode="json").keys() >= answer.keys()
