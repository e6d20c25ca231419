"""A tool is one file, one row, one name."""

from pathlib import Path

from backend.tools import toolset
from backend.tools.registry import TOOLS, find_tool
from backend.tools.toolset import list_pois

FILES = Path(str(toolset.__file__)).parent


def test_file_row_and_name_are_the_same() -> None:
    files = {path.stem for path in FILES.glob("*.py")} - {"__init__"}
    names = [tool.name for tool in TOOLS]
    assert sorted(names) == sorted(files)
    for tool in TOOLS:
        assert tool.handler.__module__ == f"{toolset.__name__}.{tool.name}"
        assert tool.handler.__name__ == tool.name
        assert tool.args.__module__ == tool.handler.__module__


def test_a_tool_is_found_by_its_name_alone() -> None:
    assert find_tool("list_pois") is list_pois.TOOL
    assert find_tool("LIST_POIS") is None


def test_list_tools_have_a_return_limit_and_no_others_do() -> None:
    defaults = {tool.name: tool.default_rows for tool in TOOLS if tool.default_rows is not None}
    assert defaults == {"list_pois": 25, "list_hotels": 10, "list_trains": 8}
    assert {tool.name for tool in TOOLS if tool.effect == "list"} == set(defaults)
