"""What an admin changes over HTTP: read, set against a version, looked up, set back."""

import json

import pytest

from tests.flows.conftest import Client

pytestmark = pytest.mark.sql

PARAM = "/v1/admin/params/POOL_POI_SIZE"
TOOL = "/v1/admin/tools/list_pois"


@pytest.mark.parametrize(
    ("path", "first", "second"),
    [
        (PARAM, {"value": 40}, {"value": 30}),
        (TOOL, {"max_return_rows": 10}, {"enabled": False, "handle_threshold_tokens": 900}),
    ],
)
async def test_a_lost_race_is_a_412_and_everything_can_be_undone(
    api: Client, path: str, first: dict[str, object], second: dict[str, object]
) -> None:
    admin = await api("one", "admin")
    before = await admin.get(path)
    tag = {"If-Match": before.headers["ETag"]}
    changed = await admin.patch(path, json=first | {"why": "fewer is enough"}, headers=tag)
    assert changed.status_code == 200, changed.text
    lost = await admin.patch(path, json=second, headers=tag)
    assert (lost.status_code, lost.json()["code"]) == (412, "STALE_VERSION")
    assert (await admin.get(path)).json() == changed.json()
    tag = {"If-Match": changed.headers["ETag"]}
    assert (await admin.patch(path, json=second, headers=tag)).status_code == 200
    lost = await admin.post(f"{path}/revert", json={}, headers=tag)
    assert lost.status_code == 412
    back = await admin.post(f"{path}/revert", json={"to": 1, "why": "was better"})
    same = {"value", "max_return_rows", "enabled", "handle_threshold_tokens"} & set(back.json())
    assert {key: back.json()[key] for key in same} == {key: before.json()[key] for key in same}
    history = (await admin.get(f"{path}/history")).json()["items"]
    assert [entry["why"] for entry in history] == ["was better", None, "fewer is enough"]
    assert [entry["version"] for entry in history] == [4, 3, 2]
    assert history[0]["who"].startswith("key_")
    page = (await admin.get("/v1/admin/audit?limit=2")).json()
    rest = (await admin.get(f"/v1/admin/audit?limit=2&cursor={page['next_cursor']}")).json()
    assert page["items"] + rest["items"] == history


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{PARAM}/revert", {"to": "yesterday"}, 422),
        (f"{PARAM}/revert", {}, 409),
        (f"{PARAM}/revert", {"to": 9}, 404),
        (f"{PARAM}/revert", {"to": 10**30}, 404),
        (f"{TOOL}/revert", {"to": -(10**30)}, 404),
        ("/v1/admin/params/NO_SUCH/revert", {}, 404),
        ("/v1/admin/tools/no_such/revert", {}, 404),
    ],
)
async def test_a_wrong_way_back_is_named(
    api: Client, path: str, body: dict[str, object], status: int
) -> None:
    response = await (await api("one", "admin")).post(path, json=body)
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        (PARAM, {"value": 40, "why": "\0"}, "/why"),
        (f"{TOOL}/revert", {"why": "a\ud800"}, "/why"),
        ("/v1/admin/pois/beijing-gugong", {"price": "1.00", "why": "\0"}, "/why"),
        ("/v1/itineraries/run_x/feedback", {"rating": 5, "comment": "\0"}, "/comment"),
        ("/v1/runs/run_x/replay", {"mode": "live", "params": {"a/\0": ["\0"]}}, "/params/a~1?"),
    ],
)
async def test_what_no_database_takes_is_named(
    api: Client, path: str, body: dict[str, object], pointer: str
) -> None:
    client = await api("one", "user", "admin", "developer")
    is_change = path.startswith("/v1/admin") and not path.endswith("revert")
    method = "PATCH" if is_change else "POST"
    response = await client.request(method, path, content=json.dumps(body))
    assert response.status_code == 422, response.text
    fault = response.json()["errors"][0]
    assert (fault["pointer"], fault["code"]) == (pointer, "unstorable")


async def test_a_place_gets_its_whole_and_its_hour(api: Client) -> None:
    admin = await api("one", "admin")
    path = "/v1/admin/pois/beijing-jingshan"
    known = {"part_of": "beijing-gugong", "best_time": ["dusk"], "halls_hours": "09:00-16:00"}
    changed = await admin.patch(path, json=known)
    assert changed.status_code == 200, changed.text
    assert {key: changed.json()["row"][key] for key in known} == known
    for wrong, named in (
        ({"part_of": "shanghai-waitan"}, "in shanghai"),
        ({"part_of": "beijing-jingshan"}, "circle"),
        ({"part_of": "no-such"}, "no place"),
        ({"reach_mode": "coach"}, "missing beside reach_mode coach"),
    ):
        refused = await admin.patch(path, json=wrong)
        (fault,) = refused.json()["errors"]
        assert refused.status_code == 422
        assert fault["pointer"] in {"/part_of", "/reach_minutes"}
        assert named in fault["message"]
    emptied = await admin.patch(path, json={"part_of": None, "best_time": []})
    assert (emptied.json()["row"]["part_of"], emptied.json()["row"]["best_time"]) == (None, [])
