"""All tools in one tuple, in the order in which a model sees them."""

from collections.abc import Mapping
from typing import Any

from backend.errors import NotFoundError, OutOfBoundsError
from backend.text import quote, suggest
from backend.tools.context import check_handle_mode, check_handle_threshold, check_return_rows
from backend.tools.tool import Tool
from backend.tools.toolset import (
    arrange,
    choose_hotel,
    choose_train,
    get_hotel,
    get_poi,
    get_train,
    list_hotels,
    list_pois,
    list_trains,
    put_visit,
    remove_item,
    result_query,
    submit_itinerary,
    view_itinerary,
)

TOOLS: tuple[Tool[Any], ...] = (
    list_pois.TOOL,
    list_hotels.TOOL,
    list_trains.TOOL,
    get_poi.TOOL,
    get_hotel.TOOL,
    get_train.TOOL,
    put_visit.TOOL,
    choose_hotel.TOOL,
    choose_train.TOOL,
    remove_item.TOOL,
    arrange.TOOL,
    view_itinerary.TOOL,
    submit_itinerary.TOOL,
    result_query.TOOL,
)

_BY_NAME = {tool.name: tool for tool in TOOLS}


def find_tool(name: str) -> Tool[Any] | None:
    """The tool of that name, if there is one."""
    return _BY_NAME.get(name)


def get_tool(name: str) -> Tool[Any]:
    """The tool that a person has named; a `NotFoundError` names near ones."""
    tool = find_tool(name)
    if tool is None:
        raise NotFoundError(f"no tool {quote(name)}; near: {suggest(name, _BY_NAME)}")
    return tool


def check_limit(tool: Tool[Any], value: object) -> int:
    """`value` as a return limit of that tool, which must be one that answers with rows."""
    if tool.default_rows is None:
        raise OutOfBoundsError(f"{tool.name} answers without rows, so it has no return limit")
    return check_return_rows(tool.name, value)


def check_changes(tool: Tool[Any], values: Mapping[str, object]) -> dict[str, object]:
    """New values of a tool's `ToolLimit` fields, each within its bounds."""
    checked = dict(values)
    rows = values.get("max_return_rows")
    if rows is not None:
        checked["max_return_rows"] = check_limit(tool, rows)
    if "handle_mode" in values:
        checked["handle_mode"] = check_handle_mode(tool.name, values["handle_mode"])
    if "handle_threshold_tokens" in values:
        tokens = values["handle_threshold_tokens"]
        checked["handle_threshold_tokens"] = check_handle_threshold(tool.name, tokens)
    return checked
