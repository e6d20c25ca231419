"""Resolves a request against the catalogue, or names all its faults at once.

The checks against the catalogue read the raw words, also where other fields are malformed, so that
a wrong date does not hide an unknown place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.catalogue.finder import Found
from backend.catalogue.matching import NameKind
from backend.catalogue.queries import NamedPlace, find_places, list_stations
from backend.db.session import Session
from backend.errors import Fault, RequestRefusedError
from backend.params.registry import ParamValue
from backend.pool.plan_request import PlanRequest, Resolved, count_rooms, share_nights
from backend.pool.request_names import (
    MOST_WORDS,
    Avoided,
    PlaceCheck,
    Reading,
    Word,
    read_wishes,
)
from backend.pool.request_shape import (
    check_fields_together,
    find_bad_text,
    read_fields,
)
from backend.pool.wishes import BedsWish
from backend.text import find_near, make_pointer, quote

_PLACES: tuple[NameKind, ...] = ("poi", "group")
_AVOIDABLE: tuple[NameKind, ...] = ("tag", "poi", "group", "hotel")


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
    locale = "en" if raw.get("locale") == "en" else "zh-CN"
    reading = Reading(session, locale, bool(params.get("POOL_ALLOW_SYNTHETIC")))
    meant = await _read_words(reading, raw)
    faults += reading.faults
    if faults:
        raise RequestRefusedError(sorted(dict.fromkeys(faults), key=lambda f: f.pointer))
    return _fill_defaults(values, meant, reading.resolved)


def _fill_defaults(
    values: dict[str, Any], meant: dict[str, Any], resolved: Sequence[Resolved]
) -> PlanRequest:
    request = PlanRequest.model_validate(values)
    nights = [d.nights for d in request.destinations]
    if None in nights:
        nights = list(share_nights(request.days, len(nights)))
    cities = zip(meant["destinations"], nights, strict=True)
    stations = {
        name: transport.model_copy(update={"place": meant[name]}).model_dump()
        for name in ("arrival", "departure")
        if (transport := getattr(request, name)) is not None and meant.get(name) is not None
    }
    filled = {
        "origin": meant["origin"],
        "destinations": [{"city": city, "nights": n} for city, n in cities],
        "interests": meant["interests"],
        "must_see": meant["must_see"],
        "avoid": meant["avoid"],
        "resolved": sorted(resolved, key=lambda entry: entry.pointer),
        **stations,
        "wishes": [
            wish.model_dump() | named
            for wish, named in zip(request.wishes, meant["wishes"], strict=True)
        ],
        "rooms": request.rooms or _count_rooms(request),
    }
    return PlanRequest.model_validate(request.model_dump() | filled)


def _count_rooms(request: PlanRequest) -> int:
    """Rooms where none are given: as many as a wish for beds that must be kept speaks of."""
    wished = [
        wish.rooms
        for wish in request.wishes
        if isinstance(wish, BedsWish) and wish.rooms and wish.weight == "must" and not wish.negated
    ]
    return max(count_rooms(request.travellers, request.children), *wished, 1)


def _entries(raw: Mapping[str, Any], name: str) -> list[Any]:
    entries = raw.get(name)
    return list(entries[:MOST_WORDS]) if isinstance(entries, list | tuple) else []


def _words(raw: Mapping[str, Any], name: str) -> list[Word]:
    return [
        Word(make_pointer(name, n), entry.strip())
        for n, entry in enumerate(_entries(raw, name))
        if isinstance(entry, str) and entry.strip()
    ]


def _city_words(raw: Mapping[str, Any]) -> Iterator[Word]:
    for n, entry in enumerate(_entries(raw, "destinations")):
        city = entry.get("city") if isinstance(entry, Mapping) else None
        if isinstance(city, str) and city.strip():
            yield Word(make_pointer("destinations", n, "city"), city.strip())


def _wish_words(raw: Mapping[str, Any]) -> list[list[Word]]:
    """The words of each must-see: one, or those of a group."""
    wishes = []
    for n, entry in enumerate(_entries(raw, "must_see")):
        pointer = make_pointer("must_see", n)
        if isinstance(entry, str) and entry.strip():
            wishes.append([Word(pointer, entry.strip())])
        elif isinstance(entry, Mapping) and isinstance(entry.get("any_of"), list | tuple):
            named = [w for w in entry["any_of"][:MOST_WORDS] if isinstance(w, str) and w.strip()]
            wishes.append(
                [Word(f"{pointer}/any_of/{i}", word.strip()) for i, word in enumerate(named)]
            )
    return [wish for wish in wishes if wish]


async def _read_words(reading: Reading, raw: Mapping[str, Any]) -> dict[str, Any]:
    destinations = await _read_destinations(reading, raw)
    origin = await _read_origin(reading, raw)
    interests = await _read_interests(reading, raw)
    avoid, avoided = await _read_avoid(reading, raw, destinations)
    return {
        "destinations": destinations,
        "origin": origin,
        "interests": interests,
        "avoid": avoid,
        "must_see": await _read_must_see(reading, raw, destinations, avoided),
        "wishes": await read_wishes(reading, raw, destinations, avoided),
        **await _read_stations(reading, raw, destinations),
    }


async def _read_destinations(reading: Reading, raw: Mapping[str, Any]) -> list[str]:
    words = list(_city_words(raw))
    cities: list[str] = []
    for word, found in zip(words, await reading.find(words, ("city",)), strict=True):
        if found.one is None:
            message = f"no city {quote(word.text)} in the catalogue"
            reading.refuse_name(word, found, "unknown_city", message)
        elif found.one.id in cities:
            reading.refuse(word.pointer, "duplicate_city", f"{quote(word.text)} is visited already")
        else:
            reading.echo(word, found.hits)
            cities.append(found.one.id)
    return cities


async def _read_origin(reading: Reading, raw: Mapping[str, Any]) -> str | None:
    """The city; one that the catalogue lacks is left to the traveller, with a warning."""
    origin = raw.get("origin")
    if not isinstance(origin, str) or not origin.strip():
        return None
    word = Word(make_pointer("origin"), origin.strip())
    [found] = await reading.find([word], ("city",))
    if found.one is not None:
        reading.echo(word, found.hits)
        return found.one.id
    near = tuple(named.name_in(reading.locale) for named in found.near)
    said = word.text[:200]
    reading.resolved.append(
        Resolved(pointer=word.pointer, said=said, id=None, name=said, near=near)
    )
    return None


async def _read_interests(reading: Reading, raw: Mapping[str, Any]) -> list[str]:
    words = _words(raw, "interests")
    interests: dict[str, None] = {}
    for word, found in zip(words, await reading.find(words, ("tag",)), strict=True):
        if found.one is None:
            reading.refuse_name(word, found, "unknown_tag", f"no tag {quote(word.text)}")
        else:
            reading.echo(word, found.hits)
            interests[found.one.id] = None
    return list(interests)


async def _read_avoid(
    reading: Reading, raw: Mapping[str, Any], cities: Sequence[str]
) -> tuple[list[str], Avoided]:
    """Ids to avoid as the pool reads them; of a name of several places all of them."""
    words = _words(raw, "avoid")
    avoid: dict[str, NameKind] = {}
    for word, found in zip(words, await reading.find(words, _AVOIDABLE, cities), strict=True):
        hits = found.hits or (found.near if found.is_ambiguous else ())
        if not hits:
            message = f"{quote(word.text)} is neither a tag, a place nor a hotel of the catalogue"
            reading.refuse_name(word, found, "unknown_avoid", message)
        reading.echo(word, hits)
        avoid |= {named.id: named.kind for named in hits}
    tags = frozenset(row for row, kind in avoid.items() if kind == "tag")
    return list(avoid), Avoided(frozenset(avoid) - tags, tags)


async def _read_must_see(
    reading: Reading, raw: Mapping[str, Any], cities: Sequence[str], avoided: Avoided
) -> list[str | dict[str, list[str]]]:
    wishes = _wish_words(raw)
    words = [word for wish in wishes for word in wish]
    found = await reading.find(words, _PLACES, cities)
    meant = {word.pointer: entry for word, entry in zip(words, found, strict=True)}
    ids = {named.id for entry in found for named in entry.hits}
    places = {place.id: place for place in await find_places(reading.session, ids)}
    check = _MustSeeCheck(PlaceCheck(reading, cities, avoided), places)
    chosen = [choice for wish in wishes if (choice := check.read_wish(wish, meant))]
    return [choice[0] if len(choice) == 1 else {"any_of": choice} for choice in chosen]


@dataclass
class _MustSeeCheck:
    place_check: PlaceCheck
    places: Mapping[str, NamedPlace]
    chosen: set[tuple[str, ...]] = field(default_factory=set)

    def read_wish(self, wish: Sequence[Word], meant: Mapping[str, Found]) -> list[str]:
        """The places of one must-see, of which one is enough."""
        reading = self.place_check.reading
        ids: dict[str, None] = {}
        for word in wish:
            found = meant[word.pointer]
            if not found.hits:
                message = f"no place {quote(word.text)} in the catalogue"
                reading.refuse_name(word, found, "unknown_place", message)
                continue
            reading.echo(word, found.hits)
            for named in found.hits:
                self.place_check.check(word.pointer, self.places[named.id])
                ids[named.id] = None
        key = tuple(ids)
        if key and key in self.chosen:
            pointer, said = wish[0].pointer, quote(wish[0].text)
            reading.refuse(pointer, "duplicate_place", f"{said} is named twice")
            return []
        self.chosen.add(key)
        return list(ids)


async def _read_stations(
    reading: Reading, raw: Mapping[str, Any], cities: Sequence[str]
) -> dict[str, str]:
    """Names of the stations of arrival and departure as the catalogue has them."""
    meant: dict[str, str] = {}
    for name, at in (("arrival", 0), ("departure", -1)):
        transport = raw.get(name)
        place = transport.get("place") if isinstance(transport, Mapping) else None
        if not isinstance(place, str) or not place.strip() or not cities:
            continue
        word = Word(make_pointer(name, "place"), place.strip())
        known = (await list_stations(reading.session, [cities[at]])).get(cities[at], frozenset())
        found = await reading.find([word], ("station",), [cities[at]])
        one = found[0].one
        if word.text in known:
            meant[name] = word.text
        elif one is not None and one.city == cities[at]:
            reading.resolved.append(
                Resolved(pointer=word.pointer, said=word.text, id=one.name, name=one.name)
            )
            meant[name] = one.name
        else:
            message = f"no station {quote(word.text)} in {cities[at]}; give its name or a position"
            near = find_near(word.text, known)
            reading.refuse(word.pointer, "unknown_station", message, near)
    return meant
