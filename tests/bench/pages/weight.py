"""What a browser that has been here never before is sent for a page, as it comes over the wire."""

from collections.abc import Mapping
from urllib.parse import urljoin

import httpx

from tests.bench.pages.page import Page, Step

LIBRARY = "/console/leaflet/"
"""The map's library, which does not count."""

ACCEPTED = {"Accept-Encoding": "gzip, deflate, br, zstd"}


async def weigh(client: httpx.AsyncClient, step: Step) -> Mapping[str, int]:
    """Bytes of the page and of each file that it names; the map's library apart."""
    data = dict(step.fields) if step.fields is not None else None
    method = "GET" if data is None else "POST"
    size, text = await _load(client, method, step.address, data)
    weights = {step.address: size}
    for asset in dict.fromkeys(Page(step.address, text).assets):
        address = urljoin(step.address, asset)
        if address not in weights:
            weights[address] = (await _load(client, "GET", address))[0]
    return weights


def sum_up(weights: Mapping[str, int]) -> tuple[int, int]:
    """Bytes of all, and those of the map's library, which the former leave out."""
    library = sum(size for name, size in weights.items() if name.startswith(LIBRARY))
    return sum(weights.values()) - library, library


async def _load(
    client: httpx.AsyncClient, method: str, address: str, data: Mapping[str, str] | None = None
) -> tuple[int, str]:
    async with client.stream(method, address, headers=ACCEPTED, data=data) as answer:
        text = await answer.aread()
        return answer.num_bytes_downloaded, text.decode(answer.encoding or "utf-8", "replace")
