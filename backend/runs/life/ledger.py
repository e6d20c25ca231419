"""The account of a run, read off its log: what each request to the model held, and what it cost.

The main context at the end says whether it fits; the throughput, what was paid for.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from backend.agent.ledger import TOKENIZER, is_estimate
from backend.agent.limits import StopReason, read_stop_limits
from backend.agent.llm import Sent, Size, Usage, add_sizes
from backend.agent.models import Models, Prices
from backend.db.session import Engine, transaction
from backend.errors import ConfigurationError
from backend.runs.life.commands import get_run
from backend.runs.life.spending import show_cost, write_amount
from backend.runs.log.queries import read_snapshot_params
from backend.runs.log.run_log import read_steps
from backend.runs.log.stages import Stage, read_stages
from backend.runs.log.steps import ModelReplied, PlannerStopped, Step, ToolCalled, select_payloads


async def read_ledger(
    engine: Engine, run_id: str, tenant: str | None, models: Models | None
) -> dict[str, Any]:
    """The ledger of a run; `NotFoundError` where there is none for this tenant."""
    async with transaction(engine) as session:
        await get_run(session, run_id, tenant)
        params = await read_snapshot_params(session, run_id)
    steps = await read_steps(engine, run_id)
    return describe_ledger(run_id, steps, read_stop_limits(params).context, models)


def describe_ledger(
    run_id: str, steps: Sequence[Step], budget: int, models: Models | None
) -> dict[str, Any]:
    """The ledger as JSON values; without a language model there are no requests."""
    stage = next((s for s in read_stages(steps) if s.planner == "openai"), None)
    model = stage.model if stage else None
    prices = _find_prices(model, models) if stage else None
    requests = [*_list_requests(stage, prices)] if stage else []
    return {
        "run_id": run_id,
        "model": model,
        "tokenizer": {"name": TOKENIZER, "is_estimate": _is_estimate(model, models)},
        "requests": requests,
        "main_context": _describe_context(steps, budget),
        "throughput": _describe_throughput(stage, requests),
        "cost": _describe_cost(stage, prices, models),
        "tool_results": [*_list_results(steps)],
    }


def _list_requests(stage: Stage, prices: Prices | None) -> Iterator[dict[str, Any]]:
    for replied in select_payloads(stage.steps, ModelReplied):
        reply = replied.reply
        sent = reply.sent or Sent(parts={}, fresh={})
        cost = prices.charge(reply.usage) if prices else None
        yield {
            "turn": replied.turn,
            "parts": _show_parts(sent.parts),
            "total": sent.total.model_dump(),
            "new": add_sizes(sent.fresh.values()).model_dump(),
            "reported": _show_usage(reply.usage),
            "cost": None if cost is None else write_amount(cost),
        }


def _show_usage(usage: Usage) -> dict[str, int]:
    """As the service reports it: `new_tokens` are those that it had not cached."""
    return {
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "new_tokens": usage.input_tokens - usage.cached_tokens,
        "output_tokens": usage.output_tokens,
    }


def _show_parts(parts: dict[str, Size]) -> dict[str, Any]:
    return {part: size.model_dump() for part, size in sorted(parts.items())}


def _describe_context(steps: Sequence[Step], budget: int) -> dict[str, Any] | None:
    """The conversation as the model's stage left it; None before that."""
    for stopped in select_payloads(steps, PlannerStopped):
        if stopped.context:
            total = add_sizes(stopped.context.values())
            return {
                "parts": _show_parts(stopped.context),
                "total": total.model_dump(),
                "budget_tokens": budget,
                "fits": total.tokens <= budget and stopped.stop != _FULL,
            }
    return None


def _describe_throughput(stage: Stage | None, requests: Sequence[Any]) -> dict[str, Any]:
    counted = add_sizes(Size.model_validate(request["total"]) for request in requests)
    usage = stage.usage if stage else Usage()
    return {
        "requests": len(requests),
        "counted": counted.model_dump(),
        "reported": _show_usage(usage),
    }


def _describe_cost(
    stage: Stage | None, prices: Prices | None, models: Models | None
) -> dict[str, Any] | None:
    if stage is None or prices is None or models is None:
        return None
    return show_cost(prices.charge(stage.usage), models.currency)


def _list_results(steps: Sequence[Step]) -> Iterator[dict[str, Any]]:
    """What each answer of a source put into the context, and how much it was before."""
    for called in select_payloads(steps, ToolCalled):
        use, outcome = called.outcome.source, called.outcome
        if use is not None and use.error is None:
            sizes = {key: getattr(use, key) for key in _SIZES}
            yield {"number": outcome.number, "tool": outcome.tool, **sizes}


_FULL = str(StopReason.CONTEXT_BUDGET)
"""The service may count more tokens than we do, and is believed."""

_SIZES = ("raw_bytes", "projected_bytes", "sent_bytes")


def _find_prices(model: str | None, models: Models | None) -> Prices | None:
    try:
        return models.find(model).prices if models else None
    except ConfigurationError:
        return None


def _is_estimate(model: str | None, models: Models | None) -> bool:
    try:
        config = models.find(model) if models and model else None
    except ConfigurationError:
        config = None
    return is_estimate((config.model or config.name) if config else (model or ""))
