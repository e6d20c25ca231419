"""Rows of the catalogue: look at one, and change it."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Response
from pydantic import BaseModel, ConfigDict, Field, create_model

from backend.access.queries import Principal
from backend.api.admin.tuning import make_author
from backend.api.bodies import document_body, read_body_as
from backend.api.deps import Admin, ServicesDep
from backend.api.responses import document_problems
from backend.bootstrap import Services
from backend.catalogue.editing import FIXED, LINES, CatalogueRow, RowKind, edit_row, read_row
from backend.db.session import transaction

router = APIRouter(prefix="/admin", tags=["admin"])

RowId = Annotated[str, Path(max_length=100, description="Of the row.")]
IfMatch = Annotated[str | None, Header(description="The `ETag` that you read.")]

_ROW = document_problems(404)
_CHANGED = document_problems(404, 412, 413)


class AnyChange(BaseModel):
    """The new values of some fields; they are checked as an import's."""

    model_config = ConfigDict(extra="allow")

    why: str | None = Field(None, max_length=500, description="Kept in the audit trail.")


def _describe_change(kind: RowKind) -> type[BaseModel]:
    """What OpenAPI tells of a change: the columns of the file, each of them optional."""
    fields: dict[str, Any] = {
        name: (Any, Field(None, description="As in the catalogue's files."))
        for name in LINES[kind].model_fields
        if name not in FIXED
    }
    return create_model(f"{kind.capitalize()}Change", __base__=AnyChange, **fields)


CHANGES: dict[RowKind, type[BaseModel]] = {kind: _describe_change(kind) for kind in LINES}

Body = Annotated[AnyChange, Depends(read_body_as(AnyChange))]


@router.get("/pois/{row_id}", summary="A place", responses=_ROW)
async def get_poi(
    row_id: RowId, response: Response, services: ServicesDep, _: Admin
) -> CatalogueRow:
    """As the catalogue has it; its `ETag` is for `If-Match`."""
    return await _read(services, response, "poi", row_id)


@router.get("/hotels/{row_id}", summary="A hotel", responses=_ROW)
async def get_hotel(
    row_id: RowId, response: Response, services: ServicesDep, _: Admin
) -> CatalogueRow:
    """As the catalogue has it; its `ETag` is for `If-Match`."""
    return await _read(services, response, "hotel", row_id)


@router.get("/trains/{row_id}", summary="A train", responses=_ROW)
async def get_train(
    row_id: RowId, response: Response, services: ServicesDep, _: Admin
) -> CatalogueRow:
    """As the catalogue has it; its `ETag` is for `If-Match`."""
    return await _read(services, response, "train", row_id)


@router.patch(
    "/pois/{row_id}",
    summary="Change a place",
    openapi_extra=document_body("PoiChange"),
    responses=_CHANGED,
)
async def patch_poi(
    row_id: RowId,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Body,
    if_match: IfMatch = None,
) -> CatalogueRow:
    """Audited; the catalogue's version rises, pools from now on see it, running runs do not."""
    edit = _Edit("poi", row_id, change, if_match)
    return await edit.make(services, response, principal)


@router.patch(
    "/hotels/{row_id}",
    summary="Change a hotel",
    openapi_extra=document_body("HotelChange"),
    responses=_CHANGED,
)
async def patch_hotel(
    row_id: RowId,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Body,
    if_match: IfMatch = None,
) -> CatalogueRow:
    """Audited; the catalogue's version rises, pools from now on see it, running runs do not."""
    edit = _Edit("hotel", row_id, change, if_match)
    return await edit.make(services, response, principal)


@router.patch(
    "/trains/{row_id}",
    summary="Change a train",
    openapi_extra=document_body("TrainChange"),
    responses=_CHANGED,
)
async def patch_train(
    row_id: RowId,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Body,
    if_match: IfMatch = None,
) -> CatalogueRow:
    """Audited; the catalogue's version rises, pools from now on see it, running runs do not."""
    edit = _Edit("train", row_id, change, if_match)
    return await edit.make(services, response, principal)


class _Edit:
    """One change of one row."""

    def __init__(self, kind: RowKind, row_id: str, change: AnyChange, if_match: str | None) -> None:
        self._kind, self._row_id = kind, row_id
        self._values: Mapping[str, Any] = change.model_extra or {}
        self._why = change.why
        tag = (if_match or "*").strip().removeprefix("W/").strip('"')
        self._tag = None if tag == "*" else tag

    async def make(
        self, services: Services, response: Response, principal: Principal
    ) -> CatalogueRow:
        author = make_author(principal, self._why)
        async with transaction(services.engine) as session:
            edited = await edit_row(
                session, self._kind, self._row_id, self._values, author, self._tag
            )
        response.headers["ETag"] = f'"{edited.tag}"'
        return edited.show()


async def _read(services: Services, response: Response, kind: RowKind, row_id: str) -> CatalogueRow:
    async with transaction(services.engine) as session:
        found = await read_row(session, kind, row_id)
    response.headers["ETag"] = f'"{found.tag}"'
    return found.show()
