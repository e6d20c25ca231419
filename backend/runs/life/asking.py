"""A request as it is asked for: a text beside or instead of fields, and questions for what is missing.

The text and the notes are read by rules. Fields that are given beat the text; notes add to them. What is missing or said in two ways comes
back as at most three questions; `"ask": false` takes their defaults.
"""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from backend.agent.text_reader import ModelReading
from backend.catalogue.finder import find_names
from backend.catalogue.matching import Scope
from backend.catalogue.queries import read_cities
from backend.clock import read_utc
from backend.db.session import Session
from backend.errors import Fault, RequestRefusedError
from backend.params.registry import ParamValue
from backend.pool.plan_request import PlanRequest
from backend.pool.request_faults import resolve_request
from backend.pool.request_shape import find_bad_text
from backend.reading.reading import (
    NeedDocument,
    ReadingDocument,
    ReadingWarning,
    SpanDocument,
    find_today,
    read_text,
)
from backend.reading.sentence import (
    LONGEST_TEXT,
    MOST_NEEDS,
    REQUIRED,
    make_need,
    read_sentence,
)
from backend.text import Locale

MOST_CHOICES = 50
_TRIES = 40
"""Each takes out one thing that was read; a text does not hold more."""

_TOGETHER = {
    "too_many_children": "travellers",
    "no_adult": "travellers",
    "too_many_seniors": "travellers",
    "too_many_rooms": "travellers",
    "nights_sum": "days",
    "outside_trip": "start_date",
}
"""Faults between two fields, and the other field: read in the text, it is what gives way."""

_BESIDE = frozenset({"text", "ask"})
_NOTED_LISTS = frozenset({"must_see", "avoid", "interests", "wishes", "dietary", "access", "fixed"})
_NOTED = frozenset({"pace", "day_start", "day_end"})
"""What notes may say: not where, when, how many or for how much."""
_MARKS = " \n\t，。；,.;、"
MOST_UNCLEAR = 5
"""Warnings of one text of notes."""


class TextRequest(BaseModel):
    """Body of `POST /v1/itineraries` with a text; any field of `PlanRequest` may stand beside it."""

    model_config = ConfigDict(extra="allow")

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)] = Field(
        description="The trip in the traveller's own words, Chinese or English."
    )
    ask: bool = Field(True, description="false: take the defaults instead of asking.")


class Answer(BaseModel):
    """A value for a field that was asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: Annotated[str, Field(min_length=1, max_length=100)]
    value: JsonValue


class AnswersRequest(BaseModel):
    """Body of `POST /v1/itineraries/{id}/answers`; questions left out take their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answers: Annotated[tuple[Answer, ...], Field(max_length=20)]


@dataclass(frozen=True)
class Taken:
    """A request that is whole, or what is known of it and the questions for the rest."""

    fields: Mapping[str, Any]
    request: PlanRequest | None
    needs: tuple[NeedDocument, ...] = ()
    reading: ReadingDocument | None = None
    is_unread: bool = False
    """A language model reads the rest of the text before anything is asked."""


async def take_request(
    session: Session, raw: object, params: Mapping[str, ParamValue], *, has_model: bool = False
) -> Taken:
    """The request for a body with or without a text; a `RequestRefusedError` for given faults.

    With `has_model` nothing is asked, and no default taken, before a model has read what the rules
    leave over.
    """
    if not isinstance(raw, Mapping) or not (_BESIDE & raw.keys() or has_notes(raw)):
        return Taken({}, await resolve_request(session, raw, params))
    _check_beside(raw)
    today = find_today(read_utc())
    given = {name: value for name, value in raw.items() if name not in _BESIDE}
    text = raw.get("text")
    read: dict[str, Any] = {"request": {}, "spans": [], "needs": [], "warnings": []}
    if text is not None:
        start = _find_start(given)
        read = await read_text(session, text, today, await _find_cities(session, given), start)
    cities = await _find_cities(session, {**read["request"], **given})
    noted = None
    if has_notes(raw):
        start = _find_start({**read["request"], **given})
        noted = await read_text(session, raw["notes"], today, cities, start)
    draft = _Draft(session, params, today, given, read, has_text=text is not None)
    draft.add_notes(noted)
    said = text if text is not None else raw.get("notes")
    waits = has_model and text is not None and draft.is_for_a_model()
    needs = await draft.complete(asks=waits or raw.get("ask", True))
    shown = None if text is None and noted is None else draft.show(str(said))
    return Taken(draft.fields, draft.request, needs, shown, waits and bool(needs))


