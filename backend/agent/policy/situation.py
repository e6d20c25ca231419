"""What every phase of the policy looks at: the calls so far, the draft, and what is chosen in it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from backend.agent.policy.brief import Brief, BriefCity
from backend.agent.policy.call_log import CallLog
from backend.agent.policy.draft_view import DraftView, read_draft
from backend.agent.policy.lodging import list_beds
from backend.agent.policy.places import list_free, list_wanted
from backend.agent.policy.rides import list_rides
from backend.agent.policy.spending import Choice
from backend.agent.policy.usable import Ride
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
    def _beds(self) -> dict[str, list[Choice]]:
        return {}

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """Places worth a visit, city by city, must-sees first."""
        return tuple(poi_id for city in self.brief.cities for poi_id in self.list_wanted(city))

    @property
    def over_budget(self) -> float:
        """How much more the plan costs than the budget allows; 0 where that is not known."""
        budget, total = self.brief.budget, self.draft.total
        return 0.0 if budget is None or total is None else max(0.0, total - budget)

    def may_afford(self, poi_id: str) -> bool:
        """Whether the place may be added to a plan that is over its budget: free, and not far.

        The traveller will have to raise the budget, but not for this.
        """
        must = any(poi_id == must_id for must_id, _ in self.brief.must_see)
        return must or self.over_budget == 0 or poi_id in self._free

    @cached_property
    def _free(self) -> set[str]:
        return {i for city in self.brief.cities for i in list_free(self.log, city)}

    def list_wanted(self, city: BriefCity) -> list[str]:
        """Places of one city worth a visit, most wanted first."""
        return self._wanted[city.id]

    def list_beds(self, city: BriefCity) -> list[Choice]:
        """The city's hotels as choices."""
        if city.id not in self._beds:
            wanted = self.list_wanted(city)
            self._beds[city.id] = list_beds(self.log, city, wanted, self.rides)
        return self._beds[city.id]


Phase = Callable[[Situation], list[ToolCall]]
"""The next calls of a phase; none where it has nothing (more) to do."""
