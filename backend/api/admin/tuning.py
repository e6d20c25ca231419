"""Parameters and return limits: read them, and set them from the next pool or call on."""

import re
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Header, Path, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.access.queries import Principal
from backend.api.bodies import document_body, read_body_as
from backend.api.deps import Admin, ServicesDep
from backend.api.responses import document_problems
from backend.audit.queries import Author
from backend.clock import read_utc
from backend.db.session import transaction
from backend.document import Page
from backend.errors import OutOfBoundsError
from backend.params.queries import (
    ParamItem,
    read_param_rows,
    revert_param,
    show_param,
    write_param,
)
from backend.params.registry import PARAMS, find_param
from backend.tools.context import HANDLE_THRESHOLD_TOKENS, HandleMode
from backend.tools.queries import ToolItem, read_tools, revert_tool, show_tool, write_tool
from backend.tools.registry import TOOLS, get_tool

router = APIRouter(prefix="/admin", tags=["admin"])

ItemT = TypeVar("ItemT", ParamItem, ToolItem)

_VERSION = re.compile(r'(?:W/)?"?([0-9]{1,9})"?')

Key = Annotated[str, Path(description="Of the parameter, such as `POOL_POI_SIZE`.")]
Name = Annotated[str, Path(description="Of the tool, such as `list_pois`.")]
IfMatch = Annotated[str | None, Header(description='The version that you read, such as `"3"`.')]


Why = Annotated[str | None, Field(max_length=500, description="Kept in the audit trail.")]


_PARAM = document_problems(404)
_CHANGED_PARAM = document_problems(404, 412, 413)
_TOOL = document_problems(404)
_CHANGED_TOOL = document_problems(404, 412, 413)


class Change(BaseModel):
    """A body that refuses fields it does not know, and values of a neighbouring type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ParamChange(Change):
    """The new value of a parameter."""

    value: Any = Field(description="Of the parameter's own type.", examples=[40])
    why: Why = None


class ToolChange(Change):
    """What changes about a tool; what is left out stays."""

    max_return_rows: int | None = Field(None, description="null: the code's default.")
    enabled: bool = True
    handle_mode: HandleMode = "never"
    handle_threshold_tokens: int = HANDLE_THRESHOLD_TOKENS
    why: Why = None

    @property
    def values(self) -> dict[str, object]:
        """The fields that were given."""
        return self.model_dump(include=self.model_fields_set - {"why"})

    @model_validator(mode="after")
    def _say_something(self) -> "ToolChange":
        if not self.values:
            raise ValueError(
                "name what to change:"
                " max_return_rows, enabled, handle_mode or handle_threshold_tokens"
            )
        return self


class Revert(Change):
    """What to go back to."""

    to: int | Literal["default"] | None = Field(
        None, description="A version, or the code's default; null: what the last change replaced."
    )
    why: Why = None


@router.get("/params", summary="All parameters")
async def get_params(services: ServicesDep, _: Admin) -> Page[ParamItem]:
    """Value, default, type, bounds, description and version of each."""
    async with transaction(services.engine) as session:
        rows = await read_param_rows(session)
    return Page(items=tuple(show_param(param, rows.get(param.key)) for param in PARAMS))


@router.get("/params/{key}", summary="One parameter", responses=_PARAM)
async def get_param(key: Key, response: Response, services: ServicesDep, _: Admin) -> ParamItem:
    """Its `ETag` is for `If-Match`."""
    param = find_param(key)
    async with transaction(services.engine) as session:
        rows = await read_param_rows(session)
    return _tag(response, show_param(param, rows.get(key)))


@router.patch(
    "/params/{key}",
    summary="Set a parameter",
    openapi_extra=document_body("ParamChange"),
    responses=_CHANGED_PARAM,
)
async def patch_param(
    key: Key,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Annotated[ParamChange, Depends(read_body_as(ParamChange))],
    if_match: IfMatch = None,
) -> ParamItem:
    """It holds from the next pool on, in every process; 412 where the version has moved."""
    param, version = find_param(key), read_version(if_match)
    author = make_author(principal, change.why)
    async with transaction(services.engine) as session:
        row = await write_param(session, key, change.value, author, expected_version=version)
    return _tag(response, show_param(param, row))


@router.post(
    "/params/{key}/revert",
    summary="Set a parameter back",
    openapi_extra=document_body("Revert"),
    responses=document_problems(404, 409, 412, 413),
)
async def post_param_revert(
    key: Key,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Annotated[Revert, Depends(read_body_as(Revert))],
    if_match: IfMatch = None,
) -> ParamItem:
    """To what it was at a version, to the default, or to what the last change replaced."""
    param, version = find_param(key), read_version(if_match)
    author = make_author(principal, change.why)
    async with transaction(services.engine) as session:
        row = await revert_param(session, key, change.to, author, expected_version=version)
    return _tag(response, show_param(param, row))


@router.get(
    "/tools",
    summary="All tools with their return limits",
)
async def get_tools(services: ServicesDep, _: Admin) -> Page[ToolItem]:
    """Switches, return limit (null: the code's default) and version of each."""
    async with transaction(services.engine) as session:
        rows = await read_tools(session)
    return Page(
        items=tuple(show_tool(tool, rows[tool.name]) for tool in TOOLS if tool.name in rows)
    )


@router.get("/tools/{name}", summary="One tool", responses=_TOOL)
async def get_one_tool(name: Name, response: Response, services: ServicesDep, _: Admin) -> ToolItem:
    """Its `ETag` is for `If-Match`."""
    get_tool(name)
    async with transaction(services.engine) as session:
        rows = await read_tools(session)
    return _tag(response, show_tool(get_tool(name), rows[name]))


@router.patch(
    "/tools/{name}",
    summary="Set a tool's return limit, switch it on or off",
    openapi_extra=document_body("ToolChange"),
    responses=_CHANGED_TOOL,
)
async def patch_tool(
    name: Name,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Annotated[ToolChange, Depends(read_body_as(ToolChange))],
    if_match: IfMatch = None,
) -> ToolItem:
    """It holds from the next call on, in running runs too; 412 where the version has moved."""
    version, author = read_version(if_match), make_author(principal, change.why)
    async with transaction(services.engine) as session:
        row = await write_tool(session, name, change.values, author, expected_version=version)
    return _tag(response, show_tool(get_tool(name), row))


@router.post(
    "/tools/{name}/revert",
    summary="Set a tool back",
    openapi_extra=document_body("Revert"),
    responses=document_problems(404, 409, 412, 413),
)
async def post_tool_revert(
    name: Name,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Annotated[Revert, Depends(read_body_as(Revert))],
    if_match: IfMatch = None,
) -> ToolItem:
    """To what it was at a version, to the default, or to what the last change replaced."""
    version, author = read_version(if_match), make_author(principal, change.why)
    async with transaction(services.engine) as session:
        row = await revert_tool(session, name, change.to, author, expected_version=version)
    return _tag(response, show_tool(get_tool(name), row))


def make_author(principal: Principal, why: str | None) -> Author:
    """Who changes something, now."""
    return Author(read_utc(), principal.key_id, why)


def _tag(response: Response, item: ItemT) -> ItemT:
    response.headers["ETag"] = f'"{item.version}"'
    return item


def read_version(if_match: str | None) -> int | None:
    """The version of an `If-Match` header; None where it is absent or `*`."""
    if if_match is None or if_match.strip() == "*":
        return None
    match = _VERSION.fullmatch(if_match.strip())
    if match is None:
        raise OutOfBoundsError(f'If-Match must be a version such as "3", not {if_match[:40]}')
    return int(match[1])
