"""The planner that needs no language model: a fixed policy behind the same seam and protocol.

It remembers nothing: what to call next follows from the messages and the tools offered, so it can
be resumed, replayed, and put in where a model has failed.
"""

from collections.abc import Sequence

from backend.agent.llm import Message, ModelReply
from backend.agent.policy.call_log import read_log
from backend.agent.policy.choosing import choose_hotels, choose_trains, open_hotels
from backend.agent.policy.easing import ease_trains
from backend.agent.policy.mending import (
    drop_dear,
    keep_to_must_sees,
    look_again,
    remove_misfits,
    restore_must_sees,
    spend_less,
)
from backend.agent.policy.revising import (
    explain_end,
    look,
    look_at_draft,
    rearrange,
    retime,
    save,
    submit,
    survey,
    survey_where_broken,
    take_back,
)
from backend.agent.policy.situation import Phase, Situation
from backend.agent.policy.visiting import (
    arrange_places,
    fill_days,
    fill_empty_days,
    open_places,
    put_places,
)
from backend.tools.call import ToolSchema

PHASES: tuple[Phase, ...] = (
    look_at_draft,
    survey,
    choose_trains,
    open_places,
    open_hotels,
    choose_hotels,
    spend_less,
    arrange_places,
    look_again,
    remove_misfits,
    put_places,
    fill_days,
    drop_dear,
    keep_to_must_sees,
    restore_must_sees,
    fill_empty_days,
    ease_trains,
    submit,
)
"""In order; a phase that has nothing to do hands on to the next one."""


REVISION_PHASES: tuple[Phase, ...] = (
    look,
    survey_where_broken,
    choose_trains,
    choose_hotels,
    take_back,
    save,
    look_again,
    rearrange,
    retime,
    drop_dear,
    submit,
)
"""Where a finished plan was changed as the traveller asked: what that has broken is mended, no more."""


class BuiltinPlanner:
    """An `LlmClient` that is none."""

    def __init__(self, phases: Sequence[Phase] = PHASES) -> None:
        self._phases = phases

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """The next calls; words where no call is left that could help."""
        situation = Situation(read_log(messages, tools))
        for phase in self._phases:
            calls = phase(situation)
            if calls:
                return ModelReply(calls=tuple(calls))
        return ModelReply(text=explain_end(situation))
