"""One way to ask for less: what it is called, how much it asks of the traveller, the request it makes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backend.planner.adding import add_up
from backend.pool.plan_request import PlanRequest
from backend.text import Locale

if TYPE_CHECKING:
    from backend.runs.relaxing.diagnosis import Diagnosis

_JOIN: dict[Locale, str] = {"zh-CN": "", "en": " "}


@dataclass(frozen=True)
class Change:
    """`value` names the fields of the request as they become, or how much is asked for.

    `effort` compares changes of all kinds, see `suggestions.py`. With `is_elsewhen` other dates or
    cities are meant, so that another pool is needed. `grow` gives what to try next where a plan
    under this change was not enough.
    """

    kind: str
    value: Any
    message: str
    effort: float
    apply: Callable[[PlanRequest], PlanRequest]
    is_elsewhen: bool = False
    grow: "Callable[[Diagnosis], Iterator[Change]] | None" = None

    def as_json(self) -> dict[str, Any]:
        """The delivered shape."""
        return {"kind": self.kind, "value": self.value, "message": self.message}


def apply_all(request: PlanRequest, changes: Sequence[Change]) -> PlanRequest:
    """The request with all changes, checked anew."""
    for change in changes:
        request = change.apply(request)
    return PlanRequest.model_validate(request.model_dump())


def sum_effort(changes: Sequence[Change]) -> float:
    """What several changes ask together."""
    return add_up(change.effort for change in changes)


def show_changes(changes: Sequence[Change], locale: Locale) -> dict[str, Any]:
    """One change as it is, several as a combination."""
    if len(changes) == 1:
        return changes[0].as_json()
    return {
        "kind": "combination",
        "value": [change.as_json() for change in changes],
        "message": _JOIN[locale].join(change.message for change in changes),
    }
