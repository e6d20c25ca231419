"""Make, find, list and revoke keys."""

import datetime as dt
from collections.abc import Collection, Sequence

from sqlalchemy import insert, select, update

from backend.access.principal import Principal, hash_secret, make_secret
from backend.access.tables import ApiKey
from backend.db.session import Session
from backend.errors import NotFoundError
from backend.ids import make_id
from backend.text import quote


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
