"""Browsers that have signed in: a session holds a random token, its row only the token's hash."""

import datetime as dt

from sqlalchemy import delete, insert, select

from backend.access.principal import Principal, hash_secret, make_secret
from backend.access.tables import ApiKey, BrowserSession, SignInLink
from backend.db.session import Session

SESSION_COOKIE = "waypool_session"
SESSION_LIFE = dt.timedelta(hours=12)
LINK_LIFE = dt.timedelta(minutes=15)


async def begin_session(session: Session, key_id: str, at: dt.datetime) -> str:
    """A new session of the key's holder: its token. Those that have ended are cleared away."""
    await session.execute(delete(BrowserSession).where(BrowserSession.expires_at <= at))
    token = make_secret()
    row = {"token_sha256": hash_secret(token), "key_id": key_id, "expires_at": at + SESSION_LIFE}
    await session.execute(insert(BrowserSession).values(**row))
    return token


async def find_session(session: Session, token: str, at: dt.datetime) -> Principal | None:
    """Who has signed in with this token; None once it has ended or its key is revoked."""
    wanted = (
        select(ApiKey.id, ApiKey.tenant, ApiKey.scopes)
        .join(BrowserSession, BrowserSession.key_id == ApiKey.id)
        .where(
            BrowserSession.token_sha256 == hash_secret(token),
            BrowserSession.expires_at > at,
            ApiKey.revoked_at.is_(None),
        )
    )
    row = (await session.execute(wanted)).first()
    return Principal(row.id, row.tenant, frozenset(row.scopes)) if row else None


async def end_session(session: Session, token: str) -> None:
    """Sign out; an unknown token changes nothing."""
    ended = delete(BrowserSession).where(BrowserSession.token_sha256 == hash_secret(token))
    await session.execute(ended)


async def make_link(session: Session, key_id: str, at: dt.datetime) -> str:
    """The token of a link that signs one browser in, within a quarter of an hour."""
    token = make_secret()
    row = {"token_sha256": hash_secret(token), "key_id": key_id, "expires_at": at + LINK_LIFE}
    await session.execute(insert(SignInLink).values(**row))
    return token


async def use_link(session: Session, token: str, at: dt.datetime) -> str | None:
    """The key of a link that is still good; it is used up, also where two come at once."""
    used = delete(SignInLink).where(SignInLink.token_sha256 == hash_secret(token))
    row = (await session.execute(used.returning(SignInLink.key_id, SignInLink.expires_at))).first()
    return row.key_id if row and row.expires_at > at else None
