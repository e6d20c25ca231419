"""What the wishes of a request ask of an arrangement: places that go in, places that stay out, limits.

An arrangement is made again with other places or days where it does not keep them at first.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from backend.catalogue.place_types import FOOD_TYPES
from backend.planner.days.meals import is_food_place
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import MealItem, VisitItem
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot
from backend.pool.wished import is_of_kind, is_wanted, is_within, serves
from backend.pool.wishes import AtWish, EatWish, PriceWish, SpendWish, VisitWish, Wish, list_ids

Days = dict[str, frozenset[int]]
"""The days on which a place may be, by id; any day where it is not named."""


@dataclass(frozen=True)
class Cap:
    """At most so many of these places, or so much money for them; `is_daily`: on each day."""

    poi_ids: frozenset[str]
    most: Decimal
    is_money: bool = False
    day: int | None = None
    is_daily: bool = False

    def is_about(self, day: int) -> bool:
        """Whether it counts what is on a day."""
        return self.day in {None, day}


@dataclass(frozen=True)
class Asked:
    """`locked` places go in before all others, `bound` ones like must-sees, `rather` ones count more.

    `sequences` are places of which one is to be visited before another, `ways` is what all ways may
    cost, `gone` are places that were tried in vain.
    """

    locked: frozenset[str] = frozenset()
    bound: tuple[str, ...] = ()
    rather: tuple[str, ...] = ()
    days: Days = field(default_factory=dict)
    caps: tuple[Cap, ...] = ()
    sequences: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    ways: Decimal | None = None
    gone: frozenset[str] = frozenset()
    firm: Days = field(default_factory=dict)
    is_wished: bool = False


NOTHING_ASKED = Asked()


def ask(snapshot: Snapshot, planned: Collection[str], before: Asked) -> Asked:
    """What is asked after some places were tried in vain; `planned` ones are rather taken."""
    wishes, must = snapshot.request.wishes, set(snapshot.must_see)
    bound: dict[str, None] = {}
    rather: dict[str, None] = {}
    days: Days = {}
    for wish in wishes:
        for group, count, on in _list_groups(snapshot, wish):
            usable = [p for p in group if p.id not in before.gone]
            usable.sort(key=lambda p: _rank(p, must, planned, bound, wish))
            picked = [p.id for p in usable[:count]]
            (bound if wish.weight == "must" else rather).update(dict.fromkeys(picked))
            days.update({i: on for i in picked if on and i not in days})
    return Asked(
        locked=before.locked,
        bound=tuple(bound),
        rather=tuple(i for i in rather if i not in bound),
        days={**days, **before.firm},
        caps=tuple(_list_caps(snapshot)),
        sequences=tuple(
            (frozenset(list_ids(wish.after)), frozenset(list_ids(wish.place)))
            for wish in wishes
            if isinstance(wish, AtWish) and wish.after and not wish.negated
        ),
        ways=min((limit for _, limit in _list_spends(wishes, "local")), default=None),
        gone=before.gone,
        firm=before.firm,
        is_wished=True,
    )


SPARE_ASKED = 2
"""Places for a wish beyond those that it asks for, where most of the pool is left out."""


def list_asked(snapshot: Snapshot) -> tuple[str, ...]:
    """The places that wishes ask for, and a few more of each kind."""
    asked: dict[str, None] = {}
    for wish in snapshot.request.wishes:
        for group, count, _ in _list_groups(snapshot, wish):
            best = sorted(group, key=lambda p: _rank(p, snapshot.must_see, (), (), wish))
            asked.update(dict.fromkeys(p.id for p in best[: count + SPARE_ASKED]))
    return tuple(asked)


def _rank(
    poi: PoiCandidate,
    must: Collection[str],
    planned: Collection[str],
    bound: Collection[str],
    wish: Wish,
) -> tuple[bool, bool, bool, float, str]:
    """What is in anyway comes first, then what is best known; of meals those of a known price."""
    is_dear = isinstance(wish, EatWish) and poi.price is None
    is_in = poi.id in must or poi.id in bound
    return not is_in, poi.id not in planned, is_dear, -(poi.popularity or 0), poi.id


def _list_groups(
    snapshot: Snapshot, wish: Wish
) -> Iterator[tuple[list[PoiCandidate], int, frozenset[int]]]:
    """Places of which so many are wished for, and on which days, if on some."""
    if isinstance(wish, AtWish) and not wish.negated:
        on = frozenset({wish.day}) if wish.day else frozenset[int]()
        yield _find(snapshot, list_ids(wish.place)), 1, on
        yield _find(snapshot, list_ids(wish.after)), 1, frozenset()
    elif isinstance(wish, VisitWish | EatWish) and not wish.is_unwanted and wish.at_least:
        group = [p for p in _list_pool(snapshot) if is_wanted(p, wish) and not refuses(snapshot, p)]
        if isinstance(wish, VisitWish) and wish.each_day and wish.day is None:
            for day in range(1, snapshot.request.days + 1):
                yield group, wish.at_least * day, frozenset()
        else:
            yield group, wish.at_least, frozenset({wish.day}) if wish.day else frozenset()


def _list_pool(snapshot: Snapshot) -> Iterator[PoiCandidate]:
    return (snapshot.rows.pois[i] for pool in snapshot.cities.values() for i in pool.pois)


def _find(snapshot: Snapshot, ids: Iterable[str]) -> list[PoiCandidate]:
    return [poi for i in ids if (poi := snapshot.poi(i)) is not None]


def refuses(snapshot: Snapshot, poi: PoiCandidate) -> str | None:
    """The weight of the wish that refuses a place; None where none does."""
    weights = [w.weight for w in snapshot.request.wishes if _is_refused(poi, w)]
    return min(weights, default=None)  # must before rather


def _is_refused(poi: PoiCandidate, wish: Wish) -> bool:
    if isinstance(wish, VisitWish):
        return wish.is_unwanted and wish.day is None and is_of_kind(poi, wish)
    if isinstance(wish, EatWish):
        is_any = wish.negated and wish.day is None and wish.meal is None
        return is_any and (serves(poi, wish) or (is_food_place(poi) and not poi.cuisine))
    if isinstance(wish, PriceWish) and wish.of != "night" and wish.each:
        is_meant = is_food_place(poi) is (wish.of == "meal")
        return is_meant and (poi.price is None or not is_within(poi.price, wish))
    return False


def _list_spends(wishes: Iterable[Wish], on: str) -> Iterator[tuple[SpendWish, Decimal]]:
    spends = (w for w in wishes if isinstance(w, SpendWish) and w.on == on and not w.negated)
    return ((wish, wish.at_most) for wish in spends if wish.at_most is not None)


def _list_caps(snapshot: Snapshot) -> Iterator[Cap]:
    wishes, pool = snapshot.request.wishes, list(_list_pool(snapshot))
    for on in ("tickets", "meals"):
        ids = frozenset(p.id for p in pool if (p.type in FOOD_TYPES) is (on == "meals"))
        for _, limit in _list_spends(wishes, on):
            yield Cap(ids, limit, is_money=True)
    for wish in wishes:
        if isinstance(wish, VisitWish | EatWish) and wish.at_most is not None:
            ids = frozenset(p.id for p in pool if is_wanted(p, wish))
            is_daily = isinstance(wish, VisitWish) and wish.each_day
            yield Cap(ids, Decimal(wish.at_most), day=wish.day, is_daily=is_daily)
        elif isinstance(wish, VisitWish | EatWish) and wish.is_unwanted and wish.day:
            ids = frozenset(p.id for p in pool if is_wanted(p, wish))
            yield Cap(ids, Decimal(0), day=wish.day)


def find_missed(snapshot: Snapshot, draft: Draft) -> list[Wish]:
    """The wishes for places that a draft does not keep, the musts first."""
    seen = list(_list_seen(snapshot, draft))
    missed = [wish for wish in snapshot.request.wishes if not _is_kept(snapshot, wish, seen)]
    return sorted(missed, key=lambda wish: wish.weight)


Seen = tuple[int, PoiCandidate, str | None]
"""Day, place, and the meal that it is."""


def _list_seen(snapshot: Snapshot, draft: Draft) -> Iterator[Seen]:
    for day, row in enumerate(build_itinerary(snapshot, draft).days, 1):
        for item in row.items:
            if isinstance(item, VisitItem | MealItem) and item.poi_id in snapshot.rows.pois:
                meal = item.meal if isinstance(item, MealItem) else None
                yield day, snapshot.rows.pois[item.poi_id], meal


def _is_kept(snapshot: Snapshot, wish: Wish, seen: Sequence[Seen]) -> bool:
    if isinstance(wish, AtWish) and not wish.negated:
        return _is_in_order(wish, seen)
    if not isinstance(wish, VisitWish | EatWish) or wish.is_unwanted or not wish.at_least:
        return True
    found = [row for row in seen if _counts(wish, row)]
    if isinstance(wish, VisitWish) and wish.each_day and wish.day is None:
        per_day = [
            sum(row[0] == day for row in found) for day in range(1, snapshot.request.days + 1)
        ]
        return min(per_day) >= wish.at_least
    return len(found) >= wish.at_least


def _counts(wish: VisitWish | EatWish, seen: Seen) -> bool:
    day, poi, meal = seen
    if wish.day not in {None, day} or not is_wanted(poi, wish):
        return False
    return isinstance(wish, VisitWish) or (meal is not None and wish.meal in {None, meal})


def _is_in_order(wish: AtWish, seen: Sequence[Seen]) -> bool:
    places = [n for n, (day, poi, _) in enumerate(seen)
              if poi.id in list_ids(wish.place) and wish.day in {None, day}]  # fmt: skip
    before = [n for n, (_, poi, _) in enumerate(seen) if poi.id in list_ids(wish.after)]
    if not places:
        return False
    return not wish.after or (bool(before) and min(before) < max(places))


def ask_again(snapshot: Snapshot, asked: Asked, draft: Draft) -> Asked | None:
    """Other places or days for the wishes that a draft misses; None where there are none."""
    seen = list(_list_seen(snapshot, draft))
    missed = find_missed(snapshot, draft)
    gone, firm = set(asked.gone), dict(asked.firm)
    for wish in missed:
        if isinstance(wish, AtWish):
            firm |= _part(wish, seen, asked.firm)
        elif isinstance(wish, VisitWish | EatWish):
            kept = {poi.id for day, poi, meal in seen if _counts(wish, (day, poi, meal))}
            tried = (
                p for p in _find(snapshot, (*asked.bound, *asked.rather)) if is_wanted(p, wish)
            )
            gone.update(p.id for p in tried if p.id not in kept)
    if (gone, firm) == (set(asked.gone), asked.firm):
        return None
    before = replace(asked, gone=frozenset(gone), firm=firm)
    return ask(snapshot, [poi.id for _, poi, _ in seen], before)


def _part(wish: AtWish, seen: Sequence[Seen], firm: Days) -> Days:
    """Days that keep the order: up to and from the day of the one, then of the other."""
    days = {poi.id: day for day, poi, _ in seen}
    late = [days[i] for i in list_ids(wish.after) if i in days]
    early = [days[i] for i in list_ids(wish.place) if i in days]
    if not wish.after or not late or not early:
        return {}
    was_tried = any(i in firm for i in list_ids(wish.after))
    middle = early[0] if was_tried else late[0]
    most = max(middle, *late, *early) + 1
    before = dict.fromkeys(list_ids(wish.after), frozenset(range(1, middle + 1)))
    return before | dict.fromkeys(list_ids(wish.place), frozenset(range(middle, most + 30)))
