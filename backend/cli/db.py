"""`waypool db`: upgrade, seed and look at the database.

`waypool import`: bring a catalogue in, all of it or nothing.
"""

from pathlib import Path
from typing import Any

import click

from backend.bootstrap import prepare_database
from backend.bootstrap import seed as seed_rows
from backend.catalogue.exporting import hash_catalogue
from backend.catalogue.importers.catalogue_csv import ImportReport, import_catalogue
from backend.catalogue.importers.import_batch import Written
from backend.catalogue.queries import count_rows, read_state
from backend.catalogue.seed import add_synthetic_places, tidy_catalogue
from backend.cli.database import with_engine
from backend.cli.output import Output, json_option, show_progress
from backend.db.connect import open_database
from backend.db.migrate import head_revision, plan_upgrade, read_revision
from backend.db.session import Engine, transaction
from backend.settings import read_settings


def describe_report(report: ImportReport) -> str:
    """What an import did, a line a file."""
    lines = [
        f"{name}: {w.added} added, {w.changed} changed, {w.unchanged} unchanged, 0 refused"
        for name, w in report.files.items()
    ]
    return "\n".join([*lines, f"catalogue version {report.version}"])


@click.group("import")
def import_group() -> None:
    """Bring a catalogue in; one bad line and nothing is written."""


@import_group.command("csv")
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def import_csv(output: Output, folder: Path) -> None:
    """Import FOLDER: cities.csv, tags.csv, pois.csv, hotels.csv, stations.csv, trains.csv, fares.csv.

    Each may also be a folder of files (pois/*.csv); missing ones are left out. Rows are
    matched by id: importing the same folder again changes nothing.
    """

    async def work(engine: Engine) -> ImportReport:
        async with transaction(engine) as session:
            report = await import_catalogue(session, folder)
        await tidy_catalogue(engine, report.total)
        return report

    with show_progress("importing"):
        report = with_engine(work)
    output.show(report.as_json(), lambda: describe_report(report))


@click.group()
def db() -> None:
    """The database: upgrade it, load the seed catalogue, see what it holds."""


@db.command()
@click.option("--plan", "is_plan", is_flag=True, help="Only show which migrations would run.")
@json_option
@click.pass_obj
def upgrade(output: Output, is_plan: bool) -> None:
    """Bring the database to this version; safe to run at any time and by many at once.

    While a migration of the kind 'expand' runs, and after it, processes of the version before go
    on; stop them before one of the kind 'contract'.
    """
    if is_plan:
        _show_plan(output)
        return
    with show_progress("upgrading"), open_database(read_settings()) as url:
        before = read_revision(url)
        prepare_database(url)
        after = read_revision(url)
    text = f"at revision {after}" + ("" if before == after else f", was {before or 'empty'}")
    output.show({"before": before, "after": after}, text)


def _show_plan(output: Output) -> None:
    with open_database(read_settings()) as url:
        before, steps = read_revision(url), plan_upgrade(url)
    lines = [f"{step.revision}  {step.phase:<9} {step.what}" for step in steps]
    document = {
        "before": before,
        "after": head_revision(),
        "steps": [step.as_json() for step in steps],
    }
    output.show(document, "\n".join(lines) or f"nothing to do: at revision {before}")


@db.command()
@click.option("--synthetic", type=click.IntRange(0, 10_000_000), default=0, metavar="N",
              help="Also add N made-up places (ids 'syn-…') for scale tests.")  # fmt: skip
@json_option
@click.pass_obj
def seed(output: Output, synthetic: int) -> None:
    """Load the catalogue and the sources that come with Waypool; again changes nothing."""

    async def work(engine: Engine) -> tuple[dict[str, object], str]:
        async with transaction(engine) as session:
            report = await seed_rows(session)
            written = await add_synthetic_places(session, synthetic) if synthetic else Written()
        await tidy_catalogue(engine, report.total + written)
        document = report.as_json() | {"synthetic": vars(written)}
        text = describe_report(report)
        if synthetic:
            text += f"\nsynthetic: {written.added} added, {written.unchanged} unchanged"
        return document, text

    with show_progress("loading the catalogue"):
        document, text = with_engine(work)
    output.show(document, text)


@db.command()
@json_option
@click.pass_obj
def status(output: Output) -> None:
    """Show the address, the revision, and how much the catalogue holds.

    With --json also `catalogue_sha256`: the same wherever the catalogue is the same.
    """
    settings = read_settings()

    async def work(engine: Engine) -> dict[str, Any]:
        async with transaction(engine) as session:
            state = await read_state(session)
            return {
                "catalogue_version": state.version,
                "currency": state.currency,
                "rows": await count_rows(session),
                # it reads every row, which takes a second for 100,000 of them
                "catalogue_sha256": await hash_catalogue(session) if output.is_json else None,
            }

    catalogue = with_engine(work, settings)
    with open_database(settings) as url:
        revision = read_revision(url)
    is_own = settings.database_url is None
    document = {
        "database": f"embedded, data in {settings.embedded_data}" if is_own else "given",
        "revision": revision,
        "head": head_revision(),
    } | catalogue
    rows = ", ".join(f"{count} {name}" for name, count in document["rows"].items())
    output.show(
        document,
        f"database: {document['database']}\n"
        f"revision: {document['revision']} (this version needs {document['head']})\n"
        f"catalogue: version {document['catalogue_version']}, {rows}",
    )
