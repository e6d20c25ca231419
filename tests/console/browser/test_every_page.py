"""Every page that a link or a form of another page leads to: fits, reads, shuts nobody out, runs nothing.

The pages are found by following the site's own links, so a new one is looked at by itself.
"""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from playwright.async_api import Page, expect

from backend.audit.queries import Author
from backend.catalogue.importers.catalogue_csv import import_catalogue
from backend.clock import read_utc
from backend.console.app import list_page_paths
from backend.db.session import make_engine, transaction
from backend.mock_llm.scenario import Scenario
from backend.mock_llm.server import serve_mock
from backend.results.handle import Owner
from backend.results.store import ResultStore
from backend.sources.queries import add_source
from tests.bench.pages.page import SAMPLE, Step
from tests.bench.pages.page import Page as PageParts
from tests.bench.pages.walk import AWAY, HOME, Walk
from tests.console.browser.conftest import DESK, PHONE, OpenContext, enter_key
from tests.console.browser.hostile import CITY, NAME, write_catalogue
from tests.flows.conftest import make_key, make_settings, serve
from tests.sources.specs import make_source

pytestmark = [pytest.mark.browser, pytest.mark.sql]

AXE = Path(__file__).parents[3] / ".ci/node_modules/axe-core/axe.min.js"
"""The rules of accessibility, from the npm registry; `.ci/run` puts them there."""

AXE_RUN = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).join(", "))"""
OVERLAPS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8")
SIDEWAYS = "document.scrollingElement.scrollWidth - innerWidth"
OPEN_ALL = "document.querySelectorAll('details').forEach((part) => (part.open = true))"
TAKEN = "document.querySelectorAll('img[src=x], [onerror], main script').length"
TOUCH_MAP = """() => [...document.querySelectorAll("#map path.leaflet-interactive")].map((path) => {
    path.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    return document.querySelector("#map .leaflet-tooltip-pane").textContent;
})"""
SEND = """([address, fields]) => {
    const form = document.createElement("form");
    form.method = "post", form.action = address;
    for (const [name, value] of fields) {
        const input = document.createElement("input");
        input.type = "hidden", input.name = name, input.value = value;
        form.append(input);
    }
    document.body.append(form);
    form.submit();
}"""

TRIP: dict[str, Any] = {
    "origin": "上海",
    "destinations": [{"city": CITY}],
    "start_date": "2026-11-27",
    "days": 3,
    "travellers": 2,
    "budget_tier": "comfort",
    "interests": [CITY],
    "must_see": [f"{NAME} 3"],
    "fixed": [{"title": NAME, "start": "2026-11-28T15:00", "end": "2026-11-28T16:00"}],
    "notes": NAME,
}


@dataclass
class Installation:
    """A served application in which everything is named by an enemy, and a key to all of it."""

    address: str
    secret: str
    run: str


@pytest.fixture
async def installation(seeded_url: str, tmp_path: Path) -> AsyncIterator[Installation]:
    """Two runs of the same trip: the built-in planner's, and after it a model's."""
    engine = make_engine(seeded_url)
    source = make_source(description=NAME)
    async with transaction(engine) as session:
        await import_catalogue(session, write_catalogue(tmp_path))
        await add_source(session, source, Author(read_utc()))
    rows = json.dumps([{"n": n, "name": NAME, NAME: n} for n in range(60)]).encode()
    await ResultStore(engine, None).put([rows], Owner("one", None), tool="double")
    await engine.dispose()
    secret = await make_key(seeded_url, "one", "user", "admin", "developer")
    async with serve_mock(Scenario(name="plain", about="plans well")) as mock:
        settings = make_settings(
            seeded_url, model="mock", openai_api_key="none", openai_base_url=mock.url
        )
        async with serve(settings) as address:
            yield Installation(address, secret, await _use(address, secret))


async def _use(address: str, secret: str) -> str:
    """Leave traces everywhere; the model's run."""
    headers = {"Authorization": f"Bearer {secret}", "Prefer": "wait=60"}
    runs: list[str] = []
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=90) as client:
        for planner in ("builtin", "openai"):
            answer = await client.post("/v1/itineraries", json={**TRIP, "planner": planner})
            assert answer.status_code == 200, answer.text
            runs.append(answer.json()["id"])
        for path, change in (
            ("/v1/admin/tools/list_pois", {"max_return_rows": 9, "why": NAME}),
            ("/v1/admin/params/POOL_HOTEL_SIZE", {"value": 9, "why": NAME}),
        ):
            (await client.patch(path, json=change)).raise_for_status()
        rated = {"rating": 2, "comment": NAME}
        path = f"/v1/itineraries/{runs[-1]}/feedback"
        (await client.post(path, json=rated)).raise_for_status()
    return runs[-1]


