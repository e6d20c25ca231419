"""What a visit is worth to this traveller, in minutes of travel: the one measure of all choices.

How well known a place is counts most, and steeply: the reason to come to a city weighs as much as
several nice places. The figures of `FITTED` come from published itineraries (see
`backend.bench.fitting`); what these cannot tell (interests, prices) is set here by hand.
"""

import datetime as dt
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.catalogue.place_types import FOOD_TYPES
from backend.pool.plan_request import Tier


@dataclass(frozen=True)
class Fit:
    """The odds that a published trip of two to five days holds a place: log-odds, linear.

    `level` is a sight of popularity 80, `slope` ten points more, `hour` an hour that the visit
    takes, `food` a place to eat. A plan pays for hours itself, so `hour` is no part of the worth.
    """

    level: float
    slope: float
    hour: float
    food: float


FITTED = Fit(level=-0.747, slope=1.095, hour=-0.331, food=-1.375)

USUAL_POPULARITY = 80.0
UNKNOWN_POPULARITY = 30.0
TEN_POINTS = 10.0

EVEN_ODDS = 1500.0
"""Minutes of travel for a place that every second trip holds."""

ANY_PLACE = 120.0
"""Minutes for seeing anything at all rather than nothing; a meal is had anyway."""

ANY_TABLE = 60.0
USUAL_MEAL: dict[Tier, float] = {"economy": 40.0, "comfort": 80.0, "quality": 150.0}
"""Minutes for a table that is known rather than looked for, and what a meal costs anyhow."""

INTEREST_ODDS = math.log(1.8)
MOST_INTERESTS = 2
"""An interest counts as five points of popularity: it tilts, and never drops what all come for."""

ALL_INTERESTS = 9000.0
MOST_OF_INTEREST, LEAST_OF_INTEREST = 6000.0, 800.0
SECOND_SHARE = 0.2
"""More for the best place of each interest, so that each is served: they share what there is for
all. The second best place has a part of that, for where the first one cannot be had."""

SAME_TYPE = 0.92
SAME_KIND = 0.6
MOST_SAME = 5
"""Each further place of a type counts less; one of the same kind of thing (a wall, a town) yet less."""

MONEY_WORTH: dict[Tier, float] = {"economy": 1.5, "comfort": 1.0, "quality": 0.4}
"""Minutes for one unit of money of each traveller; the unit is the yuan, others count alike."""

WINTER = frozenset({12, 1, 2})
COLD_FROM = 25.0
COLD_SHARE: dict[str, float] = {
    **dict.fromkeys(("garden", "lake", "mountain", "park"), 0.8),
    "beach": 0.3,
}
"""What is left in winter of places out of doors, north of that latitude."""


class Sight(NamedTuple):
    """What decides the worth of a place; `name` and `lat` only where they are known."""

    id: str
    type: str
    popularity: float | None
    price: float
    tags: Sequence[str]
    name: str = ""
    lat: float | None = None


@dataclass(frozen=True)
class Taste:
    """What decides beside the place."""

    interests: frozenset[str]
    tier: Tier
    date: dt.date

    @property
    def likes_food(self) -> bool:
        """Whether the traveller comes for the food too."""
        return "food" in self.interests


def rate_alone(sight: Sight, taste: Taste) -> float:
    """The worth of a place, whatever else is seen."""
    popularity = UNKNOWN_POPULARITY if sight.popularity is None else sight.popularity
    is_food = sight.type in FOOD_TYPES
    matches = min(MOST_INTERESTS, len(taste.interests.intersection(sight.tags)))
    odds = (
        FITTED.level
        + FITTED.slope * (popularity - USUAL_POPULARITY) / TEN_POINTS
        + FITTED.food * (is_food and not taste.likes_food)
        + INTEREST_ODDS * matches
    )
    worth = EVEN_ODDS * math.exp(odds) * _rate_season(sight, taste.date)
    worth += ANY_TABLE if is_food else ANY_PLACE
    price = max(0.0, sight.price - USUAL_MEAL[taste.tier]) if is_food else sight.price
    return max(1.0, worth - MONEY_WORTH[taste.tier] * price)


def rate_together(sights: Sequence[Sight], taste: Taste) -> list[float]:
    """The worth of each of them, where the better ones of its kind are seen too."""
    alone = [rate_alone(sight, taste) for sight in sights]
    order = sorted(range(len(sights)), key=lambda n: (-alone[n], sights[n].id))
    types, kinds, served = Counter[str](), Counter[str](), Counter[str]()
    worth = list(alone)
    for n in order:
        sight = sights[n]
        worth[n] *= SAME_TYPE ** min(MOST_SAME, types[sight.type])
        kind = _find_kind(sight)
        if kind:
            worth[n] *= SAME_KIND ** min(MOST_SAME, kinds[kind])
            kinds[kind] += 1
        types[sight.type] += 1
        for interest in sorted(taste.interests.intersection(sight.tags)):
            worth[n] += _rate_first(taste, served[interest])
            served[interest] += 1
    return worth


def _rate_first(taste: Taste, served: int) -> float:
    """What a place is worth more as the first of its interest, or the second."""
    first = min(MOST_OF_INTEREST, max(LEAST_OF_INTEREST, ALL_INTERESTS / len(taste.interests)))
    return (first, SECOND_SHARE * first, 0.0)[min(served, 2)]


def _rate_season(sight: Sight, date: dt.date) -> float:
    is_cold = date.month in WINTER and (sight.lat is None or sight.lat > COLD_FROM)
    return COLD_SHARE.get(sight.type, 1.0) if is_cold else 1.0


def _find_kind(sight: Sight) -> str:
    """What the name ends in, with the type: 长城, 古镇; empty where there is no name."""
    return f"{sight.type} {sight.name[-2:]}" if len(sight.name) > len("长城") else ""
