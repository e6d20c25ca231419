"""Explains why a place is not in an itinerary: by the snapshot, else by today's catalogue."""

from collections.abc import Collection
from typing import Literal

from backend.catalogue.finder import find_names
from backend.catalogue.matching import Scope
from backend.catalogue.queries import NamedPlace, find_places
from backend.db.session import Session
from backend.document import Document
from backend.errors import ConflictError, NotFoundError
from backend.pool.city_search import read_places
from backend.pool.findings import ask_city, read_limits
from backend.pool.rules import Entry, judge_place
from backend.pool.snapshot import Snapshot
from backend.pool.stay import plan_stays
from backend.text import Locale, quote

_TEXTS: dict[str, dict[Locale, str]] = {
    "selected": {"en": "It is in the itinerary.", "zh-CN": "它已经在行程里。"},
    "not_chosen": {
        "en": "It was in the pool as number {rank} of {size}; the planner chose others.",
        "zh-CN": "它在候选池中排第{rank}（共{size}个），规划时选了别的地点。",
    },
    "rank": {
        "en": "It came as number {rank} in the ranking, and the pool takes the first {size}.",
        "zh-CN": "它在排序中位列第{rank}，而候选池只取前{size}个。",
    },
    "rank_beyond": {
        "en": "It ranks below the first {size} of the ranking, which the pool takes.",
        "zh-CN": "它的排序在前{size}名之外，而候选池只取前{size}个。",
    },
    "disabled": {"en": "It is switched off in the catalogue.", "zh-CN": "它在目录中已停用。"},
    "avoided": {
        "en": "The request avoids it or one of its tags.",
        "zh-CN": "请求要求避开它或它的某个标签。",
    },
    "synthetic": {
        "en": "It is made up for scale tests.",
        "zh-CN": "它是为规模测试编造的数据。",
    },
    "price": {
        "en": "Its ticket of {price} is above the cap of {cap} for this budget tier.",
        "zh-CN": "门票{price}高于该预算档的上限{cap}。",
    },
    "closed": {
        "en": "It is open on no day of the stay.",
        "zh-CN": "停留期间它每天都不开放。",
    },
    "other_city": {
        "en": "It is in {city}, which the trip does not visit.",
        "zh-CN": "它在{city}，行程不经过那里。",
    },
}


class Explanation(Document):
    """Why a place is or is not in an itinerary.

    `source` says whether the run's own snapshot knew or only today's catalogue.
    """

    poi_id: str
    name: str
    reason: str
    message: str
    source: Literal["snapshot", "catalogue"]
    rank: int | None = None


async def explain_place(
    session: Session, snapshot: Snapshot, word: str, selected: Collection[str]
) -> Explanation:
    """Why the place of this id or name is not in the itinerary; `selected` is what is."""
    known = _explain_known(snapshot, word, selected)
    if known is not None:
        return known
    place = await _find_place(session, snapshot, word)
    known = _explain_known(snapshot, place.id, selected)
    return known or await _ask_catalogue(session, snapshot, place)


def _explain_known(snapshot: Snapshot, word: str, selected: Collection[str]) -> Explanation | None:
    row = next((r for r in snapshot.rows.pois.values() if word in {r.id, r.name, r.name_en}), None)
    if row is None:
        return None
    pool = snapshot.cities[row.city]
    ranked = len(pool.pois) - len(pool.must_see_added)
    rank = pool.ranking.index(row.id) + 1 if row.id in pool.ranking else None
    name = _choose_name(snapshot, row.name, row.name_en)
    if row.id in pool.pois:
        reason = "selected" if row.id in selected else "not_chosen"
        values = {"rank": pool.pois.index(row.id) + 1, "size": len(pool.pois)}
    else:
        reason, values = "rank", {"rank": rank or ranked, "size": ranked}
    message = _render(snapshot, reason, **values)
    return Explanation(
        poi_id=row.id, name=name, reason=reason, message=message, source="snapshot", rank=rank
    )


async def _ask_catalogue(session: Session, snapshot: Snapshot, place: NamedPlace) -> Explanation:
    name = _choose_name(snapshot, place.name, place.name_en)
    if place.city not in snapshot.cities:
        message = _render(snapshot, "other_city", city=place.city)
        return Explanation(
            poi_id=place.id, name=name, reason="other_city", message=message, source="catalogue"
        )
    request = snapshot.request
    limits = read_limits(snapshot.params, request.budget_tier)
    stay = next(stay for stay in plan_stays(request) if stay.city == place.city)
    country = snapshot.city_rows[place.city].country
    ask = ask_city(request, stay, frozenset(snapshot.days_off.get(country, ())), limits)
    row = (await read_places(session, [place.id]))[place.id]
    verdict = judge_place(Entry(row, place.enabled, place.is_synthetic), ask)
    reason = verdict or "rank"
    text = verdict or "rank_beyond"
    message = _render(snapshot, text, price=row.price, cap=limits.price_cap, size=limits.poi_size)
    return Explanation(
        poi_id=place.id, name=name, reason=reason, message=message, source="catalogue"
    )


async def _find_place(session: Session, snapshot: Snapshot, word: str) -> NamedPlace:
    [found] = await find_names(session, [word], Scope(("poi",), tuple(snapshot.cities)))
    if found.one is None:
        [elsewhere] = await find_names(session, [word], Scope(("poi",)), 0)
        found = elsewhere if elsewhere.one is not None else found
    near = ", ".join(named.id for named in found.near)
    if found.is_ambiguous:
        raise ConflictError(f"several places are named {quote(word)}; give an id: {near}")
    if found.one is None:
        raise NotFoundError(f"no place {quote(word)}" + (f"; near: {near}" if near else ""))
    [place] = await find_places(session, [found.one.id])
    return place


def _choose_name(snapshot: Snapshot, name: str, name_en: str) -> str:
    return name_en if snapshot.request.locale == "en" else name


def _render(snapshot: Snapshot, text: str, **values: object) -> str:
    return _TEXTS[text][snapshot.request.locale].format_map(values)
