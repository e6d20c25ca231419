"""Logging: one line an event on standard error, never with a request's or result's content."""

import logging


def set_up_logging(level: str) -> None:
    """Log Waypool's own events from `level` on; libraries only from warnings on."""
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("backend").setLevel(level.upper())
