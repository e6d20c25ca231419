"""Open one hotel before choosing it: position, introduction, check-in and check-out times.

Only before writing, one at a time; not for searching.
"""

from pydantic import Field

from backend.planner.edits import refuse_unknown
from backend.tools.arguments import Text
from backend.tools.context import ToolContext
from backend.tools.list_answer import answer_detail, list_pool, show_fields
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """One hotel."""

    hotel_id: Text = Field(description="Id of a hotel, as list_hotels shows it.")


def get_hotel(args: Args, ctx: ToolContext) -> Answer:
    """Everything that the snapshot holds of a hotel."""
    hotel = ctx.snapshot.hotel(args.hotel_id)
    if hotel is None:
        raise refuse_unknown(ctx.snapshot, args.hotel_id, list_pool(ctx.snapshot, "hotel"))
    content = {**show_fields(hotel), "currency": ctx.snapshot.currency}
    return answer_detail("hotel", hotel.id, content)


TOOL = Tool("get_hotel", effect="detail", description=__doc__ or "", args=Args, handler=get_hotel)
