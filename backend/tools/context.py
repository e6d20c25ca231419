"""What a tool's handler can read: snapshot, draft, and the state that earlier calls have led to.

Stores a result that is too long for the model's context, and gives the model a handle instead.

This is only for results of unbounded size: a page of a list or one item in detail is always given
whole, and so is everything where there is no store.

What an admin may change about a tool; a row without a value means the code's default.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol, cast, get_args

from pydantic import Field, PlainSerializer

from backend.errors import OutOfBoundsError
from backend.planner.plan.draft import Draft, Locks
from backend.pool.snapshot import Kind, Snapshot
from backend.results.values import count_tokens, write_json
from backend.text import Locale, quote
from backend.tools.call import Recorded, SourceUse, ToolOutcome

HandleMode = Literal["auto", "never", "always"]

MIN_RETURN_ROWS, MAX_RETURN_ROWS = 1, 200
HANDLE_THRESHOLD_TOKENS = 800
MAX_HANDLE_THRESHOLD = 100_000


@dataclass(frozen=True)
class ToolLimit:
    """A tool's row of `function_tool`; `max_return_rows` None is the code's default."""

    enabled: bool = True
    max_return_rows: int | None = None
    handle_mode: HandleMode = "never"
    handle_threshold_tokens: int = HANDLE_THRESHOLD_TOKENS


def check_return_rows(name: str, value: object) -> int:
    """`value` as a return limit, or an `OutOfBoundsError` that names the bounds."""
    if type(value) is int and MIN_RETURN_ROWS <= value <= MAX_RETURN_ROWS:  # a bool is none
        return value
    raise OutOfBoundsError(
        f"the return limit of {name} must be a whole number from {MIN_RETURN_ROWS}"
        f" to {MAX_RETURN_ROWS}, not {quote(value)}"
    )


def check_handle_mode(name: str, value: object) -> HandleMode:
    """`value` as a way with handles, or an `OutOfBoundsError` that names them."""
    for mode in get_args(HandleMode):
        if value == mode:
            return cast(HandleMode, mode)
    raise OutOfBoundsError(
        f"handle_mode of {name} must be auto, never or always, not {quote(value)}"
    )


def check_handle_threshold(name: str, value: object) -> int:
    """`value` as tokens from which on a result goes behind a handle."""
    if type(value) is int and 1 <= value <= MAX_HANDLE_THRESHOLD:
        return value
    raise OutOfBoundsError(
        f"handle_threshold_tokens of {name} must be a whole number from 1"
        f" to {MAX_HANDLE_THRESHOLD}, not {quote(value)}"
    )


class Results(Protocol):
    """A run's stored results."""

    async def put(self, content: Any, tool: str, filters: Mapping[str, Any]) -> dict[str, Any]:
        """Store a result; gives handle, state, summary and hint."""
        ...

    async def ask(self, handle: str, path: str | None, query: Any) -> dict[str, Any]:
        """Answer a question about a stored result."""
        ...


def needs_handle(content: Any, limit: ToolLimit) -> bool:
    """Whether a tool's row wants this result behind a handle."""
    if limit.handle_mode == "auto":
        return count_tokens(write_json(content)) > limit.handle_threshold_tokens
    return limit.handle_mode == "always"


async def put_away(
    content: dict[str, Any],
    tool: str,
    asked: Mapping[str, Any],
    limit: ToolLimit,
    results: Results,
) -> dict[str, Any]:
    """What the model reads: the content, or, once that is stored, its handle and summary."""
    return await results.put(content, tool, asked) if needs_handle(content, limit) else content


Ids = Annotated[frozenset[str], PlainSerializer(sorted, return_type=list[str], when_used="json")]


class RunState(Recorded):
    """What the calls of a run have led to; calls are numbered from 1, errors too.

    `edits` counts the calls that changed the draft; `first_calls` gives, for the key of a read
    call, the number of the first such call. `seen` is of `listed` what the present planner was
    shown: another one may have had the run before it. `failed_sources` gives the code of the last
    failure of each source that has not answered since.
    In the revision of a plan `locks` may not go out of it, `wish` is what the traveller wants
    changed, and `gone` are places that its edits left no room for.
    """

    draft: Draft = Draft()
    calls: Annotated[int, Field(ge=0)] = 0
    edits: Annotated[int, Field(ge=0)] = 0
    first_calls: dict[str, int] = Field(default_factory=dict)
    listed: dict[Kind, Ids] = Field(default_factory=dict)
    opened: dict[Kind, Ids] = Field(default_factory=dict)
    seen: dict[Kind, Ids] = Field(default_factory=dict)
    is_submitted: bool = False
    locks: Locks = Locks()
    wish: str = ""
    gone: tuple[str, ...] = ()
    failed_sources: dict[str, str] = Field(default_factory=dict)

    def after(self, outcome: ToolOutcome) -> "RunState":
        """The state after this outcome; applying the recorded outcomes one by one resumes a run."""
        draft = self.draft if outcome.draft is None else outcome.draft
        is_edit = draft != self.draft
        first_calls = self.first_calls
        if outcome.key and outcome.key not in first_calls:
            first_calls = {**first_calls, outcome.key: outcome.number}
        return RunState.model_construct(
            draft=draft,
            calls=outcome.number,
            edits=self.edits + is_edit,
            first_calls=first_calls,
            listed=_add(self.listed, outcome.kind, outcome.listed),
            opened=_add(self.opened, outcome.kind, outcome.opened),
            seen=_add(self.seen, outcome.kind, outcome.listed),
            is_submitted=outcome.is_submitted or (self.is_submitted and not is_edit),
            locks=self.locks,
            wish=self.wish,
            gone=self.gone,
            failed_sources=_note(self.failed_sources, outcome.source),
        )

    def listed_ids(self, kind: Kind) -> frozenset[str]:
        """Distinct ids of a kind that a list tool has shown."""
        return self.listed.get(kind, frozenset())

    def seen_ids(self, kind: Kind) -> frozenset[str]:
        """Those of them that the present planner was shown."""
        return self.seen.get(kind, frozenset())

    def opened_ids(self, kind: Kind) -> frozenset[str]:
        """Distinct ids of a kind that were read in detail."""
        return self.opened.get(kind, frozenset())


def _add(
    before: dict[Kind, frozenset[str]], kind: Kind | None, ids: tuple[str, ...]
) -> dict[Kind, frozenset[str]]:
    if kind is None or not ids:
        return before
    return {**before, kind: before.get(kind, frozenset()).union(ids)}


def _note(before: dict[str, str], use: SourceUse | None) -> dict[str, str]:
    if use is None:
        return before
    others = {name: code for name, code in before.items() if name != use.name}
    return others if use.error is None else {**others, use.name: use.error}


@dataclass(frozen=True)
class ToolContext:
    """All that a handler can reach.

    `max_rows` is the return limit that holds for this call; `results` is None where none can be
    stored, as in a call by hand.
    """

    snapshot: Snapshot
    state: RunState
    max_rows: int = 0
    results: Results | None = None

    @property
    def locale(self) -> Locale:
        """The language of hints and messages."""
        return self.snapshot.request.locale
