"""Errors as problem documents (RFC 9457); no traceback and no apology without a code."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from backend.errors import (
    ConflictError,
    Fault,
    ForbiddenError,
    NotFoundError,
    OutOfBoundsError,
    RequestRefusedError,
    StaleVersionError,
    UnauthorizedError,
    UnavailableError,
    WaypoolError,
)

MEDIA_TYPE = "application/problem+json"

_STATUS: tuple[tuple[type[WaypoolError], int], ...] = (
    (UnauthorizedError, 401),
    (ForbiddenError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (StaleVersionError, 412),
    (OutOfBoundsError, 422),
    (UnavailableError, 503),
)
_TITLES = {
    400: "Bad request",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    412: "Precondition failed",
    413: "Too large",
    422: "Unprocessable",
    500: "Internal error",
    503: "Unavailable",
}

log = logging.getLogger(__name__)


class BadBodyError(WaypoolError):
    """The body is no JSON."""

    code = "BAD_JSON"


def make_problem(status: int, code: str, detail: str, **more: Any) -> JSONResponse:
    """A problem response; `code` is stable, `detail` is for people."""
    document = {
        "type": "about:blank",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
    }
    headers = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}.get(status)
    return JSONResponse(document | more, status, headers, media_type=MEDIA_TYPE)


def install_problems(app: FastAPI) -> None:
    """Render every error of the application as a problem."""
    app.add_exception_handler(RequestRefusedError, _render_refused)
    app.add_exception_handler(BadBodyError, _render_bad_body)
    app.add_exception_handler(WaypoolError, _render_error)
    app.add_exception_handler(RequestValidationError, _render_validation)
    app.add_exception_handler(HTTPException, _render_http)
    app.add_exception_handler(Exception, _render_unknown)


async def _render_refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestRefusedError)
    return JSONResponse(error.as_problem(), 422, media_type=MEDIA_TYPE)


async def _render_bad_body(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, BadBodyError)
    return make_problem(400, error.code, error.message)


async def _render_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WaypoolError)
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return make_problem(status, error.code, error.message)
    log.error("%s %s: %s", request.method, request.url.path, error.code, exc_info=error)
    return make_problem(500, error.code, error.message)


async def _render_validation(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [
        Fault("/" + "/".join(str(step) for step in entry["loc"][1:]), entry["type"], entry["msg"])
        for entry in error.errors()
    ]
    return make_problem(
        422,
        "REQUEST_REFUSED",
        f"{len(faults)} fault(s) in the request",
        errors=[fault.as_json() for fault in faults],
    )


async def _render_http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _TITLES.get(error.status_code, "Error").upper().replace(" ", "_")
    return make_problem(error.status_code, code, str(error.detail))


async def _render_unknown(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return make_problem(500, "INTERNAL", "an error of Waypool's own; it is in the server's log")
