"""The README's commands exist with their options, and its tables say what the code says."""

import re
import shlex
from pathlib import Path

import click
import pytest

from backend.cli import waypool
from backend.params.registry import PARAMS
from backend.planner.check.validator import CONSTRAINTS
from backend.settings import Settings, name_variable
from backend.tools.registry import TOOLS

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.S)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("waypool ")]


def find_command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words lead to, and the words that are left."""
    command: click.Command = waypool
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        child = command.get_command(click.Context(command), words[0])
        assert child is not None, words
        command, words = child, words[1:]
    return command, words


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_readme_parses(line: str) -> None:
    command, words = find_command(shlex.split(line)[1:])
    assert not isinstance(command, click.Group), line
    command.make_context("waypool", words, resilient_parsing=False)


def test_the_readme_has_commands() -> None:
    assert len(COMMANDS) >= 15


def test_the_table_of_parameters_is_the_registrys() -> None:
    rows = [
        f"| `{p.key}` | {p.default} | {p.minimum} | {p.maximum} | {p.description} |"
        if p.type != "boolean"
        else f"| `{p.key}` | {p.default} | | | {p.description} |"
        for p in PARAMS
    ]
    assert read_table("params") == rows


def test_the_table_of_tools_is_the_registrys() -> None:
    rows = [f"| `{tool.name}` | {' '.join(tool.description.split())} |" for tool in TOOLS]
    assert read_table("tools") == rows


def test_the_table_of_constraints_is_the_validators() -> None:
    rows = [f"| `{c.code}` | {c.severity} | {c.describe('en')} |" for c in CONSTRAINTS]
    assert read_table("constraints") == rows


def read_table(name: str) -> list[str]:
    """The rows between the two marks, without the head."""
    part = README.split(f"<!-- {name}: begin -->")[1].split(f"<!-- {name}: end -->")[0]
    return part.strip().splitlines()[2:]


def test_settings_named_in_the_readme_exist() -> None:
    known = {name_variable(name) for name in Settings.model_fields}
    named = set(re.findall(r"`((?:WAYPOOL|OPENAI)_[A-Z_]+)`", README))
    assert named <= known
