"""Warns in a run's result of sources that gave it nothing."""

from collections.abc import Iterator, Mapping

from backend.planner.itinerary import Violation, Where
from backend.pool.snapshot import Snapshot
from backend.text import Locale

CODE = "SOURCE_FAILED"

_MESSAGES: dict[Locale, str] = {
    "zh-CN": "外部数据源 {name} 没有给出数据（{code}），行程未参考它",
    "en": "the source {name} gave no data ({code}); the plan was made without it",
}


def warn_of_sources(failed: Mapping[str, str], snapshot: Snapshot) -> Iterator[Violation]:
    """One warning for each source that failed and has not answered since."""
    template = _MESSAGES[snapshot.request.locale]
    for name, code in failed.items():
        message = template.format(name=name, code=code)
        where = Where(day=None, item=None)
        yield Violation(code=CODE, severity="warning", where=where, message=message)
