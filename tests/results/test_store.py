"""The store: to whom a handle belongs, how long it lives, what it costs, who has read it."""

import datetime as dt
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.queries import Author
from backend.clock import read_utc
from backend.db.session import transaction
from backend.errors import ToolError
from backend.ids import make_id
from backend.params.queries import write_param
from backend.results.asking import answer
from backend.results.document import Document
from backend.results.handle import Owner, Reader
from backend.results.packed_document import BadContentError
from backend.results.store import ResultStore
from backend.results.values import write_json

pytestmark = pytest.mark.sql

ROWS = [{"n": n, "secret": f"客户{n:05d}"} for n in range(5000)]
CONTENT = write_json(ROWS).encode()
MINE = Reader("me", "one")


@pytest.fixture
def store(engine: AsyncEngine) -> ResultStore:
    return ResultStore(engine, None)


def put(store: ResultStore, content: bytes = CONTENT, owner: Owner | None = None) -> Any:
    return store.put([content], owner or Owner("one"), filters={"q": "x"}, locale="en")


async def count(store: ResultStore, handle: str, reader: Reader = MINE) -> Any:
    def ask(document: Document) -> tuple[Any, int]:
        return answer(document, "rows.length", None, "en")

    return (await store.read(handle, reader, ask))["value"]


async def refusal(store: ResultStore, handle: str, reader: Reader = MINE) -> str:
    with pytest.raises(ToolError) as caught:
        await count(store, handle, reader)
    return write_json(caught.value.as_json())


async def run_sql(engine: AsyncEngine, statement: str, **values: Any) -> list[Any]:
    async with engine.begin() as connection:
        rows = await connection.execute(text(statement), values)
        return list(rows.all()) if rows.returns_rows else []


async def make_run(engine: AsyncEngine, tenant: str, status: str = "running") -> str:
    run_id = make_id("run")
    await run_sql(
        engine,
        "insert into agent_run (id, tenant, status, executor, planner, locale, request, created_at,"
        " finished_at) values (:id, :tenant, :status, 'x', 'builtin', 'en', '{}', now(),"
        " case when :status = 'running' then null else now() - interval '3 days' end)",
        id=run_id,
        tenant=tenant,
        status=status,
    )
    return run_id


async def age(engine: AsyncEngine, handle: str, **since: float) -> None:
    at = read_utc() - dt.timedelta(**since)
    await run_sql(
        engine, "update stored_result set last_read_at = :at where id = :id", at=at, id=handle
    )


async def set_param(engine: AsyncEngine, key: str, value: int) -> None:
    async with transaction(engine) as session:
        await write_param(session, key, value, Author(read_utc()))


async def test_a_stored_result_answers(store: ResultStore) -> None:
    stored = await put(store)
    assert stored.handle.startswith("res_")
    assert stored.state == "ready"
    assert stored.summary["rows"] == 5000
    assert stored.summary["filters"] == {"q": "x"}
    assert await count(store, stored.handle) == 5000
    assert await store.read_summary(stored.handle) == stored.summary


async def test_foreign_and_unknown_handles_are_the_same(
    store: ResultStore, engine: AsyncEngine
) -> None:
    run, other = await make_run(engine, "one"), await make_run(engine, "one")
    stored = await put(store, owner=Owner("one", run))
    unknown = await refusal(store, make_id("res"))
    assert "NO_SUCH_HANDLE" in unknown
    assert await refusal(store, stored.handle, Reader("x", "two")) == unknown
    assert await refusal(store, stored.handle, Reader("x", "one", (other,))) == unknown
    assert await refusal(store, stored.handle, Reader("x", "one", ())) == unknown
    assert await count(store, stored.handle, Reader("child", "one", (other, run))) == 5000
    assert await count(store, stored.handle, Reader("operator", None)) == 5000


async def test_every_read_is_audited(store: ResultStore, engine: AsyncEngine) -> None:
    stored = await put(store)
    await count(store, stored.handle)
    await refusal(store, stored.handle, Reader("thief", "two"))
    rows = await run_sql(
        engine, "select who, handle, state, bytes from stored_result_read order by id"
    )
    assert [tuple(row) for row in rows] == [
        ("me", stored.handle, "ready", 14),
        ("thief", stored.handle, "unknown", 0),
    ]


async def test_what_cannot_be_stored_leaves_no_handle_to_read(
    store: ResultStore, engine: AsyncEngine
) -> None:
    with pytest.raises(BadContentError):
        await put(store, CONTENT[:-1])
    ((handle, state),) = await run_sql(engine, "select id, state from stored_result")
    assert state == "failed"
    assert await run_sql(engine, "select 1 from stored_result_part") == []
    assert "RESULT_FAILED" in await refusal(store, handle)


async def test_pending_is_never_read_as_data(store: ResultStore) -> None:
    handle = await store.reserve(Owner("one"))
    assert "RESULT_PENDING" in await refusal(store, handle)
    await store.fill(handle, [b"[]"], Owner("one"))
    assert await count(store, handle) == 0


