"""Limits on stored results: the least recently read ones are dropped first, pinned ones stay."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from backend.db.session import Session
from backend.params.queries import read_params
from backend.results.handle import Owner, refuse_quota
from backend.results.queries import Age, expire_results, list_evictable, lock_tenant, sum_sizes


@dataclass(frozen=True)
class Limits:
    """The parameters that hold now: seconds after the last read, bytes by run and by tenant."""

    ttl_seconds: int
    run_bytes: int
    tenant_bytes: int

    def idle_before(self, now: dt.datetime) -> dt.datetime:
        """Results that were not read since then may be dropped."""
        return self.age(now).idle_before

    def age(self, now: dt.datetime) -> Age:
        """The same, with how long that is."""
        ttl = dt.timedelta(seconds=self.ttl_seconds)
        return Age(now - ttl, ttl)


async def read_limits(session: Session) -> Limits:
    """The limits as an admin has set them."""
    values: dict[str, Any] = dict(await read_params(session))
    names = ("RESULT_TTL_SECONDS", "RESULT_QUOTA_RUN_BYTES", "RESULT_QUOTA_TENANT_BYTES")
    return Limits(*(int(values[name]) for name in names))


def check_size(owner: Owner, size: int, limits: Limits) -> None:
    """Refuse a result that is larger than the quota itself."""
    if owner.run_id is not None and size > limits.run_bytes:
        raise refuse_quota("run", limits.run_bytes)
    if size > limits.tenant_bytes:
        raise refuse_quota("tenant", limits.tenant_bytes)


async def make_room(
    session: Session, owner: Owner, size: int, limits: Limits, now: dt.datetime
) -> None:
    """Expire the least recently read results until `size` more bytes fit; `RESULT_QUOTA` if they cannot."""
    await lock_tenant(session, owner.tenant)
    if owner.run_id is not None:
        await _make_room(session, owner, size, limits.run_bytes, now, of_run=True)
    await _make_room(session, owner, size, limits.tenant_bytes, now, of_run=False)


async def _make_room(
    session: Session, owner: Owner, size: int, limit: int, now: dt.datetime, *, of_run: bool
) -> None:
    excess = await sum_sizes(session, owner, of_run=of_run) + size - limit
    going = []
    for handle, freed in await list_evictable(session, owner, of_run=of_run):
        if excess <= 0:
            break
        going.append(handle)
        excess -= freed
    if excess > 0:
        raise refuse_quota("run" if of_run else "tenant", limit)
    if going:
        await expire_results(session, going, now)
