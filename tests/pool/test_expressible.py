"""Sixty things that travellers say, each in fields of a request: all are understood as written."""

from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.session import make_engine, transaction
from backend.params.registry import default_values
from backend.pool.request_faults import resolve_request
from backend.pool.wish_texts import describe_wish

TRIP: dict[str, Any] = {
    "origin": "上海",
    "destinations": [{"city": "北京", "nights": 2}, {"city": "西安", "nights": 2}],
    "start_date": "2026-11-27",
    "days": 5,
    "travellers": 2,
    "budget_tier": "comfort",
    "locale": "en",
}
NOT: dict[str, Any] = {"not": True}

SAID: list[tuple[str, dict[str, Any], str]] = [
    ("at most 2000 on hotels", {"kind": "spend", "on": "hotels", "at_most": 2000},
     "at most 2000 on hotels in all"),
    ("门票加起来不超过600", {"kind": "spend", "on": "tickets", "at_most": 600},
     "at most 600 on tickets in all"),
    ("spend 500 to 800 on food", {"kind": "spend", "on": "meals", "at_least": 500, "at_most": 800},
     "at least 500, at most 800 on meals in all"),
    ("trains for under 3000", {"kind": "spend", "on": "intercity", "at_most": 3000},
     "at most 3000 on travel between cities in all"),
    ("市内交通控制在200以内", {"kind": "spend", "on": "local", "at_most": 200},
     "at most 200 on local transport in all"),
    ("a hotel below 500 a night", {"kind": "price", "of": "night", "at_most": 500},
     "at most 500 for a night in one room"),
    ("hotels of 600 on average", {"kind": "price", "of": "night", "at_most": 600, "each": False},
     "at most 600 for a night in one room on average"),
    ("餐馆人均100以下", {"kind": "price", "of": "meal", "at_most": 100},
     "at most 100 for a meal for one"),
    ("one really good dinner would be nice", {"kind": "price", "of": "meal", "at_least": 300,
     "each": False, "weight": "rather"}, "at least 300 for a meal for one on average"),
    ("no ticket above 120", {"kind": "price", "of": "ticket", "at_most": 120},
     "at most 120 for a ticket"),
    ("free sights only", {"kind": "price", "of": "ticket", "at_most": 0}, "at most 0 for a ticket"),
    ("high-speed train only", {"kind": "intercity", "mode": "train", "types": ["G", "D", "C"]},
     "all ways between cities; by train; trains of type G, D, C"),
    ("leave after 9", {"kind": "intercity", "legs": "out", "depart_after": "09:00"},
     "the way out; leaving at 09:00 or later"),
    ("home before 20:00", {"kind": "intercity", "legs": "back", "arrive_before": "20:00"},
     "the way back; arriving by 20:00"),
    ("去程要坐飞机", {"kind": "intercity", "legs": "out", "mode": "flight"},
     "the way out; by flight"),
    ("we do not want to fly", {"kind": "intercity", "mode": "flight", **NOT},
     "not: all ways between cities; by flight"),
    ("the night train to Xi'an", {"kind": "intercity", "legs": 1, "depart_after": "20:00"},
     "leg 1 (from 0); leaving at 20:00 or later"),
    ("no change of trains", {"kind": "intercity", "direct": True},
     "all ways between cities; without a change"),
    ("at most five hours on the train", {"kind": "intercity", "longest_min": 300},
     "all ways between cities; no longer than 300 minutes"),
    ("take G1 there", {"kind": "intercity", "legs": "out", "number": "G1"},
     "the way out; number G1"),
    ("two twin rooms", {"kind": "beds", "in_room": "two_single", "rooms": 2},
     "2 room(s) with two single beds"),
    ("大床房", {"kind": "beds", "in_room": "one_double"}, "rooms with one double bed"),
    ("a family room", {"kind": "beds", "in_room": "family"}, "rooms with a family room"),
    ("no museums", {"kind": "visit", "type": ["museums"], "none": True}, "none of: museum"),
    ("at least two temples", {"kind": "visit", "type": ["寺庙"], "at_least": 2},
     "visit at least 2 of: temple"),
    ("a park and a museum each", {"kind": "visit", "type": ["park"], "at_least": 1},
     "visit at least 1 of: park"),
    ("something of the world heritage", {"kind": "visit", "tag": ["世界文化遗产"]},
     "visit at least 1 of: World heritage"),
    ("natural scenery", {"kind": "visit", "type": ["自然风光"]}, "visit at least 1 of: Nature"),
    ("either the zoo or the summer palace",
     {"kind": "visit", "any_of": ["北京动物园", "Summer Palace"]},
     "visit at least 1 of: Beijing Zoo, Summer Palace"),
    ("all but the bell tower", {"kind": "visit", "any_of": ["西安钟楼"], "none": True},
     "none of: Bell Tower of Xi'an"),
    ("at least two free sights", {"kind": "visit", "free": True, "at_least": 2},
     "visit at least 2 of: free sights"),
    ("at most three sights a day", {"kind": "visit", "at_most": 3, "each_day": True},
     "visit at most 3 of: sights; each day"),
    ("every day at least two", {"kind": "visit", "at_least": 2, "each_day": True},
     "visit at least 2 of: sights; each day"),
    ("only one temple in all", {"kind": "visit", "type": ["temple"], "at_most": 1},
     "visit at most 1 of: temple"),
    ("a museum on the second day", {"kind": "visit", "type": ["museum"], "day": 2},
     "visit at least 1 of: museum; on day 2"),
    ("a quiet last day", {"kind": "visit", "at_most": 1, "day": 5},
     "visit at most 1 of: sights; on day 5"),
    ("an amusement park for the kids", {"kind": "visit", "type": ["amusement park"]},
     "visit at least 1 of: theme park"),
    ("逛一条夜市", {"kind": "visit", "type": ["夜市"]}, "visit at least 1 of: food street"),
    ("Sichuan food at least twice", {"kind": "eat", "cuisine": ["Sichuan food"], "at_least": 2},
     "at least 2 meal(s): sichuan"),
    ("吃一顿烤鸭", {"kind": "eat", "cuisine": ["烤鸭"]}, "at least 1 meal(s): roast duck"),
    ("hotpot on the first evening", {"kind": "eat", "cuisine": ["火锅"], "meal": "dinner", "day": 1},
     "at least 1 dinner: hotpot; on day 1"),
    ("no western food", {"kind": "eat", "cuisine": ["西餐"], **NOT},
     "not: at least 1 meal(s): western"),
    ("noodles once at most", {"kind": "eat", "cuisine": ["面条"], "at_most": 1},
     "at most 1 meal(s): noodles"),
    ("lunch in the Muslim quarter", {"kind": "eat", "place": "回民街", "meal": "lunch"},
     "at least 1 lunch: Muslim Quarter"),
    ("a hotel with a swimming pool", {"kind": "hotel", "features": ["swimming pool"]},
     "a hotel with pool"),
    ("早餐和停车场", {"kind": "hotel", "features": ["早餐", "停车场"]},
     "a hotel with breakfast, parking"),
    ("a Hilton", {"kind": "hotel", "features": ["Hilton"]}, "a hotel with hilton"),
    ("the Peninsula in Beijing", {"kind": "hotel", "hotel": "The Peninsula Beijing"},
     "stay at The Peninsula Beijing"),
    ("exactly three stars", {"kind": "hotel", "stars": 3, "stars_at_most": 3},
     "a hotel of at least 3 stars; a hotel of at most 3 stars"),
    ("rated 4.5 or better", {"kind": "hotel", "rating": 4.5}, "a hotel rated 4.5 or better"),
    ("near the bell tower", {"kind": "hotel", "near": "西安钟楼", "within_m": 800},
     "a hotel within 800 m of Bell Tower of Xi'an"),
    ("near the south station", {"kind": "hotel", "near": "北京南"},
     "a hotel within 1500 m of 北京南"),
    ("no change of hotel", {"kind": "hotel", "same": True},
     "the same hotel for all nights in a city"),
    ("metro and walking only", {"kind": "local", "only": ["metro", "walk"]},
     "only metro, walking in the city"),
    ("never taxi", {"kind": "local", "never": ["taxi"]}, "no taxi in the city"),
    ("打车就好", {"kind": "local", "use": ["taxi"]}, "use taxi in the city"),
    ("not more than 800 m on foot", {"kind": "local", "longest_walk_m": 800},
     "no walk of more than 800 m"),
    ("sights within half an hour of each other", {"kind": "local", "longest_min": 30},
     "no way of more than 30 minutes"),
    ("the Forbidden City on day 2 in the morning",
     {"kind": "at", "place": "Forbidden City", "day": 2, "to": "12:30"},
     "The Palace Museum (Forbidden City); on day 2; left by 12:30"),
    ("three hours for the army", {"kind": "at", "place": "兵马俑", "minutes": 180},
     "Emperor Qin Shi Huang's Mausoleum Site Museum; for at least 180 minutes"),
    ("the wall by night", {"kind": "at", "place": "西安城墙", "from": "18:00"},
     "Xi'an City Wall; not before 18:00"),
    ("first the drum tower, then the bell tower",
     {"kind": "at", "place": "西安钟楼", "after": "西安鼓楼"},
     "Bell Tower of Xi'an; after Drum Tower of Xi'an"),
    ("not the palace on the first day", {"kind": "at", "place": "故宫", "day": 1, **NOT},
     "not: The Palace Museum (Forbidden City); on day 1"),
]  # fmt: skip


@pytest.mark.sql
async def test_what_travellers_say_is_understood_as_written(seeded_url: str) -> None:
    engine: AsyncEngine = make_engine(seeded_url)
    try:
        async with transaction(engine) as session:
            wrong: list[tuple[str, str]] = []
            for at in range(0, len(SAID), 20):
                said = SAID[at : at + 20]
                raw = TRIP | {"wishes": [wish for _, wish, _ in said]}
                request = await resolve_request(session, raw, default_values())
                names = {entry.id: entry.name for entry in request.resolved if entry.id}
                texts = [
                    describe_wish(wish, lambda i: names.get(i, i), "en")  # noqa: B023 - used at once
                    for wish in request.wishes
                ]
                wrong += [(t, x) for t, (_, _, x) in zip(texts, said, strict=True) if t != x]
    finally:
        await engine.dispose()
    assert wrong == []
    assert len(SAID) >= 60
