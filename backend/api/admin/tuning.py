"""Parameters and return limits: read them, and set them from the next pool or call on."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from backend.api.deps import Admin, ServicesDep
from backend.clock import read_utc
from backend.db.session import transaction
from backend.errors import OutOfBoundsError
from backend.params.queries import read_param_rows, write_param
from backend.params.registry import PARAMS, Param, find_param
from backend.params.tables import SystemParam
from backend.tools.queries import UNCHANGED, read_tools, write_tool
from backend.tools.registry import TOOLS
from backend.tools.tables import FunctionTool

router = APIRouter(prefix="/admin", tags=["admin"])

IfMatch = Annotated[str | None, Header(description='The version that you read, such as `"3"`.')]


class Change(BaseModel):
    """A body that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid")


class ParamChange(Change):
    """The new value of a parameter."""

    value: Any = Field(description="Of the parameter's own type.", examples=[40])


class ToolChange(Change):
    """What changes about a tool; what is left out stays."""

    max_return_rows: int | None = Field(None, description="null: the code's default.")
    enabled: bool | None = None


@router.get("/params", summary="All parameters")
async def get_params(services: ServicesDep, _: Admin) -> dict[str, Any]:
    """Value, default, type, bounds, description and version of each."""
    async with transaction(services.engine) as session:
        rows = await read_param_rows(session)
    items = [_show_param(param, rows.get(param.key)) for param in PARAMS]
    return {"items": items, "next_cursor": None}


@router.patch("/params/{key}", summary="Set a parameter")
async def patch_param(
    key: Annotated[str, Path()],
    change: ParamChange,
    response: Response,
    services: ServicesDep,
    _: Admin,
    if_match: IfMatch = None,
) -> dict[str, Any]:
    """It holds from the next pool on, in every process; 412 where the version has moved."""
    param = find_param(key)
    version = read_version(if_match)
    async with transaction(services.engine) as session:
        row = await write_param(session, key, change.value, read_utc(), expected_version=version)
    response.headers["ETag"] = f'"{row.version}"'
    return _show_param(param, row)


@router.get("/tools", summary="All tools with their return limits")
async def get_tools(services: ServicesDep, _: Admin) -> dict[str, Any]:
    """Switches, return limit (null: the code's default) and version of each."""
    async with transaction(services.engine) as session:
        rows = await read_tools(session)
    items = [_show_tool(rows[tool.name]) for tool in TOOLS if tool.name in rows]
    return {"items": items, "next_cursor": None}


@router.patch("/tools/{name}", summary="Set a tool's return limit, switch it on or off")
async def patch_tool(
    name: Annotated[str, Path()],
    change: ToolChange,
    response: Response,
    services: ServicesDep,
    _: Admin,
) -> dict[str, Any]:
    """It holds from the next call on, in running runs too."""
    given = change.model_fields_set
    async with transaction(services.engine) as session:
        row = await write_tool(
            session,
            name,
            read_utc(),
            max_return_rows=change.max_return_rows if "max_return_rows" in given else UNCHANGED,
            enabled=UNCHANGED if change.enabled is None else change.enabled,
        )
    response.headers["ETag"] = f'"{row.version}"'
    return _show_tool(row)


def read_version(if_match: str | None) -> int | None:
    """The version of an `If-Match` header; None where it is absent or `*`."""
    if if_match is None or if_match.strip() == "*":
        return None
    text = if_match.strip().removeprefix("W/").strip('"')
    if not text.isdigit():
        raise OutOfBoundsError(f'If-Match must be a version such as "3", not {if_match}')
    return int(text)


def _show_param(param: Param, row: SystemParam | None) -> dict[str, Any]:
    return {
        "key": param.key,
        "value": row.value if row else param.default,
        "default": param.default,
        "type": param.type,
        "minimum": param.minimum,
        "maximum": param.maximum,
        "description": param.description,
        "version": row.version if row else 0,
        "updated_at": row.updated_at.isoformat() if row else None,
    }


def _show_tool(row: FunctionTool) -> dict[str, Any]:
    default = next(tool.default_rows for tool in TOOLS if tool.name == row.name)
    return {
        "name": row.name,
        "enabled": row.enabled,
        "max_return_rows": row.max_return_rows,
        "default_rows": default,
        "handle_mode": row.handle_mode,
        "handle_threshold_tokens": row.handle_threshold_tokens,
        "version": row.version,
        "updated_at": row.updated_at.isoformat(),
    }
