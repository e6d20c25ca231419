"""A real Chromium before a served application; whatever it must never do is noted all the while."""

import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Response,
    async_playwright,
    expect,
)

from tests.flows.conftest import make_key

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}

PATIENCE = 60_000
"""Milliseconds that a page may take on a machine that is busy: nothing here is about speed."""

_LOADING = "Failed to load resource"
"""How Chromium tells of answers that are faults; those that must not be are noted by themselves."""


@dataclass
class Watch:
    """What went wrong in any of the browser's pages that belong to the address."""

    address: str
    faults: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        """Listen to all pages of a context."""
        context.on("request", self._see_request)
        context.on("response", self._see_response)
        context.on("console", self._see_words)
        context.on("weberror", lambda error: self.faults.append(f"script: {error.error}"))
        context.on("dialog", self._see_dialog)

    def _see_request(self, request: Request) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.faults.append(f"another host: {request.url}")

    def _see_response(self, response: Response) -> None:
        is_page = response.request.resource_type == "document"
        if response.status >= 400 and not is_page:
            self.faults.append(f"{response.status}: {response.url}")

    def _see_words(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_LOADING):
            self.faults.append(f"console: {message.text}")

    async def _see_dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        await dialog.dismiss()


OpenContext = Callable[..., Awaitable[BrowserContext]]
SignIn = Callable[..., Awaitable[Page]]


@pytest.fixture
async def chromium() -> AsyncIterator[Browser]:
    """Debian's Chromium."""
    program = shutil.which("chromium")
    assert program, "chromium is missing: install Debian's package chromium"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        await browser.close()


@pytest.fixture
async def open_context(chromium: Browser) -> AsyncIterator[OpenContext]:
    """`await open_context(address)` is a browser of its own, in English, on a desk, unless told so."""
    watches: list[Watch] = []

    async def make(address: str, **options: Any) -> BrowserContext:
        expect.set_options(timeout=PATIENCE)
        context = await chromium.new_context(
            **{"viewport": DESK, "locale": "en-GB", "base_url": address, **options}
        )
        context.set_default_timeout(PATIENCE)
        watches.append(Watch(address))
        watches[-1].follow(context)
        return context

    yield make
    for context in chromium.contexts:
        await context.close()
    assert [fault for watch in watches for fault in watch.faults] == []


@pytest.fixture
async def sign_in(address: str, seeded_url: str, open_context: OpenContext) -> SignIn:
    """`await sign_in("user")` is the page of a browser that has signed in with such a key."""

    async def open_page(*scopes: str, tenant: str = "one", **options: Any) -> Page:
        page = await (await open_context(address, **options)).new_page()
        await enter_key(page, await make_key(seeded_url, tenant, *scopes))
        return page

    return open_page


async def enter_key(page: Page, secret: str) -> None:
    """Sign in by the form, in whichever language it is."""
    if "/console/sign-in" not in page.url:
        await page.goto("/console/sign-in")
    await page.locator("#key").fill(secret)
    await page.locator("main form button").click()
    await page.wait_for_url(lambda url: "/console/sign-in" not in url)


async def fill_request(page: Page, **choices: str) -> None:
    """The form for three days in Beijing, not sent yet; `choices` are selects by their names."""
    await page.goto("/console/ask")
    await page.locator(".whole-form > summary").click()
    await page.locator("#origin").select_option("shanghai")
    await page.locator("#city-0").select_option("beijing")
    await page.locator("#start_date").fill("2026-11-27")
    if choices:
        await page.locator("form.ask > details > summary").click()
    for name, value in choices.items():
        await page.locator(f"select[name={name}]").select_option(value)


async def send_request(page: Page) -> str:
    """Send the form; the address of the run's page."""
    await page.locator("form.ask button.main").click()
    await page.wait_for_url(re.compile("/console/runs/run_"))
    return page.url.partition("#")[0]


async def wait_for_end(page: Page) -> None:
    """Until the run's page shows that it has ended; the page itself loads anew then."""
    await page.locator("[data-live=no]").wait_for()


async def plan(page: Page) -> str:
    """A run that has ended: the address of its page, which is shown."""
    await fill_request(page)
    address = await send_request(page)
    await wait_for_end(page)
    return address
