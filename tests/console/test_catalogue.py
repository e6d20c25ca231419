"""The catalogue over pages: found by a part of a name, changed with a reason, kept when refused."""

from typing import Any

import httpx
import pytest
from sqlalchemy import text

from backend.db.session import make_engine, transaction
from tests.console.conftest import Browser, Forms, Open, find_text

pytestmark = pytest.mark.sql

GUGONG = "/console/catalogue/poi/beijing-gugong"
HOSTILE = "<img src=x onerror=alert(1)>"


async def edit(browser: Browser, path: str, **typed: Any) -> httpx.Response:
    """The form of the present page as a browser sends it: every cell, some of them typed over."""
    assert browser.page is not None
    hidden = Forms(browser.page.text).found[path]
    shown = {name.removeprefix("was."): v for name, v in hidden.items() if name.startswith("was.")}
    browser.page = await browser.client.post(path, data={**hidden, **shown, **typed})
    return browser.page


async def open_row(browser: Browser, path: str = GUGONG) -> str:
    """The page of a row, as its words."""
    return find_text(await browser.open(path))


async def test_rows_are_found_by_kind_city_and_a_part_of_a_name(browse: Open) -> None:
    admin = await browse("one", "admin")
    found = await admin.open("/console/catalogue?city=beijing&q=palace")
    assert f'href="{GUGONG}"' in found.text
    assert "共 4 行" in find_text(found)
    elsewhere = await admin.open("/console/catalogue?city=suzhou&q=palace")
    assert f'href="{GUGONG}"' not in elsewhere.text
    every = find_text(await admin.open("/console/catalogue?page=2"))
    assert "第 2 / 40 页" in every
    assert "没有这样的行" in (await admin.open("/console/catalogue?q=%25%25")).text
    hotel = await admin.open("/console/catalogue?kind=hotel&city=beijing")
    assert "/console/catalogue/hotel/" in hotel.text
    train = await admin.open("/console/catalogue?kind=train&city=beijing&q=MG1")
    link = next(p for p in train.text.split('"') if p.startswith("/console/catalogue/train/"))
    assert "发车" in await open_row(admin, link)
    assert (await admin.open("/console/catalogue/poi/nowhere")).status_code == 404
    assert (await admin.open("/console/catalogue?kind=moon")).status_code == 422


async def test_a_change_is_saved_with_its_reason_and_stands_in_the_trail(browse: Open) -> None:
    admin = await browse("one", "admin")
    await admin.open(GUGONG)
    saved = await edit(admin, GUGONG, price="80", tags="history;museum", why="<b>new</b> price")
    assert saved.headers["location"] == f"{GUGONG}?saved=yes", find_text(saved)
    page = await admin.open(saved.headers["location"])
    words = find_text(page)
    assert "已保存" in words
    assert "price: 60.00" in words
    assert "price: 80" in words
    assert "&lt;b&gt;new&lt;/b&gt; price" in page.text
    assert 'value="history;museum"' in page.text
    same = await edit(admin, GUGONG, why="nothing")
    assert same.headers["location"].endswith("saved=same")
    api = await admin.client.get("/v1/admin/pois/beijing-gugong")
    assert api.json()["row"]["price"] == "80.00"
    row = api.json()["row"]
    assert (row["intro"], row["opening_hours"]) != ("", "")


async def test_what_cannot_be_stored_is_named_and_what_was_typed_is_kept(browse: Open) -> None:
    admin = await browse("one", "admin")
    await admin.open(GUGONG)
    wrong = await edit(admin, GUGONG, price="dear", opening_hours="whenever", name="新名", why="so")
    assert wrong.status_code == 422
    assert 'href="#field-price"' in wrong.text
    assert 'href="#field-opening_hours"' in wrong.text
    for kept in ("dear", "新名", "so"):
        assert f'value="{kept}"' in wrong.text
    assert "whenever</textarea>" in wrong.text
    mended = await edit(admin, GUGONG, price="61", opening_hours="09:00-17:00", name="新名")
    assert mended.status_code == 303, find_text(mended)
    assert "新名" in await open_row(admin)


async def test_a_lost_race_keeps_what_was_typed_and_what_the_other_changed(browse: Open) -> None:
    first, late = await browse("one", "admin"), await browse("two", "admin")
    await late.open(GUGONG)
    await first.open(GUGONG)
    assert (await edit(first, GUGONG, price="70", duration_min="200")).status_code == 303
    lost = await edit(late, GUGONG, price="99", area="西城区", why="mine")
    assert lost.status_code == 412
    words = find_text(lost)
    assert "别人改了这一行" in words
    assert "打开时是 60.00，现在是 70.00" in words
    for kept in ("99", "西城区", "mine", "200"):
        assert f'value="{kept}"' in lost.text
    assert "price: 99" not in await open_row(first)
    late.page = lost
    # The page's fields: what was typed, and what the other has changed elsewhere.
    saved = await edit(late, GUGONG, price="99", area="西城区", why="mine")
    assert saved.status_code == 303
    row = (await late.client.get("/v1/admin/pois/beijing-gugong")).json()["row"]
    assert (row["price"], row["area"], row["duration_min"]) == ("99.00", "西城区", 200)


async def test_hotels_and_trains_are_changed_alike(browse: Open, seeded_url: str) -> None:
    engine = make_engine(seeded_url)
    async with transaction(engine) as session:
        hotel = await session.scalar(text("select id from hotel order by id limit 1"))
        train = await session.scalar(text("select id from train order by id limit 1"))
    await engine.dispose()
    admin = await browse("one", "admin")
    for path, typed in (
        (f"/console/catalogue/hotel/{hotel}", {"stars": "1", "name": HOSTILE}),
        (f"/console/catalogue/train/{train}", {"depart": "05:55", "enabled": "false"}),
    ):
        await admin.open(path)
        assert (await edit(admin, path, **typed)).status_code == 303
        page = await admin.open(path)
        assert "<img src=x" not in page.text
    listed = await admin.open("/console/catalogue?kind=hotel&q=onerror")
    assert "&lt;img src=x onerror=alert(1)&gt;" in listed.text
    assert "<img src=x" not in listed.text
    off = await admin.open(f"/console/catalogue?kind=train&q={train}")
    assert "停用" in off.text


async def test_only_admins_look_at_and_change_the_catalogue(browse: Open) -> None:
    user, admin = await browse("one", "user", "developer"), await browse("one", "admin")
    assert (await user.open("/console/catalogue")).status_code == 403
    assert (await user.open(GUGONG)).status_code == 403
    own = Forms((await user.open("/console/ask")).text).found["/console/sign-out"]
    assert (await user.client.post(GUGONG, data={**own, "name": "x"})).status_code == 403
    stolen = Forms((await admin.open(GUGONG)).text).found[GUGONG]
    other = await browse("one", "admin")
    assert (await other.client.post(GUGONG, data={**stolen, "name": "x"})).status_code == 400
    assert "/console/catalogue" not in (await user.open("/console/ask")).text
