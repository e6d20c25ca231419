"""Reads JSON bodies whose faults Waypool names itself, instead of FastAPI, and only after the key.

`Prefer: wait=N` (RFC 7240): answer when a run has ended, or after so long.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from backend.api.problems import BadBodyError, TooLargeError, list_faults
from backend.bootstrap import Services
from backend.db.session import transaction
from backend.errors import Fault, RequestRefusedError
from backend.runs.log.queries import find_run
from backend.runs.log.steps import InputNeeded
from backend.text import UNSTORABLE, escape_step, make_object

MAX_BYTES = 1_000_000

_UNSTORABLE = "holds a NUL or half a surrogate pair, which cannot be stored; leave it out"

Model = TypeVar("Model", bound=BaseModel)


async def read_json_body(request: Request) -> Any:
    """The body as JSON whatever the content type says; the error says what is wrong with it."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise TooLargeError(f"the body is larger than {MAX_BYTES} bytes")
    try:
        text = body.decode("utf-8")
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=make_object)
    except UnicodeDecodeError:
        raise BadBodyError("the body is not UTF-8") from None
    except RecursionError:
        raise BadBodyError("the body is nested too deeply") from None
    except ValueError as error:
        raise BadBodyError(f"the body is not JSON: {error}") from None


def read_body_as(model: type[Model]) -> Callable[[Request], Awaitable[Model]]:
    """A dependency that gives the body as a document, or refuses it with all its faults."""

    async def read(request: Request) -> Model:
        raw = await read_json_body(request)
        unstorable = [
            Fault(pointer, "unstorable", _UNSTORABLE) for pointer in _find_unstorable(raw)
        ]
        if unstorable:
            raise RequestRefusedError(unstorable)
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            raise RequestRefusedError(list_faults(error.errors())) from None

    return read


def document_body(
    name: str, examples: dict[str, Any] | None = None, *, other: str | None = None
) -> dict[str, Any]:
    """What OpenAPI says of a body that is read here: a reference to its schema, or to two of them."""
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{name}"}
    if other is not None:
        schema = {"anyOf": [schema, {"$ref": f"#/components/schemas/{other}"}]}
    content: dict[str, Any] = {"schema": schema}
    if examples is not None:
        content["examples"] = examples
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


def _find_unstorable(value: Any, pointer: str = "") -> Iterator[str]:
    """Pointers (RFC 6901) to the texts, among them keys, that no database takes."""
    if isinstance(value, str):
        if UNSTORABLE.search(value):
            yield pointer
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _find_unstorable(item, f"{pointer}/{n}")
    elif isinstance(value, dict):
        for key, item in value.items():
            below = f"{pointer}/{escape_step(UNSTORABLE.sub('?', key))}"
            if UNSTORABLE.search(key):
                yield below
            yield from _find_unstorable(item, below)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


MAX_WAIT_SECONDS = 60

_WAIT = re.compile(r"\s*wait\s*=\s*\"?([0-9]{1,9})[0-9]*\"?\s*", re.IGNORECASE)


def read_wait(prefer: str | None) -> float | None:
    """Seconds of `Prefer: wait=N` (RFC 7240), at most 60; None where it is not asked for."""
    for part in (prefer or "").split(","):
        if match := _WAIT.fullmatch(part):
            return min(float(match[1]), MAX_WAIT_SECONDS)
    return None


async def _is_asking(services: Services, run_id: str) -> bool:
    async with transaction(services.engine) as session:
        run = await find_run(session, run_id, None)
    return run is not None and run.status == "needs_input"


async def wait_for_end(services: Services, run_id: str, seconds: float) -> None:
    """Until the run's last step, or one that asks the traveller, or until the time is over."""

    async def follow() -> None:
        async with aclosing(services.feed.follow(run_id, 0)) as steps:
            async for step in steps:
                is_question = step is not None and isinstance(step.payload, InputNeeded)
                if is_question and await _is_asking(services, run_id):
                    return

    try:
        await asyncio.wait_for(follow(), seconds)
    except TimeoutError:
        return
