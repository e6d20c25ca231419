"""Exports say by which planner they were made, so a change of the planner must raise its number."""

import pytest

from tests.replay.planner_revision import compute_digests, list_numbers, read_stored

ADVICE = (
    "{name} in backend/runs/log/steps.py stands for another behaviour: the same pools give other"
    " outcomes, plans or fields now. If that is meant, run"
    " `.venv/bin/python -m tests.replay.planner_revision`, which raises the number, and commit what"
    " it writes. If it is not meant, your change did more than it should."
)


@pytest.fixture(scope="module")
def digests() -> dict[str, object]:
    return compute_digests()


def test_a_changed_planner_has_a_new_number(digests: dict[str, object]) -> None:
    stored = read_stored()
    for name, number, part in list_numbers():
        is_same = (stored[part], stored[name]) == (digests[part], number)
        assert is_same, ADVICE.format(name=name)
