"""`waypool bench loop` against a double in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.cli import run
from tests.flows.conftest import REQUEST

pytestmark = pytest.mark.sql

ROOT = Path(__file__).parents[2]


@pytest.fixture
def double() -> Iterator[str]:
    """The address of a double that sends one unknown call beside the others in each turn."""
    command = [sys.executable, "-m", "backend.cli", "mock-llm", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--scenario", "one-bad-of-several"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield process.stdout.readline().split()[2]
    process.terminate()
    process.communicate(timeout=60)


def test_a_configured_model_is_measured(
    double: str,
    seeded_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps(REQUEST | {"days": 1, "origin": None}), encoding="utf-8")
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    monkeypatch.setenv("WAYPOOL_MODEL", "double")
    monkeypatch.setenv("OPENAI_BASE_URL", double)
    assert run(["bench", "loop", "--request", str(request), "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)["items"]
    assert (item["model"], item["planner_used"], item["is_sound"]) == ("double", "openai", True)
    # The last turn ends with the submission: its second call is not made any more.
    assert item["turns"] - 1 <= item["invalid_calls"] <= item["turns"]
    assert item["input_tokens"] > item["cached_tokens"] > 0
    assert run(["bench", "loop", "--request", str(request), "--model", "dubble"]) == 1
    assert "near: double" in capsys.readouterr().err
