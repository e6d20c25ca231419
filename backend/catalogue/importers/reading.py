"""Reads the files of a folder into checked lines; every bad line is named, none stops the others."""

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from backend.catalogue.importers.import_batch import ImportBatch, LineFault, Placed
from backend.catalogue.importers.lines import LINES, Line
from backend.errors import ConfigurationError
from backend.text import find_near, quote


def read_folder(folder: Path) -> tuple[ImportBatch, list[LineFault]]:
    """All lines of `cities.csv`, `pois.csv` or `pois/*.csv`, …, and what is wrong with them."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is not a folder")
    batch, faults = ImportBatch(), list[LineFault]()
    found = False
    for kind in LINES:
        for path in _list_files(folder, kind):
            found = True
            for entry in _read_file(path, str(path.relative_to(folder)), kind):
                if isinstance(entry, LineFault):
                    faults.append(entry)
                else:
                    batch.add(entry)
    if not found:
        names = ", ".join(f"{kind.FILE}.csv" for kind in LINES)
        raise ConfigurationError(f"{folder} holds none of {names}")
    return batch, faults


def _list_files(folder: Path, kind: type[Line]) -> list[Path]:
    """Whatever has such a name: a folder or a broken link is a fault, not left out in silence."""
    single = folder / f"{kind.FILE}.csv"
    return [
        *([single] if os.path.lexists(single) else []),
        *sorted((folder / kind.FILE).glob("*.csv")),
    ]


def _read_text(path: Path) -> str:
    """The text of a file; a `ValueError` says why there is none."""
    if path.exists() and not path.is_file():
        raise ValueError("is no file")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    if "\0" in text:
        raise ValueError("holds a NUL character; it is no CSV text")
    return text


def _read_file(path: Path, name: str, kind: type[Line]) -> Iterator[Placed | LineFault]:
    try:
        text = _read_text(path)
    except ValueError as error:
        yield LineFault(name, 0, str(error))
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        faults = list(_check_header(name, header, kind))
        yield from faults
        if faults:
            return
        for cells in reader:
            if cells:
                yield _read_line(name, reader.line_num, dict(enumerate(cells)), header, kind)
    except csv.Error as error:
        yield LineFault(name, reader.line_num, f"is not CSV: {error}")


def _check_header(name: str, header: list[str], kind: type[Line]) -> Iterator[LineFault]:
    if not any(header):
        yield LineFault(name, 1, "has no header")
        return
    fields = kind.model_fields
    for column in fields:
        if column not in header and fields[column].is_required():
            yield LineFault(name, 1, f"lacks the column {quote(column)}")
    for column in dict.fromkeys(header):
        if column not in fields:
            near = find_near(column, fields, limit=1)
            hint = f"; near: {near[0]}" if near else ""
            yield LineFault(name, 1, f"unknown column {quote(column)}{hint}")
        elif header.count(column) > 1:
            yield LineFault(name, 1, f"names the column {quote(column)} twice")


def _read_line(
    name: str, number: int, cells: dict[int, str], header: list[str], kind: type[Line]
) -> Placed | LineFault:
    if len(cells) != len(header):
        reason = f"has {len(cells)} cells under a header of {len(header)}"
        return LineFault(name, number, reason)
    values = {column: cells[n].strip() for n, column in enumerate(header)}
    optional = {c for c, f in kind.model_fields.items() if not f.is_required()}
    values = {c: v for c, v in values.items() if v or c not in optional}
    try:
        return Placed(name, number, kind.model_validate(values))
    except ValidationError as error:
        reasons = (
            _describe(e["loc"][0], e["msg"], values) if e["loc"] else e["msg"]
            for e in error.errors()
        )
        return LineFault(name, number, "; ".join(dict.fromkeys(reasons)))


def _describe(column: int | str, message: str, values: dict[str, str]) -> str:
    value = values.get(str(column), "")
    shown = value if len(value) <= 40 else value[:39] + "…"
    return f"{column}: {message} ({quote(shown)})"
