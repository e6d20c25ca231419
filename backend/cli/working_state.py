"""The working state of calls made by hand: a file with the draft, the calls so far, and what was seen."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from backend.cli.output import read_json, write_text
from backend.errors import ConfigurationError
from backend.planner.draft import Draft
from backend.pool.snapshot import Snapshot
from backend.text import quote
from backend.tools.context import RunState


class WorkingState(RunState):
    """A run's state with the hash of the snapshot that it belongs to; empty: not known."""

    snapshot_sha256: str = ""


def read_state(path: str | None, snapshot: Snapshot) -> RunState:
    """The state in the file; a fresh one where there is none yet."""
    if path is None or not Path(path).exists():
        return RunState()
    try:
        state = WorkingState.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ConfigurationError(f"{path} is no working state: {where}: {first['msg']}") from None
    if state.snapshot_sha256 not in ("", snapshot.sha256):
        raise ConfigurationError(f"{path} belongs to another snapshot: {state.snapshot_sha256}")
    for fault in _list_strangers(snapshot, state.draft):
        raise ConfigurationError(f"{path} does not fit the snapshot: {fault}")
    return state


def write_state(path: str, state: RunState, snapshot: Snapshot) -> None:
    """Keep the state for the next call."""
    values = {**state.model_dump(), "snapshot_sha256": snapshot.sha256}
    write_text(path, WorkingState.model_validate(values).model_dump_json(indent=2) + "\n")


def _list_strangers(snapshot: Snapshot, draft: Draft) -> Iterator[str]:
    """Choices of a draft that no edit would have made."""
    days = range(1, snapshot.request.days + 1)
    yield from (f"no day {day}" for day in draft.visits if day not in days)
    yield from (f"no place {quote(i)}" for i in draft.poi_ids if snapshot.poi(i) is None)
    yield from (f"no city {quote(city)}" for city in draft.hotels if city not in snapshot.cities)
    yield from (f"no hotel {quote(i)}" for i in draft.hotels.values() if snapshot.hotel(i) is None)
    yield from (f"no leg {leg}" for leg in draft.trains if not 0 <= leg < len(snapshot.legs))
    trains = (i for ids in draft.trains.values() for i in ids)
    yield from (f"no train {quote(i)}" for i in trains if snapshot.train(i) is None)
