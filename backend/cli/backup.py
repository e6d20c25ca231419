"""`waypool backup` and `waypool restore`: everything that the database holds, in one file.

`waypool export`: the catalogue as files that can be imported elsewhere.
"""

import os
import shutil
from pathlib import Path

import click

from backend import __version__
from backend.bootstrap import list_tables, prepare_database
from backend.catalogue.exporting import export_catalogue
from backend.cli.database import with_engine
from backend.cli.output import Output, json_option, show_progress
from backend.clock import read_utc
from backend.db.backup import Maker, Manifest, restore_backup, write_backup
from backend.db.connect import open_database
from backend.db.migrate import read_revision
from backend.db.session import Engine, transaction
from backend.errors import ConfigurationError
from backend.settings import read_settings


@click.command()
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def backup(output: Output, target: Path) -> None:
    """Write everything that the database holds into FILE: catalogue, settings, keys, runs, results.

    Servers and workers may go on meanwhile: the file shows one moment. It is there whole or not at
    all, and a FILE of that name is replaced. Stored results stay encrypted in it where
    WAYPOOL_RESULT_KEY is set: keep that key too, apart from the file.
    """
    maker = Maker(__version__, read_utc().isoformat(), list_tables())
    with show_progress("backing up") as on_progress, open_database(read_settings()) as url:
        manifest = write_backup(url, target, maker, on_progress)
    size = target.stat().st_size
    document = {**_describe(manifest), "file": str(target), "bytes": size}
    text = f"{target}: {manifest.rows:,} rows of {len(manifest.tables)} tables, {size:,} bytes"
    output.show(document, text)


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--replace", "replaces", is_flag=True,
              help="Put it in the place of all that the database holds now.")  # fmt: skip
@json_option
@click.pass_obj
def restore(output: Output, source: Path, replaces: bool) -> None:
    """Bring the database back to what 'waypool backup' wrote into FILE, all of it or nothing.

    Stop servers and workers first. A database that is not empty is refused without --replace. A
    backup of an older Waypool is brought to this version's tables; one of a newer is refused.
    """
    with show_progress("restoring") as on_progress, open_database(read_settings()) as url:
        manifest = restore_backup(url, source, list_tables(), on_progress, replaces=replaces)
        prepare_database(url)
        revision = read_revision(url)
    document = {**_describe(manifest), "file": str(source), "database_revision": revision}
    text = f"restored {manifest.rows:,} rows of {len(manifest.tables)} tables from {source}"
    output.show(document, text)


def _describe(manifest: Manifest) -> dict[str, object]:
    return {
        "version": manifest.version,
        "revision": manifest.revision,
        "created_at": manifest.created_at,
        "tables": {table.name: table.rows for table in manifest.tables},
        "rows": manifest.rows,
    }


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
