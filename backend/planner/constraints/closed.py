"""A visit lies wholly within one opening interval of its date."""

from collections.abc import Iterator, Sequence

from backend.catalogue.opening_hours import Interval
from backend.planner.check_context import CheckContext, show_time
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits outside the hours; the closed season has its own code."""
    for visited in context.visits:
        hours = context.hours_of(visited)
        fits = any(i.start <= visited.arrive and visited.leave <= i.end for i in hours.intervals)
        if hours.is_in_season and not fits:
            yield Finding(
                visited.day,
                visited.item,
                {
                    "name": context.name(visited.poi),
                    "date": visited.date.isoformat(),
                    "arrive": show_time(visited.arrive),
                    "leave": show_time(visited.leave),
                    "open": _show(context, hours.intervals),
                },
            )


def _show(context: CheckContext, intervals: Sequence[Interval]) -> str:
    if not intervals:
        return {"zh-CN": "全天不开放", "en": "closed all day"}[context.locale]
    return ", ".join(f"{show_time(i.start)}-{show_time(i.end)}" for i in intervals)


CLOSED = Constraint(
    "CLOSED",
    "error",
    {
        "zh-CN": "{name}在 {date} 的开放时间：{open}；安排的 {arrive}-{leave} 不在其中。",
        "en": "{name} on {date}: {open}; the visit at {arrive}-{leave} does not fit.",
    },
    find,
    fix={
        "zh-CN": "请改到开放的时间，或换一天。",
        "en": "Move it into these hours or to another day.",
    },
)
