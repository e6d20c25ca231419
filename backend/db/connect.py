"""The database that the settings ask for: the given one, else our own."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from backend.db.embedded import start_embedded
from backend.db.session import parse_url
from backend.settings import Settings


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """The `postgresql://` address, for SQLAlchemy and libpq, of a database that stays up meanwhile.

    Our own is held to the end of the block, also where SIGTERM or SIGHUP ends the process.
    """
    if settings.database_url is not None:
        given = parse_url(settings.database_url.get_secret_value())
        yield given.set(drivername="postgresql").render_as_string(hide_password=False)
        return
    with _ending_in_order(), start_embedded(settings.embedded_data) as server:
        yield server.url


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Leave blocks on the way out where a signal would end the process on the spot.

    uvicorn raises the signal again when it has shut down, so that its caller dies of it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught = [s for s in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(s) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
