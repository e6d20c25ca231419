"""`waypool serve` and `waypool worker`: the processes of an installation."""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
import uvicorn

from backend.app import create_app
from backend.bootstrap import make_models, open_services
from backend.cli.database import await_ready
from backend.cli.output import Output, warn
from backend.db.connect import open_database
from backend.db.ending import TERMINATED
from backend.errors import ConfigurationError
from backend.settings import Settings, read_settings
from backend.telemetry import send_traces, set_up_logging

if sys.platform != "win32":
    import uvloop


@click.command()
@click.option("--host", default=None, help="Address to listen on.  [default: WAYPOOL_HOST]")
@click.option("--port", type=click.IntRange(0, 65535), default=None,
              help="Port; 0: a free one.  [default: WAYPOOL_PORT]")  # fmt: skip
@click.option("--worker/--no-worker", default=None,
              help="Also work on runs in this process.  [default: WAYPOOL_API_WORKER]")  # fmt: skip
@click.pass_obj
def serve(output: Output, host: str | None, port: int | None, worker: bool | None) -> None:
    """Serve the API; without a database of yours, on Waypool's own."""
    given = {"host": host, "port": port, "api_worker": worker}
    settings = read_settings(**{name: v for name, v in given.items() if v is not None})
    _prepare(settings)
    with (
        _stopping_well(),
        open_listener(settings.host, settings.port) as listener,
        open_database(settings) as url,
    ):
        await_ready(settings, url)
        address = f"http://{settings.host}:{listener.getsockname()[1]}"
        output.say(
            f"waypool serves {address}/v1 (schema: {address}/openapi.json,"
            f" pages: {address}/console); stop with Ctrl+C"
        )
        make_server(settings, url).run(sockets=[listener])


@contextmanager
def _stopping_well() -> Iterator[None]:
    """A server that is told to stop (SIGTERM) has done its work: status 0."""
    try:
        yield
    except SystemExit as end:
        if end.code != TERMINATED:
            raise


def _prepare(settings: Settings) -> None:
    """What is wrong with the configured models is said before anything starts."""
    make_models(settings)
    set_up_logging(settings.log_level, settings.log_format)
    if settings.traces_endpoint:
        send_traces(settings.traces_endpoint)


class _Server(uvicorn.Server):
    """Lets go what would otherwise be waited for: an event stream lasts as long as its run."""

    def __init__(
        self, config: uvicorn.Config, begin_to_stop: Callable[[], None], *, hears_signals: bool
    ) -> None:
        super().__init__(config)
        self._begin_to_stop = begin_to_stop
        self._hears_signals = hears_signals

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take Ctrl-C and SIGTERM, unless they are another's to hear."""
        if not self._hears_signals:
            yield
            return
        with super().capture_signals():
            yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._begin_to_stop()
        await super().shutdown(sockets)


def make_server(settings: Settings, url: str, *, hears_signals: bool = True) -> uvicorn.Server:
    """A server of the application; `run(sockets=[…])` or `serve(…)` starts it.

    One that hears no signals runs beside other work, which ends it.
    """
    app = create_app(settings, url)
    config = uvicorn.Config(
        app,
        log_level=settings.log_level,
        timeout_graceful_shutdown=5,
        server_header=False,
    )

    # The services are there only once the application has started.
    def begin_to_stop() -> None:
        app.state.services.begin_to_stop()

    return _Server(config, begin_to_stop, hears_signals=hears_signals)


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket; a `ConfigurationError` where the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {host}:{port}: {error.strerror}") from None


@click.command()
@click.option("--concurrency", type=click.IntRange(1, 100), default=None,
              help="Runs at a time.  [default: WAYPOOL_WORKER_CONCURRENCY]")  # fmt: skip
def worker(concurrency: int | None) -> None:
    """Work on runs; as many of these as wanted, on as many machines."""
    settings = read_settings(**({"worker_concurrency": concurrency} if concurrency else {}))
    _prepare(settings)
    with _stopping_well(), open_database(settings) as url:
        await_ready(settings, url)
        warn(f"worker with {settings.worker_concurrency} runs at a time; stop with Ctrl+C")
        with asyncio.Runner(loop_factory=_make_loop()) as runner:
            runner.run(_work(settings, url))


def _make_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The quicker loop, which the server takes by itself; there is none for Windows."""
    if sys.platform == "win32":
        return None
    return uvloop.new_event_loop


async def _work(settings: Settings, url: str) -> None:
    async with open_services(settings, url) as services:
        work = asyncio.create_task(services.work())
        heard: list[signal.Signals] = []

        def stop(number: signal.Signals) -> None:
            heard.append(number)
            work.cancel()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop, number)
        await asyncio.gather(work, return_exceptions=True)
    if signal.SIGINT in heard:
        raise KeyboardInterrupt
