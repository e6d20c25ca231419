"""Who gets in: by a key, by a link that works once; what others see, and how one comes back."""

import asyncio
import datetime as dt
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import expect
from sqlalchemy import update

from backend.access.queries import BrowserSession
from backend.clock import read_utc
from backend.db.session import make_engine, transaction
from tests.console.browser.conftest import OpenContext, SignIn, enter_key, plan
from tests.flows.conftest import make_key

pytestmark = [pytest.mark.browser, pytest.mark.sql]

WRONG = f"wp_{'0' * 43}"


async def test_a_wrong_key_is_told_so_and_the_right_one_goes_on_to_the_wanted_page(
    address: str, seeded_url: str, open_context: OpenContext
) -> None:
    page = await (await open_context(address)).new_page()
    await page.goto("/console/runs?status=failed")
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    await expect(page.locator("nav")).to_have_count(0)
    await page.get_by_label("API key").fill(WRONG)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_have_text("This key is unknown or revoked.")
    await expect(page.get_by_label("API key")).to_have_attribute("aria-invalid", "true")
    await enter_key(page, await make_key(seeded_url, "one", "user"))
    await expect(page).to_have_url(f"{address}/console/runs?status=failed")
    cookies = {cookie["name"]: cookie for cookie in await page.context.cookies()}
    assert cookies["waypool_session"]["httpOnly"]
    assert cookies["waypool_session"]["sameSite"] == "Lax"
    await page.get_by_role("button", name="Sign out").click()
    await page.goto("/console/runs")
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


async def test_another_tenant_s_run_is_not_there(sign_in: SignIn) -> None:
    page = await sign_in("user", "developer")
    run = await plan(page)
    stranger = await sign_in("user", "developer", tenant="two")
    await stranger.goto("/console/runs")
    await expect(stranger.locator("main a[href*=run_]")).to_have_count(0)
    for path in (run, f"{run}/pool", f"{run}/diff"):
        answer = await stranger.goto(path)
        assert answer is not None
        assert answer.status == 404, path
        await expect(stranger.get_by_role("heading", name="Not found")).to_be_visible()
    await stranger.get_by_role("link", name="Go to the first page").click()
    await expect(stranger.get_by_role("button", name="Plan it")).to_be_visible()


async def test_a_session_that_has_ended_leads_to_the_form_and_on_to_the_wanted_page(
    address: str, sign_in: SignIn, seeded_url: str
) -> None:
    page = await sign_in("user", "admin")
    await _end_all_sessions(seeded_url)
    await page.get_by_role("link", name="Tune").click()
    await expect(page.get_by_role("status")).to_have_text("Your session has ended. Sign in again.")
    await enter_key(page, await make_key(seeded_url, "one", "user", "admin"))
    await expect(page).to_have_url(re.compile(f"^{address}/console/tune"))
    await expect(page.get_by_role("heading", name="Tune")).to_be_visible()


async def _end_all_sessions(url: str) -> None:
    engine = make_engine(url)
    async with transaction(engine) as session:
        ended = read_utc() - dt.timedelta(seconds=1)
        await session.execute(update(BrowserSession).values(expires_at=ended))
    await engine.dispose()


@asynccontextmanager
async def keep_demo(url: str) -> AsyncIterator[str]:
    """The link that `waypool demo --keep` prints, while it goes on."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "backend.cli", "demo", "--keep",
        env={**os.environ, "WAYPOOL_DATABASE_URL": url},  # noqa: TID251 - a child's environment
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with asyncio.timeout(240):
            while line := (await process.stdout.readline()).decode():
                if "/console/open/" in line:
                    yield line.strip()
                    break
            else:
                pytest.fail("the demo ended without a link")
    finally:
        process.send_signal(signal.SIGINT)
        await process.communicate()


async def test_the_demo_s_link_opens_its_run_once(
    seeded_url: str, open_context: OpenContext
) -> None:
    async with keep_demo(seeded_url) as link:
        address = link.partition("/console")[0]
        page = await (await open_context(address)).new_page()
        await page.goto(link)
        await expect(page).to_have_url(re.compile(f"^{address}/console/runs/run_"))
        await expect(page.get_by_role("heading", name=re.compile("^Day 3"))).to_be_visible()
        await expect(page.get_by_role("link", name="Tune")).to_be_visible()
        await page.locator("#map[data-ready=yes]").wait_for()
        other = await (await open_context(address)).new_page()
        answer = await other.goto(link)
        assert answer is not None
        assert answer.status == 410
        await expect(other.get_by_role("status")).to_contain_text("This link was used already")
        await expect(other.get_by_label("API key")).to_be_visible()
