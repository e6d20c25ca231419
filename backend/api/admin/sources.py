"""Third-party sources: add one, try it, switch it on; what it says is data, checked as it is written."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response
from pydantic import Field, model_validator

from backend.api.admin.tuning import Change, IfMatch, Why, make_author, read_version
from backend.api.bodies import document_body, read_body_as
from backend.api.deps import Admin, ServicesDep
from backend.api.responses import document_problems
from backend.bootstrap import make_fetcher
from backend.db.session import transaction
from backend.document import Page
from backend.errors import OutOfBoundsError, ToolError
from backend.sources.queries import (
    DataSource,
    SourceItem,
    add_source,
    get_source,
    list_sources,
    remove_source,
    show_source,
    write_source,
)
from backend.sources.spec import Source
from backend.tools.source_tools import TrialDocument, check_name, show_failed_trial, try_source

router = APIRouter(prefix="/admin/sources", tags=["admin"])

Name = Annotated[str, Path(description="Of the source, such as `hk_weather_now`.")]
_SOURCE = document_problems(404)
_CHANGED = document_problems(404, 409, 412, 413)
_ADDED = document_problems(409, 413)


class SourceChange(Change):
    """What changes about a source; what is left out stays."""

    enabled: bool | None = None
    source: dict[str, Any] | None = Field(None, description="The whole `Source`, its name too.")
    why: Why = None

    @model_validator(mode="after")
    def _say_something(self) -> "SourceChange":
        if self.enabled is None and self.source is None:
            raise ValueError("name what to change: enabled or source")
        if self.source is not None:
            Source.model_validate(self.source)
        return self


class Trial(Change):
    """A call of a source by hand."""

    arguments: dict[str, Any] = Field(default_factory=dict, examples=[{"date": "2026-10-01"}])


@router.get("", summary="All sources")
async def get_sources(services: ServicesDep, _: Admin) -> Page[SourceItem]:
    """By name; those switched off too."""
    async with transaction(services.engine) as session:
        return Page(items=tuple(show_source(row) for row in await list_sources(session)))


@router.post(
    "",
    summary="Add a source",
    status_code=201,
    openapi_extra=document_body("Source"),
    responses=_ADDED,
)
async def post_source(
    response: Response,
    services: ServicesDep,
    principal: Admin,
    source: Annotated[Source, Depends(read_body_as(Source))],
) -> SourceItem:
    """It is switched off until it is enabled, so that it can be tried first."""
    check_name(source)
    async with transaction(services.engine) as session:
        row = await add_source(session, source, make_author(principal, None))
        return _tag(response, row)


@router.get("/{name}", summary="One source", responses=_SOURCE)
async def get_one_source(
    name: Name, response: Response, services: ServicesDep, _: Admin
) -> SourceItem:
    """Its `ETag` is for `If-Match`."""
    async with transaction(services.engine) as session:
        return _tag(response, await get_source(session, name))


@router.patch(
    "/{name}",
    summary="Change a source, switch it on or off",
    openapi_extra=document_body("SourceChange"),
    responses=_CHANGED,
)
async def patch_source(
    name: Name,
    response: Response,
    services: ServicesDep,
    principal: Admin,
    change: Annotated[SourceChange, Depends(read_body_as(SourceChange))],
    if_match: IfMatch = None,
) -> SourceItem:
    """It holds from the next call on, in running runs too; 412 where the version has moved."""
    source = None if change.source is None else Source.model_validate(change.source)
    if source is not None and source.name != name:
        raise OutOfBoundsError(f"the source's name is {name}; add another under another name")
    async with transaction(services.engine) as session:
        row = await write_source(
            session,
            name,
            make_author(principal, change.why),
            source=source,
            enabled=change.enabled,
            expected_version=read_version(if_match),
        )
        return _tag(response, row)


@router.delete(
    "/{name}",
    summary="Remove a source",
    status_code=204,
    responses=document_problems(404, 412),
)
async def delete_source(
    name: Name, services: ServicesDep, principal: Admin, if_match: IfMatch = None
) -> None:
    """With its kept responses; what runs have stored of it stays with them."""
    async with transaction(services.engine) as session:
        author = make_author(principal, None)
        await remove_source(session, name, author, expected_version=read_version(if_match))


@router.post(
    "/{name}/test",
    summary="Try a source",
    openapi_extra=document_body("Trial"),
    response_model_exclude_unset=True,
    responses=document_problems(404, 413),
)
async def post_trial(
    name: Name,
    services: ServicesDep,
    _: Admin,
    trial: Annotated[Trial, Depends(read_body_as(Trial))],
) -> TrialDocument:
    """Fetches now, be it switched on or not, and shows what the model would read."""
    async with transaction(services.engine) as session:
        source = (await get_source(session, name)).source
    fetcher = make_fetcher(services.settings, services.engine)
    try:
        return await try_source(source, fetcher, json.dumps(trial.arguments))
    except ToolError as error:
        if error.code == "BAD_ARGUMENTS":
            raise OutOfBoundsError(error.message, code=error.code) from None
        return show_failed_trial(name, error)


def _tag(response: Response, row: DataSource) -> SourceItem:
    response.headers["ETag"] = f'"{row.version}"'
    return show_source(row)
