"""Processes of an installation under test: workers, API, the model's double; what each has used."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, cast

import psutil

from backend.bench.runs.script import Script
from backend.errors import WaypoolError

HEARTBEAT_SECONDS = 1
STALLED_SECONDS = 60
"""Where nobody is killed nobody is taken for dead, however busy the machine."""

MOST_SAID = 2_000
"""Bytes of an ended process's last words that are told on."""


class ProcessEndedError(WaypoolError):
    """A process that a scenario needs ended by itself, and what it said last."""

    code = "BENCH_PROCESS_ENDED"


@dataclass
class Fleet:
    """All processes that were started, by name, and the processor's seconds of those that ended."""

    environment: Mapping[str, str]
    alive: dict[str, list[subprocess.Popen[str]]] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)
    errors: IO[bytes] = field(default_factory=lambda: tempfile.TemporaryFile("a+b"))  # noqa: SIM115
    """What all of them said on their standard error."""

    def start_worker(self, concurrency: int) -> subprocess.Popen[str]:
        """`waypool worker`; it is at work before long."""
        return self._start("workers", "worker", "--concurrency", str(concurrency))

    def start_api(self) -> str:
        """`waypool serve` without a worker; its address."""
        process = self._start("api", "serve", "--no-worker", "--port", "0")
        return self._read_line(process).split()[2].removesuffix("/v1")

    def start_double(self, script: Script, delay: float) -> str:
        """The model's double; its address."""
        process = self._launch("double", [sys.executable, "-m", "backend.bench.runs.script"])
        assert process.stdin is not None
        process.stdin.write(json.dumps({"script": script, "delay": delay}) + "\n")
        process.stdin.flush()
        return self._read_line(process).strip()

    def check(self) -> None:
        """That none has ended that nobody ended.

        Raises:
            ProcessEndedError: One has, or could not even begin.
        """
        for processes in self.alive.values():
            for process in processes:
                if process.poll() is not None:
                    raise self._describe_end(process)

    def kill_worker(self) -> None:
        """End the oldest worker as a power cut would."""
        process = self.alive["workers"].pop(0)
        self._note("workers", process.pid)
        process.send_signal(signal.SIGKILL)
        _reap(process)

    def measure(self) -> dict[str, float]:
        """Processor's seconds by name, so far."""
        sums = dict(self.spent)
        for name, processes in self.alive.items():
            for process in processes:
                sums[name] = sums.get(name, 0.0) + _read_seconds(process.pid)
        return sums

    def stop(self) -> None:
        """End all that is left."""
        left = [process for processes in self.alive.values() for process in processes]
        for process in left:
            process.kill()
        for process in left:
            _reap(process)
        self.errors.close()

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[str]:
        return self._launch(name, [sys.executable, "-m", "backend.cli", *arguments])

    def _launch(self, name: str, command: list[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command,
            env={**os.environ, **self.environment},  # noqa: TID251 - a child's environment
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        self.alive.setdefault(name, []).append(process)
        return process

    def _read_line(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            process.wait()
            raise self._describe_end(process)
        return line

    def _describe_end(self, process: subprocess.Popen[str]) -> ProcessEndedError:
        self.errors.seek(0)
        said = self.errors.read()[-MOST_SAID:].decode(errors="replace").strip()
        command = " ".join(map(str, cast("list[str]", process.args)[1:]))
        return ProcessEndedError(
            f"'{command}' ended by itself with status {process.returncode}: {said or 'no word'}"
        )

    def _note(self, name: str, pid: int) -> None:
        self.spent[name] = self.spent.get(name, 0.0) + _read_seconds(pid)


def read_counts(address: str) -> dict[str, int]:
    """What the double at this address has counted."""
    with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310 - our own address
        counts: dict[str, int] = json.load(answer)
    return counts


def measure_tree(pid: int) -> float:
    """Processor's seconds of a process and of those that it has started and reaped."""
    total = 0.0
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            total += _read_seconds(process.pid)
        times = root.cpu_times()
        total += times.children_user + times.children_system
    return total


def _read_seconds(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _reap(process: subprocess.Popen[Any]) -> None:
    process.wait()
    streams: tuple[IO[Any] | None, ...] = (process.stdin, process.stdout)
    for stream in streams:
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
