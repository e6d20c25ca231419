"""`waypool params` and `waypool tools`: listed with defaults and bounds, set within them."""

import pytest

from backend.params.registry import PARAMS
from backend.tools.registry import TOOLS
from tests.cli.conftest import Waypool

pytestmark = pytest.mark.sql


def test_tools_are_listed_with_what_applies(waypool: Waypool) -> None:
    items = {item["id"]: item for item in waypool("tools", "list", "--json").json["items"]}
    assert list(items) == [tool.name for tool in TOOLS]
    assert (items["list_pois"]["limit"], items["list_pois"]["max_return_rows"]) == (25, None)
    assert items["get_poi"]["limit"] is None
    text = waypool("tools", "list")
    assert (text.status, "list_trains" in text.out) == (0, True)


def test_a_tools_limit_is_set_and_goes_back_to_the_default(waypool: Waypool) -> None:
    changed = waypool("tools", "set", "list_hotels", "--limit", 3, "--json").json
    assert (changed["max_return_rows"], changed["limit"], changed["version"]) == (3, 3, 2)
    off = waypool("tools", "set", "list_hotels", "--disabled", "--json").json
    assert (off["enabled"], off["max_return_rows"]) == (False, 3)
    back = waypool("tools", "set", "list_hotels", "--limit", "default", "--enabled")
    assert back.out == "list_hotels: enabled, return limit 10\n"


@pytest.mark.parametrize(
    ("line", "status", "named"),
    [
        (("list_pois", "--limit", "0"), 2, "from 1 to 200"),
        (("list_pois", "--limit", "201"), 2, "from 1 to 200"),
        (("list_pois", "--limit", "-5"), 2, "from 1 to 200"),
        (("list_pois", "--limit", "few"), 2, "from 1 to 200"),
        (("get_poi", "--limit", "5"), 2, "without rows"),
        (("list_pois",), 2, "nothing to set"),
        (("list_poi", "--disabled"), 1, "near: list_pois"),
    ],
)
def test_a_wrong_change_of_a_tool_is_refused(
    waypool: Waypool, line: tuple[str, ...], status: int, named: str
) -> None:
    finished = waypool("tools", "set", *line)
    assert (finished.status, finished.out) == (status, "")
    assert named in finished.err


def test_params_are_listed_and_set(waypool: Waypool) -> None:
    items = {item["id"]: item for item in waypool("params", "list", "--json").json["items"]}
    assert list(items) == [param.key for param in PARAMS]
    assert (items["POOL_POI_SIZE"]["value"], items["POOL_POI_SIZE"]["maximum"]) == (60, 500)
    changed = waypool("params", "set", "POOL_POI_SIZE", "40", "--json").json
    assert (changed["value"], changed["default"]) == (40, 60)
    assert waypool("params", "set", "HOTEL_STARS_QUALITY", "5").out == "HOTEL_STARS_QUALITY = 5\n"
    assert waypool("params", "set", "POI_PRICE_CAP_ECONOMY", "none").status == 0
    items = {item["id"]: item for item in waypool("params", "list", "--json").json["items"]}
    assert items["POI_PRICE_CAP_ECONOMY"]["value"] is None
    assert items["HOTEL_STARS_QUALITY"]["value"] == [5]
    assert "HOTEL_STARS_QUALITY" in waypool("params", "list").out


@pytest.mark.parametrize(
    ("key", "value", "status", "named"),
    [
        ("POOL_POI_SIZE", "0", 2, "from 1 to 500"),
        ("POOL_POI_SIZE", "-1", 2, "from 1 to 500"),
        ("POOL_POI_SIZE", "many", 2, "from 1 to 500"),
        ("POOL_POI_SIZ", "5", 1, "POOL_POI_SIZE"),
    ],
)
def test_a_wrong_change_of_a_parameter_is_refused(
    waypool: Waypool, key: str, value: str, status: int, named: str
) -> None:
    finished = waypool("params", "set", key, value, "--json")
    assert finished.status == status
    assert named in finished.err
    assert finished.json["error"]["code"]


def test_changes_are_listed_and_undone(waypool: Waypool) -> None:
    waypool("params", "set", "POOL_POI_SIZE", "40", "--why", "less to read")
    waypool("params", "set", "POOL_POI_SIZE", "30")
    items = waypool("params", "history", "POOL_POI_SIZE", "--json").json["items"]
    assert [(item["old"], item["new"], item["why"]) for item in items] == [
        (40, 30, None),
        (60, 40, "less to read"),
    ]
    assert "operator" in waypool("params", "history", "POOL_POI_SIZE").out
    assert waypool("params", "revert", "POOL_POI_SIZE").out == "POOL_POI_SIZE = 40\n"
    back = waypool("params", "revert", "POOL_POI_SIZE", "--to", "default")
    assert back.out == "POOL_POI_SIZE = 60\n"
    assert waypool("params", "revert", "POOL_POI_SIZE", "--to", "3").out == "POOL_POI_SIZE = 30\n"
    waypool("tools", "set", "list_pois", "--limit", "3")
    assert waypool("tools", "revert", "list_pois").out == "list_pois: enabled, return limit 25\n"
    assert len(waypool("tools", "history", "list_pois", "--json").json["items"]) == 2
    assert waypool("params", "revert", "POOL_TRAIN_SIZE").status == 1
    assert waypool("params", "revert", "POOL_TRAIN_SIZE", "--to", "soon").status == 2
