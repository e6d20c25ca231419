"""No constraint is without a case on each side of its limit."""

from backend.planner.check.validator import CONSTRAINTS
from tests.planner.constraints import (
    test_hotels,
    test_hours,
    test_money,
    test_places,
    test_trains,
    test_ways,
)

SUBJECTS = test_hours, test_hotels, test_money, test_places, test_trains, test_ways
CASES = [(code, found) for subject in SUBJECTS for code, _, found in subject.CASES]


def test_every_constraint_has_a_case_inside_and_a_case_outside() -> None:
    codes = {constraint.code for constraint in CONSTRAINTS}
    assert {code for code, found in CASES if found} == codes
    assert {code for code, found in CASES if not found} == codes
