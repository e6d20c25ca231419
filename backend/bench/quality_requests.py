"""Requests drawn by a seed from what the catalogue holds: the n-th is the same whatever is asked after it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

FIRST_DATE = dt.date(2026, 3, 1)
DATES = 300
"""A year without its end: the trains of the seed run on all of these."""

MOST_DAYS, MOST_CITIES, MOST_MUST_SEES = 10, 3, 5
TIERS = ("economy", "comfort", "quality")
PACES = ("standard", "standard", "packed", "relaxed")

DAY_BUDGET = {"economy": 350, "comfort": 600, "quality": 1300}
"""What a day costs one traveller, about, with bed and tickets; a trip there and back comes on top."""

TRAVEL_BUDGET = 900
BUDGET_FACTORS = (0.35, 0.7, 1.0, 1.5, 2.5)
"""From a budget that cannot do to one that limits nothing."""


@dataclass(frozen=True)
class KnownPlace:
    """A place that a traveller may have heard of; unknown popularity is 0."""

    id: str
    city: str
    popularity: float


@dataclass(frozen=True)
class Vocabulary:
    """What requests are made of; each in the order of its ids."""

    cities: tuple[str, ...]
    tags: tuple[str, ...]
    places: tuple[KnownPlace, ...]


def draw_requests(vocabulary: Vocabulary, count: int, seed: int) -> list[dict[str, Any]]:
    """Bodies of `POST /v1/itineraries` for the built-in planner."""
    return [_draw(vocabulary, Random(f"{seed} {n}")) for n in range(count)]  # noqa: S311 - a sample


def _draw(vocabulary: Vocabulary, random: Random) -> dict[str, Any]:
    cities = random.sample(vocabulary.cities, random.choice((1, 1, 2, MOST_CITIES)))
    days = random.randint(1, MOST_DAYS)
    tier, travellers = random.choice(TIERS), random.randint(1, 5)
    body = {
        "destinations": [{"city": city} for city in cities],
        "start_date": (FIRST_DATE + dt.timedelta(random.randrange(DATES))).isoformat(),
        "days": days,
        "travellers": travellers,
        "budget_tier": tier,
        "interests": random.sample(vocabulary.tags, random.randint(0, 4)),
        "must_see": _draw_must_sees(vocabulary.places, cities, random),
        "pace": random.choice(PACES),
        "locale": random.choice(("zh-CN", "en")),
        "planner": "builtin",
    }
    if random.random() < 0.8:
        body["origin"] = random.choice([city for city in vocabulary.cities if city not in cities])
    if random.random() < 0.6:
        usual = travellers * (days * DAY_BUDGET[tier] + TRAVEL_BUDGET)
        body["budget_total"] = str(round(usual * random.choice(BUDGET_FACTORS)))
    return body


def _draw_must_sees(places: Sequence[KnownPlace], cities: list[str], random: Random) -> list[str]:
    """Rather what many have heard of."""
    here = [place for place in places if place.city in cities]
    weights = [1 + place.popularity**2 for place in here]
    wanted = random.randint(0, MOST_MUST_SEES)
    chosen = random.choices(here, weights, k=wanted) if here and wanted else []
    return list(dict.fromkeys(place.id for place in chosen))
