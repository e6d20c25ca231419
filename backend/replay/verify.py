"""Checks an export: its hashes, its pool against the rules, its calls and its result, byte for byte."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from backend.agent.replies import dump_json
from backend.errors import WaypoolError
from backend.pool.rebuild import rebuild
from backend.replay.export import RunExport
from backend.replay.hashing import find_changed
from backend.replay.json_tree import Difference, find_difference
from backend.replay.playback import DifferenceError, Seen, play_back


@dataclass(frozen=True)
class Verification:
    """What a verification came to; `difference` is the first one, None where all is the same.

    `computed` counts the outcomes that came out again, `recorded` those that only the world outside
    could give, which were taken as they stand.
    """

    run_id: str
    is_redacted: bool
    check: str
    difference: Difference | None
    computed: int = 0
    recorded: int = 0

    @property
    def is_same(self) -> bool:
        """Whether everything came out byte for byte the same."""
        return self.difference is None

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "run_id": self.run_id,
            "verified": self.is_same,
            "redacted": self.is_redacted,
            "check": self.check,
            "calls_computed": self.computed,
            "calls_recorded": self.recorded,
            "difference": self.difference.as_json() if self.difference else None,
        }


async def verify(export: RunExport) -> Verification:
    """Hashes, pool, calls, result, in this order; it ends with the first difference."""
    seen = Seen()
    for check, find in (("hashes", find_changed(export.document)), ("pool", _check_pool(export))):
        if (difference := next(find, None)) is not None:
            return _report(export, check, difference, seen)
    try:
        seen = await play_back(export)
    except DifferenceError as error:
        return _report(export, "calls", error.difference, seen)
    return _report(export, "result", next(_check_result(export), None), seen)


def _report(
    export: RunExport, check: str, difference: Difference | None, seen: Seen
) -> Verification:
    is_redacted = bool(export.document["redacted"])
    name = check if difference else "all"
    run_id = export.run["id"]
    return Verification(run_id, is_redacted, name, difference, seen.computed, seen.recorded)


def _check_pool(export: RunExport) -> Iterator[Difference]:
    """The pure rules over pool and reserve give the snapshot itself."""
    raw = export.document["snapshot"]
    try:
        again = json.loads(rebuild(export.snapshot, {}).as_text())
    except WaypoolError as error:
        yield Difference("/snapshot", "a pool that the rules give", error.message)
        return
    if (difference := find_difference(raw, again)) is not None:
        yield difference.below("/snapshot")


def _check_result(export: RunExport) -> Iterator[Difference]:
    """The log alone leads to the result; of a run that failed before there is nothing to compute."""
    if "itinerary" not in export.result:
        return
    end = export.conclude()
    found = json.loads(dump_json(end.result))
    if (difference := find_difference(export.result, found)) is not None:
        yield difference.below("/result")
    if end.verdict.status != export.run["status"]:
        yield Difference("/run/status", export.run["status"], end.verdict.status)
