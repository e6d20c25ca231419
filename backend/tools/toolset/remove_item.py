"""Remove a visit, a meal at a place, a train or a hotel from the plan.

Items are counted from 0 within a day as the last timeline shows them; after a removal the later ones
move up. Transfers, free meals and the traveller's own bookings cannot be removed.
"""

from pydantic import Field

from backend.planner.edits import remove_item as remove
from backend.tools.context import ToolContext
from backend.tools.plan_view import answer_write
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """An item of the timeline."""

    day: int = Field(ge=1, description="Day of the trip, counted from 1.")
    item: int = Field(ge=0, description="Number of the item in that day's timeline.")


def remove_item(args: Args, ctx: ToolContext) -> Answer:
    """The draft without the choice, and the day as it is then."""
    draft = remove(ctx.snapshot, ctx.state.draft, args.day, args.item)
    return answer_write(ctx.snapshot, draft, [args.day])


TOOL = Tool(
    "remove_item", effect="write", description=__doc__ or "", args=Args, handler=remove_item
)
