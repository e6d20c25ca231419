"""What the run logs of a scenario say: how runs ended, and that no turn was answered twice."""

from dataclasses import dataclass

from backend.bench.runs.script import TURNS
from backend.bench.runs.site import Site

_QUERY = """
select r.id, r.status, r.result ->> 'planner_used',
  count(*) filter (where l.kind = 'model_replied'),
  count(distinct l.payload ->> 'turn') filter (where l.kind = 'model_replied'),
  count(*) = max(l.seq),
  count(*) filter (where l.kind = 'run_resumed'),
  count(*) filter (where l.kind = 'run_finished')
from agent_run r join run_log l on l.run_id = r.id group by r.id
"""


@dataclass(frozen=True)
class Findings:
    """Numbers of runs, and of replies in all logs."""

    runs: int
    ended_well: int
    exact: int
    replies: int
    resumes: int


async def read_findings(site: Site) -> Findings:
    """`exact` counts the runs with each turn once, an end, and no gap between their steps."""
    rows = await site.ask(_QUERY)
    good = [row for row in rows if row[1] == "succeeded" and row[2] == "openai"]
    exact = [row for row in rows if row[3] == row[4] == TURNS and row[5] and row[7] == 1]
    return Findings(
        runs=len(rows),
        ended_well=len(good),
        exact=len(exact),
        replies=sum(row[3] for row in rows),
        resumes=sum(row[6] for row in rows),
    )
