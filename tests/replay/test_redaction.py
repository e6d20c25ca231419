"""A redacted export has none of the traveller's words, says so, and verifies as such."""

import json

import pytest

from backend.agent.replies import calls, says
from backend.planner.plan.draft import Draft
from backend.replay.redaction import UnsoundExportError, redact
from backend.replay.verify import verify
from backend.runs.log.steps import RevisionBegun
from tests.replay.runs import (
    NOTES,
    TITLE,
    change,
    copy_export,
    make_pool,
    make_wordy_pool,
    plan,
    scripted,
)


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


async def test_a_message_and_the_name_of_a_place_to_come_from_are_words_too() -> None:
    home = {"lat": 39.9, "lon": 116.4, "name": "外婆家楼下的车站"}
    pool = make_pool(arrival={"time": "10:00", "place": home}, locale="zh-CN")
    begun = RevisionBegun(revision_of="run_x", wish="第三天想在外婆家吃饭", draft=Draft())
    model = scripted(
        calls("list_pois", city="beijing", q="第三天想在外婆家吃饭"),
        calls("put_visit", day=1, poi_id="bj-gugong"),
        says("在外婆家吃饭"),
        calls("view_itinerary"),
    )
    whole = await plan(pool, model, planner="openai", begun=begun)
    assert (await verify(whole)).difference is None
    bare = copy_export(await redact(whole))
    text = json.dumps(bare.document, ensure_ascii=False)
    assert "外婆" in json.dumps(whole.document, ensure_ascii=False)
    assert "外婆" not in text
    assert "[arrival]" in text
    assert "[message 1]" in text
    assert (await verify(bare)).verified is True


async def test_what_anybody_may_read_stays_but_in_the_travellers_own_fields() -> None:
    booking = {"title": "lunch", "start": "2026-10-14T12:00", "end": "2026-10-14T13:30"}
    name = make_pool().rows.pois["bj-gugong"].name
    pool = make_pool(notes=name, fixed=[booking])
    model = scripted(
        calls("list_pois", city="beijing", q=name),
        calls("put_visit", day=1, poi_id="bj-gugong"),
        calls("view_itinerary"),
    )
    whole = await plan(pool, model, planner="openai")
    bare = await redact(whole)
    assert bare.snapshot.request.notes == "[note]"
    assert bare.snapshot.request.fixed[0].title == "[booking 1]"
    listed, was = (e.document["steps"][2]["payload"] for e in (bare, whole))
    assert listed["call"] == was["call"]
    assert listed["outcome"]["listed"] == was["outcome"]["listed"] != []
