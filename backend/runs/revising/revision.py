"""What a traveller wants changed in a finished plan: the body of a revision, and what it comes to."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from backend.agent.provider_profile import list_faults
from backend.catalogue.matching import find_known
from backend.errors import Fault, RequestRefusedError, ToolError
from backend.planner.plan.draft import Barred, Draft, Locks
from backend.planner.plan.itinerary import Itinerary
from backend.planner.revision import (
    Target,
    add_place,
    change_pace,
    fill_days,
    find_target,
    give_beds,
    keep_known,
    keep_wishes,
    lock_targets,
    remove_target,
    swap_hotel,
)
from backend.pool.plan_request import Pace, PlanRequest
from backend.pool.snapshot import Snapshot
from backend.runs.log.steps import RevisionBegun
from backend.text import make_pointer

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
    """Put a place in, by id or exact name; it stays on that day, without one where it fits best."""

    op: Literal["add"]
    poi_id: Name
    day: Day | None = None


class PaceEdit(Part):
    """Arrange the places anew by another pace; what does not fit any more goes."""

    op: Literal["pace"]
    pace: Pace


class SwapHotelEdit(Part):
    """Another hotel in a city, by id; without one the other of the pool that suits the plan best."""

    op: Literal["swap_hotel"]
    city: Name
    hotel_id: Name | None = None


class WishEdit(Part):
    """One more wish, of the kinds that a request may hold; it replaces one about the same thing."""

    op: Literal["wish"]
    wish: dict[str, JsonValue]


class SetEdit(Part):
    """Another value for a field of the request; what the plan holds stays where it still fits."""

    op: Literal["set"]
    field: Literal[
        "days",
        "start_date",
        "travellers",
        "children",
        "seniors",
        "budget_tier",
        "budget_total",
        "interests",
        "must_see",
        "avoid",
        "dietary",
        "access",
        "day_start",
        "day_end",
        "fixed",
    ]
    value: JsonValue


Edit = Annotated[
    RemoveEdit | AddEdit | PaceEdit | SwapHotelEdit | WishEdit | SetEdit, Field(discriminator="op")
]


class RevisionRequest(Part):
    """Body of `POST /v1/itineraries/{id}/revisions`: a message, edits, or both."""

    message: Annotated[str, Field(max_length=2000)] = Field(
        "", description="The traveller's words, for the language model; data as the notes are."
    )
    refresh: bool = Field(False, description="Take a new pool from today's catalogue.")
    lock: tuple[ItemRef, ...] = Field((), max_length=200, description="Items that have to stay.")
    edits: tuple[Edit, ...] = Field((), max_length=100, description="Done in order, by code.")


_FIELDS = tuple(
    name
    for part in (
        RevisionRequest,
        ItemRef,
        RemoveEdit,
        AddEdit,
        PaceEdit,
        SwapHotelEdit,
        WishEdit,
        SetEdit,
    )
    for name in part.model_fields
)


@dataclass(frozen=True)
class Revised:
    """What a revision starts from: its snapshot, and the present plan with the edits done."""

    snapshot: Snapshot
    draft: Draft
    locks: Locks
    gone: tuple[str, ...] = ()
    """Places that went out for another pace, or are not in the pool any more."""


@dataclass(frozen=True)
class Shown:
    """A finished plan as the traveller sees it, and what it is made of.

    `out` are places that edits before these have taken out: they stay out.
    """

    draft: Draft
    itinerary: Itinerary
    out: tuple[Barred, ...] = ()


def read_revision(raw: object) -> RevisionRequest:
    """The body, or a `RequestRefusedError` that names all its faults."""
    try:
        asked = RevisionRequest.model_validate(raw)
    except ValidationError as error:
        found = list_faults(error, _FIELDS)
        faults = [Fault(_point_at(entry["loc"]), entry["type"], said) for entry, said in found]
        raise RequestRefusedError(faults) from None
    if any("\ud800" <= c <= "\udfff" or c == "\0" for c in asked.message):
        raise RequestRefusedError([Fault("/message", "bad_text", "holds NUL or half a pair")])
    if not asked.message.strip() and not asked.edits and not asked.refresh:
        raise RequestRefusedError([Fault("", "nothing_asked", "a message, edits or refresh")])
    return asked


def with_read(asked: RevisionRequest, found: Sequence[dict[str, object]]) -> RevisionRequest:
    """What is asked with the message as edits; a fault where nothing of it was understood."""
    if not found:
        message = (
            "NOT_UNDERSTOOD: the message was not understood by rules, and no language model is"
            " configured: say what is to change in other words, such as “day 2 is too full”,"
            " “a cheaper hotel” or “move the museum to day 3”, or send edits"
        )
        raise RequestRefusedError([Fault("/message", "model_needed", message)])
    edits = [edit.model_dump() for edit in asked.edits] + [*found]
    kept = {**asked.model_dump(), "message": "", "edits": edits}
    return RevisionRequest.model_validate(kept)


def changes_request(asked: RevisionRequest) -> bool:
    """Whether an edit changes what was asked for, so that another pool is due."""
    return any(isinstance(edit, WishEdit | SetEdit) for edit in asked.edits)


def change_request(request: PlanRequest, edits: Sequence[Edit]) -> dict[str, Any]:
    """The request as JSON with what edits set and wish for; `point_at_edits` knows where faults go."""
    raw = request.model_dump(mode="json", by_alias=True, exclude={"resolved"})
    for edit in edits:
        if isinstance(edit, SetEdit):
            raw |= _set_field(raw, edit)
        elif isinstance(edit, WishEdit):
            kept = [wish for wish in raw.get("wishes", ()) if not _is_about(wish, edit.wish)]
            raw["wishes"] = [*kept, edit.wish]
    return raw


def _set_field(raw: Mapping[str, Any], edit: SetEdit) -> dict[str, Any]:
    """The field, and what follows from it: nights from days, rooms from the party."""
    changed: dict[str, Any] = {edit.field: edit.value}
    if edit.field == "days" and isinstance(edit.value, int):
        stays = [dict(stay) for stay in raw["destinations"]]
        last = (stays[-1].get("nights") or 0) + edit.value - raw["days"]
        if last >= 0 and stays[-1].get("nights") is not None:
            stays[-1]["nights"] = last
        else:
            stays = [{"city": stay["city"]} for stay in stays]
        changed["destinations"] = stays
    if edit.field in {"travellers", "children", "seniors"}:
        changed["rooms"] = None
    return changed


_SUBJECTS = {"at": ("place",), "price": ("of",), "spend": ("on",), "intercity": ("legs", "mode")}


def _is_about(wish: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two wishes are about the same thing, so that the later one counts."""
    kind = wish.get("kind")
    if kind != other.get("kind") or bool(wish.get("not")) != bool(other.get("not")):
        return False
    names = _SUBJECTS.get(str(kind))
    if names is None:
        return wish == other
    return all(wish.get(name) == other.get(name) for name in names)


