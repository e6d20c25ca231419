"""Sources in the browser: listed, tried with what a double answers, switched on as the page showed them."""

import json
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from backend.audit.queries import Author
from backend.clock import read_utc
from backend.db.session import make_engine, transaction
from backend.sources.queries import add_source
from backend.sources.spec import Source
from tests.console.conftest import Browser, Open, find_text
from tests.flows.conftest import make_key, make_settings, serve
from tests.sources.server import Double, make_answer
from tests.sources.server import serve as serve_double
from tests.sources.specs import make_spec

pytestmark = pytest.mark.sql

HOSTILE = "<img src=x onerror=alert(1)>"
ROWS = [{"n": n, "name": HOSTILE, "junk": "x" * 200} for n in range(100)]
PROJECTION = {
    "tables": {
        "t": {
            "from": "rows",
            "columns": {"n": {"type": "integer"}, "name": {"type": "text"}},
            "where": [{"field": "n", "op": ">=", "value": {"arg": "least"}}],
        }
    },
    "parts": {
        "first": {"table": "t", "query": {"order_by": ["n"], "limit": 3}},
        "count": {"table": "t", "query": {"aggregate": [{"op": "count"}]}, "shape": "one"},
    },
}
ARGUMENTS = [
    {"name": "least", "type": "integer", "description": f"At least {HOSTILE}", "minimum": 0},
    {"name": "day", "type": "date", "description": "A day.", "required": False},
    {"name": "kinds", "description": "Kinds.", "required": False, "many": True},
]


@pytest.fixture
async def double() -> AsyncIterator[Double]:
    async with serve_double(make_answer(json.dumps(ROWS).encode())) as double:
        yield double


@pytest.fixture
async def admin(seeded_url: str, double: Double) -> AsyncIterator[Browser]:
    """An admin's browser on a server that may fetch from this machine, where the double is a source."""
    engine = make_engine(seeded_url, 1)
    spec = make_spec(double.at(), projection=PROJECTION, arguments=ARGUMENTS, retries=0)
    async with transaction(engine) as session:
        await add_source(session, Source.model_validate(spec), Author(read_utc()))
    await engine.dispose()
    async with serve(make_settings(seeded_url, source_private_hosts="127.0.0.1")) as address:
        browser = Browser(address)
        await browser.sign_in(await make_key(seeded_url, "one", "admin"))
        yield browser
        await browser.client.aclose()


async def test_a_source_is_tried_and_its_sizes_compared(admin: Browser) -> None:
    listed = await admin.open("/console/sources")
    assert 'href="/console/sources/double"' in listed.text
    assert "waypool sources enable double" in find_text(listed)
    page = await admin.open("/console/sources/double")
    assert HOSTILE not in page.text
    test = "/console/sources/double/test#test"
    tried = await admin.send(test, **{"arg-least": "40"})
    assert tried.status_code == 200
    words = find_text(tried)
    raw = len(json.dumps(ROWS))
    assert f"原始返回 {raw:,} 字节" in words
    assert "100 行中留下 60 行" in words
    assert '<td class="short">40</td>' in tried.text
    assert '<td class="short">60</td>' in tried.text
    assert HOSTILE not in tried.text
    assert "&lt;img src=x" in tried.text
    assert "junk" in words  # named as left out
    assert 'value="40"' in tried.text


async def test_wrong_arguments_are_named_and_kept(admin: Browser, double: Double) -> None:
    await admin.open("/console/sources/double")
    sent = {"arg-least": "many", "arg-day": "tomorrow", "arg-kinds": "a\nb"}
    wrong = await admin.send("/console/sources/double/test#test", **sent)
    assert wrong.status_code == 422
    words = find_text(wrong)
    assert "least" in words
    assert "day" in words
    assert 'value="many"' in wrong.text
    assert 'value="tomorrow"' in wrong.text
    assert "a\nb</textarea>" in wrong.text
    assert double.paths == []


async def test_a_source_that_is_down_is_told_in_words(admin: Browser, double: Double) -> None:
    double.answers[:] = [make_answer(b"", "500 Oh <no>")]
    await admin.open("/console/sources/double")
    down = await admin.send("/console/sources/double/test#test", **{"arg-least": "1"})
    assert down.status_code == 200
    assert "数据源没有给出可用的回答" in find_text(down)
    assert "waypool sources test double --response FILE" in find_text(down)


async def test_it_is_switched_as_the_page_showed_it(admin: Browser, seeded_url: str) -> None:
    page = "/console/sources/double"
    old = await admin.open(page)
    assert (await admin.send(f"{page}/switch", why="<b>try</b>")).status_code == 303
    assert "已启用" in find_text(await admin.open(page))
    admin.page = old
    late = await admin.send(f"{page}/switch")
    assert late.status_code == 422
    assert "version 2" in late.text
    await admin.open(page)
    assert (await admin.send(f"{page}/switch")).status_code == 303
    assert "已关闭" in find_text(await admin.open(page))
    assert (await admin.client.post(f"{page}/switch", data={"enable": "1"})).status_code == 400
    engine = make_engine(seeded_url, 1)
    async with transaction(engine) as session:
        await session.execute(text("delete from data_source"))
    await engine.dispose()
    empty = find_text(await admin.open("/console/sources"))
    assert "waypool db seed" in empty
    assert (await admin.open(page)).status_code == 404


async def test_they_are_for_admins(browse: Open) -> None:
    other = await browse("one", "user", "developer")
    assert (await other.open("/console/sources")).status_code == 403
    assert (await other.open("/console/sources/hk_news")).status_code == 403
    assert 'href="/console/sources"' not in (await other.open("/console/ask")).text
    admin = await browse("one", "admin")
    assert 'href="/console/sources"' in (await admin.open("/console/sources")).text
