"""Return limits as they are now, under what a replay sets for itself; the log keeps what held.

They are read anew at every call, so an admin's change holds from the next one on, in running runs
too; a replay needs to know at which call that was.
"""

from collections.abc import Mapping
from dataclasses import replace

from backend.db.statements import Statements
from backend.tools.limits import ToolLimit
from backend.tools.queries import read_limits_alone


class LimitReader:
    """Reads limits for one run; `rows` are return limits by tool that hold for this run alone."""

    def __init__(self, statements: Statements, rows: Mapping[str, int]) -> None:
        self._statements = statements
        self._rows = rows
        self._last: dict[str, ToolLimit] = {}

    async def read(self) -> dict[str, ToolLimit]:
        """Limits by tool."""
        limits = await read_limits_alone(self._statements)
        self._last = override_rows(limits, self._rows)
        return self._last

    @property
    def last(self) -> dict[str, ToolLimit]:
        """What the last reading gave, for the payload of the step that it was read for."""
        return select_changed(self._last)


def override_rows(limits: Mapping[str, ToolLimit], rows: Mapping[str, int]) -> dict[str, ToolLimit]:
    """The limits with other return limits."""
    changed = {
        name: replace(limits.get(name, ToolLimit()), max_return_rows=count)
        for name, count in rows.items()
    }
    return {**limits, **changed}


def select_changed(limits: Mapping[str, ToolLimit]) -> dict[str, ToolLimit]:
    """Those that differ from the code's defaults, which is what the log keeps."""
    return {name: limit for name, limit in limits.items() if limit != ToolLimit()}
