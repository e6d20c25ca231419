"""What lies at the top level of the repository is there for a reason."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

KNOWN = frozenset(
    {
        "Dockerfile",
        "README.md",
        "backend",
        "docker-compose.yml",
        "migrations",
        "pyproject.toml",
        "requirements.lock",
        "seed_data",
        "tests",
    }
)
"""Beside names that begin with a dot."""


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout: nothing is tracked")
def test_nothing_else_is_tracked_at_the_top_level() -> None:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = {path.split("/")[0] for path in listed.split("\0") if path}
    assert "tests" in names
    unknown = sorted(name for name in names - KNOWN if not name.startswith("."))
    assert not unknown, f"at the top level, and not on the list in {Path(__file__).name}: {unknown}"
    assert names >= KNOWN
