"""Change the plan by one item: a visit, a hotel, a train, or the removal of one."""

from pydantic import Field

from backend.clock import parse_minutes
from backend.planner import edits
from backend.tools.arguments import IdList, Text, VisitTime
from backend.tools.context import ToolContext
from backend.tools.names import find_leg
from backend.tools.plan_view import answer_write
from backend.tools.tool import Answer, Tool, ToolArgs


class PutVisitArgs(ToolArgs):
    """A visit."""

    day: int = Field(ge=1, description="Day of the trip, counted from 1.")
    poi_id: Text = Field(description="Id of a place, as list_pois shows it.")
    at: VisitTime = Field(
        None, description="HH:MM, not earlier than this; without it the best time is found."
    )


def put_visit(args: PutVisitArgs, ctx: ToolContext) -> Answer:
    """The draft with the visit, and the day as it is then."""
    at = None if args.at is None else parse_minutes(args.at)
    draft = edits.put_visit(ctx.snapshot, ctx.state.draft, args.day, args.poi_id, at)
    return answer_write(ctx.snapshot, draft, [args.day])


PUT_VISIT = Tool(
    "put_visit",
    effect="write",
    description="""Put one place on a day of the plan; code finds its time within the day.

A place that is on that day already is moved. The answer is the day's timeline with what it breaks.
""",
    args=PutVisitArgs,
    handler=put_visit,
)


class ChooseHotelArgs(ToolArgs):
    """A hotel for a city."""

    city: Text = Field(description="Destination city, id or name.")
    hotel_id: Text = Field(description="Id of a hotel, as list_hotels shows it.")


def choose_hotel(args: ChooseHotelArgs, ctx: ToolContext) -> Answer:
    """The draft with the hotel, and the days in its city as they are then."""
    draft = edits.choose_hotel(ctx.snapshot, ctx.state.draft, args.city, args.hotel_id)
    city = edits.find_city(ctx.snapshot, args.city).id
    return answer_write(ctx.snapshot, draft, edits.list_days_in(ctx.snapshot, city))


CHOOSE_HOTEL = Tool(
    "choose_hotel",
    effect="write",
    description="""Choose the hotel for all nights in a city; another choice replaces it.

The answer is the timeline of each day in that city with what it breaks.
""",
    args=ChooseHotelArgs,
    handler=choose_hotel,
)


class ChooseTrainArgs(ToolArgs):
    """Trains for a leg."""

    leg: int = Field(ge=0, description="Number of the leg: 0 is the first of the trip.")
    train_ids: IdList = Field(
        min_length=1,
        max_length=2,
        description="One direct train, or the two of a connection, ids as list_trains shows them.",
    )


def choose_train(args: ChooseTrainArgs, ctx: ToolContext) -> Answer:
    """The draft with the trains, and the day of the leg as it is then."""
    snapshot = ctx.snapshot
    leg = find_leg(snapshot, args.leg)
    draft = edits.choose_train(snapshot, ctx.state.draft, args.leg, args.train_ids)
    return answer_write(snapshot, draft, [(leg.date - snapshot.request.start_date).days + 1])


CHOOSE_TRAIN = Tool(
    "choose_train",
    effect="write",
    description="""Choose the train of a leg, or both trains of a connection in order; another choice replaces it.

The answer is the timeline of the day of the leg with what it breaks.
""",
    args=ChooseTrainArgs,
    handler=choose_train,
)


class RemoveItemArgs(ToolArgs):
    """An item of the timeline."""

    day: int = Field(ge=1, description="Day of the trip, counted from 1.")
    item: int = Field(ge=0, description="Number of the item in that day's timeline.")


def remove_item(args: RemoveItemArgs, ctx: ToolContext) -> Answer:
    """The draft without the choice, and the day as it is then."""
    draft = edits.remove_item(ctx.snapshot, ctx.state.draft, args.day, args.item)
    return answer_write(ctx.snapshot, draft, [args.day])


REMOVE_ITEM = Tool(
    "remove_item",
    effect="write",
    description="""Remove a visit, a meal at a place, a train or a hotel from the plan.

Items are counted from 0 within a day as the last timeline shows them; after a removal the later ones
move up. Transfers, free meals and the traveller's own bookings cannot be removed.
""",
    args=RemoveItemArgs,
    handler=remove_item,
)
