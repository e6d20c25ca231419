"""An admin turns a knob in the browser: tried before, and a run that is going on obeys."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import expect

from backend.mock_llm.scenario import CallScript, Scenario, Step
from backend.mock_llm.server import serve_mock
from tests.console.browser.conftest import (
    OpenContext,
    SignIn,
    enter_key,
    fill_request,
    plan,
    send_request,
    wait_for_end,
)
from tests.flows.conftest import make_key, make_settings, serve

pytestmark = [pytest.mark.browser, pytest.mark.sql]


@dataclass
class Gate:
    """A model that reads one page, waits to be let on, reads the next page, and then plans."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def choose(self, body: Mapping[str, Any], turn: int) -> Step:
        """The step of a turn; the second one comes when the gate opens."""
        if turn == 1:
            self.reached.set()
            await self.opened.wait()
        if turn < 2:
            unseen = {"unseen_only": True} if turn else {}
            return Step(calls=(CallScript(name="list_pois", arguments={"city": "北京"} | unseen),))
        return Step(plan=True)


@pytest.fixture
async def gate() -> AsyncIterator[Gate]:
    """Opened at the end at the latest, so that nothing waits for it."""
    gate = Gate()
    yield gate
    gate.opened.set()


@pytest.fixture
async def gated(seeded_url: str, gate: Gate) -> AsyncIterator[str]:
    """The address of a served application whose model stands behind the gate."""
    async with serve_mock(Scenario(name="gate", about="waits"), brain=gate) as mock:
        settings = make_settings(
            seeded_url, model="mock", openai_api_key="none", openai_base_url=mock.url
        )
        async with serve(settings) as address:
            yield address
            gate.opened.set()


async def test_the_next_page_of_a_running_run_obeys_a_changed_return_limit(
    gated: str, gate: Gate, seeded_url: str, open_context: OpenContext
) -> None:
    context = await open_context(gated)
    page = await context.new_page()
    await enter_key(page, await make_key(seeded_url, "one", "user", "admin", "developer"))
    await fill_request(page, planner="openai")
    await send_request(page)
    lines = page.locator("[data-progress] li.tool_called")
    await expect(lines).to_have_count(1)
    await expect(lines.first).to_contain_text(re.compile(r"list_pois .* → 25 / \d+"))
    async with asyncio.timeout(60):
        await gate.reached.wait()

    tune = await context.new_page()
    await tune.goto("/console/tune")
    card = tune.locator("#list_pois")
    await card.locator("[name=max_return_rows]").fill("7")
    await card.locator("[name=why]").fill("pages are long")
    await card.get_by_role("button", name="Save").click()
    await expect(card).to_contain_text("version 2")
    await expect(card.locator("[name=max_return_rows]")).to_have_value("7")

    gate.opened.set()
    await wait_for_end(page)
    await expect(page.locator("h1 [role=status]")).to_have_text("Done")
    answers = page.locator("details.turn tr", has_text="list_pois").locator("td:nth-child(3)")
    assert [
        re.sub(r"\s+", " ", text).split(" / ")[0].strip()
        for text in await answers.all_text_contents()
    ][:2] == ["25", "7"]


async def test_a_change_is_tried_then_saved_and_stands_in_the_history(sign_in: SignIn) -> None:
    page = await sign_in("user", "admin")
    await plan(page)
    await page.goto("/console/tune")
    card = page.locator("#POOL_POI_SIZE")
    await card.locator("[name=value]").fill("20")
    await card.get_by_role("button", name="Preview").click()
    await expect(page.get_by_role("heading", name="Before you change it")).to_be_visible()
    await expect(page.get_by_role("heading", name="Leaves 40")).to_be_visible()
    await expect(page.get_by_role("img", name=re.compile("Places: 1")).first).to_be_visible()
    other = await page.context.new_page()
    await other.goto("/console/tune")
    await expect(other.locator("#POOL_POI_SIZE [name=value]")).to_have_value("60")
    await page.locator("[name=why]").fill("twenty will do")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("#POOL_POI_SIZE [name=value]")).to_have_value("20")
    await expect(page.locator("tr", has_text="twenty will do").first).to_contain_text("60")
    await page.locator("#POOL_POI_SIZE").get_by_role("button", name="Take the last").click()
    await expect(page.locator("#POOL_POI_SIZE [name=value]")).to_have_value("60")
