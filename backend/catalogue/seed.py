"""Loads the seed catalogue that comes with Waypool; loading it again changes nothing."""

from backend.catalogue.importers.catalogue_csv import ImportReport, import_catalogue
from backend.db.session import Session
from backend.settings import find_data


async def seed_catalogue(session: Session) -> ImportReport:
    """Import `seed_data/` as any other folder."""
    return await import_catalogue(session, find_data("seed_data"))
