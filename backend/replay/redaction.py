"""Puts stable tokens for the traveller's words; what follows from them is computed again.

Tokens are numbered, not hashed: a short note could be guessed from its hash. The model's own words
may quote the traveller's, so they go too; what it called stays. A word that the catalogue or
Waypool itself says, such as the name of a place, goes from the traveller's fields alone: it is no
secret, and elsewhere it means the place.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from backend.agent.replies import dump_json
from backend.errors import WaypoolError
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Itinerary, Violation
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport, make_export
from backend.replay.playback import play_back
from backend.replay.verify import verify
from backend.results.values import parse_json, write_json
from backend.tools.call import ToolOutcome
from backend.tools.registry import TOOLS
from backend.tools.tool import describe_tool

NOTE = "[note]"
MODEL = "[model's words]"
_SHORTEST = 2


class UnsoundExportError(WaypoolError):
    """What does not verify is not redacted: the new hashes would hide what is wrong."""

    code = "UNSOUND_EXPORT"


@dataclass(frozen=True)
class Words:
    """What the traveller has said, and the token for each, the long ones first."""

    tokens: Mapping[str, str]

    def conceal(self, value: Any) -> Any:
        """The value with tokens for words, in keys and texts at any depth."""
        if isinstance(value, str):
            for word, token in self.tokens.items():
                value = value.replace(word, token)
            return value
        if isinstance(value, dict):
            return {self.conceal(key): self.conceal(entry) for key, entry in value.items()}
        return [self.conceal(entry) for entry in value] if isinstance(value, list) else value

    def without(self, public: str) -> "Words":
        """Those that do not stand in a text which anybody may read."""
        return Words({word: token for word, token in self.tokens.items() if word not in public})


def collect_words(request: PlanRequest, wish: str = "") -> Words:
    """The words of a request and of a revision; long ones first, since one may hold another."""
    tokens = {request.notes: NOTE} if request.notes else {}
    tokens |= {booking.title: f"[booking {n}]" for n, booking in enumerate(request.fixed, 1)}
    tokens |= {named.name: token for token, named in _list_own_places(request)}
    tokens |= {wish: "[message 1]"} if wish else {}
    long = [word for word in tokens if len(word.strip()) >= _SHORTEST]
    return Words({word: tokens[word] for word in sorted(long, key=len, reverse=True)})


async def redact(export: RunExport) -> RunExport:
    """The export without the traveller's words; `UNSOUND_EXPORT` where it does not verify."""
    await _check(export, "the run")
    wish = next((stage.start.wish for stage in export.stages), "")
    words = collect_words(export.snapshot.request, wish)
    snapshot = _redact_snapshot(export.snapshot)
    spoken = words.without(snapshot.as_text() + _list_product_words())
    steps = [_redact_step(step, spoken, has_words=bool(words.tokens)) for step in _list(export)]
    bare = _assemble(export, snapshot, steps, spoken)
    redacted = await _compute_again(bare, export.snapshot.sha256)
    await _check(redacted, "the run without the traveller's words")
    return redacted


async def _check(export: RunExport, name: str) -> None:
    checked = await verify(export)
    if checked.difference is not None:
        raise UnsoundExportError(f"{name} does not verify: {checked.difference}")


def _list(export: RunExport) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = export.document["steps"]
    return steps


def _assemble(
    export: RunExport, snapshot: Snapshot, steps: list[dict[str, Any]], words: Words
) -> RunExport:
    results = {handle: _redact_entry(entry, words) for handle, entry in export.results.items()}
    return RunExport(
        {
            **export.document,
            "snapshot": json.loads(snapshot.as_text()),
            "steps": steps,
            "results": results,
            "result": words.conceal(export.result),
        }
    )


