"""Imports a folder in the catalogue's own CSV format: everything is checked, then all is written.

Reads the files of a folder into checked lines; every bad line is named, none stops the others.
"""

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from backend.catalogue.importers.import_batch import (
    ImportBatch,
    ImportRefusedError,
    Known,
    LineFault,
    Placed,
    Written,
    upsert_rows,
)
from backend.catalogue.importers.lines import (
    LINES,
    CityLine,
    HotelLine,
    Line,
    PoiLine,
    StationLine,
    TagLine,
    TrainLine,
    read_weekdays,
)
from backend.catalogue.matching import NameKind
from backend.catalogue.name_index import find_owners, index_names
from backend.catalogue.queries import (
    SCHEDULES,
    TABLES,
    find_wholes,
    lock_state,
    raise_version,
    read_cities,
    read_schedule_ids,
    read_tags,
)
from backend.catalogue.tables import TAG_BITS
from backend.clock import parse_minutes
from backend.db.session import Session
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
    """All entries with such a name; a folder or a broken link among them is a fault."""
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


@dataclass(frozen=True)
class ImportReport:
    """What an import did, by file; `version` is the catalogue's afterwards."""

    files: dict[str, Written] = field(default_factory=dict)
    version: int = 0

    @property
    def total(self) -> Written:
        """Totals of all files."""
        return sum(self.files.values(), Written())

    def as_json(self) -> dict[str, Any]:
        """Added, changed, unchanged, refused: in all and by file."""
        counts = {name: {**vars(w), "refused": 0} for name, w in self.files.items()}
        return {**vars(self.total), "refused": 0, "version": self.version, "files": counts}


async def import_catalogue(session: Session, folder: Path) -> ImportReport:
    """Import a folder inside the caller's transaction; an `ImportRefusedError` names all faults."""
    batch, faults = read_folder(folder)
    state = await lock_state(session)
    tags = {tag.id: tag.bit for tag in await read_tags(session)}
    cities = {city.id: city.timezone for city in await read_cities(session)}
    places = [poi.id for poi in batch.pois]
    wholes = await find_wholes(session, places, batch.list_wholes())
    faults += batch.find_faults(Known(cities, frozenset(tags), state.currency, wholes))
    faults += batch.find_nameless(await find_owners(session, [n.owner for n in batch.names]))
    if faults:
        raise ImportRefusedError(sorted(faults, key=lambda f: (f.file, f.line)))
    return await write_batch(session, batch, tags)


async def write_batch(session: Session, batch: ImportBatch, bits: dict[str, int]) -> ImportReport:
    """Write a checked batch; `bits` are the tags that the catalogue has, by id."""
    unnamed = batch.list_new_tags(frozenset(bits))
    bits = _assign_bits([*(tag.id for tag in batch.tags), *unnamed], bits)
    tags = [*batch.tags, *(TagLine(id=tag, name=tag, name_en=tag) for tag in unnamed)]
    files = {
        "cities": [_city_row(line) for line in batch.cities],
        "tags": [line.model_dump() | {"bit": bits[line.id]} for line in tags],
        "pois": await _place_rows(session, batch.pois, bits),
        "hotels": [_hotel_row(line) for line in batch.hotels],
        "stations": [_station_row(line) for line in batch.stations],
        "trains": [_train_row(line) for line in batch.trains],
        "fares": [line.model_dump() for line in batch.fares],
        "names": [line.model_dump() for line in batch.names],
    }
    written = {
        name: await upsert_rows(session, TABLES[name], rows) for name, rows in files.items() if rows
    }
    for kind, ids in _list_renamed(batch, written, [tag.id for tag in tags]).items():
        await index_names(session, kind, ids)
    report = ImportReport(written)
    if report.total.added or report.total.changed:
        return ImportReport(written, await raise_version(session))
    return ImportReport(written, (await lock_state(session)).version)


_FILES: dict[NameKind, str] = {
    "city": "cities",
    "tag": "tags",
    "poi": "pois",
    "hotel": "hotels",
    "station": "stations",
}


def _list_renamed(
    batch: ImportBatch, written: Mapping[str, Written], tags: list[str]
) -> dict[NameKind, list[str]]:
    """Rows whose keys may have changed: those of the files in which anything has."""
    changed = {name for name, w in written.items() if w.added or w.changed}
    owners = batch.list_owners() | {"tag": tags}
    found: dict[NameKind, list[str]] = {
        kind: owners[kind] for kind, file in _FILES.items() if file in changed
    }
    if "names" in changed:
        for line in batch.names:
            found.setdefault(line.kind, []).append(line.id)
    return found


def _assign_bits(wanted: list[str], bits: dict[str, int]) -> dict[str, int]:
    taken = set(bits.values())
    free = (bit for bit in range(TAG_BITS) if bit not in taken)
    return bits | {tag: next(free) for tag in dict.fromkeys(wanted) if tag not in bits}


def make_mask(tags: tuple[str, ...], bits: dict[str, int]) -> str:
    """The tags as `bit(256)` text: the character at a tag's bit is 1."""
    mask = ["0"] * TAG_BITS
    for tag in tags:
        mask[bits[tag]] = "1"
    return "".join(mask)


async def _place_rows(
    session: Session, lines: list[PoiLine], bits: dict[str, int]
) -> list[dict[str, Any]]:
    pairs = {(line.opening_hours, line.closed_season) for line in lines}
    texts = [{"opening_hours": hours, "closed_season": season} for hours, season in sorted(pairs)]
    await upsert_rows(session, SCHEDULES, texts)
    schedules = await read_schedule_ids(session, pairs)
    return [
        line.model_dump(exclude={"city", "currency", "opening_hours", "closed_season"})
        | {
            "city_id": line.city,
            "name_en": line.name_en or line.name,
            "best_time": line.best_time or None,
            "cuisine": line.cuisine or None,
            "tag_mask": make_mask(line.tags, bits),
            "schedule_id": schedules[line.opening_hours, line.closed_season],
        }
        for line in lines
    ]


def _city_row(line: CityLine) -> dict[str, Any]:
    modes = tuple(mode.split()[0] for mode in line.modes)
    return line.model_dump() | {"modes": modes, "metro_hours": line.metro_hours}


def _hotel_row(line: HotelLine) -> dict[str, Any]:
    row = line.model_dump(exclude={"city", "currency"})
    beds = line.beds or None
    return row | {"city_id": line.city, "name_en": line.name_en or line.name, "beds": beds}


def _station_row(line: StationLine) -> dict[str, Any]:
    return line.model_dump(exclude={"city"}) | {"city_id": line.city}


def _train_row(line: TrainLine) -> dict[str, Any]:
    row = line.model_dump(exclude={"from_city", "to_city", "depart", "arrive", "currency"})
    return row | {
        "from_city_id": line.from_city,
        "to_city_id": line.to_city,
        "depart_min": parse_minutes(line.depart),
        "arrive_min": parse_minutes(line.arrive),
        "runs_on_mask": read_weekdays(line.runs_on),
    }
