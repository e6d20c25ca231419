"""What two runs have done differently: request, parameters, pool, calls, plan by day, tokens, cost."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backend.document import Document
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport
from backend.replay.json_tree import list_leaves
from backend.runs.log.steps import ToolCalled, select_payloads
from backend.runs.work.recording import make_pair_key

_FIGURES = ("turns", "tool_calls", "input_tokens", "cached_tokens", "output_tokens")


class DiffDocument(Document):
    """Two runs side by side; empty where they agree."""

    runs: tuple[dict[str, Any], ...]
    request: dict[str, Any]
    params: dict[str, Any]
    limits: dict[str, Any]
    pool: dict[str, Any]
    rows: dict[str, Any]
    calls: dict[str, Any]
    days: tuple[dict[str, Any], ...]
    usage: dict[str, Any]
    cost: tuple[Any, ...] | None


def diff_runs(one: RunExport, other: RunExport) -> DiffDocument:
    """Both runs side by side; empty where they agree."""
    found = {
        "runs": [_show_head(one), _show_head(other)],
        "request": diff_values(_read_request(one), _read_request(other)),
        "params": diff_values(one.snapshot.params, other.snapshot.params),
        "limits": diff_values(_last_limits(one), _last_limits(other)),
        "pool": {**_diff_cities(one.snapshot, other.snapshot), **_diff_legs(one, other)},
        "rows": _diff_rows(one.snapshot, other.snapshot),
        "calls": _diff_calls(one, other),
        "days": diff_days(one.result, other.result),
        "usage": _diff_figures(one, other),
        "cost": _diff_pair(_read_total(one), _read_total(other)),
    }
    return DiffDocument.model_validate(found)


def diff_values(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Entries that differ, each as `[one, other]`."""
    keys = dict.fromkeys((*one, *other))
    return {k: [one.get(k), other.get(k)] for k in keys if one.get(k) != other.get(k)}


def _diff_pair(one: Any, other: Any) -> list[Any] | None:
    return None if one == other else [one, other]


def _show_head(export: RunExport) -> dict[str, Any]:
    run, snapshot = export.run, export.snapshot
    return {
        "id": run["id"],
        "status": run["status"],
        "planner_used": export.result.get("planner_used"),
        "snapshot_sha256": snapshot.sha256,
        "catalogue_version": snapshot.catalogue.version,
        "waypool": export.document["software"]["waypool"],
    }


def _read_request(export: RunExport) -> dict[str, Any]:
    return export.snapshot.request.model_dump(mode="json")


def _last_limits(export: RunExport) -> dict[str, Any]:
    """Return limits as they were at the last call of each tool."""
    limits: dict[str, Any] = {}
    for called in select_payloads(export.steps, ToolCalled):
        content = called.outcome.content
        if "limit" in content and "rows" in content:
            limits[called.call.name] = content["limit"]
    return limits


def _diff_cities(one: Snapshot, other: Snapshot) -> dict[str, Any]:
    """By city and kind, what came in, went out and moved; a city of only one run is new or gone."""
    found = {}
    for city in dict.fromkeys((*one.city_order, *other.city_order)):
        mine, its = one.cities.get(city), other.cities.get(city)
        lists = {
            "pois": diff_ids(mine.pois if mine else (), its.pois if its else ()),
            "hotels": diff_ids(mine.hotels if mine else (), its.hotels if its else ()),
            "rejected": diff_values(mine.rejected if mine else {}, its.rejected if its else {}),
        }
        if kept := {key: value for key, value in lists.items() if value}:
            found[city] = kept
    return found


def _diff_legs(one: RunExport, other: RunExport) -> dict[str, Any]:
    legs, others = one.snapshot.legs, other.snapshot.legs
    found = {}
    for n in range(max(len(legs), len(others))):
        mine = legs[n].trains if n < len(legs) else ()
        its = others[n].trains if n < len(others) else ()
        if moved := diff_ids(mine, its):
            found[f"leg {n}"] = {"trains": moved}
    return found


def diff_ids(one: Sequence[str], other: Sequence[str]) -> dict[str, Any]:
    """Ids that came in and went out, and those that stand elsewhere among the ones that stayed."""
    came = [i for i in other if i not in set(one)]
    went = [i for i in one if i not in set(other)]
    stayed = [i for i in one if i in set(other)]
    now = [i for i in other if i in set(one)]
    moved = [i for n, i in enumerate(stayed) if now[n] != i]
    found = {"in": came, "out": went, "moved": moved}
    return {key: ids for key, ids in found.items() if ids}


def _diff_rows(one: Snapshot, other: Snapshot) -> dict[str, Any]:
    """Rows that both snapshots hold and that say something else: `{"pois": {id: {field: […]}}}`."""
    found: dict[str, Any] = {}
    for kind in ("pois", "hotels", "trains"):
        mine, its = getattr(one.rows, kind), getattr(other.rows, kind)
        changed = {
            row_id: diff_values(mine[row_id].model_dump(mode="json"), row.model_dump(mode="json"))
            for row_id, row in its.items()
            if row_id in mine and mine[row_id] != row
        }
        if changed:
            found[kind] = changed
    return found


