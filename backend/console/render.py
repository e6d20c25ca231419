"""Pages from templates; every text that was not written here is escaped by Jinja.

Files that pages load: kept by a browser for as long as their content is the same.

Pages name each with `?v=…`, which follows from the content of all of them; under that name a file
never changes. Under any other it is asked for again, and not sent again where it is the same.
"""

import hashlib
import importlib.util
from functools import cache
from importlib.metadata import version
from os import PathLike, stat_result
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from fastapi import Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.types import Scope

from backend.console.texts import TEXTS
from backend.console.visit import FORM_COOKIE, Visit
from backend.text import Locale

STATIC = Path(__file__).parent / "static"

_FOR_EVER = "public, max-age=31536000, immutable"


@cache
def read_version() -> str:
    """What changes when any of the files does."""
    digest = hashlib.sha256(version("XStatic-Leaflet").encode())
    for path in sorted(STATIC.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def find_leaflet() -> Path:
    """The map's library comes as a package of static files; nothing of it is kept here."""
    found = importlib.util.find_spec("xstatic.pkg.leaflet")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "data"


class Assets(StaticFiles):
    """Files of a folder, with the time that a browser may keep them."""

    def file_response(
        self,
        full_path: "str | PathLike[str]",
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """The file, or that it is the same as before."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("v")
        response.headers["Cache-Control"] = _FOR_EVER if asked == [read_version()] else "no-cache"
        return response


HERE = Path(__file__).parent
LEAFLET = "/console/leaflet"


@cache
def get_templates() -> Environment:
    """The templates; a name that a page lacks is an error."""
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def translate(locale: Locale, key: str, **values: object) -> str:
    """A text of the pages in a language; a key of no text is shown as it is."""
    pair = TEXTS.get(key)
    if pair is None:
        return key.rpartition(".")[2].replace("_", " ")
    text = pair[0] if locale == "zh-CN" else pair[1]
    return text.format(**values) if values else text


def show_page(visit: Visit, template: str, http_status: int = 200, **values: Any) -> HTMLResponse:
    """A page of its template, never kept by caches."""

    def t(key: str, **texts: object) -> str:
        return translate(visit.locale, key, **texts)

    html = (
        get_templates()
        .get_template(template)
        .render(
            t=t, visit=visit, locale=visit.locale, version=read_version(), leaflet=LEAFLET, **values
        )
    )
    response = HTMLResponse(html, http_status, headers={"Cache-Control": "no-store"})
    if visit.principal is None:
        response.set_cookie(
            FORM_COOKIE,
            visit.form_secret,
            path="/console",
            httponly=True,
            samesite="strict",
            secure=visit.is_secure,
        )
    return response
