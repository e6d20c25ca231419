"""A run as one JSON file: everything that decided it, and everything that it did.

Old files stay readable: a later version of the format reads this one too.

Hashes over the parts of an export, and marks over their leaves, so that a change has a path.

A part's SHA-256 says whether it changed, six hex digits a leaf say where.
"""

import datetime as dt
import hashlib
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from backend import __version__
from backend.agent.replies import dump_json
from backend.errors import WaypoolError
from backend.pool.snapshot import Snapshot
from backend.replay.json_tree import Difference, join_pointer, list_leaves
from backend.runs.life.ending import DeadlineError
from backend.runs.life.verdict import Cut
from backend.runs.log.run_log import Stage, read_stages
from backend.runs.log.steps import MadeBy, RunFinished, Step, read_payload
from backend.runs.relaxing.outcome import read_sought
from backend.runs.work.conclusion import Conclusion, conclude
from backend.text import make_pointer

_MARK = 6
PARTS = ("run", "snapshot", "steps", "results", "result")
"""In the order of the file; `steps` and `results` are hashed entry by entry."""


def compute_hashes(document: Mapping[str, Any]) -> dict[str, Any]:
    """`parts` and `leaves` by pointer, and `whole` over all of it."""
    parts = {path: _hash(value) for path, value in _list_parts(document)}
    leaves = {path: _mark_leaves(value) for path, value in _list_parts(document)}
    return {"whole": _hash([_head(document), parts]), "parts": parts, "leaves": leaves}


def find_changed(document: Mapping[str, Any]) -> Iterator[Difference]:
    """Where the hashes in an export say that it was changed, in the order of the file."""
    kept = document["hashes"]
    parts = dict(_list_parts(document))
    for path, expected in kept["parts"].items():
        if path not in parts:
            yield Difference(path, f"sha256 {expected}", "(nothing)")
        elif _hash(parts[path]) != expected:
            place, value = _find_leaf(parts[path], kept["leaves"].get(path, ""))
            yield Difference(path + place, f"sha256 {expected} of {path}", value)
        elif (marks := _mark_leaves(parts[path])) != kept["leaves"].get(path):
            yield Difference(join_pointer("/hashes/leaves", path), "(other marks)", marks)
    for path in parts:
        if path not in kept["parts"]:
            yield Difference(path, "(nothing)", parts[path])
    if _hash([_head(document), kept["parts"]]) != kept["whole"]:
        yield Difference("/hashes/whole", kept["whole"], _hash([_head(document), kept["parts"]]))


