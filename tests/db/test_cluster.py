"""What PostgreSQL's programs complain of becomes one line that says what to do."""

import os
from pathlib import Path

import pytest

from backend.db.cluster import Cluster, ServerAccount
from backend.errors import ConfigurationError, UnavailableError, WaypoolError

FULL = 'could not write to file "pg_wal/xlogtemp.31": No space left on device'
SHARED = "FATAL:  could not resize shared memory segment: No space left on device"


def make_cluster(tmp_path: Path, program: str, script: str) -> Cluster:
    """A folder with a program that does what the script says."""
    data, programs = tmp_path / "data", tmp_path / "programs"
    for folder in (data, programs):
        folder.mkdir()
    path = programs / program
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return Cluster(data, programs, ServerAccount(os.geteuid(), os.getegid(), switch=False))


@pytest.mark.parametrize(
    ("complaint", "says"),
    [
        (f"creating files ... initdb: error: {FULL}", "the disk that holds .* is full"),
        (SHARED, "shared memory"),
        ("pg_ctl: something\nFATAL:  lock file is odd\nHINT:  look", "FATAL:  lock file is odd"),
        ("", "initdb ended with 1"),
    ],
)
def test_a_first_start_that_fails_says_why(tmp_path: Path, complaint: str, says: str) -> None:
    cluster = make_cluster(tmp_path, "initdb", f"cat >&2 <<'X'\n{complaint}\nX\nexit 1")
    with pytest.raises(UnavailableError, match=says):
        cluster.initialise()
    (cluster.programs / "initdb").write_text("#!/bin/sh\ntouch PG_VERSION base\n")
    cluster.initialise()
    assert {path.name for path in cluster.data.iterdir()} == {"PG_VERSION", "base"}


def test_a_start_that_fails_says_what_its_log_says(tmp_path: Path) -> None:
    cluster = make_cluster(tmp_path, "pg_ctl", f"echo 'FATAL:  {FULL}' >>log; exit 1")
    (cluster.data / "log").write_text("FATAL:  of an earlier start\n")
    with pytest.raises(UnavailableError, match="is full"):
        cluster.start()


def test_a_log_that_has_grown_large_makes_place(tmp_path: Path) -> None:
    cluster = make_cluster(tmp_path, "pg_ctl", "exit 1")
    with (cluster.data / "log").open("wb") as log:
        log.truncate(6_000_000)
    with pytest.raises(WaypoolError, match="pg_ctl ended with 1"):
        cluster.start()
    assert not (cluster.data / "log").exists()
    assert (cluster.data / "log.1").stat().st_size == 6_000_000


def test_nothing_of_our_environment_reaches_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PGPORT", "6000")
    monkeypatch.setenv("LC_ALL", "xx_YY.UTF-8")
    cluster = make_cluster(tmp_path, "initdb", "env > base; touch PG_VERSION")
    cluster.initialise()
    names = {line.partition("=")[0] for line in (cluster.data / "base").read_text().splitlines()}
    assert names <= {"PATH", "LD_LIBRARY_PATH", "LC_ALL", "TZ", "PWD", "OLDPWD", "SHLVL", "_"}
    assert "LC_ALL=C\n" in (cluster.data / "base").read_text()


def test_a_socket_folder_that_others_may_enter_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    long = tmp_path / ("d" * 120)
    long.mkdir()
    cluster = make_cluster(long, "pg_ctl", "exit 1")
    (tmp_path / f"waypool-{os.geteuid()}").mkdir(mode=0o777)
    (tmp_path / f"waypool-{os.geteuid()}").chmod(0o777)
    with pytest.raises(ConfigurationError, match=f"waypool-{os.geteuid()} is not a private folder"):
        cluster.start()
