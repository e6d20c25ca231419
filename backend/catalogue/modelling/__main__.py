"""Writes the modelled files of the seed catalogue; `stations.csv` and the authored hotels are read."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

import click

from backend.catalogue.modelling import hotels, trains
from backend.errors import WaypoolError


def render_modelled(seed_data: Path) -> dict[Path, str]:
    """Text of each modelled file by its path."""
    return {
        seed_data / "trains" / "modelled.csv": render_csv(
            trains.COLUMNS, trains.model_trains(seed_data)
        ),
        seed_data / "hotels" / hotels.MODELLED_FILE: render_csv(
            hotels.COLUMNS, hotels.model_hotels(seed_data)
        ),
    }


def render_csv(columns: list[str], rows: Iterable[dict[str, str]]) -> str:
    """Rows as CSV text with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@click.command()
@click.argument(
    "seed_data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("seed_data"),
)
def main(seed_data: Path) -> None:
    """Compute the modelled trains and hotels of SEED_DATA (default: ./seed_data) anew."""
    try:
        files = render_modelled(seed_data)
    except WaypoolError as error:
        raise click.ClickException(error.message) from error
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"{path}: {text.count(chr(10)) - 1} rows")


if __name__ == "__main__":
    main()
