"""Builds the pages' own application, which the web application mounts at `/console`.

What each answer of the console tells the browser to refuse.

Not a function around the answer, which would send each in pieces: pieces are compressed worse.
"""

import logging
from collections.abc import Iterator, Sequence

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.console import (
    after,
    ask,
    catalogue,
    pool_page,
    preview,
    results,
    run_page,
    run_pages,
    sign_in,
    sources,
    stats,
    tune,
)
from backend.console.render import STATIC, Assets, find_leaflet, show_page
from backend.console.visit import FormError, get_services, read_visit, refuse_nul
from backend.errors import UnauthorizedError, WaypoolError
from backend.http_status import find_status

log = logging.getLogger(__name__)

ROUTERS = (
    sign_in.router,
    ask.router,
    run_pages.router,
    run_page.router,
    pool_page.router,
    after.router,
    results.router,
    sources.router,
    preview.router,
    tune.router,
    stats.router,
    catalogue.router,
)


LOOKING = ("/preview/", "/recheck")
"""In the addresses of forms that show something and change nothing."""


def list_page_paths() -> tuple[str, ...]:
    """Where a browser may look without changing anything, with `{names}` for parts that vary."""
    looks = (path for path, is_page in _list_paths() if is_page or any(x in path for x in LOOKING))
    return tuple(sorted(looks))


def _list_paths() -> Iterator[tuple[str, bool]]:
    """Each route's path, and whether a link may lead there."""
    for route in (route for router in ROUTERS for route in router.routes):
        if isinstance(route, APIRoute):
            yield f"/console{route.path}", "GET" in (route.methods or ())


def _find_page_above(path: str) -> str:
    """The nearest page of which the path is a part: what was shown as a form's answer is none."""
    pages = [compile_path(page)[0] for page, is_page in _list_paths() if is_page]
    while path := path.rpartition("/")[0]:
        if any(page.match(path) for page in pages):
            return path
    return sign_in.HOME


def create_console() -> FastAPI:
    """The pages; `state.services` is set when the web application starts."""
    console = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, dependencies=[Depends(refuse_nul)]
    )
    console.mount("/static", Assets(directory=STATIC), name="static")
    console.mount("/leaflet", Assets(directory=find_leaflet()), name="leaflet")
    for router in ROUTERS:
        console.include_router(router)
    console.add_exception_handler(WaypoolError, _show_error)
    console.add_exception_handler(HTTPException, _show_http_error)
    console.add_exception_handler(RequestValidationError, _show_bad_address)
    console.add_exception_handler(Exception, _show_own_error)
    return console


async def _show_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, WaypoolError)
    if isinstance(error, UnauthorizedError):
        return RedirectResponse(await sign_in.make_address(request), 303)
    status = 400 if isinstance(error, FormError) else find_status(error)
    if status == 500:
        log.error("%s %r: %s", request.method, request.url.path, error.code, exc_info=error)
    named = [fault.message for fault in getattr(error, "faults", ())] or error.details
    return await _show_fault(request, status, error.message, named)


async def _show_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405 and request.method == "GET":
        return RedirectResponse(_find_page_above(request.url.path), 303)
    return await _show_fault(request, error.status_code, "")


async def _show_bad_address(request: Request, _: Exception) -> Response:
    return await _show_fault(request, 422, "")


async def _show_own_error(request: Request, _: Exception) -> Response:
    return await _show_fault(request, 500, "")


async def _show_fault(
    request: Request, status: int, message: str, details: Sequence[str] = ()
) -> Response:
    try:
        visit = await read_visit(request, get_services(request))
    except WaypoolError:  # the database is away: nobody is known, and that can be said all the same
        visit = sign_in.make_stranger(request)
    return show_page(visit, "fault.html", status, status=status, message=message, details=details)


HEADERS = {
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


class GuardHeaders:
    """Adds the headers to all answers of an application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does, with the headers."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_guarded)
