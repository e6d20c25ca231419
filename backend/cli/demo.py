"""`waypool demo`: the whole of Waypool on a bare checkout, through its own HTTP interface."""

import asyncio
import datetime as dt
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import click
import httpx
import uvicorn

from backend.access.queries import create_key, make_link, revoke_key
from backend.bootstrap import prepare_database, seed
from backend.catalogue.queries import read_state
from backend.catalogue.seed import tidy_catalogue
from backend.cli.itinerary_text import describe_funnel, print_result
from backend.cli.output import FAILED, Output, json_option
from backend.cli.serve import make_server, open_listener
from backend.clock import read_utc
from backend.db.connect import open_database
from backend.db.session import Engine, make_engine, transaction
from backend.errors import WaypoolError
from backend.settings import Settings, read_settings
from backend.telemetry import set_up_logging

_DAYS_AHEAD = 14
_FRIDAY = 4  # the weekend of the sample: the Palace Museum is closed on Mondays


@click.command()
@click.option("--keep", is_flag=True, help="Leave the server on until Ctrl+C.")
@json_option
@click.pass_obj
@click.pass_context
def demo(context: click.Context, output: Output, keep: bool) -> None:
    """Set everything up, plan three days in 北京 over HTTP, show how it came about.

    Starts and upgrades the database, loads the catalogue, serves the API on a free port, asks
    for an itinerary with a key, shows the events as they come. It may be repeated; runs are kept.
    """
    settings = read_settings(port=0, api_worker=True)
    set_up_logging(settings.log_level)
    with open_database(settings) as url:
        output.say("database: ready")
        prepare_database(url)
        result = asyncio.run(_show_waypool(output, settings, url, keep=keep))
    context.exit(FAILED if result["status"] == "failed" else 0)


@dataclass(frozen=True)
class Key:
    """A key that lasts as long as the demo, and the link that signs a browser in with it."""

    secret: str
    link: str


async def _show_waypool(
    output: Output, settings: Settings, url: str, *, keep: bool
) -> dict[str, Any]:
    engine = make_engine(url, 2)
    try:
        await _seed(output, engine)
        async with transaction(engine) as session:
            scopes = ["user", "admin", "developer"]
            key_id, secret = await create_key(session, "demo", scopes, "waypool demo", read_utc())
            link = await make_link(session, key_id, read_utc())
        try:
            return await _plan_over_http(output, settings, url, Key(secret, link), keep=keep)
        finally:
            async with transaction(engine) as session:
                await revoke_key(session, key_id, read_utc())
    finally:
        await engine.dispose()


async def _seed(output: Output, engine: Engine) -> None:
    async with transaction(engine) as session:
        report = await seed(session)
        version = (await read_state(session)).version
    await tidy_catalogue(engine, report.total)
    total = report.total
    rows = total.added + total.changed + total.unchanged
    output.say(f"catalogue: version {version}, {rows} rows ({total.added} new)")


async def _plan_over_http(
    output: Output, settings: Settings, url: str, key: Key, *, keep: bool
) -> dict[str, Any]:
    listener = open_listener(settings.host, settings.port)
    address = f"http://{settings.host}:{listener.getsockname()[1]}"
    async with _serving(make_server(settings, url, hears_signals=False), listener):
        output.say(f"api: {address}/v1")
        headers = {"Authorization": f"Bearer {key.secret}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            result = await _ask(output, client)
        _show_end(output, result)
        if keep:
            output.say(
                f"\nserving {address}/v1 with the key {key.secret} until Ctrl+C\n"
                "look at it in a browser (the link signs in once, within 15 minutes):\n"
                f"  {address}/console/open/{key.link}?next=/console/runs/{result['id']}"
            )
            await asyncio.Event().wait()  # Ctrl-C ends it
    return result


@asynccontextmanager
async def _serving(server: uvicorn.Server, listener: Any) -> AsyncIterator[None]:
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn has no event
        await asyncio.sleep(0.02)
    try:
        if serving.done():
            raise WaypoolError("the API did not start; see above", code="NOT_STARTED")
        yield
    finally:
        server.should_exit = True
        await asyncio.gather(serving, return_exceptions=True)


def sample_request(today: dt.date) -> dict[str, Any]:
    """Three days in 北京 from 上海, from the first Friday at least two weeks ahead."""
    start = today + dt.timedelta(_DAYS_AHEAD)
    start += dt.timedelta((_FRIDAY - start.weekday()) % 7)
    return {
        "origin": "上海",
        "destinations": [{"city": "北京"}],
        "start_date": start.isoformat(),
        "days": 3,
        "travellers": 2,
        "budget_tier": "comfort",
        "interests": ["history", "food"],
        "must_see": ["故宫博物院", "天坛公园"],
    }


async def _ask(output: Output, client: httpx.AsyncClient) -> dict[str, Any]:
    request = sample_request(read_utc().date())
    output.say(f"request: {json.dumps(request, ensure_ascii=False)}")
    run = _read(await client.post("/v1/itineraries", json=request))
    output.say(f"run: {run['id']}")
    async with client.stream("GET", f"/v1/itineraries/{run['id']}/events") as events:
        async for line in events.aiter_lines():
            if line.startswith("data: "):
                output.say(describe_event(json.loads(line.removeprefix("data: "))))
    return _read(await client.get(f"/v1/itineraries/{run['id']}"))


def _read(response: httpx.Response) -> dict[str, Any]:
    document: dict[str, Any] = response.json()
    if response.is_error:
        faults = "; ".join(f"{e['pointer']}: {e['message']}" for e in document.get("errors", ()))
        raise WaypoolError(faults or document["detail"], code=document["code"])
    return document


def describe_event(event: dict[str, Any]) -> str:
    """An event as one line, a pool with its funnel below."""
    kind = event["type"]
    if kind == "pool_built":
        lines = "\n".join(f"    {line}" for line in describe_funnel(event["funnel"]))
        return f"  pool built, sha256 {event['sha256'][:12]}…\n{lines}"
    if kind == "tool_called":
        arguments = json.dumps(event["arguments"], ensure_ascii=False)
        return (
            f"  {event['number']:>3} {event['tool']} {_cut(arguments, 70)}{_describe_answer(event)}"
        )
    if kind == "run_finished":
        return f"  run finished: {event['status']}"
    if kind == "planner_chosen":
        return f"  planner: {event['planner']}"
    return f"  {kind.replace('_', ' ')}" if kind != "model_replied" else f"  turn {event['turn']}"


def _describe_answer(event: dict[str, Any]) -> str:
    if "error" in event:
        return f" → {event['error']['code']}"
    if "total" in event:
        more = f", {_cut(event['hint'], 60)}" if event["hasMore"] else ""
        return f" → {event['returned']} of {event['total']}{more}"
    return ""


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _show_end(output: Output, result: dict[str, Any]) -> None:
    if output.is_json:
        output.show(result, "")
        return
    output.say("")
    print_result(output.console, result)
    run_id = result["id"]
    output.say(
        "\nWhere to look next:\n"
        f"  waypool runs show {run_id}          the same again; runs are kept\n"
        "  waypool serve                          the API on port 8080; schema at /openapi.json\n"
        "  waypool keys create                    a key for it\n"
        "  waypool tools set list_pois --limit 5  a return limit, from the next call on\n"
        "  waypool --help                         everything else"
    )
