"""How hypothesis plays random inputs: one profile for every test, whatever machine it runs on.

Hypothesis has a profile of its own for machines where `CI` is set: it plays the same inputs each
time. Then a fault that other inputs show stays hidden there and meets the first user, so this
profile replaces it everywhere.
"""

import os

from hypothesis import settings

FACTOR = int(os.environ.get("WAYPOOL_TEST_EXAMPLES", "1"))  # noqa: TID251 - of tests, no setting
"""How many times as many inputs as usual each test is given."""


def count_examples(usual: int) -> int:
    """For `max_examples` of a test that needs another number than the profile's 100."""
    return usual * FACTOR


def load_profile() -> None:
    """No time limit for one input (it depends on the machine's load), new inputs in each run."""
    settings.register_profile(
        "waypool",
        deadline=None,
        derandomize=False,
        max_examples=count_examples(100),
        print_blob=True,
    )
    settings.load_profile("waypool")
