"""A source's arguments as the closed model that its tool takes: every fault is named before a fetch."""

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, create_model
from pydantic_core import PydanticCustomError

from backend.sources.spec import Argument, Source
from backend.tools.argument_types import OptionalText, Text, TextList, drop_blank
from backend.tools.tool import ToolArgs


def make_arguments(source: Source) -> type[ToolArgs]:
    """The model of a source's arguments."""
    fields: dict[str, Any] = {}
    for argument in source.arguments:
        kind = _make_type(argument)
        default = ... if argument.required else None
        fields[argument.name] = (kind, Field(default, description=argument.description))
    return create_model("Args", __base__=ToolArgs, **fields)


def _make_type(argument: Argument) -> Any:
    if argument.many:
        return TextList
    if argument.type == "text" and not argument.choices:
        return Text if argument.required else OptionalText
    kind = _make_plain_type(argument)
    return kind if argument.required else Annotated[kind | None, BeforeValidator(drop_blank)]


def _make_plain_type(argument: Argument) -> Any:
    if argument.choices:
        return Literal[argument.choices]
    if argument.type == "date":
        return Annotated[str, Field(max_length=20), AfterValidator(_check_date)]
    if argument.type == "boolean":
        return bool
    kind = int if argument.type == "integer" else float
    return Annotated[kind, Field(ge=argument.minimum, le=argument.maximum)]


def _check_date(text: str) -> str:
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        raise PydanticCustomError("bad_date", "must be a date, YYYY-MM-DD") from None
