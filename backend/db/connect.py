"""The database that the settings ask for: the given one, else our own.

Keeps the PG… variables of the user's shell away from Waypool's connections.

libpq reads some forty of them by itself. They are meant for `psql`, and a shell that has them set
for another database would send Waypool there, or change what texts and times look like.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg.pq import Conninfo

from backend.db.embedded import start_embedded
from backend.db.ending import end_in_order
from backend.db.postmaster import read_address
from backend.db.session import parse_url
from backend.settings import Settings

SESSION = frozenset({"PGCLIENTENCODING", "PGDATESTYLE", "PGTZ", "PGGEQO"})
"""They change how a session writes text and times, or its plans; Waypool needs its own choice."""

_FOLDERS = frozenset({"PGSYSCONFDIR", "PGLOCALEDIR", "PGSERVICEFILE"})


def list_variables() -> frozenset[str]:
    """Every variable that this libpq reads."""
    named = (option.envvar for option in Conninfo.get_defaults())
    return frozenset(name.decode() for name in named if name) | SESSION | _FOLDERS


@contextmanager
def hide_variables(names: frozenset[str]) -> Iterator[None]:
    """Take the variables out of this process's environment, also for its children, meanwhile."""
    environment = os.environ  # noqa: TID251 - taken away and put back, never read
    hidden = {name: environment.pop(name) for name in sorted(names) if name in environment}
    try:
        yield
    finally:
        environment.update(hidden)


def is_at_hand(settings: Settings) -> bool:
    """Whether opening starts nothing: a database is given, or a process keeps our own running."""
    if settings.database_url is not None:
        return True
    address = read_address(settings.embedded_data)
    return address is not None and address.is_answering()


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """The `postgresql://` address, for SQLAlchemy and libpq, of a database that stays up meanwhile.

    Our own is held to the end of the block, also where SIGTERM or SIGHUP ends the process, and its
    connections read no PG… variable. With a given one, those that add to its address (a password
    file, certificates, options) count; how text is encoded is always Waypool's own choice.
    """
    if settings.database_url is not None:
        given = parse_url(settings.database_url.get_secret_value())
        utf8 = given.update_query_dict({"client_encoding": "utf8"})
        with hide_variables(SESSION):
            yield utf8.set(drivername="postgresql").render_as_string(hide_password=False)
        return
    with (
        hide_variables(list_variables()),
        end_in_order(),
        start_embedded(settings.embedded_data) as server,
    ):
        yield server.url
