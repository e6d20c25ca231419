"""`waypool export`: the catalogue as files that can be imported elsewhere."""

import os
import shutil
from pathlib import Path

import click

from backend.catalogue.exporting import export_catalogue
from backend.cli.database import with_engine
from backend.cli.output import Output, json_option
from backend.cli.progress import show_progress
from backend.db.session import Engine, transaction
from backend.errors import ConfigurationError


@click.group()
def export() -> None:
    """Write the catalogue as files."""


@export.command("csv")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def export_csv(output: Output, folder: Path) -> None:
    """Write the catalogue into DIR, in the format that 'waypool import csv' reads.

    DIR is made, or is empty; it is there whole or not at all. Imported elsewhere, the files give
    the same catalogue: 'waypool db status --json' shows the same catalogue_sha256.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigurationError(f"{folder} is not an empty folder: name a new one")
    unfinished = folder.absolute().with_name(f".{folder.absolute().name}.{os.getpid()}.unfinished")

    async def work(engine: Engine) -> dict[str, int]:
        async with transaction(engine) as session:
            return await export_catalogue(session, unfinished)

    try:
        unfinished.mkdir()
        with show_progress("exporting"):
            counts = with_engine(work)
        unfinished.rename(folder)
    except OSError as error:
        raise ConfigurationError(f"cannot write {folder}: {error.strerror}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    lines = [f"{name}.csv: {count} rows" for name, count in counts.items()]
    output.show({"folder": str(folder), "files": counts}, "\n".join(lines))
