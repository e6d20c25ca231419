"""A result as a person reads it on a terminal: funnel, days, costs, what to mind.

A run's ledger as a person reads it: a line for each request, then the sums.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

_STEPS = ("catalogue", "in_cities", "pool", "listed", "opened", "selected")
_KINDS = {"poi": "places", "hotel": "hotels", "train": "trains"}
_MODES = {"walk": "walk", "metro": "metro", "taxi": "taxi", "train": "train", "own": "own way"}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_STYLES = {"leg": "cyan", "transfer": "dim", "visit": "bold", "meal": "green", "stay": "magenta"}


def describe_funnel(funnel: dict[str, Any]) -> list[str]:
    """A line a kind, `places  1828 → 142 → 63 → 40 → 15 → 9`, with what was rejected and why."""
    lines = []
    for kind, name in _KINDS.items():
        step = funnel[kind]
        numbers = " → ".join(str(step[name]) for name in _STEPS)
        reasons = ", ".join(f"{why} {n}" for why, n in step["rejected"].items() if n)
        lines.append(f"{name:<7} {numbers}" + (f"   (rejected: {reasons})" if reasons else ""))
    return lines


def print_funnel(console: Console, funnel: dict[str, Any]) -> None:
    """The funnel with its steps named."""
    console.print(Text("Funnel: " + " → ".join(_STEPS), style="bold"))
    for line in describe_funnel(funnel):
        console.print(Text("  " + line))


def print_result(console: Console, result: dict[str, Any]) -> None:
    """Status, funnel, days, costs, violations of a run."""
    planner = result["planner_used"] or "no planner yet"
    fallback = f", after {result['fallback_reason']}" if result["fallback_reason"] else ""
    console.print(Text(f"{result['id']}: {result['status']} ({planner}{fallback})", style="bold"))
    if result["error"]:
        console.print(Text(f"{result['error']['code']}: {result['error']['message']}", style="red"))
    _print_reading(console, result)
    if result["funnel"]:
        print_funnel(console, result["funnel"])
    if result["itinerary"]:
        for number, day in enumerate(result["itinerary"]["days"], start=1):
            _print_day(console, number, day)
        _print_costs(console, result["itinerary"])
    for clash in result["clash"] or ():
        console.print(Text(f"clash {clash['code']}: {clash['message']}", style="red"))
    if result["relaxation"]:
        text = f"what would help: {result['relaxation']['message']} The plan above does so."
        console.print(Text(text, style="green"))
    _print_wishes(console, result.get("wishes", ()))
    for violation in result["violations"]:
        _print_violation(console, violation)
    usage = result["usage"]
    console.print(
        Text(
            f"{usage['turns']} turns, {usage['tool_calls']} tool calls, tokens:"
            f" {usage['input_tokens']} in ({usage['cached_tokens']} cached),"
            f" {usage['output_tokens']} out"
        )
    )


def _print_reading(console: Console, result: dict[str, Any]) -> None:
    """What was not understood in the text, and what is asked."""
    for warning in (result["reading"] or {"warnings": ()})["warnings"]:
        console.print(Text(f"{warning['code']}: {warning['message']}", style="yellow"))
    for need in result["needs"]:
        choices = ", ".join(str(choice) for choice in need["choices"][:12])
        default = f" [{need['default']}]" if need["default"] is not None else ""
        hint = f" ({choices})" if choices else ""
        console.print(Text(f"{need['field']}: {need['question']}{hint}{default}"))


def _print_wishes(console: Console, wishes: Iterable[dict[str, Any]]) -> None:
    for shown in wishes:
        kept = {True: "kept", False: "not kept", None: "not known"}[shown["kept"]]
        console.print(Text(f"wish {kept}: {shown['text']}"))


def _print_day(console: Console, number: int, day: dict[str, Any]) -> None:
    date = dt.date.fromisoformat(day["date"])
    title = f"Day {number}  {date} {_WEEKDAYS[date.weekday()]}  {day['city']}"
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title=title)
    table.title_justify, table.title_style = "left", "bold"
    table.add_column("time", no_wrap=True)
    table.add_column("what", overflow="fold")
    table.add_column("cost", justify="right", no_wrap=True)
    for item in day["items"]:
        style = _STYLES.get(item["kind"], "")
        cells = (_show_time(item), _show_item(item), _show_cost(item))
        table.add_row(*(Text(cell, style=style) for cell in cells))
    console.print(table)


def _show_time(item: dict[str, Any]) -> str:
    for first, last in (("depart", "arrive"), ("arrive", "leave"), ("start", "end")):
        if item["kind"] == "visit" and first == "depart":
            continue
        if item.get(first) and item.get(last):
            later = dt.date.fromisoformat(item[last][:10]) - dt.date.fromisoformat(item[first][:10])
            return f"{item[first][11:16]}–{item[last][11:16]}" + (
                f" +{later.days}" if later else ""
            )
    return "night" if item["kind"] == "stay" else ""


def _show_item(item: dict[str, Any]) -> str:
    kind = item["kind"]
    if kind == "leg":
        start = item["from_station"] or item["from_city"]
        end = item["to_station"] or item["to_city"]
        return f"{item['number'] or _MODES[item['mode']]}  {start} → {end}"
    if kind == "transfer":
        return f"{_MODES[item['mode']]} {item['distance_m'] / 1000:.1f} km → {item['to']}"
    if kind == "meal":
        name, near = item.get("name"), item.get("near")
        return f"{item['meal']}" + (f" at {name}" if name else f" near {near}" if near else "")
    if kind == "luggage":
        verb = "leave the luggage at" if item["action"] == "drop" else "fetch the luggage from"
        return f"{verb} {item['place']}"
    rooms = f", {item['rooms']} room(s)" if kind == "stay" else ""
    return str(item.get("name") or item.get("title")) + rooms


def _show_cost(item: dict[str, Any]) -> str:
    if "cost" not in item or (item["kind"] == "meal" and not item["poi_id"]):
        return ""
    return str(item["cost"]) if item["cost"] is not None else "?"


def _print_costs(console: Console, itinerary: dict[str, Any]) -> None:
    costs = itinerary["costs"]
    parts = ", ".join(f"{name.replace('_', ' ')} {costs[name]}" for name in _list_parts(costs))
    console.print(Text(f"Total {costs['total']} {itinerary['currency']} ({parts})", style="bold"))


def _list_parts(costs: dict[str, Any]) -> Iterable[str]:
    return (name for name in costs if name != "total")


def _print_violation(console: Console, violation: dict[str, Any]) -> None:
    where = violation["where"]
    place = f" (day {where['day']})" if where.get("day") else ""
    style = "red" if violation["severity"] == "error" else "yellow"
    text = f"{violation['severity']} {violation['code']}{place}: {violation['message']}"
    console.print(Text(text, style=style))


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
