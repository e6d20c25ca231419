"""Reads JSON bodies whose faults Waypool names itself, instead of FastAPI."""

import json
from typing import Any

from fastapi import Request

from backend.api.problems import BadBodyError

MAX_BYTES = 1_000_000


async def read_json_body(request: Request) -> Any:
    """The body as JSON; a `BadBodyError` says what is wrong with it."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise BadBodyError(f"the body is larger than {MAX_BYTES} bytes")
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError:
        raise BadBodyError("the body is not UTF-8") from None
    except RecursionError:
        raise BadBodyError("the body is nested too deeply") from None
    except ValueError as error:
        raise BadBodyError(f"the body is not JSON: {error}") from None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")
