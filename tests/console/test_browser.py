"""The pages in a real Chromium, as a user goes through them: on a desk and on a phone."""

import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, async_playwright, expect

from tests.flows.conftest import make_key

pytestmark = [pytest.mark.browser, pytest.mark.sql]

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
AXE = Path(__file__).parents[2] / ".ci/node_modules/axe-core/axe.min.js"
"""The rules of accessibility, from the npm registry; `.ci/run` puts them there."""

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
AXE_RUN = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).join(", "))"""

SignIn = Callable[..., Awaitable[Page]]


@pytest.fixture
async def sign_in(address: str, seeded_url: str) -> AsyncIterator[SignIn]:
    """`await sign_in("user")` is a page of a signed-in browser that asks no other host for anything."""
    program = shutil.which("chromium")
    assert program, "chromium is missing: install Debian's package chromium"
    strangers: list[str] = []

    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])

        async def open_page(*scopes: str, **options: Any) -> Page:
            context: BrowserContext = await chromium.new_context(
                **{"viewport": DESK, "locale": "en-GB", "base_url": address, **options}
            )
            page = await context.new_page()
            page.on(
                "request",
                lambda sent: None if sent.url.startswith(address) else strangers.append(sent.url),
            )
            page.on("dialog", lambda dialog: strangers.append(f"dialog {dialog.message}"))
            page.on("pageerror", lambda error: strangers.append(f"error {error}"))
            await page.goto("/console/sign-in")
            await page.get_by_label("API key").fill(await make_key(seeded_url, "one", *scopes))
            await page.get_by_role("button", name="Sign in").click()
            await page.wait_for_url(re.compile("/console/(ask|tune|runs)"))
            return page

        yield open_page
        await chromium.close()
    assert [url for url in strangers if not url.startswith("data:")] == []


async def ask(page: Page) -> None:
    """Three days in Beijing, with a must-see found by its first letters."""
    await page.goto("/console/ask")
    await page.get_by_label("From", exact=True).select_option("shanghai")
    await page.get_by_label("City 1").select_option("beijing")
    await page.get_by_label("First day", exact=True).fill("2026-12-11")
    await page.get_by_role("combobox", name="Search places").fill("天坛")
    await page.locator("#found li").first.click()
    await expect(page.get_by_label("One name a line")).to_have_value(re.compile("天坛"))
    await page.get_by_text("History", exact=True).click()
    await page.get_by_role("button", name="Plan it").click()
    await page.wait_for_url(re.compile("/console/runs/run_"))


async def test_asking_shows_the_plan_being_made_and_then_its_map(sign_in: SignIn) -> None:
    page = await sign_in("user", "developer")
    await ask(page)
    await expect(page.get_by_role("heading", name=re.compile("^Day 3"))).to_be_visible(
        timeout=60_000
    )
    await page.locator("#map[data-ready=yes]").wait_for(timeout=20_000)
    stops = page.locator("#map path.leaflet-interactive")
    everything = await stops.count()
    assert everything > 30
    await page.get_by_role("button", name="2", exact=True).click()
    assert 0 < await stops.count() < everything
    await expect(page.get_by_role("img", name=re.compile("Places: 1"))).to_be_visible()
    async with page.expect_download() as waiting:
        await page.get_by_role("link", name="Calendar").click()
    download = await waiting.value
    assert download.suggested_filename.endswith(".ics")
    await page.get_by_label("Name of a place").fill("颐和园")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.get_by_role("status").filter(has_text="from the run's own")).to_be_visible()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_page_scrolls_sideways_or_shuts_anybody_out(
    sign_in: SignIn, size: dict[str, int], scheme: str
) -> None:
    assert AXE.exists(), "axe-core is missing: npm install --prefix .ci --no-save axe-core@4"
    page = await sign_in(
        "user", "admin", "developer", viewport=size, color_scheme=scheme, bypass_csp=True
    )
    await ask(page)
    await expect(page.get_by_role("heading", name=re.compile("^Day 1"))).to_be_visible(
        timeout=60_000
    )
    run = page.url.removesuffix("#")
    for path in (
        run,
        f"{run}/pool",
        "/console/ask",
        "/console/runs",
        "/console/tune",
        "/console/x",
    ):
        await page.goto(path)
        if path == run:
            await page.locator("#map[data-ready=yes]").wait_for(timeout=20_000)
        assert await page.evaluate(OVERFLOW) <= 0, path
        await page.add_script_tag(path=AXE)
        assert await page.evaluate(AXE_RUN) == [], path


async def test_a_form_can_be_filled_in_with_the_keyboard_alone(sign_in: SignIn) -> None:
    page = await sign_in("user")
    await page.goto("/console/ask")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    await page.get_by_label("City 1").focus()
    await page.keyboard.type("Beij")
    await page.get_by_role("combobox", name="Search places").focus()
    await page.keyboard.type("故宫")
    await page.locator("#found li").first.wait_for()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("One name a line")).to_have_value("故宫博物院")
