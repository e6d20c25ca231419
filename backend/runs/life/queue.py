"""The job queue: a job is "advance run X", or "verify" one that has ended; the run log is the truth.

A worker that dies leaves its job behind; the others notice its silence and take the run over. A run
whose job was lost altogether (a crash between two commits of the queue) is put back by the sweep.
"""

import asyncio
import datetime as dt
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from procrastinate import App, PsycopgConnector
from procrastinate.connector import Notify
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, UniqueViolation
from procrastinate.jobs import Status
from procrastinate.tasks import Task

from backend.clock import read_utc
from backend.db.session import CONNECT_SECONDS, Engine, Session, raw_connection, transaction
from backend.errors import UnavailableError
from backend.params.queries import read_params
from backend.runs.life.admission import (
    admit_runs,
    list_unfinished_verifications,
    list_waiting_tenants,
    lock_admission,
)
from backend.runs.life.ending import end_overdue
from backend.runs.log.lifecycle import EXECUTOR, INLINE
from backend.runs.log.queries import is_held, list_jobless, list_unfinished, update_run

QUEUE = "runs"
TASK = "advance_run"
VERIFICATIONS = "verifications"
VERIFY_TASK = "verify_run"
UPKEEP = "upkeep"
UPKEEP_TIMES = "*/10 * * * *"
"""As cron writes it: whatever the number of workers, one of them does it each time."""

GRACE_SECONDS = 5
"""How long a stopping worker lets its runs go on; then another one resumes them."""

POOL_SECONDS = 10.0
"""How long the queue waits for a connection: a restart of the database is no reason to give up."""

RELISTEN_SECONDS = 1.0

PATIENCE_SECONDS = 2 * GRACE_SECONDS
"""How long a part that is asked to end is waited for before it is asked again."""

log = logging.getLogger(__name__)

Advance = Callable[[str], Awaitable[None]]
Verify = Callable[[str], Awaitable[None]]
Upkeep = Callable[[], Awaitable[None]]


async def _do_nothing(_verification_id: str = "") -> None:
    pass


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel it until it has ended: `asyncio.wait_for` of Python 3.11 loses a cancellation at times."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
    await asyncio.gather(task, return_exceptions=True)


