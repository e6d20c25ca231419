"""What the double says: a conversation of eight turns to a sound plan, which the built-in planner finds.

A language model's double over real HTTP: it says what its script holds for each turn, after a delay.

A process of its own, so that its time is nobody else's; HTTP by hand, so that little of it is spent.
The turn is the number of assistant's messages in the conversation, so it keeps nothing of a run.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.loop import Watch, run_agent
from backend.agent.replies import MemoryRecorder, make_call
from backend.catalogue.place_types import FOOD_TYPES
from backend.db.session import Engine, transaction
from backend.params.queries import read_params
from backend.planner.plan.draft import Draft
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner

_ASSISTANT = (b'"role":"assistant"', b'"role": "assistant"')
_USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 50,
    "total_tokens": 1050,
    "prompt_tokens_details": {"cached_tokens": 0},
}

Call = tuple[str, dict[str, Any]]
Script = Sequence[Sequence[Call]]
"""For each turn the calls of its reply: tool and arguments."""


@dataclass
class Counts:
    """Questions that came, and those that were answered to their end."""

    asked: int = 0
    answered: int = 0


def render_reply(turn: int, calls: Sequence[Call]) -> bytes:
    """A whole HTTP answer: a chat completion with these calls, or with words where there are none."""
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else "Done."}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{turn}_{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for n, (name, arguments) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    head = {"id": f"c{turn}", "object": "chat.completion", "created": 0, "model": "double"}
    return _render(head | {"choices": [choice], "usage": _USAGE})


def _render(document: Any) -> bytes:
    body = json.dumps(document).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Double:
    """Answers `POST …/chat/completions`, and `GET …` with its counts."""

    def __init__(self, script: Script, delay: float) -> None:
        self._replies = [render_reply(turn, calls) for turn, calls in enumerate(script, 1)]
        self._last = render_reply(len(script) + 1, ())
        self._delay = delay
        self._counts = Counts()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(_read_length(head))
                writer.write(await self._answer(body) if head[:4] == b"POST" else self._show())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # whoever asked is gone
        finally:
            writer.close()

    async def _answer(self, body: bytes) -> bytes:
        turn = max(body.count(mark) for mark in _ASSISTANT)
        self._counts.asked += 1
        if self._delay:
            await asyncio.sleep(self._delay)
        self._counts.answered += 1
        return self._replies[turn] if turn < len(self._replies) else self._last

    def _show(self) -> bytes:
        return _render(vars(self._counts))


def _read_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


async def main(settings: dict[str, Any]) -> None:
    """Serve until killed; the first line of output is the address."""
    double = Double(settings["script"], settings["delay"])
    server = await asyncio.start_server(double.serve, "127.0.0.1", 0, limit=2**20, backlog=1024)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.stdin.readline())))


TURNS = 8
REQUEST: dict[str, Any] = {
    "origin": "上海",
    "destinations": [{"city": "北京"}],
    "start_date": "2026-11-27",  # past: no reservation of it can become late as time goes on
    "days": 3,
    "travellers": 2,
    "budget_tier": "comfort",
    "interests": ["history", "food"],
    "must_see": ["故宫博物院"],
    "planner": "openai",
}


async def write_script(engine: Engine) -> Script:
    """Lists, choices, then the places of the plan day by day; tried out before it is given away.

    Each place is put by itself: `arrange` would make the bench one of the solver.
    """
    snapshot = await build_snapshot(engine)
    draft = await _plan(snapshot)
    city = snapshot.request.destinations[0].city
    legs = (0, 1)
    script: list[list[Call]] = [
        [("list_pois", {"city": city})],
        [("list_hotels", {"city": city})],
        [("list_trains", {"leg": leg}) for leg in legs],
        [("choose_train", {"leg": leg, "train_ids": list(draft.trains[leg])}) for leg in legs],
        [("choose_hotel", {"city": city, "hotel_id": draft.hotels[city]})],
        _put_visits(snapshot, draft, (1,)),
        _put_visits(snapshot, draft, (2, 3)),
        [("submit_itinerary", {})],
    ]
    await _try_out(snapshot, script)
    return script


def _put_visits(snapshot: Snapshot, draft: Draft, days: Sequence[int]) -> list[Call]:
    """The sights; meals are left out, since their times depend on the order of the calls."""
    visits = [(day, snapshot.rows.pois[v.poi_id]) for day in days for v in draft.visits_on(day)]
    return [
        ("put_visit", {"day": day, "poi_id": poi.id})
        for day, poi in visits
        if poi.type not in FOOD_TYPES
    ]


async def build_snapshot(engine: Engine) -> Snapshot:
    """The pool of the request, as every run of the bench freezes it."""
    async with transaction(engine) as session:
        params = await read_params(session)
        request = await resolve_request(session, REQUEST, params)
        return await CandidatePoolService(session).build(request, params)


async def read_no_limits() -> dict[str, ToolLimit]:
    """The code's own limits."""
    return {}


async def _never() -> bool:
    return False


async def _plan(snapshot: Snapshot) -> Draft:
    watch = Watch(time.monotonic, _never)
    tools = ToolRunner(snapshot, read_no_limits)
    result = await run_agent(snapshot, BuiltinPlanner(), tools, MemoryRecorder(), watch)
    return result.state.draft


async def _try_out(snapshot: Snapshot, script: Script) -> None:
    tools, state = ToolRunner(snapshot, read_no_limits), RunState()
    for calls in script:
        for name, arguments in calls:
            outcome = await tools.run(make_call(name, **arguments), state)
            if outcome.is_error:
                raise AssertionError(f"{name}: {outcome.content}")
            state = state.after(outcome)
    if not state.is_submitted or len(script) != TURNS:
        raise AssertionError("the script does not lead to a plan in eight turns")
