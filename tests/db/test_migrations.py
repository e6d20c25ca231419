"""Migrations lead from nothing to exactly the models, in one line of dated files."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import make_url

from backend.db import migrate
from backend.errors import ConfigurationError, UnavailableError
from backend.settings import find_data
from tests.database import run_sql


def test_file_names_are_dates_so_that_the_folder_reads_as_history() -> None:
    files = [path.name for path in find_data("migrations").glob("*.py")]
    assert files
    for name in files:
        assert re.fullmatch(r"\d{8}_\d{4}_\w+\.py", name)


def test_there_is_one_head_and_the_files_stand_in_the_order_of_the_history() -> None:
    script = ScriptDirectory.from_config(migrate._make_config())
    assert script.get_heads() == [migrate.head_revision()]
    history = [Path(revision.path).name for revision in script.walk_revisions()]
    assert history[::-1] == sorted(history)


def test_each_migration_says_what_it_does_to_older_processes() -> None:
    """From the one on that writes this down; what was before them, no running process needs."""
    script = ScriptDirectory.from_config(migrate._make_config())
    later = [found for found in script.walk_revisions() if found.revision >= "20261130_2335"]
    assert later
    for found in later:
        assert getattr(found.module, "PHASE", None) in ("expand", "contract"), found.path


@pytest.mark.sql
def test_models_and_migrations_say_the_same(database_url: str) -> None:
    with migrate._connect(database_url) as connection:
        command.check(migrate._make_config(connection))


@pytest.mark.sql
def test_an_upgrade_starts_from_nothing_and_may_be_repeated(empty_database_url: str) -> None:
    assert migrate.read_revision(empty_database_url) is None
    for _ in range(2):
        migrate.upgrade(empty_database_url)
        assert migrate.read_revision(empty_database_url) == migrate.head_revision()


@pytest.mark.sql
def test_two_upgrades_at_once_wait_for_each_other(empty_database_url: str) -> None:
    with ThreadPoolExecutor() as pool:
        list(pool.map(migrate.upgrade, [empty_database_url] * 3))
    assert migrate.read_revision(empty_database_url) == migrate.head_revision()


@pytest.mark.sql
def test_a_database_of_a_newer_version_is_named_as_such(database_url: str) -> None:
    run_sql(database_url, "update alembic_version set version_num = '29990101_0000'")
    with pytest.raises(ConfigurationError, match=r"29990101_0000.*newer"):
        migrate.upgrade(database_url)


@pytest.mark.sql
def test_a_failing_migration_is_one_error(empty_database_url: str) -> None:
    run_sql(empty_database_url, "create table city (id int)")
    with pytest.raises(UnavailableError, match="city"):
        migrate.upgrade(empty_database_url)


def test_a_database_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="does not answer"):
        migrate.upgrade(f"postgresql:///waypool?host={tmp_path}")


def test_a_server_that_is_too_old_is_refused() -> None:
    migrate.refuse_unfit(15, "UTF8")
    with pytest.raises(ConfigurationError, match="PostgreSQL 14: Waypool needs 15"):
        migrate.refuse_unfit(14, "UTF8")


@pytest.mark.sql
def test_a_database_without_all_scripts_is_refused(server_url: str) -> None:
    settings = "template template0 encoding 'LATIN1' locale_provider libc locale 'C'"
    run_sql(server_url, f"create database latin {settings}")
    try:
        url = make_url(server_url).set(database="latin").render_as_string(hide_password=False)
        with pytest.raises(ConfigurationError, match="LATIN1"):
            migrate.upgrade(url)
    finally:
        run_sql(server_url, "drop database latin")


@pytest.mark.sql
def test_a_draft_is_named_by_its_date_and_follows_the_head(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(find_data("migrations"), tmp_path, dirs_exist_ok=True)
    head = migrate.head_revision()
    monkeypatch.setattr(migrate, "find_data", lambda _: tmp_path)
    draft = migrate.draft_revision(database_url, "Say nothing new")
    assert re.fullmatch(r"\d{8}_\d{4}_say_nothing_new\.py", draft.name)
    assert f"down_revision = {head!r}" in draft.read_text()
    migrate.upgrade(database_url)
    assert migrate.read_revision(database_url) == draft.name[:13]
