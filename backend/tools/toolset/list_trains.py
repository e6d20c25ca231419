"""List the candidate trains of one leg of the trip, by departure, one page of short rows at a time.

Times are local to each station; day_offset 1 arrives on the next day. Where no train goes direct,
the hint offers connections with one change.
"""

from typing import Any

from pydantic import Field

from backend.clock import parse_minutes
from backend.money import format_money
from backend.planner.days.trip import name_in
from backend.pool.candidate import TrainCandidate
from backend.pool.snapshot import Connection, LegPool, Snapshot
from backend.tools.arguments import Flag, Limit, MaxPrice, Time
from backend.tools.context import ToolContext
from backend.tools.hints import Advice, Filter, Listing, Texts, cut_limit
from backend.tools.list_answer import (
    answer_list,
    is_affordable,
    keep_asked,
    show_price,
    write_number,
)
from backend.tools.names import find_leg, name_leg
from backend.tools.tool import Answer, Tool, ToolArgs


class Args(ToolArgs):
    """Filters over the trains of a leg; all that are given must hold."""

    leg: int = Field(ge=0, description="Number of the leg: 0 is the first of the trip.")
    depart_after: Time = Field(None, description="HH:MM; leaves at this time or later.")
    arrive_before: Time = Field(
        None,
        description="HH:MM; arrives by this time. Past midnight counts on: 26:00 is 02:00 of the"
        " next day.",
    )
    max_price: MaxPrice = Field(
        None, description="Dearest ticket for one; trains of unknown price stay in."
    )
    unseen_only: Flag = Field(
        None, description="true: only trains that no list call of this run has shown yet."
    )
    limit: Limit = Field(None, description="Fewer rows than the return limit; more is cut to it.")


GO_ON: Texts = {
    "zh-CN": "接下来：选定前用 get_train 看一趟车的详情，再用 choose_train 选定。",
    "en": "Go on: get_train for one train before choosing it, then choose_train.",
}
OWN: Texts = {
    "zh-CN": "第 {leg} 段（{name}）没有直达车，也没有中转方案：由旅客自行前往，不必选车，换条件也不会有。",
    "en": "Leg {leg} ({name}) has neither a direct train nor a connection: it is the traveller's own"
    " way, choose nothing; other arguments will not change that.",
}
CONNECTIONS: Texts = {
    "zh-CN": "第 {leg} 段（{name}）没有直达车。一次换乘的方案，用 choose_train 选定： {options}。",
    "en": "Leg {leg} ({name}) has no direct train. Connections with one change, for choose_train:"
    " {options}.",
}
CONNECTION: Texts = {
    "zh-CN": "train_ids=[{trains}] 经{via}换乘，{depart} 出发，{arrive} 到达，{price}",
    "en": "train_ids=[{trains}] via {via}, departs {depart}, arrives {arrive}, {price}",
}
UNKNOWN_PRICE: Texts = {"zh-CN": "票价未知", "en": "price unknown"}

FILTERS: tuple[Filter[TrainCandidate], ...] = (
    Filter(
        "depart_after",
        lambda t, v: t.depart_min >= parse_minutes(v),
        lambda t: (t.depart,),
        most=1,
    ),
    Filter("arrive_before", lambda t, v: t.arrive_min <= parse_minutes(v)),
    Filter("max_price", lambda t, v: is_affordable(t.price, v)),
)


def list_trains(args: Args, ctx: ToolContext) -> Answer:
    """The page of direct trains that match, in pool order."""
    snapshot = ctx.snapshot
    leg = find_leg(snapshot, args.leg)
    scope = tuple(snapshot.rows.trains[train_id] for train_id in leg.trains)
    asked = keep_asked(
        {
            "depart_after": args.depart_after,
            "arrive_before": args.arrive_before,
            "max_price": write_number(args.max_price),
        }
    )
    limit, is_cut = cut_limit(args.limit, ctx.max_rows)
    seen = ctx.state.seen_ids("train")
    listing = Listing(scope, FILTERS, asked, seen, bool(args.unseen_only), limit, is_cut)
    advice = _advise(snapshot, args.leg, leg)
    return answer_list(listing, ctx, "train", {"leg": str(args.leg)}, show_row, advice)


def show_row(train: TrainCandidate) -> dict[str, Any]:
    """Decision fields alone; the rest is for get_train."""
    return {
        "id": train.id,
        "number": train.number,
        "from_station": train.from_station,
        "to_station": train.to_station,
        "depart": train.depart,
        "arrive": train.arrive,
        "day_offset": train.day_offset,
        "price": show_price(train.price),
    }


def _advise(snapshot: Snapshot, number: int, leg: LegPool) -> Advice:
    locale = snapshot.request.locale
    name = name_leg(snapshot, number)
    if not leg.connections:
        return Advice(GO_ON, OWN[locale].format(leg=number, name=name))
    options = "; ".join(_describe(snapshot, connection) for connection in leg.connections)
    text = CONNECTIONS[locale].format(leg=number, name=name, options=options)
    trains = (train for connection in leg.connections for train in connection.trains)
    return Advice(GO_ON, text, names=tuple(dict.fromkeys(trains)))


def _describe(snapshot: Snapshot, connection: Connection) -> str:
    locale = snapshot.request.locale
    price = UNKNOWN_PRICE[locale]
    if connection.price is not None:
        price = f"{format_money(connection.price)} {snapshot.currency}"
    via = snapshot.city_rows.get(connection.via)
    return CONNECTION[locale].format(
        trains=", ".join(connection.trains),
        via=name_in(via, locale) if via else connection.via,
        depart=f"{connection.depart:%m-%d %H:%M}",
        arrive=f"{connection.arrive:%m-%d %H:%M}",
        price=price,
    )


TOOL = Tool(
    "list_trains",
    effect="list",
    description=__doc__ or "",
    args=Args,
    handler=list_trains,
    default_rows=8,
)
