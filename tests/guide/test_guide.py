"""The guide and the README say what is true: commands, calls, paths, names, tables and links."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from backend.cli import waypool
from backend.errors import NotFoundError
from backend.guide.library import (
    GROUPS,
    HERE,
    LANGUAGES,
    TOPICS,
    Language,
    list_sections,
    read_lead,
    read_topic,
    render_html,
    search,
)
from backend.params.registry import PARAMS
from backend.planner.check.validator import CONSTRAINTS
from backend.settings import Settings, name_variable
from tests.guide.tables import OPENAPI, TABLES, read_chinese, split_topic, write_table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {"README": README} | {
    f"{language}/{topic}": read_topic(topic, language) for language in LANGUAGES for topic in TOPICS
}
PROGRAMS = {
    ".venv/bin/python", "CMAKE_ARGS=-DGGML_NATIVE=OFF", "curl", "docker-compose", "export",
    "pg_dump", "pg_restore", "python", "python3", "systemctl", "waypool",
}  # fmt: skip
CALLS = {
    re.sub(r"\{[^}]+\}", "{}", path): {method.upper() for method in methods}
    for path, methods in json.loads(OPENAPI.read_text(encoding="utf-8"))["paths"].items()
}


def list_blocks(kind: str) -> Iterator[tuple[str, str]]:
    for name, text in PAGES.items():
        for block in re.findall(rf"```{kind}\n(.*?)```", text, re.S):
            yield name, block


def list_lines() -> list[tuple[str, str]]:
    """Each shell command of all pages once; a quoted text may go over several lines."""
    found: dict[str, str] = {}
    for name, block in list_blocks("sh"):
        pending = ""
        for line in block.splitlines():
            pending = f"{pending}\n{line}" if pending else line
            try:
                shlex.split(pending)
            except ValueError:  # a quotation goes on
                continue
            found.setdefault(pending, name)
            pending = ""
        assert not pending, name
    return [(name, line) for line, name in found.items()]


LINES = list_lines()
COMMANDS = [line for _, line in LINES if line.startswith("waypool ")]


def find_command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words lead to, and the words that are left."""
    command: click.Command = waypool
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        child = command.get_command(click.Context(command), words[0])
        assert child is not None, words
        command, words = child, words[1:]
    return command, words


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_parses(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "DIR").mkdir()
    (tmp_path / "FILE").touch()
    command, words = find_command(shlex.split(line)[1:])
    assert not isinstance(command, click.Group), line
    command.make_context("waypool", words, resilient_parsing=False)


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 50


@pytest.mark.parametrize(("page", "line"), LINES)
def test_every_line_begins_with_a_program_that_is_meant(page: str, line: str) -> None:
    assert shlex.split(line)[0] in PROGRAMS, page


def test_every_curl_goes_to_a_call_that_exists() -> None:
    curls = [line for _, line in LINES if line.startswith("curl")]
    assert len(curls) >= 4
    for line in curls:
        words = shlex.split(line)
        path = next(w for w in words if w.startswith("http://")).removeprefix(
            "http://127.0.0.1:8080"
        )
        method = (
            words[words.index("-X") + 1] if "-X" in words else "POST" if "-d" in words else "GET"
        )
        assert method in CALLS[find_call(path)], line


def find_call(path: str) -> str:
    """The call of an address in which parts are filled in, or written as `{id}` or `$RUN`."""
    plain = path.partition("?")[0].rstrip("/")
    for call in CALLS:
        pattern = "/".join("[^/]+" if p == "{}" else re.escape(p) for p in call.split("/"))
        if re.fullmatch(pattern, plain):
            return call
    raise AssertionError(f"no call {path}")


def list_code() -> Iterator[tuple[str, str]]:
    """All short code of running text."""
    for name, text in PAGES.items():
        for code in re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S)):
            yield name, code


def test_calls_that_texts_name_exist() -> None:
    named = 0
    for page, code in list_code():
        match = re.fullmatch(r"(GET|POST|PATCH|DELETE) (/\S+)", code)
        if match and match[2] != "/report":  # the model double's own
            assert match[1] in CALLS[find_call(match[2])], (page, code)
            named += 1
    assert named > 50


def test_commands_that_texts_name_exist() -> None:
    for page, code in list_code():
        if code.startswith("waypool ") and code != "waypool COMMAND --help" and ":" not in code:
            words = [w for w in code.split()[1:] if re.fullmatch(r"[a-z][a-z-]*", w)]
            command, _ = find_command(words)
            for option in re.findall(r"--[a-z][a-z-]*", code):
                known = {name for param in command.params for name in param.opts}
                assert option in known, (page, code)


def test_paths_that_texts_name_exist() -> None:
    for page, code in list_code():
        if re.fullmatch(r"(backend|tests|migrations|seed_data|\.github)[\w/.-]*", code):
            assert (ROOT / code).exists(), (page, code)


