"""Brings a database to the newest revision; any number of processes may do so at once."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

from backend.clock import read_utc
from backend.db import revision
from backend.db.session import parse_url
from backend.errors import ConfigurationError, UnavailableError
from backend.settings import find_data

OLDEST = 15
_FITNESS = ("show server_version_num", "show server_encoding")
_LOCK = 0x776179706F6F6C  # "waypool": by this number upgrades wait for each other


def upgrade(url: str, target: str = "head") -> None:
    """Apply all missing migrations; waits for another upgrade of this database."""
    with hold_connection(url) as connection, _explained():
        command.upgrade(_make_config(connection), target)


def build_schema(connection: Connection, target: str) -> None:
    """Make the tables of a revision in the caller's own transaction, which stays open."""
    if target not in {script.revision for script in _list_scripts()}:
        raise ConfigurationError(
            f"revision {target} is unknown here: it is of a newer Waypool; upgrade this installation"
        )
    config = _make_config(connection)
    config.attributes["is_one_transaction"] = True
    with _explained():
        command.upgrade(config, target)


@dataclass(frozen=True)
class Server:
    """What a database server says of itself."""

    version: int
    encoding: str
    time: dt.datetime


def inspect_server(url: str) -> Server:
    """The server's major version, the database's encoding, and the server's clock."""
    with _connect(url) as connection:
        version, encoding = (connection.scalar(text(show)) for show in _FITNESS)
        return Server(int(version) // 10_000, encoding, connection.scalar(text("select now()")))


def refuse_unfit(version: int, encoding: str) -> None:
    """Raise `ConfigurationError` for a server that is too old or a database without all scripts."""
    if version < OLDEST:
        raise ConfigurationError(
            f"the database is PostgreSQL {version}: Waypool needs {OLDEST} or newer"
        )
    if encoding != "UTF8":
        raise ConfigurationError(
            f"the database is encoded as {encoding}: make one with encoding 'UTF8' for Waypool"
        )


def read_revision(url: str) -> str | None:
    """The revision that the database is at; none before the first upgrade."""
    with _connect(url) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def is_served(url: str) -> bool:
    """Whether this version can work on the database as it is, be it of a newer version."""
    with _connect(url) as connection:
        if MigrationContext.configure(connection).get_current_revision() is None:
            return False
        return revision.read_revision(connection).serves(head_revision())


@dataclass(frozen=True)
class Step:
    """A migration that has not run yet: what it does, and whether older processes may go on."""

    revision: str
    what: str
    phase: str

    def as_json(self) -> dict[str, str]:
        """JSON values."""
        return asdict(self)


def plan_upgrade(url: str) -> list[Step]:
    """The migrations that `upgrade` would run, in their order."""
    with _connect(url) as connection, _explained():
        current = MigrationContext.configure(connection).get_current_revision()
        scripts = ScriptDirectory.from_config(_make_config())
        missing = list(scripts.iterate_revisions("head", current or "base"))
    return [
        Step(
            script.revision,
            (script.doc or "").strip().splitlines()[0],
            getattr(script.module, "PHASE", "contract"),
        )
        for script in reversed(missing)
    ]


def head_revision() -> str:
    """The revision that this code needs."""
    head = ScriptDirectory.from_config(_make_config()).get_current_head()
    if head is None:
        raise ConfigurationError("this installation has no migrations")
    return head


def _list_scripts() -> list[Script]:
    return list(ScriptDirectory.from_config(_make_config()).walk_revisions())


def draft_revision(url: str, message: str) -> Path:
    """Write the migration from a database at the newest revision to the models, to be edited."""
    revision = read_utc().strftime("%Y%m%d_%H%M")
    with _connect(url) as connection:
        script = command.revision(
            _make_config(connection), message, autogenerate=True, rev_id=revision
        )
    assert script is not None
    assert not isinstance(script, list)
    return Path(script.path)


@contextmanager
def hold_connection(url: str) -> Iterator[Connection]:
    """A connection to a fit server, while no upgrade of this database runs."""
    with _connect(url) as connection:
        version, encoding = (connection.scalar(text(show)) for show in _FITNESS)
        refuse_unfit(int(version) // 10_000, encoding)
        connection.execute(text("select pg_advisory_lock(:lock)"), {"lock": _LOCK})
        connection.commit()  # the lock is the connection's, not the transaction's
        yield connection


def _make_config(connection: Connection | None = None) -> Config:
    folder = str(find_data("migrations"))
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", f"{folder}/env".replace("%", "%%"))
    config.set_main_option("version_locations", folder.replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    return config


@contextmanager
def _connect(url: str) -> Iterator[Connection]:
    engine = create_engine(parse_url(url), poolclass=NullPool, connect_args={"connect_timeout": 10})
    try:
        connection = engine.connect()
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise UnavailableError(f"the database does not answer: {reason}") from error
    with connection:
        yield connection


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except CommandError as error:
        raise ConfigurationError(
            f"{error}: the database is of a newer Waypool; upgrade this installation"
        ) from error
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise UnavailableError(
            f"the upgrade of the database failed, and its last step is undone: {reason}"
        ) from error
