"""A scripted model that does a bit of everything, right and wrong, while an admin meddles.

What it says follows from its seed and from what it has heard, so a run of it can be made again.
"""

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from random import Random
from typing import Any

from backend.agent.llm import Message, ModelError, ModelReply
from backend.agent.replies import calls, make_call, raw_call, says, several
from backend.tools.call import ToolSchema

SOURCE = "crossings"
MEDDLES_EVERY = 3
TURNS = 24
"""Before it puts everything it has heard of into the plan, and hands that in."""

SUM = {"aggregate": [{"op": "sum", "field": "total"}], "group_by": ["point"], "limit": 3}
PATHS = ("rows.length", "rows[0]", "rows[-1].total", "rows[*].point", "rows[?total > 900].length")
WRONG_PATHS = ("rows[99999]", "rows[0].nothing", "rows[", "rows[?point == 1].length")

Meddle = Callable[[Random], Awaitable[None]]
Move = Callable[["Heard", Random], ModelReply]


class Heard:
    """What the conversation has told so far: ids by kind, handles, how many calls there were."""

    def __init__(self, cities: Sequence[str], messages: Sequence[Message]) -> None:
        self.cities = list(cities)
        self.calls = [call for message in messages for call in message.calls]
        self.ids: dict[str, list[str]] = {"poi": [], "hotel": [], "train": []}
        self.handles: list[str] = []
        names = {call.id: call.name for call in self.calls}
        for message in messages:
            if message.role == "tool":
                self._hear(names.get(message.call_id or "", ""), json.loads(message.content))

    def _hear(self, tool: str, content: dict[str, Any]) -> None:
        kind = {"list_pois": "poi", "list_hotels": "hotel", "list_trains": "train"}.get(tool)
        if kind is not None:
            self.ids[kind] += [row["id"] for row in content.get("rows", ())]
        self.handles += [content[key] for key in ("handle", "rows_handle") if key in content]

    def pick(self, kind: str, random: Random) -> str:
        """An id that was shown, or one that is none."""
        return random.choice(self.ids[kind] or ["nowhere"])

    def pick_handle(self, random: Random) -> str:
        """A handle that was given, or one that is none."""
        return random.choice(self.handles or [f"res_{'0' * 26}"])


class Wanderer:
    """The model; `fails` at the end instead of falling silent, `meddle` is the admin."""

    def __init__(self, cities: Sequence[str], seed: int, meddle: Meddle, *, fails: bool) -> None:
        self._cities, self._seed, self._meddle, self._fails = cities, seed, meddle, fails

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """The next calls of its walk."""
        turn = sum(message.role == "assistant" for message in messages)
        random = Random(f"{self._seed} {turn}")  # noqa: S311 - a sample
        if turn % MEDDLES_EVERY == MEDDLES_EVERY - 1:
            await self._meddle(random)
        return self._choose(turn, Heard(self._cities, messages), random)

    def _choose(self, turn: int, heard: Heard, random: Random) -> ModelReply:
        if turn < len(OPENING):
            return OPENING[turn](heard, random)
        if turn < TURNS:
            return MOVES[(self._seed * 7 + turn * 5) % len(MOVES)](heard, random)
        if turn == TURNS:
            return calls("arrange", poi_ids=list(dict.fromkeys(heard.ids["poi"]))[:40] or ["none"])
        if turn == TURNS + 1:
            return calls("submit_itinerary")
        if self._fails:
            raise ModelError("the account is empty", code="MODEL_QUOTA")
        return says("")


def _list_places(heard: Heard, random: Random) -> ModelReply:
    return several(*(make_call("list_pois", city=city) for city in heard.cities))


def _repeat(heard: Heard, random: Random) -> ModelReply:
    once = make_call("list_hotels", city=random.choice(heard.cities))
    return several(once, once, *heard.calls[-1:])


def _list_with_filters(heard: Heard, random: Random) -> ModelReply:
    wish = random.choice(
        ({"max_price": 40}, {"tags": ["museum"]}, {"q": "园"}, {"type": "nothing"}, {"limit": 99})
    )
    return calls("list_pois", city=random.choice(heard.cities), unseen_only=True, **wish)


def _list_hotels(heard: Heard, random: Random) -> ModelReply:
    return several(*(make_call("list_hotels", city=city) for city in heard.cities))


def _list_trains(heard: Heard, random: Random) -> ModelReply:
    return calls("list_trains", leg=random.randrange(3))


def _open_places(heard: Heard, random: Random) -> ModelReply:
    return several(*(make_call("get_poi", poi_id=heard.pick("poi", random)) for _ in range(3)))


def _put_place(heard: Heard, random: Random) -> ModelReply:
    return calls("put_visit", day=random.randint(1, 4), poi_id=heard.pick("poi", random))


def _choose_hotel(heard: Heard, random: Random) -> ModelReply:
    city = random.choice(heard.cities)
    return calls("choose_hotel", city=city, hotel_id=heard.pick("hotel", random))


def _choose_train(heard: Heard, random: Random) -> ModelReply:
    return calls("choose_train", leg=random.randrange(2), train_ids=[heard.pick("train", random)])


def _arrange(heard: Heard, random: Random) -> ModelReply:
    some = list(dict.fromkeys(heard.ids["poi"]))
    wanted = random.sample(some, min(9, len(some))) or ["nowhere"]
    return calls("arrange", poi_ids=wanted, keep=random.random() < 0.5)


def _remove(heard: Heard, random: Random) -> ModelReply:
    return calls("remove_item", day=1, item=random.randrange(4))


def _view(heard: Heard, random: Random) -> ModelReply:
    return calls("view_itinerary")


def _ask_source(heard: Heard, random: Random) -> ModelReply:
    return calls(SOURCE, day=random.choice(("1", "2", "3", "down")))


def _ask_path(heard: Heard, random: Random) -> ModelReply:
    path = random.choice((*PATHS, *WRONG_PATHS))
    return calls("result_query", handle=heard.pick_handle(random), path=path)


def _ask_query(heard: Heard, random: Random) -> ModelReply:
    return calls("result_query", handle=heard.pick_handle(random), query=SUM)


def _ask_nobody(heard: Heard, random: Random) -> ModelReply:
    return calls("result_query", handle=f"res_{'1' * 26}", path="rows")


def _misspell(heard: Heard, random: Random) -> ModelReply:
    return calls(random.choice(("crosings", "list_poi", "book_flight")), day="1")


def _garble(heard: Heard, random: Random) -> ModelReply:
    return raw_call("put_visit", random.choice(('{"day": 1, "poi', "[1, 2]", "", "null")))


def _talk(heard: Heard, random: Random) -> ModelReply:
    return says("I think about it.")


OPENING: tuple[Move, ...] = (
    _list_places,
    _list_hotels,
    _list_trains,
    _ask_source,
    _choose_train,
    _choose_hotel,
    _arrange,
)
MOVES: tuple[Move, ...] = (
    _repeat,
    _ask_path,
    _open_places,
    _ask_source,
    _garble,
    _list_with_filters,
    _ask_query,
    _put_place,
    _misspell,
    _list_places,
    _ask_nobody,
    _remove,
    _talk,
    _view,
    _arrange,
    _choose_hotel,
    _list_trains,
)
"""Any seed comes to all of them: the number of moves is a prime."""


def make_rows(day: str) -> Iterator[dict[str, Any]]:
    """What the source answers, some 20 KB of it."""
    random = Random(day)  # noqa: S311 - a sample
    for n in range(300):
        yield {"point": f"gate {n % 7}", "n": n, "total": random.randrange(1000), "note": "·" * 20}
