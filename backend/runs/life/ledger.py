"""The account of a run, read off its log: what each request to the model held, and what it cost.

The main context at the end says whether it fits; the throughput, what was paid for.
"""

from collections.abc import Iterator, Sequence

from pydantic import Field

from backend.agent.ledger import TOKENIZER, StopReason, is_estimate, read_stop_limits
from backend.agent.llm import Sent, Size, Usage, add_sizes
from backend.agent.models import Models, Prices
from backend.db.session import Engine, transaction
from backend.document import Document
from backend.errors import ConfigurationError
from backend.runs.life.admission import CostDocument, show_cost, write_amount
from backend.runs.life.commands import get_run
from backend.runs.log.queries import read_snapshot_params
from backend.runs.log.run_log import Stage, read_stages, read_steps
from backend.runs.log.steps import ModelReplied, PlannerStopped, Step, ToolCalled, select_payloads


class ReportedDocument(Document):
    """Tokens as the service reports them; `new_tokens` were not cached."""

    input_tokens: int
    cached_tokens: int
    new_tokens: int
    output_tokens: int


class SentDocument(Document):
    """One request to the model; parts: system, tools, request, model, nudge, and tool:NAME each."""

    turn: int
    parts: dict[str, Size]
    total: Size
    new: Size = Field(description="What no request before it held.")
    reported: ReportedDocument
    cost: str | None


class TokenizerDocument(Document):
    """What tokens are counted with; an estimate where the model has another one."""

    name: str
    is_estimate: bool


class ContextDocument(Document):
    """The conversation at its end."""

    parts: dict[str, Size]
    total: Size
    budget_tokens: int
    fits: bool


class ThroughputDocument(Document):
    """All requests together: `counted` by us, `reported` by the service."""

    requests: int
    counted: Size
    reported: ReportedDocument


class ResultSizes(Document):
    """What the answer of a source took: as it came, projected, and as the model read it."""

    number: int = Field(description="Of the call in the run, from 1.")
    tool: str
    raw_bytes: int
    projected_bytes: int
    sent_bytes: int


class LedgerDocument(Document):
    """What a run's model was sent, and what it cost."""

    run_id: str
    model: str | None
    tokenizer: TokenizerDocument
    requests: tuple[SentDocument, ...]
    main_context: ContextDocument | None = Field(description="Null before the model has stopped.")
    throughput: ThroughputDocument
    cost: CostDocument | None
    tool_results: tuple[ResultSizes, ...] = Field(
        description="Calls whose result was larger before: raw, projected and sent bytes."
    )


async def read_ledger(
    engine: Engine, run_id: str, tenant: str | None, models: Models | None
) -> LedgerDocument:
    """The ledger of a run; `NotFoundError` where there is none for this tenant."""
    async with transaction(engine) as session:
        await get_run(session, run_id, tenant)
        params = await read_snapshot_params(session, run_id)
    steps = await read_steps(engine, run_id)
    return describe_ledger(run_id, steps, read_stop_limits(params).context, models)


def describe_ledger(
    run_id: str, steps: Sequence[Step], budget: int, models: Models | None
) -> LedgerDocument:
    """The ledger; without a language model there are no requests."""
    stage = next((s for s in read_stages(steps) if s.planner == "openai"), None)
    model = stage.model if stage else None
    prices = _find_prices(model, models) if stage else None
    requests = tuple(_list_requests(stage, prices)) if stage else ()
    return LedgerDocument(
        run_id=run_id,
        model=model,
        tokenizer=TokenizerDocument(name=TOKENIZER, is_estimate=_is_estimate(model, models)),
        requests=requests,
        main_context=_describe_context(steps, budget),
        throughput=_describe_throughput(stage, requests),
        cost=_describe_cost(stage, prices, models),
        tool_results=tuple(_list_results(steps)),
    )


def _list_requests(stage: Stage, prices: Prices | None) -> Iterator[SentDocument]:
    for replied in select_payloads(stage.steps, ModelReplied):
        reply = replied.reply
        sent = reply.sent or Sent(parts={}, fresh={})
        cost = prices.charge(reply.usage) if prices else None
        yield SentDocument(
            turn=replied.turn,
            parts=_sort_parts(sent.parts),
            total=sent.total,
            new=add_sizes(sent.fresh.values()),
            reported=_show_usage(reply.usage),
            cost=None if cost is None else write_amount(cost),
        )


def _show_usage(usage: Usage) -> ReportedDocument:
    """As the service reports it: `new_tokens` are those that it had not cached."""
    return ReportedDocument(
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        new_tokens=usage.input_tokens - usage.cached_tokens,
        output_tokens=usage.output_tokens,
    )


def _sort_parts(parts: dict[str, Size]) -> dict[str, Size]:
    return dict(sorted(parts.items()))


def _describe_context(steps: Sequence[Step], budget: int) -> ContextDocument | None:
    """The conversation as the model's stage left it; None before that."""
    for stopped in select_payloads(steps, PlannerStopped):
        if stopped.context:
            total = add_sizes(stopped.context.values())
            return ContextDocument(
                parts=_sort_parts(stopped.context),
                total=total,
                budget_tokens=budget,
                fits=total.tokens <= budget and stopped.stop != _FULL,
            )
    return None


def _describe_throughput(
    stage: Stage | None, requests: Sequence[SentDocument]
) -> ThroughputDocument:
    return ThroughputDocument(
        requests=len(requests),
        counted=add_sizes(request.total for request in requests),
        reported=_show_usage(stage.usage if stage else Usage()),
    )


def _describe_cost(
    stage: Stage | None, prices: Prices | None, models: Models | None
) -> CostDocument | None:
    if stage is None or prices is None or models is None:
        return None
    return show_cost(prices.charge(stage.usage), models.currency)


def _list_results(steps: Sequence[Step]) -> Iterator[ResultSizes]:
    """What each answer of a source put into the context, and how much it was before."""
    for called in select_payloads(steps, ToolCalled):
        use, outcome = called.outcome.source, called.outcome
        if use is not None and use.error is None:
            yield ResultSizes(
                number=outcome.number,
                tool=outcome.tool,
                raw_bytes=use.raw_bytes,
                projected_bytes=use.projected_bytes,
                sent_bytes=use.sent_bytes,
            )


_FULL = str(StopReason.CONTEXT_BUDGET)
"""The service may count more tokens than we do, and is believed."""


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
