"""How far the catalogue narrowed in one run: a pure count over the snapshot and ids met on the way."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from backend.pool.snapshot import (
    HOTEL_REJECTIONS,
    REJECTIONS,
    TRAIN_REJECTIONS,
    Kind,
    Snapshot,
)


class FunnelStep(BaseModel):
    """One kind, from all rows to those chosen; the first two count rows, the others distinct ids."""

    model_config = ConfigDict(frozen=True)

    catalogue: int
    in_cities: int
    pool: int
    listed: int
    opened: int
    selected: int
    rejected: dict[str, int]


IdsByKind = Mapping[Kind, Collection[str]]


def count_funnel(
    snapshot: Snapshot,
    listed: IdsByKind | None = None,
    opened: IdsByKind | None = None,
    selected: IdsByKind | None = None,
) -> dict[Kind, FunnelStep]:
    """The funnel of each kind from ids by kind; those outside of the pool do not count."""
    pools = snapshot.ids_by_kind
    rejected = _sum_rejections(snapshot)
    between = sum(len(leg.trains) for leg in snapshot.legs)  # changes are between other cities
    chosen: dict[Kind, int] = {
        "poi": sum(len(city.pois) for city in snapshot.cities.values()),
        "hotel": sum(len(city.hotels) for city in snapshot.cities.values()),
        "train": between,
    }
    return {
        kind: FunnelStep(
            catalogue=snapshot.catalogue.rows[kind],
            in_cities=chosen[kind] + sum(rejected[kind].values()),
            pool=len(ids),
            listed=len(ids.intersection((listed or {}).get(kind, ()))),
            opened=len(ids.intersection((opened or {}).get(kind, ()))),
            selected=len(ids.intersection((selected or {}).get(kind, ()))),
            rejected=rejected[kind],
        )
        for kind, ids in pools.items()
    }


def _sum_rejections(snapshot: Snapshot) -> Mapping[Kind, dict[str, int]]:
    cities = snapshot.cities.values()
    return {
        "poi": _sum(REJECTIONS, (city.rejected for city in cities)),
        "hotel": _sum(HOTEL_REJECTIONS, (city.hotels_rejected for city in cities)),
        "train": _sum(TRAIN_REJECTIONS, (leg.rejected for leg in snapshot.legs)),
    }


def _sum(reasons: Sequence[str], counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Totals in the order of the rules: a snapshot that was read again has another one."""
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return {reason: total[reason] for reason in reasons if reason in total}
