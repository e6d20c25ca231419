"""A PostgreSQL 15 from Debian's package `postgresql-15`, for the tests that CI runs once more."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEBIAN = Path("/usr/lib/postgresql/15/bin")


def find_program(name: str) -> str:
    """Path of one of its programs, on the path or where Debian puts it."""
    found = shutil.which(name) or shutil.which(name, path=str(DEBIAN))
    if found is None:
        raise RuntimeError(f"{name} is missing: install Debian's package postgresql-15")
    return found


def as_server_user(command: list[str]) -> list[str]:
    """The command as the user that may run a server: root may not."""
    if os.geteuid() != 0:
        return command
    user = pwd.getpwnam("postgres")
    ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return ["setpriv", *ids, *command]


@contextmanager
def start_pg15() -> Iterator[str]:
    """Address of a fresh server, as its administrator; nothing is left of it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="waypool-pg15-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    initdb = [find_program("initdb"), "-D", str(data), "-U", "waypool", "-A", "trust", "-E", "UTF8"]
    run(initdb)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -k {folder}"
    pg_ctl = [find_program("pg_ctl"), "-D", str(data), "-w"]
    run([*pg_ctl, "-l", str(folder / "log"), "-o", options, "start"])
    try:
        yield f"postgresql://waypool@127.0.0.1:{port}/postgres"
    finally:
        run([*pg_ctl, "-m", "immediate", "stop"])
        shutil.rmtree(folder)


def run(command: list[str]) -> None:
    """Run one of its programs to the end."""
    subprocess.run(
        as_server_user(command), check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=60
    )
