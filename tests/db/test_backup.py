"""A backup restores to the same rows; nothing is ever half written; what cannot be restored is named."""

import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from backend.bootstrap import list_tables, prepare_database
from backend.db.backup import MANIFEST, Maker, restore_backup, write_backup
from backend.db.migrate import head_revision, read_revision, upgrade
from backend.errors import ConfigurationError, ConflictError
from tests.database import make_database, run_sql

pytestmark = pytest.mark.sql
KNOWN = list_tables()
MAKER = Maker("1.0", "2026-11-30T00:00:00Z", KNOWN)


def ignore(_done: int, _total: int) -> None:
    """Nobody looks at the progress."""


def read_all(url: str) -> dict[str, list[str]]:
    """Every row of every table as text, in the order of the text, and where sequences stand."""
    found = {}
    with psycopg.connect(url) as connection:
        names = connection.execute(
            "select relname, relkind from pg_class where relkind in ('r', 'S')"
            " and relnamespace = 'public'::regnamespace order by 1"
        ).fetchall()
        for name, kind in names:
            what = sql.SQL(
                't::text collate "C"'
                if kind in ("r", b"r")
                else "(last_value || ' ' || is_called)::text"
            )
            query = sql.SQL("select {} as row from {} t order by 1")
            rows = connection.execute(query.format(what, sql.Identifier(name))).fetchall()
            found[name] = [row[0] for row in rows]
    return found


def read_triggers(url: str) -> list[tuple[str, str]]:
    with psycopg.connect(url) as connection:
        query = "select tgname, tgenabled::text from pg_trigger where not tgisinternal order by 1"
        return connection.execute(query).fetchall()


@pytest.fixture
def full_url(seeded_url: str) -> str:
    """The seed catalogue, a key, a job of the queue, and a sequence that is ahead of its rows."""
    run_sql(
        seeded_url,
        "insert into api_key (id, tenant, label, scopes, secret_sha256, created_at)"
        " values ('key_1', 't', '标签 \\ \t \"', '{user}', sha256('x'), now())",
        "insert into procrastinate_jobs (task_name, queue_name, args)"
        " values ('advance', 'runs', '{\"run_id\": \"run_1\"}'), ('b', 'runs', '{}')",
        "delete from procrastinate_jobs where task_name = 'b'",
    )
    return seeded_url


