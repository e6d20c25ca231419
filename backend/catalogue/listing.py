"""Rows of the catalogue for a person who looks for some: by city and by words in names and ids."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, false, func, or_, select, true

from backend.catalogue.finder import find_names
from backend.catalogue.matching import NameKind, Scope
from backend.catalogue.tables import Hotel, Place, Train
from backend.clock import format_minutes
from backend.db.session import Session

RowKind = Literal["poi", "hotel", "train"]

_place, _hotel, _train = Place.__table__.c, Hotel.__table__.c, Train.__table__.c

_COLUMNS: dict[RowKind, tuple[Any, ...]] = {
    "poi": (
        _place.id,
        _place.city_id.label("city"),
        _place.name,
        _place.name_en,
        _place.area,
        _place.price,
        _place.popularity,
        _place.enabled,
    ),
    "hotel": (
        _hotel.id,
        _hotel.city_id.label("city"),
        _hotel.name,
        _hotel.name_en,
        _hotel.area,
        _hotel.price_per_night.label("price"),
        _hotel.stars,
        _hotel.rating,
        _hotel.enabled,
    ),
    "train": (
        _train.id,
        _train.from_city_id.label("from_city"),
        _train.from_station,
        _train.to_city_id.label("to_city"),
        _train.to_station,
        _train.number.label("name"),
        _train.depart_min,
        _train.arrive_min,
        _train.day_offset,
        _train.price,
        _train.enabled,
    ),
}
_NAMES: dict[RowKind, tuple[Any, ...]] = {
    "poi": (_place.name, _place.name_en, _place.id),
    "hotel": (_hotel.name, _hotel.name_en, _hotel.id),
    "train": (_train.number, _train.from_station, _train.to_station, _train.id),
}
_CITIES: dict[RowKind, tuple[Any, ...]] = {
    "poi": (_place.city_id,),
    "hotel": (_hotel.city_id,),
    "train": (_train.from_city_id, _train.to_city_id),
}


@dataclass(frozen=True)
class Search:
    """What is looked for; without cities in all of them."""

    kind: RowKind
    cities: Collection[str] = ()
    words: str = ""
    offset: int = 0
    size: int = 50


async def search_rows(session: Session, search: Search) -> tuple[int, list[dict[str, Any]]]:
    """How many there are, and a part of them by name; a train's times are times of day."""
    kind = search.kind
    called = await _find_called(session, search) if search.words and kind != "train" else []
    chosen = (
        or_(has_words(search.words, *_NAMES[kind]), _NAMES[kind][-1].in_(called)),
        or_(false(), *(column.in_(list(search.cities)) for column in _CITIES[kind]))
        if search.cities
        else true(),
    )
    total = await session.scalar(
        select(func.count()).select_from(select(*_COLUMNS[kind]).where(*chosen).subquery())
    )
    names = _NAMES[kind]
    part = select(*_COLUMNS[kind]).where(*chosen).order_by(names[0], names[-1])
    rows = await session.execute(part.limit(search.size).offset(search.offset))
    return total or 0, [show_times(dict(row)) for row in rows.mappings()]


async def _find_called(session: Session, search: Search) -> list[str]:
    """Rows that the words mean as a name."""
    kind: NameKind = "hotel" if search.kind == "hotel" else "poi"
    scope = Scope((kind,), tuple(search.cities) or None)
    [found] = await find_names(session, [search.words], scope, 0)
    named = found.near if found.is_ambiguous else found.hits
    return [row.id for row in named]


def has_words(words: str, *columns: Any) -> ColumnElement[bool]:
    """Whether one of the columns holds the words, in whatever case; `%` and `_` are themselves."""
    if not words:
        return true()
    return or_(*(column.icontains(words, autoescape=True) for column in columns))


def show_times(row: dict[str, Any]) -> dict[str, Any]:
    """A train's minutes as times of day too."""
    minutes = {key: row[f"{key}_min"] for key in ("depart", "arrive") if f"{key}_min" in row}
    return row | {key: format_minutes(time) for key, time in minutes.items()}