async def preview_request(session: Session, raw: object, params: Mapping[str, ParamValue]) -> Taken:
    """The same with the defaults taken, and still the questions that a run would ask."""
    taken = await take_request(session, raw, params)
    if taken.request is not None or not isinstance(raw, Mapping):
        return taken
    assumed = await take_request(session, {**raw, "ask": False}, params)
    return replace(assumed, needs=taken.needs)


def has_notes(raw: Mapping[str, Any]) -> bool:
    """Whether there are notes that can be read."""
    notes = raw.get("notes")
    return isinstance(notes, str) and bool(notes.strip()) and len(notes) <= LONGEST_TEXT


def _check_beside(raw: Mapping[str, Any]) -> None:
    faults = list(find_bad_text(raw))
    text, ask = raw.get("text"), raw.get("ask", True)
    if "text" in raw and not (isinstance(text, str) and text.strip()):
        faults.append(Fault("/text", "string_type", "must be a text that says something"))
    elif isinstance(text, str) and len(text) > LONGEST_TEXT:
        message = f"must have at most {LONGEST_TEXT} characters, not {len(text)}"
        faults.append(Fault("/text", "string_too_long", message))
    if not isinstance(ask, bool):
        faults.append(Fault("/ask", "bool_type", "must be true or false"))
    if faults:
        raise RequestRefusedError(faults)


async def _find_cities(session: Session, given: Mapping[str, Any]) -> list[str]:
    """The cities that the fields name, so that places are looked for there."""
    entries = given.get("destinations")
    words = [
        entry["city"]
        for entry in (entries if isinstance(entries, list | tuple) else ())
        if isinstance(entry, Mapping) and isinstance(entry.get("city"), str)
    ]
    found = await find_names(session, words[:8], Scope(("city",)), 0) if words else []
    return [entry.one.id for entry in found if entry.one]


def _find_start(fields: Mapping[str, Any]) -> dt.date | None:
    """The first day that the fields name, so that bookings on "day 2" have a date."""
    try:
        return dt.date.fromisoformat(str(fields.get("start_date")))
    except ValueError:
        return None


def find_locale(fields: Mapping[str, Any]) -> Locale:
    """The language in which is asked."""
    return "en" if fields.get("locale") == "en" else "zh-CN"


