"""Put one place on a day of the plan; code finds its time within the day.

A place that is on that day already is moved. The answer is the day's timeline with what it breaks.
"""

from pydantic import Field

from backend.clock import parse_minutes
from backend.planner.edits import put_visit as put
from backend.tools.arguments import Text, VisitTime
from backend.tools.context import ToolContext
from backend.tools.plan_view import answer_write
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """A visit."""

    day: int = Field(ge=1, description="Day of the trip, counted from 1.")
    poi_id: Text = Field(description="Id of a place, as list_pois shows it.")
    at: VisitTime = Field(
        None, description="HH:MM, not earlier than this; without it the best time is found."
    )


def put_visit(args: Args, ctx: ToolContext) -> Answer:
    """The draft with the visit, and the day as it is then."""
    at = None if args.at is None else parse_minutes(args.at)
    draft = put(ctx.snapshot, ctx.state.draft, args.day, args.poi_id, at)
    return answer_write(ctx.snapshot, draft, [args.day])


TOOL = Tool("put_visit", effect="write", description=__doc__ or "", args=Args, handler=put_visit)
