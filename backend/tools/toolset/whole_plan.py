"""The plan as a whole: arranged over the days, looked at, handed over."""

from pydantic import Field

from backend.errors import ToolError
from backend.planner.plan.itinerary import Violation
from backend.planner.search.arrange import Arrangement
from backend.planner.search.arrange import arrange as arrange_places
from backend.text import Locale
from backend.tools.arguments import Flag, IdList
from backend.tools.context import ToolContext
from backend.tools.plan_view import view_plan
from backend.tools.tool import Answer, Tool, ToolArgs

MAX_PLACES = 200


class ArrangeArgs(ToolArgs):
    """Places to be arranged."""

    poi_ids: IdList = Field(
        min_length=1,
        max_length=MAX_PLACES,
        description="Ids of places as list_pois shows them, the most wanted first.",
    )
    keep: Flag = Field(
        None, description="true: visits that are in the plan stay on their days. Default: false."
    )


def arrange(args: ArrangeArgs, ctx: ToolContext) -> Answer:
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


ARRANGE = Tool(
    "arrange",
    effect="write",
    description="""Arrange chosen places over the days of their cities: code finds day, order and times.

Choose trains and hotels before. Without keep the visits start anew; with keep those of the plan stay
on their days. The answer is the whole plan, and what was left out and why.
""",
    args=ArrangeArgs,
    handler=arrange,
    is_slow=True,
)


class ViewItineraryArgs(ToolArgs):
    """No arguments."""


def view_itinerary(_args: ViewItineraryArgs, ctx: ToolContext) -> Answer:
    """All days as they are now; without an edit in between it is a repeat."""
    days = range(1, ctx.snapshot.request.days + 1)
    content = view_plan(ctx.snapshot, ctx.state.draft).show_days(days)
    return Answer(content, asked={})


VIEW_ITINERARY = Tool(
    "view_itinerary",
    effect="view",
    description="""See the whole plan: all days with their times, what they break, and the cost so far.""",
    args=ViewItineraryArgs,
    handler=view_itinerary,
)


MAX_NAMED = 20

NOT_SOUND: dict[Locale, str] = {
    "zh-CN": "方案还有 {n} 处错误，不能提交。{errors}",
    "en": "The plan has {n} error(s) and cannot be submitted. {errors}",
}
AND_MORE: dict[Locale, str] = {"zh-CN": "另有 {n} 处。", "en": "{n} more."}


class SubmitItineraryArgs(ToolArgs):
    """No arguments."""


def submit_itinerary(_args: SubmitItineraryArgs, ctx: ToolContext) -> Answer:
    """The plan is handed over, or `NOT_SOUND` names what is wrong with it."""
    view = view_plan(ctx.snapshot, ctx.state.draft)
    if view.errors:
        raise _refuse(view.errors, ctx.locale)
    return Answer({"submitted": True, **view.show_totals()}, is_submitted=True)


def _refuse(errors: list[Violation], locale: Locale) -> ToolError:
    named = [_describe(error) for error in errors[:MAX_NAMED]]
    if len(errors) > MAX_NAMED:
        named.append(AND_MORE[locale].format(n=len(errors) - MAX_NAMED))
    message = NOT_SOUND[locale].format(n=len(errors), errors=" ".join(named))
    return ToolError("NOT_SOUND", message)


def _describe(error: Violation) -> str:
    where = error.where.model_dump(exclude_none=True)
    place = f" ({', '.join(f'{key} {value}' for key, value in where.items())})" if where else ""
    return f"{error.code}{place}: {error.message}"


SUBMIT_ITINERARY = Tool(
    "submit_itinerary",
    effect="submit",
    description="""Submit the plan when it is done. Refused while it breaks anything of severity error.

Warnings may stand. After it nothing is left to do.
""",
    args=SubmitItineraryArgs,
    handler=submit_itinerary,
)