def point_at_edits(faults: Sequence[Fault], raw: Mapping[str, Any], edits: Sequence[Edit]) -> None:
    """Raise the faults of a changed request where their edits stand."""
    wishes = list(raw.get("wishes", ()))
    places = {
        f"/{e.field}": f"/edits/{n}/value" for n, e in enumerate(edits) if isinstance(e, SetEdit)
    }
    places |= {
        f"/wishes/{wishes.index(e.wish)}": f"/edits/{n}/wish"
        for n, e in enumerate(edits)
        if isinstance(e, WishEdit) and e.wish in wishes
    }
    shown = []
    for fault in faults:
        at = next(
            (p for p in sorted(places, key=len, reverse=True) if fault.pointer.startswith(p)), None
        )
        last = f"/edits/{max((n for n, e in enumerate(edits) if isinstance(e, WishEdit | SetEdit)), default=0)}"
        pointer = last if at is None else places[at] + fault.pointer[len(at) :]
        shown.append(replace(fault, pointer=pointer))
    raise RequestRefusedError(shown)


def _point_at(steps: Sequence[Any]) -> str:
    """The place in the body: pydantic puts the kind of an edit between its number and its fields."""
    is_in_edit = len(steps) > 2 and steps[0] == "edits"
    return make_pointer(*([*steps[:2], *steps[3:]] if is_in_edit else steps))


def revise(present: Shown, new: Snapshot, asked: RevisionRequest) -> Revised:
    """The edits done on the plan as shown, in the pool of `new`; faults are all named.

    What an edit asks for is held from then on, as what the traveller has locked is.
    """
    faults: list[Fault] = []

    def look_up(pointer: str, ref: ItemRef | RemoveEdit) -> Target | None:
        here = present.itinerary
        return _attempt(faults, pointer, lambda: find_target(here, ref.day, ref.item))

    targets = [look_up(f"/lock/{n}", ref) for n, ref in enumerate(asked.lock)]
    removed = {
        n: target
        for n, edit in enumerate(asked.edits)
        if isinstance(edit, RemoveEdit) and (target := look_up(f"/edits/{n}", edit))
    }
    if faults:
        raise RequestRefusedError(faults)
    locks = lock_targets(present.draft, [target for target in targets if target])
    new = with_wishes(new, asked.edits, list(removed.values()))
    held = locks.hold(Locks(out=present.out))
    bench = _Bench(new, keep_known(new, present.draft), locks, held)
    for n, edit in enumerate(asked.edits):
        change = partial(bench.do, edit, removed.get(n))
        after = _attempt(faults, f"/edits/{n}", change) or bench
        if locks.list_broken(after.draft) and not locks.list_broken(bench.draft):
            faults.append(Fault(f"/edits/{n}", "locked", "it would change what is locked"))
        bench = after
    if changes_request(asked):
        kept = give_beds(new, keep_wishes(new, bench.draft, bench.held), bench.held)
        more = tuple(range(len(present.itinerary.days) + 1, new.request.days + 1))
        bench = replace(bench, draft=fill_days(new, kept, more, bench.held))
    for row_id in locks.list_broken(bench.draft) if not faults else ():
        faults.append(Fault("/lock", "gone", f"{row_id} is not in the pool any more"))
    if faults:
        raise RequestRefusedError(faults)
    stays = {*bench.draft.poi_ids, *(target.row_id for target in removed.values())}
    gone = tuple(poi_id for poi_id in present.draft.poi_ids if poi_id not in stays)
    free = () if asked.message.strip() else tuple(range(1, new.request.days + 1))
    return Revised(new, bench.draft.model_copy(update={"free": free}), bench.held, gone)


