"""A redacted export has none of the traveller's words, says so, and verifies as such."""

import json

import pytest

from backend.agent.scripted_llm import calls, says
from backend.replay.redaction import UnsoundExportError, redact
from backend.replay.verify import verify
from tests.replay.runs import NOTES, TITLE, change, copy_export, make_wordy_pool, plan, scripted


async def test_words_are_gone_and_everything_else_holds() -> None:
    whole = await plan(
        make_wordy_pool(),
        scripted(
            says(f"You said: {NOTES[:12]}"),
            calls("list_pois", city="beijing", q=TITLE),
            calls("put_visit", day=2, poi_id="bj-gugong"),
            calls("view_itinerary"),
        ),
        planner="openai",
    )
    assert TITLE in json.dumps(whole.document["steps"], ensure_ascii=False)
    bare = copy_export(await redact(whole))
    text = json.dumps(bare.document, ensure_ascii=False)
    for word in (NOTES, NOTES[:12], TITLE):
        assert word not in text
    assert bare.document["original_snapshot_sha256"] == whole.snapshot.sha256
    assert bare.snapshot.sha256 != whole.snapshot.sha256
    verification = await verify(bare)
    assert (verification.difference, verification.is_redacted) == (None, True)
    assert bare.result["usage"] == whole.result["usage"]
    assert copy_export(await redact(whole)).document == bare.document


async def test_what_does_not_verify_is_not_redacted() -> None:
    whole = await plan(make_wordy_pool())
    with pytest.raises(UnsoundExportError, match="/result/itinerary"):
        await redact(change(whole, "/result/itinerary/currency", "EUR", is_sealed=True))
