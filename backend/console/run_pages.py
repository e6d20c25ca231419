"""The runs of a tenant, newest first.

The run log as lines for a person, and as turns for a developer.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from backend.catalogue.queries import read_cities
from backend.console.render import show_page, translate
from backend.console.visit import ServicesDep, VisitDep
from backend.db.session import transaction
from backend.errors import ForbiddenError, UnauthorizedError
from backend.runs.log.events import render_event
from backend.runs.log.lifecycle import STATUSES
from backend.runs.log.queries import list_runs, make_page
from backend.runs.log.steps import Step
from backend.text import Locale

router = APIRouter()

PAGE = 25


@router.get("/runs")
async def show_runs(
    visit: VisitDep,
    services: ServicesDep,
    status: Annotated[str, Query(max_length=20)] = "",
    before: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """A page of them; for users and developers."""
    if visit.principal is None:
        raise UnauthorizedError("sign in first")
    if not (visit.may("user") or visit.may("developer")):
        raise ForbiddenError("this key lacks the scopes 'user' and 'developer'")
    wanted: Any = status if status in STATUSES else None
    async with transaction(services.engine) as session:
        runs = await list_runs(
            session, visit.principal.tenant, PAGE + 1, before=before or None, status=wanted
        )
        cities = {city.id: city for city in await read_cities(session)}
    values = {"cities": cities, "statuses": STATUSES, "status": wanted, "before": before}
    return show_page(visit, "runs.html", page=make_page(runs, PAGE), **values)


_CUT = 160


Told = tuple[Step, Mapping[str, Any] | None]
"""A step, and what it tells the world; None where it tells nothing."""


def tell(steps: Iterable[Step]) -> list[Told]:
    """Each step with its event."""
    return [(step, render_event(step)) for step in steps]


def list_lines(told: Iterable[Told], locale: Locale) -> list[dict[str, Any]]:
    """Each event as a line: when, what, whether it is a fault."""
    return [_show(event, locale) for _, event in told if event]


def _show(event: Mapping[str, Any], locale: Locale) -> dict[str, Any]:
    kind = event["type"]
    text = _DESCRIBE[kind](event, locale) if kind in _DESCRIBE else ""
    return {
        "time": event["at"][11:19],
        "kind": kind,
        "title": translate(locale, f"event.{kind}"),
        "text": text,
        "is_fault": bool(event.get("error")),
    }


def _show_call(event: Mapping[str, Any], locale: Locale) -> str:
    arguments = _cut(json.dumps(event["arguments"], ensure_ascii=False))
    head = f"{event['number']}. {event['tool']} {arguments}"
    if error := event.get("error"):
        return f"{head} → {error['code']}: {_cut(error['message'])}"
    if "total" in event:
        return f"{head} → {event['returned']} / {event['total']} · {_cut(event['hint'])}"
    return head


def _show_end(event: Mapping[str, Any], locale: Locale) -> str:
    status = translate(locale, f"status.{event['status']}")
    return status + (f": {event['error']['message']}" if event["error"] else "")


def _show_reply(event: Mapping[str, Any], _: Locale) -> str:
    return f"{event['turn']} · {_cut(event['text'])}" if event["text"] else f"{event['turn']}"


def _show_planner(event: Mapping[str, Any], locale: Locale) -> str:
    return translate(locale, f"planner.{event['planner']}")


_DESCRIBE: dict[str, Callable[[Mapping[str, Any], Locale], str]] = {
    "tool_called": _show_call,
    "run_finished": _show_end,
    "model_replied": _show_reply,
    "planner_chosen": _show_planner,
    "planner_fell_back": lambda event, _: str(event["reason"]),
    "planner_stopped": lambda event, _: str(event["stop"]),
    "pool_built": lambda event, _: event["sha256"][:12],
}


def list_turns(told: Iterable[Told]) -> list[dict[str, Any]]:
    """Replies of the planner with their calls: tokens, and milliseconds since the step before."""
    turns: list[dict[str, Any]] = []
    last = None
    for step, event in told:
        waited = round((step.at - last).total_seconds() * 1000) if last else 0
        last = step.at
        if event and step.kind == "model_replied":
            turns.append({**event, "ms": waited, "calls": []})
        elif event and step.kind == "tool_called" and turns:
            arguments = json.dumps(event["arguments"], ensure_ascii=False)
            turns[-1]["calls"].append({**event, "arguments": arguments, "ms": waited})
    return turns


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"
