"""What the model saw, turn by turn: the messages as sent, the tools offered, and what they cost."""

from collections.abc import Iterator, Sequence
from typing import Any

from backend.agent.replies import dump_json
from backend.replay.playback import Turn
from backend.results.tokens import count_tokens


def show_turns(turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """Each turn with what is new in it; a request holds `earlier_messages` before those.

    The ledger counts tokens of the messages by part, of the whole request.
    """
    before = 0
    planner = ""
    for turn in turns:
        if turn.planner != planner:
            before, planner = 0, turn.planner
        yield {
            "step": turn.seq,
            "planner": turn.planner,
            "turn": turn.turn,
            "earlier_messages": before,
            "messages": [m.model_dump(mode="json") for m in turn.messages[before:]],
            "tools": [tool.name for tool in turn.tools],
            "ledger": measure_turn(turn),
        }
        before = len(turn.messages)


def measure_turn(turn: Turn) -> dict[str, int]:
    """Tokens by part: system, request, model, each tool's outcomes, the schemas of the tools."""
    parts: dict[str, int] = {}
    names: dict[str, str] = {}
    for n, message in enumerate(turn.messages):
        names |= {call.id: call.name for call in message.calls}
        part = {"system": "system", "assistant": "model"}.get(message.role, "request")
        if message.role == "tool":
            part = f"tool:{names.get(message.call_id or '', '?')}"
        elif message.role == "user" and n > 1:
            part = "nudge"
        told = message.content + "".join(call.name + call.arguments for call in message.calls)
        parts[part] = parts.get(part, 0) + count_tokens(told)
    parts["schemas"] = sum(count_tokens(dump_json(t.model_dump())) for t in turn.tools)
    return {**parts, "total": sum(parts.values())}


def write_turn(shown: dict[str, Any]) -> str:
    """A turn for people."""
    ledger = ", ".join(f"{part} {tokens}" for part, tokens in shown["ledger"].items())
    head = (
        f"── step {shown['step']} · turn {shown['turn']} of {shown['planner']} · tokens: {ledger}"
    )
    lines = [head, f"   {shown['earlier_messages']} messages as before, then:"]
    for message in shown["messages"]:
        lines.append(f"[{message['role']}] {message['content']}")
        lines.extend(f"  → {call['name']} {call['arguments']}" for call in message["calls"])
    return "\n".join(lines)