@dataclass
class _Draft:
    """A request that is being put together from what was given and what was read."""

    session: Session
    params: Mapping[str, ParamValue]
    today: dt.date
    given: Mapping[str, Any]
    read: dict[str, Any]
    has_text: bool
    fields: dict[str, Any] = field(default_factory=dict)
    request: PlanRequest | None = None
    warnings: list[dict[str, str]] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fields = {**self.read["request"], **self.given}
        wishes = self.given.get("wishes")
        if isinstance(wishes, list) and "wishes" in self.read["request"]:
            self.fields["wishes"] = [*wishes, *self.read["request"]["wishes"]]
        self.spans = list(self.read["spans"])

    def add_notes(self, noted: Mapping[str, Any] | None) -> None:
        """Add what the notes say to the lists; a field that is set already stays."""
        if noted is None:
            return
        for name, value in noted["request"].items():
            old = self.fields.get(name)
            if name in _NOTED_LISTS and (old is None or isinstance(old, list)):
                self.fields[name] = [*(old or ()), *(v for v in value if v not in (old or ()))]
            elif name in _NOTED:
                self.fields.setdefault(name, value)
        self._warn_of_notes(noted["spans"])
        if not self.has_text:
            self.read = {**self.read, "request": noted["request"]}
        self.spans += noted["spans"]

    def add_reading(self, reading: ModelReading) -> None:
        """Add what a model has read: to lists, and to fields that nobody has set."""
        for entry in reading.entries:
            name, old = entry.field, self.fields.get(entry.field)
            may_say = self.has_text or name in _NOTED | _NOTED_LISTS
            span: dict[str, Any] = {"text": entry.words, "understood": False, "becomes": {}}
            span |= {"from": entry.start, "to": entry.end, "by": "model"}
            self.spans.append(span)
            if may_say and isinstance(entry.value, list) and name in _NOTED_LISTS:
                new = [value for value in entry.value if value not in (old or ())]
                self.fields[name] = [*(old or ()), *new]
            elif may_say and name not in self.fields:
                self.fields[name] = entry.value
            else:
                continue
            span |= {"understood": True, "becomes": {name: entry.value}}

    def _warn_of_notes(self, spans: Sequence[dict[str, Any]]) -> None:
        """Quote what was not understood, and what notes may not say."""
        for span in spans:
            is_taken = not span["becomes"] or span["becomes"].keys() & (_NOTED | _NOTED_LISTS)
            if span["understood"] and not is_taken:
                span |= {"understood": False, "becomes": {}}
        unclear = [span["text"].strip(_MARKS) for span in spans if not span["understood"]]
        for said in [said for said in unclear if said][:MOST_UNCLEAR]:
            head = "备注没有读懂：" if self.is_chinese else "notes not understood: "
            entry = {"code": "NOT_UNDERSTOOD", "message": f"{head}{said}", "text": said}
            self.warnings.append(entry)

    def is_for_a_model(self) -> bool:
        """Whether words are left over that a model may read."""
        is_left = any(not s["understood"] and any(map(str.isalnum, s["text"])) for s in self.spans)
        return is_left and self.fields.get("planner") != "builtin"

    @property
    def is_chinese(self) -> bool:
        """Whether questions are in Chinese."""
        return find_locale(self.fields) == "zh-CN"

    async def complete(self, *, asks: bool) -> tuple[NeedDocument, ...]:
        """Resolve the fields; gives the questions that stand in the way."""
        missing = await self.resolve()
        said = [need for need in self.read["needs"] if need["field"] not in self.given]
        said = [need for need in said if need["field"] not in self.fields and need["choices"]]
        clashes = [need for need in said if need["default"] == need["choices"][0]]
        names = [need["field"] for need in clashes] + missing
        needs = [await self.ask(name, clashes) for name in dict.fromkeys(names)]
        if needs and asks:
            self.request = None
            return tuple(needs[:MOST_NEEDS])
        if needs:
            await self.fill(needs)
        return ()

    async def fill(self, needs: Sequence[NeedDocument]) -> None:
        """Take the defaults, and say so."""
        for need in needs:
            self.fields[need.field] = shape(need.field, need.default)
            self.warnings.append(self._tell_default(need))
        if left := await self.resolve():
            raise RequestRefusedError(
                [Fault(f"/{name}", "missing", f"{name} is required") for name in left]
            )

    def _tell_default(self, need: NeedDocument) -> dict[str, str]:
        value = need.default
        message = (
            f"没有说明“{need.question}”，按 {value} 安排。"
            if self.is_chinese
            else f"Not said: {need.question} Taken: {value}."
        )
        return {"code": "DEFAULT_TAKEN", "message": message}

    async def ask(self, name: str, clashes: Sequence[Mapping[str, Any]]) -> NeedDocument:
        """The question for a field."""
        said: list[Any] = next((need["choices"] for need in clashes if need["field"] == name), [])
        need = make_need(name, said, self.today, is_chinese=self.is_chinese)
        if name == "destinations":
            cities = await read_cities(self.session)
            names = [c.name if self.is_chinese else c.name_en or c.name for c in cities]
            need |= {"choices": names[:MOST_CHOICES], "default": next(iter(names), None)}
        elif name == "travellers" and not said:
            young, old = self.fields.get("children") or (), self.fields.get("seniors") or ()
            need["default"] = max(2, len(young) + max(1, len(old)))
        return NeedDocument.model_validate(need)

    async def resolve(self) -> list[str]:
        """Try to make it a request, without what was read and cannot be; gives what is missing."""
        for _ in range(_TRIES):
            try:
                self.request = await resolve_request(self.session, self.fields, self.params)
            except RequestRefusedError as refused:
                faults = [f for f in refused.faults if not self._is_missing(f)]
                if not faults:
                    gone = {f.pointer[1:] for f in refused.faults}
                    return [name for name in REQUIRED if name in gone]
                if not self._drop(faults):
                    raise RequestRefusedError(faults) from None
            else:
                return []
        return []

    def _is_missing(self, fault: Fault) -> bool:
        return self.has_text and fault.code == "missing" and fault.pointer[1:] in REQUIRED

    def _drop(self, faults: Sequence[Fault]) -> bool:
        """Take out what was read in the text and is at fault; False where all of it was given."""
        for fault in reversed(faults):
            _, name, *steps = [*fault.pointer.split("/"), ""]
            other = _TOGETHER.get(fault.code, name)
            if name in self.given and other not in self.given and other in self.fields:
                name, steps = other, []
            number = int(steps[0]) if steps and steps[0].isdigit() else None
            own = self.given.get(name)
            is_added = isinstance(own, list) and number is not None and number >= len(own)
            if name in self.given and not is_added:
                continue
            if name not in self.fields:
                continue
            self._take_out(name, number, fault)
            return True
        return False

    def _take_out(self, name: str, number: int | None, fault: Fault) -> None:
        value = self.fields[name]
        if isinstance(value, list) and number is not None and number < len(value):
            gone = value[number]
            left = [*value[:number], *value[number + 1 :]]
        else:
            gone, left = value, []
        self.fields = {k: v for k, v in self.fields.items() if k != name}
        if left:
            self.fields[name] = left
        if fault.code != "duplicate_place":  # said before: nothing is lost
            self._mark(name, gone, fault)

    def _mark(self, name: str, gone: object, fault: Fault) -> None:
        """The words that it came from count as not understood."""
        bare = gone["city"] if isinstance(gone, Mapping) and set(gone) == {"city"} else gone
        for span in self.spans:
            held = span["becomes"].get(name)
            if held == gone or (isinstance(held, list) and (gone in held or bare in held)):
                span["understood"] = False
                span["becomes"] = {}
                message = f"{span['text']}: {fault.message}"
                entry = {"code": "NOT_UNDERSTOOD", "message": message, "text": span["text"]}
                self.warnings.append(entry)

    def show(self, text: str) -> ReadingDocument:
        """What was read, for the traveller to see."""
        entries = [*self.read["warnings"], *self.warnings]
        return ReadingDocument(
            text=text,
            request=self.read["request"],
            spans=tuple(self.read["spans"] if self.has_text else self.spans),
            warnings=tuple(ReadingWarning.model_validate(entry) for entry in entries),
        )


