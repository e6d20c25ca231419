"""Bookings at another time, as far as the clash is long, or not at all."""

import datetime as dt
from collections.abc import Iterator

from backend.pool.plan_request import FixedBooking, PlanRequest
from backend.runs.relaxing.change import Change
from backend.runs.relaxing.diagnosis import Diagnosis
from backend.runs.relaxing.texts import MESSAGES

MOVE_EFFORT = 1.5
EFFORT_AN_HOUR = 0.5
OMIT_EFFORT = 3.0
STEP_MIN = 5
MOST_MOVED_MIN = 240
"""A booking that must move by more is another booking."""


def suggest_moves(diagnosis: Diagnosis, number: int, minutes: int) -> Iterator[Change]:
    """The booking `number` earlier and later by as much as is lacking."""
    by = -(-minutes // STEP_MIN) * STEP_MIN
    if 0 < by <= MOST_MOVED_MIN:
        yield _move(diagnosis.snapshot.request, number, -by)
        yield _move(diagnosis.snapshot.request, number, by)


def suggest_omission(diagnosis: Diagnosis, number: int) -> Change:
    """The booking left out."""
    request = diagnosis.snapshot.request
    booking = request.fixed[number]
    text = MESSAGES["omit_booking"][request.locale]
    return Change(
        kind="omit_booking",
        value={"booking": number, "title": booking.title},
        message=text.format(title=booking.title, **_show(booking)),
        effort=OMIT_EFFORT,
        apply=lambda request: _replace(request, booking, None),
    )


def _move(request: PlanRequest, number: int, by: int) -> Change:
    booking = request.fixed[number]
    moved = booking.model_copy(
        update={
            "start": booking.start + dt.timedelta(minutes=by),
            "end": booking.end + dt.timedelta(minutes=by),
        }
    )
    shown = _show(moved)
    times = {"start": moved.start.isoformat(), "end": moved.end.isoformat()}
    text = MESSAGES["move_booking"][request.locale]
    return Change(
        kind="move_booking",
        value={"booking": number, "title": booking.title, **times},
        message=text.format(title=booking.title, minutes=f"{by:+d}", **shown),
        effort=MOVE_EFFORT + EFFORT_AN_HOUR * abs(by) / 60,
        apply=lambda request: _replace(request, booking, moved),
    )


def _replace(request: PlanRequest, old: FixedBooking, new: FixedBooking | None) -> PlanRequest:
    kept = [new if booking == old else booking for booking in request.fixed]
    return request.model_copy(update={"fixed": tuple(b for b in kept if b is not None)})


def _show(booking: FixedBooking) -> dict[str, str]:
    is_one_day = booking.start.date() == booking.end.date()
    end = f"{booking.end:%H:%M}" if is_one_day else f"{booking.end:%Y-%m-%d %H:%M}"
    return {"start": f"{booking.start:%Y-%m-%d %H:%M}", "end": end}