def test_settings_and_parameters_that_texts_name_exist() -> None:
    variables = {name_variable(name) for name in Settings.model_fields}
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    variables |= set(re.findall(r"\$\{([A-Z_]+)", compose)) | {"WAYPOOL_TEST_EXAMPLES"}
    keys = {param.key for param in PARAMS} | {row.code for row in CONSTRAINTS}
    keys |= {"POOL_THIN", "RUN_KEEPS_FAILING"}
    for page, code in list_code():
        if re.fullmatch(r"(WAYPOOL|OPENAI)_[A-Z_]+", code):
            assert code in variables, (page, code)
        if re.fullmatch(r"(POOL|TENANT|RUN|RESULT|AGENT|HOTEL|POI)_[A-Z_]+", code):
            assert code in keys, (page, code)


def test_what_units_and_manifests_start_parses() -> None:
    lines = [
        line for kind in ("ini", "yaml") for _, b in list_blocks(kind) for line in b.splitlines()
    ]
    started = [m[1] for line in lines if (m := re.match(r"Exec\w+=\S+/waypool (.*)", line))]
    started += [
        m[1].replace(",", " ") for line in lines if (m := re.search(r"\[waypool, ([^]]+)\]", line))
    ]
    assert len(started) == 6 * len(LANGUAGES)
    for words in started:
        command, rest = find_command(words.split())
        command.make_context("waypool", rest)


def test_json_and_links_of_texts_are_sound() -> None:
    for page, block in list_blocks("json"):
        assert json.loads(block), page
    for page, text in PAGES.items():
        language = page.partition("/")[0]
        for address in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
            if page == "README":
                assert (ROOT / address).exists(), address
            else:
                assert (HERE / language / address.partition("#")[0]).is_file(), (page, address)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_say_what_the_code_says(name: str, language: Language) -> None:
    _, _, table, _ = split_topic(name, language)
    assert table == write_table(name, language), "run: .venv/bin/python -m tests.guide.tables"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_file_is_a_topic(language: Language) -> None:
    assert {path.stem for path in (HERE / language).glob("*")} == set(TOPICS)
    assert len(TOPICS) == len(set(TOPICS)) == sum(len(group.topics) for group in GROUPS)


@pytest.mark.parametrize("topic", TOPICS)
def test_both_languages_say_the_same(topic: str) -> None:
    """As far as can be counted: headings, code, rows of tables, and the figures in them."""
    english, chinese = (PAGES[f"{language}/{topic}"] for language in ("en", "zh"))
    assert re.findall(r"^#+ ", chinese, re.M) == re.findall(r"^#+ ", english, re.M)
    blocks = [re.findall(r"```(\w*)", text) for text in (english, chinese)]
    assert blocks[0] == blocks[1]
    rows = [[line for line in t.splitlines() if line.startswith("|")] for t in (english, chinese)]
    assert len(rows[0]) == len(rows[1])
    assert len(re.findall("[一-鿿]", chinese)) > 100
    if topic == "misbehaving-models":
        cells = [[line.split("|")[3:] for line in part[2:]] for part in rows]
        assert cells[0] == cells[1]
    if topic in ("context-savings", "benchmarks"):
        for one, other in zip(*rows, strict=True):
            figures = [sorted(re.findall(r"\d[\d,.]*\d|\d", line)) for line in (one, other)]
            assert figures[0] == figures[1]


def test_the_readme_is_short() -> None:
    assert len(README.encode()) <= 10_000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", TOPICS)
def test_each_topic_says_what_it_is_about_and_becomes_a_page(
    topic: str, language: Language
) -> None:
    assert 15 <= len(read_lead(topic, language)) <= 400
    html = render_html(topic, language)
    anchors = re.findall(r'<h\d id="([^"]+)"', html)
    assert anchors == [section.anchor for section in list_sections(topic, language)]
    assert len(anchors) == len(set(anchors))
    assert html.count("<h1") == 1
    assert "<!--" not in html
    assert ".md" not in "".join(re.findall(r'href="([^"]*)"', html))


@pytest.mark.parametrize(
    ("words", "language", "topic"),
    [
        ("max_connections", "en", "sizing"),
        ("Last-Event-ID", "en", "first-integration"),
        ("REPLAY_DIFFERS", "zh", "troubleshooting"),
        ("kubernetes", "en", "deploy"),
        ("反向代理", "zh", "tls-and-proxy"),
    ],
)
def test_words_find_their_section(words: str, language: Language, topic: str) -> None:
    hits = search(words, language)
    assert topic in [hit.section.topic for hit in hits[:3]]
    assert all(words.lower() in (h.section.heading + h.section.text).lower() for h in hits)


def test_words_that_are_nowhere_find_nothing() -> None:
    assert search("xyzzy", "en") == search("   ", "en") == []


def test_an_unknown_topic_is_named_with_near_ones() -> None:
    with pytest.raises(NotFoundError, match="deploy"):
        read_topic("deploi", "en")


def test_every_chinese_text_of_the_tables_is_used() -> None:
    tables = "".join(write_table(name, "zh") for name in TABLES)
    assert [key for key, text in read_chinese().items() if text not in tables] == []


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_a_chinese_table_has_chinese(name: str) -> None:
    rows = write_table(name, "zh").splitlines()[2:]
    missing = [row for row in rows if not re.search("[一-鿿]", row)]
    assert missing == [], "write the Chinese into tests/guide/chinese.json"
