"""The places that may be put into a trip, each with its weight: the minutes of travel it is worth.

The weight grows with the length of the visit, so that one great sight is not left out for two small
ones. A minute at the place named first in its city counts five times as much as at the last one.
"""

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from backend.planner.draft import PlannedVisit
from backend.planner.trip import Trip
from backend.pool.candidate import PoiCandidate

LOCKED_WEIGHT = 1_000_000_000_000
KEPT_WEIGHT = 1_000_000_000
MUST_WEIGHT = 1_000_000
"""What is locked goes last, then what stands (of it a must-see), must-sees, all that was wished."""

TWICE_AS_KNOWN = 12.0
"""Points of popularity that make a must-see worth two: where not all fit, the least known go."""

USUAL_POPULARITY = 50.0
UNKNOWN_POPULARITY = 30.0

MINUTE_WEIGHT = 3
"""A minute of a visit is worth three of travel, so places are left out only where time is short."""

FIRST_AGAINST_LAST = 5
VISIT_EFFORT_MIN = 60
"""The way and finding one's way in: a place takes more than its own time."""

LONGEST_COUNTED_MIN = 240
"""A whole day in one park is not worth more than a morning in a palace."""


EVENING_TAGS = frozenset({"night_view", "nightlife"})
DAYLIGHT_TYPES = frozenset(
    {
        *("ancient_town", "beach", "campus", "garden", "historic_site", "lake"),
        *("memorial", "mountain", "palace", "park", "temple", "zoo"),
    }
)


@dataclass(frozen=True)
class Candidate:
    """A place to be put in; `day` binds a kept visit to its day, `at` is its wish.

    What is bound (a must-see, a kept visit) may exceed the pace or cost a meal.
    """

    poi: PoiCandidate
    weight: int
    is_bound: bool
    money: Decimal
    at: int | None = None
    day: int | None = None

    def outweighs(self, other: "Candidate") -> bool:
        """Whether it stays in although the other one, which is bound, needs its room."""
        return self.is_bound and self.weight >= other.weight

    @cached_property
    def is_for_evenings(self) -> bool:
        """Whether it should be visited in the evening, as lights and bars."""
        return not EVENING_TAGS.isdisjoint(self.poi.tags)

    @cached_property
    def is_for_daylight(self) -> bool:
        """Whether it needs daylight: it is out of doors and not lit."""
        return self.poi.type in DAYLIGHT_TYPES and not self.is_for_evenings


def weigh(
    trip: Trip, pois: Sequence[PoiCandidate], locked: AbstractSet[str] = frozenset()
) -> list[Candidate]:
    """Candidates, most wanted first within each city; must-sees weigh by how well known they are."""
    must = set(trip.snapshot.request.must_see)
    counts = Counter(poi.city for poi in pois)
    ranks: Counter[str] = Counter()
    candidates = []
    for poi in pois:
        share = 1 - ranks[poi.city] / counts[poi.city]
        ranks[poi.city] += 1
        is_bound = poi.id in must or poi.id in locked
        weight = _weigh_must(poi) if is_bound else _weigh(poi, share)
        weight += LOCKED_WEIGHT if poi.id in locked else 0
        candidates.append(Candidate(poi, weight, is_bound, _price(trip, poi)))
    return candidates


def bind_kept(
    trip: Trip,
    kept: Sequence[tuple[int, PlannedVisit]],
    locked: AbstractSet[str] = frozenset(),
) -> list[Candidate]:
    """Visits of a draft, each bound to its day."""
    must = set(trip.snapshot.request.must_see)
    candidates = []
    for day, visit in kept:
        poi = trip.snapshot.rows.pois[visit.poi_id]
        weight = LOCKED_WEIGHT if poi.id in locked else KEPT_WEIGHT
        weight += _weigh_must(poi) if poi.id in must else 0
        money = _price(trip, poi)
        candidates.append(Candidate(poi, weight, is_bound=True, money=money, at=visit.at, day=day))
    return candidates


def _weigh_must(poi: PoiCandidate) -> int:
    popularity = UNKNOWN_POPULARITY if poi.popularity is None else poi.popularity
    return round(MUST_WEIGHT * 2 ** ((popularity - USUAL_POPULARITY) / TWICE_AS_KNOWN))


def _weigh(poi: PoiCandidate, share: float) -> int:
    effort = min(poi.duration_min, LONGEST_COUNTED_MIN) + VISIT_EFFORT_MIN
    return round(effort * MINUTE_WEIGHT * (1 + (FIRST_AGAINST_LAST - 1) * share))


def _price(trip: Trip, poi: PoiCandidate) -> Decimal:
    return (poi.price or Decimal(0)) * trip.snapshot.request.travellers
