"""Third-party sources: which there are, what one gives when it is tried, and whether it is offered."""

import json
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse

from backend.audit.change import Author
from backend.bootstrap import Services, make_fetcher
from backend.clock import read_utc
from backend.console.render import show_page
from backend.console.source_view import draw_sizes, list_fields, read_arguments, show_parts
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import StaleVersionError, ToolError
from backend.results.refusals import ResultError
from backend.sources.queries import get_source, list_sources, write_source
from backend.sources.spec import Source
from backend.tools.source_trial import try_source

router = APIRouter(prefix="/sources")

Name = Annotated[str, Path(max_length=64)]


@dataclass(frozen=True)
class Trial:
    """A source as it was tried: what was typed, what came, or why nothing."""

    typed: dict[str, str] = field(default_factory=dict)
    tried: dict[str, Any] | None = None
    error: ToolError | None = None
    notice: str = ""

    @property
    def status(self) -> int:
        """What was typed wrong is the browser's fault; a source that is down is nobody's here."""
        return 422 if self.notice or (self.error and self.error.code == "BAD_ARGUMENTS") else 200


UNTRIED = Trial()


@router.get("")
async def show_sources(visit: VisitDep, services: ServicesDep) -> Response:
    """All sources by name, those switched off too."""
    require(visit, "admin")
    async with transaction(services.engine) as session:
        rows = [(row, row.source) for row in await list_sources(session)]
    return show_page(visit, "sources.html", rows=rows)


@router.get("/{name}")
async def show_source(name: Name, visit: VisitDep, services: ServicesDep) -> Response:
    """One source, and the form that tries it."""
    require(visit, "admin")
    return await _show(services, visit, name, UNTRIED)


@router.post("/{name}/test")
async def test(request: Request, name: Name, visit: VisitDep, services: ServicesDep) -> Response:
    """Fetch now, be it switched on or not, and show what a model would read of it."""
    require(visit, "admin")
    form = await read_form(request, visit)
    typed = {key: values[0] for key, values in form.items()}
    async with transaction(services.engine) as session:
        source = (await get_source(session, name)).source
    return await _show(services, visit, name, await _try(services, visit, source, typed))


async def _try(services: Services, visit: Visit, source: Source, typed: dict[str, str]) -> Trial:
    arguments = json.dumps(read_arguments(source, typed))
    fetcher = make_fetcher(services.settings, services.engine)
    try:
        tried = await try_source(source, fetcher, arguments, visit.locale)
    except ToolError as error:
        said = error.say(visit.locale) if isinstance(error, ResultError) else error
        return Trial(typed, error=said)
    return Trial(typed, tried)


@router.post("/{name}/switch")
async def switch(request: Request, name: Name, visit: VisitDep, services: ServicesDep) -> Response:
    """Offer a source to models, in running runs too, or no longer; as the page showed it."""
    principal = require(visit, "admin")
    form = await read_form(request, visit)
    why = form.get("why", [""])[0].strip()[:500] or None
    version = form.get("version", [""])[0]
    author = Author(read_utc(), principal.key_id, why)
    try:
        async with transaction(services.engine) as session:
            await write_source(
                session,
                name,
                author,
                enabled="enable" in form,
                expected_version=int(version) if version.isdecimal() and len(version) < 10 else -1,
            )
    except StaleVersionError as error:
        return await _show(services, visit, name, Trial(notice=error.message))
    return RedirectResponse(f"/console/sources/{name}", 303)


async def _show(services: Services, visit: Visit, name: str, trial: Trial) -> Response:
    async with transaction(services.engine) as session:
        row = await get_source(session, name)
        source = row.source
    tried = trial.tried
    values: dict[str, Any] = {
        "row": row,
        "source": source,
        "fields": list_fields(source, trial.typed),
        "trial": trial,
        "tried": tried,
        "chart": draw_sizes(tried, visit.locale) if tried else "",
        "parts": show_parts(tried["answer"]) if tried else (),
    }
    return show_page(visit, "source.html", trial.status, **values)
