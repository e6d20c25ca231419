"""List the candidate hotels of one city, best first, one page of short rows at a time.

Filters combine; follow the hint to see the rest. Only hotels of these lists can be chosen.
"""

from typing import Any

from pydantic import Field

from backend.catalogue.naming import fold
from backend.planner.days.trip import name_in
from backend.pool.candidate import HotelCandidate
from backend.pool.snapshot import Snapshot
from backend.text import Locale
from backend.tools.arguments import Flag, Limit, MaxPrice, NumberList, OptionalText, Text
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
    """Filters over the hotels of a city; all that are given must hold."""

    city: Text = Field(description="Destination city, id or name.")
    area: OptionalText = Field(None, description="Area as the rows show it.")
    stars: NumberList = Field(None, description="Star counts; a hotel matches with any of them.")
    max_price: MaxPrice = Field(
        None, description="Dearest price of one room a night; hotels of unknown price stay in."
    )
    unseen_only: Flag = Field(
        None, description="true: only hotels that no list call of this run has shown yet."
    )
    limit: Limit = Field(None, description="Fewer rows than the return limit; more is cut to it.")


GO_ON: Texts = {
    "zh-CN": "接下来：选定前用 get_hotel 看一家酒店的详情，再用 choose_hotel 选定。",
    "en": "Go on: get_hotel for one hotel before choosing it, then choose_hotel.",
}
NO_NIGHT: Texts = {
    "zh-CN": "行程不在{city}过夜，不需要酒店。",
    "en": "No night is spent in {city}, so it needs no hotel.",
}
EMPTY: Texts = {
    "zh-CN": "候选池在{city}没有任何酒店，换条件也不会有；请在没有酒店的情况下继续。",
    "en": "The pool has no hotels in {city}; other arguments will not change that, go on without.",
}

FILTERS: tuple[Filter[HotelCandidate], ...] = (
    Filter("area", lambda h, v: fold(h.area) == fold(v), lambda h: (h.area,), most=3),
    Filter("stars", lambda h, v: write_stars(h) == v, lambda h: (write_stars(h),), most=3),
    Filter("max_price", lambda h, v: is_affordable(h.price_per_night, v)),
)


def list_hotels(args: Args, ctx: ToolContext) -> Answer:
    """The page of hotels that match, in pool order."""
    snapshot = ctx.snapshot
    names = NameReader(snapshot)
    city = names.read_city(args.city)
    scope = _list_scope(snapshot, city)
    asked = _read_filters(args, names, city, scope)
    names.finish()
    limit, is_cut = cut_limit(args.limit, ctx.max_rows)
    seen = ctx.state.seen_ids("hotel")
    listing = Listing(scope, FILTERS, asked, seen, bool(args.unseen_only), limit, is_cut)

    def show(hotel: HotelCandidate) -> dict[str, Any]:
        return show_row(hotel, ctx.locale)

    advice = Advice(GO_ON, _explain_empty(snapshot, city))
    return answer_list(listing, ctx, "hotel", {"city": city}, show, advice)


def show_row(hotel: HotelCandidate, locale: Locale) -> dict[str, Any]:
    """Decision fields alone; the rest is for get_hotel."""
    return {
        "id": hotel.id,
        "name": name_in(hotel, locale),
        "stars": hotel.stars,
        "price_per_night": show_price(hotel.price_per_night),
        "area": hotel.area,
        "rating": show_number(hotel.rating),
    }


def write_stars(hotel: HotelCandidate) -> str:
    """The star count as an argument; empty where unknown, which no argument matches."""
    return "" if hotel.stars is None else str(hotel.stars)


def _list_scope(snapshot: Snapshot, city: str) -> tuple[HotelCandidate, ...]:
    ids = snapshot.cities[city].hotels if city else ()
    return tuple(snapshot.rows.hotels[hotel_id] for hotel_id in ids)


def _read_filters(
    args: Args, names: NameReader, city: str, scope: tuple[HotelCandidate, ...]
) -> dict[str, tuple[str, ...]]:
    return keep_asked(
        {
            "area": names.read_area(args.area, scope) if city else None,
            "stars": {str(stars) for stars in args.stars or ()},
            "max_price": write_number(args.max_price),
        }
    )


def _explain_empty(snapshot: Snapshot, city: str) -> str:
    locale = snapshot.request.locale
    texts = EMPTY if snapshot.cities[city].nights else NO_NIGHT
    return texts[locale].format(city=name_in(snapshot.city_rows[city], locale))


TOOL = Tool(
    "list_hotels",
    effect="list",
    description=__doc__ or "",
    args=Args,
    handler=list_hotels,
    default_rows=10,
)
