"""The choices made so far: visits, hotels, trains. Times, ways and costs are computed from them.

Which choices must stay in a plan, and which must stay out of it, while it is revised.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Choice(BaseModel):
    """A frozen part of the draft."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PlannedVisit(Choice):
    """A place on a day; `at` is the earliest start in minutes after midnight, None: any time."""

    poi_id: str
    at: Annotated[int, Field(ge=0, le=1560)] | None = None


class Draft(Choice):
    """Visits by day (1, 2, …) in visiting order, hotel by city, train ids by leg (0, 1, …).

    Two train ids are a connection. A day or leg without a choice is absent. `free` are days that
    need no visit: the traveller has changed the plan by hand.
    """

    visits: dict[int, tuple[PlannedVisit, ...]] = Field(default_factory=dict)
    hotels: dict[str, str] = Field(default_factory=dict)
    trains: dict[int, tuple[str, ...]] = Field(default_factory=dict)
    free: tuple[int, ...] = Field((), exclude_if=lambda days: not days)

    def visits_on(self, day: int) -> tuple[PlannedVisit, ...]:
        """The visits of a day, none where it has no entry."""
        return self.visits.get(day, ())

    @property
    def poi_ids(self) -> tuple[str, ...]:
        """All places in the draft, by day and order."""
        return tuple(v.poi_id for day in sorted(self.visits) for v in self.visits[day])


Barred = tuple[Literal["poi", "hotel", "train"], str]


class Locks(Choice):
    """Choices that must stay: visits on a day, places on any day, hotels by city, trains by leg.

    `out` are ids that the traveller took out, which must not come back.
    """

    visits: tuple[tuple[int, str], ...] = ()
    places: tuple[str, ...] = ()
    hotels: dict[str, str] = Field(default_factory=dict)
    trains: dict[int, tuple[str, ...]] = Field(default_factory=dict)
    out: tuple[Barred, ...] = ()

    @property
    def poi_ids(self) -> frozenset[str]:
        """Places that have to stay, on a day or on any."""
        return frozenset((*(poi_id for _, poi_id in self.visits), *self.places))

    def list_broken(self, draft: Draft) -> list[str]:
        """Ids of what is locked and not in the draft as it was."""
        visits = {(day, visit.poi_id) for day, row in draft.visits.items() for visit in row}
        planned = set(draft.poi_ids)
        gone = [poi_id for day, poi_id in self.visits if (day, poi_id) not in visits]
        gone += [poi_id for poi_id in self.places if poi_id not in planned]
        gone += [h for city, h in self.hotels.items() if draft.hotels.get(city) != h]
        return gone + [
            train for leg, ids in self.trains.items() for train in ids
            if draft.trains.get(leg) != ids
        ]  # fmt: skip

    def list_back(self, draft: Draft) -> list[str]:
        """Ids of what was taken out and is in the draft again."""
        planned = {
            *(("poi", poi_id) for poi_id in draft.poi_ids),
            *(("hotel", hotel_id) for hotel_id in draft.hotels.values()),
            *(("train", train_id) for ids in draft.trains.values() for train_id in ids),
        }
        return [row_id for kind, row_id in self.out if (kind, row_id) in planned]

    def bar(self, *rows: Barred) -> "Locks":
        """The same locks with these ids kept out, and no longer kept in."""
        ids = {row_id for _, row_id in rows}
        return Locks(
            visits=tuple(visit for visit in self.visits if visit[1] not in ids),
            places=tuple(poi_id for poi_id in self.places if poi_id not in ids),
            hotels={city: hotel for city, hotel in self.hotels.items() if hotel not in ids},
            trains={leg: t for leg, t in self.trains.items() if not ids.intersection(t)},
            out=tuple(dict.fromkeys((*self.out, *rows))),
        )

    def hold(self, held: "Locks") -> "Locks":
        """These locks and the given ones together; what those keep in is no longer kept out."""
        return Locks(
            visits=tuple(dict.fromkeys((*self.visits, *held.visits))),
            places=tuple(dict.fromkeys((*self.places, *held.places))),
            hotels={**self.hotels, **held.hotels},
            trains={**self.trains, **held.trains},
            out=tuple(dict.fromkeys((*self._list_still_out(held), *held.out))),
        )

    def _list_still_out(self, held: "Locks") -> Iterator[Barred]:
        trains = {train_id for ids in held.trains.values() for train_id in ids}
        back = {"poi": held.poi_ids, "hotel": set(held.hotels.values()), "train": trains}
        return (row for row in self.out if row[1] not in back[row[0]])

    def __bool__(self) -> bool:
        return bool(self.visits or self.places or self.hotels or self.trains or self.out)
