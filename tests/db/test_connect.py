"""The address is the given one where there is one, else that of our own server."""

import shutil
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.db.connect import open_database
from backend.errors import ConfigurationError
from backend.settings import Settings
from tests.database import run_sql


def make_settings(url: str | None, home: Path) -> Settings:
    return Settings(database_url=None if url is None else SecretStr(url), home=home)


@pytest.mark.parametrize("driver", ["postgresql", "postgresql+psycopg", "postgres"])
def test_a_given_address_is_used_without_any_server_of_ours(driver: str, tmp_path: Path) -> None:
    settings = make_settings(f"{driver}://me:se%40cret@db.example:5433/trips", tmp_path)
    with open_database(settings) as url:
        assert url == "postgresql://me:se%40cret@db.example:5433/trips"
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
