"""`waypool places find`: an id for a clear name, the near ones for any other, a line each."""

import io
import json
from typing import Any

import pytest

from tests.cli.conftest import Waypool

pytestmark = pytest.mark.sql


def find(waypool: Waypool, *arguments: str) -> list[dict[str, Any]]:
    done = waypool("places", "find", *arguments, "--json")
    assert done.status == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_names_are_found_as_people_say_them(
    waypool: Waypool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert waypool("db", "seed").status == 0
    said = ["故宫", "the forbidden city", "FORBIDDEN  CITY", "故宮", "summer palace", "颐和圆"]
    shown = find(waypool, "--city", "北京市", *said)
    assert [line["said"] for line in shown] == said
    assert [line["id"] for line in shown] == ["beijing-gugong"] * 4 + ["beijing-yiheyuan"] * 2

    [walls] = find(waypool, "--city", "BEIJING", "长城")
    assert walls["id"] is None
    assert {"beijing-badaling", "beijing-mutianyu"} <= set(walls["near"])

    unknown, general, elsewhere = find(waypool, "--city", "xian", "埃菲尔铁塔", "公园", "故宫")
    assert [unknown["id"], general["id"], elsewhere["id"]] == [None, None, None]

    monkeypatch.setattr("sys.stdin", io.StringIO("兵马俑\n\nsofitel xi'an\n"))
    shown = find(waypool, "--city", "Xi'an")
    assert [line["id"] for line in shown] == ["xian-bingmayong", "xian-h-renmin"]

    assert waypool("places", "find", "兵马俑").out == "兵马俑: xian-bingmayong (秦始皇帝陵博物院)\n"
    refused = waypool("places", "find", "--city", "Beijin", "故宫")
    assert refused.status == 1
    assert "no city 'Beijin'" in refused.err
