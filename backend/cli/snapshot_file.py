"""Reads a snapshot file; one that does not hold together is refused before anything trips over it."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from backend.cli.output import read_json
from backend.errors import ConfigurationError
from backend.pool.snapshot import Snapshot
from backend.text import quote

MAX_NAMED = 5


def read_snapshot(source: str) -> Snapshot:
    """The snapshot in a file, as `pool preview --snapshot` writes it; `-` is standard input."""
    raw = read_json(source)
    try:
        snapshot = Snapshot.model_validate(raw)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, e['loc'])) or 'it'}: {e['msg']}" for e in error.errors()]
        raise _refuse(source, wrong) from None
    if gaps := list(_list_gaps(snapshot)):
        raise _refuse(source, gaps)
    return snapshot


def _list_gaps(snapshot: Snapshot) -> Iterator[str]:
    """What is named in the pool and stands nowhere."""
    cities = {*snapshot.city_order, *snapshot.cities}
    cities.update(city for leg in snapshot.legs for city in (leg.from_city, leg.to_city))
    yield from (f"city_rows lacks {quote(c)}" for c in sorted(cities - set(snapshot.city_rows)))
    pools = set(snapshot.city_order) - set(snapshot.cities)
    yield from (f"cities lacks {quote(c)}" for c in sorted(pools))
    rows = snapshot.rows
    held = {"poi": set(rows.pois), "hotel": set(rows.hotels), "train": set(rows.trains)}
    for kind, ids in snapshot.ids_by_kind.items():
        yield from (f"rows lack the {kind} {quote(i)}" for i in sorted(ids - held[kind]))


def _refuse(source: str, named: Sequence[str]) -> ConfigurationError:
    more = f"; {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    return ConfigurationError(f"{source} is no snapshot: {'; '.join(named[:MAX_NAMED])}{more}")
