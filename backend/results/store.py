"""Keeps large results and answers questions about them; a handle exists only for what is stored.

Reading is lazy: a question loads the parts that it needs, within a time limit, and everything that
computes runs in a thread beside the event loop.

Loads the parts of a stored result for code that runs in a thread, within a time limit.
"""

import asyncio
import datetime as dt
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.errors import ToolError
from backend.results.document import Document
from backend.results.handle import (
    Owner,
    Reader,
    ResultError,
    Stored,
    make_handle,
    make_hint,
    refuse_expired,
    refuse_handle,
    refuse_state,
)
from backend.results.packed_document import DocumentWriter, open_document
from backend.results.queries import (
    ResultHead,
    delete_forgotten,
    delete_result,
    expire_results,
    find_result,
    insert_part,
    insert_read,
    insert_result,
    list_idle,
    list_results,
    read_part,
    update_result,
)
from backend.results.quotas import Limits, check_size, make_room, read_limits
from backend.results.sealing import Seal, UnreadableError
from backend.results.values import parse_json, write_json
from backend.text import Locale

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


T = TypeVar("T")

Ask = Callable[[Document], tuple[T, int]]
"""A question: gives its answer and how many bytes that has."""

_SUMMARY = "summary"
_FORGET_AFTER = dt.timedelta(days=30)


