"""What a traveller wants changed in a finished plan: the body of a revision, and what it comes to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import Fault, RequestRefusedError, ToolError
from backend.planner.draft import Draft
from backend.planner.locks import Locks
from backend.planner.revision import (
    Target,
    add_place,
    change_pace,
    find_target,
    keep_known,
    lock_targets,
    remove_target,
    swap_hotel,
)
from backend.pool.plan_request import Pace
from backend.pool.snapshot import Snapshot

DoneT = TypeVar("DoneT")

Day = Annotated[int, Field(ge=1, le=30, strict=True)]
Item = Annotated[int, Field(ge=0, le=1000, strict=True)]
Name = Annotated[str, Field(min_length=1, max_length=300)]


class Part(BaseModel):
    """A closed part of the body."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ItemRef(Part):
    """An item of the present itinerary: `day` counts from 1, `item` from 0."""

    day: Day
    item: Item


class RemoveEdit(Part):
    """Take an item out."""

    op: Literal["remove"]
    day: Day
    item: Item


class AddEdit(Part):
    """Put a place in, by id or exact name; without a day where it does least harm."""

    op: Literal["add"]
    poi_id: Name
    day: Day | None = None


class PaceEdit(Part):
    """Arrange the places anew by another pace; what does not fit any more goes."""

    op: Literal["pace"]
    pace: Pace


class SwapHotelEdit(Part):
    """Another hotel in a city, by id; without one the best other of the pool."""

    op: Literal["swap_hotel"]
    city: Name
    hotel_id: Name | None = None


Edit = Annotated[RemoveEdit | AddEdit | PaceEdit | SwapHotelEdit, Field(discriminator="op")]


class RevisionRequest(Part):
    """Body of `POST /v1/itineraries/{id}/revisions`: a message, edits, or both."""

    message: Annotated[str, Field(max_length=2000)] = Field(
        "", description="The traveller's words, for the language model; data as the notes are."
    )
    refresh: bool = Field(False, description="Take a new pool from today's catalogue.")
    lock: tuple[ItemRef, ...] = Field((), max_length=200, description="Items that have to stay.")
    edits: tuple[Edit, ...] = Field((), max_length=100, description="Done in order, by code.")


@dataclass(frozen=True)
class Revised:
    """What a revision starts from: its snapshot, and the present plan with the edits done."""

    snapshot: Snapshot
    draft: Draft
    locks: Locks


def read_revision(raw: object, *, has_model: bool) -> RevisionRequest:
    """The body, or a `RequestRefusedError` that names all its faults."""
    try:
        asked = RevisionRequest.model_validate(raw)
    except ValidationError as error:
        raise RequestRefusedError([_describe(entry) for entry in error.errors()]) from None
    if any("\ud800" <= c <= "\udfff" or c == "\0" for c in asked.message):
        raise RequestRefusedError([Fault("/message", "bad_text", "holds NUL or half a pair")])
    if not asked.message.strip() and not asked.edits and not asked.refresh:
        raise RequestRefusedError([Fault("", "nothing_asked", "a message, edits or refresh")])
    if asked.message.strip() and not asked.edits and not has_model:
        message = "a message needs a language model, and none is configured: send edits"
        raise RequestRefusedError([Fault("/message", "model_needed", message)])
    return asked


def _describe(entry: Any) -> Fault:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in entry["loc"])
    return Fault("".join(f"/{step}" for step in steps), entry["type"], entry["msg"])


def revise(snapshot: Snapshot, present: Draft, new: Snapshot, asked: RevisionRequest) -> Revised:
    """The edits done on the plan that `snapshot` shows, in the pool of `new`; faults are all named."""
    faults: list[Fault] = []

    def look_up(pointer: str, ref: ItemRef | RemoveEdit) -> Target | None:
        return _attempt(faults, pointer, lambda: find_target(snapshot, present, ref.day, ref.item))

    targets = [look_up(f"/lock/{n}", ref) for n, ref in enumerate(asked.lock)]
    removed = {
        n: look_up(f"/edits/{n}", edit)
        for n, edit in enumerate(asked.edits)
        if isinstance(edit, RemoveEdit)
    }
    if faults:
        raise RequestRefusedError(faults)
    locks = lock_targets(present, [target for target in targets if target])
    new, draft = with_pace(new, asked.edits), keep_known(new, present)
    for n, edit in enumerate(asked.edits):
        before = draft
        change = _make_change(new, before, locks, edit, removed.get(n))
        draft = _attempt(faults, f"/edits/{n}", change) or before
        if locks.list_broken(draft) and not locks.list_broken(before):
            faults.append(Fault(f"/edits/{n}", "locked", "it would change what is locked"))
    for gone in locks.list_broken(draft) if not faults else ():
        faults.append(Fault("/lock", "gone", f"{gone} is not in the pool any more"))
    if faults:
        raise RequestRefusedError(faults)
    return Revised(new, draft, locks)


def with_pace(snapshot: Snapshot, edits: Iterable[Edit]) -> Snapshot:
    """The snapshot with the last pace that is asked for."""
    paces = [edit.pace for edit in edits if isinstance(edit, PaceEdit)]
    if not paces or paces[-1] == snapshot.request.pace:
        return snapshot
    request = snapshot.request.model_copy(update={"pace": paces[-1]})
    return snapshot.model_copy(update={"request": request}).sealed()


def _make_change(
    snapshot: Snapshot, draft: Draft, locks: Locks, edit: Edit, removed: Target | None
) -> Callable[[], Draft]:
    if isinstance(edit, RemoveEdit):
        return lambda: remove_target(draft, removed) if removed else draft
    if isinstance(edit, AddEdit):
        return lambda: add_place(snapshot, draft, _find_place(snapshot, edit.poi_id), edit.day)
    if isinstance(edit, PaceEdit):
        return lambda: change_pace(snapshot, draft, locks)
    return lambda: swap_hotel(snapshot, draft, _find_city(snapshot, edit.city), edit.hotel_id)


def _find_place(snapshot: Snapshot, word: str) -> str:
    """The id that an exact name means; the word itself where it means none."""
    pool = snapshot.ids_by_kind["poi"]
    named = [i for i in pool if word in _list_names(snapshot.rows.pois[i])]
    return named[0] if len(named) == 1 else word


def _find_city(snapshot: Snapshot, word: str) -> str:
    """The id that an exact name means; the word itself where it means none."""
    named = [i for i, row in snapshot.city_rows.items() if word in _list_names(row)]
    return named[0] if word not in snapshot.cities and named else word


def _list_names(row: Any) -> tuple[str, str]:
    return row.name, row.name_en


def _attempt(faults: list[Fault], pointer: str, change: Callable[[], DoneT]) -> DoneT | None:
    """What the change gives; a `ToolError` becomes a fault at the pointer."""
    try:
        return change()
    except ToolError as error:
        code, near = error.code.lower(), tuple(error.allowed)[:10]
        faults.append(Fault(pointer, code, error.message, near))
        return None


def show_start(revised: Revised, asked: RevisionRequest, parent: str) -> Mapping[str, Any]:
    """What the log keeps of it."""
    return {
        "revision_of": parent,
        "wish": asked.message,
        "draft": revised.draft.model_dump(mode="json"),
        "locks": revised.locks.model_dump(mode="json"),
    }
