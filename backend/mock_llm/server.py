"""Serves a scenario: `POST …/chat/completions`, `GET …/models`, and `GET /report` of what it saw."""

import asyncio
import contextlib
import hashlib
import json
from collections import Counter, deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from backend.mock_llm.checker import check_request
from backend.mock_llm.render import (
    LONGEST_HEAD,
    HttpAnswer,
    HttpRequest,
    read_request,
    render_document,
    render_fault,
    render_raw,
    render_refusal,
    render_stream,
    send_answer,
)
from backend.mock_llm.replies import PromptCache, find_dialect, make_reply, write_usage
from backend.mock_llm.scenario import Fault, Scenario, Step

_KEPT = 5_000


@dataclass(frozen=True)
class Seen:
    """One request for a completion: `digest` is that of its conversation, `faults` what it broke.

    `outcome` is `reply`, `refused`, or the kind of the fault that it was given.
    """

    turn: int
    attempt: int
    digest: str
    faults: tuple[str, ...]
    outcome: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]


class Brain(Protocol):
    """Chooses what a turn gets; a scenario is one, a test may bring its own."""

    async def choose(self, body: Mapping[str, Any], turn: int) -> Step:
        """The step for the turn that this conversation is at, counted from 0."""
        ...


@dataclass(frozen=True)
class ScriptBrain:
    """Follows the scenario alone."""

    scenario: Scenario

    async def choose(self, body: Mapping[str, Any], turn: int) -> Step:
        """The scenario's step."""
        return self.scenario.find_step(turn)


