"""`waypool mock-llm`: a model's service that misbehaves on order, to try one's own set-up with."""

import asyncio
import signal
from pathlib import Path
from typing import Any, get_args

import click

from backend.cli.output import INTERRUPTED, Output, json_option, read_json, warn
from backend.errors import ConfigurationError
from backend.mock_llm.scenario import SCENARIOS, DialectName, Scenario, find_scenario, read_scenario
from backend.mock_llm.server import serve_mock


@click.command("mock-llm")
@click.option("--scenario", "source", default="plain", show_default=True, metavar="NAME|FILE",
              help="One that comes along, or a JSON file.")  # fmt: skip
@click.option("--dialect", type=click.Choice(get_args(DialectName)), default=None,
              help="Take and refuse what this service would.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8090, show_default=True,
              help="Port; 0: a free one.")  # fmt: skip
@click.option("--delay-ms", type=click.FloatRange(0, 3_600_000), default=None,
              help="Wait so long before each answer.")  # fmt: skip
@click.option("--lenient", is_flag=True, help="Note broken rules, but answer all the same.")
@click.option("--list", "is_list", is_flag=True, help="List the scenarios that come along.")
@click.option("--show", "is_shown", is_flag=True, help="Print the scenario as a file.")
@json_option
@click.pass_obj
@click.pass_context
def mock_llm(
    context: click.Context,
    output: Output,
    source: str,
    dialect: str | None,
    host: str,
    port: int,
    delay_ms: float | None,
    lenient: bool,
    is_list: bool,
    is_shown: bool,
) -> None:
    """Serve an OpenAI-compatible model double that follows a scenario.

    Every request is checked as the strictest server would check it: what breaks a rule is a 400
    that names the rule. GET /report says what was seen.
    """
    if is_list:
        _list_scenarios(output)
        return
    changes = {"dialect": dialect, "delay_ms": delay_ms, "is_strict": False if lenient else None}
    given = {name: value for name, value in changes.items() if value is not None}
    scenario = _load(source).model_copy(update=given)
    if is_shown:
        click.echo(scenario.model_dump_json(indent=2, exclude_defaults=True))
        return
    report, ended_by = asyncio.run(_serve(output, scenario, host, port))
    refused = report["requests"] - report["accepted"]
    text = f"{report['requests']} requests, {refused} of them broke a rule"
    output.show(report, text)
    context.exit(INTERRUPTED if ended_by == signal.SIGINT else 0)


def _list_scenarios(output: Output) -> None:
    items = [{"id": scenario.name, "about": scenario.about} for scenario in SCENARIOS]
    lines = (f"{item['id']:<22} {item['about']}" for item in items)
    output.show({"items": items, "next_cursor": None}, "\n".join(lines))


def _load(source: str) -> Scenario:
    if source != "-" and not Path(source).exists() and "." not in source and "/" not in source:
        return find_scenario(source)
    return read_scenario(read_json(source), source)


async def _serve(
    output: Output, scenario: Scenario, host: str, port: int
) -> tuple[dict[str, Any], signal.Signals]:
    heard: asyncio.Queue[signal.Signals] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, heard.put_nowait, number)
    try:
        async with serve_mock(scenario, host, port) as mock:
            if output.is_json:
                warn(f"mock-llm serves {mock.url}")
            output.say(f"mock-llm serves {mock.url} ({scenario.name}); stop with Ctrl+C")
            ended_by = await heard.get()
            return mock.report(), ended_by
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {host}:{port}: {error.strerror}") from None
