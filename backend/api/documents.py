"""What the API answers, for its schema: documents are made in the rooms below, a test compares both."""

from collections.abc import Iterable
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from backend.planner.plan.itinerary import Itinerary, Violation
from backend.pool.findings import FunnelStep
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Kind
from backend.runs.life.result import RunUsage
from backend.runs.log.events import EVENT, ErrorShown
from backend.runs.log.lifecycle import RunStatus

_REF = "#/components/schemas/{model}"

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class Document(BaseModel):
    """A closed answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SuggestionDocument(Document):
    """What would be right in the place of a faulty value."""

    id: str
    name: str


class FaultDocument(Document):
    """One thing wrong with a request."""

    pointer: str = Field(description="RFC 6901, or the name of a parameter or header.")
    code: str
    message: str
    suggestions: tuple[SuggestionDocument, ...] = Field(description="At most 4, nearest first.")


class Problem(Document):
    """An error (RFC 9457); `code` is stable, `detail` is for people."""

    type: Literal["about:blank"]
    title: str
    status: int
    code: str
    detail: str
    errors: tuple[FaultDocument, ...] = Field(
        (), description="The faults of a refused request, at most 100."
    )
    more: int | None = Field(None, description="How many faults there are beside these 100.")


class ClashDocument(Document):
    """A constraint that cannot be kept together with the others."""

    code: str
    amount: str | None = Field(description="By how much: money for OVER_BUDGET, else minutes.")
    message: str


class RelaxationDocument(Document):
    """The least that would make the request possible; `itinerary` is the best plan under it."""

    kind: str = Field(
        description="raise_budget, leave_out, add_day, extend_day, move_booking, omit_booking,"
        " move_arrival, move_departure, drop_city, or combination."
    )
    value: Any = Field(
        description="An amount, ids, or fields of the request as they become; of a combination its"
        " relaxations."
    )
    message: str


class CostDocument(Document):
    """What the model's replies cost, in the currency of the configured prices."""

    amount: str
    currency: str


class ResolvedDocument(Document):
    """What a name of the request was taken for; a group has an entry for each of its places."""

    pointer: str
    said: str
    id: str | None = Field(description="Null for an origin that the catalogue lacks.")
    name: str


class RunDocument(Document):
    """A run; what is made at its end is null or empty before."""

    id: str
    status: RunStatus
    created_at: Moment
    finished_at: Moment | None
    parent_run_id: str | None = Field(description="The run that this one came out of.")
    planner_used: Literal["builtin", "openai"] | None
    fallback_reason: str | None
    model: str | None = Field(description="The configured name of the language model.")
    request: PlanRequest
    resolved: tuple[ResolvedDocument, ...]
    snapshot_sha256: str | None
    catalogue_version: int | None
    funnel: dict[Kind, FunnelStep] | None
    itinerary: Itinerary | None
    violations: tuple[Violation, ...]
    clash: tuple[ClashDocument, ...] | None
    relaxation: RelaxationDocument | None
    usage: RunUsage
    cost: CostDocument | None = Field(description="Of the model; null where no price is known.")
    error: ErrorShown | None


class RunItem(Document):
    """A run in a list."""

    id: str
    status: RunStatus
    created_at: Moment
    finished_at: Moment | None
    cities: tuple[str, ...]
    start_date: str
    days: int
    planner: Literal["auto", "builtin", "openai"]
    snapshot_sha256: str | None
    pinned: bool


class OpenRunItem(Document):
    """A run that has not ended."""

    id: str
    tenant: str
    status: Literal["queued", "running"]
    executor: Literal["queue", "command"]
    created_at: Moment
    started_at: Moment | None
    deadline_at: Moment | None
    age_seconds: float
    is_cancelling: bool
    steps: int
    last_step: str
    last_step_at: Moment


class StepItem(Document):
    """A step of the run log."""

    seq: int
    kind: str
    at: Moment
    payload: dict[str, Any]


class SizeDocument(Document):
    """How long a text is; tokens by the ledger's tokenizer."""

    bytes: int
    characters: int
    tokens: int


class ReportedDocument(Document):
    """Tokens as the service reports them; `new_tokens` were not cached."""

    input_tokens: int
    cached_tokens: int
    new_tokens: int
    output_tokens: int


