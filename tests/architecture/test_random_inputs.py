"""Random inputs are random on every machine, and an input has no time limit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOW = (
    "import tests.conftest; from hypothesis import settings; s = settings();"
    "print(s.derandomize, s.deadline, s.print_blob, s.max_examples)"
)


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        ({"CI": ""}, "False None True 100"),
        ({"CI": "true"}, "False None True 100"),
        ({"CI": "true", "WAYPOOL_TEST_EXAMPLES": "7"}, "False None True 700"),
    ],
)
def test_the_profile_is_the_same_where_ci_is_set(variables: dict[str, str], shown: str) -> None:
    environment = {**os.environ, "WAYPOOL_TEST_EXAMPLES": "1", **variables}  # noqa: TID251
    command = [sys.executable, "-c", SHOW]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == shown.split()


def test_no_test_sets_a_time_limit_or_a_fixed_number_of_inputs_for_itself() -> None:
    own = re.compile(r"max_examples=\d|derandomize=|[( ]deadline=\d")
    skipped = {"random_inputs.py", Path(__file__).name}
    paths = [p for p in (ROOT / "tests").rglob("*.py") if p.name not in skipped]
    bad = [str(p.relative_to(ROOT)) for p in paths if own.search(p.read_text("utf-8"))]
    assert not bad