def _list_parts(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in PARTS:
        value = document[name]
        if name == "steps":
            yield from ((f"/steps/{n}", step) for n, step in enumerate(value))
        elif name == "results":
            yield from ((f"/results/{handle}", entry) for handle, entry in value.items())
        else:
            yield f"/{name}", value


def _head(document: Mapping[str, Any]) -> dict[str, Any]:
    names = ("format", "version", "software", "redacted", "original_snapshot_sha256")
    return {name: document.get(name) for name in names}


def _hash(value: Any) -> str:
    return hashlib.sha256(dump_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def _mark_leaves(value: Any) -> str:
    return "".join(_mark(path, leaf) for path, leaf in list_leaves(value))


def _mark(path: str, leaf: Any) -> str:
    return _hash([path, leaf])[:_MARK]


def _find_leaf(value: Any, marks: str) -> tuple[str, Any]:
    """The first leaf that is not as marked; the part itself where only something is missing."""
    for n, (path, leaf) in enumerate(list_leaves(value)):
        if _mark(path, leaf) != marks[n * _MARK : (n + 1) * _MARK]:
            return path, leaf
    return "", value


FORMAT = "waypool-run"
VERSION = 1


class BadExportError(WaypoolError):
    """The file is no export of a run, or one of a version that this Waypool does not know."""

    code = "BAD_EXPORT"


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _StepShape(_Closed):
    seq: int
    kind: str
    at: dt.datetime
    payload: dict[str, Any]


class _ResultShape(_Closed):
    state: Literal["ready", "expired", "failed", "pending"]
    tool: str | None
    content: str | None


class _HashesShape(_Closed):
    whole: str
    parts: dict[str, str]
    leaves: dict[str, str]


class _RunShape(BaseModel):
    id: str
    status: str
    finished_at: dt.datetime


class _Shape(_Closed):
    """The file; of a run and its result only what a replay reads is checked."""

    format: Literal["waypool-run"]
    version: Literal[1]
    software: dict[str, str]
    made_by: MadeBy | None = None
    redacted: bool
    original_snapshot_sha256: str | None
    run: _RunShape
    snapshot: dict[str, Any]
    steps: list[_StepShape]
    results: dict[str, _ResultShape]
    result: dict[str, Any]
    hashes: _HashesShape


@dataclass(frozen=True)
class RunExport:
    """An export; `document` is the file's object, whose bytes are what is compared."""

    document: dict[str, Any]

    @property
    def run(self) -> dict[str, Any]:
        """The run's head: id, status, planner, times, parent."""
        run: dict[str, Any] = self.document["run"]
        return run

    @property
    def result(self) -> dict[str, Any]:
        """The stored result document."""
        result: dict[str, Any] = self.document["result"]
        return result

    @cached_property
    def made_by(self) -> MadeBy | None:
        """Which Waypool made the run; None where it was one that did not say so yet."""
        raw = self.document.get("made_by")
        return None if raw is None else MadeBy.model_validate(raw)

    @property
    def results(self) -> Mapping[str, Mapping[str, Any]]:
        """What stands behind handles."""
        results: Mapping[str, Mapping[str, Any]] = self.document["results"]
        return results

    @property
    def finished_at(self) -> dt.datetime:
        """The moment that the result was computed for."""
        return dt.datetime.fromisoformat(self.run["finished_at"])

    @cached_property
    def snapshot(self) -> Snapshot:
        """The frozen pool."""
        try:
            return Snapshot.model_validate(self.document["snapshot"])
        except ValidationError as error:
            raise _refuse(error, "/snapshot") from None

    @cached_property
    def steps(self) -> Sequence[Step]:
        """The run log."""
        return [_read_step(n, raw) for n, raw in enumerate(self.document["steps"])]

    @cached_property
    def stages(self) -> Sequence[Stage]:
        """Its planners."""
        return read_stages(self.steps)

    @property
    def cut(self) -> Cut | None:
        """What ended the run from outside, if anything did."""
        if self.run["status"] == "cancelled":
            return "cancelled"
        code = (self.result.get("error") or {}).get("code")
        is_unended = bool(self.stages) and self.stages[-1].stop is None
        return "deadline" if is_unended or code == DeadlineError.code else None

    def conclude(self) -> Conclusion:
        """What the log alone leads to; a search for a relaxation is read from it, not repeated."""
        sought = read_sought(self.steps)
        return conclude(self.snapshot, self.stages, self.finished_at, self.cut, sought)

    def place_of(self, step: Step) -> str:
        """The pointer of a step in the file."""
        return f"/steps/{self.steps.index(step)}"

    def raw_payload(self, step: Step) -> dict[str, JsonValue]:
        """The payload of a step as it stands in the file, byte for byte."""
        raw: dict[str, JsonValue] = self.document["steps"][self.steps.index(step)]["payload"]
        return raw


def make_export(
    run: dict[str, Any],
    snapshot: dict[str, Any],
    steps: Sequence[dict[str, Any]],
    results: dict[str, Any],
    result: dict[str, Any],
    original_snapshot_sha256: str | None = None,
) -> RunExport:
    """An export of these parts with its hashes; the last argument stands with a redacted one."""
    document = put_together(
        run, snapshot, steps, results, result, original_snapshot_sha256
    ).document
    return RunExport({**document, "hashes": compute_hashes(document)})


def put_together(
    run: dict[str, Any],
    snapshot: dict[str, Any],
    steps: Sequence[dict[str, Any]],
    results: dict[str, Any],
    result: dict[str, Any],
    original_snapshot_sha256: str | None = None,
) -> RunExport:
    """The same without hashes, to be read here and now."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "software": {"waypool": __version__, "python": platform.python_version()},
        **_read_made_by(steps),
        "redacted": original_snapshot_sha256 is not None,
        "original_snapshot_sha256": original_snapshot_sha256,
        "run": run,
        "snapshot": snapshot,
        "steps": list(steps),
        "results": results,
        "result": result,
    }
    return RunExport(document)


def _read_made_by(steps: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Who made the run, as its last step says; nothing where an older Waypool wrote it."""
    is_ended = bool(steps) and steps[-1]["kind"] == _LAST
    made_by = steps[-1]["payload"].get("made_by") if is_ended else None
    return {} if made_by is None else {"made_by": made_by}


_LAST = RunFinished.model_fields["kind"].default


def read_export(document: object) -> RunExport:
    """The export that a file's JSON holds."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadExportError(f"it is no export of a run: 'format' is not {FORMAT!r}")
    if document.get("version") != VERSION:
        version = str(document.get("version"))[:20]
        raise BadExportError(f"it is of version {version}; this Waypool reads version {VERSION}")
    try:
        _Shape.model_validate(document)
    except ValidationError as error:
        raise _refuse(error, "") from None
    export = RunExport(document)
    assert export.steps is not None  # a payload that is not of its kind is refused here
    return export


def _read_step(number: int, raw: dict[str, Any]) -> Step:
    try:
        payload = read_payload(raw["kind"], raw["payload"])
    except ValidationError as error:
        raise _refuse(error, f"/steps/{number}/payload") from None
    return Step(raw["seq"], payload, dt.datetime.fromisoformat(raw["at"]))


def _refuse(error: ValidationError, path: str) -> BadExportError:
    first = error.errors(include_url=False)[0]
    where = path + make_pointer(*first["loc"])
    return BadExportError(f"it does not hold together: {where}: {first['msg']}")