@dataclass
class MockLlm:
    """A running double: its address, and the last requests that it saw."""

    scenario: Scenario
    brain: Brain
    url: str = ""
    seen: deque[Seen] = field(default_factory=lambda: deque(maxlen=_KEPT))
    counts: Counter[str] = field(default_factory=Counter)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._dialect = find_dialect(self.scenario.dialect)
        self._attempts: Counter[str] = Counter()
        self._cache = PromptCache()
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def faults(self) -> list[str]:
        """What the requests broke; empty for a client that every server takes."""
        return [fault for seen in self.seen for fault in seen.faults]

    def report(self) -> dict[str, Any]:
        """Counts, and the last refused requests with their faults."""
        refused = [seen for seen in self.seen if seen.faults]
        return {
            "scenario": self.scenario.name,
            "dialect": self._dialect.name,
            "requests": self.counts["requests"],
            "accepted": self.counts["requests"] - self.counts["faulty"],
            "outcomes": {k: n for k, n in self.counts.items() if k not in {"requests", "faulty"}},
            "refused": [
                {"turn": seen.turn, "attempt": seen.attempt, "faults": list(seen.faults)}
                for seen in refused[-20:]
            ],
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """All requests of one connection."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while request := await read_request(reader):
                answer = await self._answer(request)
                if not await send_answer(reader, writer, answer, self.release):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client has left, or the double closes
        finally:
            self._connections.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def close(self) -> None:
        """Let hanging answers go and end the connections that are left open."""
        self.release.set()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _answer(self, request: HttpRequest) -> HttpAnswer:
        if request.path.endswith("/chat/completions") and request.method == "POST":
            return await self._complete(request)
        if request.path == "/report":
            return _answer_json(self.report())
        if request.path.endswith("/models"):
            return _answer_json({"object": "list", "data": [{"id": "mock", "object": "model"}]})
        return _answer_json({"error": {"message": f"no {request.path} here"}}, 404)

    async def _complete(self, request: HttpRequest) -> HttpAnswer:
        body = _read_body(request.body)
        faults = tuple(check_request(body, self._dialect))
        messages = body.get("messages") if isinstance(body, Mapping) else None
        digest = hashlib.sha256(json.dumps(messages).encode()).hexdigest()
        turn, attempt = _count_turns(messages), self._attempts[digest]
        self._attempts[digest] += 1
        if faults and (self.scenario.is_strict or not _is_readable(body)):
            outcome, answer = "refused", render_refusal(list(faults))
        else:
            step = await self.brain.choose(body, turn)
            outcome, answer = await self._play(step, body, turn, attempt, digest)
        self.counts.update(["requests", outcome, *(["faulty"] if faults else [])])
        seen = Seen(turn, attempt, digest, faults, outcome, body or {}, request.headers)
        self.seen.append(seen)
        return answer

    async def _play(
        self, step: Step, body: Mapping[str, Any], turn: int, attempt: int, digest: str
    ) -> tuple[str, HttpAnswer]:
        is_stream, model = body.get("stream") is True, str(body["model"])
        scenario = self.scenario
        fault = _choose_fault(step, attempt) or _draw_fault(scenario, digest, attempt)
        if fault is None and step.raw is not None:
            outcome, answer = "raw", render_raw(step.raw, is_stream=is_stream)
        elif fault is not None:
            outcome, answer = str(fault.kind), render_fault(fault, model, is_stream=is_stream)
        else:
            outcome, answer = "reply", await self._reply(step, body, turn)
        delay = scenario.delay_ms if step.delay_ms is None else step.delay_ms
        pause = scenario.piece_delay_ms if step.piece_delay_ms is None else step.piece_delay_ms
        return outcome, replace(answer, delay=delay / 1000, piece_delay=pause / 1000)

    async def _reply(self, step: Step, body: Mapping[str, Any], turn: int) -> HttpAnswer:
        reply = await make_reply(step, body, turn)
        if self._dialect.gives_reasoning and reply.reasoning is None and reply.calls:
            reply = replace(reply, reasoning="Let me see.")
        script = step.usage or self.scenario.usage
        counted = (0, 0) if script else self._cache.count(body)
        usage = write_usage(counted, reply, script)
        if body.get("stream") is not True or "no_stream" in reply.spoils:
            return render_document(reply, str(body["model"]), usage)
        wants = (body.get("stream_options") or {}).get("include_usage") is True
        has_usage = wants and self._dialect.has_usage_in_stream
        return render_stream(reply, str(body["model"]), usage if has_usage else None, self._dialect)


def _choose_fault(step: Step, attempt: int) -> Fault | None:
    return step.first[attempt] if attempt < len(step.first) else step.fail


def _draw_fault(scenario: Scenario, digest: str, attempt: int) -> Fault | None:
    """The fault that chance has for this request: the same at each run of the scenario."""
    for number, chance in enumerate(scenario.sometimes):
        drawn = hashlib.sha256(f"{digest} {attempt} {number}".encode()).digest()
        if int.from_bytes(drawn[:8]) < chance.rate * 2**64:
            return chance.fault
    return None


def _read_body(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _is_readable(body: Any) -> bool:
    """Whether a lenient double can answer at all."""
    return isinstance(body, Mapping) and _count_turns(body.get("messages")) >= 0


def _count_turns(messages: Any) -> int:
    """Assistant messages of a conversation; -1 where it is none."""
    if not isinstance(messages, list) or not messages:
        return -1
    if not all(isinstance(message, Mapping) for message in messages):
        return -1
    return sum(message.get("role") == "assistant" for message in messages)


def _answer_json(document: Any, status: int = 200) -> HttpAnswer:
    return HttpAnswer(status=status, pieces=(json.dumps(document, ensure_ascii=False).encode(),))


@asynccontextmanager
async def serve_mock(
    scenario: Scenario, host: str = "127.0.0.1", port: int = 0, brain: Brain | None = None
) -> AsyncIterator[MockLlm]:
    """The double on a free port (or the given one) as long as the block lasts."""
    mock = MockLlm(scenario, brain or ScriptBrain(scenario))
    server = await asyncio.start_server(mock.serve, host, port, limit=LONGEST_HEAD)
    bound: tuple[Any, ...] = server.sockets[0].getsockname()
    mock.url = f"http://{f'[{bound[0]}]' if ':' in bound[0] else bound[0]}:{bound[1]}/v1"
    try:
        yield mock
    finally:
        server.close()
        await mock.close()
        await server.wait_closed()
