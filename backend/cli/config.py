"""`waypool config`: every setting, its value and where it comes from; secrets masked."""

import os

import click
from pydantic import SecretStr

from backend.cli.output import Output, json_option
from backend.settings import Settings, name_variable, read_settings


@click.command()
@json_option
@click.pass_obj
def config(output: Output) -> None:
    """List all settings, with the environment variable that sets each."""
    settings = read_settings()
    rows = []
    for name, field in Settings.model_fields.items():
        variable = name_variable(name)
        rows.append(
            {
                "variable": variable,
                "value": _mask(getattr(settings, name)),
                "set": variable in os.environ,  # noqa: TID251 - says whether, not what
                "description": field.description,
            }
        )
    lines = [
        f"{row['variable']}={'' if row['value'] is None else row['value']}"
        f"{'' if row['set'] else '  (default)'}\n    {row['description']}"
        for row in rows
    ]
    data = f"embedded data: {settings.embedded_data}"
    output.show(
        {"items": rows, "embedded_data": str(settings.embedded_data)}, "\n".join([*lines, data])
    )


def _mask(value: object) -> object:
    if isinstance(value, SecretStr):
        return "********"
    return value if isinstance(value, int | float | str | bool | None) else str(value)
