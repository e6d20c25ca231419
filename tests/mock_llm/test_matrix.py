"""Every scenario with every profile ends in a sound plan, as the GUIDE's matrix says.

By default two profiles for each scenario; `-m matrix` plays the others.
"""

from typing import Any

import pytest

from backend.agent.provider_profile import PROFILES, ProviderProfile
from backend.guide.library import read_topic
from backend.mock_llm.scenario import SCENARIOS, Scenario
from tests.mock_llm.matrix import PART, play

GUIDE = read_topic("misbehaving-models", "en")


def read_rows() -> list[list[str]]:
    """The cells of the GUIDE's table, its head first."""
    part = PART.search(GUIDE)
    assert part is not None
    return [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in part[2].splitlines()
        if not line.startswith("| ---")
    ]


HEAD, *ROWS = read_rows()
CELLS = {(row[0], name): cell for row in ROWS for name, cell in zip(HEAD[2:], row[2:], strict=True)}


def list_pairs() -> list[Any]:
    pairs = []
    for number, scenario in enumerate(SCENARIOS):
        chosen = {number * 3 % len(PROFILES), (number * 3 + 4) % len(PROFILES)}
        for n, profile in enumerate(PROFILES):
            marks = () if n in chosen else (pytest.mark.matrix,)
            name = f"{scenario.name}-{profile.name}"
            pairs.append(pytest.param(scenario, profile, id=name, marks=marks))
    return pairs


def test_the_matrix_has_a_row_for_each_scenario_and_a_column_for_each_profile() -> None:
    assert HEAD[2:] == [profile.name for profile in PROFILES]
    assert [row[:2] for row in ROWS] == [[s.name, s.about] for s in SCENARIOS]


@pytest.mark.parametrize(("scenario", "profile"), list_pairs())
async def test_every_cell_ends_as_the_guide_says(
    scenario: Scenario, profile: ProviderProfile
) -> None:
    cell = await play(scenario, profile)
    assert cell.faults == ()
    assert cell.requests >= cell.run.turns
    assert cell.run.is_sound
    assert cell.text == CELLS[scenario.name, profile.name]
