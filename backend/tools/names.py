"""Finds what an argument means: a city, area, type or tag by id or by a name in any language.

Kinds of places under their names, so that an argument may say 博物馆 or Museum for `museum`.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field

from backend.catalogue.matching import Known, find_known, rank_known
from backend.catalogue.naming import fold
from backend.errors import ToolError
from backend.planner.days.trip import name_in
from backend.pool.candidate import HotelCandidate, PoiCandidate
from backend.pool.snapshot import LegPool, Snapshot
from backend.text import Locale
from backend.tools.arguments import ArgumentFault, echo, refuse_arguments

TYPE_NAMES: dict[str, tuple[str, str]] = {
    "museum": ("博物馆", "Museum"),
    "palace": ("宫殿", "Palace"),
    "historic_site": ("古迹", "Historic site"),
    "temple": ("寺庙", "Temple"),
    "garden": ("园林", "Garden"),
    "park": ("公园", "Park"),
    "mountain": ("山", "Mountain"),
    "lake": ("湖", "Lake"),
    "cave": ("洞穴", "Cave"),
    "beach": ("海滩", "Beach"),
    "old_street": ("老街", "Old street"),
    "ancient_town": ("古镇", "Ancient town"),
    "market": ("市场", "Market"),
    "food_street": ("美食街", "Food street"),
    "restaurant": ("餐厅", "Restaurant"),
    "teahouse": ("茶馆", "Teahouse"),
    "theatre": ("剧院", "Theatre"),
    "viewpoint": ("观景点", "Viewpoint"),
    "landmark": ("地标", "Landmark"),
    "theme_park": ("主题乐园", "Theme park"),
    "zoo": ("动物园", "Zoo"),
    "aquarium": ("水族馆", "Aquarium"),
    "science": ("科技馆", "Science museum"),
    "gallery": ("美术馆", "Gallery"),
    "memorial": ("纪念馆", "Memorial"),
    "campus": ("校园", "Campus"),
    "shopping": ("购物", "Shopping"),
    "nightlife": ("夜生活", "Nightlife"),
}
"""Names in zh-CN and en of the types that the seed catalogue uses; another type goes by its id."""


MOST_ALLOWED = 10

_UNKNOWN: dict[Locale, str] = {
    "zh-CN": "候选池中没有 {wanted}，可用的值见 allowed",
    "en": "{wanted} is not in the pool; see allowed",
}
_EMPTY: dict[Locale, str] = {
    "zh-CN": "候选池中没有任何值可用",
    "en": "the pool has no values for it",
}
_NO_LEG: dict[Locale, str] = {
    "zh-CN": "没有第 {leg} 段；本次行程的路段：{legs}",
    "en": "there is no leg {leg}; this trip's legs: {legs}",
}
_NO_LEGS: dict[Locale, str] = {
    "zh-CN": "本次行程没有需要选车的路段：往返都由旅客自行安排",
    "en": "this trip has no legs to choose trains for: the traveller comes and goes by own means",
}


@dataclass
class NameReader:
    """Reads the arguments of one call and gathers what is wrong, so that all is named at once."""

    snapshot: Snapshot
    faults: list[ArgumentFault] = field(default_factory=list)

    @property
    def locale(self) -> Locale:
        """The language of the messages."""
        return self.snapshot.request.locale

    def read_city(self, wanted: str) -> str:
        """A destination's id."""
        rows = (self.snapshot.city_rows[city] for city in self.snapshot.city_order)
        return self._read("city", wanted, {row.id: (row.name, row.name_en) for row in rows})

    def read_area(
        self, wanted: str | None, rows: Iterable[PoiCandidate | HotelCandidate]
    ) -> str | None:
        """An area among the rows, folded."""
        if wanted is None:
            return None
        return fold(self._read("area", wanted, {row.area: () for row in rows if row.area}))

    def read_type(self, wanted: str | None) -> str | None:
        """A type that some place of the pool has."""
        if wanted is None:
            return None
        named = {poi.type: TYPE_NAMES.get(poi.type, ()) for poi in self._list_pool()}
        return self._read("type", wanted, named)

    def read_tags(self, wanted: Iterable[str]) -> frozenset[str]:
        """Tags of the vocabulary."""
        wanted = tuple(wanted)
        if not wanted:
            return frozenset()
        tags: dict[str, tuple[str, ...]] = {t: () for poi in self._list_pool() for t in poi.tags}
        tags.update((tag.id, (tag.name, tag.name_en)) for tag in self.snapshot.tags)
        return frozenset(self._read("tags", name, tags) for name in wanted)

    def read_date(self, wanted: str | None, city: str) -> str | None:
        """A date of the stay in a city, YYYY-MM-DD."""
        if wanted is None or not city:
            return wanted
        return self._read("open_on", wanted, {str(d): () for d in list_dates(self.snapshot, city)})

    def finish(self) -> None:
        """Raise what was gathered, if anything."""
        if self.faults:
            raise refuse_arguments(self.faults, self.locale)

    def _list_pool(self) -> Iterable[PoiCandidate]:
        pool = self.snapshot.ids_by_kind["poi"]
        return (poi for poi in self.snapshot.rows.pois.values() if poi.id in pool)

    def _read(self, argument: str, wanted: str, known: Known) -> str:
        found = find_known(wanted, known)
        if found is None:
            text = (_UNKNOWN if known else _EMPTY)[self.locale].format(wanted=echo(wanted))
            self.faults.append(
                ArgumentFault(argument, text, tuple(rank_known(wanted, known, MOST_ALLOWED)))
            )
        return found or ""


def list_dates(snapshot: Snapshot, city: str) -> list[dt.date]:
    """The nominal dates of the stay in a city, arrival and departure day included."""
    stay = snapshot.cities[city]
    return [stay.arrive + dt.timedelta(n) for n in range((stay.leave - stay.arrive).days + 1)]


def find_leg(snapshot: Snapshot, leg: int) -> LegPool:
    """The leg of this number, or a `ToolError` that lists the legs there are."""
    if 0 <= leg < len(snapshot.legs):
        return snapshot.legs[leg]
    locale = snapshot.request.locale
    if not snapshot.legs:
        raise ToolError("NO_SUCH_LEG", _NO_LEGS[locale])
    legs = "; ".join(f"{n} = {name_leg(snapshot, n)}" for n in range(len(snapshot.legs)))
    numbers = sorted(range(len(snapshot.legs)), key=lambda n: (abs(n - leg), n))
    raise ToolError(
        "NO_SUCH_LEG", _NO_LEG[locale].format(leg=echo(leg), legs=legs), [str(n) for n in numbers]
    )


def name_leg(snapshot: Snapshot, number: int) -> str:
    """A leg for a reader: from, to, date."""
    leg, locale = snapshot.legs[number], snapshot.request.locale
    ends = (snapshot.city_rows[city] for city in (leg.from_city, leg.to_city))
    return " → ".join(name_in(city, locale) for city in ends) + f" {leg.date}"
