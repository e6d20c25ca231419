"""Locks between processes that the kernel drops with their holder, so a killed process leaves none.

They are bound to an open file, not to a process: two holders in one process exclude each other,
and what a child inherits keeps the parent's hold alive.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from backend.errors import UnavailableError


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
