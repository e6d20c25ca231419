"""What may not go out of a plan: visits on their days, hotels, trains."""

from pydantic import Field

from backend.planner.draft import Choice, Draft


class Locks(Choice):
    """Visits as day and place, the hotel by city, train ids by leg."""

    visits: tuple[tuple[int, str], ...] = ()
    hotels: dict[str, str] = Field(default_factory=dict)
    trains: dict[int, tuple[str, ...]] = Field(default_factory=dict)

    def list_broken(self, draft: Draft) -> list[str]:
        """Ids of what is locked and not in the draft as it was."""
        visits = {(day, visit.poi_id) for day, row in draft.visits.items() for visit in row}
        gone = [poi_id for day, poi_id in self.visits if (day, poi_id) not in visits]
        gone += [h for city, h in self.hotels.items() if draft.hotels.get(city) != h]
        return gone + [
            train for leg, ids in self.trains.items() for train in ids
            if draft.trains.get(leg) != ids
        ]  # fmt: skip

    def __bool__(self) -> bool:
        return bool(self.visits or self.hotels or self.trains)
