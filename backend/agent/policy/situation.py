"""What every phase of the policy looks at: the calls so far, the draft, and what is chosen in it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from backend.agent.policy.brief import Brief, BriefCity
from backend.agent.policy.call_log import CallLog
from backend.agent.policy.draft_view import DraftView, read_draft
from backend.agent.policy.places import list_wanted
from backend.agent.policy.rides import Ride, list_rides
from backend.tools.call import ToolCall


@dataclass(frozen=True)
class Situation:
    """A conversation, read."""

    log: CallLog

    @property
    def brief(self) -> Brief:
        """The trip."""
        return self.log.brief

    @cached_property
    def draft(self) -> DraftView:
        """The draft as it stands."""
        return read_draft(self.log)

    @cached_property
    def rides(self) -> tuple[Ride, ...]:
        """The chosen rides whose times are known, by leg."""
        known = [ride for leg in self.brief.legs for ride in list_rides(self.log, leg)]
        chosen = set(self.draft.trains.items())
        return tuple(ride for ride in known if (ride.leg, ride.train_ids) in chosen)

    @cached_property
    def _wanted(self) -> dict[str, list[str]]:
        cities = self.brief.cities
        return {city.id: list_wanted(self.log, city, self.rides) for city in cities}

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """Places worth a visit, city by city, must-sees first."""
        return tuple(poi_id for city in self.brief.cities for poi_id in self.list_wanted(city))

    def list_wanted(self, city: BriefCity) -> list[str]:
        """Places of one city worth a visit, most wanted first."""
        return self._wanted[city.id]


Phase = Callable[[Situation], list[ToolCall]]
"""The next calls of a phase; none where it has nothing (more) to do."""
