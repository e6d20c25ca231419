"""The command line as a whole: help for all, exit statuses, secrets masked."""

import json
import os
import re
import shlex
import subprocess
import sys

import click
import pytest

from backend.cli import COMMANDS, LazyGroup, run
from backend.cli import waypool as root
from backend.cli.examples import EXAMPLES
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
        assert finished.err.startswith("waypool: ")
        assert "--help'" in finished.err
        assert finished.err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["runs", "list", "--limit", "0"], "USAGE"),
        (["nothing"], "USAGE"),
        (["pool", "preview"], "USAGE"),
        (["pool", "preview", "--request", "-", "--param", "POOL_POI_SIZE=0"], "OUT_OF_BOUNDS"),
        (["pool", "preview", "--request", "-", "--param", f"POOL_POI_SIZE={'9' * 5000}"],
         "OUT_OF_BOUNDS"),
        (["params", "set", "POOL_POI_SIZE", "9" * 5000], "OUT_OF_BOUNDS"),
        (["params", "set", "HOTEL_STARS_COMFORT", "9" * 5000], "OUT_OF_BOUNDS"),
        (["runs", "show", "run_\udcff"], "USAGE"),
        (["keys", "create", "--label", "\ud800"], "USAGE"),
        (["keys", "create", "--tenant", ""], "USAGE"),
        (["keys", "create", "--tenant", "x" * 101], "USAGE"),
        (["plan", "--request", "-", "--tenant", "a b"], "USAGE"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_told_in_json_too(
    line: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*line, "--json"]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"]["code"] == code
    assert captured.err.startswith("waypool: ")
    assert captured.err.count("\n") == 1
    assert len(captured.err) < 400


def test_an_error_of_our_own_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down() -> None:
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr("backend.cli.config.read_settings", break_down)
    assert run(["config", "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"]["code"] == "INTERNAL"
    assert "ZeroDivisionError: first line" in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("line", [["serve"], ["worker"]])
def test_a_model_that_cannot_be_meant_is_one_line_before_anything_starts(
    line: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", "postgresql://127.0.0.1:1/nowhere")
    monkeypatch.setenv("WAYPOOL_DATABASE_WAIT_SECONDS", "0")
    monkeypatch.setenv("WAYPOOL_MODEL", "a b")
    assert run(line) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("waypool: WAYPOOL_MODEL: must be a name without spaces")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("line", [["config"], ["config", "--json"], ["nothing", "--json"]])
def test_an_output_that_cannot_be_written_is_one_line(line: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "backend.cli", *line]
        finished = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert finished.returncode in (1, 120)  # 120: Python's own, where the last flush fails
    assert "Traceback" not in finished.stderr
    assert "No space left" in finished.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            ["replay", "run_x", "--param", "POOL_POI_SIZE=20", "--param", "POOL_POI_SIZE=30"],
            "twice",
        ),
        (["replay", "run_x", "--limit", "list_pois=2", "--limit", "list_pois=3"], "twice"),
        (["sweep", "--param", "POOL_POI_SIZE=20", "--param", "POOL_POI_SIZE=40"], "by commas"),
        (["replay", "run_x", "--planner", "builtin", "--model", "m"], "asks no model"),
    ],
)
def test_nothing_that_was_given_is_dropped_in_silence(
    line: list[str], words: str, waypool: Waypool
) -> None:
    refused = waypool(*line)
    assert refused.status == 2
    assert words in refused.err


def test_a_home_whose_name_is_no_utf_8_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WAYPOOL_HOME", "/nowhere/\udcff")
    assert run(["config", "--json"]) == 0
    assert "/nowhere/\\udcff" in capsys.readouterr().out


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


HEAVY = ("openai", "alembic", "pyvrp", "numpy", "sqlalchemy", "fastapi", "procrastinate")


def list_loaded(*line: str) -> set[str]:
    """Heavy packages that a command line loads, in a process of its own."""
    program = (
        "import sys; from backend.cli import run; run(sys.argv[1:]);"
        f" print('loaded', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, *line]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(finished.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("line", [["--help"], ["--version"], ["config", "--json"], ["nothing"]])
def test_what_needs_little_loads_little(line: list[str]) -> None:
    assert list_loaded(*line) == set()


@pytest.mark.parametrize("line", [["keys", "--help"], ["plan", "--help"]])
def test_the_models_sdk_is_loaded_only_for_a_model(line: list[str]) -> None:
    assert not {"openai", "pyvrp", "fastapi"} & list_loaded(*line)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_the_list_of_commands_says_what_each_says_itself(width: int) -> None:
    assert isinstance(root, LazyGroup)
    context = click.Context(root)
    shown, usual = click.HelpFormatter(width=width), click.HelpFormatter(width=width)
    root.format_commands(context, shown)
    click.Group.format_commands(root, context, usual)  # imports them all
    lines = [line for line in usual.getvalue().splitlines() if line.startswith("  ")]
    assert [line for line in shown.getvalue().splitlines() if line.startswith("  ")] == lines


@pytest.mark.parametrize(
    ("line", "near"),
    [
        (["swep"], "'sweep'"),
        (["rns", "list"], "'runs'"),
        (["runs", "shwo"], "'show'"),
        (["config", "--jsn"], "'--json'"),
        (["--versoin"], "'--version'"),
        (["db", "upgrade", "--pln"], "'--plan'"),
    ],
)
def test_what_is_mistyped_is_answered_with_what_is_near(
    line: list[str], near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line) == 2
    said = capsys.readouterr().err
    assert "Did you mean" in said
    assert near in said
    assert said.count("\n") == 1


def test_every_example_of_the_help_parses() -> None:
    known = {" ".join(path) for path in list_commands(root)}
    for path, lines in EXAMPLES.items():
        assert path in known, path
        for line in lines:
            words = shlex.split(re.sub(r" >>? \S+$", "", line))
            assert words[: len(path.split()) + 1] == ["waypool", *path.split()]
            command, left = find_command(words[1:])
            command.make_context("waypool", left)
            assert f"  {line}\n" in f"{run_help(path)}\n", path


def find_command(words: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = root
    while isinstance(command, click.Group):
        child = command.get_command(click.Context(command), words[0])
        assert child is not None, words
        command, words = child, words[1:]
    return command, words


def run_help(path: str) -> str:
    command, _ = find_command(path.split())
    return command.get_help(click.Context(command, terminal_width=200))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_commands(
    shell: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["completion", shell]) == 0
    script = capsys.readouterr().out
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    assert run(["completion"]) == 0
    assert capsys.readouterr().out == script
    assert "_WAYPOOL_COMPLETE" in script


def test_a_completion_for_an_unknown_shell_says_which_there_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert run(["completion"]) == 1
    assert "bash, zsh, fish" in capsys.readouterr().err


def test_the_tab_key_gets_names_of_commands_and_options() -> None:
    for line, wanted in (("waypool swe", "sweep"), ("waypool db upgrade --pl", "--plan")):
        words = {"_WAYPOOL_COMPLETE": "bash_complete", "COMP_WORDS": line}
        command = [sys.executable, "-m", "backend.cli"]
        environment = {**os.environ, **words, "COMP_CWORD": str(len(line.split()) - 1)}  # noqa: TID251
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.split() == [f"plain,{wanted}"], done.stderr
