"""Tuning over pages: a change is previewed, saved with its typed value, refused, taken back, reset."""

from typing import Any

import httpx
import pytest

from tests.console.conftest import Browser, Forms, Open, ask, find_text, wait_for

pytestmark = pytest.mark.sql

POI_SIZE, LIST_POIS = "params/POOL_POI_SIZE", "tools/list_pois"


def find_value(page: httpx.Response, name: str) -> str:
    """What stands in the field of a parameter or tool."""
    return page.text.split(f'id="value-{name}"')[1].split('value="')[1].split('"')[0]


async def press(browser: Browser, form: str, path: str, **fields: Any) -> httpx.Response:
    """A button of a form of the present page that sends it to an address of its own."""
    assert browser.page is not None
    hidden = Forms(browser.page.text).found[form]
    browser.page = await browser.client.post(path, data={**hidden, **fields})
    return browser.page


async def try_value(browser: Browser, knob: str, **fields: Any) -> httpx.Response:
    """The preview of what is typed beside a parameter or a tool."""
    await browser.open("/console/tune")
    return await press(browser, f"/console/tune/{knob}", f"/console/tune/preview/{knob}", **fields)


async def test_an_admin_changes_a_limit_and_takes_it_back(browse: Open) -> None:
    admin, late = await browse("one", "admin"), await browse("one", "admin")
    await late.open("/console/tune")
    await admin.open("/console/tune")
    saved = await admin.send(
        "/console/tune/tools/list_pois", max_return_rows="5", enabled="1", why="try <b>less</b>"
    )
    assert saved.status_code == 303, find_text(saved)
    lost = await late.send("/console/tune/tools/list_pois", max_return_rows="9", why="mine")
    assert lost.status_code == 412
    assert "现在的值是 5（版本 2）" in lost.text
    assert find_value(lost, "list_pois") == "9"
    assert 'value="mine"' in lost.text
    page = await admin.open("/console/tune")
    assert find_value(page, "list_pois") == "5"
    assert "try &lt;b&gt;less&lt;/b&gt;" in page.text
    wrong = await admin.send("/console/tune/params/POOL_POI_SIZE", value="0")
    assert wrong.status_code == 422
    assert "from 1 to 500" in wrong.text
    await admin.open("/console/tune")
    assert (await admin.send("/console/tune/tools/list_pois/revert")).status_code == 303
    assert find_value(await admin.open("/console/tune"), "list_pois") == ""
    again = await late.send("/console/tune/tools/list_pois", max_return_rows="9", enabled="1")
    assert again.status_code == 412  # the form that was refused knew version 2; this is version 3


async def test_a_value_is_reset_and_any_earlier_one_set_again(browse: Open) -> None:
    admin = await browse("one", "admin")
    for value in ("3,4,5", "5"):
        await admin.open("/console/tune")
        sent = await admin.send("/console/tune/params/HOTEL_STARS_COMFORT", value=value)
        assert sent.status_code == 303
    await admin.open("/console/tune")
    reset = await admin.send("/console/tune/params/HOTEL_STARS_COMFORT/revert", to="default")
    assert reset.status_code == 303
    assert find_value(await admin.open("/console/tune"), "HOTEL_STARS_COMFORT") == "3,4"
    await admin.open("/console/tune/history?subject=HOTEL_STARS_COMFORT")
    back = await admin.send("/console/tune/params/HOTEL_STARS_COMFORT/revert", to="2")
    assert back.headers["location"] == "/console/tune#HOTEL_STARS_COMFORT"
    page = await admin.open("/console/tune")
    assert find_value(page, "HOTEL_STARS_COMFORT") == "3,4,5"
    unknown = await admin.send("/console/tune/params/HOTEL_STARS_COMFORT/revert", to="77")
    assert unknown.status_code == 404
    assert "77" in find_text(unknown)
    assert (await admin.client.get("/console/tune/history?before=1")).status_code == 200


