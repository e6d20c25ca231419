"""The option `--cursor` of lists whose pages go by ids: a slip of the keys is no empty page."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from backend.ids import is_id
from backend.text import quote

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class CursorType(click.ParamType[str]):
    """An id of that prefix, as a page's `next_cursor` gives it."""

    name = "cursor"

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The id as it is."""
        if not is_id(self._prefix, value):
            self.fail(f"{quote(value)} is no cursor: take 'next_cursor' of a page", param, ctx)
        return value


def cursor_option(prefix: str) -> Callable[[CommandT], CommandT]:
    """Adds `--cursor`."""
    return click.option(
        "--cursor",
        type=CursorType(prefix),
        default=None,
        help="'next_cursor' of the page before.",
    )
