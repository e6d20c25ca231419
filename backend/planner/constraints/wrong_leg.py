"""The trains chosen for a leg are that leg's: they begin and end where it does, on its date."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.moves import find_connection


def find(context: CheckContext) -> Iterator[Finding]:
    """Choices that are neither one of the leg's trains nor one of its connections."""
    legs = context.snapshot.legs
    for number, trains in context.draft.trains.items():
        values = {"leg": number, "trains": ", ".join(trains)}
        if not 0 <= number < len(legs):
            yield Finding(values=values)
            continue
        is_direct = len(trains) == 1 and trains[0] in legs[number].trains
        if not is_direct and find_connection(legs[number], trains) is None:
            day = (legs[number].date - context.snapshot.request.start_date).days + 1
            yield Finding(day, None, values)


WRONG_LEG = Constraint(
    "WRONG_LEG",
    "error",
    {
        "zh-CN": "{trains} 不是行程段 {leg} 的车次。",
        "en": "{trains} is no choice for leg {leg}.",
    },
    find,
    fix={
        "zh-CN": "请从该行程段的车次或换乘方案中选择。",
        "en": "Choose a train or a connection of that leg.",
    },
)