async def take_model_reading(
    session: Session,
    kept: Mapping[str, Any],
    reading: ModelReading,
    params: Mapping[str, ParamValue],
) -> Taken:
    """The request with what a model has read in the text, or the questions that are left.

    `kept` is what the run keeps of its text. What the model says and is no sound field is left out;
    all of it where that does not help.
    """
    read: dict[str, Any] = {"request": {}, "spans": [], "needs": kept["needs"], "warnings": []}
    has_text = "text" in kept["raw"]
    today = find_today(read_utc())
    draft = _Draft(session, params, today, kept["fields"], read, has_text=has_text)
    draft.add_reading(reading)
    try:
        needs = await draft.complete(asks=kept["raw"].get("ask", True))
    except RequestRefusedError:  # too much of it, or at odds with what was given
        if not reading.entries:
            raise
        return await take_model_reading(session, kept, ModelReading(), params)
    shown = ReadingDocument.model_validate(kept["shown"])
    return Taken(draft.fields, draft.request, needs, _merge_spans(shown, draft))


def _merge_spans(shown: ReadingDocument, draft: _Draft) -> ReadingDocument:
    """The reading with a model's pieces cut out of what no rule has understood."""
    taken: dict[tuple[int, int], SpanDocument] = {}
    for span in draft.spans:
        place = span["from"], span["to"]
        if not span["understood"]:
            continue
        rest = [s for s in taken.values() if s.start < span["to"] and span["from"] < s.end]
        if rest:  # the same words, or a part of them, mean two things
            becomes = {**rest[0].becomes, **span["becomes"]}
            taken[rest[0].start, rest[0].end] = rest[0].model_copy(update={"becomes": becomes})
        else:
            taken[place] = SpanDocument.model_validate(span)
    spans = [piece for span in shown.spans for piece in _cut(shown.text, span, taken)]
    unclear = [s.text.strip(_MARKS) for s in spans if not s.understood]
    unclear = [said for said in unclear if said]
    left = [w for w in shown.warnings if w.code != "NOT_UNDERSTOOD" or w.text in unclear]
    told = {w.text for w in left} | {w.get("text") for w in draft.warnings}
    head = "没有读懂：" if draft.is_chinese else "not understood: "
    added = [
        {"code": "NOT_UNDERSTOOD", "message": f"{head}{said}", "text": said}
        for said in dict.fromkeys(unclear)
        if said not in told
    ]
    more = [ReadingWarning.model_validate(entry) for entry in (*added, *draft.warnings)]
    return shown.model_copy(update={"spans": tuple(spans), "warnings": (*left, *more)})


