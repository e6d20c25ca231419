"""The database that the settings ask for: the given one, else our own."""

from collections.abc import Iterator
from contextlib import contextmanager

from backend.db.embedded import start_embedded
from backend.db.ending import end_in_order
from backend.db.postmaster import read_address
from backend.db.session import parse_url
from backend.settings import Settings


def is_at_hand(settings: Settings) -> bool:
    """Whether opening starts nothing: a database is given, or a process keeps our own running."""
    if settings.database_url is not None:
        return True
    address = read_address(settings.embedded_data)
    return address is not None and address.is_answering()


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """The `postgresql://` address, for SQLAlchemy and libpq, of a database that stays up meanwhile.

    Our own is held to the end of the block, also where SIGTERM or SIGHUP ends the process.
    """
    if settings.database_url is not None:
        given = parse_url(settings.database_url.get_secret_value())
        yield given.set(drivername="postgresql").render_as_string(hide_password=False)
        return
    with end_in_order(), start_embedded(settings.embedded_data) as server:
        yield server.url
