"""`waypool sources`: the configured ones, tried with a file or a double, switched, added, removed."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Waypool
from tests.sources import doubles
from tests.sources.specs import make_spec

pytestmark = pytest.mark.sql


@pytest.fixture
def seeded(waypool: Waypool, seeded_url: str, monkeypatch: pytest.MonkeyPatch) -> Waypool:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    return waypool


def test_six_come_switched_off_and_can_be_switched_on(seeded: Waypool) -> None:
    items = seeded("sources", "list", "--json").json["items"]
    assert len(items) == 6
    assert not any(item["enabled"] for item in items)
    assert all({"shenzhen", "hongkong"} == set(item["cities"]) for item in items)
    found = seeded("sources", "enable", "hk_news", "hk_weather_now", "--json").json["items"]
    assert [item["enabled"] for item in found] == [True, True]
    assert seeded("sources", "disable", "hk_news").out == "hk_news: disabled\n"
    enabled = [
        item for item in seeded("sources", "list", "--json").json["items"] if item["enabled"]
    ]
    assert [item["name"] for item in enabled] == ["hk_weather_now"]
    unknown = seeded("sources", "enable", "hk_new")
    assert (unknown.status, "hk_news" in unknown.err) == (1, True)


def test_a_response_at_hand_is_projected(seeded: Waypool, tmp_path: Path) -> None:
    file = tmp_path / "traffic.csv"
    file.write_bytes(doubles.traffic(["01-01-2031", "02-01-2031"]))
    ask = ("sources", "test", "hk_border_crossings", "--response", file, "--json", "--args")
    tried = seeded(*ask, '{"date": "2031-01-02"}')
    assert (tried.status, tried.json["answer"]["total"]) == (0, 3000)
    assert tried.json["raw_bytes"] == file.stat().st_size
    beyond = seeded(*ask, '{"date": "2032-01-02"}')
    assert (beyond.status, beyond.json["error"]["code"]) == (1, "NOT_COVERED")
    wrong = seeded(*ask, '{"day": 1}')
    assert (wrong.status, wrong.json["error"]["code"]) == (1, "BAD_ARGUMENTS")
    shown = seeded(*ask[:-2], "--args", '{"date": "2031-01-02"}')
    assert "after projection" in shown.out


def test_nothing_is_fetched_from_where_it_must_not_be(seeded: Waypool, tmp_path: Path) -> None:
    file = tmp_path / "source.json"
    file.write_text(json.dumps(make_spec("http://127.0.0.1:9/data")))
    assert seeded("sources", "add", file).out == "double: version 1, disabled\n"
    tried = seeded("sources", "test", "double", "--json")
    assert (tried.status, tried.json["error"]["code"]) == (1, "SOURCE_FORBIDDEN")
    assert seeded("sources", "add", file).status == 1
    file.write_text(json.dumps(make_spec("http://127.0.0.1:9/other")))
    assert seeded("sources", "add", file, "--replace", "--json").json["version"] == 2
    shown = seeded("sources", "show", "double")
    assert json.loads(shown.out)["address"] == "http://127.0.0.1:9/other"
    assert seeded("sources", "remove", "double").status == 0
    assert seeded("sources", "show", "double").status == 1


def test_a_bad_source_is_told_by_place(seeded: Waypool, tmp_path: Path) -> None:
    file = tmp_path / "source.json"
    file.write_text(json.dumps(make_spec(format="pdf", name="X")))
    refused = seeded("sources", "add", file)
    assert refused.status == 1
    assert "name: " in refused.err
    assert "format: " in refused.err
    file.write_text(json.dumps(make_spec(name="list_pois")))
    assert "name of a tool" in seeded("sources", "add", file).err
