"""Whether a plan still holds: what the catalogue says today of the things in it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from backend.catalogue.editing import Edited, RowKind, read_row
from backend.catalogue.importers.lines import read_weekdays
from backend.catalogue.queries import read_state
from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.errors import ConflictError, NotFoundError
from backend.planner.draft import Draft
from backend.pool.candidate import HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.snapshot import Snapshot, SnapshotRows
from backend.runs.commands import get_run
from backend.runs.findings import check_plan
from backend.runs.lifecycle import is_final
from backend.runs.queries import read_snapshot_text
from backend.runs.run_log import read_steps
from backend.runs.stages import fold_state, read_stages

Candidate = PoiCandidate | HotelCandidate | TrainCandidate

_MODELS: dict[RowKind, type[Candidate]] = {
    "poi": PoiCandidate,
    "hotel": HotelCandidate,
    "train": TrainCandidate,
}
_PRICES = {"poi": "price", "hotel": "price_per_night", "train": "price"}
_LOST = frozenset({"gone", "closed", "not_running"})


async def recheck_run(engine: Engine, run_id: str, tenant: str | None) -> dict[str, Any]:
    """The same for the plan of a run that has ended; a `ConflictError` where it has none."""
    async with transaction(engine) as session:
        run = await get_run(session, run_id, tenant)
        text = await read_snapshot_text(session, run_id)
    if text is None or not is_final(run.status):
        raise ConflictError(f"{run_id} has no plan (yet)")
    draft = fold_state(read_stages(await read_steps(engine, run_id))).draft
    snapshot = await asyncio.to_thread(Snapshot.model_validate_json, text)
    async with transaction(engine) as session:
        found = await recheck_plan(session, snapshot, draft)
    return {"run_id": run_id, **found}


async def recheck_plan(session: Session, snapshot: Snapshot, draft: Draft) -> dict[str, Any]:
    """What has changed since the snapshot, and whether the plan still holds, as JSON values."""
    changes = []
    rows: dict[RowKind, dict[str, Any]] = {kind: {} for kind in _MODELS}
    async for kind, before, edited in _read_today(session, snapshot, draft):
        change, today = _compare(snapshot, draft, kind, before, edited)
        rows[kind][before.id] = today
        if change is not None:
            changes.append(change)
    now = read_utc()
    was = check_plan(snapshot, draft, now)
    found = check_plan(_put_rows(snapshot, rows), draft, now)
    known = {(v.code, v.where) for v in was.violations}
    new = [v for v in found.violations if (v.code, v.where) not in known]
    is_lost = any(change["change"] in _LOST for change in changes)
    return {
        "holds": not is_lost and not found.errors,
        "catalogue_version": {
            "then": snapshot.catalogue.version,
            "now": (await read_state(session)).version,
        },
        "changes": changes,
        "violations": [violation.model_dump(mode="json") for violation in new],
        "costs": {
            "then": was.itinerary.costs.model_dump(mode="json"),
            "now": found.itinerary.costs.model_dump(mode="json"),
        },
    }


async def _read_today(
    session: Session, snapshot: Snapshot, draft: Draft
) -> AsyncIterator[tuple[RowKind, Candidate, Edited | None]]:
    rows = snapshot.rows
    trains = [train for leg in sorted(draft.trains) for train in draft.trains[leg]]
    wanted: list[tuple[RowKind, Candidate]] = [
        *(("poi", rows.pois[i]) for i in dict.fromkeys(draft.poi_ids)),
        *(("hotel", rows.hotels[i]) for i in dict.fromkeys(draft.hotels.values())),
        *(("train", rows.trains[i]) for i in dict.fromkeys(trains)),
    ]
    for kind, before in wanted:
        try:
            yield kind, before, await read_row(session, kind, before.id)
        except NotFoundError:
            yield kind, before, None


def _compare(
    snapshot: Snapshot, draft: Draft, kind: RowKind, before: Candidate, edited: Edited | None
) -> tuple[dict[str, Any] | None, Candidate]:
    """What is said of one thing, None where it is as it was, and its row as it is today."""
    if edited is None:
        return _describe(kind, before, "gone", {}), before
    line = edited.line.model_dump()
    today = _MODELS[kind].model_validate(
        {k: v for k, v in line.items() if k in before.__class__.model_fields}
    )
    old, new = before.model_dump(mode="json"), today.model_dump(mode="json")
    fields = {key: [old[key], new[key]] for key in old if old[key] != new[key]}
    if not line["enabled"]:
        return _describe(kind, before, "closed", fields), today
    if isinstance(today, TrainCandidate) and not _runs(snapshot, draft, today):
        return _describe(kind, before, "not_running", fields), today
    if not fields:
        return None, today
    return _describe(kind, before, _name_change(kind, fields), fields), today


def _name_change(kind: RowKind, fields: Mapping[str, list[Any]]) -> str:
    prices = fields.get(_PRICES[kind])
    if prices is None:
        return "changed"
    if None in prices:
        return "price_known" if prices[0] is None else "price_unknown"
    return "dearer" if float(prices[1]) > float(prices[0]) else "cheaper"


def _runs(snapshot: Snapshot, draft: Draft, train: TrainCandidate) -> bool:
    """Whether the train still runs on the day of its leg; the second of a connection may be later."""
    mask = read_weekdays(train.runs_on)
    legs = [leg for leg, ids in draft.trains.items() if ids[:1] == (train.id,)]
    return all(mask >> snapshot.legs[leg].date.weekday() & 1 for leg in legs)


def _describe(
    kind: RowKind, row: Candidate, change: str, fields: Mapping[str, list[Any]]
) -> dict[str, Any]:
    name = row.number if isinstance(row, TrainCandidate) else row.name
    return {"kind": kind, "id": row.id, "name": name, "change": change, "fields": dict(fields)}


def _put_rows(snapshot: Snapshot, rows: Mapping[RowKind, Mapping[str, Any]]) -> Snapshot:
    before = snapshot.rows
    today = SnapshotRows(
        pois={**before.pois, **rows["poi"]},
        hotels={**before.hotels, **rows["hotel"]},
        trains={**before.trains, **rows["train"]},
    )
    return snapshot.model_copy(update={"rows": today})
