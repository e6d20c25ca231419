"""The bench of replays at a small size: made in a database, verified where there is none."""

import asyncio
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from backend.bench.replays.report import describe_replays
from backend.cli import run
from backend.replay.export import read_export
from backend.replay.verify import verify
from tests.replay.runs import change


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")


@pytest.fixture(scope="module")
def report(server_url: str, folder: Path) -> dict[str, Any]:
    """What the command prints; one installation serves all tests."""
    out = io.StringIO()
    line = ["bench", "replay", "--runs", "1", "--scripted", "2", "--keep", str(folder), "--json"]
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setenv("WAYPOOL_DATABASE_URL", server_url)
        assert run(line) == 0
    return dict(json.loads(out.getvalue()))


@pytest.mark.sql
def test_runs_with_all_that_is_hard_come_out_again_elsewhere(report: dict[str, Any]) -> None:
    assert (report["builtin"], report["scripted"], report["runs"]) == (1, 2, 3)
    assert report["same"] == report["verifications"] == 6
    assert report["differences"] == []
    assert len(report["places"]) == 4
    for hard in ("faults", "repeats", "handles", "limit_changes", "fallbacks", "recorded"):
        assert report[hard] > 0, hard
    assert any("byte for byte" in line for line in describe_replays(report))


@pytest.mark.sql
def test_a_changed_answer_behind_a_handle_is_found(report: dict[str, Any], folder: Path) -> None:
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.json")))
    exports = [read_export(json.loads(text)) for text in texts]
    export = next(export for export in exports if export.results)
    handle = next(iter(export.results))
    path = f"/results/{handle}/content"
    found = asyncio.run(verify(change(export, path, "[]")))
    assert found.difference is not None
    assert (found.check, found.difference.path) == ("hashes", path)
