"""Parameters and return limits: read them, and set them from the next pool or call on."""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.api.bodies import document_body, read_body_as
from backend.api.deps import Admin, ServicesDep
from backend.api.documents import Page, ParamItem, ToolItem, document_problems
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

_VERSION = re.compile(r'(?:W/)?"?([0-9]{1,9})"?')

IfMatch = Annotated[str | None, Header(description='The version that you read, such as `"3"`.')]


class Change(BaseModel):
    """A body that refuses fields it does not know, and values of a neighbouring type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ParamChange(Change):
    """The new value of a parameter."""

    value: Any = Field(description="Of the parameter's own type.", examples=[40])


class ToolChange(Change):
    """What changes about a tool; what is left out stays."""

    max_return_rows: int | None = Field(None, description="null: the code's default.")
    enabled: bool = True

    @model_validator(mode="after")
    def _say_something(self) -> "ToolChange":
        if not self.model_fields_set:
            raise ValueError("name what to change: max_return_rows or enabled")
        return self


@router.get("/params", summary="All parameters", responses={200: {"model": Page[ParamItem]}})
async def get_params(services: ServicesDep, _: Admin) -> dict[str, Any]:
    """Value, default, type, bounds, description and version of each."""
    async with transaction(services.engine) as session:
        rows = await read_param_rows(session)
    items = [_show_param(param, rows.get(param.key)) for param in PARAMS]
    return {"items": items, "next_cursor": None}


@router.patch(
    "/params/{key}",
    summary="Set a parameter",
    openapi_extra=document_body("ParamChange"),
    responses={200: {"model": ParamItem}, **document_problems(404, 412, 413)},
)
async def patch_param(
    key: Annotated[str, Path()],
    response: Response,
    services: ServicesDep,
    _: Admin,
    change: Annotated[ParamChange, Depends(read_body_as(ParamChange))],
    if_match: IfMatch = None,
) -> dict[str, Any]:
    """It holds from the next pool on, in every process; 412 where the version has moved."""
    param = find_param(key)
    version = read_version(if_match)
    async with transaction(services.engine) as session:
        row = await write_param(session, key, change.value, read_utc(), expected_version=version)
    response.headers["ETag"] = f'"{row.version}"'
    return _show_param(param, row)


@router.get(
    "/tools",
    summary="All tools with their return limits",
    responses={200: {"model": Page[ToolItem]}},
)
async def get_tools(services: ServicesDep, _: Admin) -> dict[str, Any]:
    """Switches, return limit (null: the code's default) and version of each."""
    async with transaction(services.engine) as session:
        rows = await read_tools(session)
    items = [_show_tool(rows[tool.name]) for tool in TOOLS if tool.name in rows]
    return {"items": items, "next_cursor": None}


@router.patch(
    "/tools/{name}",
    summary="Set a tool's return limit, switch it on or off",
    openapi_extra=document_body("ToolChange"),
    responses={200: {"model": ToolItem}, **document_problems(404, 412, 413)},
)
async def patch_tool(
    name: Annotated[str, Path()],
    response: Response,
    services: ServicesDep,
    _: Admin,
    change: Annotated[ToolChange, Depends(read_body_as(ToolChange))],
    if_match: IfMatch = None,
) -> dict[str, Any]:
    """It holds from the next call on, in running runs too; 412 where the version has moved."""
    given, version = change.model_fields_set, read_version(if_match)
    async with transaction(services.engine) as session:
        row = await write_tool(
            session,
            name,
            read_utc(),
            max_return_rows=change.max_return_rows if "max_return_rows" in given else UNCHANGED,
            enabled=change.enabled if "enabled" in given else UNCHANGED,
            expected_version=version,
        )
    response.headers["ETag"] = f'"{row.version}"'
    return _show_tool(row)


def read_version(if_match: str | None) -> int | None:
    """The version of an `If-Match` header; None where it is absent or `*`."""
    if if_match is None or if_match.strip() == "*":
        return None
    match = _VERSION.fullmatch(if_match.strip())
    if match is None:
        raise OutOfBoundsError(f'If-Match must be a version such as "3", not {if_match[:40]}')
    return int(match[1])


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
