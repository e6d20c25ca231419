"""`waypool pool`: see what a request's candidates would be, without a run.

Reads a snapshot file; one that does not hold together is refused before anything trips over it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from pydantic import ValidationError
from rich.box import SIMPLE
from rich.table import Table

from backend.cli.database import with_engine
from backend.cli.options import param_option
from backend.cli.output import Output, json_option, read_json, write_text
from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.errors import ConfigurationError
from backend.params.queries import read_params
from backend.params.registry import ParamValue
from backend.pool.build import preview_document
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.runs.life.asking import Taken, preview_request
from backend.text import quote


@click.group()
def pool() -> None:
    """The candidate pool: what could be in an itinerary at all."""


@pool.command()
@click.option(
    "--request", "source", required=True, metavar="FILE", help="The request as JSON; '-': stdin."
)
@param_option
@click.option("--snapshot", "target", metavar="OUT", help="Also write the snapshot to this file.")
@json_option
@click.pass_obj
def preview(output: Output, source: str, params: dict[str, ParamValue], target: str | None) -> None:
    """Show the pool that a request would give, what was rejected and why; nothing is stored.

    A run of the same request has the same hash.
    """
    raw = read_json(source)

    async def work(engine: Engine) -> tuple[Taken, Snapshot]:
        async with transaction(engine) as session:
            values = await read_params(session) | params
            taken = await preview_request(session, raw, values)
            assert taken.request is not None
            return taken, await CandidatePoolService(session).build(taken.request, values)

    taken, snapshot = with_engine(work)
    if target is not None:
        write_text(target, snapshot.as_text())
    document = preview_document(snapshot, snapshot.request.locale, read_utc())
    if taken.reading is not None:
        document["needs"] = [need.as_json() for need in taken.needs]
        document["reading"] = taken.reading.as_json()
        document["warnings"] += [entry.as_json() for entry in taken.reading.warnings]
    if output.is_json:
        output.show(document, "")
    else:
        _print_pool(output, snapshot, document)


def _print_pool(output: Output, snapshot: Snapshot, document: dict[str, Any]) -> None:
    console = output.console
    for title, table in (
        ("Places", _tabulate_places(snapshot)),
        ("Hotels", _tabulate_hotels(snapshot)),
        ("Legs", _tabulate_legs(snapshot)),
    ):
        if table.row_count:
            console.print(title, style="bold")
            console.print(table)
    for warning in document["warnings"]:
        console.print(f"{warning['code']}: {warning['message']}", markup=False, style="yellow")
    console.print(f"sha256 {snapshot.sha256}")


def _make_table(*columns: str) -> Table:
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _tabulate_places(snapshot: Snapshot) -> Table:
    table = _make_table("city", "from", "to", "rows", "rejected", "pool")
    for city in snapshot.city_order:
        pool = snapshot.cities[city]
        added = f" ({len(pool.must_see_added)} must-see added)" if pool.must_see_added else ""
        rows = len(pool.pois) + sum(pool.rejected.values())
        table.add_row(
            city,
            str(pool.arrive),
            str(pool.leave),
            str(rows),
            _list_counts(pool.rejected),
            f"{len(pool.pois)}{added}",
        )
    return table


def _tabulate_hotels(snapshot: Snapshot) -> Table:
    table = _make_table("city", "nights", "rows", "rejected", "pool")
    for city in snapshot.city_order:
        pool = snapshot.cities[city]
        widened = " (nearest to the stars asked)" if pool.hotels_widened else ""
        rows = len(pool.hotels) + sum(pool.hotels_rejected.values())
        table.add_row(
            city,
            str(pool.nights),
            str(rows),
            _list_counts(pool.hotels_rejected),
            f"{len(pool.hotels)}{widened}",
        )
    return table


def _tabulate_legs(snapshot: Snapshot) -> Table:
    table = _make_table("from", "to", "date", "rows", "rejected", "pool")
    for leg in snapshot.legs:
        changes = f" ({len(leg.connections)} connections)" if leg.connections else ""
        rows = len(leg.trains) + sum(leg.rejected.values())
        table.add_row(
            leg.from_city,
            leg.to_city,
            str(leg.date),
            str(rows),
            _list_counts(leg.rejected),
            f"{len(leg.trains)}{changes}",
        )
    return table


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.items() if count) or "none"


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
