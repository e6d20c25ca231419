"""A sentence read with the names of the catalogue, and the documents that show what was read."""

import datetime as dt
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, JsonValue

from backend.catalogue.finder import Found, find_names
from backend.catalogue.matching import Scope
from backend.catalogue.queries import read_durations
from backend.db.session import Session
from backend.document import Document
from backend.reading.joining import NOON, end_morning
from backend.reading.sentence import Known, list_names, read_sentence

_HERE = dt.timezone(dt.timedelta(hours=8))
"""Where "tomorrow" is said: China has one time for all of it."""


def find_today(now: dt.datetime) -> dt.date:
    """The day on which a sentence is said."""
    return now.astimezone(_HERE).date()


class SpanDocument(Document):
    """A piece of the text: whether it was understood, and what it became."""

    start: int = Field(alias="from", description="In code points, from 0.")
    end: int = Field(alias="to")
    text: str
    understood: bool
    becomes: dict[str, JsonValue] = Field(description="Fields; empty for words without a wish.")
    by: Literal["rules", "model"] = Field(
        "rules",
        description="Who has read it; left out for the rules.",
        exclude_if=lambda by: by == "rules",
    )


class NeedDocument(Document):
    """A field that is missing or was said in two ways, as a question."""

    field: str
    question: str
    choices: tuple[JsonValue, ...] = Field(description="Empty: any value of the field.")
    default: JsonValue = Field(description='What is taken with `"ask": false`.')


class ReadingWarning(Document):
    """Words that were not understood, or were taken in a way that should be looked at."""

    code: str
    message: str
    text: str = Field("", description="The words.")


class ReadingDocument(Document):
    """What was read in a text; fields that were given beat it."""

    text: str
    request: dict[str, JsonValue] = Field(description="Fields of the request, from the text alone.")
    spans: tuple[SpanDocument, ...]
    warnings: tuple[ReadingWarning, ...] = ()


async def read_text(
    session: Session,
    text: str,
    today: dt.date,
    cities: Sequence[str] = (),
    start: dt.date | None = None,
) -> dict[str, Any]:
    """The reading of a text by rules; `cities` and `start` are those that the request has already."""
    names = list_names(text, today)
    known = await _find_known(session, names, cities) if names else {}
    reading = read_sentence(text, today, known, start)
    await _stretch_mornings(session, reading)
    return reading


async def _stretch_mornings(session: Session, reading: dict[str, Any]) -> None:
    """Let long visits of the morning end after it: the catalogue knows how long they take."""
    lists = [reading["request"], *(span["becomes"] for span in reading["spans"])]
    wishes = [
        wish
        for entry in lists
        for wish in entry.get("wishes", ())
        if wish["kind"] == "at" and wish.get("to") == NOON and isinstance(wish.get("place"), str)
    ]
    if not wishes:
        return
    durations = await read_durations(session, {wish["place"] for wish in wishes})
    for wish in wishes:
        wish["to"] = end_morning(durations.get(wish["place"], 0))


async def _find_known(
    session: Session, names: Sequence[str], given: Sequence[str]
) -> dict[str, Known]:
    cities = await find_names(session, names, Scope(("city",)), 0)
    tags = await find_names(session, names, Scope(("tag",)), 0)
    inside = tuple(sorted({*given, *(found.one.id for found in cities if found.one)})) or None
    places = await find_names(session, names, Scope(("poi", "group", "hotel"), inside), 0)
    return _merge(cities, tags, places)


def _merge(cities: list[Found], tags: list[Found], places: list[Found]) -> dict[str, Known]:
    known: dict[str, Known] = {}
    for found in places:
        if found.hits:
            kind: Literal["hotel", "place"] = "hotel" if found.hits[0].kind == "hotel" else "place"
            inside = tuple(sorted({hit.city for hit in found.hits if hit.city}))
            known[found.said] = Known(kind, tuple(hit.id for hit in found.hits), inside)
    known |= {f.said: Known("tag", (f.one.id,)) for f in tags if f.one}
    return known | {f.said: Known("city", (f.one.id,)) for f in cities if f.one}
