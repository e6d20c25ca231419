"""`waypool runs`: the operator's view of all runs.

`waypool runs export|diff|bisect`: a run as a file that replays anywhere, and two runs side by side.
"""

import asyncio
import datetime as dt

import click
from rich.box import SIMPLE
from rich.table import Table

from backend.agent.replies import dump_json
from backend.bootstrap import make_models
from backend.cli.database import with_engine, with_queue
from backend.cli.itinerary_text import print_ledger, print_result
from backend.cli.options import TENANT, cursor_option, export_options, write_exports
from backend.cli.output import Output, json_option, show_progress, write_text
from backend.cli.replay import load_run
from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.document import Page
from backend.replay.bisect import bisect_runs, write_causes
from backend.replay.redaction import redact
from backend.replay.run_diff import diff_runs, write_diff
from backend.runs.life.commands import cancel_run, keep_run, remove_run, retry_run
from backend.runs.life.ledger import LedgerDocument, read_ledger
from backend.runs.life.open_runs import OpenRunItem, list_open_runs, show_open_run
from backend.runs.life.queue import JobQueue
from backend.runs.life.result import RunDocument, show_run
from backend.runs.log.lifecycle import STATUSES
from backend.runs.log.queries import RunItem, list_runs, make_page
from backend.settings import read_settings


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option("--redact", "is_redacted", is_flag=True, help="Tokens for the traveller's words.")
@click.option(
    "--output", "-o", "target", default="-", show_default=True, metavar="FILE", help="'-': stdout."
)
def export(run_id: str, is_redacted: bool, target: str) -> None:
    """Write a run as JSON: snapshot, log, results behind handles, result, hashes; no secrets.

    It replays without a database. RUN may be a file too, to redact it.
    """
    with show_progress("exporting"):
        whole = load_run(run_id)
        bare = asyncio.run(redact(whole)) if is_redacted else whole
    write_text(target, dump_json(bare.document))


@click.command("diff")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@json_option
@click.pass_obj
def diff_command(output: Output, one: str, other: str) -> None:
    """Show what differs between two runs, or exports of runs.

    Request, parameters, pool, calls, plan by day, tokens and cost.
    """
    found = diff_runs(load_run(one), load_run(other))
    output.show(found, lambda: write_diff(found))


@click.command("bisect")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@json_option
@click.pass_obj
def bisect_command(output: Output, one: str, other: str) -> None:
    """Say which recorded input alone makes the plans of two runs differ.

    Code, request, catalogue, each parameter, return limits, the model's replies.
    """
    with show_progress("replaying with one input changed at a time"):
        causes = asyncio.run(bisect_runs(load_run(one), load_run(other)))
    document = {"causes": [cause.as_json() for cause in causes]}
    output.show(document, lambda: write_causes(causes))


@click.group()
def runs() -> None:
    """Runs of all tenants: list, show, cancel, retry, pin, delete."""


tenant_option = click.option("--tenant", type=TENANT, default=None, help="Only this tenant's runs.")


@runs.command("list")
@tenant_option
@click.option("--status", type=click.Choice(STATUSES), default=None, help="Only in this state.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@cursor_option("run")
@json_option
@click.pass_obj
def list_command(
    output: Output, tenant: str | None, status: str | None, limit: int, cursor: str | None
) -> None:
    """List runs, newest first."""

    async def work(engine: Engine) -> Page[RunItem]:
        async with transaction(engine) as session:
            found = await list_runs(session, tenant, limit + 1, before=cursor, status=status)
            return make_page(found, limit)

    page = with_engine(work)
    if output.is_json:
        output.show(page, "")
    else:
        _print_page(output, page)


def _print_page(output: Output, page: Page[RunItem]) -> None:
    if not page.items:
        output.say("no runs yet; 'waypool demo' makes one")
        return
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for column in ("id", "status", "created", "days", "cities"):
        table.add_column(column, no_wrap=column == "id")
    for item in page.items:
        created = dt.datetime.fromisoformat(item.created_at).strftime("%Y-%m-%d %H:%M")
        cities = ", ".join(item.cities)
        table.add_row(item.id, item.status, created, str(item.days or ""), cities)
    output.console.print(table)
    if page.next_cursor:
        output.say(f"more: --cursor {page.next_cursor}")


@runs.command("open")
@tenant_option
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True)
@json_option
@click.pass_obj
def open_command(output: Output, tenant: str | None, limit: int) -> None:
    """List runs that have not ended, those at work before those that wait, the oldest first."""

    async def work(engine: Engine) -> Page[OpenRunItem]:
        now = read_utc()
        async with transaction(engine) as session:
            found = await list_open_runs(session, tenant, limit)
        return Page(items=tuple(show_open_run(run, now) for run in found))

    page = with_engine(work)
    lines = [
        f"{run.id}  {run.status:<8}{run.age_seconds:>10.0f} s  {run.tenant}"
        f"  step {run.steps}: {run.last_step}"
        for run in page.items
    ]
    output.show(page, "\n".join(lines) or "no run is open")


