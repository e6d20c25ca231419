"""Raises the planner's revision: `.venv/bin/python -m tests.replay.planner_revision`.

Exports say by which revision a run was made, so a run is held to the bytes only of its own. The
digests beside this file are of runs over kept pools: of all outcomes, the plan and its shape.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backend.agent.replies import dump_json
from backend.planner.plan.itinerary import Itinerary
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport
from backend.runs.log import steps
from backend.runs.log.steps import ToolCalled, select_payloads
from tests.replay.runs import plan, scripted

FOLDER = Path(__file__).parent / "exports"
POOLS, DIGESTS = FOLDER / "revision_pools.json", FOLDER / "revision_digests.json"
_TEXTS = frozenset({"description", "title"})


def compute_digests() -> dict[str, Any]:
    """Of the runs over the kept pools, of one of a scripted model, and of the plan's shape."""
    pools = [Snapshot.model_validate(raw) for raw in json.loads(POOLS.read_text(encoding="utf-8"))]
    runs = [asyncio.run(plan(pool)) for pool in pools]
    runs.append(asyncio.run(plan(pools[0], scripted(), planner="openai")))
    shape = Itinerary.model_json_schema(mode="serialization")
    return {"runs": [_digest_run(run) for run in runs], "itinerary": _digest(_strip(shape))}


def _digest_run(run: RunExport) -> str:
    outcomes = [called.as_json() for called in select_payloads(run.steps, ToolCalled)]
    return _digest([outcomes, run.result])


def _digest(value: object) -> str:
    return hashlib.sha256(dump_json(value).encode()).hexdigest()


def _strip(schema: Any) -> Any:
    """A schema without its texts."""
    if isinstance(schema, list):
        return [_strip(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _strip(value)
        for key, value in schema.items()
        if key not in _TEXTS or not isinstance(value, str)
    }


def read_stored() -> dict[str, Any]:
    """The digests of the last revision, with its numbers."""
    stored: dict[str, Any] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return stored


def list_numbers() -> Iterator[tuple[str, int, str]]:
    """The two constants: name, present value, and the part of the digests that it stands for."""
    yield "PLANNER_REVISION", steps.PLANNER_REVISION, "runs"
    yield "RESULT_SCHEMA", steps.RESULT_SCHEMA, "itinerary"


def main() -> None:
    """Write the present digests, and raise the number of what has changed since."""
    digests = compute_digests()
    stored = read_stored() if DIGESTS.exists() else {}
    path = Path(str(steps.__file__))
    for name, number, part in list_numbers():
        is_stale = bool(stored) and stored[part] != digests[part] and stored[name] == number
        digests[name] = number + is_stale
        text = path.read_text(encoding="utf-8")
        raised = re.sub(rf"(?m)^{name} = \d+", f"{name} = {digests[name]}", text)
        path.write_text(raised, encoding="utf-8")
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
