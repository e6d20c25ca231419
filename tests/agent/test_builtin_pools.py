"""The built-in planner over real pools: every request ends in a sound plan or in a typed stop."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.ledger import StopReason
from backend.catalogue.importers.catalogue_csv import import_catalogue
from backend.db.session import transaction
from backend.params.registry import default_values
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.settings import find_data
from tests.agent.harness import Trial, run_trial

pytestmark = pytest.mark.sql

CASES = Path(__file__).parents[1] / "pool" / "cases"
UNAVOIDABLE = {"LEG_ORDER", "LEG_MISSED", "OVERLAP", "LEG_TOO_SHORT"}
"""A day trip whose only train home leaves before any train has come."""

SEED_REQUESTS: tuple[dict[str, Any], ...] = (
    {"destinations": [{"city": "北京"}], "days": 3, "origin": "上海", "interests": ["history"]},
    {"destinations": [{"city": "beijing"}], "days": 3, "must_see": ["beijing-mutianyu"]},
    {"destinations": [{"city": c} for c in ("xian", "luoyang")], "days": 5, "origin": "beijing"},
    {"destinations": [{"city": "chengdu"}], "days": 10, "pace": "packed", "locale": "en"},
    {"destinations": [{"city": "hangzhou"}], "days": 2, "pace": "relaxed", "origin": "nanjing"},
    {"destinations": [{"city": "shanghai"}], "days": 4, "origin": "wuhan", "budget_total": "4200"},
)


async def build(engine: AsyncEngine, request: dict[str, Any], **changed: Any) -> Snapshot:
    params = default_values() | changed
    async with transaction(engine) as session:
        resolved = await resolve_request(session, request, params)
        return await CandidatePoolService(session).build(resolved, params)


@pytest.fixture
async def seeded(engine: AsyncEngine) -> AsyncEngine:
    async with transaction(engine) as session:
        await import_catalogue(session, find_data("seed_data"))
    return engine


def check(trial: Trial) -> None:
    result, request = trial.result, trial.snapshot.request
    assert (result.stop is StopReason.SUBMITTED) == (trial.errors == [])
    if request.days <= 3:
        assert result.state.calls <= 40
    assert result.state.calls <= 90
    planned = set(result.state.draft.poi_ids)
    reasons = {v.code for v in trial.violations}
    missing = set(request.must_see) - planned
    assert not missing or reasons & {"MUST_SEE_CLOSED", "MUST_SEE_NO_FIT"}


@pytest.mark.parametrize("name", ["pool-1", "pool-2"])
async def test_acceptance_pools(engine: AsyncEngine, name: str) -> None:
    async with transaction(engine) as session:
        await import_catalogue(session, CASES / name / "catalogue")
    cases = json.loads((CASES / name / "cases.json").read_text())
    for case in cases[::3]:
        snapshot = await build(engine, case["request"], **case["params"])
        trial = await run_trial(snapshot, BuiltinPlanner())
        check(trial)
        assert set(trial.errors) <= UNAVOIDABLE, case["name"]


async def test_seed_requests(seeded: AsyncEngine) -> None:
    for request in SEED_REQUESTS:
        body = {"start_date": "2026-10-13", "travellers": 2, "budget_tier": "comfort", **request}
        snapshot = await build(seeded, body)
        trial = await run_trial(snapshot, BuiltinPlanner())
        check(trial)
        assert trial.result.stop is StopReason.SUBMITTED, request
        days = {day for day, visits in trial.result.state.draft.visits.items() if visits}
        assert len(days) >= snapshot.request.days - 1