async def _compute_again(bare: RunExport, original: str) -> RunExport:
    """With outcomes and result as the real tools give them over the redacted snapshot."""
    seen = await play_back(bare, is_compared=False)
    outcomes = {
        seq: json.loads(dump_json(outcome.model_dump(mode="json")))
        for seq, outcome in seen.outcomes.items()
    }
    steps = [
        {**step, "payload": {**step["payload"], "outcome": outcomes[step["seq"]]}}
        if step["seq"] in outcomes
        else step
        for step in _list(bare)
    ]
    again = RunExport({**bare.document, "steps": steps})
    result = bare.result
    if "itinerary" in result:
        result = json.loads(dump_json(again.conclude().result))
    return make_export(
        bare.run,
        again.document["snapshot"],
        steps,
        dict(bare.results),
        result,
        original_snapshot_sha256=original,
    )


def _redact_snapshot(snapshot: Snapshot) -> Snapshot:
    bare = _redact_request(snapshot.request)
    return snapshot.model_copy(update={"request": bare}).sealed()


def _redact_request(request: PlanRequest) -> PlanRequest:
    fixed = tuple(
        booking.model_copy(update={"title": f"[booking {n}]"})
        for n, booking in enumerate(request.fixed, 1)
    )
    changes: dict[str, Any] = {"fixed": fixed, "notes": NOTE if request.notes else ""}
    for token, named in _list_own_places(request):
        end = "arrival" if named is getattr(request.arrival, "place", None) else "departure"
        place = named.model_copy(update={"name": token})
        changes[end] = getattr(request, end).model_copy(update={"place": place})
    return request.model_copy(update=changes)


def _list_own_places(request: PlanRequest) -> Iterator[tuple[str, Any]]:
    """Where the traveller comes from or goes to, by names of their own; stations are public."""
    for end in ("arrival", "departure"):
        place = getattr(getattr(request, end), "place", None)
        if place is not None and not isinstance(place, str):
            yield f"[{end}]", place


def _redact_entry(entry: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """What stands behind a handle; it stays as it is where it holds none of the words."""
    if entry["content"] is None:
        return dict(entry)
    value = parse_json(entry["content"])
    bare = words.conceal(value)
    return {**entry, "content": entry["content"] if bare == value else write_json(bare)}


def _redact_step(step: dict[str, Any], words: Words, *, has_words: bool) -> dict[str, Any]:
    payload = words.conceal(step["payload"])
    redact_call = _redact_arguments(words)
    if step["kind"] == "tool_called":
        payload = {**payload, "call": redact_call(step["payload"]["call"])}
    if step["kind"] == "model_replied":
        reply = dict(payload["reply"])
        reply["calls"] = [redact_call(call) for call in step["payload"]["reply"]["calls"]]
        if has_words:
            reply |= {key: MODEL for key in ("text", "reasoning") if reply[key]}
        payload = {**payload, "reply": reply}
    if step["kind"] == "relaxation_sought" and ((payload.get("plan") or {}).get("request")):
        request = PlanRequest.model_validate(step["payload"]["plan"]["request"])
        bare = _redact_request(request).model_dump(mode="json")
        payload = {**payload, "plan": {**payload["plan"], "request": bare}}
    if step["kind"] == "revision_begun" and step["payload"]["wish"]:
        payload = {**payload, "wish": "[message 1]"}
    return {**step, "payload": payload}


def _redact_arguments(words: Words) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Arguments are text: words may stand in it as they are, or with JSON's escapes."""

    def redact_call(call: dict[str, Any]) -> dict[str, Any]:
        text = call["arguments"]
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {**call, "arguments": words.conceal(text)}
        bare = words.conceal(value)
        return call if bare == value else {**call, "arguments": dump_json(bare)}

    return redact_call


@cache
def _list_product_words() -> str:
    """What Waypool itself says in tools, outcomes and plans: names of fields, codes, kinds."""
    models = (Draft, Itinerary, Violation, ToolOutcome)
    schemas = [model.model_json_schema(mode="serialization") for model in models]
    return dump_json([schemas, [describe_tool(tool).model_dump() for tool in TOOLS]])
