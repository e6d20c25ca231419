"""The page of statistics: the API's own answer as tables, chart and findings with their previews."""

from pathlib import Path

import httpx
import pytest

from backend.mock_llm.scenario import find_scenario
from tests.console.conftest import Browser, Open, find_text
from tests.flows.conftest import make_key
from tests.flows.models import open_desk

pytestmark = pytest.mark.sql


async def test_figures_changes_and_findings_lead_to_their_preview(
    seeded_url: str, tmp_path: Path
) -> None:
    async with open_desk(seeded_url, tmp_path, {"<b>lost": find_scenario("repeats")}) as desk:
        for n in range(3):
            await desk.plan()
            limit = {"value": 50 + n, "why": "<img src=x onerror=alert(1)>"}
            await desk.client.patch("/v1/admin/params/POOL_POI_SIZE", json=limit)
        browser = Browser(str(desk.client.base_url))
        await browser.sign_in(await make_key(seeded_url, "one", "admin"))
        page = await browser.open("/console/stats?by=model&against=previous")
        check_figures(page)
        browser.client.headers["accept-language"] = "en"
        words = find_text(await browser.open("/console/stats?by=tool"))
        assert "of the calls of list_pois are repeats" in words
        assert "Preview list_pois = 50" in words
        link = next(part for part in page.text.split('"') if "tools/list_pois?value=50" in part)
        shown = await browser.open(link.replace("&amp;", "&"))
        assert shown.status_code == 200
        assert 'value="50"' in shown.text
        assert "→ <b>" in shown.text
        tune = find_text(await browser.open("/console/tune"))
        assert "are repeats" in tune
        await browser.client.aclose()
        stranger = Browser(str(desk.client.base_url))
        await stranger.sign_in(await make_key(seeded_url, "two", "admin"))
        assert "没有运行结束" in (await stranger.open("/console/stats")).text
        assert "重复的" not in (await stranger.open("/console/tune")).text
        assert (await stranger.open(link.replace("&amp;", "&"))).status_code == 404
        turns = await stranger.open("/console/tune/preview/params/AGENT_MAX_TURNS?value=1")
        assert "次超过上面的值" not in turns.text
        await stranger.client.aclose()


def check_figures(page: httpx.Response) -> None:
    words = find_text(page)
    assert "&lt;b&gt;lost" in page.text
    assert "<img" not in page.text.replace('<img src="/console', "")
    assert page.text.count('class="mark"') == 3
    assert ">1–3</text>" in page.text
    assert "60 → 50" in words
    assert "51 → 52" in words
    assert "重复的" in words


async def test_cities_have_their_funnel_and_an_empty_span_says_so(browse: Open) -> None:
    admin = await browse("one", "admin")
    empty = await admin.open("/console/stats")
    assert empty.status_code == 200
    assert "没有运行结束" in empty.text
    for bad, said in (
        ("since=2026-05-02T00:00&until=2026-05-01T00:00", "since must lie before until"),
        ("since=soon", "soon is no date"),
        ("since=0001-01-01T00:00&against=previous", "the years 2000 to 2999"),
        ("until=9999-12-31T23:59", "the years 2000 to 2999"),
    ):
        wrong = await admin.open(f"/console/stats?{bad}")
        assert wrong.status_code == 422
        assert said in wrong.text
    other = await admin.open("/console/stats?by=moon")
    assert other.status_code == 200
    assert 'aria-current="page">统计' in other.text
    user = await browse("one", "user")
    assert (await user.open("/console/stats")).status_code == 403
    assert "/console/stats" not in (await user.open("/console/ask")).text
