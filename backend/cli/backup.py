"""`waypool backup` and `waypool restore`: everything that the database holds, in one file."""

from pathlib import Path

import click

from backend import __version__
from backend.bootstrap import list_tables, prepare_database
from backend.cli.output import Output, json_option
from backend.cli.progress import show_progress
from backend.clock import read_utc
from backend.db.backup import Maker, Manifest, restore_backup, write_backup
from backend.db.connect import open_database
from backend.db.migrate import read_revision
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
