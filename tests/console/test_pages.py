"""The pages as a browser without JavaScript sees them: sign-in, scopes, tenants, forms, hostile names."""

import asyncio
import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from backend.access.queries import LINK_LIFE, create_key, make_link, revoke_key
from backend.clock import read_utc
from backend.db.session import make_engine, transaction
from backend.mock_llm.scenario import find_scenario
from tests.console.conftest import TRIP, Browser, Open, ask, find_text, wait_for
from tests.database import run_sql
from tests.flows.conftest import make_key
from tests.flows.models import open_desk

pytestmark = pytest.mark.sql


async def test_who_is_not_signed_in_comes_back_to_where_they_went(
    start: Callable[[], Browser], seeded_url: str
) -> None:
    browser = start()
    sent = await browser.open("/console/runs?status=failed")
    assert sent.status_code == 303
    await browser.open(sent.headers["location"])
    secret = await make_key(seeded_url, "one", "user")
    wrong = await browser.send("/console/sign-in", key="wp_wrong")
    assert wrong.status_code == 401
    assert "密钥未知" in wrong.text
    right = await browser.send("/console/sign-in", key=secret)
    assert right.headers["location"] == "/console/runs?status=failed"
    cookie = right.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert secret not in cookie
    assert (await browser.open("/console/runs?status=failed")).status_code == 200


@pytest.mark.parametrize(
    "next_page",
    ["https://example.org/", "//example.org/", "/console/\\example.org", "/v1/itineraries", "x"],
)
async def test_signing_in_leads_to_no_other_host(
    start: Callable[[], Browser], seeded_url: str, next_page: str
) -> None:
    browser = start()
    await browser.open("/console/sign-in")
    secret = await make_key(seeded_url, "one", "user")
    answer = await browser.send("/console/sign-in", key=secret, next=next_page)
    assert answer.headers["location"] == "/console/"


async def test_a_link_signs_in_once(start: Callable[[], Browser], seeded_url: str) -> None:
    engine = make_engine(seeded_url)
    async with transaction(engine) as session:
        key_id, _ = await create_key(session, "one", ["user"], "test", read_utc())
        good = await make_link(session, key_id, read_utc())
        late = await make_link(session, key_id, read_utc() - LINK_LIFE - dt.timedelta(seconds=1))
    await engine.dispose()
    browser = start()
    assert (await browser.open(f"/console/open/{late}")).status_code == 410
    assert (await browser.open(f"/console/open/{good}?next=/console/ask")).status_code == 303
    assert (await browser.open("/console/ask")).status_code == 200
    assert (await start().open(f"/console/open/{good}")).status_code == 410


async def test_a_session_ends_with_its_key_at_its_time_and_on_request(
    browse: Open, seeded_url: str
) -> None:
    engine = make_engine(seeded_url)
    revoked, old, out = [await browse() for _ in range(3)]
    await out.open("/console/ask")
    assert (await out.send("/console/sign-out")).status_code == 303
    assert (await out.open("/console/ask")).status_code == 303
    async with transaction(engine) as session:
        await session.execute(text("update browser_session set expires_at = now()"))
    ended = await old.open("/console/ask")
    assert "ended=1" in ended.headers["location"]
    assert "已过期" in (await old.open(ended.headers["location"])).text
    async with transaction(engine) as session:
        await session.execute(text("update browser_session set expires_at = 'infinity'"))
        ids = (await session.scalars(text("select id from api_key"))).all()
        for key_id in ids:
            await revoke_key(session, key_id, read_utc())
    assert (await revoked.open("/console/ask")).status_code == 303
    await engine.dispose()


async def test_a_form_of_another_page_changes_nothing(browse: Open) -> None:
    browser, other = await browse("one", "admin"), await browse("one", "admin")
    path = "/console/tune/params/POOL_POI_SIZE"
    for token in ("", "0" * 64):
        answer = await browser.client.post(path, data={"value": "7", "form_token": token})
        assert answer.status_code == 400
    page = await other.open("/console/tune")
    hidden = page.text.split('name="form_token" value="')[1].split('"')[0]
    answer = await browser.client.post(
        path, data={"value": "7", "version": "1", "form_token": hidden}
    )
    assert answer.status_code == 400
    assert 'value="60"' in (await browser.open("/console/tune")).text


async def test_a_cookie_reads_the_api_and_changes_nothing_there(browse: Open) -> None:
    browser = await browse("one", "user")
    assert (await browser.client.get("/v1/itineraries")).status_code == 200
    assert (await browser.client.get("/v1/admin/params")).status_code == 403
    assert (await browser.client.post("/v1/itineraries", json={})).status_code == 401


