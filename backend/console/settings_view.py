"""Parameters and tools as a page shows them: each a card with its form, typed values kept.

What an admin turns: a parameter or a tool, one class each, so that pages treat both alike.

What the forms of an admin's changes have in common: who, why, and the version that the page showed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from backend.access.queries import Principal
from backend.audit.queries import Author, ChangeKind, Recorded
from backend.clock import read_utc
from backend.db.session import Session
from backend.params.queries import read_param_rows, revert_param, write_param
from backend.params.registry import PARAMS, Param, find_param, parse_value
from backend.tools.context import MAX_RETURN_ROWS, MIN_RETURN_ROWS, ToolLimit
from backend.tools.queries import read_tools, revert_tool, write_tool
from backend.tools.registry import TOOLS, check_limit, get_tool
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


_KINDS: Mapping[str, KnobKind] = {"param": "params", "tool": "tools"}


@dataclass(frozen=True)
class Typed:
    """What somebody has typed about one of them, and what is wrong with it.

    `is_stale` says that somebody else was quicker.
    """

    name: str
    value: str | None = None
    why: str = ""
    offered: bool | None = None
    fault: str = ""
    is_stale: bool = False


@dataclass(frozen=True)
class Setting:
    """One of them: `field` is empty for a tool without a return limit."""

    kind: KnobKind
    name: str
    version: int
    field: str
    value: str
    default: str
    bounds: tuple[int, int] | None
    is_choice: bool
    is_default: bool
    offered: bool | None
    has_preview: bool
    typed: Typed

    @property
    def shown(self) -> str:
        """What stands in the field: what was typed, else the value."""
        return self.value if self.typed.value is None else self.typed.value

    @property
    def is_offered(self) -> bool:
        """Whether the box is ticked."""
        return bool(self.offered if self.typed.offered is None else self.typed.offered)


def keep_typed(knob: Knob, form: Fields) -> Typed:
    """What a form has brought, to be shown again."""
    value = read_text(form, knob.field) if knob.field in form else None
    offered = "enabled" in form if knob.kind == "tools" else None
    return Typed(knob.name, value, read_text(form, "why"), offered)


async def list_settings(session: Session, typed: Typed | None = None) -> list[Setting]:
    """All tools, then all parameters."""
    rows, tools = await read_param_rows(session), await read_tools(session)
    shown = typed or Typed("")
    return [
        *(_show_tool(ToolKnob(t), tools[t.name], shown) for t in TOOLS if t.name in tools),
        *(_show_param(ParamKnob(p), rows.get(p.key), shown) for p in PARAMS),
    ]


async def find_setting(session: Session, typed: Typed) -> Setting:
    """The one that something was typed about."""
    return next(s for s in await list_settings(session, typed) if s.name == typed.name)


def list_entries(changes: Iterable[Recorded], settings: Iterable[Setting]) -> list[dict[str, Any]]:
    """Changes, each with the form's address where its value can be set again."""
    present = {setting.name: setting.version for setting in settings}
    return [
        {
            "change": change,
            "back": f"/console/tune/{_KINDS[change.kind]}/{change.subject}/revert"
            if change.kind in _KINDS and change.version != present.get(change.subject)
            else None,
            "present": present.get(change.subject),
        }
        for change in changes
    ]


def write_plain(value: Any) -> str:
    """A value as one would type it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _show_param(knob: ParamKnob, row: Any, typed: Typed) -> Setting:
    param = knob.param
    value = row.value if row else param.default
    return Setting(
        kind="params",
        name=param.key,
        version=row.version if row else 1,
        field=knob.field,
        value=write_plain(value),
        default=write_plain(param.default),
        bounds=None if param.type == "boolean" else (param.minimum, param.maximum),
        is_choice=param.type == "boolean",
        is_default=value == param.default,
        offered=None,
        has_preview=True,
        typed=_own(typed, param.key),
    )


def _show_tool(knob: ToolKnob, row: Any, typed: Typed) -> Setting:
    rows = knob.tool.default_rows
    return Setting(
        kind="tools",
        name=knob.name,
        version=row.version,
        field=knob.field if rows else "",
        value=write_plain(row.max_return_rows),
        default=write_plain(rows),
        bounds=(MIN_RETURN_ROWS, MAX_RETURN_ROWS),
        is_choice=False,
        is_default=row.limit == ToolLimit(),
        offered=row.enabled,
        has_preview=bool(rows),
        typed=_own(typed, knob.name),
    )


def _own(typed: Typed, name: str) -> Typed:
    return typed if typed.name == name else Typed(name)
