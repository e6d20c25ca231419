"""A traveller asks: the form with its search, the plan as it is made, the map, the questions after."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.console.browser.conftest import SignIn, fill_request, plan, send_request, wait_for_end

pytestmark = [pytest.mark.browser, pytest.mark.sql]


async def _choose_must_see(page: Page) -> None:
    await page.get_by_role("combobox", name="Search places").fill("天坛")
    await page.locator("#found li").first.click()
    await expect(page.get_by_label("One name a line")).to_have_value(re.compile("天坛"))
    await page.get_by_text("History", exact=True).click()


async def test_asking_shows_the_plan_being_made_and_then_its_map(sign_in: SignIn) -> None:
    page = await sign_in("user", "developer")
    await fill_request(page)
    await _choose_must_see(page)
    await send_request(page)
    await wait_for_end(page)
    await expect(page.get_by_role("heading", name=re.compile("^Day 3"))).to_be_visible()
    await page.locator("#map[data-ready=yes]").wait_for()
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


async def test_a_form_can_be_filled_in_with_the_keyboard_alone(sign_in: SignIn) -> None:
    page = await sign_in("user")
    await page.goto("/console/ask")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    await page.locator(".whole-form > summary").focus()
    await page.keyboard.press("Enter")
    await page.get_by_label("City 1").focus()
    await page.keyboard.type("Beij")
    await page.get_by_role("combobox", name="Search places").focus()
    await page.keyboard.type("故宫")
    await page.locator("#found li").first.wait_for()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("One name a line")).to_have_value("故宫博物院")


async def test_without_scripts_a_plan_is_asked_for_and_read_all_the_same(sign_in: SignIn) -> None:
    page = await sign_in("user", java_script_enabled=False)
    await plan(page)
    await expect(page.get_by_role("heading", name=re.compile("^Day 3"))).to_be_visible()
    await expect(page.locator("#map svg")).to_have_count(0)
