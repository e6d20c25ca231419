"""Each way in which a planner stops short has words of its own."""

from backend.agent.ledger import StopReason
from backend.runs.log.lifecycle import explain_stop

ENDS = {StopReason.SUBMITTED, StopReason.CANCELLED, StopReason.MODEL_FAILED}
CODES = ("QUOTA", "AUTH", "BAD_REQUEST", "RATE_LIMITED", "UNAVAILABLE", "TIMEOUT", "BAD_REPLY")


def test_every_stop_and_every_failure_of_a_model_has_its_own_sentence() -> None:
    said = [explain_stop(stop, None) for stop in StopReason if stop not in ENDS]
    said += [explain_stop(StopReason.MODEL_FAILED, f"MODEL_{code}") for code in CODES]
    assert len(set(said)) == len(said)
    assert not any("the planner stopped (" in sentence for sentence in said)


def test_a_code_without_words_is_named() -> None:
    assert "NEW_CODE" in explain_stop(StopReason.MODEL_FAILED, "NEW_CODE")
