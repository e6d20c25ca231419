"""Builds the pages' own application, which the web application mounts at `/console`."""

import importlib.util
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from backend.console import (
    after,
    ask,
    catalogue,
    pool_page,
    preview,
    revise,
    run_page,
    run_pages,
    sign_in,
    stats,
    tune,
)
from backend.console.render import HERE, show_page
from backend.console.visit import FormError, get_services, read_visit
from backend.errors import UnauthorizedError, WaypoolError
from backend.http_status import find_status

log = logging.getLogger(__name__)

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""No page runs a script or takes a style that is not a file of this server."""

ROUTERS = (
    sign_in.router,
    ask.router,
    run_pages.router,
    run_page.router,
    pool_page.router,
    revise.router,
    after.router,
    preview.router,
    tune.router,
    stats.router,
    catalogue.router,
)


def create_console() -> FastAPI:
    """The pages; `state.services` is set when the web application starts."""
    console = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    console.middleware("http")(_add_headers)
    console.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    console.mount("/leaflet", StaticFiles(directory=_find_leaflet()), name="leaflet")
    for router in ROUTERS:
        console.include_router(router)
    console.add_exception_handler(WaypoolError, _show_error)
    console.add_exception_handler(HTTPException, _show_http_error)
    console.add_exception_handler(RequestValidationError, _show_bad_address)
    console.add_exception_handler(Exception, _show_own_error)
    return console


def _find_leaflet() -> Path:
    """The map's library comes as a package of static files; nothing of it is kept here."""
    found = importlib.util.find_spec("xstatic.pkg.leaflet")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "data"


async def _add_headers(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    response = await call_next(request)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


async def _show_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, WaypoolError)
    if isinstance(error, UnauthorizedError):
        return RedirectResponse(await sign_in.make_address(request), 303)
    status = 400 if isinstance(error, FormError) else find_status(error)
    if status == 500:
        log.error("%s %r: %s", request.method, request.url.path, error.code, exc_info=error)
    return await _show_fault(request, status, error.message)


async def _show_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return await _show_fault(request, error.status_code, "")


async def _show_bad_address(request: Request, _: Exception) -> Response:
    return await _show_fault(request, 422, "")


async def _show_own_error(request: Request, _: Exception) -> Response:
    return await _show_fault(request, 500, "")


async def _show_fault(request: Request, status: int, message: str) -> Response:
    try:
        visit = await read_visit(request, get_services(request))
    except WaypoolError:  # the database is away: nobody is known, and that can be said all the same
        visit = sign_in.make_stranger(request)
    return show_page(visit, "fault.html", status, status=status, message=message)
