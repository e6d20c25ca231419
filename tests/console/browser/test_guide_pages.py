"""Every page of the guide: fits a desk and a phone, shuts nobody out, and is found without scripts."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.async_api import Page, expect

from backend.cli.serve import open_listener
from backend.console.app import GuardHeaders
from backend.console.guide import create_guide
from backend.console.render import STATIC, Assets
from backend.guide.library import LANGUAGES, TOPICS, Language
from tests.console.browser.conftest import DESK, PHONE, OpenContext
from tests.console.browser.test_every_page import AXE, AXE_RUN, SIDEWAYS

pytestmark = [pytest.mark.browser]


@pytest.fixture
async def address() -> AsyncIterator[str]:
    """The guide and the files of the pages, and nothing else: it needs no database."""
    app = FastAPI()
    app.mount("/console/static", Assets(directory=STATIC))
    app.mount("/guide", GuardHeaders(create_guide()))
    listener = open_listener("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    serving = asyncio.create_task(server.serve([listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await serving


async def find_faults(page: Page, path: str) -> list[str]:
    """What is wrong with a page at both widths."""
    faults = []
    answer = await page.goto(path)
    assert answer is not None
    assert answer.status == 200, path
    for size in (DESK, PHONE):
        await page.set_viewport_size(size)  # type: ignore[arg-type]
        if (over := await page.evaluate(SIDEWAYS)) > 0:
            faults.append(f"{path} at {size['width']}: {over} px too wide")
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    return faults + [f"{path}: {rule}" for rule in await page.evaluate(AXE_RUN)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_page_fits_and_reads(
    address: str, open_context: OpenContext, language: Language, scheme: str
) -> None:
    context = await open_context(address, color_scheme=scheme)
    page = await context.new_page()
    paths = [f"/guide/{language}/", f"/guide/{language}/search?q=run"]
    paths += [f"/guide/{language}/{topic}" for topic in TOPICS]
    assert [fault for path in paths for fault in await find_faults(page, path)] == []


async def test_words_are_found_without_scripts_and_the_language_changes(
    address: str, open_context: OpenContext
) -> None:
    page = await (await open_context(address, java_script_enabled=False)).new_page()
    await page.goto("/guide")
    await expect(page).to_have_url(f"{address}/guide/en/")
    await page.get_by_label("Search the guide").fill("max_connections")
    await page.get_by_role("button", name="Search").click()
    await page.get_by_role("link", name="Sizing").first.click()
    await expect(page.get_by_role("heading", name="Sizing")).to_be_visible()
    await page.get_by_role("link", name="中文").click()
    await expect(page.get_by_role("heading", name="规模估算")).to_be_visible()
    missing = await page.goto("/guide/zh/nothing")
    assert missing is not None
    assert missing.status == 404
    await expect(page.get_by_role("heading", name="没有找到")).to_be_visible()
