"""A developer verifies a run, plans it again with a change, and lays both side by side."""

import re

import pytest
from playwright.async_api import expect

from tests.console.browser.conftest import SignIn, plan, wait_for_end

pytestmark = [pytest.mark.browser, pytest.mark.sql]


async def test_a_run_is_verified_run_again_with_a_change_and_compared(sign_in: SignIn) -> None:
    page = await sign_in("user", "developer")
    run = await plan(page)
    await page.get_by_role("button", name="Verify the recording").click()
    await expect(page.get_by_role("status")).to_have_text("The same, byte for byte.")
    await page.get_by_role("link", name="Back").click()
    await page.get_by_label("Parameter", exact=True).select_option("POOL_POI_SIZE")
    await page.get_by_label("Value", exact=True).fill("12")
    await page.get_by_role("button", name="Run", exact=True).click()
    await page.wait_for_url(lambda url: "/console/runs/run_" in url and not url.startswith(run))
    child = page.url
    await wait_for_end(page)
    await expect(page.get_by_role("img", name=re.compile(r"Places: .*12"))).to_be_visible()
    await page.get_by_role("link", name="Compare with another run").click()
    await page.get_by_label("The other run").select_option(run.rpartition("/")[2])
    await page.get_by_role("button", name="Compare").click()
    await expect(page.locator("tr", has_text="POOL_POI_SIZE")).to_contain_text("1260")
    await expect(page.get_by_role("heading", name="Pool")).to_be_visible()
    await expect(page.locator("tr", has_text="beijing pois")).to_contain_text("48")
    await page.get_by_role("link", name=child.rpartition("/")[2]).click()
    await expect(page).to_have_url(re.compile(child))
