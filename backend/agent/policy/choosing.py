"""Chooses trains and hotels: the best for this traveller, cheaper ones where the budget asks.

Where a list is switched off, a refusal names ids that are near: one guess shows what there is.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

from backend.agent.policy.brief import BriefCity, BriefLeg, Ride
from backend.agent.policy.call_log import CallLog
from backend.agent.policy.rides import (
    Choice,
    Picks,
    Slot,
    choose_rides,
    cut_costs,
    is_possible,
    list_rides,
    list_seats,
    pick_best,
)
from backend.agent.policy.situation import Situation
from backend.agent.replies import make_call
from backend.money import add_up
from backend.pool.wishes import SpendWish, Wish
from backend.tools.call import ToolCall

KEPT_SHARE = 0.15
"""Of the budget, for tickets and local transport, before anybody has added them up."""

MOST_ATTEMPTS = 4
"""A slot whose choices were refused this often is left alone."""

FIRST_OPENED = 3
MOST_OPENED = 6
"""Hotels of a city that are opened at once, and in all."""

TRAIN_GUESSES = ("G1", "D1", "K1", "train")
HOTEL_GUESSES = ("酒店", "hotel", "inn")
"""Not meant to be in the pool: near ones are named in the answer."""

Options = dict[Slot, list[Choice]]


def choose_trains(situation: Situation) -> list[ToolCall]:
    """A train or connection for each leg that has none yet; opened first, then chosen."""
    legs = [leg for leg in _list_legs(situation) if leg.leg not in situation.draft.trains]
    picks = pick(situation) if legs else {}
    return [call for leg in legs for call in _choose_train(situation.log, leg, picks)]


def open_hotels(situation: Situation) -> list[ToolCall]:
    """The chosen hotel and the next best of each city in detail, for where they are."""
    log = situation.log
    cities = _list_open_cities(situation) if log.may_open("get_hotel") else []
    picks = pick(situation) if cities else {}
    return [
        make_call("get_hotel", hotel_id=hotel_id)
        for city in cities
        for hotel_id in _shortlist(situation, city, picks)
    ]


def choose_hotels(situation: Situation) -> list[ToolCall]:
    """A hotel for each city that has none yet."""
    cities = _list_open_cities(situation)
    picks = pick(situation) if cities else {}
    return [call for city in cities for call in _choose_hotel(situation.log, city, picks)]


def choose_cheaper(situation: Situation, over: float) -> list[ToolCall]:
    """Other trains and hotels that cost `over` less in all, or as much less as can be.

    Nothing is chosen twice: what was given up for something cheaper is not cheaper.
    """
    known = _list_options(situation)
    now = _find_chosen(situation, known)
    options = {
        slot: [c for c in choices if c in now.values() or not _was_chosen(situation.log, c)]
        for slot, choices in known.items()
    }
    changed = _cut(situation, now, options, over)
    if not changed:  # the guess at local transport may be wrong; prices are not
        bare = {slot: _strip(choices) for slot, choices in options.items()}
        changed = _cut(
            situation, {s: dataclasses.replace(c, ways=0) for s, c in now.items()}, bare, over
        )
    log = situation.log
    legs = (leg for leg in _list_legs(situation) if _leg_slot(leg) in changed)
    cities = (city for city in _list_cities(situation) if _hotel_slot(city) in changed)
    trains = (call for leg in legs for call in _choose_train(log, leg, changed))
    hotels = (call for city in cities for call in _choose_hotel(log, city, changed))
    return [*trains, *hotels]


def _cut(situation: Situation, now: Picks, options: Options, over: float) -> Picks:
    """The choices that change."""
    allowance = add_up(choice.cost for choice in now.values()) - over
    cut = cut_costs(now, list(options.values()), allowance, _make_test(situation))
    return {slot: choice for slot, choice in cut.items() if choice != now[slot]}


def _strip(choices: Iterable[Choice]) -> list[Choice]:
    return [dataclasses.replace(choice, ways=0) for choice in choices]


def _was_chosen(log: CallLog, choice: Choice) -> bool:
    kind, name = choice.slot
    if kind == "leg":
        return log.has_called("choose_train", leg=int(name), train_ids=list(choice.ids))
    return log.has_called("choose_hotel", city=name, hotel_id=choice.ids[0])


def pick(situation: Situation) -> Picks:
    """A choice for each slot: what the draft has, else what suits best within the budget."""
    options = _list_options(situation)
    chosen = _find_chosen(situation, options)
    picks = {**_pick_trains(situation, options), **pick_best(_only(options, "hotel")), **chosen}
    budget = situation.brief.budget
    open_options = [choices for slot, choices in options.items() if slot not in chosen]
    for wish in situation.brief.wishes:
        picks, open_options = _keep_spending(situation, wish.wish, picks, open_options)
    if budget is None:
        return picks
    return cut_costs(picks, open_options, budget * (1 - KEPT_SHARE), _make_test(situation))


_SPENT_ON = {"hotels": "hotel", "intercity": "leg"}


def _keep_spending(
    situation: Situation, wish: Wish, picks: Picks, options: list[list[Choice]]
) -> tuple[Picks, list[list[Choice]]]:
    """Picks within the limits of what hotels or trains cost, and options that do not go beyond."""
    kind = _SPENT_ON.get(wish.on) if isinstance(wish, SpendWish) and not wish.negated else None
    if kind is None or not isinstance(wish, SpendWish):
        return picks, options
    for limit, sign in ((wish.at_most, 1), (wish.at_least, -1)):
        if limit is not None:
            asked = {slot: c for slot, c in picks.items() if slot[0] == kind}
            signed = {slot: _sign(choice, sign) for slot, choice in asked.items()}
            others = [[_sign(c, sign) for c in row] for row in options if _is_of(row, kind)]
            cut = cut_costs(signed, others, sign * float(limit), _make_test(situation))
            known = {(c.slot, c.ids): c for row in (*options, [*asked.values()]) for c in row}
            picks = {**picks, **{slot: known[slot, c.ids] for slot, c in cut.items()}}
            spent = add_up(picks[slot].price for slot in asked)
            room = sign * (float(limit) - spent)
            options = [
                [c for c in row if sign * (c.price - picks[c.slot].price) <= max(0.0, room)]
                if _is_of(row, kind)
                else row
                for row in options
            ]
    return picks, options


def _is_of(choices: Sequence[Choice], kind: str) -> bool:
    return bool(choices) and choices[0].slot[0] == kind


def _sign(choice: Choice, sign: int) -> Choice:
    return dataclasses.replace(choice, price=sign * choice.price, ways=0)


def _list_options(situation: Situation) -> Options:
    """All choices that are known, by slot."""
    log = situation.log
    legs = {_leg_slot(leg): list_seats(log, leg) for leg in _list_legs(situation)}
    cities = {_hotel_slot(c): situation.list_beds(c) for c in _list_cities(situation)}
    held = _list_held(situation)
    return {
        slot: [c for c in choices if slot not in held or c.ids == held[slot]]
        for slot, choices in (legs | cities).items()
    }


def _list_held(situation: Situation) -> dict[Slot, tuple[str, ...]]:
    """What the traveller holds to."""
    locks = situation.brief.locks
    return {
        **{("leg", str(leg)): trains for leg, trains in locks.trains.items()},
        **{("hotel", city): (hotel,) for city, hotel in locks.hotels.items()},
    }


def _find_chosen(situation: Situation, options: Options) -> Picks:
    """What the draft has, as far as its price is known."""
    draft = situation.draft
    ids: dict[Slot, tuple[str, ...]] = {
        **{("leg", str(leg)): trains for leg, trains in draft.trains.items()},
        **{("hotel", city): (hotel,) for city, hotel in draft.hotels.items()},
    }
    return {
        slot: choice
        for slot, choices in options.items()
        for choice in choices
        if choice.ids == ids.get(slot)
    }


def _pick_trains(situation: Situation, options: Options) -> Picks:
    """Trains are chosen together, since one leg's arrival is the next one's beginning."""
    brief = situation.brief
    rides = choose_rides(brief, [(leg, _list_rides(situation, leg)) for leg in brief.legs])
    wanted = {(("leg", str(ride.leg)), ride.train_ids) for ride in rides}
    choices = (choice for choices in options.values() for choice in choices)
    return {choice.slot: choice for choice in choices if (choice.slot, choice.ids) in wanted}


def _list_rides(situation: Situation, leg: BriefLeg) -> list[Ride]:
    """The chosen ride of a leg that has one, else all that are known."""
    chosen = [ride for ride in situation.rides if ride.leg == leg.leg]
    return chosen or list_rides(situation.log, leg)


def _make_test(situation: Situation) -> Callable[[Picks], bool]:
    """Tells whether the trains of some picks can be caught one after another."""
    legs = situation.brief.legs
    rides = {
        (_leg_slot(leg), ride.train_ids): ride
        for leg in legs
        for ride in list_rides(situation.log, leg)
    }

    def can_be_caught(picks: Picks) -> bool:
        chosen = [picks[_leg_slot(leg)] for leg in legs if _leg_slot(leg) in picks]
        return is_possible(situation.brief, [rides[choice.slot, choice.ids] for choice in chosen])

    return can_be_caught


def _only(options: Options, kind: str) -> list[list[Choice]]:
    return [choices for slot, choices in options.items() if slot[0] == kind]


def _list_legs(situation: Situation) -> Iterable[BriefLeg]:
    return (leg for leg in situation.brief.legs if leg.trains or leg.connections)


def _list_cities(situation: Situation) -> Iterable[BriefCity]:
    return (city for city in situation.brief.cities if city.nights and city.hotels)


def _list_open_cities(situation: Situation) -> list[BriefCity]:
    return [c for c in _list_cities(situation) if c.id not in situation.draft.hotels]


def _leg_slot(leg: BriefLeg) -> Slot:
    return ("leg", str(leg.leg))


def _hotel_slot(city: BriefCity) -> Slot:
    return ("hotel", city.id)


def _choose_train(log: CallLog, leg: BriefLeg, picks: Picks) -> Iterator[ToolCall]:
    choice = picks.get(_leg_slot(leg))
    refused = sum(step.is_error for step in log.find("choose_train", leg=leg.leg))
    if not log.may("choose_train") or refused >= MOST_ATTEMPTS:
        return
    if choice is None:
        guess = TRAIN_GUESSES[refused]
        yield make_call("choose_train", leg=leg.leg, train_ids=[guess])
        return
    for train_id in choice.ids:
        if log.may_open("get_train") and not log.has_called("get_train", train_id=train_id):
            yield make_call("get_train", train_id=train_id)
    yield make_call("choose_train", leg=leg.leg, train_ids=list(choice.ids))


def _choose_hotel(log: CallLog, city: BriefCity, picks: Picks) -> Iterator[ToolCall]:
    choice = picks.get(_hotel_slot(city))
    refused = sum(step.is_error for step in log.find("choose_hotel", city=city.id))
    if not log.may("choose_hotel") or refused >= MOST_ATTEMPTS:
        return
    if choice is not None:
        yield make_call("choose_hotel", city=city.id, hotel_id=choice.ids[0])
    else:
        guess = (city.id, *HOTEL_GUESSES)[refused]
        yield make_call("choose_hotel", city=city.id, hotel_id=guess)


def _shortlist(situation: Situation, city: BriefCity, picks: Picks) -> list[str]:
    """The pick and the next best; later the pick again, if what was seen has changed it."""
    log = situation.log
    beds = sorted(situation.list_beds(city), key=lambda bed: bed.cost + bed.discomfort)
    choice = picks.get(_hotel_slot(city))
    best = [bed.ids[0] for bed in ([choice] if choice is not None else []) + beds]
    unseen = [i for i in dict.fromkeys(best) if not log.has_called("get_hotel", hotel_id=i)]
    opened = len(beds) - len(set(unseen))
    if not opened:
        return unseen[:FIRST_OPENED]
    return [i for i in unseen if opened < MOST_OPENED and best[0] == i]
