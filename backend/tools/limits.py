"""What an admin may change about a tool; a row without a value means the code's default."""

from dataclasses import dataclass
from typing import Literal, cast, get_args

from backend.errors import OutOfBoundsError
from backend.text import quote

HandleMode = Literal["auto", "never", "always"]

MIN_RETURN_ROWS, MAX_RETURN_ROWS = 1, 200
HANDLE_THRESHOLD_TOKENS = 800
MAX_HANDLE_THRESHOLD = 100_000


@dataclass(frozen=True)
class ToolLimit:
    """A tool's row of `function_tool`; `max_return_rows` None is the code's default."""

    enabled: bool = True
    max_return_rows: int | None = None
    handle_mode: HandleMode = "never"
    handle_threshold_tokens: int = HANDLE_THRESHOLD_TOKENS


def check_return_rows(name: str, value: object) -> int:
    """`value` as a return limit, or an `OutOfBoundsError` that names the bounds."""
    if type(value) is int and MIN_RETURN_ROWS <= value <= MAX_RETURN_ROWS:  # a bool is none
        return value
    raise OutOfBoundsError(
        f"the return limit of {name} must be a whole number from {MIN_RETURN_ROWS}"
        f" to {MAX_RETURN_ROWS}, not {quote(value)}"
    )


def check_handle_mode(name: str, value: object) -> HandleMode:
    """`value` as a way with handles, or an `OutOfBoundsError` that names them."""
    for mode in get_args(HandleMode):
        if value == mode:
            return cast(HandleMode, mode)
    raise OutOfBoundsError(
        f"handle_mode of {name} must be auto, never or always, not {quote(value)}"
    )


def check_handle_threshold(name: str, value: object) -> int:
    """`value` as tokens from which on a result goes behind a handle."""
    if type(value) is int and 1 <= value <= MAX_HANDLE_THRESHOLD:
        return value
    raise OutOfBoundsError(
        f"handle_threshold_tokens of {name} must be a whole number from 1"
        f" to {MAX_HANDLE_THRESHOLD}, not {quote(value)}"
    )
