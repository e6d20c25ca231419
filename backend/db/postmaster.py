"""Whether a server is alive on a data folder, and what a killed one left behind.

A server counts as alive if its socket takes a connection. The process id in `postmaster.pid` says
little: after a kill or in a new container it belongs to any other process.

Locks between processes that the kernel drops with their holder, so a killed process leaves none.

They are bound to an open file, not to a process: two holders in one process exclude each other,
and what a child inherits keeps the parent's hold alive.
"""

import fcntl
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import quote

import psutil

from backend.errors import UnavailableError

PID_FILE = "postmaster.pid"
_PROGRAMS = {"postgres", "initdb", "pg_ctl"}


@dataclass(frozen=True)
class Address:
    """Where a server listens: a Unix socket's folder, and the number in its name."""

    folder: str
    port: int

    @property
    def socket_path(self) -> str:
        """The socket itself."""
        return f"{self.folder}/.s.PGSQL.{self.port}"

    def url(self, database: str) -> str:
        """The address of one of its databases, for libpq and SQLAlchemy alike."""
        folder = quote(self.folder, safe="/")
        return f"postgresql://postgres@/{database}?host={folder}&port={self.port}"

    def is_answering(self) -> bool:
        """Whether a server is there, be it still starting or too busy to take one more."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(5)
            try:
                probe.connect(self.socket_path)
            except (BlockingIOError, TimeoutError):
                return True
            except OSError:
                return False
        return True


def read_address(data: Path) -> Address | None:
    """What the last server wrote down, alive or not; none where the file is missing or damaged."""
    try:
        lines = _read_lines(data)
        return Address(lines[4], int(lines[3]))
    except (OSError, ValueError, IndexError):
        return None


def end_leftovers(folder: Path) -> None:
    """End PostgreSQL processes that work in a folder (or in a deleted one of that name).

    Callers know that no server answers there. A deleted folder's server must go before the folder is
    filled again: it knows some files by their full names, and would write over the new ones.
    """
    left = [p for p in psutil.process_iter() if _is_postgres_in(p, folder)]
    for number, seconds in ((signal.SIGQUIT, 2), (signal.SIGKILL, 5)):
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        left = _wait_for_end(left, folder, seconds)


def _wait_for_end(
    processes: list[psutil.Process], folder: Path, seconds: float
) -> list[psutil.Process]:
    """Those that are still at work; one that nobody reaps has ended too, and psutil would wait."""
    deadline = time.monotonic() + seconds
    while (
        left := [p for p in processes if _is_postgres_in(p, folder)]
    ) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def is_ours(data: Path) -> bool:
    """Whether the process that `postmaster.pid` names is a PostgreSQL on this folder, seen from here."""
    try:
        return _is_postgres_in(psutil.Process(int(_read_lines(data)[0])), data)
    except (OSError, ValueError, psutil.Error):
        return False


def remove_traces(data: Path, address: Address | None) -> None:
    """Delete the files by which a dead server would keep a new one from starting."""
    (data / PID_FILE).unlink(missing_ok=True)
    if address is not None:
        for path in (address.socket_path, f"{address.socket_path}.lock"):
            Path(path).unlink(missing_ok=True)


def _read_lines(data: Path) -> list[str]:
    return os.fsdecode((data / PID_FILE).read_bytes()).split("\n")


def _is_postgres_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.name() in _PROGRAMS and _works_in(process, folder)
    except (psutil.Error, OSError):
        return False


def _works_in(process: psutil.Process, folder: Path) -> bool:
    """By the folder itself, not its name: in a container another folder may have the same."""
    if sys.platform != "linux":
        return folder.samefile(process.cwd())
    link = Path(f"/proc/{process.pid}/cwd")
    if folder.exists() and link.samefile(folder):
        return True
    is_deleted = os.readlink(link) == f"{folder} (deleted)"
    return is_deleted and link.stat().st_dev == folder.parent.stat().st_dev


@contextmanager
def hold_lock(path: Path, timeout: float = 300) -> Iterator[None]:
    """Hold the lock file alone; `UnavailableError` after `timeout` seconds of waiting."""
    descriptor = _open(path)
    try:
        _wait_for(descriptor, path, timeout)
        yield
    finally:
        os.close(descriptor)


class Presence:
    """One user's presence at something shared, from `join` to `leave` or to the process's end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def join(self) -> Self:
        """Be counted among the users."""
        self._descriptor = _open(self._path)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        return self

    def leave(self) -> bool:
        """Be counted no longer; true if nobody else is there. Callers hold a lock meanwhile."""
        if self._descriptor is None:
            return False
        try:
            return _is_still(self._descriptor, self._path) and _try_alone(self._descriptor)
        finally:
            os.close(self._descriptor)
            self._descriptor = None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _is_still(descriptor: int, path: Path) -> bool:
    """Whether the path leads to the open file yet; the folder may have been made anew."""
    return path.exists() and os.path.samestat(os.fstat(descriptor), path.stat())


def _try_alone(descriptor: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _wait_for(descriptor: int, path: Path, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not _try_alone(descriptor):
        if time.monotonic() > deadline:
            raise UnavailableError(
                f"another Waypool process has held {path} for {timeout:.0f} s; end it and try again"
            )
        time.sleep(0.02)
