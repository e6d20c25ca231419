"""Resolves a request against the catalogue, or names all its faults at once.

The checks against the catalogue read the raw words, also where other fields are malformed, so that
a wrong date does not hide an unknown place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.catalogue.queries import (
    NamedPlace,
    find_hotel_ids,
    find_places,
    list_place_names,
    list_stations,
    read_cities,
    read_tags,
)
from backend.db.session import Session
from backend.errors import Fault, RequestRefusedError
from backend.params.registry import ParamValue
from backend.pool.plan_request import PlanRequest, count_rooms, share_nights
from backend.pool.request_shape import (
    check_fields_together,
    find_bad_text,
    make_pointer,
    read_fields,
)
from backend.text import find_near, quote


@dataclass(frozen=True)
class Vocabulary:
    """What the words of a request may mean; names of cities and tags lead to their ids."""

    cities: Mapping[str, str]
    tags: Mapping[str, str]
    hotels: frozenset[str]
    places: Mapping[str, tuple[NamedPlace, ...]]  # by id and by exact name
    names: Sequence[tuple[str, str]]  # id and name of the places of the destinations
    stations: Mapping[str, frozenset[str]]  # by city
    allow_synthetic: bool


@dataclass
class Reading:
    """A request half read: what its words mean, and the faults found on the way."""

    vocabulary: Vocabulary
    faults: list[Fault] = field(default_factory=list)

    def refuse(self, pointer: str, code: str, message: str, near: Sequence[str] = ()) -> None:
        """Note a fault."""
        self.faults.append(Fault(pointer, code, message, tuple(near)))


async def resolve_request(
    session: Session, raw: object, params: Mapping[str, ParamValue]
) -> PlanRequest:
    """The request with ids for names and defaults filled, or a `RequestRefusedError` with all faults."""
    if not isinstance(raw, Mapping):
        raise RequestRefusedError([Fault("", "not_an_object", "the request must be a JSON object")])
    bad_texts = list(find_bad_text(raw))
    if bad_texts:  # such words cannot even be looked up
        raise RequestRefusedError(bad_texts)
    values, faults = read_fields(raw)
    faults += check_fields_together(values)
    reading = Reading(await _load_vocabulary(session, raw, params))
    meant = _read_words(reading, raw)
    faults += reading.faults
    if faults:
        raise RequestRefusedError(sorted(dict.fromkeys(faults), key=lambda f: f.pointer))
    return _fill_defaults(values, meant)


def _fill_defaults(values: dict[str, Any], meant: dict[str, Any]) -> PlanRequest:
    request = PlanRequest.model_validate(values)
    nights = [d.nights for d in request.destinations]
    if None in nights:
        nights = list(share_nights(request.days, len(nights)))
    cities = zip(meant["destinations"], nights, strict=True)
    filled = {
        "origin": meant["origin"],
        "destinations": [{"city": city, "nights": n} for city, n in cities],
        "interests": meant["interests"],
        "must_see": meant["must_see"],
        "avoid": meant["avoid"],
        "rooms": request.rooms or count_rooms(request.travellers),
    }
    return PlanRequest.model_validate(request.model_dump() | filled)


MOST_WORDS = 100
"""Of one list that are looked up; a longer one is at fault as a list."""


def _words(raw: Mapping[str, Any], name: str) -> Iterator[tuple[int, str]]:
    entries = raw.get(name)
    for n, word in enumerate(entries[:MOST_WORDS] if isinstance(entries, list | tuple) else ()):
        if isinstance(word, str) and word.strip():
            yield n, word.strip()


def _city_words(raw: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    entries = raw.get("destinations")
    for n, entry in enumerate(entries[:MOST_WORDS] if isinstance(entries, list | tuple) else ()):
        city = entry.get("city") if isinstance(entry, Mapping) else None
        if isinstance(city, str) and city.strip():
            yield n, city.strip()


async def _load_vocabulary(
    session: Session, raw: Mapping[str, Any], params: Mapping[str, ParamValue]
) -> Vocabulary:
    cities = {
        word: city.id
        for city in await read_cities(session)
        for word in (city.name_en, city.name, city.id)
    }
    tags = {
        word: tag.id for tag in await read_tags(session) for word in (tag.name_en, tag.name, tag.id)
    }
    wanted = {word for name in ("must_see", "avoid") for _, word in _words(raw, name)}
    places: dict[str, list[NamedPlace]] = {}
    for place in await find_places(session, wanted):
        for word in {place.id, place.name, place.name_en} & wanted:
            places.setdefault(word, []).append(place)
    visited = sorted({cities[word] for _, word in _city_words(raw) if word in cities})
    return Vocabulary(
        cities=cities,
        tags=tags,
        hotels=frozenset(await find_hotel_ids(session, wanted)),
        places={word: tuple(found) for word, found in places.items()},
        names=await list_place_names(session, visited) if wanted - set(places) else (),
        stations=await list_stations(session, visited),
        allow_synthetic=bool(params.get("POOL_ALLOW_SYNTHETIC")),
    )


def _read_words(reading: Reading, raw: Mapping[str, Any]) -> dict[str, Any]:
    destinations = _read_destinations(reading, raw)
    avoid, avoided = _read_avoid(reading, raw)
    _check_stations(reading, raw, destinations)
    return {
        "origin": _read_origin(reading, raw),
        "destinations": destinations,
        "interests": _read_interests(reading, raw),
        "avoid": avoid,
        "must_see": _read_must_see(reading, raw, frozenset(destinations), avoided),
    }


def _read_city(reading: Reading, pointer: str, word: str) -> str | None:
    city = reading.vocabulary.cities.get(word)
    if city is None:
        near = find_near(word, reading.vocabulary.cities)
        reading.refuse(pointer, "unknown_city", f"no city {quote(word)} in the catalogue", near)
    return city


def _read_origin(reading: Reading, raw: Mapping[str, Any]) -> str | None:
    origin = raw.get("origin")
    if isinstance(origin, str) and origin.strip():
        return _read_city(reading, make_pointer("origin"), origin.strip())
    return None


def _read_destinations(reading: Reading, raw: Mapping[str, Any]) -> list[str]:
    cities: list[str] = []
    for n, word in _city_words(raw):
        pointer = make_pointer("destinations", n, "city")
        city = _read_city(reading, pointer, word)
        if city in cities:
            reading.refuse(pointer, "duplicate_city", f"{quote(word)} is visited already")
        elif city is not None:
            cities.append(city)
    return cities


def _read_interests(reading: Reading, raw: Mapping[str, Any]) -> list[str]:
    interests: dict[str, None] = {}
    tags = reading.vocabulary.tags
    for n, word in _words(raw, "interests"):
        if word in tags:
            interests[tags[word]] = None
        else:
            pointer = make_pointer("interests", n)
            reading.refuse(pointer, "unknown_tag", f"no tag {quote(word)}", find_near(word, tags))
    return list(interests)


def _read_avoid(reading: Reading, raw: Mapping[str, Any]) -> tuple[list[str], frozenset[str]]:
    """Ids to avoid as the pool reads them, and the tags among them."""
    vocabulary = reading.vocabulary
    avoid: dict[str, None] = {}
    tags: set[str] = set()
    for n, word in _words(raw, "avoid"):
        if word in vocabulary.tags:
            tags.add(vocabulary.tags[word])
            avoid[vocabulary.tags[word]] = None
        elif word in vocabulary.places:
            avoid.update(dict.fromkeys(place.id for place in vocabulary.places[word]))
        elif word in vocabulary.hotels:
            avoid[word] = None
        else:
            near = find_near(word, [*vocabulary.tags, *(name for _, name in vocabulary.names)])
            message = f"{quote(word)} is neither a tag, a place nor a hotel of the catalogue"
            reading.refuse(make_pointer("avoid", n), "unknown_avoid", message, near)
    return list(avoid), frozenset(tags)


def _read_must_see(
    reading: Reading, raw: Mapping[str, Any], cities: frozenset[str], avoided_tags: frozenset[str]
) -> list[str]:
    avoided = {
        place.id
        for _, word in _words(raw, "avoid")
        for place in reading.vocabulary.places.get(word, ())
        if word not in reading.vocabulary.tags
    }
    chosen: list[str] = []
    for n, word in _words(raw, "must_see"):
        pointer = make_pointer("must_see", n)
        place = _read_place(reading, pointer, word, cities)
        if place is None:
            continue
        if place.id in chosen:
            reading.refuse(pointer, "duplicate_place", f"{quote(word)} is named twice")
            continue
        chosen.append(place.id)
        _check_must_see(reading, pointer, place, cities)
        if place.id in avoided or avoided_tags & set(place.tags):
            message = f"{place.name} is to be avoided by its id or one of its tags"
            reading.refuse(pointer, "avoided_place", message)
    return chosen


def _read_place(
    reading: Reading, pointer: str, word: str, cities: frozenset[str]
) -> NamedPlace | None:
    found = reading.vocabulary.places.get(word, ())
    by_id = [place for place in found if place.id == word]
    here = by_id or [place for place in found if place.city in cities] or list(found)
    if not here:
        names = {name: poi_id for poi_id, name in reading.vocabulary.names}
        near = find_near(word, [*names, *names.values()])
        reading.refuse(pointer, "unknown_place", f"no place {quote(word)} in the catalogue", near)
        return None
    if len(here) > 1:
        message = f"{len(here)} places are named {quote(word)}; give an id"
        reading.refuse(pointer, "ambiguous_place", message, [place.id for place in here][:10])
        return None
    return here[0]


def _check_must_see(
    reading: Reading, pointer: str, place: NamedPlace, cities: frozenset[str]
) -> None:
    if place.city not in cities:
        message = f"{place.name} is in {place.city}, which is no destination"
        reading.refuse(pointer, "place_elsewhere", message, sorted(cities))
    if not place.enabled:
        reading.refuse(pointer, "disabled_place", f"{place.name} is disabled in the catalogue")
    if place.is_synthetic and not reading.vocabulary.allow_synthetic:
        message = f"{place.name} is made up for scale tests, and those are not allowed"
        reading.refuse(pointer, "synthetic_place", message)


def _check_stations(reading: Reading, raw: Mapping[str, Any], cities: list[str]) -> None:
    for name, at in (("arrival", 0), ("departure", -1)):
        transport = raw.get(name)
        place = transport.get("place") if isinstance(transport, Mapping) else None
        if not isinstance(place, str) or not place.strip() or not cities:
            continue
        stations = reading.vocabulary.stations.get(cities[at], frozenset())
        if place.strip() not in stations:
            message = (
                f"no station {quote(place.strip())} in {cities[at]}; give its name or a position"
            )
            near = find_near(place.strip(), stations)
            reading.refuse(make_pointer(name, "place"), "unknown_station", message, near)
