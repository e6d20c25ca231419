"""Results behind handles in the browser: state, columns, questions, pages; for their own tenant only."""

import datetime as dt
import json
from typing import Any

import pytest
from sqlalchemy import text

from backend.clock import read_utc
from backend.db.session import make_engine, transaction
from backend.ids import make_id
from backend.results.handle import Owner
from backend.results.store import ResultStore
from tests.console.conftest import Open, ask, drop_tokens, find_text, wait_for

pytestmark = pytest.mark.sql

HOSTILE = "<img src=x onerror=alert(1)>"
ROWS = [{"n": n, "city": "北京" if n % 4 else HOSTILE, "price": n / 4} for n in range(120)]


async def put(url: str, tenant: str, run_id: str | None = None, tool: str | None = "big") -> str:
    engine = make_engine(url, 1)
    store = ResultStore(engine, None)
    stored = await store.put([json.dumps(ROWS).encode()], Owner(tenant, run_id), tool=tool)
    await engine.dispose()
    return stored.handle


async def change(url: str, statement: str, **values: Any) -> None:
    engine = make_engine(url, 1)
    async with transaction(engine) as session:
        await session.execute(text(statement), values)
    await engine.dispose()


async def test_a_runs_handles_stand_on_its_page(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "user", "developer")
    page = await ask(browser, days="2", nights=["1"], origin="")
    none = await wait_for(browser, page)
    assert "没有给出需要保存的大结果" in find_text(none)
    handle = await put(seeded_url, "one", page.rpartition("/")[2])
    shown = await browser.open(page)
    assert f'href="/console/results/{handle}"' in shown.text
    words = find_text(shown)
    assert f"{handle} 可用 big 120" in words
    user = await browse("one", "user")
    assert handle not in (await user.open(page)).text


async def test_a_handle_is_asked_by_path_and_leafed_through(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "developer")
    handle = await put(seeded_url, "one")
    place = f"/console/results/{handle}"
    assert handle in (await browser.open("/console/results")).text
    by_hand = await browser.open(f"/console/results?handle=+{handle}")
    assert by_hand.headers["location"] == place
    away = await browser.open("/console/results?handle=//example.org/..")
    assert away.headers["location"].startswith("/console/results/%2F")
    first = await browser.open(place)
    assert "合计 7140" in find_text(first)
    assert "按 city 计数" in find_text(first)
    shown = await browser.client.get(place, params={"path": "rows[?n>=10]"})
    words = find_text(shown)
    assert "第 1–50 行，共 110 行" in words
    assert HOSTILE not in shown.text
    assert "&lt;img src=x" in shown.text
    assert "start=50" in shown.text
    last = await browser.client.get(place, params={"path": "rows[?n>=10]", "start": 100})
    assert "第 101–110 行" in find_text(last)
    assert "下一页" not in find_text(last)
    counted = await browser.client.get(place, params={"path": "rows.length"})
    assert '<td class="short">120</td>' in counted.text
    query = json.dumps({"group_by": ["city"], "aggregate": [{"op": "sum", "field": "n"}]})
    grouped = await browser.client.get(place, params={"query": query})
    assert '<td class="short">5400</td>' in grouped.text


async def test_a_wrong_question_is_explained_and_kept(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "developer")
    place = f"/console/results/{await put(seeded_url, 'one')}"
    wrong = await browser.client.get(place, params={"path": 'rows[?n=="<b>]'})
    assert wrong.status_code == 422
    assert "<mark>" in wrong.text
    assert 'value="rows[?n==&#34;&lt;b&gt;]"' in wrong.text
    field = await browser.client.get(place, params={"path": "rows[*].prise"})
    assert "没有名为" in find_text(field)
    assert "<code>price</code>" in field.text
    query = await browser.client.get(place, params={"query": '{"wher": []}'})
    assert query.status_code == 422
    assert "{&#34;wher&#34;: []}</textarea>" in query.text
    assert (
        await browser.client.get(place, params={"path": "rows", "start": -1})
    ).status_code == 422


async def test_states_that_hold_no_data_say_so(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "developer")
    expired, pending, failed, kept = [await put(seeded_url, "one") for _ in range(4)]
    long_ago = read_utc() - dt.timedelta(days=2)
    update = "update stored_result set {} where id = :id"
    old = {"id": expired, "at": long_ago}
    await change(seeded_url, update.format("last_read_at = :at"), **old)
    await change(seeded_url, update.format("state = 'pending'"), id=pending)
    await change(seeded_url, update.format("state = 'failed'"), id=failed)
    await change(
        seeded_url, update.format("pinned_at = :at, last_read_at = :at"), id=kept, at=long_ago
    )
    for handle, words in (
        (expired, "已过期，内容不再保留"),
        (pending, "仍在保存"),
        (failed, "没能保存"),
        (kept, "固定保留"),
    ):
        page = await browser.open(f"/console/results/{handle}")
        assert page.status_code == 200
        assert words in find_text(page)
        assert ('name="path"' in page.text) == (handle == kept)
    listed = find_text(await browser.open("/console/results"))
    assert all(words in listed for words in ("已过期", "保存中", "失败", "固定保留"))


async def test_nobody_else_sees_them(browse: Open, seeded_url: str) -> None:
    handle = await put(seeded_url, "one")
    stranger, user = await browse("two", "developer"), await browse("one", "user", "admin")
    foreign = await stranger.open(f"/console/results/{handle}?path=rows")
    unknown = make_id("res")
    missing = await stranger.open(f"/console/results/{unknown}?path=rows")
    assert foreign.status_code == missing.status_code == 404
    assert drop_tokens(foreign.text).replace(handle, unknown) == drop_tokens(missing.text)
    empty = await stranger.open("/console/results")
    assert handle not in empty.text
    assert "waypool sources enable" in empty.text
    assert (await user.open("/console/results")).status_code == 403
    assert (await user.open(f"/console/results/{handle}")).status_code == 403
    assert 'href="/console/results"' not in (await user.open("/console/ask")).text
    assert 'href="/console/results"' in empty.text
