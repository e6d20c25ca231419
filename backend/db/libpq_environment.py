"""Keeps the PG… variables of the user's shell away from Waypool's connections.

libpq reads some forty of them by itself. They are meant for `psql`, and a shell that has them set
for another database would send Waypool there, or change what texts and times look like.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg.pq import Conninfo

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
