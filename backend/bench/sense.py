"""What a local would say of the plans: what no validator counts, over three tastes in each city.

icons: the five best-known sights within the tier's cap that the plans hold. consensus: how often
published trips hold what the plans hold, of what the best set of that size reaches. night: visits
of lit places that begin in the evening, for who comes for them. together: pairs of sights under
600 m apart on one day. lunch: full days with one, or that say so. home: trips home by 21:00, or
that say so. off_time: visits outside of their best time. exchange_minutes: what the best move or
exchange of visits would still save, in the mean.
"""

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

from backend.agent.builtin_planner import BuiltinPlanner
from backend.bench.quality import install
from backend.catalogue.place_types import FOOD_TYPES
from backend.db.session import Engine, transaction
from backend.params.registry import default_values
from backend.planner.days.hours import NIGHT_TAGS, find_dusk, is_at_best, read_best_times
from backend.planner.days.legs import count_minutes
from backend.planner.days.trip import plan_trip
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.plan.itinerary import Itinerary, LegItem, MealItem, Violation, VisitItem
from backend.planner.search.improve import list_changes
from backend.planner.search.problem import state_problem
from backend.planner.search.rating import Rater
from backend.planner.search.solution import Solution
from backend.pool.candidate import PoiCandidate, measure_distance_m
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.replay.memory_run import Setting, plan_in_memory
from backend.settings import Settings

ORIGINS = {
    **dict.fromkeys(("beijing", "tianjin", "wuhan"), "shanghai"),
    **dict.fromkeys(("shanghai", "qingdao"), "beijing"),
    **dict.fromkeys(("nanjing", "suzhou", "hangzhou", "luoyang", "chongqing"), "wuhan"),
    **dict.fromkeys(("guangzhou", "shenzhen"), "wuhan"),
    **dict.fromkeys(("guilin", "xiamen"), "guangzhou"),
    "xian": "chengdu",
    "chengdu": "xian",
}
"""Where the trips to each city begin."""

TASTES: tuple[dict[str, Any], ...] = (
    {"interests": ["history", "food"]},
    {"interests": ["night_view", "nightlife"], "day_end": "23:00"},
    {"interests": []},
)
ICONS = 5
NEAR_M = 600
SHORTEST_TRIP, LONGEST_TRIP = 2, 5
HOME_BY_MIN = 21 * 60
SUMMER = range(4, 10)
SUMMER_EVENING, WINTER_EVENING = 18, 17
SHARES = ("icons", "consensus", "night", "together", "lunch", "home", "off_time")


@dataclass(frozen=True)
class Planned:
    """A plan with what it was made from; `sites` are all places of the city, most popular first."""

    snapshot: Snapshot
    draft: Draft
    itinerary: Itinerary
    codes: tuple[tuple[str, int | None], ...]
    sites: Sequence[PoiCandidate]

    @property
    def city(self) -> str:
        """The one city of the trip."""
        return self.snapshot.city_order[0]


@dataclass
class Tally:
    """Sums of parts and wholes by figure, and the minutes that exchanges would save."""

    parts: Counter[str] = field(default_factory=Counter)
    wholes: Counter[str] = field(default_factory=Counter)
    minutes: list[float] = field(default_factory=list)

    def count(self, figure: str, part: float, whole: float = 1) -> None:
        """Add to a figure."""
        self.parts[figure] += part  # type: ignore[assignment]
        self.wholes[figure] += whole  # type: ignore[assignment]

    def share(self, figure: str) -> float | None:
        """The figure; None where nothing was counted."""
        whole = self.wholes[figure]
        return round(self.parts[figure] / whole, 3) if whole else None


def read_trips(lines: Iterable[str]) -> dict[str, Counter[str]]:
    """How often each place stands in a published trip of two to five days, by city."""
    held: dict[str, Counter[str]] = {}
    for trip in map(json.loads, lines):
        if SHORTEST_TRIP <= trip["days"] <= LONGEST_TRIP:
            places = {name.split("@")[0] for day in trip["plan"] for name in day}
            held.setdefault(trip["city"], Counter()).update(places)
    return held


