"""Runs command lines as a user does, in this process, on a database of the test's own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from backend.cli import run


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)


Waypool = Callable[..., Finished]


@pytest.fixture
def waypool(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Waypool:
    """`waypool("db", "status")` with the test's database."""
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", database_url)

    def call(*arguments: object) -> Finished:
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Finished(status, captured.out, captured.err)

    return call
