"""Health for load balancers: alive, and ready to serve."""

from fastapi import APIRouter

from backend.api.deps import ServicesDep
from backend.api.documents import HealthDocument
from backend.db.migrate import head_revision
from backend.db.revision import read_revision_async
from backend.errors import UnavailableError

router = APIRouter(tags=["health"])


@router.get("/healthz", responses={200: {"model": HealthDocument}}, summary="The process is alive")
async def healthz() -> dict[str, str]:
    """Always `ok`: it touches nothing."""
    return {"status": "ok"}


@router.get(
    "/readyz",
    responses={200: {"model": HealthDocument}},
    summary="The database answers and this version can work on it",
)
async def readyz(services: ServicesDep) -> dict[str, str]:
    """503 where the database is away, not upgraded, or changed by a newer version so that it matters.

    A newer revision that only adds things leaves an older process ready.
    """
    revision = await read_revision_async(services.engine)
    if revision.current is None or not revision.serves(head_revision()):
        raise UnavailableError(f"the database is at {revision.current}, this version needs another")
    return {"status": "ready", "revision": revision.current}