class SentDocument(Document):
    """One request to the model; parts: system, tools, request, model, nudge, and tool:NAME each."""

    turn: int
    parts: dict[str, SizeDocument]
    total: SizeDocument
    new: SizeDocument = Field(description="What no request before it held.")
    reported: ReportedDocument
    cost: str | None


class TokenizerDocument(Document):
    """What tokens are counted with; an estimate where the model has another one."""

    name: str
    is_estimate: bool


class ContextDocument(Document):
    """The conversation at its end."""

    parts: dict[str, SizeDocument]
    total: SizeDocument
    budget_tokens: int
    fits: bool


class ThroughputDocument(Document):
    """All requests together: `counted` by us, `reported` by the service."""

    requests: int
    counted: SizeDocument
    reported: ReportedDocument


class LedgerDocument(Document):
    """What a run's model was sent, and what it cost."""

    run_id: str
    model: str | None
    tokenizer: TokenizerDocument
    requests: tuple[SentDocument, ...]
    main_context: ContextDocument | None = Field(description="Null before the model has stopped.")
    throughput: ThroughputDocument
    cost: CostDocument | None
    tool_results: tuple[dict[str, Any], ...] = Field(
        description="Calls whose result was larger before: raw, projected and sent bytes."
    )


class ResultItem(Document):
    """A large result that a run has stored."""

    id: str = Field(description="Its handle.")
    state: Literal["pending", "ready", "failed", "expired"]
    run_id: str | None
    tool: str | None
    bytes: int
    created_at: Moment
    last_read_at: Moment
    pinned: bool
    expires_at: Moment | None = Field(
        description="If nobody reads it any more; null while a run needs it, or where it is pinned."
    )
    summary: dict[str, Any] | None = Field(description="Null where there is none (any more).")


class WhyDocument(Document):
    """Why a place is or is not in an itinerary."""

    poi_id: str
    name: str
    reason: str
    message: str
    source: Literal["snapshot", "catalogue"]
    rank: int | None


class DroppedDocument(Document):
    """Rows that a rule has kept out of a run's pool."""

    items: tuple[dict[str, Any], ...]
    next_cursor: int | None
    total: int = Field(description="Rows that match.")
    counted: int = Field(description="By the run's funnel.")
    source: Literal["snapshot", "catalogue"]
    is_exact: bool = Field(description="The run's own rows; else the catalogue has changed since.")


class ParamItem(Document):
    """A parameter."""

    key: str
    value: Any
    default: Any
    type: str
    minimum: Any
    maximum: Any
    description: str
    version: int
    updated_at: Moment | None


class ToolItem(Document):
    """A tool's row."""

    name: str
    enabled: bool
    max_return_rows: int | None
    default_rows: int | None
    handle_mode: str
    handle_threshold_tokens: int
    version: int
    updated_at: Moment


class SourceItem(Document):
    """A source's row; `spec` is a `Source`."""

    name: str
    enabled: bool
    question: str
    cities: tuple[str, ...]
    spec: dict[str, Any]
    version: int
    updated_at: Moment


class TrialDocument(Document):
    """What a call would give: the bytes of the response, of the facts, of what the model reads.

    A source that fails gives its `error` instead.
    """

    ok: bool
    name: str
    address: str | None = None
    arguments: dict[str, Any] | None = None
    cached: bool | None = None
    raw_bytes: int | None = None
    projected_bytes: int | None = None
    sent_bytes: int | None = None
    sent_tokens: int | None = None
    answer: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class AuditItem(Document):
    """A change; `old` and `new` are values, of a tool or a row of the catalogue objects."""

    id: int
    at: Moment
    who: str = Field(description="Id of the key, or `operator` for the command line.")
    kind: str
    subject: str
    version: int | None = Field(description="The version that the change made.")
    old: Any
    new: Any
    why: str | None


class FeedbackDocument(Document):
    """A word about a plan, as kept."""

    run_id: str
    rating: int
    comment: str | None
    at: Moment


class RowChangeDocument(Document):
    """What the catalogue says otherwise of a thing in the plan; `fields` are `[then, now]`."""

    kind: Kind
    id: str
    name: str
    change: str = Field(
        description="gone, closed, not_running, dearer, cheaper, price_known, price_unknown, changed"
    )
    fields: dict[str, tuple[Any, ...]]


class RecheckDocument(Document):
    """Whether a plan still holds; of an infeasible run, the one under its `relaxation`."""

    run_id: str
    status: str
    relaxation: str | None
    holds: bool
    catalogue_version: dict[str, int]
    changes: tuple[RowChangeDocument, ...]
    violations: tuple[Violation, ...] = Field(description="Those that have come since.")
    costs: dict[str, dict[str, str]]


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


