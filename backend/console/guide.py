"""The guide as pages: for everybody, without a key, a cookie, a script or the database."""

from typing import Annotated

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from backend.console.render import get_templates, read_version, translate
from backend.console.visit import choose_locale
from backend.errors import NotFoundError
from backend.guide.library import (
    GROUPS,
    LANGUAGES,
    LONGEST_QUERY,
    Language,
    mark,
    read_lead,
    read_title,
    render_html,
    search,
)
from backend.text import Locale

_LOCALES: dict[Language, Locale] = {"en": "en", "zh": "zh-CN"}


def create_guide() -> FastAPI:
    """The application that the web application mounts at `/guide`."""
    guide = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    guide.add_api_route("/", choose_language)
    guide.add_api_route("/{language}/", show_contents)
    guide.add_api_route("/{language}/search", show_hits)
    guide.add_api_route("/{language}/{topic}", show_topic)
    guide.add_exception_handler(HTTPException, _show_missing)
    guide.add_exception_handler(NotFoundError, _show_missing)
    return guide


async def choose_language(request: Request) -> Response:
    """The contents in the browser's language, or the one that was chosen on a page."""
    return RedirectResponse(f"/guide/{_find_language(request)}/", 307)


async def show_contents(language: str) -> Response:
    """All topics by group, each with its first paragraph."""
    return _show(_check(language), "", contents=True)


async def show_topic(language: str, topic: str) -> Response:
    """One topic."""
    known = _check(language)
    text = Markup(render_html(topic, known))  # noqa: S704 - our own file, its HTML escaped
    return _show(known, topic, text=text)


async def show_hits(
    language: str, q: Annotated[str, Query(max_length=10 * LONGEST_QUERY)] = ""
) -> Response:
    """The sections that hold all the words."""
    known = _check(language)
    hits = [
        {"section": hit.section, "excerpt": Markup(mark(hit.excerpt, q))}  # noqa: S704 - `mark` escapes
        for hit in search(q, known)
    ]
    return _show(known, "search", q=q, hits=hits)


async def _show_missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return _show(_find_language(request), "", status, missing=True)


def _check(language: str) -> Language:
    found = next((known for known in LANGUAGES if known == language), None)
    if found is None:
        raise NotFoundError(f"the guide is in {' and '.join(LANGUAGES)}")
    return found


def _find_language(request: Request) -> Language:
    """The language of the address, else the one that the visitor reads."""
    parts = request.url.path.split("/")
    named = next((known for known in LANGUAGES if known in parts), None)
    return named or ("en" if choose_locale(request) == "en" else "zh")


def _show(language: Language, path: str, status: int = 200, **values: object) -> Response:
    locale = _LOCALES[language]

    def t(key: str, **texts: object) -> str:
        return translate(locale, key, **texts)

    groups = [
        (
            group.title[language],
            [(topic, read_title(topic, language)) for topic in group.topics],
        )
        for group in GROUPS
    ]
    html = (
        get_templates()
        .get_template("guide.html")
        .render(
            t=t,
            locale=locale,
            version=read_version(),
            language=language,
            other="en" if language == "zh" else "zh",
            path=path,
            groups=groups,
            lead=lambda topic: read_lead(topic, language),
            **{"text": None, "hits": None, "q": "", "contents": False, "missing": False} | values,
        )
    )
    return HTMLResponse(html, status, headers={"Cache-Control": "no-cache"})
