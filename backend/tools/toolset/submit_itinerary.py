"""Submit the plan when it is done. Refused while it breaks anything of severity error.

Warnings may stand. After it nothing is left to do.
"""

from backend.errors import ToolError
from backend.planner.plan.itinerary import Violation
from backend.text import Locale
from backend.tools.context import ToolContext
from backend.tools.plan_view import view_plan
from backend.tools.tool import Answer, Tool, ToolArgs

MAX_NAMED = 20

NOT_SOUND: dict[Locale, str] = {
    "zh-CN": "方案还有 {n} 处错误，不能提交。{errors}",
    "en": "The plan has {n} error(s) and cannot be submitted. {errors}",
}
AND_MORE: dict[Locale, str] = {"zh-CN": "另有 {n} 处。", "en": "{n} more."}


class Args(ToolArgs):
    """No arguments."""


def submit_itinerary(_args: Args, ctx: ToolContext) -> Answer:
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


TOOL = Tool(
    "submit_itinerary",
    effect="submit",
    description=__doc__ or "",
    args=Args,
    handler=submit_itinerary,
)