async def test_each_page_obeys_scope_and_tenant(browse: Open) -> None:
    user, stranger = await browse("one", "user"), await browse("two", "user", "developer")
    admin = await browse("one", "admin")
    page = await ask(user)
    await wait_for(user, page)
    for path in (page, f"{page}/progress", f"{page}/ground.json", f"{page}/pool"):
        assert (await stranger.open(path)).status_code == 404
        assert (await admin.open(path)).status_code == 403
    assert page not in (await stranger.open("/console/runs")).text
    assert (await user.open("/console/tune")).status_code == 403
    assert (await admin.open("/console/ask")).status_code == 403
    home = await admin.open("/console/")
    assert home.headers["location"] == "/console/tune"
    await user.open(page)
    gone = await stranger.client.get(page)
    assert gone.status_code == 404
    assert (await user.send(f"{page}/delete")).status_code == 303
    assert (await user.open(page)).status_code == 404


async def test_asking_leads_to_a_plan_with_its_funnel(browse: Open) -> None:
    browser = await browse("one", "user", "developer")
    done = await wait_for(browser, await ask(browser))
    words = find_text(done)
    assert "完成" in words
    assert "故宫博物院" in words
    assert "第 3 天" in words
    assert 'class="funnel"' in done.text
    assert "1,9" in words  # the catalogue's places in the funnel
    assert "list_pois" in words
    why = await browser.open(f"{done.url.path}?why=颐和园")
    assert why.status_code == 200
    unknown = await browser.open(f"{done.url.path}?why=没有这个地方")
    assert unknown.status_code == 200
    pool = find_text(await browser.open(f"{done.url.path}/pool"))
    assert "故宫博物院 选中" in pool


async def test_a_refused_form_says_what_is_wrong_and_keeps_what_was_typed(browse: Open) -> None:
    browser = await browse("one", "user")
    await browser.open("/console/ask")
    wrong = {"must_see": "故宫图书馆\n天坛公园", "budget_total": "viel", "days": "31"}
    answer = await browser.send("/console/ask", **TRIP | wrong)
    assert answer.status_code == 422
    assert 'href="#field-must_see"' in answer.text
    assert 'href="#field-budget_total"' in answer.text
    assert 'href="#field-days"' in answer.text
    assert "故宫博物院" in answer.text  # the near name
    assert "故宫图书馆" in answer.text
    assert 'value="viel"' in answer.text
    assert 'value="history" checked' in answer.text


async def test_names_are_looked_for_as_they_are_typed(browse: Open) -> None:
    browser = await browse("one", "user")
    names = (await browser.client.get("/console/places?q=天坛&city=beijing")).json()
    assert names[0].startswith("天坛")
    assert (await browser.client.get("/console/places?q=天坛&city=suzhou")).json() == []


@pytest.mark.parametrize(
    ("typed", "first"), [("长城", "八达岭长城"), ("紫禁", "故宫博物院"), ("summer pal", "颐和园")]
)
async def test_a_piece_of_a_name_or_of_an_alias_is_enough(
    browse: Open, typed: str, first: str
) -> None:
    browser = await browse("one", "user")
    names = (
        await browser.client.get("/console/places", params={"q": typed, "city": "beijing"})
    ).json()
    assert first in names
    assert len(names) == len(set(names))


async def test_a_hostile_name_is_text_everywhere(browse: Open, seeded_url: str) -> None:
    name = "<img src=x onerror=alert(1)>"
    engine = make_engine(seeded_url)
    async with transaction(engine) as session:
        named = text("update place set name = :name, name_en = :name where name = '故宫博物院'")
        await session.execute(named, {"name": name})
    await engine.dispose()
    browser = await browse("one", "user", "developer")
    page = await ask(browser, must_see="beijing-gugong", notes=name, fixed_title=[name])
    done = await wait_for(browser, page)
    for path in (page, f"{page}/pool", f"{page}/progress", f"{page}?why={name}"):
        answer = await browser.open(path)
        assert "<img src=x" not in answer.text, path
    assert "&lt;img src=x onerror=alert(1)&gt;" in done.text


async def test_every_page_forbids_scripts_that_are_no_files_of_ours(browse: Open) -> None:
    browser = await browse("one", "user", "admin", "developer")
    for path in ("/console/ask", "/console/runs", "/console/tune", "/console/nothing"):
        answer = await browser.open(path)
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert " style=" not in answer.text
        assert " onclick=" not in answer.text
    assert answer.status_code == 404
    assert 'href="/console/"' in answer.text


async def test_pages_are_in_the_browsers_language_or_the_chosen_one(browse: Open) -> None:
    browser = await browse("one", "user")
    browser.client.headers["accept-language"] = "en-GB,en;q=0.9"
    page = await browser.open("/console/ask")
    assert '<html lang="en">' in page.text
    await browser.send("/console/language")
    assert '<html lang="zh-CN">' in (await browser.open("/console/ask")).text


