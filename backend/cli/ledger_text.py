"""A run's ledger as a person reads it: a line for each request, then the sums."""

from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_ledger(console: Console, ledger: dict[str, Any]) -> None:
    """Nothing for a run that asked no model."""
    if not ledger["requests"]:
        return
    tokenizer = ledger["tokenizer"]
    kind = (
        f"{tokenizer['name']}{', an estimate for this model' if tokenizer['is_estimate'] else ''}"
    )
    console.print(Text(f"Context ledger ({ledger['model']}; tokens by {kind})", style="bold"))
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for column in ("turn", "bytes", "tokens", "new", "reported", "cached", "out", "largest parts"):
        table.add_column(column, justify="left" if column == "largest parts" else "right")
    for request in ledger["requests"]:
        table.add_row(*_describe_request(request))
    console.print(table)
    context, throughput = ledger["main_context"], ledger["throughput"]
    if context:
        fits = "fits" if context["fits"] else "does not fit"
        budget = f"{fits} into {context['budget_tokens']}"
        console.print(Text(f"main context: {context['total']['tokens']} tokens, {budget}"))
    reported = throughput["reported"]
    console.print(
        Text(
            f"throughput: {throughput['requests']} requests, {reported['input_tokens']} tokens in"
            f" ({reported['cached_tokens']} cached), {reported['output_tokens']} out"
        )
    )
    if ledger["cost"]:
        console.print(Text(f"cost: {ledger['cost']['amount']} {ledger['cost']['currency']}"))


def _describe_request(request: dict[str, Any]) -> list[str]:
    reported, total = request["reported"], request["total"]
    parts = sorted(request["parts"].items(), key=lambda part: -part[1]["tokens"])[:3]
    numbers = (
        request["turn"],
        total["bytes"],
        total["tokens"],
        request["new"]["tokens"],
        reported["input_tokens"],
        reported["cached_tokens"],
        reported["output_tokens"],
    )
    return [*map(str, numbers), ", ".join(f"{name} {size['tokens']}" for name, size in parts)]
