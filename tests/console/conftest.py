"""A browser without JavaScript: pages over HTTP, forms sent as a browser would send them."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from tests.flows.conftest import make_key, make_settings, serve


class Forms(HTMLParser):
    """The hidden fields of each form of a page, by its action."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, dict[str, str]] = {}
        self._fields: dict[str, str] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "form":
            self._fields = self.found.setdefault(values.get("action") or "", {})
        if tag == "input" and values.get("type") == "hidden":
            self._fields[values["name"] or ""] = values.get("value") or ""


class Browser:
    """Keeps cookies, fills in forms, follows no redirect by itself."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.client = httpx.AsyncClient(base_url=address, timeout=60)
        self.page: httpx.Response | None = None

    async def open(self, path: str) -> httpx.Response:
        """Go to a page."""
        self.page = await self.client.get(path)
        return self.page

    async def send(self, action: str, **fields: object) -> httpx.Response:
        """Send a form of the present page."""
        assert self.page is not None
        hidden = Forms(self.page.text).found[action]
        data = {**hidden, **{name: value for name, value in fields.items() if value is not None}}
        self.page = await self.client.post(action, data=data)
        return self.page

    async def sign_in(self, secret: str) -> httpx.Response:
        """With a key."""
        await self.open("/console/sign-in")
        return await self.send("/console/sign-in", key=secret)


@pytest.fixture
async def address(seeded_url: str) -> AsyncIterator[str]:
    """A served application with a worker in it."""
    async with serve(make_settings(seeded_url)) as address:
        yield address


Open = Callable[..., Awaitable[Browser]]


@pytest.fixture
async def start(address: str) -> AsyncIterator[Callable[[], Browser]]:
    """`start()` is a browser that nobody has signed in with."""
    browsers: list[Browser] = []

    def start_browser() -> Browser:
        browsers.append(Browser(address))
        return browsers[-1]

    yield start_browser
    for browser in browsers:
        await browser.client.aclose()


@pytest.fixture
async def browse(start: Callable[[], Browser], seeded_url: str) -> Open:
    """`await browse("tenant", "user", "admin")` is a browser signed in with such a key."""

    async def open_browser(tenant: str = "one", *scopes: str) -> Browser:
        browser = start()
        secret = await make_key(seeded_url, tenant, *scopes)
        assert (await browser.sign_in(secret)).status_code == 303
        return browser

    return open_browser


def find_text(response: httpx.Response) -> str:
    """The page's words, without tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.text))


def drop_tokens(html: str) -> str:
    """The page without what no two pages share: the token that its forms bring back."""
    return re.sub(r'(name="form_token" value=")[^"]+', r"\1", html)


TRIP: dict[str, Any] = {
    "origin": "shanghai",
    "city": ["beijing"],
    "nights": ["2"],
    "start_date": "2026-11-27",  # past: no reservation of it can become late as time goes on
    "days": "3",
    "travellers": "2",
    "budget_tier": "comfort",
    "interests": ["history", "food"],
    "must_see": "故宫博物院\n天坛公园\n",
    "pace": "standard",
}


async def ask(browser: Browser, **changes: Any) -> str:
    """A run asked for by the form: its page."""
    await browser.open("/console/ask")
    answer = await browser.send("/console/ask", **TRIP | changes)
    assert answer.status_code == 303, find_text(answer)
    return answer.headers["location"]


async def wait_for(browser: Browser, page: str) -> httpx.Response:
    """The page of a run once that has ended."""
    async with asyncio.timeout(60):
        answer = await browser.open(page)
        while 'data-live="no"' not in answer.text:
            await asyncio.sleep(0.2)
            answer = await browser.open(page)
    return answer