def tally_plan(tally: Tally, plan: Planned, held: Mapping[str, Counter[str]]) -> None:
    """Count one plan."""
    visits = _list_visits(plan)
    rows = plan.snapshot.rows.pois
    days = {item.poi_id or "": day for day, item in visits}
    sights = [poi for poi in days if rows[poi].type not in FOOD_TYPES - {"teahouse", "food_street"}]
    _tally_times(tally, plan, visits)
    _tally_days(tally, plan)
    for one, other in combinations(sights, 2):
        if measure_distance_m(rows[one].position, rows[other].position) < NEAR_M:
            tally.count("together", days[one] == days[other])
    if not NIGHT_TAGS.intersection(plan.snapshot.request.interests):
        _tally_icons(tally, plan, sights)
        _tally_consensus(tally, plan, sights, held.get(plan.city, Counter()))
    tally.minutes.append(measure_exchange(plan.snapshot, plan.draft))


def _list_visits(plan: Planned) -> list[tuple[int, VisitItem | MealItem]]:
    return [
        (day, item)
        for day, row in enumerate(plan.itinerary.days, 1)
        for item in row.items
        if isinstance(item, VisitItem | MealItem) and item.poi_id is not None
    ]


def _tally_times(
    tally: Tally, plan: Planned, visits: Sequence[tuple[int, VisitItem | MealItem]]
) -> None:
    likes_night = bool(NIGHT_TAGS.intersection(plan.snapshot.request.interests))
    for day, item in visits:
        if not isinstance(item, VisitItem):
            continue
        poi = plan.snapshot.rows.pois[item.poi_id]
        date = plan.itinerary.days[day - 1].date
        dusk = find_dusk(plan.snapshot.city_rows[poi.city], date)
        start, end = count_minutes(item.arrive, date), count_minutes(item.leave, date)
        tally.count("off_time", not is_at_best(read_best_times(poi), start, end, dusk))
        if likes_night and NIGHT_TAGS.intersection(poi.tags):
            evening = SUMMER_EVENING if date.month in SUMMER else WINTER_EVENING
            tally.count("night", start >= evening * 60)


def _tally_days(tally: Tally, plan: Planned) -> None:
    days = plan.itinerary.days
    codes = {code for code, _ in plan.codes}
    for number, day in enumerate(days, 1):
        if 1 < number < len(days):
            has_lunch = any(isinstance(i, MealItem) and i.meal == "lunch" for i in day.items)
            tally.count("lunch", has_lunch or ("MEAL_MISSED", number) in plan.codes)
    legs = [item for item in days[-1].items if isinstance(item, LegItem) and item.arrive]
    for leg in legs[-1:]:
        assert leg.depart is not None
        assert leg.arrive is not None
        is_early = count_minutes(leg.arrive, leg.depart.date()) <= HOME_BY_MIN
        tally.count("home", is_early or "LATE_HOME" in codes)


def _tally_icons(tally: Tally, plan: Planned, sights: Sequence[str]) -> None:
    for poi in plan.sites[:ICONS]:
        tally.count("icons", poi.id in sights or poi.part_of in sights)


def _tally_consensus(
    tally: Tally, plan: Planned, sights: Sequence[str], held: Counter[str]
) -> None:
    if not held:
        return
    known = {poi.id for poi in plan.sites}
    counted = Counter({poi: count for poi, count in held.items() if poi in known})
    parts = {poi.id for poi in plan.sites if poi.part_of in sights}
    best = sum(count for _, count in counted.most_common(len(sights)))
    tally.count("consensus", sum(counted[poi] for poi in parts.union(sights)), best)


def measure_exchange(snapshot: Snapshot, draft: Draft) -> float:
    """Minutes that the best move or exchange of visits would save, by the planner's own measure."""
    trip = plan_trip(snapshot, draft)
    pois = [snapshot.rows.pois[poi_id] for poi_id in draft.poi_ids]
    solution = Solution(Rater(state_problem(trip, draft, pois, []), snapshot.request.pace))
    problem = solution.rater.problem
    numbers = {candidate.poi.id: n for n, candidate in enumerate(problem.candidates)}
    for room, place in enumerate(problem.rooms):
        planned = draft.visits_on(place.frame.part.day)
        order = _read_order(planned, numbers)
        solution.set_order(room, tuple(c for c in order if problem.stops[c][room] is not None))
    costs = (solution.try_change(change) for change in list_changes(solution))
    return max((solution.cost - cost for cost in costs if cost is not None), default=0.0)


