"""Open one train before choosing it: cities, stations and where they are, running days, price.

Only before writing, one at a time; not for searching.
"""

from pydantic import Field

from backend.planner.edits import refuse_unknown
from backend.pool.snapshot import Snapshot
from backend.tools.arguments import Text
from backend.tools.context import ToolContext
from backend.tools.list_answer import answer_detail, list_pool, show_fields, show_number
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """One train."""

    train_id: Text = Field(description="Id of a train, as list_trains shows it.")


def get_train(args: Args, ctx: ToolContext) -> Answer:
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


TOOL = Tool("get_train", effect="detail", description=__doc__ or "", args=Args, handler=get_train)