def _diff_calls(one: RunExport, other: RunExport) -> dict[str, Any]:
    """Calls by tool in either run, those that only one made, and the first at which they part."""
    mine, its = list(_list_calls(one)), list(_list_calls(other))
    parted = next((n for n, (a, b) in enumerate(zip(mine, its, strict=False)) if a != b), None)
    if parted is None and len(mine) != len(its):
        parted = min(len(mine), len(its))
    only, too = Counter(mine) - Counter(its), Counter(its) - Counter(mine)
    return {
        "by_tool": diff_values(_count_tools(one), _count_tools(other)),
        "only": [list(only.elements()), list(too.elements())],
        "first_difference": None
        if parted is None
        else {
            "number": parted + 1,
            "calls": [mine[parted : parted + 1], its[parted : parted + 1]],
        },
    }


def _list_calls(export: RunExport) -> Iterator[str]:
    for called in select_payloads(export.steps, ToolCalled):
        yield make_pair_key(called.call)


def _count_tools(export: RunExport) -> dict[str, int]:
    return dict(Counter(c.call.name for c in select_payloads(export.steps, ToolCalled)))


def diff_days(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Days whose items differ, each item as one line; times alone count too."""
    mine, its = _list_days(one), _list_days(other)
    found = []
    for n in range(max(len(mine), len(its))):
        before = mine[n] if n < len(mine) else []
        after = its[n] if n < len(its) else []
        if before != after:
            out = [line for line in before if line not in after]
            came = [line for line in after if line not in before]
            found.append({"day": n + 1, "out": out, "in": came})
    return found


def _list_days(result: Mapping[str, Any]) -> list[list[str]]:
    itinerary = result.get("itinerary") or {"days": []}
    return [[_write_item(item) for item in day["items"]] for day in itinerary["days"]]


def _write_item(item: Mapping[str, Any]) -> str:
    start = item.get("depart") or item.get("arrive") or item.get("start") or ""
    end = item.get("leave") or item.get("end") or (item.get("arrive") if "depart" in item else "")
    name = item.get("name") or item.get("number") or item.get("title") or item.get("meal") or ""
    way = f"{item['from']} → {item['to']}" if item["kind"] == "transfer" else name
    times = "–".join(text[11:16] for text in (start, end or "") if text)
    return " ".join(filter(None, [times, item["kind"], way]))


def _diff_figures(one: RunExport, other: RunExport) -> dict[str, Any]:
    mine, its = one.result.get("usage") or {}, other.result.get("usage") or {}
    return diff_values(
        {key: mine.get(key, 0) for key in _FIGURES}, {key: its.get(key, 0) for key in _FIGURES}
    )


def _read_total(export: RunExport) -> str | None:
    itinerary = export.result.get("itinerary")
    return itinerary["costs"]["total"] if itinerary else None


def is_same(diff: DiffDocument) -> bool:
    """Whether nothing but the runs' own heads differs."""
    rest = {key: value for key, value in diff.as_json().items() if key != "runs"}
    return not any(leaf for _, leaf in list_leaves(rest))


def write_diff(diff: DiffDocument) -> str:
    """The differences for people, section by section."""
    one, other = diff.runs
    lines = [f"A {_write_head(one)}", f"B {_write_head(other)}"]
    pairs = (
        ("request", diff.request),
        ("params", diff.params),
        ("limits", diff.limits),
        ("usage", diff.usage),
    )
    for title, differing in pairs:
        lines += _write_pairs(title, differing)
    for place, kinds in diff.pool.items():
        lines += _write_pool(place, kinds)
    for kind, rows in diff.rows.items():
        for row_id, fields in rows.items():
            lines += _write_pairs(f"{kind} {row_id}", fields)
    lines += _write_calls(diff.calls)
    for day in diff.days:
        lines.append(f"day {day['day']}")
        lines += [f"  - {line}" for line in day["out"]] + [f"  + {line}" for line in day["in"]]
    if diff.cost:
        lines.append(f"cost: {diff.cost[0]} → {diff.cost[1]}")
    return "\n".join(lines if len(lines) > 2 else [*lines, "no difference"])


def _write_head(head: Mapping[str, Any]) -> str:
    planner = head["planner_used"] or "nobody"
    return f"{head['id']}: {head['status']}, planned by {planner}, catalogue {head['catalogue_version']}"


def _write_pairs(title: str, pairs: Mapping[str, Any]) -> list[str]:
    return [f"{title}: {key}: {one} → {other}" for key, (one, other) in pairs.items()]


def _write_pool(place: str, kinds: Mapping[str, Any]) -> list[str]:
    lines = []
    for kind, moved in kinds.items():
        if kind == "rejected":
            lines += _write_pairs(f"pool of {place}: rejected", moved)
            continue
        parts = (f"{way} {', '.join(ids)}" for way, ids in moved.items())
        lines.append(f"pool of {place}: {kind}: {'; '.join(parts)}")
    return lines


def _write_calls(calls: Mapping[str, Any]) -> list[str]:
    lines = _write_pairs("calls", calls["by_tool"])
    if parted := calls["first_difference"]:
        one, other = ((side or ["(none)"])[0] for side in parted["calls"])
        lines.append(f"calls part at number {parted['number']}: {one} | {other}")
    return lines
