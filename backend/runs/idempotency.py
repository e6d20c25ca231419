"""Idempotency keys: the same key and body give the same run for 24 hours, also when two come at once."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, text

from backend.db.session import Session
from backend.runs.tables import IdempotencyKey

KEY_LIFE = dt.timedelta(hours=24)


@dataclass(frozen=True)
class Claim:
    """What a key stands for."""

    run_id: str
    body_sha256: str


async def find_claim(session: Session, tenant: str, key: str, now: dt.datetime) -> Claim | None:
    """The key's claim; whoever asks for the same key waits until this transaction ends."""
    lock = text("select pg_advisory_xact_lock(hashtextextended(:tenant || chr(31) || :key, 0))")
    await session.execute(lock, {"tenant": tenant, "key": key})
    old = delete(IdempotencyKey).where(
        IdempotencyKey.tenant == tenant,
        IdempotencyKey.key == key,
        IdempotencyKey.created_at < now - KEY_LIFE,
    )
    await session.execute(old)
    wanted = select(IdempotencyKey.run_id, IdempotencyKey.body_sha256).where(
        IdempotencyKey.tenant == tenant, IdempotencyKey.key == key
    )
    row = (await session.execute(wanted)).first()
    return Claim(row.run_id, row.body_sha256) if row else None


async def claim_key(
    session: Session, tenant: str, key: str, body_sha256: str, run_id: str, now: dt.datetime
) -> None:
    """Let the key stand for a run."""
    row = {"tenant": tenant, "key": key, "body_sha256": body_sha256, "run_id": run_id}
    await session.execute(insert(IdempotencyKey).values(**row, created_at=now))


async def delete_old_keys(session: Session, now: dt.datetime) -> None:
    """Forget the keys whose time is over."""
    await session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < now - KEY_LIFE))