async def test_an_idle_result_expires_and_says_so(store: ResultStore, engine: AsyncEngine) -> None:
    await set_param(engine, "RESULT_TTL_SECONDS", 60)
    kept, idle, pinned = [(await put(store)).handle for _ in range(3)]
    await store.pin(pinned, MINE, is_pinned=True)
    for handle in (idle, pinned):
        await age(engine, handle, seconds=61)
    assert "RESULT_EXPIRED" in await refusal(store, idle)
    assert await store.sweep() == 1
    assert "RESULT_EXPIRED" in await refusal(store, idle)
    assert await count(store, kept) == 5000
    assert await count(store, pinned) == 5000
    parts = await run_sql(engine, "select 1 from stored_result_part where result_id = :id", id=idle)
    assert parts == []


async def test_a_result_is_kept_while_its_run_is_active(
    store: ResultStore, engine: AsyncEngine
) -> None:
    active, ended = await make_run(engine, "one"), await make_run(engine, "one", "succeeded")
    handles = [(await put(store, owner=Owner("one", run))).handle for run in (active, ended)]
    for handle in handles:
        await age(engine, handle, days=2)
    assert await count(store, handles[0]) == 5000
    assert "RESULT_EXPIRED" in await refusal(store, handles[1])


async def test_a_result_is_kept_for_pinned_runs_and_for_what_came_out_of_its_run(
    store: ResultStore, engine: AsyncEngine
) -> None:
    pinned, parent, alone = [await make_run(engine, "one", "succeeded") for _ in range(3)]
    child = await make_run(engine, "one")
    await run_sql(engine, "update agent_run set pinned_at = now() where id = :id", id=pinned)
    await run_sql(
        engine, "update agent_run set parent_run_id = :p where id = :id", p=parent, id=child
    )
    handles = [(await put(store, owner=Owner("one", r))).handle for r in (pinned, parent, alone)]
    for handle in handles:
        await age(engine, handle, days=2)
    assert await store.sweep() == 1
    assert await count(store, handles[0]) == 5000
    assert await count(store, handles[1], Reader("child", "one", (child, parent))) == 5000
    assert "RESULT_EXPIRED" in await refusal(store, handles[2])


async def test_a_read_prolongs_the_life(store: ResultStore, engine: AsyncEngine) -> None:
    handle = (await put(store)).handle
    await age(engine, handle, hours=23)
    await count(store, handle)
    ((at,),) = await run_sql(engine, "select last_read_at from stored_result")
    assert read_utc() - at < dt.timedelta(minutes=1)


async def test_deleting_a_run_deletes_its_results(store: ResultStore, engine: AsyncEngine) -> None:
    run = await make_run(engine, "one")
    stored = await put(store, owner=Owner("one", run))
    await run_sql(engine, "delete from agent_run where id = :id", id=run)
    assert await run_sql(engine, "select 1 from stored_result_part") == []
    assert "NO_SUCH_HANDLE" in await refusal(store, stored.handle)


async def test_quotas_expire_what_is_read_least(store: ResultStore, engine: AsyncEngine) -> None:
    await set_param(engine, "RESULT_QUOTA_TENANT_BYTES", len(CONTENT) * 2 + 10)
    first, second = [(await put(store)).handle for _ in range(2)]
    await age(engine, first, minutes=3)
    await age(engine, second, minutes=5)
    third = (await put(store)).handle
    assert "RESULT_EXPIRED" in await refusal(store, second)
    await store.pin(first, MINE, is_pinned=True)
    await store.pin(third, MINE, is_pinned=True)
    with pytest.raises(ToolError) as caught:
        await put(store)
    assert caught.value.code == "RESULT_QUOTA"
    assert await count(store, third) == 5000
    assert await count(store, (await put(store, owner=Owner("two"))).handle, Reader("x", "two"))


async def test_a_run_has_a_quota_of_its_own(store: ResultStore, engine: AsyncEngine) -> None:
    await set_param(engine, "RESULT_QUOTA_RUN_BYTES", len(CONTENT) + 10)
    run = await make_run(engine, "one")
    alone = (await put(store)).handle
    first = (await put(store, owner=Owner("one", run))).handle
    await put(store, owner=Owner("one", run))
    assert "RESULT_EXPIRED" in await refusal(store, first)
    assert await count(store, alone) == 5000
    with pytest.raises(ToolError) as caught:
        await put(store, CONTENT[:-1] + b"," + CONTENT[1:], Owner("one", run))
    assert caught.value.code == "RESULT_QUOTA"


@pytest.fixture
async def sealed(engine: AsyncEngine) -> tuple[ResultStore, str]:
    store = ResultStore(engine, "k" * 32)
    return store, (await put(store)).handle


async def test_with_a_key_the_database_holds_no_word_of_it(
    sealed: tuple[ResultStore, str], engine: AsyncEngine
) -> None:
    store, handle = sealed
    assert await count(store, handle) == 5000
    for secret in (None, "z" * 32):
        assert "RESULT_EXPIRED" in await refusal(ResultStore(engine, secret), handle)
    rows = await run_sql(engine, "select name, content from stored_result_part")
    assert len(rows) > 2
    assert all(bytes(row.content)[:1] == b"\x01" for row in rows)
    await run_sql(
        engine,
        "update stored_result_part set content = (select content from stored_result_part"
        " where name = 'summary') where name = 'head'",
    )
    assert "RESULT_EXPIRED" in await refusal(store, handle)
