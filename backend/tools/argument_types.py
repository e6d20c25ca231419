"""Types that arguments share. A blank text or null for an optional argument means: not given.

Models send `""`, `null` or a bare value where a list is asked for; those have one clear meaning.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from backend.clock import parse_minutes

MAX_TEXT = 200
LATEST_ARRIVAL = "47:59"
LATEST_VISIT = "26:00"

_SHORT_HOUR = re.compile(r"\d:[0-5]\d")


def drop_blank(value: object) -> object:
    """None for a text of white space."""
    return None if isinstance(value, str) and not value.strip() else value


def _make_tuple(value: object) -> object:
    if isinstance(value, list):
        return tuple(value) or None
    is_single = isinstance(value, str | int) and not isinstance(value, bool)
    return (value,) if is_single else value


def _make_list_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def check_time(text: str, latest: str = LATEST_ARRIVAL) -> str:
    """`HH:MM` up to `latest`; hours past 24 are the next day's, `9:30` is read as `09:30`."""
    padded = f"0{text}" if _SHORT_HOUR.fullmatch(text) else text
    try:
        if parse_minutes(padded) <= parse_minutes(latest):
            return padded
    except ValueError:
        pass
    raise PydanticCustomError("bad_time", "must be HH:MM up to {latest}", {"latest": latest})


def check_visit_time(text: str) -> str:
    """A time at which a visit may begin."""
    return check_time(text, LATEST_VISIT)


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
OptionalText = Annotated[
    Annotated[str, Field(max_length=MAX_TEXT)] | None, BeforeValidator(drop_blank)
]
TextList = Annotated[
    tuple[Text, ...] | None,
    Field(max_length=50),
    BeforeValidator(_make_tuple),
    BeforeValidator(drop_blank),
]
NumberList = Annotated[tuple[int, ...] | None, Field(max_length=50), BeforeValidator(_make_tuple)]
IdList = Annotated[tuple[Text, ...], BeforeValidator(_make_list_tuple)]
Time = Annotated[Annotated[str, AfterValidator(check_time)] | None, BeforeValidator(drop_blank)]
VisitTime = Annotated[
    Annotated[str, AfterValidator(check_visit_time)] | None, BeforeValidator(drop_blank)
]
MaxPrice = Annotated[float, Field(ge=0)] | None
Limit = Annotated[int, Field(ge=1)] | None
Flag = bool | None
