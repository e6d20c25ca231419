"""List the candidate places of one city, best first, one page of short rows at a time.

Filters combine; follow the hint to see the rest. Only places of these lists can be planned.
"""

import datetime as dt
from typing import Any

from pydantic import Field

from backend.catalogue.matching import list_keys
from backend.catalogue.naming import fold
from backend.catalogue.opening_hours import Location, is_open_on
from backend.planner.days.trip import name_in
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot
from backend.tools.arguments import Flag, Limit, MaxPrice, OptionalText, Text, TextList
from backend.tools.context import ToolContext
from backend.tools.hints import Advice, Filter, Listing, Texts, cut_limit
from backend.tools.list_answer import (
    answer_list,
    is_affordable,
    keep_asked,
    show_number,
    show_price,
    write_number,
)
from backend.tools.names import NameReader
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """Filters over the places of a city; all that are given must hold."""

    city: Text = Field(description="Destination city, id or name.")
    area: OptionalText = Field(None, description="Area as the rows show it.")
    type: OptionalText = Field(None, description="Kind of place as the rows show it, id or name.")
    tags: TextList = Field(
        None, description="Tag ids or names; a place matches with any one of them."
    )
    max_price: MaxPrice = Field(
        None, description="Dearest ticket for one; places of unknown price stay in."
    )
    open_on: OptionalText = Field(
        None, description="A date of the stay in this city, YYYY-MM-DD: places open on that day."
    )
    q: OptionalText = Field(None, description="Text within name, English name or introduction.")
    unseen_only: Flag = Field(
        None, description="true: only places that no list call of this run has shown yet."
    )
    limit: Limit = Field(None, description="Fewer rows than the return limit; more is cut to it.")


GO_ON: Texts = {
    "zh-CN": "接下来：写入前用 get_poi 看一个地点的详情，再用 put_visit 或 arrange 写入。",
    "en": "Go on: get_poi for one place before writing it, then put_visit or arrange.",
}
EMPTY: Texts = {
    "zh-CN": "候选池在{city}没有任何地点，换条件也不会有。",
    "en": "The pool has no places in {city}; other arguments will not change that.",
}


def list_pois(args: Args, ctx: ToolContext) -> Answer:
    """The page of places that match, in pool order."""
    snapshot = ctx.snapshot
    names = NameReader(snapshot)
    city = names.read_city(args.city)
    scope = _list_scope(snapshot, city)
    asked = _read_filters(args, names, city, scope)
    names.finish()
    limit, is_cut = cut_limit(args.limit, ctx.max_rows)
    seen = ctx.state.seen_ids("poi")
    listing = Listing(
        scope, make_filters(snapshot), asked, seen, bool(args.unseen_only), limit, is_cut
    )
    city_name = name_in(snapshot.city_rows[city], ctx.locale)
    advice = Advice(GO_ON, EMPTY[ctx.locale].format(city=city_name))

    def show(poi: PoiCandidate) -> dict[str, Any]:
        return show_row(poi, snapshot)

    return answer_list(listing, ctx, "poi", {"city": city}, show, advice)


def make_filters(snapshot: Snapshot) -> tuple[Filter[PoiCandidate], ...]:
    """All filters, those that hints suggest first."""

    def is_open(poi: PoiCandidate, date: str) -> bool:
        city = snapshot.city_rows[poi.city]
        days_off = snapshot.days_off.get(city.country, ())
        day = dt.date.fromisoformat(date)
        location = Location(city.lat, city.lon, city.timezone)
        return is_open_on(poi.opening_hours, poi.closed_season, day, days_off, location)

    return (
        Filter("area", lambda p, v: fold(p.area) == fold(v), lambda p: (p.area,), most=3),
        Filter("tags", lambda p, v: v in p.tags, lambda p: p.tags, most=3),
        Filter("type", lambda p, v: p.type == v, lambda p: (p.type,), most=2),
        Filter("max_price", lambda p, v: is_affordable(p.price, v)),
        Filter("open_on", is_open),
        Filter("q", lambda p, v: v in fold(p.intro) or _is_called(p, v)),
    )


def _is_called(poi: PoiCandidate, part: str) -> bool:
    """Whether a name of the place holds this, in pinyin too."""
    return any(part in key for key in list_keys((poi.name, poi.name_en)))


def show_row(poi: PoiCandidate, snapshot: Snapshot) -> dict[str, Any]:
    """Decision fields alone; the rest is for get_poi."""
    return {
        "id": poi.id,
        "name": name_in(poi, snapshot.request.locale),
        "type": poi.type,
        "area": poi.area,
        "price": show_price(poi.price),
        "duration_min": poi.duration_min,
        "popularity": show_number(poi.popularity),
        "tags": list(poi.tags),
    }


def _list_scope(snapshot: Snapshot, city: str) -> tuple[PoiCandidate, ...]:
    ids = snapshot.cities[city].pois if city else ()
    return tuple(snapshot.rows.pois[poi_id] for poi_id in ids)


def _read_filters(
    args: Args, names: NameReader, city: str, scope: tuple[PoiCandidate, ...]
) -> dict[str, tuple[str, ...]]:
    return keep_asked(
        {
            "area": names.read_area(args.area, scope) if city else None,
            "tags": names.read_tags(args.tags or ()),
            "type": names.read_type(args.type),
            "max_price": write_number(args.max_price),
            "open_on": names.read_date(args.open_on, city),
            "q": fold(args.q or ""),
        }
    )


TOOL = Tool(
    "list_pois",
    effect="list",
    description=__doc__ or "",
    args=Args,
    handler=list_pois,
    default_rows=25,
)
