"""Sources as a recorded run was told of them: offered again, though they cannot be asked.

What they had answered stands in the recording; anything else fails loudly instead of being fetched.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ConfigDict

from backend.errors import WaypoolError
from backend.tools.call import ToolSchema
from backend.tools.context import ToolContext
from backend.tools.schema import describe_tool
from backend.tools.tool import Answer, Tool, ToolArgs


class NotRecordedError(WaypoolError):
    """A replay asks for what was not recorded and cannot be computed from the snapshot."""

    code = "NOT_RECORDED"


class _AnyArgs(ToolArgs):
    """Whatever a model says: only the recording knows what the source would have taken."""

    model_config = ConfigDict(extra="allow")


class ToldSources:
    """The tools of a recording's sources; `told` may be replaced as the recording goes on."""

    def __init__(self, told: Iterable[Mapping[str, Any]] = ()) -> None:
        self.told: Sequence[Mapping[str, Any]] = tuple(told)

    def list_tools(self) -> list[Tool[Any]]:
        """A tool for each, those that were switched off marked so."""
        return [_make_tool(entry) for entry in self.told]


def show_told(tools: Iterable[Tool[Any]]) -> list[dict[str, Any]]:
    """What `ToldSources` is made of, as JSON values."""
    return [{"enabled": t.is_enabled, **describe_tool(t).model_dump(mode="json")} for t in tools]


def _make_tool(entry: Mapping[str, Any]) -> Tool[Any]:
    told = ToolSchema.model_validate({k: v for k, v in entry.items() if k != "enabled"})

    def refuse(args: ToolArgs, _ctx: ToolContext) -> Answer:
        asked = args.model_dump_json()[:200]
        raise NotRecordedError(f"{told.name} was not asked this: {asked}")

    return Tool(
        told.name,
        effect="view",
        description=told.description,
        args=_AnyArgs,
        handler=refuse,
        is_source=True,
        is_enabled=bool(entry["enabled"]),
        told=told,
    )
