"""Every scenario with every profile: the whole agent against the double, in memory."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.agent.endpoint import Endpoint, Timeouts
from backend.agent.llm import LlmClient
from backend.agent.openai_client import OpenAiClient
from backend.agent.provider_profile import ProviderProfile
from backend.agent.retrying import Retries
from backend.bench.loop import LoopRun, measure_loop
from backend.mock_llm.scenario import DialectName, Scenario
from backend.mock_llm.server import serve_mock
from tests.factories import make_snapshot

DIALECT: Mapping[str, DialectName] = {"cautious": "strictest", "moonshot": "deepseek"}
PATIENT = Timeouts()
QUICK = Timeouts(first_byte=0.3, silence=0.3)
QUICK_UNSTREAMED = Timeouts(answer=0.3)


@dataclass(frozen=True)
class Cell:
    """What came of a scenario with a profile, and what the double had to refuse."""

    run: LoopRun
    faults: tuple[str, ...]
    requests: int

    @property
    def text(self) -> str:
        """As the README shows it."""
        return "model" if self.run.reason is None else self.run.reason


async def play(scenario: Scenario, profile: ProviderProfile) -> Cell:
    """One trip."""
    dialect = DIALECT.get(profile.name, profile.name)
    hangs = any(step.fail and "hang" in step.fail.kind for step in scenario.then)
    quick = QUICK if profile.streams else QUICK_UNSTREAMED
    timeouts = quick if hangs else PATIENT

    async def pause(_: float) -> None:
        await asyncio.sleep(0)

    async with serve_mock(scenario.model_copy(update={"dialect": dialect})) as mock:

        @asynccontextmanager
        async def open_model() -> AsyncIterator[LlmClient]:
            endpoint = Endpoint("double", profile, mock.url, "sk-test", timeouts)
            async with OpenAiClient(endpoint, Retries(pause=pause)) as client:
                yield client

        run = await measure_loop(make_snapshot(days=1), open_model)
        return Cell(run, tuple(mock.faults), len(mock.seen))
