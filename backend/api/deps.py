"""What a request needs: the long-lived objects and who asks."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.access.queries import SESSION_COOKIE, Principal, Scope, find_principal, find_session
from backend.api.problems import BadAddressError
from backend.bootstrap import Services
from backend.clock import read_utc
from backend.db.session import transaction
from backend.errors import ForbiddenError, UnauthorizedError

bearer = HTTPBearer(auto_error=False, description="A key made by 'waypool keys create'.")


def get_services(request: Request) -> Services:
    """The process's services."""
    services = request.app.state.services
    assert isinstance(services, Services)
    return services


def refuse_nul(request: Request) -> None:
    """No name, id or cursor holds a NUL, and the database can compare none."""
    if "\0" in request.url.path or "%00" in request.url.query:
        raise BadAddressError("the address holds a NUL character")


ServicesDep = Annotated[Services, Depends(get_services)]


async def read_principal(
    request: Request,
    services: ServicesDep,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)],
) -> Principal:
    """Who holds the key of this request, or has signed in to the console and only reads.

    A browser sends its cookie with forms of other hosts too, so by a cookie nothing is changed.
    """
    token = request.cookies.get(SESSION_COOKIE)
    if credentials is None and token and request.method in {"GET", "HEAD"}:
        async with transaction(services.engine) as session:
            known = await find_session(session, token, read_utc())
        if known is not None:
            return known
    if credentials is None:
        raise UnauthorizedError("give a key: Authorization: Bearer wp_…")
    async with transaction(services.engine) as session:
        principal = await find_principal(session, credentials.credentials)
    if principal is None:
        raise UnauthorizedError("this key is unknown or revoked")
    return principal


def require(scope: Scope) -> Callable[[Principal], Awaitable[Principal]]:
    """A dependency that lets only keys with the scope through."""

    async def check(principal: Annotated[Principal, Depends(read_principal)]) -> Principal:
        if scope not in principal.scopes:
            raise ForbiddenError(f"this key lacks the scope {scope!r}")
        return principal

    return check


User = Annotated[Principal, Depends(require("user"))]
Admin = Annotated[Principal, Depends(require("admin"))]
Developer = Annotated[Principal, Depends(require("developer"))]
