"""The command line as a whole: help for all, exit statuses, secrets masked."""

import click
import pytest

from backend.cli import COMMANDS, run
from backend.cli import waypool as root
from tests.cli.conftest import Waypool


def list_commands(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        return [path]
    context = click.Context(command)
    found = [path]
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None
        found += list_commands(child, (*path, name))
    return found


@pytest.mark.sql
def test_every_command_has_help(waypool: Waypool) -> None:
    for path in list_commands(root):
        finished = waypool(*path, "--help")
        assert finished.status == 0, path
        assert finished.out.startswith("Usage: waypool"), path


def test_the_table_names_every_command_once() -> None:
    names = [name for name, _ in COMMANDS]
    assert len(names) == len(set(names))


@pytest.mark.sql
def test_an_unusable_command_line_is_status_2(waypool: Waypool) -> None:
    for line in (["nothing"], ["db", "nothing"], ["db", "seed", "--synthetic", "x"]):
        finished = waypool(*line)
        assert finished.status == 2
        assert "Usage:" in finished.err


@pytest.mark.sql
def test_config_masks_secrets(waypool: Waypool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    finished = waypool("config", "--json")
    assert finished.status == 0
    assert "sk-very-secret" not in finished.out
    by_name = {row["variable"]: row for row in finished.json["items"]}
    assert by_name["OPENAI_API_KEY"]["value"] == "********"
    assert by_name["WAYPOOL_DATABASE_URL"]["value"] == "********"


def test_a_database_that_does_not_answer_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    assert run(["db", "status"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("waypool: the database does not answer")
    assert captured.err.count("\n") == 1
