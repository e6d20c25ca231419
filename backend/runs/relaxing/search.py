"""Finds the change of least effort under which the trip can be done, by planning it.

Trials are few and bounded by number. Each is planned for its must-sees alone first, in a fraction
of the time; the one that wins is planned in full. Money is no trial of its own: a plan that only
costs too much says itself how much it needs.
"""

import heapq
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import NamedTuple

from backend.errors import WaypoolError
from backend.planner.days.trip import plan_trip as lay_out
from backend.planner.plan.draft import Draft
from backend.planner.search.must_see import is_room_for_all
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Snapshot
from backend.runs.life.verdict import UNSEEN, Findings
from backend.runs.relaxing.change import LEGS, Diagnosis, apply_all, sum_effort
from backend.runs.relaxing.suggestions import (
    Option,
    list_last_options,
    list_options,
    name_option,
    suggest_money,
)
from backend.runs.relaxing.trial import (
    Trial,
    fill,
    judge_draft,
    keep_must_sees,
    plan_trip,
    with_budget,
    with_request,
)

MOST_PLANNED = 6
"""Trials that are planned; those that need none do not count."""

MOST_FILLED = 5
"""Arrangements of the whole pool: one of many days takes as long as several bare plans."""

MOST_DAYS = 60
"""Days of all plans of a search, after which it only ends what it is at; twice as many where
nothing was found yet. Days, not seconds: the same request gets the same answer on a busy machine.
"""

MOST_PROOFS = 4
"""Plans of what was found, as a run would make them: one that fails is answered by more money."""

MOST_REFUTED = 2
"""Changes that are given up because the plan of a run shows that they do not help."""

MOST_GROWN = 2
"""How often what asks much is made larger."""

CLOSER_LOOKS = 2
"""Halvings of the money asked for."""

ABOUT_VISITS = frozenset({"extend_day", "leave_out"})
"""Changes that take no train and no booking out of the way."""

BuildPool = Callable[[PlanRequest], Awaitable[Snapshot]]


@dataclass(frozen=True)
class Relaxation:
    """What is to change, and the plan that proves it; `is_full` where nothing more fits in.

    Nothing is to change where the search came upon a plan for the request as it is.
    """

    changes: Option
    trial: Trial
    is_full: bool

    @property
    def effort(self) -> float:
        """What it asks."""
        return sum_effort(self.changes)


class _Waiting(NamedTuple):
    """An option to be tried from where a plan stands; with `is_free` as if money were no matter."""

    effort: float
    number: int
    option: Option
    ground: Diagnosis
    is_free: bool


async def find_relaxation(
    snapshot: Snapshot, draft: Draft, findings: Findings, build: BuildPool
) -> Relaxation | None:
    """The relaxation of least effort among those tried; None where none of them works."""
    diagnosis = Diagnosis(snapshot, draft, findings)
    if not diagnosis.is_known:
        return None
    return await _Search(diagnosis, build).find()


def find_for_draft(snapshot: Snapshot, draft: Draft, findings: Findings) -> Relaxation | None:
    """The one of least effort under which this very draft is sound: it is what the traveller wants."""
    diagnosis = Diagnosis(snapshot, draft, findings)
    if not diagnosis.is_known:
        return None
    options = [(), *list_options(diagnosis)]
    found = (_accept_draft(diagnosis, option) for option in options)
    return min(filter(None, found), key=lambda one: one.effort, default=None)


def _accept_draft(diagnosis: Diagnosis, option: Option) -> Relaxation | None:
    request = apply_all(diagnosis.snapshot.request, option)
    if any(change.is_elsewhen for change in option):
        return None
    trial = judge_draft(with_request(diagnosis.snapshot, request), diagnosis.draft)
    return accept(diagnosis, option, trial)


def accept(
    diagnosis: Diagnosis, changes: Option, trial: Trial, *, is_full: bool = False
) -> Relaxation | None:
    """The changes with just the money that the plan needs; None where the plan does not do.

    No changes: the plan does what was asked, which the planner had not found.
    """
    asked = diagnosis.snapshot.request
    option = _without_money(changes)
    budget = asked.budget_total
    if budget is not None and trial.total > budget:
        option = (*option, suggest_money(diagnosis, trial.findings.itinerary))
    request = apply_all(asked, option)
    proved = judge_draft(with_request(trial.snapshot, request), trial.draft)
    return None if proved.findings.clashes else Relaxation(option, proved, is_full)


