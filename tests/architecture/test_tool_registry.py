"""A tool is one row and one name, in the file of its subject."""

from pathlib import Path

from backend.tools import toolset
from backend.tools.registry import TOOLS, find_tool
from backend.tools.toolset import list_pois

FILES = Path(str(toolset.__file__)).parent


def test_each_tool_is_a_row_with_the_name_of_its_function() -> None:
    files = {f"{toolset.__name__}.{path.stem}" for path in FILES.glob("*.py")}
    assert {tool.handler.__module__ for tool in TOOLS} == files - {f"{toolset.__name__}.__init__"}
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)
    for tool in TOOLS:
        assert tool.handler.__name__ == tool.name
        assert tool.args.__module__ == tool.handler.__module__


def test_a_tool_is_found_by_its_name_alone() -> None:
    assert find_tool("list_pois") is list_pois.TOOL
    assert find_tool("LIST_POIS") is None


def test_list_tools_have_a_return_limit_and_no_others_do() -> None:
    defaults = {tool.name: tool.default_rows for tool in TOOLS if tool.default_rows is not None}
    assert defaults == {"list_pois": 25, "list_hotels": 10, "list_trains": 8}
    assert {tool.name for tool in TOOLS if tool.effect == "list"} == set(defaults)
