"""A catalogue in memory: the pool by the pure rules alone, and the same rows for a database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from backend.catalogue.importers.catalogue_csv import make_mask
from backend.catalogue.importers.import_batch import upsert_rows
from backend.catalogue.importers.lines import read_weekdays
from backend.catalogue.name_index import index_all_names
from backend.catalogue.queries import (
    SCHEDULES,
    TABLES,
    lock_state,
    raise_version,
    read_schedule_ids,
    read_state,
)
from backend.db.session import Session
from backend.params.registry import ParamValue, snapshot_values
from backend.pool.build import Frame, cut_city, cut_leg, list_candidates, list_tags, put_together
from backend.pool.candidate import CityRow, HotelCandidate, PoiCandidate, TagRow, TrainCandidate
from backend.pool.findings import PoolLimits, ask_city, read_limits
from backend.pool.plan_request import PlanRequest
from backend.pool.rebuild import read_departure
from backend.pool.rules import Entry, find_hotels, find_places, find_trains
from backend.pool.snapshot import CatalogueCounts, LegPool, Snapshot, SnapshotRows
from backend.pool.stay import Departure, Leg, find_connections, plan_legs, plan_stays, read_calendar
from backend.pool.wished import Spots, list_leg_wishes
from backend.pool.wishes import IntercityWish


@dataclass(frozen=True)
class MemoryCatalogue:
    """Rows that may be switched off; every tag used stands in `tags`."""

    cities: tuple[CityRow, ...]
    tags: tuple[str, ...]
    pois: tuple[Entry[PoiCandidate], ...]
    hotels: tuple[Entry[HotelCandidate], ...]
    trains: tuple[Entry[TrainCandidate], ...]

    def build(self, request: PlanRequest, params: dict[str, ParamValue], version: int) -> Snapshot:
        """What the service must build from the same rows."""
        limits = read_limits(params, request.budget_tier)
        cities = {city.id: city for city in self.cities}
        stays = plan_stays(request)
        calendar = read_calendar(request, stays, cities)
        pools = {}
        for stay in stays:
            ask = ask_city(request, stay, calendar.days_off_in(stay.city), limits, self._spots())
            places = find_places([e for e in self.pois if e.row.city == stay.city], ask)
            hotels = find_hotels([e for e in self.hotels if e.row.city == stay.city], ask)
            assert len(places.ranking) == places.eligible
            pools[stay.city] = cut_city(stay, places, hotels, limits)
        ways = [leg[:2] for leg in plan_legs(request)]
        legs = [
            self._build_leg(leg, limits, list_leg_wishes(request, ways, n))
            for n, leg in enumerate(plan_legs(request))
        ]
        rows = self._choose_rows(*list_candidates(pools.values(), legs))
        used = list_tags(request, rows)
        visited = set(pools) | ({request.origin} if request.origin else set())
        visited |= {connection.via for leg in legs for connection in leg.connections}
        frame = Frame(
            currency="CNY",
            city_rows={city: cities[city] for city in visited},
            stations=(),
            tags=tuple(make_tag(tag) for tag in sorted(self.tags) if tag in used),
            calendar=calendar,
            catalogue=CatalogueCounts(
                version=version,
                rows={
                    "poi": len(self.pois),
                    "hotel": len(self.hotels),
                    "train": len(self.trains),
                },
            ),
        )
        kept = snapshot_values(params)
        return put_together(request, kept, pools, legs, rows, frame).sealed()

    def _spots(self) -> Spots:
        rows: list[PoiCandidate | HotelCandidate] = [entry.row for entry in self.pois]
        rows += [entry.row for entry in self.hotels]
        return {row.id: (row.city, row.position) for row in rows}

    def _build_leg(
        self, leg: Leg, limits: PoolLimits, wishes: tuple[IntercityWish, ...]
    ) -> LegPool:
        entries = [Entry(read_departure(e.row), e.enabled, e.is_synthetic) for e in self.trains]
        zones = {city.id: city.timezone for city in self.cities}
        between = [
            e for e in entries if (e.row.from_city, e.row.to_city) == (leg.from_city, leg.to_city)
        ]
        found = find_trains(between, leg, allow_synthetic=limits.allow_synthetic)
        usable = [
            e.row for e in entries if e.enabled and (limits.allow_synthetic or not e.is_synthetic)
        ]
        connections = [] if found.running else find_connections(leg, usable, zones)
        return cut_leg(leg, found, connections, limits, zones, wishes)

    def _choose_rows(
        self, pois: Sequence[str], hotels: Sequence[str], trains: Sequence[str]
    ) -> SnapshotRows:
        return SnapshotRows(
            pois={e.row.id: e.row for e in self.pois if e.row.id in pois},
            hotels={e.row.id: e.row for e in self.hotels if e.row.id in hotels},
            trains={e.row.id: e.row for e in self.trains if e.row.id in trains},
        )

    async def write(self, session: Session) -> int:
        """Replace what the database holds; gives the catalogue's version."""
        names = ", ".join(table.name for table in (*TABLES.values(), SCHEDULES))
        await session.execute(text(f"truncate {names}"))
        await lock_state(session)
        bits = {tag: n for n, tag in enumerate(self.tags)}
        await upsert_rows(session, TABLES["cities"], [city.model_dump() for city in self.cities])
        tags = [make_tag(tag).model_dump() | {"bit": bits[tag]} for tag in self.tags]
        await upsert_rows(session, TABLES["tags"], tags)
        await upsert_rows(session, TABLES["pois"], await self._place_rows(session, bits))
        hotels = [entry.row.model_dump() | _common(entry) for entry in self.hotels]
        await upsert_rows(session, TABLES["hotels"], hotels)
        await upsert_rows(session, TABLES["trains"], [_train_row(e) for e in self.trains])
        await session.execute(text("truncate name_key"))
        await index_all_names(session)
        await raise_version(session)
        return (await read_state(session)).version

    async def _place_rows(self, session: Session, bits: dict[str, int]) -> list[dict[str, Any]]:
        pairs = {(e.row.opening_hours, e.row.closed_season) for e in self.pois}
        texts = [{"opening_hours": hours, "closed_season": season} for hours, season in pairs]
        await upsert_rows(session, SCHEDULES, texts)
        ids = await read_schedule_ids(session, pairs)
        return [
            entry.row.model_dump()
            | _common(entry)
            | {
                "tag_mask": make_mask(entry.row.tags, bits),
                "schedule_id": ids[entry.row.opening_hours, entry.row.closed_season],
            }
            for entry in self.pois
        ]


def make_tag(tag: str) -> TagRow:
    return TagRow(id=tag, name=f"名 {tag}", name_en=f"Name {tag}")


def _common(entry: Entry[PoiCandidate] | Entry[HotelCandidate]) -> dict[str, Any]:
    return {"city_id": entry.row.city, "enabled": entry.enabled}


def _train_row(entry: Entry[TrainCandidate]) -> dict[str, Any]:
    row: Departure = read_departure(entry.row)
    return entry.row.model_dump() | {
        "from_city_id": row.from_city,
        "to_city_id": row.to_city,
        "depart_min": row.depart,
        "arrive_min": row.arrive - 1440 * entry.row.day_offset,
        "runs_on_mask": read_weekdays(entry.row.runs_on),
        "enabled": entry.enabled,
    }
