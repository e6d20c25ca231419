"""`waypool guide`: the guide in the terminal, topic by topic or by words."""

import sys

import click
from rich.console import Console
from rich.markdown import Markdown

from backend.cli.output import Output, json_option
from backend.guide.library import (
    GROUPS,
    Language,
    read_lead,
    read_title,
    read_topic,
    search,
)


@click.command()
@click.argument("topic", required=False)
@click.option("--search", "words", metavar="WORDS", help="List the sections that hold all words.")
@click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language of the text.",
)
@json_option
@click.pass_obj
def guide(output: Output, topic: str | None, words: str | None, lang: Language) -> None:
    """Read the guide: without TOPIC the list of topics, with it the topic itself.

    In a terminal the text is laid out for it; into a file or a pipe it goes as Markdown.
    """
    if words is not None:
        _show_hits(output, words, lang)
    elif topic is None:
        _show_topics(output, lang)
    else:
        text = read_topic(topic, lang)
        document = {"topic": topic, "lang": lang, "markdown": text}
        output.show(document, lambda: _lay_out(text))


def _show_topics(output: Output, lang: Language) -> None:
    items = [
        {
            "topic": topic,
            "group": group.title[lang],
            "title": read_title(topic, lang),
            "about": read_lead(topic, lang),
        }
        for group in GROUPS
        for topic in group.topics
    ]
    lines = []
    for group in GROUPS:
        lines.append(f"\n{group.title[lang]}")
        lines += [f"  {topic:<30} {read_title(topic, lang)}" for topic in group.topics]
    output.show({"items": items}, "\n".join(lines).lstrip("\n"))


def _show_hits(output: Output, words: str, lang: Language) -> None:
    hits = search(words, lang)
    items = [
        {"topic": hit.section.topic, "heading": hit.section.heading, "excerpt": hit.excerpt}
        for hit in hits
    ]
    lines = [f"{item['topic']}: {item['heading']}\n    {item['excerpt']}" for item in items]
    nothing = "没有找到。" if lang == "zh" else "Nothing found; try fewer words."
    output.show({"items": items}, "\n".join(lines) or nothing)


def _lay_out(text: str) -> str:
    """For the width of the terminal; as it is where the output is no terminal."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("<!--"))
    if not sys.stdout.isatty():
        return plain
    console = Console()
    with console.capture() as captured:
        console.print(Markdown(plain))
    return captured.get()
