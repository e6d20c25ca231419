"""`waypool read`: what a sentence says, as fields of a request."""

import datetime as dt
import sys

import click

from backend.catalogue.finder import Found, find_names
from backend.catalogue.matching import Scope
from backend.cli.database import with_engine
from backend.cli.output import Output, UnusableError, json_option
from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.reading.sentence import LONGEST_TEXT, Known, list_names, read_sentence


@click.command()
@click.argument("text", required=False)
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="The day that dates count from.")
@json_option
@click.pass_obj
def read(output: Output, text: str | None, today: dt.datetime | None) -> None:
    """Read TEXT (or the input) as a request, by rules, and show what each piece became."""
    said = sys.stdin.read().strip() if text is None else text
    if not said.strip() or len(said) > LONGEST_TEXT:
        raise UnusableError(f"the text must have 1 to {LONGEST_TEXT} characters")
    day = (today or read_utc()).date()
    names = list_names(said, day)

    async def work(engine: Engine) -> dict[str, Known]:
        async with transaction(engine) as session:
            cities = await find_names(session, names, Scope(("city",)), 0)
            tags = await find_names(session, names, Scope(("tag",)), 0)
            inside = tuple(sorted({found.one.id for found in cities if found.one})) or None
            places = await find_names(session, names, Scope(("poi", "group"), inside), 0)
        return _merge(cities, tags, places)

    reading = read_sentence(said, day, with_engine(work) if names else {})
    output.show(reading, lambda: _tell(reading))


def _merge(cities: list[Found], tags: list[Found], places: list[Found]) -> dict[str, Known]:
    known = {f.said: Known("place", tuple(hit.id for hit in f.hits)) for f in places if f.hits}
    known |= {f.said: Known("tag", (f.one.id,)) for f in tags if f.one}
    return known | {f.said: Known("city", (f.one.id,)) for f in cities if f.one}


def _tell(reading: dict[str, object]) -> str:
    lines = [f"{name}: {value}" for name, value in _items(reading["request"])]
    for part in ("needs", "warnings"):
        entries = reading[part]
        assert isinstance(entries, list)
        lines += [str(entry.get("question") or entry.get("message")) for entry in entries]
    return "\n".join(lines)


def _items(value: object) -> list[tuple[str, object]]:
    assert isinstance(value, dict)
    return list(value.items())
