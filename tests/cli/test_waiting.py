"""A server or worker that starts before its database waits for it, and says so; not for ever."""

import pytest

from backend.cli import run
from backend.cli.database import wait_for
from backend.errors import ConfigurationError, UnavailableError


def test_a_database_that_comes_up_is_waited_for() -> None:
    told: list[str] = []
    slept: list[float] = []
    failures = [UnavailableError("down"), UnavailableError("starting")]

    def attempt() -> None:
        if failures:
            raise failures.pop(0)

    wait_for(attempt, 60, told.append, slept.append)
    assert told == ["down; waiting up to 60 s for it"]
    assert slept == [1.0, 1.0]


def test_what_waiting_cannot_mend_is_an_error_at_once() -> None:
    def attempt() -> None:
        raise ConfigurationError("another version")

    with pytest.raises(ConfigurationError):
        wait_for(attempt, 60, pytest.fail, lambda _: pytest.fail("slept"))


@pytest.mark.parametrize("line", [["worker"], ["serve", "--port", "0"]])
@pytest.mark.parametrize("seconds", ["0", "0.2"])
def test_the_wait_ends_with_one_clear_error(
    line: list[str],
    seconds: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("WAYPOOL_DATABASE_WAIT_SECONDS", seconds)
    assert run(line) == 1
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("waypool: the database does not answer: ") for line in lines)
    ends = ["waiting up to 0.2 s for it", "(waited 0.2 s)"] if seconds != "0" else [""]
    assert [line.endswith(end) for line, end in zip(lines, ends, strict=True)] == [True] * len(ends)