class ResultStore:
    """Stored results in the database; `secret` encrypts what is stored from now on."""

    def __init__(self, engine: Engine, secret: str | None) -> None:
        self._engine = engine
        self._seal = Seal(secret)

    async def put(
        self,
        chunks: Iterable[bytes],
        owner: Owner,
        *,
        tool: str | None = None,
        filters: Mapping[str, Any] | None = None,
        locale: Locale = "zh-CN",
    ) -> Stored:
        """Store JSON while it streams in; give its handle and summary when all of it is stored."""
        handle = await self.reserve(owner, tool)
        return await self.fill(handle, chunks, owner, filters=filters, locale=locale)

    async def reserve(self, owner: Owner, tool: str | None = None) -> str:
        """A handle that is pending until it is filled; what nobody needs any more goes meanwhile."""
        await self.sweep()
        handle = make_handle()
        async with transaction(self._engine) as session:
            await insert_result(session, handle, owner, tool, read_utc())
        return handle

    async def fill(
        self,
        handle: str,
        chunks: Iterable[bytes],
        owner: Owner,
        *,
        filters: Mapping[str, Any] | None = None,
        locale: Locale = "zh-CN",
    ) -> Stored:
        """Store the content of a pending handle whole, or mark it as failed and raise."""
        try:
            async with transaction(self._engine) as session:
                writer = await self._write(session, handle, chunks, owner)
                summary = await asyncio.to_thread(writer.summarize, filters or {})
                content = write_json(summary).encode()
                await insert_part(session, handle, _SUMMARY, self._close(handle, _SUMMARY, content))
        except BaseException:
            async with transaction(self._engine) as session:
                await update_result(session, handle, state="failed")
            raise
        return Stored(handle, "ready", summary, make_hint(writer.place, locale))

    async def _write(
        self, session: Session, handle: str, chunks: Iterable[bytes], owner: Owner
    ) -> DocumentWriter:
        limits = await read_limits(session)
        writer = DocumentWriter(chunks)
        parts = writer.write()

        def pack_next() -> tuple[str, bytes] | None:
            part = next(parts, None)
            return part and (part[0], self._close(handle, *part))

        packing = asyncio.ensure_future(asyncio.to_thread(pack_next))
        try:  # the next part is packed while this one is stored
            while (part := await packing) is not None:
                check_size(owner, writer.size, limits)
                packing = asyncio.ensure_future(asyncio.to_thread(pack_next))
                await insert_part(session, handle, *part)
        finally:
            await asyncio.gather(packing, return_exceptions=True)
        now = read_utc()
        await make_room(session, owner, writer.size, limits, now)
        ready = {"state": "ready", "size_bytes": writer.size, "last_read_at": now}
        await update_result(session, handle, **ready)
        return writer

    def _close(self, handle: str, name: str, content: bytes) -> bytes:
        return self._seal.close(content, name_place(handle, name))

    async def read(self, handle: str, reader: Reader, ask: Ask[T]) -> T:
        """The answer to a question about a result; a `ToolError` says why there is none.

        Every read is audited, and prolongs the life of what is read.
        """
        found: list[T] = []
        size = 0
        async with transaction(self._engine) as session:
            now = read_utc()
            limits = await read_limits(session)
            state, error = await self._meet(session, handle, reader, limits, now)
            if error is None:
                try:
                    answer, size = await self._ask(session, handle, ask)
                    found.append(answer)
                except ToolError as caught:
                    error = caught
                await update_result(session, handle, last_read_at=now)
            await insert_read(session, now, reader, handle, state, size)
        if error is not None:
            raise error
        return found[0]

    async def _meet(
        self, session: Session, handle: str, reader: Reader, limits: Limits, now: dt.datetime
    ) -> tuple[str, ToolError | None]:
        """The state that a reader meets, and what is said where it is not ready."""
        found = await find_result(session, handle, reader, limits.age(now))
        if found is None:
            return "unknown", refuse_handle()
        if found.expired_at is not None or found.is_idle:
            return "expired", refuse_expired()
        return found.state, None if found.state == "ready" else refuse_state(found.state)

    async def _ask(self, session: Session, handle: str, ask: Ask[T]) -> tuple[T, int]:
        load = self._make_loader(session, handle)
        return await asyncio.to_thread(lambda: ask(open_document(load)))

    def _make_loader(self, session: Session, handle: str) -> PartLoader:
        async def fetch(name: str) -> bytes | None:
            return await read_part(session, handle, name)

        return PartLoader(handle, self._seal, fetch)

    async def list(
        self, reader: Reader, limit: int, before: str | None = None
    ) -> Sequence[ResultHead]:
        """Results that the reader may see, newest first."""
        async with transaction(self._engine) as session:
            age = (await read_limits(session)).age(read_utc())
            return await list_results(session, reader, limit, age, before=before)

    async def find(self, handle: str, reader: Reader) -> ResultHead:
        """One of them, whatever its state; a `ToolError` where there is none for this reader."""
        async with transaction(self._engine) as session:
            age = (await read_limits(session)).age(read_utc())
            found = await find_result(session, handle, reader, age)
        if found is None:
            raise refuse_handle()
        return found

    async def read_summary(self, handle: str) -> dict[str, Any] | None:
        """The summary of a listed result; None where it is not ready, or gone."""
        async with transaction(self._engine) as session:
            load = self._make_loader(session, handle)
            try:
                content = await asyncio.to_thread(load, _SUMMARY)
            except ToolError:
                return None
        summary = parse_json(content.decode())
        assert isinstance(summary, dict)
        return summary

    async def pin(self, handle: str, reader: Reader, *, is_pinned: bool) -> None:
        """Keep a result whatever its age and whatever room is wanted, or no longer."""
        async with transaction(self._engine) as session:
            now = read_utc()
            limits = await read_limits(session)
            _, error = await self._meet(session, handle, reader, limits, now)
            if error is not None:
                raise error
            await update_result(session, handle, pinned_at=now if is_pinned else None)

    async def delete(self, handle: str, reader: Reader) -> None:
        """Remove a result at once."""
        await self.find(handle, reader)
        async with transaction(self._engine) as session:
            await delete_result(session, handle)

    async def sweep(self) -> int:
        """Drop the parts of results that nobody has read for long, and delete rows that expired long ago."""
        async with transaction(self._engine) as session:
            now = read_utc()
            limits = await read_limits(session)
            idle = await list_idle(session, limits.idle_before(now))
            if idle:
                await expire_results(session, idle, now)
            await delete_forgotten(session, now - _FORGET_AFTER)
        return len(idle)
