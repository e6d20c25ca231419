"""`waypool read`: what a sentence says, as fields of a request."""

import datetime as dt
import sys
from typing import Any

import click

from backend.cli.database import with_engine
from backend.cli.output import Output, UnusableError, json_option
from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.reading.reading import find_today, read_text
from backend.reading.sentence import LONGEST_TEXT


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
    day = today.date() if today else find_today(read_utc())

    async def work(engine: Engine) -> dict[str, Any]:
        async with transaction(engine) as session:
            return await read_text(session, said, day)

    reading = with_engine(work)
    output.show(reading, lambda: _tell(reading))


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