class _PatientConnector(PsycopgConnector):
    """Listens again after the connection broke, where the queue's own would end the worker."""

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Give notifications for ever; while it cannot, the worker looks by itself."""
        names = list(channels)
        while True:
            try:
                await super().listen_notify(on_notification, names)
            except ConnectorException:
                log.warning("the queue's listening connection is away; trying again")
            await asyncio.sleep(RELISTEN_SECONDS)


class JobQueue:
    """Puts runs into the queue and works on them."""

    def __init__(
        self, url: str, engine: Engine, *, heartbeat_seconds: float, stalled_after_seconds: float
    ) -> None:
        """`url` is a libpq address of the database that `engine` is on."""
        self._engine = engine
        self._heartbeat = heartbeat_seconds
        self._stalled_after = stalled_after_seconds
        self._connector = _PatientConnector(
            conninfo=url,
            kwargs={"connect_timeout": CONNECT_SECONDS},
            timeout=POOL_SECONDS,
            min_size=1,
            max_size=4,
        )
        self._app = App(connector=self._connector)
        self._advance: Advance | None = None
        self._upkeep: Upkeep = _do_nothing
        self._verify: Verify = _do_nothing
        self._carried: dict[str, asyncio.Task[None]] = {}
        self._is_stopping = False
        self._task: Task[Any, Any, Any] = self._app.task(name=TASK, queue=QUEUE)(self._run_job)
        self._verify_task: Task[Any, Any, Any] = self._app.task(
            name=VERIFY_TASK, queue=VERIFICATIONS
        )(self._run_verification)
        keep = self._app.task(name=UPKEEP, queue=UPKEEP, lock=UPKEEP, queueing_lock=UPKEEP)
        self._app.periodic(cron=UPKEEP_TIMES)(keep(self._keep_up))

    async def __aenter__(self) -> "JobQueue":
        """Open the queue's own connections."""
        await self._app.open_async()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close them."""
        await self._app.close_async()

    async def enqueue(self, session: Session, run_id: str, priority: int = 0) -> None:
        """Put a run into the queue in the caller's transaction: both are there, or neither."""
        await self._defer(session, self._task, run_id, priority, run_id=run_id)

    async def enqueue_verification(self, session: Session, verification_id: str) -> None:
        """The same for a verification."""
        given = {"verification_id": verification_id}
        await self._defer(session, self._verify_task, verification_id, 0, **given)

    async def _defer(
        self, session: Session, task: Task[Any, Any, Any], lock: str, priority: int, **given: str
    ) -> None:
        connection = await raw_connection(session)
        deferrer = task.configure(
            lock=lock, queueing_lock=lock, priority=priority, connection=connection
        )
        try:
            await deferrer.defer_async(**given)
        except ConnectorException as error:
            raise UnavailableError("the database does not answer") from error

    async def admit_waiting(self, beside: str | None = None) -> None:
        """Let runs into the queue that waited for their tenant's turn; `beside` narrows to a run's."""
        async with transaction(self._engine) as session:
            tenants = await list_waiting_tenants(session, beside)
        for tenant in tenants:
            async with transaction(self._engine) as session:
                await lock_admission(session, tenant)
                await admit_runs(session, tenant, await read_params(session), self.enqueue)

    @property
    def is_stopping(self) -> bool:
        """Whether this worker was asked to stop: its runs are to end with the step they are at."""
        return self._is_stopping

    def begin_to_stop(self) -> None:
        """Let runs end with the step they are at, before `work` is cancelled."""
        self._is_stopping = True

    async def work(
        self,
        advance: Advance,
        concurrency: int,
        upkeep: Upkeep = _do_nothing,
        verify: Verify = _do_nothing,
    ) -> None:
        """Advance and verify runs until cancelled, and do the upkeep of the whole installation.

        It goes on after the database was away.
        """
        self._advance, self._upkeep, self._verify = advance, upkeep, verify
        self._is_stopping = False
        rescue = asyncio.create_task(self._rescue_for_ever())
        working = asyncio.create_task(self._work_for_ever(concurrency))
        try:
            await asyncio.shield(working)
        finally:
            self.begin_to_stop()  # before the queue starts to wait for its jobs
            self._connector.pool.timeout = CONNECT_SECONDS / 5  # if the database is away, let it be
            await asyncio.gather(_end(rescue), _end(working))
            await self._end_carried()

    async def _work_for_ever(self, concurrency: int) -> None:
        while (
            not self._is_stopping
        ):  # a cancelled worker that cannot sign off raises as if it failed
            await self._work_once(concurrency)
            await asyncio.sleep(self._heartbeat)  # it only ends by itself when the database went

    async def _work_once(self, concurrency: int) -> None:
        try:
            await self._app.run_worker_async(
                queues=[QUEUE, VERIFICATIONS, UPKEEP],
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
        """Carry the run, or wait for the one that carries it here already.

        A worker that lost its database gives its jobs up, its runs only wait: their next step may
        be paid for.
        """
        carried = self._carried.get(run_id)
        if carried is None:
            carried = self._carried[run_id] = asyncio.create_task(self._carry(run_id))
        await asyncio.shield(carried)

    async def _carry(self, run_id: str) -> None:
        assert self._advance is not None
        try:
            await self._advance(run_id)
            await self.admit_waiting(beside=run_id)
        except UnavailableError as error:
            log.warning("%s waits for a worker: %s", run_id, error.message)
        finally:
            self._carried.pop(run_id, None)

    async def _run_verification(self, verification_id: str) -> None:
        try:
            await self._verify(verification_id)
        except UnavailableError as error:  # the next look for lost jobs finds it
            log.warning("%s waits for a worker: %s", verification_id, error.message)

    async def _keep_up(self, timestamp: int) -> None:
        try:
            await self._upkeep()
        except UnavailableError as error:
            log.warning("the upkeep waits for its next time: %s", error.message)

    async def _end_carried(self) -> None:
        """Cut off the runs that are still at a step: another worker does it again."""
        left = list(self._carried.values())
        for carried in left:
            carried.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _rescue_for_ever(self) -> None:
        while not self._is_stopping:
            pause = self._heartbeat
            try:
                await self.rescue()
            except (ConnectorException, UnavailableError):
                log.warning("cannot look for stalled runs: the database is away")
                pause = self._stalled_after  # all workers look silent now: let them speak first
            await asyncio.sleep(pause)

    async def rescue(self) -> None:
        """Put back the jobs of silent workers, and unfinished runs that have no job at all.

        Among these are runs of a command that was killed.
        """
        manager = self._app.job_manager
        stalled = [
            job
            for queue in (QUEUE, VERIFICATIONS)
            for job in await manager.get_stalled_jobs(
                queue=queue, seconds_since_heartbeat=self._stalled_after
            )
        ]
        for job in stalled:
            if job.task_kwargs.get("run_id") in self._carried:
                continue  # this process was away itself, say asleep
            log.warning("taking over %s from a silent worker", job.lock)
            try:
                await manager.retry_job(job)
            except UniqueViolation:  # another job of the run waits, for this one's lock
                await manager.finish_job(job, Status.FAILED, delete_job=True)
        await end_overdue(self._engine)
        await self.admit_waiting()
        async with transaction(self._engine) as session:
            await self._adopt_abandoned(session)
            runs = await self._list_jobless(session, await list_unfinished(session, EXECUTOR))
            unverified = await list_unfinished_verifications(session)
            verifications = await self._list_jobless(session, unverified)
        await self._enqueue_lost(self._task, "run_id", runs)
        await self._enqueue_lost(self._verify_task, "verification_id", verifications)

    async def _adopt_abandoned(self, session: Session) -> None:
        """Take over the runs of commands that are gone."""
        long_ago = read_utc() - dt.timedelta(seconds=self._stalled_after)  # it may not hold it yet
        for run_id in await list_unfinished(session, INLINE, long_ago):
            if not await is_held(session, run_id):
                log.warning("taking over %s from a command that is gone", run_id)
                await update_run(session, run_id, executor=EXECUTOR, admitted_at=read_utc())

    async def _enqueue_lost(self, task: Task[Any, Any, Any], key: str, lost: Iterable[str]) -> None:
        for lock in lost:
            try:
                await task.configure(lock=lock, queueing_lock=lock).defer_async(**{key: lock})
            except AlreadyEnqueued:  # another worker's sweep was quicker
                continue

    async def _list_jobless(self, session: Session, locks: Iterable[str]) -> Sequence[str]:
        """Those that nothing waits for, here or in the queue."""
        beside = [lock for lock in locks if lock not in self._carried]
        return await list_jobless(session, beside) if beside else ()
