"""Official days off by country, which `PH` in opening hours means.

China publishes them year by year with make-up workdays; beyond the last published year nothing
is known, and callers must say so instead of guessing.
"""

import datetime as dt
from functools import cache

import chinese_calendar
import holidays


@cache
def is_day_off(country: str, day: dt.date) -> bool | None:
    """Whether `day` is an official day off; None beyond the calendar of that country.

    A plain weekend is none, a weekend inside a holiday is one, a make-up workday is none.
    """
    if country == "CN":
        try:
            is_off, name = chinese_calendar.get_holiday_detail(day)
        except NotImplementedError:
            return None
        return bool(is_off and name is not None)
    if country not in holidays.list_supported_countries(include_aliases=False):
        return None
    calendar = holidays.country_holidays(country, years=day.year)
    return day in calendar if calendar else None


def list_days_off(country: str, first: dt.date, last: dt.date) -> tuple[list[dt.date], bool]:
    """Days off from `first` to `last`, both included, and whether all those days are known."""
    days = [first + dt.timedelta(n) for n in range((last - first).days + 1)]
    verdicts = [is_day_off(country, day) for day in days]
    return [d for d, off in zip(days, verdicts, strict=True) if off], None not in verdicts
