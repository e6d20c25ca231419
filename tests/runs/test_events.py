"""What a traveller is shown of a step, and what stays in the log."""

import datetime as dt
from typing import Any

import pytest

from backend.runs.log.events import render_event
from backend.runs.log.steps import Step, read_payload

AT = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)


def show(kind: str, payload: dict[str, Any]) -> dict[str, Any] | None:
    return render_event(Step(7, read_payload(kind, payload), AT))


def call(arguments: str, **outcome: Any) -> dict[str, Any]:
    """Payload of a recorded call."""
    made = {"call_id": "call_2_0", "number": 3, "tool": "list_pois", "content": {}, **outcome}
    asked = {"id": "call_2_0", "name": "list_pois", "arguments": arguments}
    return {"planner": "openai", "turn": 2, "index": 0, "call": asked, "outcome": made}


def test_a_page_is_shown_by_its_numbers_without_rows() -> None:
    page = {
        "total": 9,
        "returned": 1,
        "hasMore": True,
        "limit": 1,
        "hint": "h",
        "rows": [{"id": 1}],
    }
    event = show("tool_called", call('{"city": "北京"}', content=page))
    assert event is not None
    assert {name: event[name] for name in ("total", "returned", "hasMore", "limit", "hint")} == {
        name: page[name] for name in ("total", "returned", "hasMore", "limit", "hint")
    }
    assert event["arguments"] == {"city": "北京"}
    assert not {"rows", "index", "call", "outcome", "error"} & set(event)


@pytest.mark.parametrize("arguments", ["{", "[" * 100_000, "nonsense"])
def test_arguments_that_are_no_json_are_null(arguments: str) -> None:
    event = show("tool_called", call(arguments))
    assert event is not None
    assert event["arguments"] is None


def test_handles_and_ids_of_calls_are_never_shown() -> None:
    handle = "res_" + "0" * 26
    arguments = f'{{"handle": "{handle}", "path": "rows[0]"}}'
    error = {"error": {"code": "NO_SUCH_HANDLE", "message": f"no {handle}", "allowed": [handle]}}
    shown = [
        show("tool_called", call(arguments, is_error=True, content=error)),
        show(
            "model_replied",
            {
                "planner": "openai",
                "turn": 1,
                "reply": {
                    "text": f"I look into {handle} after call_1_0.",
                    "calls": [{"id": "call_1_0", "name": "result_query", "arguments": arguments}],
                    "usage": {"input_tokens": 1, "cached_tokens": 0, "output_tokens": 1},
                },
            },
        ),
    ]
    assert handle not in str(shown)
    assert "call_1_0" not in str(shown)
    assert "NO_SUCH_HANDLE" in str(shown)


def test_words_of_the_models_service_stay_in_the_log() -> None:
    stop = {"planner": "openai", "stop": "model_failed", "error": "MODEL_AUTH"}
    event = show("planner_stopped", {**stop, "message": "Incorrect API key provided: sk-abc"})
    assert event == {"seq": 7, "type": "planner_stopped", "at": AT.isoformat(), **stop}


def test_a_step_of_another_kind_is_for_developers() -> None:
    assert show("ledger_written", {"bytes": 1}) is None
