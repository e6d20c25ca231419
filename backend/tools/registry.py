"""All tools in one visible tuple, in the order in which a model is told of them."""

from typing import Any

from backend.tools.tool import Tool
from backend.tools.toolset import (
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
    view_itinerary.TOOL,
    submit_itinerary.TOOL,
)

_BY_NAME = {tool.name: tool for tool in TOOLS}


def find_tool(name: str) -> Tool[Any] | None:
    """The tool of that name, if there is one."""
    return _BY_NAME.get(name)
