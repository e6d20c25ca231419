"""The pages' bench on few requests: it finds every page by itself, and each of them answers."""

import pytest

from backend.console.app import list_page_paths
from tests.bench.pages.measure import measure_pages
from tests.bench.pages.page import Page, Step
from tests.bench.pages.walk import Walk, find_path

HTML = """
<link rel="stylesheet" href="/console/static/a.css?v=1"><script src="/console/static/a.js"></script>
<a href="#main">skip</a><a href="/console/runs/run_1">run</a><a href="/x.ics" download>file</a>
<form method="get" action="/console/runs/run_1/diff"><select name="other"><option value="">-</option>
<option value="run_2">two</option><option value="run_3" selected>three</option></select></form>
<form method="get" action="/console/results"><input name="handle" pattern="res_[0-9a-z]+"></form>
<form method="post" action="/console/tune/params/A"><input type="hidden" name="version" value="7">
<input name="value" value="60"><button>save</button>
<button formaction="/console/tune/preview/params/A">try</button></form>
"""


def test_a_page_offers_links_searches_and_forms_that_only_look_as_a_browser_would_send_them() -> (
    None
):
    page = Page("/console/tune", HTML)
    assert page.list_steps() == [
        Step("/console/runs/run_1"),
        Step("/console/runs/run_1/diff?other=run_3"),
        Step("/console/tune/preview/params/A", (("version", "7"), ("value", "59"))),
    ]
    assert page.assets == ["/console/static/a.css?v=1", "/console/static/a.js"]


def test_addresses_are_of_one_kind_where_the_route_and_the_query_s_names_are() -> None:
    walk = Walk(list_page_paths())
    assert find_path("/console/runs/run_1/pool", walk.paths) == "/console/runs/{run_id}/pool"
    assert walk.name_kind(Step("/console/runs?status=failed&before=")) == "/console/runs?status"
    for n, is_new in ((1, True), (1, False), (2, True), (3, True), (4, True), (5, False)):
        assert walk.note(Step(f"/console/runs/run_{n}")) is is_new


@pytest.mark.sql
@pytest.mark.timeout(900)  # processes start slowly on a machine that is busy
async def test_every_page_of_the_console_is_found_weighed_and_answers(seeded_url: str) -> None:
    report = await measure_pages(list_page_paths(), requests=1, runs=2, url=seeded_url)
    assert report.figures["not_measured"] == ["/console/open/{token}"]
    demands = {demand.text for demand in report.demands if demand.is_met}
    assert demands >= {
        "every page answers",
        "each first load at most 200 KB without the map's library",
    }, report.describe()
    rows = {row["page"]: row for row in report.figures["pages"]}
    assert set(rows) >= {
        "/console/ask",
        "/console/runs/{run_id}",
        "/console/runs/{run_id}/diff?other",
    }
    assert any(page.startswith("POST /console/tune/preview") for page in rows)
    for row in rows.values():
        assert row["p95_ms"] >= row["median_ms"] > 0
    assert rows["/console/runs/{run_id}"]["map_library_kb"] > 0
    assert rows["/console/ask"]["first_load_kb"] > 1
    assert report.describe()[0] == "pages:"
