"""Whom the embedded PostgreSQL runs as, and its programs where that user can read them.

PostgreSQL refuses to run as root. Then it runs as a user of its own, from a copy of the programs:
the originals may lie below a folder that only root may read, and its rights are not ours to change.
"""

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.db.file_lock import hold_lock
from backend.errors import ConfigurationError

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
