"""The only place that reads the wall clock; everything else gets the time as a value."""

import datetime as dt


def read_utc() -> dt.datetime:
    """The present moment, aware, in UTC."""
    return dt.datetime.now(dt.UTC)  # noqa: TID251 - this is the clock
