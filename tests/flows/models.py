"""Runs over a served API with model doubles behind it."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from backend.mock_llm.scenario import Scenario
from backend.mock_llm.server import MockLlm, serve_mock
from tests.flows.conftest import REQUEST, make_key, make_settings, serve


@dataclass
class Desk:
    """A client with all scopes, and the doubles by name."""

    client: httpx.AsyncClient
    mocks: dict[str, MockLlm]

    async def plan(self, model: str | None = None, **changes: Any) -> dict[str, Any]:
        """The result of a run."""
        answer = await self.client.post(
            "/v1/itineraries",
            json=REQUEST | changes,
            params={"model": model} if model else {},
            headers={"Prefer": "wait=60"},
        )
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    async def read(self, path: str, **params: Any) -> Any:
        """The document at an address."""
        return (await self.client.get(path, params=params)).raise_for_status().json()


@asynccontextmanager
async def open_desk(
    url: str,
    folder: Path,
    scenarios: Mapping[str, Scenario],
    configs: Mapping[str, dict[str, Any]] | None = None,
    **settings: Any,
) -> AsyncIterator[Desk]:
    """A served API with a configured model for each scenario, by its name."""
    async with AsyncExitStack() as stack:
        mocks = {
            name: await stack.enter_async_context(serve_mock(scenario))
            for name, scenario in scenarios.items()
        }
        models = [
            {"name": name, "base_url": mock.url, **(configs or {}).get(name, {})}
            for name, mock in mocks.items()
        ]
        file = folder / "models.json"
        file.write_text(json.dumps({"currency": "CNY", "models": models}), encoding="utf-8")
        secret = await make_key(url, "one", "user", "admin", "developer")
        known = make_settings(url, models_file=file, **settings)
        address = await stack.enter_async_context(serve(known))
        headers = {"Authorization": f"Bearer {secret}"}
        client = httpx.AsyncClient(base_url=address, headers=headers, timeout=90)
        yield Desk(await stack.enter_async_context(client), mocks)
