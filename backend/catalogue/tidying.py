"""Tidies the catalogue's tables after an import or a seed that changed much."""

from backend.catalogue.importers.upsert import Written
from backend.catalogue.tables import Hotel, Place, Schedule, Station, Train
from backend.db.session import Engine
from backend.db.vacuum import vacuum

WORTH_IT = 500
"""Rows: below it the server's own housekeeping comes soon enough."""

_TABLES = tuple(table.__tablename__ for table in (Place, Schedule, Hotel, Station, Train))


async def tidy_catalogue(engine: Engine, written: Written) -> None:
    """After the commit of what was written."""
    if written.added + written.changed >= WORTH_IT:
        await vacuum(engine, _TABLES)
