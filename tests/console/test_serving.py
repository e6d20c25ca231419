"""How pages and their files come over the wire: compressed, guarded, kept only where that is right."""

import re
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI

from backend.console.app import HEADERS, GuardHeaders
from tests.console.conftest import Browser, Open
from tests.flows.conftest import REQUEST, make_key

pytestmark = pytest.mark.sql

ASSET = re.compile(r'(?:href|src)="(/console/(?:static|leaflet)/[^"]+)"')


async def test_pages_come_compressed_and_are_kept_by_nobody(start: Callable[[], Browser]) -> None:
    browser = start()
    page = await browser.open("/console/sign-in")
    assert page.headers["Content-Encoding"] == "gzip"
    assert int(page.headers["Content-Length"]) < len(page.content)
    assert page.headers["Cache-Control"] == "no-store"
    assert "Accept-Encoding" in page.headers["Vary"]


async def test_files_are_kept_while_they_are_the_same(start: Callable[[], Browser]) -> None:
    browser = start()
    page = await browser.open("/console/sign-in")
    named = ASSET.findall(page.text)
    assert any("console.css" in name for name in named)
    for name in named:
        file = await browser.client.get(name)
        assert file.headers["Cache-Control"] == "public, max-age=31536000, immutable", name
        bare = name.partition("?")[0]
        other = await browser.client.get(bare)
        assert other.headers["Cache-Control"] == "no-cache", name
        again = await browser.client.get(bare, headers={"If-None-Match": other.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b""), name
    style = await browser.client.get(named[1])
    assert style.headers["Content-Encoding"] == "gzip"


async def test_each_answer_tells_the_browser_what_to_refuse(start: Callable[[], Browser]) -> None:
    browser = start()
    for path in ("/console/sign-in", "/console/x", "/console/", "/console/static/console.css"):
        answer = await browser.open(path)
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS, path


@pytest.fixture
async def broken() -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application that fails, behind the guard."""
    app = FastAPI()

    @app.get("/")
    async def fail() -> None:
        raise RuntimeError("broken")

    transport = httpx.ASGITransport(GuardHeaders(app), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def test_so_does_the_answer_of_a_fault_of_our_own(broken: httpx.AsyncClient) -> None:
    answer = await broken.get("/")
    assert answer.status_code == 500
    assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


async def test_events_go_out_one_by_one_and_results_compressed(
    address: str, seeded_url: str
) -> None:
    headers = {"Authorization": f"Bearer {await make_key(seeded_url, 'one', 'user')}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
        run = (await client.post("/v1/itineraries", json=REQUEST)).json()
        seen_before_the_end = False
        async with client.stream("GET", f"/v1/itineraries/{run['id']}/events") as events:
            assert events.headers["Content-Type"].startswith("text/event-stream")
            assert "Content-Encoding" not in events.headers
            async for line in events.aiter_lines():
                if line.startswith("event: ") and not seen_before_the_end:
                    seen_before_the_end = line != "event: run_finished"
        assert seen_before_the_end
        result = await client.get(f"/v1/itineraries/{run['id']}")
        assert result.headers["Content-Encoding"] == "gzip"
        plain = await client.get(
            f"/v1/itineraries/{run['id']}", headers={"Accept-Encoding": "identity"}
        )
        assert "Content-Encoding" not in plain.headers
        assert plain.json() == result.json()


async def test_each_page_has_a_token_of_its_own_and_all_of_them_are_good(browse: Open) -> None:
    browser = await browse("one", "user", "admin")
    tokens: list[str] = []
    for _ in range(2):
        page = await browser.open("/console/tune")
        found = set(re.findall(r'name="form_token" value="([^"]+)"', page.text))
        assert len(found) == 1
        tokens += found
    assert tokens[0] != tokens[1]
    for token in tokens:
        data = {"form_token": token, "language": "en", "next": "/console/tune"}
        assert (await browser.client.post("/console/language", data=data)).status_code == 303
    for token in ("", "x", tokens[0][:-1], f"{tokens[0]}0", f"1.{tokens[0].partition('.')[2]}"):
        data = {"form_token": token, "language": "en", "next": "/console/tune"}
        assert (await browser.client.post("/console/language", data=data)).status_code == 400


async def test_a_form_s_address_opened_as_a_link_leads_to_the_page_around_it(browse: Open) -> None:
    browser = await browse("one", "user", "admin")
    for address, page in (
        ("/console/tune/tools/list_pois", "/console/tune"),
        ("/console/runs/run_1/verify", "/console/runs/run_1"),
        ("/console/sign-out", "/console/"),
    ):
        answer = await browser.open(address)
        assert (answer.status_code, answer.headers["location"]) == (303, page)


async def test_a_star_band_can_be_saved_and_tried_as_the_page_shows_it(browse: Open) -> None:
    browser = await browse("one", "user", "admin")
    page = await browser.open("/console/tune")
    shown = re.search(r'id="value-HOTEL_STARS_COMFORT"[^>]* value="([^"]*)"', page.text)
    assert shown is not None
    assert shown[1] == "3,4"
    answer = await browser.send("/console/tune/params/HOTEL_STARS_COMFORT", value=shown[1])
    assert answer.status_code == 303
