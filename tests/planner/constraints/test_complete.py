"""No constraint is without a case on each side of its limit.

How good these tests are was measured with mutmut 3.8.1. It changes one thing in the code at a time
(`<` to `<=`, a number, a name) and runs the tests, which should then fail. On 2026-12-01 they failed
for 1,933 of 1,953 changes (99.0 %) of the constraints, of the pages of list tools, of
`pool/rules.py` and of `money.py`. The other 20:

- 16 make no difference to any plan: another default where a value is never missing (BEFORE_ARRIVAL,
  TRAVEL_TIME, COST_WRONG, CHECK_IN; 8, with the last two items instead of the last one), `<=` for an
  item that has no times (LEG_TOO_SHORT; 2), a day 0 without visits and a fraction that is always 0
  (PACE; 2), a check for the type checker (LEG_MISSED; 1), `zip(strict=…)` over two lists of one
  length (`pool/rules.py`; 3).
- 3 in TRAVEL_TIME have no case yet: items listed in the wrong order (2), and a trip through cities
  of two time zones (1).
- 1 (popularity 1 for an unknown one, `pool/rules.py`) got its case after this run.

To repeat it, install mutmut into the virtual environment of a copy of the repository and add to its
`pyproject.toml` (`check` and `list_answer.py` hold some more code than what was measured):

    [tool.mutmut]
    source_paths = ["backend"]
    only_mutate = ["backend/planner/check/*", "backend/tools/list_answer.py",
                   "backend/pool/rules.py", "backend/money.py"]
    also_copy = ["migrations"]
    pytest_add_cli_args = ["-q", "-x", "-n", "0", "-p", "no:randomly", "-W", "ignore"]
    pytest_add_cli_args_test_selection = ["tests/planner/constraints",
        "tests/planner/test_constraint_cases.py", "tests/pool/test_rules.py",
        "tests/tools/test_page.py", "tests/test_money.py"]

Then `mutmut run` takes 10 to 20 minutes, and `mutmut results` lists what no test has found.
mutmut changes only code in functions: constants and messages at the top of a module stay as they are.
"""

from backend.planner.check.validator import CONSTRAINTS
from tests.planner.constraints import (
    test_hotels,
    test_hours,
    test_money,
    test_places,
    test_trains,
    test_ways,
    test_wishes,
)

SUBJECTS = test_hours, test_hotels, test_money, test_places, test_trains, test_ways, test_wishes
CASES = [(code, found) for subject in SUBJECTS for code, _, found in subject.CASES]


def test_every_constraint_has_a_case_inside_and_a_case_outside() -> None:
    codes = {constraint.code for constraint in CONSTRAINTS}
    assert {code for code, found in CASES if found} == codes
    assert {code for code, found in CASES if not found} == codes
