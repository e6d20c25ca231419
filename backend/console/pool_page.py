"""The pool of a run and what it left out: rows behind each count, and why a place is not in."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from backend.bootstrap import Services
from backend.catalogue.editing import Search, search_rows
from backend.console.render import show_page
from backend.console.run_page import Seen, look_at_run
from backend.console.visit import ServicesDep, Visit, VisitDep
from backend.db.session import Session, transaction
from backend.errors import ConflictError, NotFoundError
from backend.pool.dropped import ORDERS, Drop, list_dropped
from backend.pool.dropped_queries import View
from backend.pool.snapshot import Kind, Snapshot
from backend.pool.why import Explanation, explain_place
from backend.runs.life.result import list_selected

router = APIRouter(prefix="/runs")

PAGE = 50
LAST_PAGE = 100_000

RunId = Annotated[str, Path(max_length=64)]
Words = Annotated[str, Query(max_length=200)]
Number = Annotated[int, Query(ge=1, le=LAST_PAGE)]


@router.get("/{run_id}/pool")
async def show_pool(run_id: RunId, visit: VisitDep, services: ServicesDep) -> Response:
    """The rows of the pool, which of them were chosen, and the counts of what was dropped."""
    seen, snapshot = await _look(services, run_id, visit)
    rows = snapshot.rows
    cities = [
        {
            "id": city,
            "rejected": {"poi": pool.rejected, "hotel": pool.hotels_rejected},
            "pois": [rows.pois[poi] for poi in pool.pois],
            "hotels": [rows.hotels[hotel] for hotel in pool.hotels],
            "added": set(pool.must_see_added),
        }
        for city, pool in snapshot.cities.items()
    ]
    legs = [
        {"pool": leg, "trains": [rows.trains[train] for train in leg.trains]}
        for leg in snapshot.legs
    ]
    values: dict[str, Any] = {"cities": cities, "legs": legs, "selected": _list_chosen(seen)}
    return show_page(visit, "pool.html", run=seen.result, names=seen.names, **values)


class Asked(BaseModel):
    """Which count, and which part of the rows behind it; `at` is a city or the number of a leg."""

    kind: Kind
    reason: Annotated[str, Field(max_length=20)]
    at: Annotated[str, Field(max_length=100)] = ""
    q: Annotated[str, Field(max_length=200)] = ""
    order: Annotated[str, Field(max_length=20)] = "rank"
    page: Annotated[int, Field(ge=1, le=LAST_PAGE)] = 1

    @property
    def drop(self) -> Drop:
        """The count."""
        return Drop(self.kind, self.reason, self.at or None)

    @property
    def view(self) -> View:
        """The part."""
        order = self.order if self.order in ORDERS else "rank"
        return View(self.q.strip(), order, (self.page - 1) * PAGE, PAGE)


@router.get("/{run_id}/dropped")
async def show_dropped(
    run_id: RunId, visit: VisitDep, services: ServicesDep, asked: Annotated[Asked, Query()]
) -> Response:
    """The rows that a reason has dropped, page by page."""
    seen, snapshot = await _look(services, run_id, visit)
    async with transaction(services.engine) as session:
        dropped = await list_dropped(session, snapshot, asked.drop, asked.view)
    values: dict[str, Any] = {
        "drop": asked.drop,
        "view": asked.view,
        "dropped": dropped,
        "orders": ORDERS,
        "places": _list_places(seen, snapshot, asked.kind),
        "number": asked.page,
        "pages": max(1, -(-dropped.total // PAGE)),
    }
    return show_page(visit, "dropped.html", run=seen.result, names=seen.names, **values)


@router.get("/{run_id}/why")
async def show_why(
    run_id: RunId,
    visit: VisitDep,
    services: ServicesDep,
    q: Words = "",
    place: Words = "",
    page: Number = 1,
) -> Response:
    """Why a place is not in: found by a part of its name, and all must-sees of the request."""
    seen, snapshot = await _look(services, run_id, visit)
    spoken = _speak(snapshot, visit)
    words = q.strip()
    async with transaction(services.engine) as session:
        selected = await list_selected(session, run_id)
        answer = await _explain(session, spoken, place or words, selected)
        must_sees = [
            await explain_place(session, spoken, poi, selected)
            for poi in snapshot.request.must_see_ids
        ]
        search = Search("poi", snapshot.city_order, words, (page - 1) * PAGE, PAGE)
        total, found = await search_rows(session, search) if words else (0, [])
    values: dict[str, Any] = {
        "q": words,
        "answer": answer if isinstance(answer, Explanation) else None,
        "unknown": answer.message if isinstance(answer, ConflictError | NotFoundError) else "",
        "found": found,
        "total": total,
        "number": page,
        "pages": max(1, -(-total // PAGE)),
        "must_sees": [(told, _list_remarks(seen, told)) for told in must_sees],
    }
    return show_page(visit, "why.html", run=seen.result, names=seen.names, **values)


async def _look(services: Services, run_id: str, visit: Visit) -> tuple[Seen, Snapshot]:
    seen = await look_at_run(services, run_id, visit)
    if seen.snapshot is None:
        raise NotFoundError("the pool of this run is not built yet")
    return seen, seen.snapshot


def _speak(snapshot: Snapshot, visit: Visit) -> Snapshot:
    """The snapshot with the page's language instead of the request's."""
    request = snapshot.request.model_copy(update={"locale": visit.locale})
    return snapshot.model_copy(update={"request": request})


async def _explain(
    session: Session, snapshot: Snapshot, word: str, selected: set[str]
) -> Explanation | ConflictError | NotFoundError | None:
    if not word:
        return None
    try:
        return await explain_place(session, snapshot, word, selected)
    except (ConflictError, NotFoundError) as error:
        return error


def _list_remarks(seen: Seen, told: Explanation) -> list[str]:
    """What the run itself says of a must-see; its texts name places as the request's language does."""
    names = {told.name}
    if seen.snapshot and (row := seen.snapshot.rows.pois.get(told.poi_id)):
        names |= {row.name, row.name_en}
    said = [*seen.result["violations"], *(seen.result["clash"] or ())]
    return [
        entry["message"]
        for entry in said
        if entry["code"].startswith("MUST_SEE") and any(n and n in entry["message"] for n in names)
    ]


def _list_chosen(seen: Seen) -> set[str]:
    """Ids of everything in the itinerary; none before there is one."""
    itinerary = seen.result["itinerary"] or {"days": []}
    items = [item for day in itinerary["days"] for item in day["items"]]
    keys = ("poi_id", "hotel_id", "train_id")
    return {item[key] for item in items for key in keys if item.get(key)}


def _list_places(seen: Seen, snapshot: Snapshot, kind: str) -> list[tuple[str, str]]:
    """Cities or legs that one may look at alone, with their names; none where there is only one."""
    if kind == "train":
        ends = [
            (seen.names.city(leg.from_city), seen.names.city(leg.to_city)) for leg in snapshot.legs
        ]
        places = [(str(n), " → ".join(pair)) for n, pair in enumerate(ends)]
    else:
        places = [(city, seen.names.city(city)) for city in snapshot.city_order]
    return places if len(places) > 1 else []
