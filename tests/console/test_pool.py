"""From a count of the funnel to its rows, and from a part of a name to why that place is not in."""

import re

import pytest
from sqlalchemy import text

from backend.db.session import make_engine, transaction
from tests.console.conftest import Open, ask, find_text, wait_for

pytestmark = pytest.mark.sql

HOSTILE = "<img src=x onerror=alert(1)>"


async def change(url: str, *statements: str) -> None:
    """The catalogue as somebody else has changed it."""
    engine = make_engine(url)
    async with transaction(engine) as session:
        for statement in statements:
            await session.execute(text(statement))
    await engine.dispose()


async def test_each_count_leads_to_its_rows(browse: Open) -> None:
    browser = await browse("one", "user")
    page = await ask(browser)
    done = await wait_for(browser, page)
    counts = re.findall(r'href="(/console/runs/[^"]+/dropped[^"]+)">.*?<b>(\d+)</b>', done.text)
    assert len(counts) > 4
    for link, count in counts:
        shown = await browser.open(link.replace("&amp;", "&"))
        words = find_text(shown)
        assert f"共 {count} 行" in words, link
        assert "来自本次运行的快照" in words or "目录此后没有变过" in words
    pool = await browser.open(f"{page}/pool")
    assert f'href="{page}/dropped?kind=poi&amp;reason=rank&amp;at=beijing"' in pool.text
    assert f'href="{page}/dropped?kind=train&amp;reason=spread&amp;at=1"' in pool.text
    assert "典型酒店" in find_text(pool)


async def test_rows_are_searched_sorted_and_paged_and_stand_as_text(
    browse: Open, seeded_url: str
) -> None:
    await change(
        seeded_url,
        f"update place set price = 99999, name = '{HOSTILE}' where id = 'beijing-yiheyuan'",
        "update catalogue_state set version = version + 1",
    )
    browser = await browse("one", "user")
    page = await ask(browser, start_date="2026-11-28")
    await wait_for(browser, page)
    at = f"{page}/dropped?kind=poi&reason=price"
    first = await browser.open(f"{at}&order=dearest")
    assert first.text.count("<tr><th") - 1 > 1
    assert first.text.index("99999.00") < first.text.index("</tr>", first.text.index("<tbody>"))
    assert "<img src=x" not in first.text
    found = await browser.open(f"{at}&q=ONERROR")
    assert "共 1 行" in find_text(found)
    assert "没有这样的行" in (await browser.open(f"{at}&q=%25")).text
    ranked = f"{page}/dropped?kind=poi&reason=rank"
    second = await browser.open(f"{ranked}&page=2")
    assert "第 2 / 2 页" in find_text(second)
    assert "page=1" in second.text
    why = second.text.split("/why?place=")[1].split('"')[0]
    answer = await browser.open(f"{page}/why?place={why}")
    assert "候选池只取前60个" in find_text(answer)
    for wrong in ("kind=poi&reason=stars", "kind=poi&reason=price&at=suzhou"):
        assert (await browser.open(f"{page}/dropped?{wrong}")).status_code == 404
    assert (await browser.open(f"{page}/dropped?kind=moon&reason=price")).status_code == 422


async def test_a_catalogue_that_moved_on_is_told(browse: Open, seeded_url: str) -> None:
    browser = await browse("one", "user")
    page = await ask(browser)
    await wait_for(browser, page)
    await change(
        seeded_url,
        "update place set price = 5000 where id = 'beijing-gugong'",
        "update place set price = 5000 where id like 'beijing-%' and price > 400",
        "update catalogue_state set version = version + 1",
    )
    shown = find_text(await browser.open(f"{page}/dropped?kind=poi&reason=price"))
    assert "此后有改动" in shown
    assert "故宫" not in shown  # it is in the run's pool, whatever it costs today
    rank = find_text(await browser.open(f"{page}/dropped?kind=poi&reason=rank"))
    assert "来自本次运行的快照" in rank


async def test_a_part_of_a_name_finds_places_and_says_why_they_are_not_in(
    browse: Open, seeded_url: str
) -> None:
    await change(seeded_url, "update place set enabled = false where id = 'beijing-yiheyuan'")
    browser = await browse("one", "user")
    browser.client.headers["accept-language"] = "en"
    page = await ask(browser)
    await wait_for(browser, page)
    asked = await browser.open(f"{page}/why?q=summer")
    link = next(part for part in asked.text.split('"') if "place=beijing-yiheyuan" in part)
    told = find_text(await browser.open(link.replace("&amp;", "&")))
    assert "It is switched off in the catalogue." in told  # in the page's language, not the run's
    assert "from today's catalogue" in told or "from today&#39;s catalogue" in told
    musts = find_text(await browser.open(f"{page}/why"))
    assert musts.count("It is in the itinerary.") == 2
    nothing = find_text(await browser.open(f"{page}/why?q=zzzz"))
    assert "no place" in nothing
    hostile = await browser.open(f"{page}/why?q={HOSTILE}")
    assert "<img src=x" not in hostile.text


async def test_rows_and_reasons_obey_scope_and_tenant(browse: Open) -> None:
    user, stranger = await browse("one", "user"), await browse("two", "user")
    admin = await browse("one", "admin")
    page = await ask(user)
    await wait_for(user, page)
    for path in (f"{page}/why?q=%00", f"{page}/dropped?kind=poi&reason=rank&q=%00"):
        assert (await user.open(path)).status_code == 400
    for path in (f"{page}/dropped?kind=poi&reason=rank", f"{page}/why", f"{page}/pool"):
        assert (await user.open(path)).status_code == 200
        assert (await stranger.open(path)).status_code == 404
        assert (await admin.open(path)).status_code == 403
