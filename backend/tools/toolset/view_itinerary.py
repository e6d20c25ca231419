"""See the whole plan: all days with their times, what they break, and the cost so far."""

from backend.tools.context import ToolContext
from backend.tools.plan_view import view_plan
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """No arguments."""


def view_itinerary(_args: Args, ctx: ToolContext) -> Answer:
    """All days as they are now; without an edit in between it is a repeat."""
    days = range(1, ctx.snapshot.request.days + 1)
    content = view_plan(ctx.snapshot, ctx.state.draft).show_days(days)
    return Answer(content, asked={})


TOOL = Tool(
    "view_itinerary", effect="view", description=__doc__ or "", args=Args, handler=view_itinerary
)
