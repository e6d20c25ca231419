"""Open one place before writing it: hours and last entry on each date of the stay, booking, position.

Only before writing, one at a time; not for searching.
"""

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
from backend.tools.list_answer import answer_detail, list_pool, show_fields
from backend.tools.names import list_dates
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """One place."""

    poi_id: Text = Field(description="Id of a place, as list_pois shows it.")


def get_poi(args: Args, ctx: ToolContext) -> Answer:
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


TOOL = Tool("get_poi", effect="detail", description=__doc__ or "", args=Args, handler=get_poi)
