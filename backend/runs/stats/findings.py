"""Turns statistics into findings: what is wrong, by which numbers, and which knob would change it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from backend.document import Document
from backend.params.registry import ParamValue
from backend.runs.stats.figures import UNSOUND, Row, share, summarize

ENOUGH_RUNS = 3
PREVIEW = "/v1/admin/pool-preview"

_TIER_PARAMS = {"price": "POI_PRICE_CAP_{tier}"}


class FindingDocument(Document):
    """What is wrong, by which numbers, and what would change it."""

    code: str
    message: str
    param: str | None
    tool: str | None
    value: Any = Field(description="Worth a try, of the parameter or the tool's return limit.")
    run_id: str | None = Field(description="One of the runs that show it.")
    evidence: dict[str, Any]
    preview: dict[str, Any] | None


@dataclass(frozen=True)
class Finding:
    """`param` is a parameter's key, or `tool` the name of a tool whose row would be changed.

    `example` is one of the runs that show it.
    """

    code: str
    message: str
    evidence: Mapping[str, Any]
    param: str | None = None
    tool: str | None = None
    example: Row | None = None

    def show(self, value: ParamValue = None) -> "FindingDocument":
        """With the call that previews `value`, if there is one to try, for a run that shows it.

        The run is named by its id: its request is the traveller's own and stays where it is.
        """
        return FindingDocument(
            code=self.code,
            message=self.message,
            param=self.param,
            tool=self.tool,
            value=value,
            run_id=self.example["id"] if self.example else None,
            evidence=dict(self.evidence),
            preview=self._describe_preview(value) if self.example else None,
        )

    def _describe_preview(self, value: ParamValue) -> dict[str, Any]:
        assert self.example is not None
        body: dict[str, Any] = {"run_id": self.example["id"]}
        if value is not None and self.param:
            body["params"] = {self.param: value}
        elif value is not None:
            body["limits"] = {self.tool: value}
        return {"method": "POST", "href": PREVIEW, "body": body}


def find_findings(rows: Sequence[Row]) -> list[Finding]:
    """All findings, in the order of the rules."""
    counted = [row for row in rows if row["figures"]]
    return [
        *_find_short_pools(counted),
        *_find_idle_pools(counted),
        *_find_stops(counted),
        *_find_tools(counted),
        *_find_ratings(rows),
    ]


def _group_cities(rows: Iterable[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        for city in row["figures"]["cities"]:
            groups.setdefault(city, []).append(row)
    return {city: group for city, group in groups.items() if len(group) >= ENOUGH_RUNS}


def _find_short_pools(rows: Sequence[Row]) -> Iterator[Finding]:
    """Many runs of a city end without a plan, and what is in its pool is far below its size."""
    for city, group in _group_cities(rows).items():
        lost = [row for row in group if row["status"] in UNSOUND]
        short = [
            row
            for row in lost
            if row["figures"]["cities"][city]["pool"]
            < 0.75 * row["figures"]["cities"][city]["size"]
        ]
        if len(short) < ENOUGH_RUNS or len(lost) < 0.2 * len(group):
            continue
        tier = Counter(row["figures"]["tier"] for row in short).most_common(1)[0][0]
        seen = [r["figures"]["cities"][city] for r in short if r["figures"]["tier"] == tier]
        typical = sorted(seen, key=lambda figures: figures["pool"])[len(seen) // 2]
        reasons = {k: n for k, n in typical["rejected"].items() if k != "rank"}
        reason = max(reasons, key=lambda k: reasons[k], default="price")
        lost_share = share(len(lost), len(group)) or 0.0
        param = _TIER_PARAMS.get(reason, "POOL_POI_SIZE").format(tier=tier.upper())
        cap = f"the cap of the {tier} tier" if reason == "price" else f"the rule '{reason}'"
        yield Finding(
            "POOL_SHORT",
            f"{lost_share:.0%} of runs in {city} end without a valid plan and their pool held"
            f" {typical['pool']} of {typical['size']} places: {cap} rejects"
            f" {reasons.get(reason, 0)}; raise it or add places",
            {
                "city": city,
                "runs": len(group),
                "without_plan": len(lost),
                "share": lost_share,
                "tier": tier,
                "reason": reason,
                "rejects": reasons.get(reason, 0),
                **typical,
            },
            param=param,
            example=short[0],
        )


def _find_idle_pools(rows: Sequence[Row]) -> Iterator[Finding]:
    """Most of what is in the pool is never even listed."""
    for city, group in _group_cities(rows).items():
        seen = [row["figures"]["cities"][city] for row in group]
        pool, listed = (sum(figures[key] for figures in seen) for key in ("pool", "listed"))
        if pool and listed < 0.5 * pool:
            used = max(figures["listed"] for figures in seen)
            yield Finding(
                "POOL_IDLE",
                f"runs in {city} list {listed / len(seen):.0f} of {pool / len(seen):.0f} places on"
                f" average, {used} at most: POOL_POI_SIZE could be lower, or list_pois show more",
                {
                    "city": city,
                    "runs": len(group),
                    "pool": pool,
                    "listed": listed,
                    "pool_a_run": round(pool / len(seen)),
                    "listed_a_run": round(listed / len(seen)),
                    "most": used,
                },
                param="POOL_POI_SIZE",
                example=group[0],
            )


def _find_stops(rows: Sequence[Row]) -> Iterator[Finding]:
    stopped = [row for row in rows if row["figures"]["stopped_by_limit"]]
    if len(stopped) < ENOUGH_RUNS or len(stopped) < 0.1 * len(rows):
        return
    stops = Counter(row["figures"]["stop"] for row in stopped)
    stop = stops.most_common(1)[0][0]
    yield Finding(
        "STOPPED_BY_LIMIT",
        f"{len(stopped) / len(rows):.0%} of runs end by a stop limit, most by {stop}",
        {
            "runs": len(rows),
            "stopped": len(stopped),
            "share": share(len(stopped), len(rows)),
            "stop": stop,
            "stops": dict(stops),
        },
        param=f"AGENT_{str(stop).upper()}" if str(stop).startswith("max_") else "AGENT_MAX_TURNS",
        example=stopped[0],
    )


def _find_tools(rows: Sequence[Row]) -> Iterator[Finding]:
    users: dict[str, Row] = {}
    for row in rows:
        users |= {name: row for name in row["figures"]["tools"] if name not in users}
    for group in summarize(rows, "tool"):
        name, shares = group["key"], group["tools"][group["key"]]
        if group["runs"] < ENOUGH_RUNS:
            continue
        evidence = {"tool": name, "runs": group["runs"], **shares}
        more, repeats, empty = (
            shares[key] or 0.0 for key in ("has_more_share", "repeat_share", "empty_share")
        )
        if more > 0.5 and shares["calls_a_run"] > 3:
            text = (
                f"{more:.0%} of the pages of {name} leave something out and a run calls it"
                f" {shares['calls_a_run']:.1f} times: a higher return limit would save calls"
            )
            yield Finding("PAGES_TOO_SHORT", text, evidence, tool=name, example=users[name])
        if repeats > 0.1:
            text = (
                f"{repeats:.0%} of the calls of {name} are repeats: the model does not see its way"
            )
            yield Finding("REPEATS", text, evidence, tool=name, example=users[name])
        if empty > 0.2:
            text = (
                f"{empty:.0%} of the answers of {name} are empty: the filters do not fit the pool"
            )
            yield Finding(
                "EMPTY_ANSWERS",
                text,
                evidence,
                param="POOL_POI_SIZE",
                tool=name,
                example=users[name],
            )


def _find_ratings(rows: Sequence[Row]) -> Iterator[Finding]:
    ratings = [row["rating"] for row in rows if row["rating"] is not None]
    low = [row for row in rows if row["rating"] is not None and row["rating"] <= 2]
    if len(ratings) >= ENOUGH_RUNS and len(low) > 0.3 * len(ratings):
        yield Finding(
            "LOW_RATINGS",
            f"{len(low)} of {len(ratings)} rated plans have 2 or less",
            {"ratings": len(ratings), "low": len(low), "runs": [row["id"] for row in low[:10]]},
            example=low[0],
        )
