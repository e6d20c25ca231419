"""What an admin may change about a tool; a row without a value means the code's default."""

from dataclasses import dataclass
from typing import Literal

from backend.errors import OutOfBoundsError

HandleMode = Literal["auto", "never", "always"]

MIN_RETURN_ROWS, MAX_RETURN_ROWS = 1, 200
HANDLE_THRESHOLD_TOKENS = 800


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
        f" to {MAX_RETURN_ROWS}, not {value!r}"
    )
