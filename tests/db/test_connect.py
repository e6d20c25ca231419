"""The address is the given one where there is one, else that of our own server."""

import os
import shutil
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from backend.db.connect import list_variables, open_database
from backend.errors import ConfigurationError
from backend.settings import Settings
from tests.database import run_sql


def make_settings(url: str | None, home: Path) -> Settings:
    return Settings(database_url=None if url is None else SecretStr(url), home=home)


@pytest.mark.parametrize("driver", ["postgresql", "postgresql+psycopg", "postgres"])
def test_a_given_address_is_used_without_any_server_of_ours(driver: str, tmp_path: Path) -> None:
    settings = make_settings(f"{driver}://me:se%40cret@db.example:5433/trips", tmp_path)
    with open_database(settings) as url:
        assert url == "postgresql://me:se%40cret@db.example:5433/trips?client_encoding=utf8"
    assert not settings.embedded_data.exists()


@pytest.mark.parametrize("url", ["mysql://db.example/trips", "no address"])
def test_a_given_address_of_another_kind_is_refused(url: str, tmp_path: Path) -> None:
    opened = open_database(make_settings(url, tmp_path))
    with pytest.raises(ConfigurationError, match="WAYPOOL_DATABASE_URL"):
        opened.__enter__()


@pytest.mark.sql
def test_without_an_address_our_own_server_runs_meanwhile(tmp_path: Path) -> None:
    settings = make_settings(None, tmp_path)
    with open_database(settings) as url:
        run_sql(url, "create table mark (word text)")
    shutil.rmtree(settings.embedded_data)


BREAKING = {
    "PGHOST": "db.example",
    "PGHOSTADDR": "192.0.2.1",
    "PGPORT": "1",
    "PGUSER": "nobody",
    "PGDATABASE": "none",
    "PGPASSFILE": "/nowhere",
    "PGSERVICE": "none",
    "PGSERVICEFILE": "/nowhere",
    "PGSSLMODE": "verify-full",
    "PGSSLROOTCERT": "/nowhere",
    "PGOPTIONS": "-c search_path=none",
    "PGTARGETSESSIONATTRS": "standby",
    "PGCLIENTENCODING": "SQL_ASCII",
    "PGDATESTYLE": "German",
    "PGTZ": "Asia/Tokyo",
    "PGGEQO": "off",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGGSSENCMODE": "require",
    "PGCONNECT_TIMEOUT": "x",
}
SHOWN = ("client_encoding", "datestyle", "timezone", "geqo", "search_path")


def show(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        rows = [connection.execute(f"show {name}").fetchone() for name in SHOWN]
    return [row[0] for row in rows if row]


@pytest.mark.sql
def test_our_own_server_is_reached_whatever_the_shell_has_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings(None, tmp_path)
    with open_database(settings) as url:
        usual = show(url)
    for name in list_variables():
        monkeypatch.setenv(name, BREAKING.get(name, "none"))
    with open_database(settings) as url:
        assert show(url) == usual
    assert os.getenv("PGHOST") == "db.example"
    shutil.rmtree(settings.embedded_data)


@pytest.mark.sql
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PGCLIENTENCODING", "SQL_ASCII"),
        ("PGCLIENTENCODING", "LATIN1"),
        ("PGDATESTYLE", "German"),
        ("PGTZ", "Asia/Tokyo"),
        ("PGGEQO", "off"),
    ],
)
def test_a_given_database_answers_in_the_same_form_whatever_the_shell_has_set(
    name: str, value: str, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings(database_url, tmp_path)
    with open_database(settings) as url:
        usual = show(url)
    monkeypatch.setenv(name, value)
    with open_database(settings) as url:
        assert show(url) == usual


@pytest.mark.sql
def test_what_adds_to_a_given_address_still_counts(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c work_mem=7MB")
    with open_database(make_settings(database_url, tmp_path)) as url, psycopg.connect(url) as c:
        assert c.execute("show work_mem").fetchone() == ("7MB",)
