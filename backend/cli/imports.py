"""`waypool import`: bring a catalogue in, all of it or nothing."""

from pathlib import Path

import click

from backend.catalogue.importers.catalogue_csv import ImportReport, import_catalogue
from backend.catalogue.tidying import tidy_catalogue
from backend.cli.database import with_engine
from backend.cli.output import Output, json_option
from backend.db.session import Engine, transaction


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
    """Import FOLDER: cities.csv, tags.csv, pois.csv, hotels.csv, stations.csv, trains.csv.

    Each may also be a folder of files (pois/*.csv); missing ones are left out. Rows are
    matched by id: importing the same folder again changes nothing.
    """

    async def work(engine: Engine) -> ImportReport:
        async with transaction(engine) as session:
            report = await import_catalogue(session, folder)
        await tidy_catalogue(engine, report.total)
        return report

    report = with_engine(work)
    output.show(report.as_json(), lambda: describe_report(report))
