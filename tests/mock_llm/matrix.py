"""Every scenario with every profile: the whole agent against the double, in memory.

`python -m tests.mock_llm.matrix FILE` plays all of them and writes the table of the file.
"""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from backend.agent.llm import LlmClient, Retries
from backend.agent.openai_client import OpenAiClient
from backend.agent.provider_profile import PROFILES, Endpoint, ProviderProfile, Timeouts
from backend.bench.loop import LoopRun, measure_loop
from backend.mock_llm.scenario import SCENARIOS, DialectName, Scenario
from backend.mock_llm.server import serve_mock
from tests.factories import make_snapshot

PART = re.compile(r"(<!-- matrix: begin -->\n)(.*?)(<!-- matrix: end -->)", re.S)

DIALECT: Mapping[str, DialectName] = {"cautious": "strictest", "moonshot": "deepseek"}
PATIENT = Timeouts()
QUICK = Timeouts(first_byte=1, silence=1)
QUICK_UNSTREAMED = Timeouts(answer=1)


@dataclass(frozen=True)
class Cell:
    """What came of a scenario with a profile, and what the double had to refuse."""

    run: LoopRun
    faults: tuple[str, ...]
    requests: int

    @property
    def text(self) -> str:
        """As the guide shows it."""
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


async def play_all() -> list[str]:
    """The table's lines; a cell that ends badly is an error, and nothing is written then."""
    head = ["scenario", "what the model or its service does", *(p.name for p in PROFILES)]
    rows = [head, ["---"] * len(head)]
    for scenario in SCENARIOS:
        cells = [await play(scenario, profile) for profile in PROFILES]
        bad = [cell for cell in cells if cell.faults or not cell.run.is_sound]
        if bad:
            raise SystemExit(f"{scenario.name}: {bad[0].faults or bad[0].run}")
        shown = (c.text if c.text == "model" else f"`{c.text}`" for c in cells)
        rows.append([f"`{scenario.name}`", scenario.about, *shown])
    return [f"| {' | '.join(row)} |" for row in rows]


def write_table(readme: Path) -> None:
    """Play everything, and put the table into its place."""
    table = "\n".join(asyncio.run(play_all())) + "\n"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(PART.sub(lambda m: m[1] + table + m[3], text), encoding="utf-8")


if __name__ == "__main__":
    write_table(Path(sys.argv[1]))
