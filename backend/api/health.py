"""Health for load balancers: alive, and ready to serve."""

from typing import Literal

from fastapi import APIRouter

from backend.api.deps import ServicesDep
from backend.db.migrate import head_revision
from backend.db.revision import read_revision_async
from backend.document import Document
from backend.errors import UnavailableError

router = APIRouter(tags=["health"])


class HealthDocument(Document):
    """Alive or ready."""

    status: Literal["ok", "ready"]
    revision: str | None = None


@router.get("/healthz", response_model_exclude_none=True, summary="The process is alive")
async def healthz() -> HealthDocument:
    """Always `ok`: it touches nothing."""
    return HealthDocument(status="ok")


@router.get(
    "/readyz",
    summary="The database answers and this version can work on it",
)
async def readyz(services: ServicesDep) -> HealthDocument:
    """503 where the database is away, not upgraded, or changed by a newer version so that it matters.

    A newer revision that only adds things leaves an older process ready.
    """
    revision = await read_revision_async(services.engine)
    if revision.current is None or not revision.serves(head_revision()):
        raise UnavailableError(f"the database is at {revision.current}, this version needs another")
    return HealthDocument(status="ready", revision=revision.current)
