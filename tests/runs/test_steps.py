"""The models of the run log write the JSON that logs have always held, and read old logs."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from backend.runs.life.ledger import describe_ledger
from backend.runs.log.steps import KINDS, Step, ToolCalled, read_payload
from backend.tools.call import SourceUse, ToolCall, ToolOutcome
from tests.replay.runs import NOW

OLD = Path(__file__).parents[1] / "replay" / "exports" / "version_1.json"

REPLY: dict[str, Any] = {
    "text": "",
    "calls": [],
    "usage": {"input_tokens": 1, "cached_tokens": 0, "output_tokens": 2},
    "finish_reason": None,
    "reasoning": None,
    "elapsed": 0.5,
    "sent": None,
}


def test_an_old_log_reads_and_keeps_its_fields() -> None:
    steps = json.loads(OLD.read_text(encoding="utf-8"))["steps"]
    assert {step["kind"] for step in steps} <= set(KINDS)
    for step in steps:
        payload = read_payload(step["kind"], step["payload"])
        again = payload.as_json()
        assert list(again) == list(step["payload"]), step["seq"]
        assert read_payload(step["kind"], again) == payload


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("planner_chosen", {"planner": "builtin"}),
        ("planner_chosen", {"planner": "openai", "model": "m"}),
        ("model_replied", {"planner": "openai", "turn": 1, "seconds": 0.25, "reply": REPLY}),
        ("model_replied", {"planner": "openai", "turn": 1, "reply": REPLY, "limits": {}}),
        (
            "model_replied",
            {
                "planner": "openai",
                "turn": 1,
                "reply": REPLY,
                "limits": {
                    "list_pois": {
                        "enabled": True,
                        "max_return_rows": 5,
                        "handle_mode": "never",
                        "handle_threshold_tokens": 800,
                    }
                },
                "replayed": "computed",
                "sources": [],
            },
        ),
        ("pool_built", {"sha256": "0", "funnel": {}, "warnings": [{"code": "X", "leg": 1}]}),
        ("run_finished", {"status": "failed", "error": {"code": "C", "message": "m"}}),
        ("run_started", {}),
        ("kind_of_another_version", {"z": 1, "a": [None, 2.0]}),
    ],
)
def test_what_a_step_has_not_to_tell_is_left_out(kind: str, values: dict[str, Any]) -> None:
    assert json.dumps(read_payload(kind, values).as_json()) == json.dumps(values)


def test_a_payload_of_another_kind_is_refused() -> None:
    with pytest.raises(ValidationError, match="outcome"):
        read_payload("tool_called", {"planner": "openai", "turn": 1, "index": 0})


def test_the_ledger_says_what_a_source_gave_and_what_was_left_of_it() -> None:
    call = ToolCall(id="call_1_0", name="hk_weather", arguments="{}")
    steps = []
    for number, error in enumerate((None, "SOURCE_TIMEOUT"), 1):
        use = SourceUse(
            name=call.name, raw_bytes=900, projected_bytes=300, sent_bytes=120, error=error
        )
        outcome = ToolOutcome(call_id="c", number=number, tool=call.name, content={}, source=use)
        called = ToolCalled(planner="openai", turn=1, index=0, call=call, outcome=outcome)
        steps.append(Step(number, called, NOW))
    sizes = {"raw_bytes": 900, "projected_bytes": 300, "sent_bytes": 120}
    [shown] = describe_ledger("run_1", steps, 8000, None).tool_results
    assert shown.model_dump() == {"number": 1, "tool": "hk_weather", **sizes}
