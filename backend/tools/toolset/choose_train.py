"""Choose the train of a leg, or both trains of a connection in order; another choice replaces it.

The answer is the timeline of the day of the leg with what it breaks.
"""

from pydantic import Field

from backend.planner.edits import choose_train as choose
from backend.tools.arguments import IdList
from backend.tools.context import ToolContext
from backend.tools.names import find_leg
from backend.tools.plan_view import answer_write
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """Trains for a leg."""

    leg: int = Field(ge=0, description="Number of the leg: 0 is the first of the trip.")
    train_ids: IdList = Field(
        min_length=1,
        max_length=2,
        description="One direct train, or the two of a connection, ids as list_trains shows them.",
    )


def choose_train(args: Args, ctx: ToolContext) -> Answer:
    """The draft with the trains, and the day of the leg as it is then."""
    snapshot = ctx.snapshot
    leg = find_leg(snapshot, args.leg)
    draft = choose(snapshot, ctx.state.draft, args.leg, args.train_ids)
    return answer_write(snapshot, draft, [(leg.date - snapshot.request.start_date).days + 1])


TOOL = Tool(
    "choose_train", effect="write", description=__doc__ or "", args=Args, handler=choose_train
)