async def test_a_developer_sees_what_the_context_held(seeded_url: str, tmp_path: Path) -> None:
    async with open_desk(seeded_url, tmp_path, {"one": find_scenario("plain")}) as desk:
        browser = Browser(str(desk.client.base_url))
        await browser.sign_in(await make_key(seeded_url, "one", "user", "developer"))
        done = await wait_for(browser, await ask(browser))
        assert "上下文账本" in done.text
        assert 'class="part-results"' in done.text
        await browser.client.aclose()


async def test_the_first_difference_of_a_changed_run_is_shown(
    browse: Open, seeded_url: str
) -> None:
    browser = await browse("one", "user", "developer")
    page = await ask(browser)
    await wait_for(browser, page)
    changed = "replace(replace(result::text, '\": ', '\":'), '\"CNY\"', '\"EUR\"')::json"
    run_sql(seeded_url, f"update agent_run set result = {changed}")
    asked = await browser.send(f"{page}/verify")
    place = asked.headers["location"]
    async with asyncio.timeout(60):
        while "出现差异。" not in (shown := find_text(await browser.open(place))):
            pass
    for told in ("结果", "/result/itinerary/currency", '"EUR"', '"CNY"'):
        assert told in shown, told


async def test_an_ended_run_is_rated_verified_run_again_and_compared(browse: Open) -> None:
    browser = await browse("one", "user", "developer")
    page = await ask(browser)
    await wait_for(browser, page)
    rated = await browser.send(f"{page}/feedback", rating="4", comment="good <b>food</b>")
    assert rated.status_code == 303, find_text(rated)
    assert "谢谢" in (await browser.open(rated.headers["location"])).text
    asked = await browser.send(f"{page}/verify")
    assert asked.status_code == 303, find_text(asked)
    async with asyncio.timeout(60):  # the page itself waits for some seconds
        while "逐字节一致" not in (await browser.open(asked.headers["location"])).text:
            pass
    await browser.open(page)
    wrong = await browser.send(f"{page}/live", key="POOL_POI_SIZE", value="0")
    assert wrong.status_code == 422
    await browser.open(page)
    again = await browser.send(f"{page}/live", key="POOL_POI_SIZE", value="20")
    child = again.headers["location"]
    assert f'href="{page}"' in (await wait_for(browser, child)).text
    other = child.rpartition("/")[2]
    diff = find_text(await browser.open(f"{page}/diff?other={other}"))
    assert "POOL_POI_SIZE 60 20" in diff
    assert "没有差异" in find_text(
        await browser.open(f"{page}/diff?other={page.rpartition('/')[2]}")
    )


async def test_wishes_stand_on_the_page_of_a_run(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "user")
    request = {
        "destinations": [{"city": "北京"}],
        "start_date": "2026-11-27",
        "days": 2,
        "travellers": 2,
        "budget_tier": "comfort",
        "wishes": [
            {"kind": "spend", "on": "tickets", "at_most": 9999},
            {"kind": "visit", "type": ["海滩"], "weight": "rather"},
        ],
    }
    key = {"Authorization": f"Bearer {await make_key(seeded_url, 'one', 'user')}"}
    sent = await browser.client.post("/v1/itineraries", json=request, headers=key)
    page = find_text(await wait_for(browser, f"/console/runs/{sent.json()['id']}"))
    assert "门票总共不超过 9999: 已满足" in page
    assert "参观至少 1 处：海滩: 未满足" in page


async def test_a_sentence_is_asked_back_about_and_then_planned(browse: Open) -> None:
    browser = await browse("one", "user")
    await browser.open("/console/ask")
    sent = await browser.send("/console/ask", text="去西安看兵马俑，<b>想看飞碟</b>")
    page = sent.headers["location"]
    asked = await browser.open(page)
    shown = find_text(asked)
    assert "哪天出发？" in shown
    assert "一定要去" in shown
    assert "<b>想看飞碟" not in asked.text
    assert "没有读懂" in asked.text
    answers = {"start_date": "2027-03-05", "days": "99", "travellers": "2"}
    wrong = await browser.send(f"{page}/answers", **answers)
    assert wrong.status_code == 422
    assert 'value="99"' in wrong.text
    assert (await browser.send(f"{page}/answers", **answers | {"days": "2"})).status_code == 303
    assert "兵马俑" in find_text(await wait_for(browser, page))


async def test_a_run_whose_questions_nobody_answers_has_a_page(browse: Open) -> None:
    browser = await browse("one", "user")
    await browser.open("/console/ask")
    page = (await browser.send("/console/ask", text="去西安")).headers["location"]
    assert page.rpartition("/")[2] in (await browser.open("/console/runs?status=needs_input")).text
    await browser.open(page)
    await browser.send(f"{page}/cancel")
    assert "已取消" in find_text(await browser.open(page))
