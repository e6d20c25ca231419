"""Pages from templates; every text that was not written here is escaped by Jinja.

Files that pages load: kept by a browser for as long as their content is the same.

Pages name each with `?v=…`, which follows from the content of all of them; under that name a file
never changes. Under any other it is asked for again, and not sent again where it is the same.

Charts as SVG, made here: they need no script and print as they are.
"""

import hashlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from math import log10
from os import PathLike, stat_result
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from fastapi import Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
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


STEPS = ("catalogue", "in_cities", "pool", "listed", "opened", "selected")
KINDS = ("poi", "hotel", "train")

_WIDTH, _ROW, _LEFT, _TOP = 720, 64, 84, 28
_BAR = 38
_LEDGER = 160


def draw_funnel(funnel: Mapping[str, Mapping[str, Any]], locale: Locale) -> Markup:
    """A row a kind, a bar a step, its height the logarithm of its number: 1,912 and 9 in one view."""
    width = (_WIDTH - _LEFT) / len(STEPS)
    parts = [
        _write(_LEFT + (n + 0.5) * width, 16, translate(locale, f"funnel.{step}"), "head")
        for n, step in enumerate(STEPS)
    ]
    for row, kind in enumerate(kind for kind in KINDS if kind in funnel):
        bottom = _TOP + (row + 1) * _ROW - 6
        parts.append(_write(0, bottom - 12, translate(locale, f"kind.{kind}"), "kind"))
        most = max(funnel[kind][step] for step in STEPS)
        for n, step in enumerate(STEPS):
            count = funnel[kind][step]
            height = _BAR * (log10(count + 1) / log10(most + 1)) if most else 0
            left = _LEFT + n * width
            parts.append(
                f'<rect class="bar step-{n}" x="{left + 6:.1f}" y="{bottom - height:.1f}"'
                f' width="{width - 12:.1f}" height="{height:.1f}" rx="3"/>'
            )
            parts.append(_write(left + width / 2, bottom - height - 4, f"{count:,}", "count"))
    height = _TOP + _ROW * len([kind for kind in KINDS if kind in funnel]) + 4
    title = escape(translate(locale, "funnel.title"))
    words = escape(describe_funnel(funnel, locale))
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="funnel" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{words}">'
        f"<title>{title}</title>{''.join(parts)}</svg>"
    )


def draw_ledger(ledger: Mapping[str, Any], locale: Locale) -> Markup:
    """A bar a request: what it held by kind of part; the line below it was cached."""
    requests = ledger["requests"]
    most = max((request["total"]["tokens"] for request in requests), default=0)
    if not most:
        return Markup("")
    width = min(48.0, (_WIDTH - _LEFT) / len(requests))
    parts = [_write(0, 16, translate(locale, "ledger.tokens"), "kind")]
    for n, request in enumerate(requests):
        left, bottom = _LEFT + n * width, float(_TOP + _LEDGER)
        for kind, tokens in _sum_parts(request["parts"]).items():
            height = _LEDGER * tokens / most
            bottom -= height
            parts.append(_bar(f"part-{kind}", (left + 2, bottom), width - 4, height))
        cached = _LEDGER * min(request["reported"]["cached_tokens"] / most, 1)
        level = _TOP + _LEDGER - cached
        parts.append(
            f'<line class="cached" x1="{left:.1f}" x2="{left + width:.1f}" y1="{level:.1f}" y2="{level:.1f}"/>'
        )
        parts.append(_write(left + width / 2, _TOP + _LEDGER + 14, str(request["turn"]), "count"))
    parts.append(_write(_LEFT, _TOP - 6, f"{most:,}", "count"))
    words = escape(translate(locale, "ledger.title"))
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="funnel" viewBox="0 0 {_WIDTH} {_TOP + _LEDGER + 22}" role="img"'
        f' aria-label="{words}">{"".join(parts)}</svg>'
    )


PARTS = ("system", "request", "tools", "model", "results")
"""What a request to the model holds, from the bottom of its bar."""


def _sum_parts(parts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Tokens by kind of part; every part with a name of its own is what a tool answered."""
    sums = dict.fromkeys(PARTS, 0)
    for name, size in parts.items():
        kind = "request" if name == "nudge" else name
        sums[kind if kind in sums else "results"] += size["tokens"]
    return sums


def _bar(kind: str, corner: tuple[float, float], width: float, height: float) -> str:
    x, y = corner
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    )


def describe_funnel(funnel: Mapping[str, Mapping[str, Any]], locale: Locale) -> str:
    """The same in words, for those who do not see it."""
    return "; ".join(
        f"{translate(locale, f'kind.{kind}')}: "
        + " → ".join(str(funnel[kind][step]) for step in STEPS)
        for kind in KINDS
        if kind in funnel
    )


def _write(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
