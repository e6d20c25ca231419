"""Measures how many tokens it costs a model to read all candidates, by calling every list to its end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backend.pool.snapshot import Snapshot
from backend.results.tokens import count_tokens
from backend.results.values import write_json
from backend.tools.call import ToolCall
from backend.tools.context import RunState
from backend.tools.limits import ToolLimit
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
