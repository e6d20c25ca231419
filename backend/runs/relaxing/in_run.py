"""The search as a step of a run: once, where planning has ended and the request is impossible."""

import asyncio
from collections.abc import Sequence

from backend.db.session import Engine, transaction
from backend.pool.plan_request import PlanRequest
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.runs.durable import RunWriter
from backend.runs.findings import check_plan
from backend.runs.relaxing.outcome import STEP, read_sought, seek, seek_for_draft
from backend.runs.run_log import Step
from backend.runs.stages import fold_state, read_stages
from backend.runs.verdict import judge


async def relax_once(
    engine: Engine,
    writer: RunWriter,
    steps: Sequence[Step],
    snapshot: Snapshot,
    *,
    is_revision: bool = False,
) -> None:
    """Write what was found to the log, from which the result is made; `steps` are all so far.

    Other dates need other pools: they are built from the catalogue, by the run's own parameters.
    The plan of a revision is the traveller's: for it only what leaves it as it is is looked for.
    """
    stages = read_stages(steps)
    draft = fold_state(stages).draft
    findings = check_plan(snapshot, draft)
    is_impossible = judge(stages[-1], findings, None).status == "infeasible"
    if not is_impossible or read_sought(steps) is not None:
        return

    async def build(request: PlanRequest) -> Snapshot:
        async with transaction(engine) as session:
            return await CandidatePoolService(session).build(request, snapshot.params)

    if is_revision:
        sought = await asyncio.to_thread(seek_for_draft, snapshot, draft, findings)
    else:
        sought = await seek(snapshot, draft, findings, build)
    await writer.append(STEP, sought.model_dump(mode="json"))
