"""Which value a finding suggests to try: a first guess for the preview, never a change; pure."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from backend.params.registry import Param, ParamValue, find_param
from backend.runs.stats_findings import Finding
from backend.tools.limits import MAX_RETURN_ROWS, ToolLimit
from backend.tools.registry import find_tool


def propose(
    finding: Finding, params: Mapping[str, ParamValue], limits: Mapping[str, ToolLimit]
) -> ParamValue:
    """A value of the parameter or the tool's return limit, never the one that is set.

    None where no number would help, or the bound is reached.
    """
    if finding.param:
        return _propose_param(finding, find_param(finding.param), params[finding.param])
    return _propose_rows(finding.tool, limits) if finding.tool else None


def _propose_param(finding: Finding, param: Param, present: Any) -> ParamValue:
    """What was used at most, for a pool that stands idle; else twice the present value."""
    if param.type == "amount":
        return None if present is None else _double_amount(Decimal(present), param)
    is_less = finding.code == "POOL_IDLE"
    wanted = finding.evidence["most"] if is_less else 2 * present
    value = int(max(param.minimum, min(wanted, param.maximum)))
    return value if (value < present if is_less else value > present) else None


def _double_amount(present: Decimal, param: Param) -> str | None:
    value = min(2 * present, Decimal(param.maximum))
    return str(value) if value > present else None


def _propose_rows(name: str, limits: Mapping[str, ToolLimit]) -> int | None:
    tool = find_tool(name)
    if tool is None or tool.default_rows is None:
        return None
    present = limits.get(name, ToolLimit()).max_return_rows or tool.default_rows
    value = min(2 * present, MAX_RETURN_ROWS)
    return value if value > present else None
