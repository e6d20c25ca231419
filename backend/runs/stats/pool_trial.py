"""What other parameters would do to the pool of a request, beside today's; no run is started.

Measures how many tokens it costs a model to read all candidates, by calling every list to its end.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import Field

from backend.clock import read_utc
from backend.db.session import Session
from backend.document import Document
from backend.errors import Fault, RequestRefusedError, WaypoolError
from backend.params.queries import read_params
from backend.params.registry import ParamValue, check_value, find_param
from backend.pool.build import preview_document
from backend.pool.findings import FunnelStep, count_funnel
from backend.pool.plan_request import ResolvedDocument
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Kind, Snapshot
from backend.pool.wish_texts import WishDocument
from backend.results.values import count_tokens, write_json
from backend.runs.life.asking import preview_request
from backend.tools.call import ToolCall
from backend.tools.context import RunState, ToolLimit
from backend.tools.queries import override_rows, read_limits
from backend.tools.registry import check_limit, get_tool
from backend.tools.runner import ToolRunner


@dataclass(frozen=True)
class ListCost:
    """Pages and tokens of a list tool over all cities or legs; `first_tokens` is of first pages."""

    pages: int = 0
    rows: int = 0
    first_tokens: int = 0
    tokens: int = 0

    def __add__(self, other: "ListCost") -> "ListCost":
        """Both together."""
        return ListCost(
            self.pages + other.pages,
            self.rows + other.rows,
            self.first_tokens + other.first_tokens,
            self.tokens + other.tokens,
        )


async def measure_lists(snapshot: Snapshot, limits: Mapping[str, ToolLimit]) -> dict[str, ListCost]:
    """By list tool, what reading the whole pool costs; a tool that is switched off costs nothing."""

    async def read_limits() -> Mapping[str, ToolLimit]:
        return limits

    runner = ToolRunner(snapshot, read_limits)
    costs = {name: ListCost() for name in ("list_pois", "list_hotels", "list_trains")}
    for name, scope in _list_scopes(snapshot):
        if limits.get(name, ToolLimit()).enabled:
            costs[name] += await _read_to_end(runner, name, scope)
    return costs


def _list_scopes(snapshot: Snapshot) -> Iterator[tuple[str, dict[str, Any]]]:
    for city in snapshot.city_order:
        yield "list_pois", {"city": city}
        if snapshot.cities[city].hotels:
            yield "list_hotels", {"city": city}
    for leg in range(len(snapshot.legs)):
        yield "list_trains", {"leg": leg}


async def _read_to_end(runner: ToolRunner, name: str, scope: dict[str, Any]) -> ListCost:
    state, cost, asked = RunState(), ListCost(), scope
    while True:
        call = ToolCall(id="call", name=name, arguments=write_json(asked))
        outcome = await runner.run(call, state)
        state = state.after(outcome)
        tokens = count_tokens(write_json(outcome.content))
        first = 0 if cost.pages else tokens
        cost += ListCost(1, outcome.content.get("returned", 0), first, tokens)
        if not outcome.content.get("hasMore"):
            return cost
        asked = {**scope, "unseen_only": True}


KINDS: tuple[Kind, ...] = ("poi", "hotel", "train")


@dataclass(frozen=True)
class Trial:
    """A request as it came, with the values to try: parameters by key, return limits by tool."""

    request: object
    params: Mapping[str, object]
    limits: Mapping[str, object]


class ListCostDocument(Document):
    """What it takes to read a list to its end, over all cities or legs."""

    pages: int
    rows: int
    first_tokens: int = Field(description="Tokens of the first pages.")
    tokens: int


class PoolSideDocument(Document):
    """A pool as `waypool pool preview` shows it, its funnel, and what its lists cost."""

    cities: dict[str, Any]
    legs: tuple[dict[str, Any], ...]
    warnings: tuple[dict[str, Any], ...]
    resolved: tuple[ResolvedDocument, ...]
    wishes: tuple[WishDocument, ...] = Field((), exclude_if=lambda wishes: not wishes)
    sha256: str
    funnel: dict[Kind, FunnelStep]
    lists: dict[str, ListCostDocument]


class NamedRow(Document):
    """A candidate by its name; a train has no city of its own."""

    id: str
    name: str
    city: str | None = Field(None, exclude_if=lambda city: city is None)


class MovedDocument(Document):
    """Candidates that only one of two pools has."""

    entered: tuple[NamedRow, ...]
    left: tuple[NamedRow, ...]


class PoolTrialDocument(Document):
    """Today's pool beside the proposed one."""

    today: PoolSideDocument
    proposed: PoolSideDocument
    changes: dict[Kind, MovedDocument]