def _cut(
    text: str, span: SpanDocument, taken: Mapping[tuple[int, int], SpanDocument]
) -> Iterator[SpanDocument]:
    """A span with the pieces that lie in it apart; one that was understood stays whole."""
    inside = sorted(p for p in taken if span.start <= p[0] and p[1] <= span.end)
    if span.understood or not inside:
        yield span
        return
    at = span.start
    for start, end in inside:
        if at < start:
            yield _leave(text, at, start)
        yield taken[start, end]
        at = end
    if at < span.end:
        yield _leave(text, at, span.end)


def _leave(text: str, start: int, end: int) -> SpanDocument:
    """What no model has read either; marks and spaces alone have nothing to say."""
    piece = text[start:end]
    understood = not any(map(str.isalnum, piece))
    said = {"from": start, "to": end, "text": piece, "understood": understood, "becomes": {}}
    return SpanDocument.model_validate(said)


_WHOLE = re.compile(r"[0-9]{1,4}")
_COUNTED = frozenset({"days", "travellers"})


def shape(name: str, value: Any) -> Any:
    """An answer as its field has it: a city's name as a destination, digits as a number."""
    if name == "destinations":
        entries = value if isinstance(value, list) else [value]
        return [{"city": entry} if isinstance(entry, str) else entry for entry in entries]
    if name in _COUNTED and isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return value


def _understand(name: str, value: Any, today: dt.date) -> Any:
    """An answer in words, such as "next Friday" for a date."""
    shaped = shape(name, value)
    if isinstance(shaped, str) and name != "destinations":
        request: Any = read_sentence(shaped[:LONGEST_TEXT], today, {})["request"]
        return request.get(name, shaped)
    return shaped


async def take_answers(
    session: Session, kept: Mapping[str, Any], answers: AnswersRequest, params: Mapping[str, Any]
) -> Taken:
    """The request with the answers; faults point at the answers. `kept` is what the run keeps."""
    needs = [NeedDocument.model_validate(need) for need in kept["needs"]]
    asked = [need.field for need in needs]
    today = find_today(read_utc())
    said: dict[str, int] = {}
    faults = []
    for n, answer in enumerate(answers.answers):
        pointer = f"/answers/{n}/field"
        if answer.field not in asked:
            message = f"{answer.field!r} is not asked for; asked for are {', '.join(asked)}"
            faults.append(Fault(pointer, "not_asked", message, tuple(asked)))
        elif answer.field in said:
            faults.append(Fault(pointer, "answered_twice", f"{answer.field} is answered twice"))
        said.setdefault(answer.field, n)
    if faults:
        raise RequestRefusedError(faults)
    values = {a.field: _understand(a.field, a.value, today) for a in answers.answers}
    given = {**kept["fields"], **values}
    read: dict[str, Any] = {"request": {}, "spans": [], "needs": [], "warnings": []}
    draft = _Draft(session, params, today, given, read, has_text=True)
    try:
        missing = await draft.resolve()
    except RequestRefusedError as refused:
        raise RequestRefusedError([_point(fault, said) for fault in refused.faults]) from None
    left = [need for need in needs if need.field in missing]
    left += [await draft.ask(name, ()) for name in missing if name not in asked]
    clashing = [n for n in needs if n.field not in draft.fields and n not in left]
    if left or clashing:
        await draft.fill([*left, *clashing])
    return Taken(draft.fields, draft.request, (), _add_warnings(kept["shown"], draft.warnings))


def _point(fault: Fault, said: Mapping[str, int]) -> Fault:
    name = fault.pointer.split("/")[1] if "/" in fault.pointer else ""
    if name not in said:
        return fault
    return Fault(
        f"/answers/{said[name]}/value", fault.code, fault.message, fault.suggestions, fault.names
    )


def _add_warnings(shown: Any, more: Sequence[Mapping[str, str]]) -> ReadingDocument | None:
    if shown is None:
        return None
    document = ReadingDocument.model_validate(shown)
    added = tuple(ReadingWarning.model_validate(entry) for entry in more)
    return document.model_copy(update={"warnings": (*document.warnings, *added)})
