"""Open one row before it is written: a place, a hotel, a train."""

import datetime as dt
from typing import Any

from pydantic import Field

from backend.clock import format_minutes
from backend.planner.days.hours import read_hours
from backend.planner.edits import refuse_unknown
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot
from backend.tools.arguments import Text
from backend.tools.context import ToolContext
from backend.tools.list_answer import answer_detail, list_pool, show_fields, show_number
from backend.tools.names import list_dates
from backend.tools.tool import Answer, Tool, ToolArgs


class GetPoiArgs(ToolArgs):
    """One place."""

    poi_id: Text = Field(description="Id of a place, as list_pois shows it.")


def get_poi(args: GetPoiArgs, ctx: ToolContext) -> Answer:
    """Everything that the snapshot holds of a place, and its hours on each date of the stay."""
    snapshot = ctx.snapshot
    poi = snapshot.poi(args.poi_id)
    if poi is None:
        raise refuse_unknown(snapshot, args.poi_id, list_pool(snapshot, "poi"))
    content = {
        **show_fields(poi),
        "currency": snapshot.currency,
        "hours_known": bool(poi.opening_hours),
        "dates": [_show_date(snapshot, poi, date) for date in list_dates(snapshot, poi.city)],
    }
    return answer_detail("poi", poi.id, content)


def _show_date(snapshot: Snapshot, poi: PoiCandidate, date: dt.date) -> dict[str, Any]:
    """Open intervals and last entry as a plan counts them; 26:00 is 02:00 of the next day."""
    hours = read_hours(snapshot, poi, date)
    last_entry = None if hours.last_entry is None else format_minutes(hours.last_entry)
    intervals = [[format_minutes(i.start), format_minutes(i.end)] for i in hours.intervals]
    return {"date": date.isoformat(), "open": intervals, "last_entry": last_entry}


GET_POI = Tool(
    "get_poi",
    effect="detail",
    description="""Open one place before writing it: hours and last entry on each date of the stay, booking, position.

Only before writing, one at a time; not for searching.
""",
    args=GetPoiArgs,
    handler=get_poi,
)


class GetHotelArgs(ToolArgs):
    """One hotel."""

    hotel_id: Text = Field(description="Id of a hotel, as list_hotels shows it.")


def get_hotel(args: GetHotelArgs, ctx: ToolContext) -> Answer:
    """Everything that the snapshot holds of a hotel."""
    hotel = ctx.snapshot.hotel(args.hotel_id)
    if hotel is None:
        raise refuse_unknown(ctx.snapshot, args.hotel_id, list_pool(ctx.snapshot, "hotel"))
    content = {**show_fields(hotel), "currency": ctx.snapshot.currency}
    return answer_detail("hotel", hotel.id, content)


GET_HOTEL = Tool(
    "get_hotel",
    effect="detail",
    description="""Open one hotel before choosing it: position, introduction, check-in and check-out times.

Only before writing, one at a time; not for searching.
""",
    args=GetHotelArgs,
    handler=get_hotel,
)


class GetTrainArgs(ToolArgs):
    """One train."""

    train_id: Text = Field(description="Id of a train, as list_trains shows it.")


def get_train(args: GetTrainArgs, ctx: ToolContext) -> Answer:
    """Everything that the snapshot holds of a train."""
    train = ctx.snapshot.train(args.train_id)
    if train is None:
        raise refuse_unknown(ctx.snapshot, args.train_id, list_pool(ctx.snapshot, "train"))
    content = {
        **show_fields(train),
        "from_position": _show_station(ctx.snapshot, train.from_city, train.from_station),
        "to_position": _show_station(ctx.snapshot, train.to_city, train.to_station),
        "currency": ctx.snapshot.currency,
    }
    return answer_detail("train", train.id, content)


def _show_station(
    snapshot: Snapshot, city: str, station: str
) -> dict[str, float | int | None] | None:
    """Where a station stands; nothing of a city that is only changed in."""
    if city not in snapshot.city_rows:
        return None
    lat, lon = snapshot.station_position(city, station)
    return {"lat": show_number(lat), "lon": show_number(lon)}


GET_TRAIN = Tool(
    "get_train",
    effect="detail",
    description="""Open one train before choosing it: cities, stations and where they are, running days, price.

Only before writing, one at a time; not for searching.
""",
    args=GetTrainArgs,
    handler=get_train,
)
