"""Choose the hotel for all nights in a city; another choice replaces it.

The answer is the timeline of each day in that city with what it breaks.
"""

from pydantic import Field

from backend.planner.edits import choose_hotel as choose
from backend.planner.edits import find_city, list_days_in
from backend.tools.arguments import Text
from backend.tools.context import ToolContext
from backend.tools.plan_view import answer_write
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """A hotel for a city."""

    city: Text = Field(description="Destination city, id or name.")
    hotel_id: Text = Field(description="Id of a hotel, as list_hotels shows it.")


def choose_hotel(args: Args, ctx: ToolContext) -> Answer:
    """The draft with the hotel, and the days in its city as they are then."""
    draft = choose(ctx.snapshot, ctx.state.draft, args.city, args.hotel_id)
    city = find_city(ctx.snapshot, args.city).id
    return answer_write(ctx.snapshot, draft, list_days_in(ctx.snapshot, city))


TOOL = Tool(
    "choose_hotel", effect="write", description=__doc__ or "", args=Args, handler=choose_hotel
)
