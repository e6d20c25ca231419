"""`waypool audit-columns`: what the columns of a file are worth before a source is made of it."""

import click

from backend.cli.output import Output, json_option, show_path
from backend.errors import ConfigurationError
from backend.results.values import write_json
from backend.sources.audit.report import audit, describe_audit

_MOST_BYTES = 1_000_000_000


@click.command("audit-columns")
@click.argument("source", metavar="FILE")
@click.option("--cut", type=click.IntRange(min=1), default=None, metavar="N",
              help="What keeping the first N bytes alone would lose.")  # fmt: skip
@json_option
@click.pass_obj
def audit_columns(output: Output, source: str, cut: int | None) -> None:
    """Find columns of FILE ('-': stdin), CSV or JSON, that say nothing or what others say.

    Empty and constant ones, numbers that never change in some groups of rows, copies, sums and
    functions of other columns, each with the bytes that it takes.
    """
    report = audit(_read(source), cut)
    click.echo(write_json(report) if output.is_json else "\n".join(describe_audit(report)))


def _read(source: str) -> bytes:
    try:
        with click.open_file(source, "rb") as stream:
            content = bytes(stream.read(_MOST_BYTES + 1))
    except OSError as error:
        raise ConfigurationError(f"cannot read {show_path(source)}: {error.strerror}") from None
    if len(content) > _MOST_BYTES:
        raise ConfigurationError(f"{show_path(source)} is longer than {_MOST_BYTES:,} bytes")
    return content