def _read_order(planned: Sequence[PlannedVisit], numbers: Mapping[str, int]) -> list[int]:
    return [numbers[visit.poi_id] for visit in planned]


def summarise_sense(tally: Tally, plans: int, failed: int) -> dict[str, Any]:
    """The figures as JSON values."""
    minutes = round(fmean(tally.minutes), 1) if tally.minutes else None
    figures = {figure: tally.share(figure) for figure in SHARES}
    return {"plans": plans, "failed": failed, **figures, "exchange_minutes": minutes}


async def run_sense_bench(
    url: str,
    settings: Settings,
    asked: tuple[dt.date, int, Sequence[str]],
    trips: Iterable[str],
    tell: Callable[[int, int], None] = lambda _done, _of: None,
) -> dict[str, Any]:
    """Plan the three tastes of each city for a date and a number of days; the figures."""
    date, days, cities = asked
    held = read_trips(trips)
    tally, plans, failed = Tally(), 0, 0
    async with install(url, settings) as bench:
        for city in cities:
            for taste in TASTES:
                plan = await _plan(bench.engine, _ask(city, date, days, taste))
                plans += plan is not None
                failed += plan is None
                if plan is not None:
                    tally_plan(tally, plan, held)
                tell(plans + failed, len(cities) * len(TASTES))
    return {"date": date.isoformat(), "days": days, **summarise_sense(tally, plans, failed)}


def _ask(city: str, date: dt.date, days: int, taste: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "origin": ORIGINS.get(city),
        "destinations": [{"city": city}],
        "start_date": date.isoformat(),
        "days": days,
        "travellers": 2,
        "budget_tier": "comfort",
        "planner": "builtin",
        **taste,
    }


async def _plan(engine: Engine, raw: Mapping[str, Any]) -> Planned | None:
    params = default_values()
    async with transaction(engine) as session:
        request = await resolve_request(session, raw, params)
        service = CandidatePoolService(session)
        snapshot = await service.build(request, params)
        everything = {**params, "POOL_POI_SIZE": 500, "POOL_KNOWN_SIZE": 500}
        whole = await service.build(request, everything, is_sealed=False)
    export = await plan_in_memory(snapshot, BuiltinPlanner(), Setting())
    if not export.result["itinerary"]:
        return None
    itinerary = Itinerary.model_validate(export.result["itinerary"])
    found = [Violation.model_validate(row) for row in export.result["violations"]]
    return Planned(
        snapshot,
        read_draft(itinerary, snapshot.city_order),
        itinerary,
        tuple((violation.code, violation.where.day) for violation in found),
        sorted(whole.rows.pois.values(), key=lambda poi: (-(poi.popularity or 0), poi.id)),
    )


def read_draft(itinerary: Itinerary, cities: Collection[str]) -> Draft:
    """The choices that the delivered items show, without wishes for a time.

    Trains are changed elsewhere than in the `cities` of the trip.
    """
    hotels: dict[str, str] = {}
    visits: dict[int, tuple[PlannedVisit, ...]] = {}
    legs: list[tuple[str, list[str]]] = []
    for number, day in enumerate(itinerary.days, 1):
        for item in day.items:
            if isinstance(item, VisitItem | MealItem) and item.poi_id:
                visits[number] = (*visits.get(number, ()), PlannedVisit(poi_id=item.poi_id))
            elif item.kind == "stay":
                hotels[day.city] = item.hotel_id
            elif isinstance(item, LegItem) and item.train_id:
                if legs and legs[-1][0] == item.from_city not in cities:
                    legs[-1] = (item.to_city, [*legs[-1][1], item.train_id])
                else:
                    legs.append((item.to_city, [item.train_id]))
    trains = {leg: tuple(ids) for leg, (_, ids) in enumerate(legs)}
    return Draft(visits=visits, hotels=hotels, trains=trains)


def describe_sense(report: Mapping[str, Any]) -> list[str]:
    """The report as lines."""
    return [
        f"{report['plans']} trips of {report['days']} days from {report['date']},"
        f" {report['failed']} failed",
        *(f"{figure}: {report[figure]}" for figure in (*SHARES, "exchange_minutes")),
    ]
