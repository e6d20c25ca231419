"""`waypool places`: what a name means in the catalogue."""

import json
import sys

import click

from backend.catalogue.finder import Found, find_names
from backend.catalogue.matching import MOST_NEAR, Scope
from backend.cli.database import with_engine
from backend.cli.output import Output, json_option
from backend.db.session import Engine, transaction
from backend.errors import NotFoundError
from backend.text import quote


@click.group()
def places() -> None:
    """The places and hotels of the catalogue, by the names that people use."""


@places.command()
@click.argument("names", nargs=-1)
@click.option("--city", help="Look in this city only (id or name).")
@json_option
@click.pass_obj
def find(output: Output, names: tuple[str, ...], city: str | None) -> None:
    """Find the place or hotel of each of NAMES; without any, of each line of the input.

    One line each: the id, or none and up to four that are near. An unclear name has no id.
    """
    words = list(names) or [line.strip() for line in sys.stdin if line.strip()]

    async def work(engine: Engine) -> list[Found]:
        async with transaction(engine) as session:
            cities = None
            if city is not None:
                [found] = await find_names(session, [city], Scope(("city",)))
                if found.one is None:
                    near = ", ".join(named.name for named in found.near)
                    raise NotFoundError(
                        f"no city {quote(city)}" + (f"; near: {near}" if near else "")
                    )
                cities = (found.one.id,)
            return await find_names(
                session, words, Scope(("poi", "group", "hotel"), cities), len(words)
            )

    for found in with_engine(work):
        click.echo(
            json.dumps(_describe(found), ensure_ascii=False) if output.is_json else _tell(found)
        )


def _describe(found: Found) -> dict[str, object]:
    near = found.near if found.one is None and found.near else found.hits[1:] and found.hits
    return {
        "said": found.said,
        "id": found.one.id if found.one else None,
        "near": [named.id for named in near][:MOST_NEAR],
    }


def _tell(found: Found) -> str:
    if found.one is not None:
        return f"{found.said}: {found.one.id} ({found.one.name})"
    near = ", ".join(f"{named.id} ({named.name})" for named in found.near or found.hits)
    return f"{found.said}: not found" + (f"; near: {near}" if near else "")
