"""Steps of the run log as a traveller's app sees them: no internal ids, no raw arguments."""

import json
from typing import Any

from backend.runs.run_log import Step

_PAGE = ("total", "returned", "hasMore", "limit", "hint", "repeat_of")


def render_event(step: Step) -> dict[str, Any]:
    """The public event of a step: `seq`, `type`, `at`, and what its type has."""
    shown = {"seq": step.seq, "type": step.kind, "at": step.at.isoformat()}
    render = {"model_replied": _render_reply, "tool_called": _render_call}.get(step.kind)
    return shown | (render(step.payload) if render else step.payload)


def _render_reply(payload: dict[str, Any]) -> dict[str, Any]:
    reply = payload["reply"]
    return {
        "planner": payload["planner"],
        "turn": payload["turn"],
        "text": reply["text"],
        "tools": [call["name"] for call in reply["calls"]],
        "usage": reply["usage"],
    }


def _render_call(payload: dict[str, Any]) -> dict[str, Any]:
    outcome = payload["outcome"]
    content = outcome["content"]
    shown: dict[str, Any] = {
        "planner": payload["planner"],
        "turn": payload["turn"],
        "number": outcome["number"],
        "tool": outcome["tool"],
        "arguments": _parse(payload["call"]["arguments"]),
    }
    if outcome["is_error"]:
        return shown | {"error": content["error"]}
    return shown | {key: content[key] for key in _PAGE if key in content}


def _parse(arguments: str) -> Any:
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return None
