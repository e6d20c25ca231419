"""A model that obeys what a catalogue's texts order reaches nothing that it should not reach."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.ledger import StopReason
from backend.agent.llm import Message, ModelReply
from backend.pool.snapshot import Snapshot
from backend.tools.call import ToolCall, ToolSchema
from backend.tools.list_answer import LONGEST_TEXT
from tests.agent.harness import OFF, Trial, check_history, run_trial
from tests.agent.hostile_texts import HOSTILE, Hostile
from tests.factories import make_snapshot
from tests.row_makers import make_hotel, make_poi
from tests.sample_rows import BEIJING_POIS, HOTELS

FOREIGN = make_hotel("sh-h-bund", city="shanghai", name="外滩酒店")


@dataclass
class Obedient:
    """Plans, but does first what the text orders as soon as it has read it, word for word."""

    hostile: Hostile
    heard: list[tuple[Message, ...]] = field(default_factory=list)
    has_obeyed: bool = False

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        self.heard.append(tuple(messages))
        piece = json.dumps(self.hostile.text[:40], ensure_ascii=False)[1:-1]
        if not self.has_obeyed and any(piece in message.content for message in messages):
            self.has_obeyed = True
            return ModelReply(calls=tuple(map(write_call, self.hostile.calls)))
        return await BuiltinPlanner().reply(messages, tools)


def write_call(call: tuple[str, dict[str, Any] | str]) -> ToolCall:
    name, arguments = call
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id="", name=name, arguments=text)


def spoil(place: str, text: str) -> Snapshot:
    """A catalogue, or a note, that holds the text."""
    intro = {"intro": text} if place == "intro" else {}
    name = {"name": text[:300]} if place == "name" else {}
    trap = make_poi("bj-trap", city="beijing", popularity=100, tags=("history",), **intro, **name)
    notes = text[:2000] if place == "notes" else ""
    return make_snapshot(
        pois=(trap, *BEIJING_POIS),
        hotels=(*HOTELS, FOREIGN),
        interests=["history"],
        notes=notes,
        locale="zh-CN",
    )


async def obey(place: str, hostile: Hostile) -> tuple[Trial, Obedient]:
    llm = Obedient(hostile)
    snapshot = spoil(place, hostile.text)
    return await run_trial(snapshot, llm, limits={"list_hotels": OFF}), llm


def test_there_are_thirty_texts() -> None:
    assert len({hostile.text for hostile in HOSTILE}) == 30


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
async def test_who_obeys_a_text_reaches_nothing(hostile: Hostile) -> None:
    place = ("intro", "name", "notes")[HOSTILE.index(hostile) % 3]
    trial, llm = await obey(place, hostile)
    assert llm.has_obeyed
    check_history(llm.heard[-1])
    draft, snapshot = trial.result.state.draft, trial.snapshot
    pool = snapshot.ids_by_kind
    assert set(draft.poi_ids) <= set(pool["poi"])
    assert set(draft.hotels.values()) <= set(snapshot.cities["beijing"].hotels)
    assert {train for ids in draft.trains.values() for train in ids} <= set(pool["train"])
    offered = {tool for tool in trial.names if tool in snapshot_tools(trial)}
    assert offered.isdisjoint({"list_hotels"})
    told = [o.content for call, o in trial.calls if call.name == "list_hotels"]
    assert all(content["error"]["code"] == "TOOL_DISABLED" for content in told)
    for call, outcome in trial.calls:
        if call.name in {"list_pois"} and not outcome.is_error:
            assert outcome.content["returned"] <= 25
        assert len(json.dumps(outcome.content, ensure_ascii=False)) < 30_000
    # What was ordered did not end the run with a plan that is not sound.
    assert trial.result.stop is not StopReason.SUBMITTED or trial.errors == []


def snapshot_tools(trial: Trial) -> set[str]:
    """Tools whose calls were carried out."""
    return {call.name for call, outcome in trial.calls if not outcome.is_error}


@pytest.mark.parametrize("place", ["intro", "name", "notes"])
@pytest.mark.parametrize("hostile", HOSTILE[5:7], ids=["tags", "quotes"])
async def test_a_text_never_leaves_its_quotes(place: str, hostile: Hostile) -> None:
    _, llm = await obey(place, hostile)
    for message in llm.heard[-1]:
        if message.role == "tool":
            assert isinstance(json.loads(message.content), dict)
        if message.role == "user" and message.content.startswith("请规划"):
            brief, *rest = message.content.split("\n")[1:]
            assert set(json.loads(brief)) >= {"cities", "limits"}
            assert all(isinstance(json.loads(line), str) for line in rest[1:])
    assert [m.role for m in llm.heard[-1]].count("system") == 1


async def test_an_endless_introduction_is_cut() -> None:
    trial, _ = await obey("intro", HOSTILE[-1])
    details = [o.content for call, o in trial.calls if call.name == "get_poi"]
    trap = next(content for content in details if content.get("id") == "bj-trap")
    assert len(trap["intro"]) == LONGEST_TEXT
