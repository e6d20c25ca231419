"""Pages from templates; every text that was not written here is escaped by Jinja."""

from functools import cache
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from backend.console.assets import read_version
from backend.console.texts import TEXTS
from backend.console.visit import FORM_COOKIE, Visit
from backend.text import Locale

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
        .render(t=t, visit=visit, version=read_version(), leaflet=LEAFLET, **values)
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
