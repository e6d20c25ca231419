"""The arguments of a call as the projection and the address want them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from backend.sources.folding import fold_topic
from backend.sources.spec import HOLE, Argument, Source


def fill_arguments(source: Source, given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked arguments with defaults in place of what was not given, texts folded where wanted."""
    return {
        argument.name: _fill(argument, given.get(argument.name)) for argument in source.arguments
    }


def _fill(argument: Argument, value: Any) -> Any:
    if value is None or value in ([], ()):
        value = argument.default
    if argument.many and value is not None:
        values = list(value) if isinstance(value, list | tuple) else [value]
        return [_fold(argument, entry) for entry in values]
    return _fold(argument, value)


def _fold(argument: Argument, value: Any) -> Any:
    return fold_topic(value) if argument.fold and isinstance(value, str) else value


def build_address(source: Source, arguments: Mapping[str, Any]) -> str:
    """The address with the arguments percent-encoded: none can reach another host or path."""

    def write(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, list):
            return ",".join(map(write, value))
        return "" if value is None else str(value)

    return HOLE.sub(
        lambda hole: quote(write(arguments.get(hole[1])).strip(), safe=""), source.address
    )
