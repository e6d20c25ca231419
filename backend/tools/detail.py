"""The answer of a detail tool: one row whole, counted as opened."""

from collections.abc import Iterator
from typing import Any

from backend.pool.candidate import HotelCandidate, PoiCandidate, Row, TrainCandidate
from backend.pool.snapshot import Kind, Snapshot
from backend.tools.list_answer import show_number
from backend.tools.tool import Answer

LONGEST_TEXT = 1000
"""Characters of an introduction that a model is shown: an import takes more."""

Candidate = PoiCandidate | HotelCandidate | TrainCandidate


def answer_detail(kind: Kind, row_id: str, content: dict[str, Any]) -> Answer:
    """One item in detail; asked for again, it is a repeat."""
    return Answer(content, asked={"id": row_id}, ids=(row_id,), kind=kind, opened=(row_id,))


def show_fields(row: Row) -> dict[str, Any]:
    """All fields as JSON values; unknown ones stand as null, endless texts are cut."""
    return {key: _show(value) for key, value in row.model_dump(mode="json").items()}


def _show(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return value[: LONGEST_TEXT - 1] + "…"
    return show_number(value) if isinstance(value, float) else value


def list_pool(snapshot: Snapshot, kind: Kind) -> Iterator[Candidate]:
    """The pool's rows of a kind, for telling near ones."""
    rows: dict[Kind, dict[str, Any]] = {
        "poi": snapshot.rows.pois,
        "hotel": snapshot.rows.hotels,
        "train": snapshot.rows.trains,
    }
    return (rows[kind][row_id] for row_id in sorted(snapshot.ids_by_kind[kind]))
