"""Parameters and return limits: see, change with a reason, go back."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from backend.audit.change import Author
from backend.audit.queries import list_changes
from backend.bootstrap import Services
from backend.clock import read_utc
from backend.console.render import show_page
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import (
    ConflictError,
    NotFoundError,
    OutOfBoundsError,
    StaleVersionError,
)
from backend.params.queries import read_param_rows, revert_param, write_param
from backend.params.registry import PARAMS, find_param, parse_value
from backend.tools.queries import read_tools, revert_tool, write_tool
from backend.tools.registry import TOOLS

router = APIRouter(prefix="/tune")

HISTORY = 20
POOL_PARAMS = ("POOL_", "POI_", "HOTEL_")
"""What parameters that decide over a pool begin with."""

Refused = (OutOfBoundsError, StaleVersionError, ConflictError, NotFoundError)
Fields = Mapping[str, list[str]]


@router.get("")
async def show_tuning(visit: VisitDep, services: ServicesDep) -> Response:
    """Every parameter and every tool, with bounds, version and the last changes."""
    require(visit, "admin")
    return await _show(services, visit)


async def _show(
    services: Services, visit: Visit, fault: str = "", subject: str = "", typed: str = ""
) -> Response:
    async with transaction(services.engine) as session:
        params, tools = await read_param_rows(session), await read_tools(session)
        history = await list_changes(session, HISTORY)
    values: dict[str, Any] = {
        "params": [(param, params.get(param.key)) for param in PARAMS],
        "tools": [(tool, tools[tool.name]) for tool in TOOLS if tool.name in tools],
        "history": history,
        "pool_params": POOL_PARAMS,
        "fault": fault,
        "subject": subject,
        "typed": typed,
    }
    return show_page(visit, "tune.html", 422 if fault else 200, **values)


@router.post("/params/{key}")
async def set_param(request: Request, key: str, visit: VisitDep, services: ServicesDep) -> Response:
    """Set one, if nobody was quicker; it holds from the next pool on."""
    author, form = await _read(request, visit)
    typed = form.get("value", [""])[0].strip()
    try:
        value = parse_value(find_param(key), typed)
        async with transaction(services.engine) as session:
            version = _read_version(form)
            await write_param(session, key, value, author, expected_version=version)
    except Refused as error:
        return await _show(services, visit, error.message, key, typed)
    return RedirectResponse(f"/console/tune#{key}", 303)


@router.post("/params/{key}/revert")
async def set_param_back(
    request: Request, key: str, visit: VisitDep, services: ServicesDep
) -> Response:
    """To what the last change replaced."""
    author, form = await _read(request, visit)
    try:
        async with transaction(services.engine) as session:
            await revert_param(session, key, None, author, expected_version=_read_version(form))
    except Refused as error:
        return await _show(services, visit, error.message, key)
    return RedirectResponse(f"/console/tune#{key}", 303)


@router.post("/tools/{name}")
async def set_tool(request: Request, name: str, visit: VisitDep, services: ServicesDep) -> Response:
    """Set a tool's return limit and whether it is offered; it holds from the next call on."""
    author, form = await _read(request, visit)
    typed = form.get("max_return_rows", [""])[0].strip()
    try:
        rows: object = int(typed) if typed.isascii() and typed.isdigit() else typed or None
        values = {"enabled": "enabled" in form, "max_return_rows": rows}
        async with transaction(services.engine) as session:
            version = _read_version(form)
            await write_tool(session, name, values, author, expected_version=version)
    except Refused as error:
        return await _show(services, visit, error.message, name, typed)
    return RedirectResponse(f"/console/tune#{name}", 303)


@router.post("/tools/{name}/revert")
async def set_tool_back(
    request: Request, name: str, visit: VisitDep, services: ServicesDep
) -> Response:
    """To what the last change replaced."""
    author, form = await _read(request, visit)
    try:
        async with transaction(services.engine) as session:
            await revert_tool(session, name, None, author, expected_version=_read_version(form))
    except Refused as error:
        return await _show(services, visit, error.message, name)
    return RedirectResponse(f"/console/tune#{name}", 303)


async def _read(request: Request, visit: Visit) -> tuple[Author, Fields]:
    principal = require(visit, "admin")
    form = await read_form(request, visit)
    why = form.get("why", [""])[0].strip()[:500] or None
    return Author(read_utc(), principal.key_id, why), form


def _read_version(form: Fields) -> int:
    """The version that the page showed; none of ours is negative."""
    text = form.get("version", [""])[0]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
