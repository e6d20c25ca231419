"""What the model saw, turn by turn: the messages as sent, the tools offered, and what they cost."""

import itertools
import sys
from collections.abc import Iterator
from typing import Any

from backend.agent.ledger import Ledger
from backend.agent.llm import Sent, add_sizes
from backend.agent.replies import dump_json
from backend.replay.playback import Seen, Turn


def show_turns(seen: Seen) -> Iterator[dict[str, Any]]:
    """Each turn with what is new in it; a request holds `earlier_messages` before those.

    Each stage is a conversation of its own, with an account of its own. `outcomes` are those of the
    turn's calls, by step, as far as was played.
    """
    before, planner, ledger = 0, "", Ledger()
    ends = [turn.seq for turn in seen.turns[1:]]
    for turn, end in itertools.zip_longest(seen.turns, ends, fillvalue=sys.maxsize):
        assert isinstance(turn, Turn)
        if turn.planner != planner:
            before, planner, ledger = 0, turn.planner, Ledger()
        sent = ledger.open_request(turn.messages, turn.tools)
        yield {
            "step": turn.seq,
            "planner": turn.planner,
            "turn": turn.turn,
            "earlier_messages": before,
            "messages": [m.model_dump(mode="json") for m in turn.messages[before:]],
            "tools": [tool.name for tool in turn.tools],
            "reply": turn.reply.model_dump(mode="json", include={"text", "calls"}),
            "outcomes": [
                {"step": seq, "tool": outcome.tool, "content": outcome.content}
                for seq, outcome in seen.outcomes.items()
                if turn.seq < seq < end
            ],
            "ledger": _show_ledger(sent),
        }
        before = len(turn.messages)


def _show_ledger(sent: Sent) -> dict[str, Any]:
    """The whole request by part, as `GET /v1/runs/{id}/ledger` has it, and what is new in it."""
    return {
        "parts": {part: size.model_dump() for part, size in sorted(sent.parts.items())},
        "total": sent.total.model_dump(),
        "new": add_sizes(sent.fresh.values()).model_dump(),
    }


def write_turn(shown: dict[str, Any], *, is_last: bool = False) -> str:
    """A turn for people; of all but the last, the outcomes stand among the next one's messages."""
    ledger = shown["ledger"]
    parts = ", ".join(f"{part} {size['tokens']}" for part, size in ledger["parts"].items())
    head = (
        f"── step {shown['step']} · turn {shown['turn']} of {shown['planner']} ·"
        f" {ledger['total']['tokens']} tokens, {ledger['new']['tokens']} of them new: {parts}"
    )
    lines = [head, f"   tools: {', '.join(shown['tools'])}"]
    if shown["earlier_messages"]:
        lines.append(f"   {shown['earlier_messages']} messages as before, then:")
    for message in shown["messages"]:
        lines.append(f"[{message['role']}] {message['content']}")
        lines.extend(f"  → {call['name']} {call['arguments']}" for call in message["calls"])
    lines.append(f"   it says: {shown['reply']['text']}".rstrip())
    lines.extend(f"  → {call['name']} {call['arguments']}" for call in shown["reply"]["calls"])
    if is_last:
        outcomes = ((o["step"], o["tool"], dump_json(o["content"])) for o in shown["outcomes"])
        lines.extend(f"[step {step}: {tool}] {content}" for step, tool, content in outcomes)
    return "\n".join(lines)