def with_wishes(
    snapshot: Snapshot, edits: Iterable[Edit], removed: Sequence[Target] = ()
) -> Snapshot:
    """The snapshot with the last pace that is asked for, and without what is taken out.

    A place or a hotel that goes is no must-see any more, and no wish names it.
    """
    edits, request = tuple(edits), snapshot.request
    paces = [edit.pace for edit in edits if isinstance(edit, PaceEdit)]
    gone = {target.row_id for target in removed if target.kind == "poi"}
    must = request.drop_must_sees(gone)
    wishes = request.drop_wishes(gone | set(_list_hotels_gone(snapshot, edits, removed)))
    changed = request.model_copy(
        update={"pace": (request.pace, *paces)[-1], "must_see": must, "wishes": wishes}
    )
    if changed == request:
        return snapshot
    return snapshot.model_copy(update={"request": changed}).sealed()


def _list_hotels_gone(
    snapshot: Snapshot, edits: Iterable[Edit], removed: Sequence[Target]
) -> Iterator[str]:
    """Hotels that are taken out, and those of a city for which another one is asked for."""
    yield from (target.row_id for target in removed if target.kind == "hotel")
    for edit in edits:
        if isinstance(edit, SwapHotelEdit):
            city = _find_city(snapshot, edit.city)
            rows = snapshot.rows.hotels.values()
            yield from (r.id for r in rows if r.city == city and r.id != edit.hotel_id)


@dataclass(frozen=True)
class _Bench:
    """The plan between two edits: `locks` are the traveller's, `held` has what edits ask for too."""

    snapshot: Snapshot
    draft: Draft
    locks: Locks
    held: Locks

    def do(self, edit: Edit, removed: Target | None) -> "_Bench":
        """After one more edit; a `ToolError` where it cannot be meant."""
        if isinstance(edit, RemoveEdit):
            return self._remove(removed) if removed else self
        if isinstance(edit, AddEdit):
            return self._add(_find_place(self.snapshot, edit.poi_id), edit.day)
        if isinstance(edit, PaceEdit):
            return replace(self, draft=change_pace(self.snapshot, self.draft, self.held))
        if isinstance(edit, WishEdit | SetEdit):  # it stands in the snapshot's request
            return self
        return self._swap(_find_city(self.snapshot, edit.city), edit.hotel_id)

    def _remove(self, target: Target) -> "_Bench":
        """Nights need a bed: another hotel takes a removed one's place, where the pool has one."""
        city = next((c for c, row in self.draft.hotels.items() if row == target.row_id), None)
        if target.kind == "hotel" and city and self._has_other(city):
            return self._swap(city, None)
        return replace(
            self, draft=remove_target(self.draft, target), held=self.held.bar(target.row)
        )

    def _has_other(self, city: str) -> bool:
        out = {self.draft.hotels.get(city), *(row_id for _, row_id in self.held.out)}
        return not out.issuperset(self.snapshot.cities[city].hotels)

    def _add(self, poi_id: str, day: int | None) -> "_Bench":
        draft = add_place(self.snapshot, self.draft, poi_id, day, self.held.poi_ids)
        held = Locks(places=(poi_id,)) if day is None else Locks(visits=((day, poi_id),))
        return replace(self, draft=draft, held=self.held.hold(held))

    def _swap(self, city: str, hotel_id: str | None) -> "_Bench":
        barred = {row_id for kind, row_id in self.held.out if kind == "hotel"}
        draft = swap_hotel(self.snapshot, self.draft, city, hotel_id, barred)
        before = self.draft.hotels.get(city)
        held = self.held.bar(("hotel", before)) if before not in (None, hotel_id) else self.held
        if hotel_id is not None:
            held = held.hold(Locks(hotels={city: hotel_id}))
        return replace(self, draft=draft, held=held)


def _find_place(snapshot: Snapshot, word: str) -> str:
    """The id that a name means; the word itself where it means none."""
    pool = sorted(snapshot.ids_by_kind["poi"])
    return find_known(word, {i: _list_names(snapshot.rows.pois[i]) for i in pool}) or word


def _find_city(snapshot: Snapshot, word: str) -> str:
    """The id that a name means; the word itself where it means none."""
    known = {i: _list_names(row) for i, row in snapshot.city_rows.items()}
    return find_known(word, known) or word


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


def show_start(revised: Revised, asked: RevisionRequest, parent: str) -> RevisionBegun:
    """What the log keeps of it."""
    return RevisionBegun(
        revision_of=parent,
        wish=asked.message,
        gone=tuple(revised.gone),
        draft=revised.draft,
        locks=revised.locks,
    )
