"""One PostgreSQL data folder: fill it, start its server, stop it. Callers hold the folder's lock.

Whom the embedded PostgreSQL runs as, and its programs where that user can read them.

PostgreSQL refuses to run as root. Then it runs as a user of its own, from a copy of the programs:
the originals may lie below a folder that only root may read, and its rights are not ours to change.
"""

import os
import pwd
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from backend.db.postmaster import (
    Address,
    end_leftovers,
    hold_lock,
    is_ours,
    read_address,
    remove_traces,
)
from backend.errors import ConfigurationError, UnavailableError, WaypoolError

USER_NAME = "pgserver"
_NOT_NEEDED = {"include", "pkgconfig"}


@dataclass(frozen=True)
class ServerAccount:
    """The user that owns the data; `switch` says whether this process is another one."""

    uid: int
    gid: int
    switch: bool

    def run_as(self) -> dict[str, Any]:
        """Arguments of `subprocess.run` that make the child this user, without our groups."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}

    def own(self, folder: Path) -> None:
        """Give a folder of ours to this user; after a move to another machine all that is in it."""
        if not self.switch or folder.stat().st_uid == self.uid:
            return
        for parent, folders, files in os.walk(folder):
            for name in (*folders, *files):
                os.chown(os.path.join(parent, name), self.uid, self.gid, follow_symlinks=False)
        os.chown(folder, self.uid, self.gid)  # last: a change that was cut short starts again

    def claim(self, folder: Path) -> None:
        """Own a folder in a place that everybody may write to, unless somebody else was there."""
        status = folder.lstat()
        is_private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o077
        if not is_private or status.st_uid not in {os.geteuid(), self.uid}:
            raise ConfigurationError(f"{folder} is not a private folder of ours: remove it")
        self.own(folder)


def find_account() -> ServerAccount:
    """This process's own user, as root the user `pgserver`, made if it is missing."""
    if os.geteuid() != 0:
        return ServerAccount(os.geteuid(), os.getegid(), switch=False)
    try:
        entry = _make_user()
    except (OSError, KeyError):
        raise ConfigurationError(
            f"PostgreSQL does not run as root, and the user {USER_NAME!r} cannot be made here: make"
            " it (useradd), run Waypool as an ordinary user, or set WAYPOOL_DATABASE_URL"
        ) from None
    return ServerAccount(entry.pw_uid, entry.pw_gid, switch=True)


def _make_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(USER_NAME)
    except KeyError:
        pass
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", USER_NAME]
    # Its status is ignored: another process may have been faster, and then the user is there.
    subprocess.run(command, check=False, capture_output=True)
    return pwd.getpwnam(USER_NAME)


def copy_programs(original: Path, copy: Path) -> Path:
    """The folder of programs in a copy made once, whole or not at all.

    `original` is `<package>/<install>/bin`; the programs look for their libraries in the folder
    `<package>.libs` beside the package.
    """
    install = original.parent
    with hold_lock(copy.with_name(f".{copy.name}.lock")):
        if not copy.is_dir():
            _copy_atomically(install, copy)
    return copy / install.parent.name / install.name / original.name


def _copy_atomically(install: Path, copy: Path) -> None:
    unfinished = copy.with_name(f".{copy.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    site, package = install.parent.parent, install.parent.name
    try:
        for part in (Path(package, install.name), Path(f"{package}.libs")):
            _copy_for_everybody(site / part, unfinished / part)
        unfinished.chmod(0o755)
        (unfinished / package).chmod(0o755)
        unfinished.rename(copy)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)  # a full disk needs the space
        raise


def _copy_for_everybody(source: Path, copy: Path) -> None:
    """Copy what runs a server, so that everybody may read it, and stop at the first fault."""
    copy.mkdir(parents=True)
    copy.chmod(0o755)
    for path in source.iterdir():
        if path.name in _NOT_NEEDED or path.suffix == ".a":
            continue
        if path.is_dir():
            _copy_for_everybody(path, copy / path.name)
        else:
            shutil.copyfile(path, copy / path.name)
            (copy / path.name).chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


LOCK_FILE, USERS_FILE = ".waypool.lock", ".waypool.users"
_UNFINISHED, _LOG = ".unfinished", "log"
_KEPT = {LOCK_FILE, USERS_FILE, _LOG, "lost+found"}
_PORT = 5432  # no port is opened: it is a part of the socket's name
_SOCKET_PATH_MAX = 103  # bytes: macOS; Linux has 107
_PLAIN_PATH = re.compile(r"[\w./@+-]+")
_LOG_MAX = 5_000_000
_START_SECONDS = 300  # after a kill, all that was written since the last checkpoint is replayed
_STOP_SECONDS = 60
_TELLING = re.compile(r"FATAL|PANIC|error:|could not")


