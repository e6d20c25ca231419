"""The choices made so far: visits, hotels, trains. Times, ways and costs are computed from them."""

from typing import Annotated

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

    Two train ids are a connection. A day or leg without a choice is absent.
    """

    visits: dict[int, tuple[PlannedVisit, ...]] = Field(default_factory=dict)
    hotels: dict[str, str] = Field(default_factory=dict)
    trains: dict[int, tuple[str, ...]] = Field(default_factory=dict)

    def visits_on(self, day: int) -> tuple[PlannedVisit, ...]:
        """The visits of a day, none where it has no entry."""
        return self.visits.get(day, ())

    @property
    def poi_ids(self) -> tuple[str, ...]:
        """All places in the draft, by day and order."""
        return tuple(v.poi_id for day in sorted(self.visits) for v in self.visits[day])
