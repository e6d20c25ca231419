"""Make, find, list and revoke keys.

Keys by which programs reach the API.

Browsers that have signed in: a session holds a random token, its row only the token's hash.

Who asks, for which tenant, and what that may reach.
"""

import datetime as dt
import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ARRAY, DateTime, ForeignKey, Text, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.session import Base, CodeText, Session
from backend.errors import NotFoundError
from backend.ids import make_id
from backend.text import quote

Scope = Literal["user", "admin", "developer"]
SCOPES: tuple[Scope, ...] = ("user", "admin", "developer")

SECRET_PREFIX = "wp_"  # noqa: S105 - it lets people and scanners recognise a key, and opens nothing


@dataclass(frozen=True)
class Principal:
    """The holder of a key."""

    key_id: str
    tenant: str
    scopes: frozenset[str]


def make_secret() -> str:
    """A new secret; it is shown once, only its hash is kept."""
    return SECRET_PREFIX + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """SHA-256 of a secret: 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


Moment = DateTime(timezone=True)


class ApiKey(Base):
    """A key of a tenant with scopes; only the SHA-256 of the secret is kept."""

    __tablename__ = "api_key"

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    secret_sha256: Mapped[str] = mapped_column(Text, unique=True)
    created_at: Mapped[dt.datetime] = mapped_column(Moment)
    revoked_at: Mapped[dt.datetime | None] = mapped_column(Moment)


class BrowserSession(Base):
    """A browser that has signed in with a key; it ends with its key, or at its time."""

    __tablename__ = "browser_session"

    token_sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    key_id: Mapped[CodeText] = mapped_column(
        ForeignKey("api_key.id", ondelete="CASCADE"), index=True
    )
    expires_at: Mapped[dt.datetime] = mapped_column(Moment)


class SignInLink(Base):
    """A link that signs one browser in, once."""

    __tablename__ = "sign_in_link"

    token_sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    key_id: Mapped[CodeText] = mapped_column(
        ForeignKey("api_key.id", ondelete="CASCADE"), index=True
    )
    expires_at: Mapped[dt.datetime] = mapped_column(Moment)


async def create_key(
    session: Session, tenant: str, scopes: Collection[str], label: str, at: dt.datetime
) -> tuple[str, str]:
    """A new key's id and its secret, which nobody can read again."""
    key_id, secret = make_id("key"), make_secret()
    row = {"id": key_id, "tenant": tenant, "label": label, "scopes": sorted(set(scopes))}
    digest = hash_secret(secret)
    await session.execute(insert(ApiKey).values(**row, secret_sha256=digest, created_at=at))
    return key_id, secret


async def find_principal(session: Session, secret: str) -> Principal | None:
    """Who holds this secret; None for an unknown or revoked one."""
    wanted = select(ApiKey.id, ApiKey.tenant, ApiKey.scopes).where(
        ApiKey.secret_sha256 == hash_secret(secret), ApiKey.revoked_at.is_(None)
    )
    row = (await session.execute(wanted)).first()
    return Principal(row.id, row.tenant, frozenset(row.scopes)) if row else None


async def list_keys(session: Session, tenant: str | None) -> Sequence[ApiKey]:
    """Keys, newest first; without the secrets, which are not kept."""
    wanted = select(ApiKey).order_by(ApiKey.id.desc())
    if tenant is not None:
        wanted = wanted.where(ApiKey.tenant == tenant)
    return (await session.scalars(wanted)).all()


async def revoke_key(session: Session, key_id: str, at: dt.datetime) -> None:
    """From now on the key opens nothing; revoking it again changes nothing."""
    known = await session.get(ApiKey, key_id)
    if known is None:
        raise NotFoundError(f"no key {quote(key_id)}; 'waypool keys list' shows them")
    revoked = update(ApiKey).where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None))
    await session.execute(revoked.values(revoked_at=at))


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
