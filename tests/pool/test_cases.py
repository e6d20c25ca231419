"""The acceptance cases: a catalogue in the import format, requests, and the pool each must give."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.catalogue.importers.catalogue_csv import import_catalogue
from backend.db.session import transaction
from backend.params.registry import default_values
from backend.pool.build import preview_document
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService

CASES = Path(__file__).parent / "cases"


def read_cases(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((CASES / name / "cases.json").read_text())
    return cases


@pytest.mark.sql
@pytest.mark.parametrize(("name", "count"), [("pool-1", 16), ("pool-2", 8), ("pool-3", 14)])
async def test_every_case_gives_its_pool(engine: AsyncEngine, name: str, count: int) -> None:
    async with transaction(engine) as session:
        await import_catalogue(session, CASES / name / "catalogue")
    cases = read_cases(name)
    assert len(cases) == count
    for case in cases:
        params = default_values() | case["params"]
        async with transaction(engine) as session:
            request = await resolve_request(session, case["request"], params)
            snapshot = await CandidatePoolService(session).build(request, params)
        shown = preview_document(snapshot, "en")
        assert select_like(case["expected"], shown) == case["expected"], case["name"]


def select_like(wanted: Any, given: Any) -> Any:
    """The part of `given` that `wanted` names: other keys are free."""
    if isinstance(wanted, dict) and isinstance(given, dict):
        return {key: select_like(value, given.get(key)) for key, value in wanted.items()}
    if isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        return [select_like(a, b) for a, b in zip(wanted, given, strict=True)]
    return given