@pytest.mark.parametrize("knob", ["params/NONE", "tools/none", "trains/x"])
async def test_what_is_no_knob_is_not_found(browse: Open, knob: str) -> None:
    admin = await browse("one", "admin")
    await admin.open("/console/tune")
    assert (await press(admin, f"/console/tune/{POI_SIZE}", f"/console/tune/{knob}")).is_error


async def test_a_change_is_seen_before_it_is_made_and_saved_from_there(browse: Open) -> None:
    browser = await browse("one", "user", "admin")
    empty = await try_value(browser, POI_SIZE, value="20")
    assert empty.status_code == 200
    assert "还没有请求" in empty.text
    await wait_for(browser, await ask(browser))
    shown = await try_value(browser, POI_SIZE, value="20", why="tight")
    words = find_text(shown)
    assert "地点: 1964 → 125 → 60 →" in shown.text
    assert "地点: 1964 → 125 → 20 →" in shown.text
    assert "将离开 40" in words
    assert find_value(shown, "POOL_POI_SIZE") == "20"
    assert 'value="tight"' in shown.text
    assert find_value(await browser.open("/console/tune"), "POOL_POI_SIZE") == "60"
    browser.page = shown
    saved = await browser.send("/console/tune/params/POOL_POI_SIZE", value="20", why="tight")
    assert saved.status_code == 303
    page = await browser.open("/console/tune")
    assert find_value(page, "POOL_POI_SIZE") == "20"
    assert "tight" in find_text(page)
    wrong = await try_value(browser, POI_SIZE, value="0")
    assert wrong.status_code == 422
    assert "from 1 to 500" in wrong.text
    assert find_value(wrong, "POOL_POI_SIZE") == "0"


async def test_a_return_limit_is_previewed_with_the_tokens_that_its_list_costs(
    browse: Open,
) -> None:
    browser = await browse("one", "user", "admin")
    await wait_for(browser, await ask(browser))
    shown = await try_value(browser, LIST_POIS, max_return_rows="10", enabled="1")
    assert "<td>3 → <b>6</b></td>" in shown.text  # pages of a pool of 60
    browser.page = shown
    saved = await browser.send("/console/tune/tools/list_pois", max_return_rows="10", enabled="1")
    assert saved.status_code == 303
    default = await try_value(browser, LIST_POIS, max_return_rows="", enabled="1")
    assert "<td>6 → <b>3</b></td>" in default.text  # empty is the code's default
    off = await try_value(browser, LIST_POIS, max_return_rows="10")
    assert "停用后" in off.text
    odd = await try_value(browser, LIST_POIS, max_return_rows="ten", enabled="1")
    assert odd.status_code == 422
    none = await try_value(browser, LIST_POIS, max_return_rows="0", enabled="1")
    assert none.status_code == 422


async def test_a_link_leads_to_a_preview_with_its_value_filled_in(browse: Open) -> None:
    browser = await browse("one", "user", "admin")
    run = (await wait_for(browser, await ask(browser))).url.path.rpartition("/")[2]
    shown = await browser.open(f"/console/tune/preview/{POI_SIZE}?value=30&run={run}")
    assert find_value(shown, "POOL_POI_SIZE") == "30"
    assert "地点: 1964 → 125 → 30 →" in shown.text
    assert f'<option value="{run}" selected>' in shown.text
    plain = await browser.open(f"/console/tune/preview/{LIST_POIS}")
    assert 'name="enabled" value="1" checked' in plain.text
    turns = await browser.open("/console/tune/preview/params/AGENT_MAX_TURNS?value=9")
    assert "不影响候选池" in turns.text
    calls = await browser.open("/console/tune/preview/params/AGENT_MAX_TOOL_CALLS?value=3")
    assert "其中 1 次超过上面的值" in calls.text
    gone = await browser.open(f"/console/tune/preview/{POI_SIZE}?value=30&run=run_none")
    assert gone.status_code == 404
    user = await browse("one", "user")
    assert (await user.open(f"/console/tune/preview/{POI_SIZE}")).status_code == 403
    assert (await user.open("/console/tune/history")).status_code == 403
