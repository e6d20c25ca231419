"""Leaves blocks on the way out where a signal would end the process on the spot."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
TERMINATED = 128 + signal.SIGTERM
"""The status of a process that SIGTERM has ended."""


@contextmanager
def end_in_order() -> Iterator[None]:
    """Make SIGTERM and SIGHUP, where nobody else handles them, end the process by `SystemExit`.

    uvicorn needs it too: having shut down, it raises the signal again, and its caller dies of it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
