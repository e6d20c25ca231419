"""The traveller's own arrival earlier, or departure later, by as much as is lacking."""

from collections.abc import Iterator

from backend.clock import format_minutes, parse_minutes
from backend.runs.relaxing.change import Change
from backend.runs.relaxing.diagnosis import Diagnosis
from backend.runs.relaxing.texts import MESSAGES

MOVE_EFFORT = 1.0
EFFORT_AN_HOUR = 0.5
STEP_MIN = 5
DAY_ENDS = 24 * 60


def suggest_own_times(diagnosis: Diagnosis, day: int, minutes: int) -> Iterator[Change]:
    """What could be moved on the first and on the last day, within that day."""
    request = diagnosis.snapshot.request
    by = -(-minutes // STEP_MIN) * STEP_MIN
    if by <= 0:
        return
    if request.arrival is not None and day == 1:
        yield from _move(diagnosis, "arrival", parse_minutes(request.arrival.time) - by, by)
    if request.departure is not None and day == request.days:
        yield from _move(diagnosis, "departure", parse_minutes(request.departure.time) + by, by)


def _move(diagnosis: Diagnosis, name: str, minutes: int, by: int) -> Iterator[Change]:
    if not 0 <= minutes < DAY_ENDS:
        return
    time = format_minutes(minutes)
    own = getattr(diagnosis.snapshot.request, name).model_copy(update={"time": time})
    kind = f"move_{name}"
    text = MESSAGES[kind][diagnosis.snapshot.request.locale]
    yield Change(
        kind=kind,
        value={"time": time},
        message=text.format(time=time),
        effort=MOVE_EFFORT + EFFORT_AN_HOUR * by / 60,
        apply=lambda request: request.model_copy(update={name: own}),
    )
