"""Sign in with a key, or by a link that works once; sign out; choose a language."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.access.queries import (
    SESSION_COOKIE,
    SESSION_LIFE,
    begin_session,
    end_session,
    find_principal,
    use_link,
)
from backend.clock import read_utc
from backend.console.render import show_page
from backend.console.visit import (
    LANGUAGE_COOKIE,
    ServicesDep,
    Visit,
    VisitDep,
    choose_locale,
    read_form,
)
from backend.db.session import transaction

router = APIRouter()

HOME = "/console/"
Next = Annotated[str, Query(max_length=500)]


def make_stranger(request: Request) -> Visit:
    """A visit of somebody who is not known."""
    return Visit(None, choose_locale(request), "", HOME, request.url.scheme == "https")


async def make_address(request: Request) -> str:
    """The sign-in page that leads back to where the browser wanted to go."""
    wanted = HOME if request.method != "GET" else str(request.url.path)
    if request.method == "GET" and request.url.query:
        wanted += f"?{request.url.query}"
    note = "&ended=1" if SESSION_COOKIE in request.cookies else ""
    return f"/console/sign-in?next={quote(wanted)}{note}"


def check_next(address: str) -> str:
    """A page of the console to go on to: never another host."""
    is_ours = address.startswith("/console/") and "\\" not in address and "//" not in address
    return address if is_ours and address.isprintable() else HOME


@router.get("/sign-in")
async def show_sign_in(visit: VisitDep, next: Next = HOME, *, ended: bool = False) -> Response:  # noqa: A002 - the name in the address
    """The form for a key."""
    notice = "sign_in.ended" if ended else None
    return show_page(visit, "sign_in.html", next=check_next(next), notice=notice, is_wrong=False)


@router.post("/sign-in")
async def sign_in(request: Request, visit: VisitDep, services: ServicesDep) -> Response:
    """A session for the holder of the key; 401 and the form again for a wrong one."""
    form = await read_form(request, visit)
    secret = form.get("key", [""])[0].strip()
    address = check_next(form.get("next", [HOME])[0])
    async with transaction(services.engine) as session:
        principal = await find_principal(session, secret)
        if principal is None:
            values = {"next": address, "notice": None, "is_wrong": True}
            return show_page(visit, "sign_in.html", 401, **values)
        token = await begin_session(session, principal.key_id, read_utc())
    return _go_signed_in(visit, address, token)


@router.get("/open/{token}")
async def open_link(
    token: str,
    visit: VisitDep,
    services: ServicesDep,
    next: Next = HOME,  # noqa: A002 - the name in the address
) -> Response:
    """Sign in by a link that works once; used up or too old, it leads to the form."""
    async with transaction(services.engine) as session:
        key_id = await use_link(session, token, read_utc())
        if key_id is None:
            values = {"next": check_next(next), "notice": "sign_in.used", "is_wrong": False}
            return show_page(visit, "sign_in.html", 410, **values)
        session_token = await begin_session(session, key_id, read_utc())
    return _go_signed_in(visit, check_next(next), session_token)


def _go_signed_in(visit: Visit, address: str, token: str) -> Response:
    response = RedirectResponse(address, 303)
    response.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=int(SESSION_LIFE.total_seconds()),
        path="/",  # the API takes it too, for reading: event streams and downloads
        httponly=True,
        samesite="lax",
        secure=visit.is_secure,
    )
    return response


@router.post("/sign-out")
async def sign_out(request: Request, visit: VisitDep, services: ServicesDep) -> Response:
    """End the session, here and in the database."""
    await read_form(request, visit)
    async with transaction(services.engine) as session:
        await end_session(session, request.cookies.get(SESSION_COOKIE, ""))
    response = RedirectResponse("/console/sign-in", 303)
    response.delete_cookie(SESSION_COOKIE, path="/")
    return response


@router.post("/language")
async def choose_language(request: Request, visit: VisitDep) -> Response:
    """Show all pages in the other language from now on."""
    form = await read_form(request, visit)
    language = "en" if form.get("language") == ["en"] else "zh-CN"
    response = RedirectResponse(check_next(form.get("next", [HOME])[0]), 303)
    year = 365 * 24 * 3600
    response.set_cookie(
        LANGUAGE_COOKIE, language, max_age=year, path="/console", httponly=True, samesite="lax"
    )
    return response
