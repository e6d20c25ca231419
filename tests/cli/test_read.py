"""`waypool read`: a sentence becomes fields of a request, with names of the real catalogue."""

import io

import pytest

from tests.cli.conftest import Waypool

pytestmark = pytest.mark.sql


def test_a_sentence_is_read_with_the_names_of_the_catalogue(
    waypool: Waypool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert waypool("db", "seed").status == 0
    said = "国庆带爸妈和5岁孩子从上海去西安玩4天，预算8000，想看兵马俑，不去碑林，喜欢美食，高铁去"
    read = waypool("read", said, "--today", "2026-12-01", "--json")
    assert read.status == 0, read.err
    assert read.json["request"] == {
        "origin": "shanghai",
        "destinations": [{"city": "xian"}],
        "start_date": "2027-10-01",
        "days": 4,
        "travellers": 4,
        "children": [5],
        "budget_total": "8000.00",
        "must_see": ["xian-bingmayong"],
        "avoid": ["xian-beilin"],
        "interests": ["food"],
        "locale": "zh-CN",
        "wishes": [{"kind": "intercity", "mode": "train", "types": ["G", "D", "C"]}],
    }
    marks = {entry["code"]: entry["text"] for entry in read.json["warnings"]}
    assert marks == {"DATE_ASSUMED": "国庆", "SENIOR_AGE_UNKNOWN": "爸妈"}

    monkeypatch.setattr("sys.stdin", io.StringIO("From Shanghai to Beijing, see the Great Wall\n"))
    english = waypool("read", "--json").json["request"]
    assert english["origin"] == "shanghai"
    assert english["destinations"] == [{"city": "beijing"}]
    assert "beijing-mutianyu" in english["must_see"][0]["any_of"]


def test_a_text_that_is_empty_or_too_long_is_refused(waypool: Waypool) -> None:
    assert waypool("read", " ").status == 2
    assert "2000" in waypool("read", "去" * 2001).err


def test_a_sentence_is_planned_in_a_terminal(waypool: Waypool) -> None:
    assert waypool("db", "seed").status == 0
    done = waypool("ask", "2027年3月5日去西安玩2天，想看兵马俑，尽量坐高铁", "--yes", "--json")
    assert done.status == 0, done.err
    assert done.json["status"] == "succeeded"
    assert done.json["request"]["must_see"] == ["xian-bingmayong"]
    taken = [w["code"] for w in done.json["reading"]["warnings"]]
    assert taken.count("DEFAULT_TAKEN") == 2
    assert "".join(s["text"] for s in done.json["reading"]["spans"]).startswith("2027年3月5日")
    assert waypool("ask", " ", "--yes").status == 1
