"""Which places, hotels and trains keep a wish, by what the catalogue says of them.

Pool, planner and validator all ask here, so that what one chooses the other finds kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from backend.catalogue.naming import fold
from backend.catalogue.place_types import FOOD_TYPES, read_words
from backend.clock import parse_minutes
from backend.pool.candidate import HotelCandidate, PoiCandidate, measure_distance_m
from backend.pool.plan_request import PlanRequest
from backend.pool.wishes import (
    BedsWish,
    EatWish,
    HotelWish,
    IntercityWish,
    PriceWish,
    SpendWish,
    VisitWish,
    Wish,
    list_ids,
)

Truth = bool | None
"""None: the catalogue does not know."""

Spots = Mapping[str, tuple[str, tuple[float, float]]]
"""City and position of the places and stations that wishes for hotels name, by id."""

KNOWN_MODE = "train"
"""The only mode between cities that the catalogue has."""

SPARE_PLACES = 4
"""Places of a wished kind in the pool beyond those wished for: some may be closed or far."""


def is_of_kind(poi: PoiCandidate, wish: VisitWish) -> bool:
    """Whether a wish for visits is about this place."""
    if wish.free and poi.price != 0:
        return False
    if not (wish.type or wish.tag or wish.any_of):
        return poi.type not in FOOD_TYPES
    return poi.type in wish.type or poi.id in wish.any_of or not {*wish.tag}.isdisjoint(poi.tags)


def serves(poi: PoiCandidate, wish: EatWish) -> bool:
    """Whether a meal here is a meal that was wished for."""
    return poi.id in wish.places or not {*wish.cuisine}.isdisjoint(poi.cuisine)


def is_within(amount: Decimal, wish: PriceWish | SpendWish) -> bool:
    """Whether an amount lies within the limits of a wish, or outside of them where that is wished."""
    is_low = wish.at_most is None or amount <= wish.at_most
    is_high = wish.at_least is None or amount >= wish.at_least
    return (is_low and is_high) is not wish.negated


def list_refused(wishes: Iterable[Wish]) -> tuple[VisitWish, ...]:
    """Wishes by which places of a kind must not be visited."""
    refusing = (w for w in wishes if isinstance(w, VisitWish) and w.is_unwanted)
    musts = (wish for wish in refusing if wish.weight == "must" and not (wish.free or wish.day))
    return tuple(wish for wish in musts if wish.type or wish.tag or wish.any_of)


def list_wanted_kinds(wishes: Iterable[Wish]) -> tuple[VisitWish | EatWish, ...]:
    """Wishes for places of a kind, of which the pool is to hold some."""
    wanted = (w for w in wishes if isinstance(w, VisitWish | EatWish) and not w.is_unwanted)
    return tuple(wish for wish in wanted if wish.at_least and _names_kind(wish))


def _names_kind(wish: VisitWish | EatWish) -> bool:
    return bool(wish.type or wish.tag if isinstance(wish, VisitWish) else wish.cuisine)


def is_wanted(poi: PoiCandidate, wish: VisitWish | EatWish) -> bool:
    """Whether a place is of the kind that is wished for."""
    return is_of_kind(poi, wish) if isinstance(wish, VisitWish) else serves(poi, wish)


def pick_of_kinds(rows: Sequence[PoiCandidate], wishes: Iterable[Wish]) -> list[str]:
    """The first of `rows`, which are in order, of each kind that is wished for."""
    picked: dict[str, None] = {}
    for wish in list_wanted_kinds(wishes):
        fitting = [row.id for row in rows if is_wanted(row, wish)]
        picked.update(dict.fromkeys(fitting[: wish.at_least + SPARE_PLACES]))
    return list(picked)


def has_hotel_wishes(wishes: Iterable[Wish]) -> bool:
    """Whether wishes say anything of hotels."""
    wishes = tuple(wishes)
    spends = (wish for wish in wishes if isinstance(wish, SpendWish))
    return bool(list_hotel_wishes(wishes)) or any(wish.on == "hotels" for wish in spends)


HotelRank = tuple[int, int, int]
"""Musts that a hotel breaks, musts of which nobody knows, and what it lacks of the rest."""


def list_hotel_wishes(wishes: Iterable[Wish]) -> tuple[HotelWish | BedsWish | PriceWish, ...]:
    """Wishes that decide which hotel it is."""
    return tuple(
        wish
        for wish in wishes
        if isinstance(wish, HotelWish | BedsWish)
        or (isinstance(wish, PriceWish) and wish.of == "night")
    )


def rank_wished(hotel: HotelCandidate, wishes: Iterable[Wish], spots: Spots) -> HotelRank:
    """How far a hotel is from what is wished for; the least is the best."""
    broken = unknown = lacking = 0
    for wish in list_hotel_wishes(wishes):
        truths = judge_hotel(hotel, wish, spots)
        if wish.weight == "must":
            broken += truths.count(False)
            unknown += truths.count(None)
        else:
            lacking += len(truths) - truths.count(True)
    return broken, unknown, lacking


def judge_hotel(
    hotel: HotelCandidate, wish: HotelWish | BedsWish | PriceWish, spots: Spots
) -> list[Truth]:
    """Whether each part of a wish is true of a hotel; nothing where it is about another city."""
    if isinstance(wish, PriceWish):
        price = hotel.price_per_night
        return [None if price is None else is_within(price, wish)]
    if isinstance(wish, BedsWish):
        return [_judge_beds(hotel, wish)]
    truths = list(_judge_parts(hotel, wish, spots))
    if not wish.negated or not truths:
        return truths
    return [True if False in truths else None if None in truths else False]


def _judge_beds(hotel: HotelCandidate, wish: BedsWish) -> Truth:
    if not hotel.beds:
        return None
    if wish.negated:
        return bool(set(hotel.beds) - {wish.in_room})
    return wish.in_room in hotel.beds


def _judge_parts(hotel: HotelCandidate, wish: HotelWish, spots: Spots) -> Iterable[Truth]:
    near = [spots[place] for place in list_ids(wish.near) if place in spots]
    named = spots.get(wish.hotel or "")
    cities = {city for city, _ in near} | ({named[0]} if named is not None else set())
    if cities and hotel.city not in cities:
        return
    if wish.hotel is not None:
        yield hotel.id == wish.hotel
    for feature in wish.features:
        yield has_feature(hotel, feature) or None
    if wish.near is not None:
        yield _judge_near(hotel, wish, [position for _, position in near])
    if (wish.stars, wish.stars_at_most) != (None, None):
        stars = hotel.stars
        low, high = wish.stars or 0, wish.stars_at_most or 9
        yield None if stars is None else low <= stars <= high
    if wish.rating is not None:
        yield None if hotel.rating is None else hotel.rating >= wish.rating


def _judge_near(
    hotel: HotelCandidate, wish: HotelWish, near: Sequence[tuple[float, float]]
) -> Truth:
    if not near:
        return None
    return min(measure_distance_m(hotel.position, there) for there in near) <= wish.metres


def has_feature(hotel: HotelCandidate, feature: str) -> bool:
    """Whether a hotel is known to offer something, by tag, beds, brand or, for a brand, name."""
    if feature in hotel.tags or feature in hotel.beds:
        return True
    if feature in read_words("feature"):
        return False
    return any(feature in fold(text) for text in (hotel.brand or "", hotel.name, hotel.name_en))


def list_leg_wishes(
    request: PlanRequest, ways: Sequence[tuple[str, str]], number: int
) -> tuple[IntercityWish, ...]:
    """The wishes about one leg; `ways` are both cities of each leg."""
    wishes = (wish for wish in request.wishes if isinstance(wish, IntercityWish))
    return tuple(wish for wish in wishes if number in wish.pick_legs(ways, request.origin))


def is_by_own_means(wishes: Iterable[IntercityWish]) -> bool:
    """Whether a leg must be travelled in a way of which the catalogue knows nothing."""
    return any(wish.weight == "must" and _refuses_trains(wish) for wish in wishes)


def _refuses_trains(wish: IntercityWish) -> bool:
    if not wish.negated:
        return wish.mode not in {None, KNOWN_MODE}
    said = wish.types, wish.number, wish.direct, wish.longest_min, list_times(wish, 0, 0)
    is_about_some = any(said)
    return wish.mode == KNOWN_MODE and not is_about_some


def list_times(wish: IntercityWish, depart: int, arrive: int) -> list[int]:
    """By how many minutes a ride is too early or late for each time that is wished for."""
    times = (
        (wish.depart_after, 1, depart),
        (wish.depart_before, -1, depart),
        (wish.arrive_after, 1, arrive),
        (wish.arrive_before, -1, arrive),
    )
    return [sign * (parse_minutes(time) - minutes) for time, sign, minutes in times if time]


def is_train_wished(wish: IntercityWish, numbers: Sequence[str]) -> bool:
    """Whether trains of these numbers are of the types and among the numbers wished for."""
    types = tuple(text.upper() for text in wish.types)
    typed = [number_of_type(number) for number in numbers]
    if wish.direct and len(numbers) > 1:
        return False
    if types and not all(number.startswith(types) for number in typed):
        return False
    return is_numbered(wish, numbers)


def is_numbered(wish: IntercityWish, numbers: Sequence[str]) -> bool:
    """Whether one of the trains has the number wished for; a modelled one may be said without M."""
    said = {form for n in numbers for form in (n.upper(), number_of_type(n))}
    return wish.number is None or wish.number.upper() in said


def number_of_type(number: str) -> str:
    """A number as it begins with its type; a modelled one has an M before it."""
    number = number.upper()
    is_modelled = number.startswith("M") and number[1:2].isalpha()
    return number[1:] if is_modelled else number


def keeps_ride(wish: IntercityWish, numbers: Sequence[str], depart: int, arrive: int) -> bool:
    """Whether a ride by train keeps a wish; minutes from midnight of the leg's date."""
    is_as_said = (
        wish.mode in {None, KNOWN_MODE}
        and is_train_wished(wish, numbers)
        and (wish.longest_min is None or arrive - depart <= wish.longest_min)
        and all(minutes <= 0 for minutes in list_times(wish, depart, arrive))
    )
    return is_as_said is not wish.negated
