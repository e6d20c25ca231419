"""Which status an error has over HTTP, for the API's problem documents and the console's pages."""

from backend.errors import (
    CatalogueNeededError,
    ConflictError,
    ForbiddenError,
    NotFoundError,
    OutOfBoundsError,
    RequestRefusedError,
    StaleVersionError,
    UnauthorizedError,
    UnavailableError,
    WaypoolError,
)
from backend.runs.life.admission import CostLimitError, QueueFullError

_STATUS: tuple[tuple[type[WaypoolError], int], ...] = (
    (UnauthorizedError, 401),
    (ForbiddenError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (CatalogueNeededError, 409),
    (StaleVersionError, 412),
    (OutOfBoundsError, 422),
    (RequestRefusedError, 422),
    (QueueFullError, 429),
    (CostLimitError, 429),
    (UnavailableError, 503),
)


def find_status(error: WaypoolError) -> int:
    """The status of an error; 500 for one that is Waypool's own fault."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
