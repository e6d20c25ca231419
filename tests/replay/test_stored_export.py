"""An export of the first version, kept: later code reads it, and it says the same everywhere."""

import json
import subprocess
import sys
from pathlib import Path

from backend.replay.export import read_export
from backend.replay.verify import verify

FILE = Path(__file__).parent / "exports" / "version_1.json"


async def test_it_is_read_and_its_hashes_and_its_pool_hold() -> None:
    export = read_export(json.loads(FILE.read_text(encoding="utf-8")))
    assert export.stages[-1].stop == "submitted"
    # What tools answer may have been improved since; hashes and rules may not have changed.
    verification = await verify(export)
    assert verification.verified == "other_version"
    assert verification.check in {"calls", "result", "all"}


def replay(zone: str, seed: str) -> str:
    """What the command prints, without a database, and without a home to start one in."""
    environment = {"TZ": zone, "PYTHONHASHSEED": seed, "HOME": "/nonexistent"}
    line = [sys.executable, "-m", "backend.cli", "replay", str(FILE), "--json"]
    folder = Path(__file__).parents[2]
    return subprocess.run(
        line, env=environment, cwd=folder, capture_output=True, text=True, check=False
    ).stdout


def test_a_replay_says_the_same_in_every_zone_and_with_every_hash_seed() -> None:
    usual = replay("UTC", "0")
    assert json.loads(usual)["run_id"]
    assert replay("Pacific/Kiritimati", "1") == usual
    assert replay("America/Adak", "77") == usual
