"""The sources that come along, as data; they are switched off until somebody enables them."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import ValidationError

from backend.errors import WaypoolError
from backend.settings import find_data
from backend.sources.spec import Source


class BadSourceError(WaypoolError):
    """A source whose row could not work; every fault is named."""

    code = "BAD_SOURCE"


def parse_source(value: Any) -> Source:
    """The source that a JSON value says; a `BadSourceError` names every fault with its place."""
    try:
        return Source.model_validate(value)
    except ValidationError as error:
        fault = BadSourceError("this is no source that could work")
        fault.details = tuple(
            f"{'.'.join(map(str, entry['loc'])) or 'the source'}: {_say(entry)}"
            for entry in error.errors(include_url=False)
        )
        raise fault from None


def _say(entry: Mapping[str, Any]) -> str:
    return str(entry["msg"]).removeprefix("Value error, ")


@cache
def list_configured() -> tuple[Source, ...]:
    """The sources of `seed_data/sources`, by name."""
    files = sorted((find_data("seed_data") / "sources").glob("*.json"))
    return tuple(parse_source(json.loads(file.read_text("utf-8"))) for file in files)


def get_configured(name: str) -> Source:
    """One of them."""
    return next(source for source in list_configured() if source.name == name)
