"""Who looks at a page, in which language, and the token that its forms must bring back."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from backend.access.queries import SESSION_COOKIE, Principal, Scope, find_session
from backend.bootstrap import Services
from backend.clock import read_utc
from backend.db.session import transaction
from backend.errors import ForbiddenError, UnauthorizedError, WaypoolError
from backend.text import Locale

FORM_COOKIE = "waypool_form"
LANGUAGE_COOKIE = "waypool_language"
MAX_FORM_BYTES = 200_000
MAX_FIELDS = 1_000


class FormError(WaypoolError):
    """A form that this server did not make, or not for this browser."""

    code = "BAD_FORM"


@dataclass(frozen=True)
class Visit:
    """One request of a browser; `form_secret` is known to this browser and to no other page."""

    principal: Principal | None
    locale: Locale
    form_secret: str
    path: str
    is_secure: bool

    @cached_property
    def form_token(self) -> str:
        """What each form of this page carries: it follows from the secret, and does not give it away.

        Each page has another one: nobody can guess it from how well a page with it is compressed.
        """
        return _make_token(self.form_secret, secrets.token_hex(8))

    def made(self, token: str) -> bool:
        """Whether a page of this browser had the token."""
        made = _make_token(self.form_secret, token.partition(".")[0])
        return hmac.compare_digest(token.encode(), made.encode())

    def may(self, scope: Scope) -> bool:
        """Whether the key that signed in has the scope."""
        return self.principal is not None and scope in self.principal.scopes


def _make_token(secret: str, nonce: str) -> str:
    return f"{nonce}.{hashlib.sha256(f'form:{secret}:{nonce}'.encode()).hexdigest()}"


def refuse_nul(request: Request) -> None:
    """No address of ours holds the character NUL, which the database cannot store or look for."""
    if "\0" in request.url.path or "%00" in request.url.query:
        raise FormError("this address holds the character NUL")


def get_services(request: Request) -> Services:
    """The process's services."""
    services = request.app.state.services
    assert isinstance(services, Services)
    return services


ServicesDep = Annotated[Services, Depends(get_services)]


async def read_visit(request: Request, services: ServicesDep) -> Visit:
    """The visit, signed in or not."""
    token = request.cookies.get(SESSION_COOKIE, "")
    principal = None
    if token:
        async with transaction(services.engine) as session:
            principal = await find_session(session, token, read_utc())
    secret = token if principal else request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(32)
    query = f"?{request.url.query}" if request.url.query else ""
    path = request.scope["root_path"] + request.url.path.removeprefix(request.scope["root_path"])
    is_secure = request.url.scheme == "https"
    return Visit(principal, choose_locale(request), secret, path + query, is_secure)


VisitDep = Annotated[Visit, Depends(read_visit)]


def choose_locale(request: Request) -> Locale:
    """The language that was chosen on a page, else the browser's, else Chinese."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in ("zh-CN", "en"):
        return "en" if chosen == "en" else "zh-CN"
    wanted = (part.split(";")[0].strip().lower() for part in _read_languages(request))
    first = next((name for name in wanted if name[:2] in ("zh", "en")), "zh")
    return "en" if first.startswith("en") else "zh-CN"


def _read_languages(request: Request) -> list[str]:
    return request.headers.get("accept-language", "").split(",")


def require(visit: Visit, scope: Scope) -> Principal:
    """The signed-in holder of a key with the scope."""
    if visit.principal is None:
        raise UnauthorizedError("sign in first")
    if scope not in visit.principal.scopes:
        raise ForbiddenError(f"this key lacks the scope {scope!r}")
    return visit.principal


async def read_form(request: Request, visit: Visit) -> Mapping[str, list[str]]:
    """The fields of a form of ours; a `FormError` for any other."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise FormError(f"the form is larger than {MAX_FORM_BYTES} bytes")
    try:
        text = body.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise FormError("this is no form") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value.replace("\0", ""))
    token = (fields.pop("form_token", None) or [""])[0]
    if not visit.made(token):
        raise FormError("the form is too old or was not made for this browser; try again")
    return fields