@dataclass(frozen=True)
class Cluster:
    """A data folder, the programs for it and the user that owns it."""

    data: Path
    programs: Path
    account: ServerAccount

    def initialise(self) -> None:
        """Fill the folder if it is empty; what a killed attempt left behind is cleared first."""
        if (self.data / "PG_VERSION").exists():
            return
        fresh = self.data / _UNFINISHED
        for folder in (self.data, fresh):
            end_leftovers(folder)
        self._clear()
        fresh.mkdir(mode=0o700)
        self.account.own(fresh)
        # One collation everywhere, by code point, whatever the locale of who starts first.
        locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        self._run(
            "initdb", "-D", ".", "-U", "postgres", "-A", "trust", "-E", "UTF8", *locale, cwd=fresh
        )
        for entry in sorted(fresh.iterdir(), key=lambda e: e.name == "PG_VERSION"):
            entry.rename(self.data / entry.name)  # PG_VERSION last: it says that all is there
        fresh.rmdir()

    def start(self) -> Address:
        """Where the server listens, started if none answers; it may still be recovering."""
        address = read_address(self.data)
        if address is not None and address.is_answering():
            return address
        end_leftovers(self.data)
        remove_traces(self.data, address)
        address = Address(str(self._find_socket_folder()), _PORT)
        remove_traces(self.data, address)
        self._launch(address)
        return address

    def stop(self) -> None:
        """Stop the server, if there is one that this machine's process list shows."""
        if not is_ours(self.data):
            return
        stop = ("stop", "-s", "-w", "-t", str(_STOP_SECONDS), "-m", "fast", "-D", ".")
        try:
            self._run("pg_ctl", *stop, cwd=self.data)
        except WaypoolError:
            end_leftovers(self.data)

    def _clear(self) -> None:
        unfinished = (self.data / _UNFINISHED).exists()
        for entry in self.data.iterdir():
            if entry.name in _KEPT:
                continue
            if not unfinished:
                raise ConfigurationError(
                    f"{self.data} holds {entry.name!r} but no database: move it away, or set"
                    " WAYPOOL_HOME to another folder"
                )
            if entry.name != _UNFINISHED:  # it goes last: it says that the rest is ours
                _remove(entry)
        if unfinished:
            _remove(self.data / _UNFINISHED)

    def _launch(self, address: Address) -> None:
        log = self.data / _LOG
        _rotate(log)
        before = log.stat().st_size if log.exists() else 0
        # terse: no rows in the log. The socket alone: no port for other users of the machine.
        options = f'-h "" -p {_PORT} -k {shlex.quote(address.folder)} -c log_error_verbosity=terse'
        start = ("start", "-s", "-w", "-t", str(_START_SECONDS), "-D", ".", "-l", _LOG)
        try:
            self._run("pg_ctl", *start, "-o", options, cwd=self.data)
        except WaypoolError as error:
            if address.is_answering():
                raise UnavailableError(
                    f"PostgreSQL in {self.data} is still recovering; try again in some minutes"
                ) from error
            raise self._fault(_read_from(log, before).strip() or error.message) from error

    def _find_socket_folder(self) -> Path:
        """The data folder, else (path too long or with odd characters) a short private one."""
        longest = f"{self.data}/.s.PGSQL.{_PORT}.lock"
        if len(os.fsencode(longest)) <= _SOCKET_PATH_MAX and _PLAIN_PATH.fullmatch(longest):
            return self.data
        private = Path(tempfile.gettempdir(), f"waypool-{self.account.uid}")
        folder = private / sha256(os.fsencode(self.data)).hexdigest()[:12]
        for path in (private, folder):
            path.mkdir(mode=0o700, exist_ok=True)
            self.account.claim(path)
        return folder

    def _run(self, program: str, *arguments: str, cwd: Path) -> None:
        """Run one of the programs in `cwd`, so that no path of ours ever passes through a shell."""
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            # A file, not a pipe: the server inherits it and would keep a pipe open.
            done = subprocess.run(
                [self.programs / program, *arguments],
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=_environment(),
                check=False,
                **self.account.run_as(),
            )
            if done.returncode != 0:
                output.seek(0)
                raise self._fault(
                    output.read().strip() or f"{program} ended with {done.returncode}"
                )

    def _fault(self, text: str) -> WaypoolError:
        lines = text.splitlines()
        line = next(filter(_TELLING.search, lines), lines[-1]).strip()
        if "No space left" in line and "shared memory" not in line:
            return full_disk(self.data)
        log = self.data / _LOG
        more = f" (its log: {log})" if log.exists() else ""
        return UnavailableError(f"cannot start PostgreSQL in {self.data}: {line}{more}")


def full_disk(data: Path) -> UnavailableError:
    """The error for a disk without space."""
    return UnavailableError(
        f"the disk that holds {data} is full: free some space, or set WAYPOOL_DATABASE_URL to a"
        " PostgreSQL elsewhere"
    )


def _environment() -> dict[str, str]:
    """No PG… variable, locale or secret of ours reaches the server."""
    passed_on = ("PATH", "LD_LIBRARY_PATH")
    inherited = {k: v for k, v in os.environ.items() if k in passed_on}  # noqa: TID251
    return {**inherited, "LC_ALL": "C", "TZ": "UTC"}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > _LOG_MAX:
        log.replace(log.with_name(f"{log.name}.1"))


def _read_from(log: Path, offset: int) -> str:
    if not log.exists():
        return ""
    with log.open(errors="replace") as lines:
        lines.seek(offset)
        return lines.read()
