"""The audit trail: every change that an admin has made, newest first."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from backend.api.deps import Admin, ServicesDep
from backend.api.responses import document_problems
from backend.audit.queries import AuditItem, ChangeKind, list_changes, make_page
from backend.bootstrap import Services
from backend.db.session import transaction
from backend.document import Page
from backend.params.registry import find_param
from backend.tools.registry import get_tool

router = APIRouter(prefix="/admin", tags=["admin"])

MAX_ID = 2**63 - 1

Limit = Annotated[int, Query(ge=1, le=1000)]
Cursor = Annotated[
    int | None, Query(ge=1, le=MAX_ID, description="`next_cursor` of the last page.")
]
_HISTORY = document_problems(404)


@router.get("/audit", summary="All changes")
async def get_audit(
    services: ServicesDep,
    _: Admin,
    kind: Annotated[ChangeKind | None, Query()] = None,
    subject: Annotated[str | None, Query(max_length=200, description="Its key or id.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Page[AuditItem]:
    """Who, when, what it was, what it is, why; nothing in it can be edited."""
    return await _list(services, kind, subject, limit, cursor)


@router.get("/params/{key}/history", summary="A parameter's changes", responses=_HISTORY)
async def get_param_history(
    key: Annotated[str, Path()],
    services: ServicesDep,
    _: Admin,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Page[AuditItem]:
    """Newest first; `version` is what `revert` takes."""
    return await _list(services, "param", find_param(key).key, limit, cursor)


@router.get("/tools/{name}/history", summary="A tool's changes", responses=_HISTORY)
async def get_tool_history(
    name: Annotated[str, Path()],
    services: ServicesDep,
    _: Admin,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Page[AuditItem]:
    """Newest first; `version` is what `revert` takes."""
    return await _list(services, "tool", get_tool(name).name, limit, cursor)


async def _list(
    services: Services, kind: str | None, subject: str | None, limit: int, cursor: int | None
) -> Page[AuditItem]:
    async with transaction(services.engine) as session:
        found = await list_changes(session, limit + 1, kind=kind, subject=subject, before=cursor)
    return make_page(found, limit)
