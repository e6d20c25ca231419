"""Third-party sources: which there are, what one gives when it is tried, and whether it is offered.

What a source's page shows: a field an argument, sizes as bars, the projected parts as tables.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any
from xml.sax.saxutils import escape

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup

from backend.audit.queries import Author
from backend.bootstrap import Services, make_fetcher
from backend.clock import read_utc
from backend.console.render import show_page, translate
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import StaleVersionError, ToolError
from backend.results.asking import Leaf, leaf_value
from backend.results.handle import ResultError
from backend.sources.queries import get_source, list_sources, write_source
from backend.sources.spec import Argument, Source
from backend.text import Locale
from backend.tools.source_tools import TrialDocument, try_source

ROWS = 50
"""Rows that are shown of a part; the numbers beside it are of all."""

BESIDE = ("kept", "shown", "left_out")
"""What tells about the answer and is no part of it."""

SIZES = ("raw", "projected", "sent")
_WIDTH, _ROW, _BAR = 340, 48, 16


def list_fields(source: Source, typed: Mapping[str, str]) -> list[dict[str, Any]]:
    """The arguments with the kind of field that each is filled in with, and what was typed."""
    return [
        {
            "id": name_field(argument),
            "kind": _choose_kind(argument),
            "argument": argument,
            "value": typed.get(name_field(argument), ""),
        }
        for argument in source.arguments
    ]


def name_field(argument: Argument) -> str:
    """The form's field for an argument; none of its other fields begins like that."""
    return f"arg-{argument.name}"


def _choose_kind(argument: Argument) -> str:
    if argument.many:
        return "lines"
    return "choice" if argument.choices else argument.type


def read_arguments(source: Source, typed: Mapping[str, str]) -> dict[str, Any]:
    """What was typed as the call's arguments; empty is left out, and a wrong value stays as it is."""
    given = [
        (argument, typed.get(name_field(argument), "").strip()) for argument in source.arguments
    ]
    return {argument.name: _read(argument, text) for argument, text in given if text}


def _read(argument: Argument, text: str) -> Any:
    if argument.many:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if argument.type == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if argument.type in {"integer", "number"}:
        return _read_number(text)
    return text


def _read_number(text: str) -> int | float | str:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def draw_sizes(tried: Mapping[str, Any], locale: Locale) -> Markup:
    """A bar a size, in proportion: what came, what the projection keeps, what a model is sent."""
    sizes = {name: tried[f"{name}_bytes"] for name in SIZES}
    most = max(*sizes.values(), 1)
    parts = []
    for n, (name, size) in enumerate(sizes.items()):
        top = n * _ROW
        words = f"{translate(locale, f'sources.{name}')} {translate(locale, 'sources.bytes', n=f'{size:,}')}"
        parts.append(
            f'<text class="beside" x="0" y="{top + 14}">{escape(words)}</text>'
            f'<rect class="bar step-{0 if name == "raw" else 2}" x="0" y="{top + 20}"'
            f' width="{max(2.0, _WIDTH * size / most):.1f}" height="{_BAR}" rx="3"/>'
        )
    title = escape(translate(locale, "sources.sizes"), {'"': "&quot;"})
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="sizes" viewBox="0 0 {_WIDTH} {_ROW * len(SIZES)}" role="img"'
        f' aria-label="{title}">{"".join(parts)}</svg>'
    )


def show_parts(answer: Mapping[str, Any]) -> list[tuple[str, Leaf]]:
    """The parts of what a model would read, each with its first rows."""
    return [
        (name, leaf_value(part, 0, ROWS)) for name, part in answer.items() if name not in BESIDE
    ]


router = APIRouter(prefix="/sources")

Name = Annotated[str, Path(max_length=64)]


@dataclass(frozen=True)
class Trial:
    """A source as it was tried: what was typed, what came, or why nothing."""

    typed: dict[str, str] = field(default_factory=dict)
    tried: TrialDocument | None = None
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
    tried = trial.tried.as_json() if trial.tried else None
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