@dataclass
class Visitor:
    """Goes to every page once and notes what is wrong there; `told` are kinds that show a name."""

    page: Page
    axe_at: dict[str, int]
    walk: Walk = field(default_factory=lambda: Walk(list_page_paths(), most=1))
    faults: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)

    async def visit(self, *starts: str) -> None:
        """From these addresses on, breadth first."""
        waiting = [step for step in map(Step, starts) if self.walk.note(step)]
        while waiting:
            step = waiting.pop(0)
            await self._go(step)
            await self._look(self.walk.name_kind(step))
            parts = PageParts(step.address, await self.page.content())
            waiting += [
                on
                for on in parts.list_steps()
                if on.address.startswith(HOME)
                and not on.address.startswith(AWAY)
                and self.walk.note(on)
            ]

    async def _go(self, step: Step) -> None:
        if step.fields is None:
            answer = await self.page.goto(step.address)
        else:
            async with self.page.expect_navigation() as waiting:
                await self.page.evaluate(SEND, [step.address, step.fields])
            answer = await waiting.value
        assert answer is not None
        is_guess = step.address.endswith("/nothing") or quote(SAMPLE) in step.address
        if answer.status != 200 and not (is_guess and answer.status == 404):
            self.faults.append(f"{step.address}: {answer.status}")

    async def _look(self, kind: str) -> None:
        # A page that loads itself again until a worker has answered is looked at after that.
        await expect(self.page.locator("meta[http-equiv=refresh]")).to_have_count(0)
        if await self.page.locator("#map").count():
            await self.page.locator("#map[data-ready=yes]").wait_for()
            await self._touch_map()
        await self.page.evaluate(OPEN_ALL)
        for size in (DESK, PHONE):
            await self.page.set_viewport_size(size)  # type: ignore[arg-type]
            width = size["width"]
            if (over := await self.page.evaluate(SIDEWAYS)) > 0:
                self.faults.append(f"{kind} at {width}: {over} px too wide")
            over = await self.page.evaluate(OVERLAPS)
            self.faults += [f"{kind} at {width}: texts overlap: {pair}" for pair in over]
            if size == self.axe_at:
                await self.page.evaluate(AXE.read_text(encoding="utf-8"))
                found = await self.page.evaluate(AXE_RUN)
                self.faults += [f"{kind} at {width}: {rule}" for rule in found]
        if await self.page.evaluate(TAKEN):
            self.faults.append(f"{kind}: a name was taken for more than text")
        if NAME in await self.page.locator("main").inner_text():
            self.told.add(kind)

    async def _touch_map(self) -> None:
        titles = await self.page.evaluate(TOUCH_MAP)
        assert any(NAME in title for title in titles)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("language", "scheme", "size"),
    [
        ("zh-CN", "light", DESK),
        ("zh-CN", "dark", PHONE),
        ("en-GB", "light", PHONE),
        ("en-GB", "dark", DESK),
    ],
    ids=["zh-light", "zh-dark", "en-light", "en-dark"],
)
async def test_every_page_fits_reads_and_shows_names_as_text(
    installation: Installation,
    open_context: OpenContext,
    language: str,
    scheme: str,
    size: dict[str, int],
) -> None:
    assert AXE.exists(), "axe-core is missing: npm install --prefix .ci --no-save axe-core@4"
    context = await open_context(installation.address, locale=language, color_scheme=scheme)
    page = await context.new_page()
    await enter_key(page, installation.secret)
    visitor = Visitor(page, size)
    await visitor.visit("/console/sign-in", "/console/ask", "/console/nothing")
    assert visitor.faults == []
    assert visitor.told >= {
        "/console/ask",
        "/console/runs",
        "/console/tune",
        "/console/runs/{run_id}",
        "/console/runs/{run_id}/pool",
        "/console/results/{handle}",
        "/console/sources/{name}",
        "/console/catalogue",
    }
    await page.set_viewport_size(DESK)  # type: ignore[arg-type]
    await page.goto("/console/ask")
    await page.locator(".whole-form > summary").click()
    await page.locator("#city-0").select_option(CITY)
    await page.get_by_role("combobox").last.fill("onerror")
    await expect(page.locator("#found li").first).to_have_text(re.compile("^<img src=x"))
    assert await page.evaluate(TAKEN) == 0
