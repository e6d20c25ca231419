"""Writes the guide's tables that the code gives: `python -m tests.guide.tables`.

Each stands in a topic between `<!-- name: begin -->` and `<!-- name: end -->`, in both languages.
Developers' texts are English in the code; their Chinese is in `chinese.json` beside this file.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import click

from backend.cli import waypool
from backend.console.texts import TEXTS
from backend.guide.library import HERE, LANGUAGES, Language
from backend.params.registry import PARAMS
from backend.planner.check.validator import CONSTRAINTS
from backend.runs.log.events import EVENT
from backend.settings import Settings, name_variable
from backend.tools.registry import TOOLS

OPENAPI = Path(__file__).parents[1] / "contract" / "openapi.json"
SCOPES = {"itineraries": "user", "health": "–"}

Row = tuple[str, ...]


@cache
def read_chinese() -> dict[str, str]:
    """The Chinese of what the code says in English alone, by key."""
    loaded: dict[str, str] = json.loads(Path(__file__).with_name("chinese.json").read_text("utf-8"))
    return loaded


def choose(language: Language, key: str, english: str) -> str:
    """The text in the language; English where nobody has written Chinese yet (a test says so)."""
    return read_chinese().get(key, english) if language == "zh" else english


def list_params(language: Language) -> Iterator[Row]:
    yield ("参数", "默认值", "下限", "上限", "含义") if language == "zh" else (
        "parameter", "default", "from", "to", "what it is",
    )  # fmt: skip
    for param in PARAMS:
        about = TEXTS[f"about.{param.key}"][0 if language == "zh" else 1]
        bounds = ("", "") if param.type == "boolean" else (f"{param.minimum}", f"{param.maximum}")
        yield (f"`{param.key}`", f"{param.default}", *bounds, about)


def list_tools(language: Language) -> Iterator[Row]:
    yield ("工具", "作用") if language == "zh" else ("tool", "what the model is told")
    for tool in TOOLS:
        chinese = TEXTS[f"about.{tool.name}"][0]
        told = " ".join(tool.description.split())
        yield (f"`{tool.name}`", chinese if language == "zh" else told)


def list_constraints(language: Language) -> Iterator[Row]:
    yield ("代码", "通常", "说明") if language == "zh" else ("code", "usually", "what is said")
    levels = {"error": "错误", "warning": "提醒"} if language == "zh" else {}
    for row in CONSTRAINTS:
        text = row.describe("zh-CN" if language == "zh" else "en")
        yield (f"`{row.code}`", levels.get(row.severity, row.severity), text)


def list_settings(language: Language) -> Iterator[Row]:
    yield (
        ("环境变量", "默认值", "含义")
        if language == "zh"
        else ("variable", "default", "what it is")
    )
    for name, field in Settings.model_fields.items():
        variable = name_variable(name)
        default = "`~/.waypool`" if name == "home" else _show_default(field.default)
        about = choose(language, variable, field.description or "")
        yield (f"`{variable}`", default, about)


def _show_default(value: object) -> str:
    if value is None or value == "":
        return ""
    return f"`{str(value).replace(',', ', ')}`"


def list_events(language: Language) -> Iterator[Row]:
    yield ("事件", "含义", "字段") if language == "zh" else ("event", "what it says", "fields")
    schema = EVENT.json_schema()
    for name, reference in schema["discriminator"]["mapping"].items():
        document = schema["$defs"][reference.rpartition("/")[2]]
        about = choose(language, f"event {name}", " ".join(document["description"].split()))
        own = [key for key in document["properties"] if key not in ("seq", "at", "type")]
        yield (f"`{name}`", about, ", ".join(f"`{key}`" for key in own))


def list_calls(language: Language) -> Iterator[Row]:
    yield ("请求", "权限", "作用", "状态码") if language == "zh" else (
        "call", "scope", "what it does", "answers",
    )  # fmt: skip
    paths = json.loads(OPENAPI.read_text(encoding="utf-8"))["paths"]
    rows = []
    for path, operations in paths.items():
        for method, operation in operations.items():
            call = f"{method.upper()} {path}"
            english = (
                f"{operation['summary'].rstrip('?')}. {' '.join(operation['description'].split())}"
            )
            tag = operation["tags"][0]
            about = choose(language, call, english)
            rows.append(
                (
                    tag,
                    path,
                    (f"`{call}`", SCOPES.get(tag, tag), about, ", ".join(operation["responses"])),
                )
            )
    order = ("itineraries", "developer", "admin", "health")
    yield from (row for _, _, row in sorted(rows, key=lambda r: (order.index(r[0]), r[1], r[2])))


def list_commands(language: Language) -> Iterator[Row]:
    yield ("命令", "作用", "选项") if language == "zh" else ("command", "what it does", "options")
    for name, command in walk(waypool, "waypool"):
        first = (command.help or "").split("\n\n")[0]
        about = choose(language, name, " ".join(first.split()))
        arguments = "".join(
            f" {_name_argument(p)}" for p in command.params if isinstance(p, click.Argument)
        )
        options = (
            max(p.opts, key=len)
            for p in command.params
            if isinstance(p, click.Option) and not p.hidden and p.name != "help"
        )
        yield (f"`{name}{arguments}`", about, ", ".join(f"`{option}`" for option in options))


def _name_argument(argument: click.Argument) -> str:
    name = argument.make_metavar(click.Context(click.Command("x")))
    return name.replace("|", "/")


def walk(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """All commands that do something, with their whole names."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for child in command.list_commands(context):
        found = command.get_command(context, child)
        assert found is not None
        yield from walk(found, f"{name} {child}")


TABLES: dict[str, tuple[str, Callable[[Language], Iterator[Row]]]] = {
    "params": ("parameters", list_params),
    "tools": ("tools", list_tools),
    "constraints": ("constraints", list_constraints),
    "settings": ("settings", list_settings),
    "events": ("events", list_events),
    "calls": ("http-api", list_calls),
    "commands": ("command-line", list_commands),
}
"""By mark: the topic that holds the table, and what gives its rows, the head first."""


def write_table(name: str, language: Language) -> str:
    """The table as Markdown."""
    head, *rows = TABLES[name][1](language)
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(
        "| " + " | ".join(c.replace("|", "\\|") for c in line) + " |\n" for line in lines
    )


def split_topic(name: str, language: Language) -> tuple[Path, str, str, str]:
    """The file, and its text before, between and after the marks."""
    path = HERE / language / f"{TABLES[name][0]}.md"
    before, rest = path.read_text(encoding="utf-8").split(f"<!-- {name}: begin -->\n")
    table, after = rest.split(f"<!-- {name}: end -->")
    return path, before, table, after


def main() -> None:
    """Write all tables anew."""
    for name in TABLES:
        for language in LANGUAGES:
            path, before, _, after = split_topic(name, language)
            table = f"<!-- {name}: begin -->\n{write_table(name, language)}<!-- {name}: end -->"
            path.write_text(f"{before}{table}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
