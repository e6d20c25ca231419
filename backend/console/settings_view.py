"""Parameters and tools as a page shows them: each a card with its form, typed values kept."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from backend.audit.change import Recorded
from backend.console.knobs import Fields, Knob, KnobKind, ParamKnob, ToolKnob, read_text
from backend.db.session import Session
from backend.params.queries import read_param_rows
from backend.params.registry import PARAMS
from backend.tools.limits import MAX_RETURN_ROWS, MIN_RETURN_ROWS, ToolLimit
from backend.tools.queries import read_tools
from backend.tools.registry import TOOLS

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
