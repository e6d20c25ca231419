"""Adds up what runs have counted, by city, model, tenant or tool; pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

GroupBy = Literal["city", "model", "tenant", "tool"]
Row = Mapping[str, Any]

_CITY_STEPS = ("places", "size", "pool", "listed", "opened", "selected")
UNSOUND = frozenset({"infeasible", "failed"})
"""What a run ends as that has no valid plan."""


def summarize(rows: Sequence[Row], by: GroupBy) -> list[dict[str, Any]]:
    """One entry a group, the largest first; a run counts in each of its cities and tools."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for key in _list_keys(row, by):
            groups[key].append(row)
    shown = [{"key": key, **_summarize_group(group, by, key)} for key, group in groups.items()]
    return sorted(shown, key=lambda entry: (-entry["runs"], entry["key"]))


def _list_keys(row: Row, by: GroupBy) -> Iterable[str]:
    figures = row["figures"] or {}
    if by == "city":
        return list(figures.get("cities", {}))
    if by == "tool":
        return list(figures.get("tools", {}))
    if by == "tenant":
        return [row["tenant"]]
    return [figures.get("model") or row["model"] or figures.get("planner") or row["planner"]]


def _summarize_group(rows: Sequence[Row], by: GroupBy, key: str) -> dict[str, Any]:
    statuses = [row["status"] for row in rows]
    usage = [row["usage"] for row in rows]
    figures = [row["figures"] or {} for row in rows]
    ratings = [row["rating"] for row in rows if row["rating"] is not None]
    costs = [row["cost"] for row in rows if row["cost"] is not None]
    summary: dict[str, Any] = {
        "runs": len(rows),
        "succeeded": statuses.count("succeeded"),
        "without_plan": sum(status in UNSOUND for status in statuses),
        "cancelled": statuses.count("cancelled"),
        "stopped_by_limit": sum(bool(f.get("stopped_by_limit")) for f in figures),
        "fell_back": sum(bool(f.get("model")) and f.get("planner") == "builtin" for f in figures),
        "seconds": average(map(_count_seconds, rows)),
        "tool_calls": average(u.get("tool_calls", 0) for u in usage),
        "turns": average(u.get("turns", 0) for u in usage),
        "input_tokens": sum(u.get("input_tokens", 0) for u in usage),
        "cached_tokens": sum(u.get("cached_tokens", 0) for u in usage),
        "output_tokens": sum(u.get("output_tokens", 0) for u in usage),
        "cost": str(sum(costs, Decimal(0))) if costs else None,
        "rating": average(ratings) if ratings else None,
        "ratings": len(ratings),
    }
    names = [key] if by == "tool" else None
    summary |= _count_invalid(figures)
    summary["tools"] = dict(_sum_tools(figures, names))
    if by == "city":
        summary["city"] = summarize_city([f["cities"][key] for f in figures])
    return summary


def _count_seconds(row: Row) -> float:
    """At work, without the time in the queue."""
    if row["started_at"] is None:
        return 0.0
    return float((row["finished_at"] - row["started_at"]).total_seconds())


def _count_invalid(figures: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Calls that a tool refused: unknown tools, broken arguments, ids from nowhere."""
    counts = [counts for f in figures for counts in f.get("tools", {}).values()]
    invalid = sum(c["errors"] for c in counts)
    return {
        "invalid_calls": invalid,
        "invalid_share": share(invalid, sum(c["calls"] for c in counts)),
    }


def _sum_tools(
    figures: Iterable[Mapping[str, Any]], names: Sequence[str] | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    totals: dict[str, dict[str, int]] = {}
    runs: dict[str, int] = defaultdict(int)
    for tools in (f.get("tools", {}) for f in figures):
        for name, counts in tools.items():
            total = totals.setdefault(name, dict.fromkeys(counts, 0))
            runs[name] += 1
            for count, value in counts.items():
                total[count] = total.get(count, 0) + value
    for name in sorted(totals if names is None else names):
        total = totals[name]
        yield (
            name,
            {
                "calls": total["calls"],
                "calls_a_run": round(total["calls"] / runs[name], 2),
                "has_more_share": share(total["has_more"], total["pages"]),
                "empty_share": share(total["empty"], total["pages"]),
                "repeat_share": share(total["repeats"], total["calls"]),
                "error_share": share(total["errors"], total["calls"]),
            },
        )


def summarize_city(cities: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Averages along the funnel, and totals of rejections by reason."""
    rejected: dict[str, int] = defaultdict(int)
    for city in cities:
        for reason, count in city["rejected"].items():
            rejected[reason] += count
    steps = {step: average(city[step] for city in cities) for step in _CITY_STEPS}
    per_run = {reason: round(n / len(cities), 1) for reason, n in sorted(rejected.items())}
    return {**steps, "rejected": per_run}


def average(values: Iterable[float]) -> float:
    """The mean, to one place; 0 of nothing."""
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 1) if numbers else 0.0


def share(part: int, whole: int) -> float | None:
    """A share to two places; None of nothing."""
    return round(part / whole, 2) if whole else None