@runs.command()
@click.argument("run_id")
@tenant_option
@click.option("--ledger", "is_ledger", is_flag=True, help="What its model was sent, alone.")
@export_options
@json_option
@click.pass_obj
@click.pass_context
def show(
    context: click.Context, output: Output, run_id: str, tenant: str | None, is_ledger: bool
) -> None:
    """Show a run's result as far as it is, and what its model was sent.

    Its plan can be written as calendar, map or Markdown.
    """
    models = make_models(read_settings())

    async def work(engine: Engine) -> tuple[RunDocument, LedgerDocument]:
        result = await show_run(engine, run_id, tenant)
        await write_exports(context, engine, run_id)
        return result, await read_ledger(engine, run_id, tenant, models)

    result, ledger = with_engine(work)
    if output.is_json:
        output.show(ledger if is_ledger else result, "")
        return
    if not is_ledger:
        print_result(output.console, result.as_json())
    print_ledger(output.console, ledger.as_json())


@runs.command()
@click.argument("run_id")
@tenant_option
@json_option
@click.pass_obj
def cancel(output: Output, run_id: str, tenant: str | None) -> None:
    """Cancel a run: a queued one ends at once, a running one within a second."""

    async def work(engine: Engine) -> RunDocument:
        await cancel_run(engine, run_id, tenant)
        return await show_run(engine, run_id, tenant)

    result = with_engine(work)
    output.show(result, f"{run_id}: {result.status}")


@runs.command()
@click.argument("run_id")
@tenant_option
@json_option
@click.pass_obj
def retry(output: Output, run_id: str, tenant: str | None) -> None:
    """Queue a new run for the request of an ended one; a worker carries it on."""

    async def work(engine: Engine, queue: JobQueue) -> RunDocument:
        has_model = make_models(read_settings()) is not None
        started = await retry_run(engine, queue, run_id, tenant, has_model=has_model)
        return await show_run(engine, started.run_id, None)

    result = with_queue(work)
    output.show(result, f"{result.id}: {result.status}")


@runs.command()
@click.argument("run_id")
@tenant_option
@json_option
@click.pass_obj
def pin(output: Output, run_id: str, tenant: str | None) -> None:
    """Keep a run for good: it is not pruned when RUN_RETENTION_DAYS have passed."""
    _pin(output, run_id, tenant, is_pinned=True)


@runs.command()
@click.argument("run_id")
@tenant_option
@json_option
@click.pass_obj
def unpin(output: Output, run_id: str, tenant: str | None) -> None:
    """Let a pinned run be pruned in its time again."""
    _pin(output, run_id, tenant, is_pinned=False)


def _pin(output: Output, run_id: str, tenant: str | None, *, is_pinned: bool) -> None:
    async def work(engine: Engine) -> None:
        await keep_run(engine, run_id, tenant, is_pinned=is_pinned)

    with_engine(work)
    output.show(
        {"id": run_id, "pinned": is_pinned}, f"{run_id} {'pinned' if is_pinned else 'unpinned'}"
    )


@runs.command()
@click.argument("run_id")
@tenant_option
@json_option
@click.pass_obj
def delete(output: Output, run_id: str, tenant: str | None) -> None:
    """Delete an ended run with its snapshot, log and result."""

    async def work(engine: Engine) -> None:
        await remove_run(engine, run_id, tenant)

    with_engine(work)
    output.show({"id": run_id, "deleted": True}, f"{run_id} deleted")


for command in (export, diff_command, bisect_command):
    runs.add_command(command)