def _without_money(changes: Option) -> Option:
    return tuple(change for change in changes if change.kind != "raise_budget")


class _Search:
    def __init__(self, diagnosis: Diagnosis, build: BuildPool) -> None:
        self._diagnosis, self._build = diagnosis, build
        self._asked = diagnosis.snapshot.request
        self._days = 0
        self._planned = self._filled = 0
        self._queue: list[_Waiting] = []
        self._numbers = count()
        self._known: set[tuple[str, bool]] = set()
        self._found: list[Relaxation] = []
        self._refuted: set[str] = set()

    @property
    def _best(self) -> Relaxation | None:
        return min(self._found, key=lambda one: one.effort, default=None)

    async def find(self) -> Relaxation | None:
        """What was found and then proved by the plan that a run of the changed request makes."""
        if self._diagnosis.is_only_budget:
            found = await self.find_budget()
            return None if found is None else await self._prove(found)
        await self._begin()
        for _ in range(MOST_REFUTED + 1):
            found = await self.find_best()
            proved = None if found is None else await self._prove(found)
            if found is None or proved is not None or self._is_late():
                return proved
            self._refuted.add(name_option(_without_money(found.changes)))
            self._found = [one for one in self._found if not self._is_refuted(one)]
        return None

    def _is_refuted(self, found: Relaxation) -> bool:
        return name_option(_without_money(found.changes)) in self._refuted

    async def _prove(self, found: Relaxation) -> Relaxation | None:
        """Plan the changed request anew, as a run does; a plan without a visit proves nothing."""
        if not found.changes and found.trial.draft.poi_ids:
            return found
        for _ in range(MOST_PROOFS):
            proof = await self._plan_as_run(found)
            codes = {clash.violation.code for clash in proof.findings.clashes}
            is_sound, is_seen = codes <= {UNSEEN}, bool(proof.draft.poi_ids)
            if is_sound and (is_seen or self._is_without_places(proof.snapshot)):
                is_shown = bool(found.trial.draft.poi_ids) or not is_seen
                return found if is_shown else Relaxation(found.changes, proof, is_full=True)
            if self._asked.budget_total is None:
                return None
            dearer = await self._spend_more(found, proof) if is_sound else proof
            more = self._accept(found.changes, dearer)
            if more is None or more.trial.total <= found.trial.total:
                return None
            found = more
        return None

    async def _plan_as_run(self, found: Relaxation) -> Trial:
        request = apply_all(self._asked, found.changes)
        try:
            snapshot = await self._build(request)
        except WaypoolError:  # no catalogue at hand: the pool of the run has to do
            snapshot = with_request(found.trial.snapshot, request)
        self._days += snapshot.request.days
        proof = await plan_trip(snapshot)
        if all(clash.violation.code == UNSEEN for clash in proof.findings.clashes):
            return proof
        bare = await self._plan_bare(snapshot)  # as the search of that run begins
        full = await self._fill_up(snapshot, bare.draft)
        return bare if full.findings.clashes and not bare.findings.clashes else full

    def _is_without_places(self, snapshot: Snapshot) -> bool:
        return not any(pool.pois for pool in snapshot.cities.values())

    async def _is_worth_going(self, trial: Trial) -> bool:
        """Whether anything can be seen with these trains and beds, if money is no matter."""
        if trial.draft.poi_ids or self._is_without_places(trial.snapshot):
            return True
        full = await self._fill_up(with_budget(trial.snapshot, None), trial.draft)
        return bool(full.draft.poi_ids)

    async def _spend_more(self, found: Relaxation, proof: Trial) -> Trial:
        """A plan of the same trains and beds with visits, at about a third of what all would cost."""
        full = await self._fill_up(with_budget(proof.snapshot, None), proof.draft)
        third = found.trial.total + (full.total - found.trial.total) / 3
        some = await self._fill_up(
            with_budget(proof.snapshot, third.quantize(Decimal(1))), proof.draft
        )
        return some if some.draft.poi_ids else full

    async def find_budget(self) -> Relaxation | None:
        """The least budget for what must be, with all that fits in it; else that of the plan at hand."""
        snapshot = self._diagnosis.snapshot
        at_hand = self._accept((), judge_draft(snapshot, self._diagnosis.draft))
        found = self._accept((), await self._plan_bare(snapshot))
        if found is None or (at_hand is not None and at_hand.trial.total <= found.trial.total):
            found = at_hand
        return None if found is None else await self._fill(found)

    async def _begin(self) -> None:
        """The request as it is, planned for its must-sees first, may do after all."""
        self._push(list_options(self._diagnosis), self._diagnosis, is_free=False)
        await self._note((), await self._plan_bare(self._diagnosis.snapshot))
        if self._best is None and self._asked.budget_total is not None:
            await self._look_without_money()

    async def find_best(self) -> Relaxation | None:
        """Options by effort, until nothing that is left asks less than what was found."""
        while self._queue and not self._is_over(self._queue[0].effort):
            await self._try(heapq.heappop(self._queue))
        if self._best is None:
            await self._try_last()
        if self._best is None:
            return None
        return await self._fill(await self._spend_less(self._best))

    async def _try_last(self) -> None:
        """Two trials more, for what asks much; each may grow twice, since nothing else is left."""
        for option in list_last_options(self._diagnosis):
            place = sum_effort(option), next(self._numbers)
            self._queue = [_Waiting(*place, option, self._diagnosis, is_free=False)]
            for _ in range(1 + MOST_GROWN):
                if self._queue and self._best is None and not self._is_late():
                    self._planned = min(self._planned, MOST_PLANNED - 1)
                    await self._try(heapq.heappop(self._queue))

    def _push(self, options: Iterable[Option], ground: Diagnosis, *, is_free: bool) -> None:
        for option in options:
            name = name_option(option), is_free
            if name not in self._known:
                self._known.add(name)
                place = sum_effort(option), next(self._numbers)
                heapq.heappush(self._queue, _Waiting(*place, option, ground, is_free))

    def _is_late(self) -> bool:
        return self._days > (MOST_DAYS if self._best is not None else 2 * MOST_DAYS)

    async def _fill_up(self, snapshot: Snapshot, draft: Draft) -> Trial:
        """The draft with what else of the pool fits; each day counts."""
        self._days += snapshot.request.days
        return await fill(snapshot, draft)

    def _is_over(self, effort: float) -> bool:
        return self._best is not None and self._best.effort <= effort

    async def _look_without_money(self) -> None:
        """What clashes even if money is no matter is not the budget's doing."""
        snapshot = with_budget(self._diagnosis.snapshot, None)
        trial = await self._plan_trial(snapshot)
        if trial is None or await self._note((), trial):
            return
        ground = Diagnosis(trial.snapshot, trial.draft, trial.findings)
        if ground.missing != self._diagnosis.missing or ground.cramped != self._diagnosis.cramped:
            self._push(list_options(ground), ground, is_free=True)

    async def _try(self, waiting: _Waiting) -> None:
        request = apply_all(self._asked, waiting.option)
        if any(change.is_elsewhen for change in waiting.option):
            if self._planned < MOST_PLANNED and not self._is_late():
                await self._try_elsewhen(waiting, request)
            return
        snapshot = with_request(self._diagnosis.snapshot, request)
        snapshot = with_budget(snapshot, None) if waiting.is_free else snapshot
        if _is_vain(snapshot, waiting) or self._has_no_room(snapshot, waiting.ground.draft):
            return
        draft, is_full = waiting.ground.draft, waiting.ground.is_full and not waiting.is_free
        found = await self._note(waiting.option, judge_draft(snapshot, draft), is_full=is_full)
        if found or self._is_late():  # what needs no planning is looked at all the same
            return
        if self._filled < MOST_FILLED:
            self._filled += 1
            if await self._note(waiting.option, await self._fill_up(snapshot, draft), is_full=True):
                return
        await self._try_planned(waiting, snapshot)

    async def _try_elsewhen(self, waiting: _Waiting, request: PlanRequest) -> None:
        try:
            snapshot = await self._build(request)
        except WaypoolError:  # no catalogue at hand, or dates beyond it
            return
        await self._try_planned(
            waiting, with_budget(snapshot, None) if waiting.is_free else snapshot
        )

    async def _try_planned(self, waiting: _Waiting, snapshot: Snapshot) -> None:
        trial = await self._plan_trial(snapshot)
        if trial is None or await self._note(waiting.option, trial):
            return
        failed = Diagnosis(trial.snapshot, trial.draft, trial.findings)
        for change in waiting.option:
            if change.grow is not None:
                rest = tuple(other for other in waiting.option if other is not change)
                grown = [(*rest, larger) for larger in change.grow(failed)]
                self._push(grown, waiting.ground, is_free=waiting.is_free)

    async def _plan_trial(self, snapshot: Snapshot) -> Trial | None:
        if self._planned >= MOST_PLANNED or self._is_late():
            return None
        self._planned += 1
        return await self._plan_bare(snapshot)

    async def _plan_bare(self, snapshot: Snapshot) -> Trial:
        self._days += snapshot.request.days
        bare = await plan_trip(keep_must_sees(snapshot))
        return judge_draft(snapshot, bare.draft)

    async def _note(self, option: Option, trial: Trial, *, is_full: bool = False) -> bool:
        found = self._accept(option, trial, is_full=is_full)
        if found is None or self._is_refuted(found) or not await self._is_worth_going(trial):
            return False
        self._found.append(found)
        return True

    def _accept(self, changes: Option, trial: Trial, *, is_full: bool = False) -> Relaxation | None:
        return accept(self._diagnosis, changes, trial, is_full=is_full)

    async def _spend_less(self, found: Relaxation) -> Relaxation:
        """Halve the money that is asked for, as long as it does."""
        least, too_little = found, self._asked.budget_total
        for _ in range(CLOSER_LOOKS):
            if too_little is None or least.trial.total <= too_little or self._is_late():
                break
            middle = ((least.trial.total + too_little) / 2).quantize(Decimal(1))
            less = self._accept(
                least.changes, await self._plan_bare(with_budget(least.trial.snapshot, middle))
            )
            if less is None or less.trial.total >= least.trial.total:
                too_little = middle
            else:
                least = less
        return least

    async def _fill(self, found: Relaxation) -> Relaxation:
        """With everything else that fits, within the same money."""
        if found.is_full or self._is_late():
            return found
        for draft in self._list_grounds(found.trial):
            full = await self._fill_up(found.trial.snapshot, draft)
            is_less = len(full.draft.poi_ids) < len(found.trial.draft.poi_ids)
            if full.findings.clashes or is_less:
                continue
            return self._accept(found.changes, full, is_full=True) or found
        return found

    def _list_grounds(self, trial: Trial) -> list[Draft]:
        """The trial's hotels were chosen for its must-sees alone: rather those of the plan at hand."""
        known = {
            city: hotel_id
            for city, hotel_id in self._diagnosis.draft.hotels.items()
            if city in trial.draft.hotels and trial.snapshot.hotel(hotel_id) is not None
        }
        hotels = {**trial.draft.hotels, **known}
        if self._asked.budget_total is not None or hotels == trial.draft.hotels:
            return [trial.draft]
        return [trial.draft.model_copy(update={"hotels": hotels}), trial.draft]

    def _has_no_room(self, snapshot: Snapshot, draft: Draft) -> bool:
        """Whether must-sees do not fit with the trains at hand: then times alone do not help."""
        bare = draft.model_copy(update={"visits": {}})
        return not is_room_for_all(lay_out(snapshot, bare), bare)


def _is_vain(snapshot: Snapshot, waiting: _Waiting) -> bool:
    """Whether trains that cannot be caught even without a visit are met with other visits or hours."""
    if any(change.kind not in ABOUT_VISITS for change in waiting.option):
        return False
    bare = waiting.ground.draft.model_copy(update={"visits": {}})
    clashes = judge_draft(snapshot, bare).findings.clashes
    return any(clash.violation.code in LEGS for clash in clashes)
