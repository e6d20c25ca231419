"""Ask about a large result that is stored behind a handle, by a path or by a structured query.

Counting, filtering, sums and groups are done on the whole result; never guess them from a sample.
"""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from backend.errors import ToolError
from backend.results.handle import refuse_handle
from backend.results.path_grammar import MAX_CHARACTERS
from backend.results.values import parse_json, write_canonical
from backend.text import Locale
from backend.tools.arguments import Text
from backend.tools.context import ToolContext
from backend.tools.tool import Answer, Tool, ToolArgs

_EITHER: dict[Locale, str] = {
    "zh-CN": "path 与 query 必须给出且只能给出一个",
    "en": "give either path or query, and only one of them",
}


def _drop_blank(value: object) -> object:
    return None if value == {} or (isinstance(value, str) and not value.strip()) else value


class Args(ToolArgs):
    """A handle and one question."""

    handle: Text = Field(description="Handle of a stored result, as a tool gave it.")
    path: Annotated[
        Annotated[str, Field(max_length=MAX_CHARACTERS)] | None, BeforeValidator(_drop_blank)
    ] = Field(
        None,
        description='A path, like rows[0:5], rows[?amount>=100 && city=="北京"].order_id,'
        ' rows[-1]["any key"] or rows.length.',
    )
    query: Annotated[dict[str, Any] | None, BeforeValidator(_drop_blank)] = Field(
        None,
        description="A structured query instead of a path:"
        ' {"where": [{"field", "op", "value"}], "select": [fields], "group_by": [fields],'
        ' "aggregate": [{"op": "count|sum|avg|min|max", "field"}], "order_by": ["-field"],'
        ' "limit", "cursor"}; ops: == != < <= > >= in contains.',
    )


async def result_query(args: Args, ctx: ToolContext) -> Answer:
    """What the stored result says to the question."""
    if (args.path is None) == (args.query is None):
        raise ToolError("BAD_ARGUMENTS", _EITHER[ctx.locale])
    if ctx.results is None:
        raise refuse_handle().say(ctx.locale)
    query = None if args.query is None else parse_json(json.dumps(args.query))
    content = await ctx.results.ask(args.handle, args.path, query)
    asked = {"handle": args.handle, "path": args.path, "query": write_canonical(query)}
    return Answer(content, asked=asked)


TOOL = Tool(
    "result_query",
    effect="view",
    description=__doc__ or "",
    args=Args,
    handler=result_query,
    needs_results=True,
)
