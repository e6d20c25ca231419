"""Whether a plan still holds: what the catalogue says today of the things in it.

Of an infeasible run that is the plan that it shows, made for the relaxed request.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Generic, TypeVar

from pydantic import Field, JsonValue

from backend.catalogue.editing import Edited, RowKind, read_row
from backend.catalogue.importers.lines import read_weekdays
from backend.catalogue.queries import read_state
from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.document import Document
from backend.errors import NotFoundError
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Costs, Violation
from backend.pool.candidate import HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.plan_request import PlanRequest
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Kind, Snapshot, SnapshotRows
from backend.runs.life.result import read_delivered
from backend.runs.life.verdict import check_plan
from backend.runs.log.run_log import fold_state, read_stages, read_steps
from backend.runs.log.steps import RelaxedPlan
from backend.runs.relaxing.outcome import read_sought

Candidate = PoiCandidate | HotelCandidate | TrainCandidate

_MODELS: dict[RowKind, type[Candidate]] = {
    "poi": PoiCandidate,
    "hotel": HotelCandidate,
    "train": TrainCandidate,
}
_PRICES = {"poi": "price", "hotel": "price_per_night", "train": "price"}
ValueT = TypeVar("ValueT")

_LOST = frozenset({"gone", "closed", "not_running"})


class RowChangeDocument(Document):
    """What the catalogue says otherwise of a thing in the plan; `fields` are `[then, now]`."""

    kind: Kind
    id: str
    name: str
    change: str = Field(
        description="gone, closed, not_running, dearer, cheaper, price_known, price_unknown, changed"
    )
    fields: dict[str, tuple[JsonValue, JsonValue]]


class ThenAndNow(Document, Generic[ValueT]):
    """One thing when the plan was made, and today."""

    then: ValueT
    now: ValueT


class Recheck(Document):
    """Whether a plan still holds."""

    holds: bool
    catalogue_version: ThenAndNow[int]
    changes: tuple[RowChangeDocument, ...]
    violations: tuple[Violation, ...] = Field(description="Those that have come since.")
    costs: ThenAndNow[Costs]


class RecheckDocument(Recheck):
    """Whether a plan still holds; of an infeasible run, the one under its `relaxation`."""

    run_id: str
    status: str
    relaxation: str | None


async def recheck_run(engine: Engine, run_id: str, tenant: str | None) -> RecheckDocument:
    """What has changed for the plan of an ended run; a `NoItineraryError` where it has none."""
    delivered = await read_delivered(engine, run_id, tenant)
    steps = await read_steps(engine, run_id)
    sought = read_sought(steps)
    plan = sought.plan if sought is not None else None
    draft, snapshot = fold_state(read_stages(steps)).draft, delivered.snapshot
    async with transaction(engine) as session:
        if plan is not None and plan.request is not None:
            draft, snapshot = plan.draft, await _relax(session, snapshot, plan)
        found = await recheck_plan(session, snapshot, draft)
    return RecheckDocument(
        run_id=run_id,
        status=delivered.status,
        relaxation=delivered.relaxation,
        **dict(found),
    )


async def _relax(session: Session, snapshot: Snapshot, plan: RelaxedPlan) -> Snapshot:
    """The pool that the relaxed plan is of; other dates and cities have their own, built today."""
    assert plan.request is not None
    pool = snapshot.model_copy(update={"request": plan.request})
    if _frame(plan.request) != _frame(snapshot.request):
        pool = await CandidatePoolService(session).build(plan.request, snapshot.params)
    rows, then = pool.rows, plan.rows or SnapshotRows(pois={}, hotels={}, trains={})
    every = SnapshotRows(
        pois={**rows.pois, **then.pois},
        hotels={**rows.hotels, **then.hotels},
        trains={**rows.trains, **then.trains},
    )
    return pool.model_copy(update={"rows": every, "catalogue": snapshot.catalogue})


def _frame(request: PlanRequest) -> tuple[Any, ...]:
    """What decides which days, cities and legs there are."""
    ends = request.arrival is None, request.departure is None
    return request.origin, request.destinations, request.start_date, request.days, ends


async def recheck_plan(session: Session, snapshot: Snapshot, draft: Draft) -> Recheck:
    """What has changed since the snapshot, and whether the plan still holds."""
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
    new = _list_new(was.violations, found.violations)
    is_lost = any(change.change in _LOST for change in changes)
    version = (await read_state(session)).version
    return Recheck(
        holds=not is_lost and not found.errors,
        catalogue_version=ThenAndNow(then=snapshot.catalogue.version, now=version),
        changes=tuple(changes),
        violations=tuple(new),
        costs=ThenAndNow(then=was.itinerary.costs, now=found.itinerary.costs),
    )


def _list_new(was: Iterable[Violation], found: Iterable[Violation]) -> list[Violation]:
    """Those that were not there; with other rows items stand elsewhere in their day's list."""
    known = list(was)
    said = {(v.code, v.message) for v in known}
    places = {(v.code, v.where) for v in known if v.where.item is None}
    return [v for v in found if (v.code, v.message) not in said and (v.code, v.where) not in places]


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
    state = await read_state(session)
    for kind, before in wanted:
        try:
            yield kind, before, await read_row(session, kind, before.id, state)
        except NotFoundError:
            yield kind, before, None


def _compare(
    snapshot: Snapshot, draft: Draft, kind: RowKind, before: Candidate, edited: Edited | None
) -> tuple[RowChangeDocument | None, Candidate]:
    """What is said of one thing, None where it is as it was, and its row as it is today."""
    if edited is None:
        return _describe(kind, before, "gone", {}), before
    line = edited.line.model_dump()
    today = _MODELS[kind].model_validate(
        {k: v for k, v in line.items() if k in before.__class__.model_fields}
    )
    old, new = before.model_dump(mode="json"), today.model_dump(mode="json")
    fields = {key: (old[key], new[key]) for key in old if old[key] != new[key]}
    if not line["enabled"]:
        return _describe(kind, before, "closed", fields), today
    if isinstance(today, TrainCandidate) and not _runs(snapshot, draft, today):
        return _describe(kind, before, "not_running", fields), today
    if not fields:
        return None, today
    return _describe(kind, before, _name_change(kind, fields), fields), today


def _name_change(kind: RowKind, fields: Mapping[str, tuple[Any, Any]]) -> str:
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
    kind: RowKind, row: Candidate, change: str, fields: Mapping[str, tuple[JsonValue, JsonValue]]
) -> RowChangeDocument:
    name = row.number if isinstance(row, TrainCandidate) else row.name
    return RowChangeDocument(kind=kind, id=row.id, name=name, change=change, fields=dict(fields))


def _put_rows(snapshot: Snapshot, rows: Mapping[RowKind, Mapping[str, Any]]) -> Snapshot:
    before = snapshot.rows
    today = SnapshotRows(
        pois={**before.pois, **rows["poi"]},
        hotels={**before.hotels, **rows["hotel"]},
        trains={**before.trains, **rows["train"]},
    )
    return snapshot.model_copy(update={"rows": today})
