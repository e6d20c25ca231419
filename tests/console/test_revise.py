"""A finished plan is changed by a form, without JavaScript: what is kept, taken out, put in, said."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from backend.db.session import make_engine, transaction
from backend.mock_llm.scenario import find_scenario
from tests.console.conftest import Browser, Forms, Open, ask, drop_tokens, find_text, wait_for
from tests.flows.conftest import make_key
from tests.flows.models import open_desk

pytestmark = pytest.mark.sql

SHORT: dict[str, Any] = {"days": "2", "nights": ["1"], "origin": ""}
MARK = re.compile(r'name="(keep|remove)" value="(\d+\.\d+)" aria-label="[^":]+: ([^"]+)"')


def list_marks(page: httpx.Response) -> dict[str, str]:
    """What may be taken out: day and item by name."""
    return {name: mark for way, mark, name in MARK.findall(page.text) if way == "remove"}


async def test_a_plan_is_changed_and_leads_back_to_what_it_was(browse: Open) -> None:
    browser = await browse("one", "user", "developer")
    page = await ask(browser)
    first = await wait_for(browser, page)
    marks = list_marks(first)
    gone = next(name for name in marks if name in {"天坛公园"})
    found = (await browser.client.get(f"{page}/places?q=公园")).json()
    assert found
    assert gone not in found
    sent = await browser.send(
        f"{page}/revise",
        remove=marks[gone],
        keep=marks["故宫博物院"],
        add=["", found[0]],
        add_day=["", ""],
        hotel="beijing/",
        pace="",
    )
    assert sent.status_code == 303, find_text(sent)
    child = sent.headers["location"]
    second = await wait_for(browser, child)
    now = list_marks(second)
    assert gone not in now
    assert {"故宫博物院", found[0]} <= set(now)
    assert f'href="{page}"' in second.text
    diff = f"{page}/diff?other={name_run(child)}"
    assert f'href="{diff}"' in second.text
    assert gone in find_text(await browser.open(diff))
    assert list_marks(await browser.open(page)) == marks


async def test_a_refused_change_keeps_what_was_typed(browse: Open) -> None:
    browser = await browse("one", "user")
    page = await ask(browser, **SHORT)
    alone = await wait_for(browser, page)
    assert 'name="message"' in alone.text
    assert "常见的说法由规则读懂" in find_text(alone)
    mark = list_marks(alone)["故宫博物院"]
    wrong = await browser.send(
        f"{page}/revise", remove=mark, keep=mark, add=["没有这个地方", "x<y"], add_day=["2", "9"]
    )
    assert wrong.status_code == 422
    assert 'id="revise" open' in wrong.text
    assert wrong.text.count(f'value="{mark}"') == 2
    assert len(re.findall(rf'value="{re.escape(mark)}"[^>]* checked', wrong.text)) == 2
    assert 'value="没有这个地方"' in wrong.text
    assert 'value="x&lt;y"' in wrong.text
    assert '<option value="2" selected>' in wrong.text
    words = find_text(wrong)
    assert "这与要保留的内容矛盾" in words
    assert "候选池里没有这个地点" in words
    assert 'href="#add-0"' in wrong.text
    for unknown in ("x", "1.x", "99.0", "-1.0", ""):
        assert (await browser.send(f"{page}/revise", remove=unknown)).status_code == 422
    nothing = await browser.send(f"{page}/revise")
    assert "还没有要改的地方" in find_text(nothing)
    told = await browser.send(f"{page}/revise", message="写一首诗")
    assert "没有读懂这句话" in find_text(told)
    again = await browser.open(f"{page}/revise")
    assert again.headers["location"] == f"{page}#revise-form"


async def test_words_are_for_a_model(seeded_url: str, tmp_path: Path) -> None:
    async with open_desk(seeded_url, tmp_path, {"one": find_scenario("plain")}) as desk:
        browser = Browser(str(desk.client.base_url))
        await browser.sign_in(await make_key(seeded_url, "one", "user"))
        builtin = await wait_for(browser, await ask(browser, planner="builtin", **SHORT))
        assert 'name="message"' not in builtin.text
        assert "这次运行由内置规划器负责" in find_text(builtin)
        told = await wait_for(browser, await ask(browser, **SHORT))
        assert 'name="message"' in told.text
        sent = await browser.send(told.url.path + "/revise", message="太满了 <b>")
        child = await wait_for(browser, sent.headers["location"])
        assert "修改一份行程" in find_text(child)
        await browser.client.aclose()


def name_run(page: str) -> str:
    return page.rpartition("/")[2]


async def change(url: str, statement: str, **values: Any) -> None:
    engine = make_engine(url, 1)
    async with transaction(engine) as session:
        await session.execute(text(statement), values)
    await engine.dispose()


async def test_a_plan_is_checked_against_todays_catalogue(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "user")
    page = await ask(browser, **SHORT)
    await wait_for(browser, page)
    same = await browser.send(f"{page}/recheck")
    assert "没有变化" in find_text(same)
    dearer = "update place set price = price + 7, intro = '<img src=x>' where name = '天坛公园'"
    await change(seeded_url, dearer)
    await browser.open(page)
    held = await browser.send(f"{page}/recheck")
    assert "涨价" in find_text(held)
    assert "有效，但有些内容变了" in find_text(held)
    assert "<img src=x>" not in held.text
    await change(seeded_url, "update place set enabled = false where name = '故宫博物院'")
    await browser.open(page)
    lost = await browser.send(f"{page}/recheck")
    assert "不再有效" in find_text(lost)
    assert "故宫博物院 地点 停用" in find_text(lost)


async def test_the_plan_under_a_relaxation_is_changed_and_checked_as_it_is_shown(
    browse: Open,
) -> None:
    browser = await browse("one", "user")
    page = await ask(browser, budget_total="300", **SHORT)
    marks = list_marks(await wait_for(browser, page))
    assert marks
    checked = find_text(await browser.send(f"{page}/recheck"))
    assert "检查的是放宽条件后的行程" in checked
    assert "没有变化" in checked


async def test_a_full_queue_loses_nothing_of_the_form(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "user")
    page = await ask(browser, **SHORT)
    await wait_for(browser, page)
    none = "update system_param set value = '0' where key = 'TENANT_MAX_QUEUED'"
    await change(seeded_url, none)
    full = await browser.send(f"{page}/revise", add="鲁迅故居 <b>", refresh="1", pace="relaxed")
    assert full.status_code == 429
    assert "排队的运行已达上限" in find_text(full)
    assert 'value="鲁迅故居 &lt;b&gt;"' in full.text
    assert 'name="refresh" value="1" checked' in full.text
    assert 'value="relaxed" checked' in full.text


async def test_only_its_own_users_change_a_plan(browse: Open) -> None:
    mine, theirs = await browse("one", "user"), await browse("two", "user")
    developer = await browse("one", "developer")
    page = await ask(mine, **SHORT)
    await wait_for(mine, page)
    form = (await theirs.open("/console/ask")).text
    unknown = page[:-4] + "0000"
    for action in ("revise", "recheck"):
        token = {"form_token": Forms(form).found["/console/ask"]["form_token"]}
        answers = [
            await theirs.client.post(f"{at}/{action}", data={**token, "refresh": "1"})
            for at in (page, unknown)
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        known, not_known = (drop_tokens(answer.text) for answer in answers)
        assert known.replace(name_run(page), name_run(unknown)) == not_known
        assert (await mine.client.post(f"{page}/{action}", data={})).status_code == 400
    assert (await theirs.open(f"{page}/places?q=园")).status_code == 404
    shown = await developer.open(page)
    assert 'id="revise"' not in shown.text
    assert (await developer.open(f"{page}/places?q=园")).status_code == 403
