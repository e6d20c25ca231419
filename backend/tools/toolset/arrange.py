"""Arrange chosen places over the days of their cities: code finds day, order and times.

Choose trains and hotels before. Without keep the visits start anew; with keep those of the plan stay
on their days. The answer is the whole plan, and what was left out and why.
"""

from pydantic import Field

from backend.planner.search.arrange import Arrangement
from backend.planner.search.arrange import arrange as arrange_places
from backend.tools.arguments import Flag, IdList
from backend.tools.context import ToolContext
from backend.tools.plan_view import view_plan
from backend.tools.tool import Answer, Tool, ToolArgs

MAX_PLACES = 200


class Args(ToolArgs):
    """Places to be arranged."""

    poi_ids: IdList = Field(
        min_length=1,
        max_length=MAX_PLACES,
        description="Ids of places as list_pois shows them, the most wanted first.",
    )
    keep: Flag = Field(
        None, description="true: visits that are in the plan stay on their days. Default: false."
    )


def arrange(args: Args, ctx: ToolContext) -> Answer:
    """The draft with the places that fit; those it was given count as opened."""
    snapshot = ctx.snapshot
    given = tuple(dict.fromkeys(args.poi_ids))
    state = ctx.state
    arrangement = arrange_places(
        snapshot, state.draft, given, keep=bool(args.keep), locks=state.locks
    )
    view = view_plan(snapshot, arrangement.draft)
    plan = view.show_days(range(1, snapshot.request.days + 1))
    content = {"left_out": _show_left_out(arrangement), **plan}
    if arrangement.deadline_hit:
        content["deadline_hit"] = True
    return Answer(content, kind="poi", opened=given, draft=arrangement.draft)


def _show_left_out(arrangement: Arrangement) -> list[dict[str, str]]:
    return [
        {"poi_id": left.poi_id, "code": left.code, "message": left.message}
        for left in arrangement.left_out
    ]


TOOL = Tool(
    "arrange",
    effect="write",
    description=__doc__ or "",
    args=Args,
    handler=arrange,
    is_slow=True,
)
