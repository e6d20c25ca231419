"""Two versions serve one database: an older process goes on after a newer one's migration."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from backend.cli import run
from backend.db import migrate
from backend.db.revision import Phase, Revision
from backend.settings import find_data

NEWER = "29990101_0000"
_STARTS = """
import sys
from pathlib import Path
from backend.db import migrate
if sys.argv[1]:
    migrate.find_data = lambda _: Path(sys.argv[1])
from backend.cli import run
sys.exit(run(sys.argv[2:]))
"""


def test_a_newer_revision_is_served_where_all_steps_to_it_only_add() -> None:
    phases = {
        "4": Phase("3", "expand"),
        "3": Phase("2", "expand"),
        "2": Phase("1", "contract"),
        "1": Phase(None, "expand"),
    }
    assert [Revision("4", phases).serves(needed) for needed in "4321"] == [True, True, True, False]
    assert not Revision("2", phases).serves("3")
    assert not Revision("5", phases).serves("4")
    assert not Revision(None, phases).serves("1")
    assert not Revision("a", {"a": Phase("b", "expand"), "b": Phase("a", "expand")}).serves("1")


def write_migrations(folder: Path, phase: str) -> Path:
    """Today's migrations and one more, as a newer version has them."""
    shutil.copytree(find_data("migrations"), folder)
    (folder / f"{NEWER}_more.py").write_text(
        '"""A column that nobody reads yet."""\n\n'
        "import sqlalchemy as sa\nfrom alembic import op\n\n"
        f"revision = {NEWER!r}\ndown_revision = {migrate.head_revision()!r}\nPHASE = {phase!r}\n\n\n"
        'def upgrade() -> None:\n    op.add_column("city", sa.Column("more", sa.Text()))\n',
        encoding="utf-8",
    )
    return folder


@contextmanager
def serving(url: str, migrations: Path | None) -> Iterator[httpx.Client]:
    """A real `waypool serve`, of this version or with the migrations of a newer one."""
    line = [str(migrations or ""), "serve", "--port", "0", "--no-worker"]
    process = subprocess.Popen(
        [sys.executable, "-c", _STARTS, *line],
        env={**os.environ, "WAYPOOL_DATABASE_URL": url},  # noqa: TID251 - a child's environment
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[2].removesuffix("/v1")
        transport = httpx.HTTPTransport(retries=5)
        with httpx.Client(base_url=address, timeout=60, transport=transport) as client:
            client.get("/healthz")
            yield client
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture
def upgrade_to(
    tmp_path: Path, seeded_url: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Upgrade the database as a newer version would."""

    def upgrade(phase: str) -> Path:
        folder = write_migrations(tmp_path / "newer", phase)
        with monkeypatch.context() as patch:
            patch.setattr(migrate, "find_data", lambda _: folder)
            [step] = migrate.plan_upgrade(seeded_url)
            assert (step.revision, step.phase) == (NEWER, phase)
            migrate.upgrade(seeded_url)
            assert migrate.plan_upgrade(seeded_url) == []
        return folder

    return upgrade


@pytest.mark.sql
def test_two_versions_serve_at_once(seeded_url: str, upgrade_to: Callable[[str], Path]) -> None:
    with serving(seeded_url, None) as older:
        assert older.get("/readyz").json()["revision"] == migrate.head_revision()
        newer_migrations = upgrade_to("expand")
        with serving(seeded_url, newer_migrations) as newer, serving(seeded_url, None) as restarted:
            for client in (older, newer, restarted):
                ready = client.get("/readyz")
                assert (ready.status_code, ready.json()["revision"]) == (200, NEWER)
                assert client.get("/v1/itineraries").status_code == 401


@pytest.mark.sql
def test_an_older_process_is_not_ready_after_what_it_cannot_work_on(
    seeded_url: str,
    upgrade_to: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serving(seeded_url, None) as older:
        upgrade_to("contract")
        assert older.get("/readyz").status_code == 503
        assert older.get("/healthz").status_code == 200
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    assert run(["db", "status"]) == 1
    assert "not at this version" in capsys.readouterr().err


@pytest.mark.sql
def test_a_plan_shows_what_would_run_and_runs_nothing(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", empty_database_url)
    assert run(["db", "upgrade", "--plan"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(find_data("migrations").glob("*.py")))
    assert "expand" in lines[-1] or "contract" in lines[-1]
    assert migrate.read_revision(empty_database_url) is None
    assert run(["db", "upgrade"]) == 0
    capsys.readouterr()
    assert run(["db", "upgrade", "--plan"]) == 0
    assert capsys.readouterr().out.startswith("nothing to do: at revision")
