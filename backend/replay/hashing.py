"""Hashes over the parts of an export, and marks over their leaves, so that a change has a path.

A part's SHA-256 says whether it changed, six hex digits a leaf say where.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from backend.agent.replies import dump_json
from backend.replay.json_tree import Difference, join_pointer, list_leaves

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