async def try_pool(session: Session, trial: Trial, *, is_sealed: bool = True) -> PoolTrialDocument:
    """Both pools, what enters and leaves, rejections, and the tokens that the lists cost.

    Without seals the pools have no hashes, and come sooner.
    """
    params, rows = _check_trial(trial)
    today = await read_params(session)
    request = await _resolve(session, trial.request, {**today, **params})
    pools = CandidatePoolService(session)
    before = await pools.build(request, today, is_sealed=is_sealed)
    after = before
    if params:
        after = await pools.build(request, {**today, **params}, is_sealed=is_sealed)
    limits = await read_limits(session)
    proposed = await _describe(after, override_rows(limits, rows))
    return PoolTrialDocument(
        today=await _describe(before, limits),
        proposed=proposed,
        changes={kind: _compare(before, after, kind) for kind in KINDS},
    )


def _check_trial(trial: Trial) -> tuple[dict[str, ParamValue], dict[str, int]]:
    """The values as their types; everything wrong is named in one error."""
    params: dict[str, ParamValue] = {}
    rows: dict[str, int] = {}
    faults = []
    for key, value in trial.params.items():
        try:
            params[key] = check_value(find_param(key), value)
        except WaypoolError as error:
            faults.append(Fault(f"/params/{key}", error.code.lower(), error.message))
    for name, value in trial.limits.items():
        try:
            rows[name] = check_limit(get_tool(name), value)
        except WaypoolError as error:
            faults.append(Fault(f"/limits/{name}", error.code.lower(), error.message))
    if faults:
        raise RequestRefusedError(faults)
    return params, rows


async def _resolve(session: Session, raw: object, params: Mapping[str, ParamValue]) -> Any:
    try:
        taken = await preview_request(session, raw, params)
    except RequestRefusedError as error:
        moved = [
            Fault(f"/request{f.pointer}", f.code, f.message, f.suggestions) for f in error.faults
        ]
        raise RequestRefusedError(moved) from None
    return taken.request


async def _describe(snapshot: Snapshot, limits: Mapping[str, ToolLimit]) -> PoolSideDocument:
    costs = await measure_lists(snapshot, limits)
    return PoolSideDocument(
        **preview_document(snapshot, snapshot.request.locale, read_utc()),
        funnel=count_funnel(snapshot),
        lists={name: ListCostDocument(**asdict(cost)) for name, cost in costs.items()},
    )


def _compare(before: Snapshot, after: Snapshot, kind: Kind) -> MovedDocument:
    old, new = before.ids_by_kind[kind], after.ids_by_kind[kind]
    return MovedDocument(
        entered=tuple(_name(after, kind, sorted(new - old))),
        left=tuple(_name(before, kind, sorted(old - new))),
    )


def _name(snapshot: Snapshot, kind: Kind, ids: list[str]) -> Iterator[NamedRow]:
    for row_id in ids:
        if kind == "train":
            yield NamedRow(id=row_id, name=snapshot.rows.trains[row_id].number)
        else:
            rows = snapshot.rows.pois if kind == "poi" else snapshot.rows.hotels
            row = rows[row_id]
            yield NamedRow(id=row_id, name=row.name, city=row.city)
