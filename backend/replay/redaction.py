"""Puts stable tokens for the traveller's words; what follows from them is computed again.

Tokens are numbered, not hashed: a short note could be guessed from its hash. The model's own words
may quote the traveller's, so where there is a note they go too; what it called stays.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backend.agent.replies import dump_json
from backend.errors import WaypoolError
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport, make_export
from backend.replay.playback import play_back
from backend.replay.verify import verify

NOTE = "[note]"
MODEL = "[model's words]"
_SHORTEST = 2


class UnsoundExportError(WaypoolError):
    """What does not verify is not redacted: the new hashes would hide what is wrong."""

    code = "UNSOUND_EXPORT"


@dataclass(frozen=True)
class Words:
    """What the traveller has said, and the token for each."""

    tokens: Mapping[str, str]
    has_note: bool

    def conceal(self, value: Any) -> Any:
        """The value with tokens for words, in keys and texts at any depth."""
        if isinstance(value, str):
            for word, token in self.tokens.items():
                value = value.replace(word, token)
            return value
        if isinstance(value, dict):
            return {key: self.conceal(entry) for key, entry in value.items()}
        return [self.conceal(entry) for entry in value] if isinstance(value, list) else value


def collect_words(request: PlanRequest, messages: tuple[str, ...] = ()) -> Words:
    """The words of a request and of revisions; long ones first, since one may hold another."""
    tokens = {request.notes: NOTE} if request.notes else {}
    tokens |= {booking.title: f"[booking {n}]" for n, booking in enumerate(request.fixed, 1)}
    tokens |= {message: f"[message {n}]" for n, message in enumerate(messages, 1) if message}
    kept = {word: tokens[word] for word in sorted(tokens, key=len, reverse=True)}
    long = {word: token for word, token in kept.items() if len(word) >= _SHORTEST}
    return Words(long, bool(request.notes or messages))


async def redact(export: RunExport) -> RunExport:
    """The export without the traveller's words; `UNSOUND_EXPORT` where it does not verify."""
    checked = await verify(export)
    if checked.difference is not None:
        raise UnsoundExportError(f"the run does not verify: {checked.difference}")
    words = collect_words(export.snapshot.request)
    snapshot = _redact_snapshot(export.snapshot, words)
    bare = _assemble(export, snapshot, [_redact_step(s, words) for s in export.document["steps"]])
    return await _compute_again(bare, export.snapshot.sha256)


def _assemble(export: RunExport, snapshot: Snapshot, steps: list[dict[str, Any]]) -> RunExport:
    document = {**export.document, "snapshot": json.loads(snapshot.as_text()), "steps": steps}
    return RunExport(document)


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
        for step in bare.document["steps"]
    ]
    again = _assemble(bare, bare.snapshot, steps)
    result = bare.result
    if "itinerary" in result:
        end = again.conclude()
        result = json.loads(dump_json(end.result))
    return make_export(
        bare.run,
        again.document["snapshot"],
        steps,
        dict(bare.results),
        result,
        original_snapshot_sha256=original,
    )


def _redact_snapshot(snapshot: Snapshot, words: Words) -> Snapshot:
    request = snapshot.request
    fixed = tuple(
        booking.model_copy(update={"title": f"[booking {n}]"})
        for n, booking in enumerate(request.fixed, 1)
    )
    notes = NOTE if request.notes else ""
    bare = request.model_copy(update={"fixed": fixed, "notes": notes})
    return snapshot.model_copy(update={"request": bare}).sealed()


def _redact_step(step: dict[str, Any], words: Words) -> dict[str, Any]:
    payload = words.conceal(step["payload"])
    redact_call = _redact_arguments(words)
    if step["kind"] == "tool_called":
        payload = {**payload, "call": redact_call(step["payload"]["call"])}
    if step["kind"] == "model_replied":
        reply = dict(payload["reply"])
        reply["calls"] = [redact_call(call) for call in step["payload"]["reply"]["calls"]]
        reply |= dict(_list_own_words(reply, words))
        payload = {**payload, "reply": reply}
    return {**step, "payload": payload}


def _list_own_words(reply: Mapping[str, Any], words: Words) -> Iterator[tuple[str, str]]:
    if words.has_note:
        yield from ((key, MODEL) for key in ("text", "reasoning") if reply[key])


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
