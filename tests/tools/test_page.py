"""A page of a list says how many rows there are, how many it holds, and whether more are left."""

import pytest

from backend.tools.list_answer import build_page_result, build_repeat_result

ROWS = [{"id": "a"}, {"id": "b"}]


@pytest.mark.parametrize(("total", "has_more"), [(2, False), (3, True)])
def test_a_page_counts_itself_and_the_whole(total: int, has_more: bool) -> None:
    assert build_page_result(ROWS, total=total, limit=2, hint="Next.") == {
        "total": total, "returned": 2, "hasMore": has_more, "limit": 2, "hint": "Next.",
        "rows": ROWS,
    }  # fmt: skip


@pytest.mark.parametrize(("total", "has_more"), [(0, False), (1, True)])
def test_a_repeat_has_no_rows_and_names_the_first_call(total: int, has_more: bool) -> None:
    assert build_repeat_result(number=3, total=total, limit=20, hint="See call 3.") == {
        "total": total, "returned": 0, "hasMore": has_more, "limit": 20, "hint": "See call 3.",
        "rows": [], "repeat_of": 3,
    }  # fmt: skip