def test_a_restored_database_holds_the_same_rows(
    full_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "all.zip"
    written = write_backup(full_url, file, MAKER, ignore)
    before = read_all(full_url)
    assert written.rows == sum(table.rows for table in written.tables) > 5000
    assert file.stat().st_mode & 0o777 == 0o600
    restored = restore_backup(empty_database_url, file, KNOWN, ignore, replaces=False)
    assert restored == written
    assert read_all(empty_database_url) == before
    assert read_triggers(empty_database_url) == read_triggers(full_url)
    prepare_database(empty_database_url)
    assert read_all(empty_database_url) == before
    assert os.listdir(tmp_path) == ["all.zip"]


def test_a_backup_that_is_made_again_holds_the_same_bytes(full_url: str, tmp_path: Path) -> None:
    tables = []
    for name in ("one.zip", "other.zip"):
        write_backup(full_url, tmp_path / name, MAKER, ignore)
        with zipfile.ZipFile(tmp_path / name) as archive:
            tables.append({n: archive.read(n) for n in archive.namelist() if n != MANIFEST})
    assert tables[0] == tables[1]


def test_an_older_backup_is_brought_to_this_version(
    server_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    older = "20261130_0540"
    run_sql(empty_database_url, "create table theirs (id int)", "insert into theirs values (1)")
    with make_database(server_url) as url:
        upgrade(url, older)
        assert read_revision(url) == older
        run_sql(
            url,
            "insert into city values ('x', '城', 'X', 'CN', 30, 120, 'Asia/Shanghai', '{walk}')",
        )
        write_backup(url, tmp_path / "old.zip", MAKER, ignore)
    restore_backup(empty_database_url, tmp_path / "old.zip", KNOWN, ignore, replaces=False)
    assert read_revision(empty_database_url) == older
    prepare_database(empty_database_url)
    assert read_revision(empty_database_url) == head_revision()
    found = read_all(empty_database_url)
    assert len(found["city"]) == 1
    assert found["theirs"] == ["(1)"]


def test_a_database_that_is_not_empty_is_replaced_only_when_asked(
    full_url: str, seeded_url: str, database_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "all.zip"
    write_backup(full_url, file, MAKER, ignore)
    whole = read_all(full_url)
    prepare_database(database_url)  # rows of every installation are no rows of anybody's
    restore_backup(database_url, file, KNOWN, ignore, replaces=False)
    assert read_all(database_url) == whole
    run_sql(database_url, "delete from api_key", "update city set name = 'other'")
    changed = read_all(database_url)
    with pytest.raises(
        ConflictError, match=r"not empty \(its table \w+ has rows\): give --replace"
    ):
        restore_backup(database_url, file, KNOWN, ignore, replaces=False)
    assert read_all(database_url) == changed
    restore_backup(database_url, file, KNOWN, ignore, replaces=True)
    assert read_all(database_url) == whole


def damage_middle(file: Path) -> None:
    data = bytearray(file.read_bytes())
    middle = len(data) // 3
    data[middle : middle + 50] = bytes(50)
    file.write_bytes(data)


def rewrite(file: Path, leave_out: str | None, manifest: dict[str, object]) -> None:
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name != leave_out}
    parts[MANIFEST] = json.dumps({**json.loads(parts[MANIFEST]), **manifest}).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "empty": lambda file: file.write_bytes(b""),
    "foreign": lambda file: file.write_text("PGDMP"),
    "another zip": lambda file: zipfile.ZipFile(file, "w").close(),
    "flipped": damage_middle,
    "newer": lambda file: rewrite(file, None, {"revision": "29990101_0000"}),
    "another format": lambda file: rewrite(file, None, {"format": "waypool-backup-9"}),
    "lacks a table": lambda file: rewrite(file, "tables/place", {}),
    "missing": lambda file: file.unlink(),
}
SAID = {
    "cut": "no backup of Waypool, or a part of one",
    "empty": "no backup of Waypool, or a part of one",
    "foreign": "no backup of Waypool, or a part of one",
    "another zip": "but no backup of Waypool",
    "flipped": "is damaged: tables/",
    "newer": "of a newer Waypool; upgrade this installation",
    "another format": "cannot be read by this version: format",
    "lacks a table": "it lacks tables/place",
    "missing": "No such file",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_no_whole_backup_is_named_and_changes_nothing(
    damage: str, full_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "all.zip"
    write_backup(full_url, file, MAKER, ignore)
    before = read_all(full_url)
    DAMAGES[damage](file)
    with pytest.raises(ConfigurationError, match=SAID[damage]):
        restore_backup(full_url, file, KNOWN, ignore, replaces=True)
    assert read_all(full_url) == before


def test_rows_that_do_not_fit_change_nothing(full_url: str, tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    write_backup(full_url, file, MAKER, ignore)
    before = read_all(full_url)
    rewrite(file, "tables/city", {})
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("tables/city", "")
    with pytest.raises(Exception, match=r"damaged|refuses"):
        restore_backup(full_url, file, KNOWN, ignore, replaces=True)
    assert read_all(full_url) == before


def start(url: str, *line: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "WAYPOOL_DATABASE_URL": url}  # noqa: TID251 - a child's
    command = [sys.executable, "-m", "backend.cli", *map(str, line)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_backup_that_is_ended_leaves_no_file(
    number: signal.Signals, full_url: str, tmp_path: Path
) -> None:
    target = tmp_path / "all.zip"
    with psycopg.connect(full_url) as other:  # it waits for this table in the middle of its work
        other.execute("lock table place in access exclusive mode")
        process = start(full_url, "backup", target)
        while not list(tmp_path.iterdir()):
            assert process.poll() is None, process.communicate()
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode in (130, 143, -9)
    assert "Traceback" not in said
    assert not target.exists()
    left = list(tmp_path.iterdir())
    assert not left or number == signal.SIGKILL


def test_a_full_disk_leaves_no_file(full_url: str) -> None:
    full = Path("/dev/full-of-waypool")
    with pytest.raises(ConfigurationError, match="cannot use"):
        write_backup(full_url, full / "all.zip", MAKER, ignore)
    assert not full.exists()


def test_the_commands_say_what_they_did(
    full_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    target = tmp_path / "all.zip"
    process = start(full_url, "backup", target, "--json")
    out, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    made = json.loads(out)
    assert made["bytes"] == target.stat().st_size
    process = start(empty_database_url, "restore", target, "--json")
    out, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert json.loads(out)["rows"] == made["rows"]
    process = start(empty_database_url, "restore", target, "--json")
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert json.loads(out)["error"]["code"] == "CONFLICT"
