"""A served API on real HTTP, with the seed catalogue, keys, and a worker in the same process."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from backend.access.queries import create_key
from backend.cli.serve import make_server, open_listener
from backend.clock import read_utc
from backend.db.session import make_engine, transaction
from backend.settings import Settings, read_settings

REQUEST: dict[str, Any] = {
    "origin": "上海",
    "destinations": [{"city": "北京"}],
    "start_date": "2026-11-27",  # past: no reservation of it can become late as time goes on
    "days": 3,
    "travellers": 2,
    "budget_tier": "comfort",
    "interests": ["history", "food"],
    "must_see": ["故宫博物院", "天坛公园"],
}


def make_settings(url: str, **changes: Any) -> Settings:
    """Settings for tests: this database, quick heartbeats, no model unless given."""
    quick = {"heartbeat_seconds": 0.2, "stalled_after_seconds": 1.0, "log_level": "error"}
    return read_settings(**{"database_url": url, "model": None, **quick, **changes})


@asynccontextmanager
async def serve(settings: Settings) -> AsyncIterator[str]:
    """The API's address while it is up."""
    assert settings.database_url is not None
    listener = open_listener("127.0.0.1", 0)
    server = make_server(settings, settings.database_url.get_secret_value())
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.01)
        assert not serving.done(), serving.exception()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving


async def make_key(url: str, tenant: str, *scopes: str) -> str:
    """A new key's secret."""
    engine = make_engine(url)
    async with transaction(engine) as session:
        _, secret = await create_key(session, tenant, scopes or ("user",), "test", read_utc())
    await engine.dispose()
    return secret


Client = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def api(seeded_url: str) -> AsyncIterator[Client]:
    """`await api("tenant", "user", "admin")` gives a client of a served API with such a key."""
    clients: list[httpx.AsyncClient] = []

    async with serve(make_settings(seeded_url)) as address:

        async def connect(tenant: str = "one", *scopes: str) -> httpx.AsyncClient:
            secret = await make_key(seeded_url, tenant, *scopes)
            headers = {"Authorization": f"Bearer {secret}"}
            clients.append(httpx.AsyncClient(base_url=address, headers=headers, timeout=60))
            return clients[-1]

        yield connect
        for client in clients:
            await client.aclose()
