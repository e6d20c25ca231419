"""What an admin turns: a parameter or a tool, one class each, so that pages treat both alike.

What the forms of an admin's changes have in common: who, why, and the version that the page showed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from backend.access.principal import Principal
from backend.audit.change import Author, ChangeKind
from backend.clock import read_utc
from backend.db.session import Session
from backend.params.queries import revert_param, write_param
from backend.params.registry import Param, find_param, parse_value
from backend.tools.queries import revert_tool, write_tool
from backend.tools.registry import check_limit, get_tool
from backend.tools.tool import Tool

Fields = Mapping[str, list[str]]

LONGEST_WHY = 500


def read_text(form: Fields, name: str) -> str:
    """What stands in a field; empty where the form lacks it."""
    return form.get(name, [""])[0].strip()


def read_author(form: Fields, principal: Principal) -> Author:
    """Who changes something now, and the reason given."""
    return Author(read_utc(), principal.key_id, read_text(form, "why")[:LONGEST_WHY] or None)


def read_version(form: Fields) -> int:
    """The version that the page showed; none of ours is negative."""
    text = read_text(form, "version")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


KnobKind = Literal["params", "tools"]
Target = int | Literal["default"] | None
"""What to go back to: a version, the code's default, or what the last change replaced."""

POOL_PARAMS = ("POOL_", "POI_", "HOTEL_")
"""What parameters that decide over a pool begin with."""


@dataclass(frozen=True)
class ParamKnob:
    """A parameter; it holds from the next pool on."""

    param: Param
    kind: KnobKind = "params"
    audit_kind: ChangeKind = "param"
    field: str = "value"

    @property
    def name(self) -> str:
        """Its key."""
        return self.param.key

    @property
    def shapes_pools(self) -> bool:
        """Whether a preview of a pool can show what it does."""
        return self.name.startswith(POOL_PARAMS)

    def parse(self, form: Fields) -> Any:
        """What was typed, as the parameter's type; an `OutOfBoundsError` says what would be right."""
        return parse_value(self.param, read_text(form, self.field))

    def make_trial(self, value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parameters and return limits of a preview."""
        return {self.name: value}, {}

    async def write(self, session: Session, value: Any, author: Author, version: int) -> None:
        """Set it, if nobody was quicker."""
        await write_param(session, self.name, value, author, expected_version=version)

    async def revert(self, session: Session, to: Target, author: Author, version: int) -> None:
        """Set it back, if nobody was quicker."""
        await revert_param(session, self.name, to, author, expected_version=version)


@dataclass(frozen=True)
class ToolKnob:
    """A tool's return limit and whether it is offered; it holds from the next call on."""

    tool: Tool[Any]
    kind: KnobKind = "tools"
    audit_kind: ChangeKind = "tool"
    field: str = "max_return_rows"

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name

    @property
    def shapes_pools(self) -> bool:
        """Whether a preview can show what its lists cost."""
        return self.tool.default_rows is not None

    def parse(self, form: Fields) -> Any:
        """The fields that change; an empty limit is the code's default."""
        typed = read_text(form, self.field)
        rows: object = int(typed) if _is_number(typed) else typed or None
        return {"enabled": "enabled" in form, "max_return_rows": rows}

    def make_trial(self, value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parameters and return limits of a preview."""
        rows = value["max_return_rows"]
        return {}, {
            self.name: self.tool.default_rows if rows is None else check_limit(self.tool, rows)
        }

    async def write(self, session: Session, value: Any, author: Author, version: int) -> None:
        """Set it, if nobody was quicker."""
        await write_tool(session, self.name, value, author, expected_version=version)

    async def revert(self, session: Session, to: Target, author: Author, version: int) -> None:
        """Set it back, if nobody was quicker."""
        await revert_tool(session, self.name, to, author, expected_version=version)


Knob = ParamKnob | ToolKnob


def find_knob(kind: KnobKind, name: str) -> Knob:
    """The parameter or the tool of that name; a `NotFoundError` names near ones."""
    return ParamKnob(find_param(name)) if kind == "params" else ToolKnob(get_tool(name))


def read_target(form: Fields) -> Target:
    """What a form wants to go back to."""
    to = read_text(form, "to")
    if to == "default":
        return "default"
    return int(to) if _is_number(to) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
