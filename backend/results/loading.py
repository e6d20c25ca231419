"""Loads the parts of a stored result for code that runs in a thread, within a time limit."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from backend.errors import ToolError
from backend.results.handle import refuse_expired
from backend.results.refusals import ResultError
from backend.results.sealing import Seal, UnreadableError

FetchPart = Callable[[str], Awaitable[bytes | None]]

_CACHED = 4
_MAX_SECONDS = 60.0


class PartLoader:
    """Gives parts by name; the last few stay at hand. Called from another thread than the loop's."""

    def __init__(self, handle: str, seal: Seal, fetch: FetchPart) -> None:
        self._handle, self._seal, self._fetch = handle, seal, fetch
        self._loop = asyncio.get_running_loop()
        self._deadline = time.monotonic() + _MAX_SECONDS
        self._cached: OrderedDict[str, bytes] = OrderedDict()

    def __call__(self, name: str) -> bytes:
        """The content of a part; a result that is gone in the meantime has expired."""
        if name in self._cached:
            self._cached.move_to_end(name)
            return self._cached[name]
        if time.monotonic() > self._deadline:
            raise _refuse_time()
        stored = asyncio.run_coroutine_threadsafe(self._get(name), self._loop).result()
        if stored is None:
            raise refuse_expired()
        try:
            content = self._seal.open(stored, name_place(self._handle, name))
        except UnreadableError:
            raise refuse_expired() from None
        self._cached[name] = content
        if len(self._cached) > _CACHED:
            self._cached.popitem(last=False)
        return content

    async def _get(self, name: str) -> bytes | None:
        return await self._fetch(name)


def name_place(handle: str, name: str) -> str:
    """What a part is bound to when it is sealed."""
    return f"{handle}/{name}"


def _refuse_time() -> ToolError:
    return ResultError(
        "QUERY_TOO_LONG",
        f"the question took longer than {_MAX_SECONDS:.0f} seconds; ask for less",
        translated=f"查询超过 {_MAX_SECONDS:.0f} 秒，请缩小范围",
    )
