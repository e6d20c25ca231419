"""The job queue: a job is "advance run X", the run log is the truth.

A worker that dies leaves its job behind; the others notice its silence and take the run over. A run
whose job was lost altogether (a crash between two commits of the queue) is put back by the sweep.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.tasks import Task

from backend.db.session import Engine, Session, raw_connection, transaction
from backend.runs.queries import list_unfinished

QUEUE = "runs"
TASK = "advance_run"
EXECUTOR = "queue"
GRACE_SECONDS = 5
"""How long a stopping worker lets its runs go on; then another one resumes them."""

log = logging.getLogger(__name__)

Advance = Callable[[str], Awaitable[None]]


class JobQueue:
    """Puts runs into the queue and works on them."""

    def __init__(
        self, url: str, engine: Engine, *, heartbeat_seconds: float, stalled_after_seconds: float
    ) -> None:
        """`url` is a libpq address of the database that `engine` is on."""
        self._engine = engine
        self._heartbeat = heartbeat_seconds
        self._stalled_after = stalled_after_seconds
        self._app = App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=4))
        self._advance: Advance | None = None
        self._task: Task[Any, Any, Any] = self._app.task(name=TASK, queue=QUEUE)(self._run_job)

    async def __aenter__(self) -> "JobQueue":
        """Open the queue's own connections."""
        await self._app.open_async()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close them."""
        await self._app.close_async()

    async def enqueue(self, session: Session, run_id: str) -> None:
        """Put a run into the queue in the caller's transaction: both are there, or neither."""
        connection = await raw_connection(session)
        deferrer = self._task.configure(lock=run_id, queueing_lock=run_id, connection=connection)
        await deferrer.defer_async(run_id=run_id)

    async def work(self, advance: Advance, concurrency: int) -> None:
        """Advance runs until cancelled; goes on after the database was away."""
        self._advance = advance
        rescue = asyncio.create_task(self._rescue_for_ever())
        try:
            while True:
                await self._work_once(concurrency)
                await asyncio.sleep(
                    self._heartbeat
                )  # it only ends by itself when the database went
        finally:
            rescue.cancel()

    async def _work_once(self, concurrency: int) -> None:
        try:
            await self._app.run_worker_async(
                queues=[QUEUE],
                concurrency=concurrency,
                install_signal_handlers=False,
                delete_jobs="always",
                shutdown_graceful_timeout=GRACE_SECONDS,
                update_heartbeat_interval=self._heartbeat,
                stalled_worker_timeout=self._stalled_after,
            )
        except ConnectorException:
            log.warning("the queue's database is away; trying again")

    async def _run_job(self, run_id: str) -> None:
        assert self._advance is not None
        await self._advance(run_id)

    async def _rescue_for_ever(self) -> None:
        while True:
            try:
                await self.rescue()
            except ConnectorException:
                log.warning("cannot look for stalled runs: the database is away")
            await asyncio.sleep(self._heartbeat)

    async def rescue(self) -> None:
        """Put back the jobs of silent workers, and unfinished runs that have no job at all."""
        manager = self._app.job_manager
        stalled = await manager.get_stalled_jobs(
            queue=QUEUE, seconds_since_heartbeat=self._stalled_after
        )
        for job in stalled:
            log.warning("taking over %s from a silent worker", job.task_kwargs.get("run_id"))
            await manager.retry_job(job)
        async with transaction(self._engine) as session:
            unfinished = await list_unfinished(session, EXECUTOR)
        if unfinished:
            await self._enqueue_lost(unfinished)

    async def _enqueue_lost(self, unfinished: Sequence[str]) -> None:
        jobs = [
            job
            for status in ("todo", "doing")
            for job in await self._app.job_manager.list_jobs_async(queue=QUEUE, status=status)
        ]
        held = {job.task_kwargs.get("run_id") for job in jobs}
        for run_id in unfinished:
            if run_id in held:
                continue
            try:
                await self._task.configure(lock=run_id, queueing_lock=run_id).defer_async(
                    run_id=run_id
                )
            except AlreadyEnqueued:  # another worker's sweep was quicker
                continue
