"""Errors as problem documents (RFC 9457); no traceback and no apology without a code."""

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from backend.errors import Fault, RequestRefusedError, WaypoolError
from backend.http_status import find_status
from backend.text import make_pointer

MEDIA_TYPE = "application/problem+json"

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
    429: "Too many",
    500: "Internal error",
    503: "Unavailable",
}

_HEADERS = {
    401: {"WWW-Authenticate": "Bearer"},
    429: {"Retry-After": "10"},
    503: {"Retry-After": "5"},
}

log = logging.getLogger(__name__)


class BadBodyError(WaypoolError):
    """The body is no JSON."""

    code = "BAD_JSON"


class BadAddressError(WaypoolError):
    """The path or the query holds what no name and no id can hold."""

    code = "BAD_ADDRESS"


class TooLargeError(WaypoolError):
    """The body has more bytes than any request needs."""

    code = "TOO_LARGE"


class ProblemResponse(JSONResponse):
    """A problem document; it may quote what was sent, even where that is no Unicode text."""

    media_type = MEDIA_TYPE

    def render(self, content: Any) -> bytes:
        """The document; half a surrogate pair is shown as a question mark."""
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


_OWN_STATUS: tuple[tuple[type[WaypoolError], int], ...] = (
    (BadBodyError, 400),
    (BadAddressError, 400),
    (TooLargeError, 413),
)


def make_problem(
    status: int,
    code: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
) -> ProblemResponse:
    """A problem response; `code` is stable, `detail` is for people."""
    document = {
        "type": "about:blank",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
    }
    own = _HEADERS.get(status, {})
    return ProblemResponse(document, status, {**(headers or {}), **own})


def list_faults(errors: Iterable[Any], skip: int = 0) -> list[Fault]:
    """Pydantic's errors as faults; `skip` leaves out the first steps of where each is."""
    return [
        Fault(make_pointer(*entry["loc"][skip:]), entry["type"], entry["msg"]) for entry in errors
    ]


def install_problems(app: FastAPI) -> None:
    """Render every error of the application as a problem."""
    app.add_exception_handler(RequestRefusedError, _render_refused)
    app.add_exception_handler(WaypoolError, _render_error)
    app.add_exception_handler(RequestValidationError, _render_validation)
    app.add_exception_handler(HTTPException, _render_http)
    app.add_exception_handler(Exception, _render_unknown)


async def _render_refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestRefusedError)
    return ProblemResponse(error.as_problem(), 422)


async def _render_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WaypoolError)
    own = (status for kind, status in _OWN_STATUS if isinstance(error, kind))
    status = next(own, None) or find_status(error)
    if status == 500:
        log.error("%s %r: %s", request.method, request.url.path, error.code, exc_info=error)
    return make_problem(status, error.code, error.message)


async def _render_validation(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    refused = RequestRefusedError(list_faults(error.errors(), skip=1))
    return ProblemResponse(refused.as_problem(), 422)


async def _render_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _TITLES.get(error.status_code, "Error").upper().replace(" ", "_")
    headers = _list_allowed(request) if error.status_code == 405 else error.headers
    return make_problem(error.status_code, code, str(error.detail), headers)


def _list_allowed(request: Request) -> dict[str, str]:
    """Every method of the path: the framework names those of the first route that has it."""
    found = {
        method
        for route in iter_route_contexts(request.app.routes)
        if route.path and compile_path(route.path)[0].match(request.url.path)
        for method in route.methods or ()
    }
    return {"Allow": ", ".join(sorted(found))}


async def _render_unknown(request: Request, error: Exception) -> JSONResponse:
    # the server logs the traceback: it gets the error too
    log.error("%s %r failed: %s", request.method, request.url.path, type(error).__name__)
    return make_problem(500, "INTERNAL", "an error of Waypool's own; it is in the server's log")
