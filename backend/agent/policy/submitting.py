"""Hands the plan over, once for each state of it; says so where it cannot be made sound."""

from backend.agent.policy.situation import Situation
from backend.agent.replies import make_call
from backend.text import Locale
from backend.tools.call import ToolCall

_END: dict[Locale, str] = {
    "zh-CN": "行程还有 {n} 处错误，内置规划器无法再改进。",
    "en": "The plan still has {n} error(s), and the built-in planner can mend no more.",
}


def submit(situation: Situation) -> list[ToolCall]:
    """Submit, unless that was refused and nothing has changed since."""
    log = situation.log
    was_last = bool(log.steps) and log.steps[-1].tool == "submit_itinerary"
    if was_last or not log.may("submit_itinerary"):
        return []
    return [make_call("submit_itinerary")]


def explain_end(situation: Situation) -> str:
    """Why there is no further call."""
    return _END[situation.brief.locale].format(n=situation.draft.errors)