class StatsDocument(Document):
    """Figures by group; `changes` lie in the span, `previous` is the span before."""

    since: Moment
    until: Moment
    by: Literal["city", "model", "tenant", "tool"]
    runs: int
    truncated: bool
    timeline: tuple[dict[str, Any], ...] = Field(description="Runs by when they ended.")
    groups: tuple[dict[str, Any], ...]
    previous: tuple[dict[str, Any], ...] | None
    changes: tuple[AuditItem, ...]
    findings: tuple[FindingDocument, ...]


class DifferenceDocument(Document):
    """Where a replay parts from its recording."""

    path: str = Field(description="RFC 6901, within the export.")
    expected: Any
    found: Any


class ReplayDocument(Document):
    """What a replay came to; `run_id` names the new run of a live one, `replay_id` a verification.

    One that has found a difference is `done`; `failed` is one that could not be done.
    """

    mode: Literal["verify", "live"]
    replayed: str
    run_id: str | None
    replay_id: str | None = None
    status: Literal["queued", "done", "failed"]
    verified: bool | None = None
    redacted: bool | None = None
    check: str | None = Field(None, description="What differs first, or `all`.")
    calls_computed: int | None = None
    calls_recorded: int | None = None
    difference: DifferenceDocument | None = None
    error: dict[str, str] | None = Field(None, description="`code` and `message`.")


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


class CatalogueRow(Document):
    """A row under the names of the catalogue's files."""

    row: dict[str, Any]
    catalogue_version: int


class ListCostDocument(Document):
    """What it takes to read a list to its end, over all cities or legs."""

    pages: int
    rows: int
    first_tokens: int = Field(description="Tokens of the first pages.")
    tokens: int


class PoolSideDocument(Document):
    """A pool as `waypool pool preview` shows it, its funnel, and what its lists cost."""

    cities: dict[str, Any]
    legs: tuple[dict[str, Any], ...]
    warnings: tuple[dict[str, Any], ...]
    resolved: tuple[ResolvedDocument, ...]
    sha256: str
    funnel: dict[Kind, FunnelStep]
    lists: dict[str, ListCostDocument]


class MovedDocument(Document):
    """Candidates that only one of two pools has."""

    entered: tuple[dict[str, str], ...]
    left: tuple[dict[str, str], ...]


class PoolTrialDocument(Document):
    """Today's pool beside the proposed one."""

    today: PoolSideDocument
    proposed: PoolSideDocument
    changes: dict[Kind, MovedDocument]


class HealthDocument(Document):
    """Alive or ready."""

    status: Literal["ok", "ready"]
    revision: str | None = None


Entry = TypeVar("Entry")


class Page(Document, Generic[Entry]):
    """A page, newest first; `next_cursor` is null on the last one."""

    items: tuple[Entry, ...]
    next_cursor: str | int | None


_PROBLEMS = {
    400: "The body is no JSON, or the address holds a NUL character.",
    401: "No key, or one that is unknown or revoked.",
    403: "The key lacks the scope.",
    404: "No such thing for this tenant.",
    409: "The request contradicts the present state.",
    412: "Somebody else has changed it in the meantime.",
    413: "The body is too large.",
    422: "Everything that is wrong with the request.",
    429: "The tenant has as many waiting runs, or has spent as much, as it may; the detail says more.",
    503: "The database is away or busy; try again after `Retry-After` seconds.",
}

Responses = dict[int | str, dict[str, Any]]


def document_problems(*more: int) -> Responses:
    """The problems that any call may answer with, and some of its own."""
    schema = {"$ref": _REF.format(model="Problem")}
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/problem+json": {"schema": schema}},
        }
        for status in sorted({400, 422, 503, *more})
    }


def list_schemas(bodies: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """Schemas that no signature names: bodies, the problem document, the events of a run."""
    schemas: dict[str, Any] = {}
    for name, schema in (
        *((model.__name__, model.model_json_schema(ref_template=_REF)) for model in bodies),
        ("Problem", Problem.model_json_schema(ref_template=_REF)),
        ("RunEvent", EVENT.json_schema(ref_template=_REF, mode="serialization")),
    ):
        schemas.update(schema.pop("$defs", {}))
        schemas[name] = schema
    return schemas
