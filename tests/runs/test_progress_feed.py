"""Progress of a streamed reply is told in pieces that add up, and seldom."""

import pytest

from backend.agent.llm import Progress, ToolProgress
from backend.runs.log.durable import ProgressFeed
from backend.runs.log.steps import ModelProgressed, StepPayload


class Log:
    """Stands for the run's writer, and for the clock."""

    def __init__(self) -> None:
        self.rows: list[ModelProgressed] = []
        self.now, self.turn = 100.0, 1

    async def append(self, payload: StepPayload) -> None:
        assert isinstance(payload, ModelProgressed)
        self.rows.append(payload)


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def feed(log: Log) -> ProgressFeed:
    return ProgressFeed(log, "openai", lambda: log.turn, lambda: log.now)


async def test_pieces_add_up_and_a_new_attempt_begins_anew(log: Log, feed: ProgressFeed) -> None:
    text = "一二三四五六七八九十" * 10
    for length in range(100):
        log.now += 0.1
        await feed(Progress(text=text[:length]))
    first = len(log.rows)
    assert 5 < first < 25
    assert text.startswith("".join(row.text for row in log.rows))
    for length in range(20):
        log.now += 0.1
        await feed(Progress(text=text[:length], attempt=2))
    assert "".join(row.text for row in log.rows[first:]) in text[:20]
    assert log.rows[first].attempt == 2
    assert log.rows[first].text.startswith("一")


async def test_quick_replies_leave_no_trace(log: Log, feed: ProgressFeed) -> None:
    for turn in range(1, 30):
        log.turn = turn
        log.now += 0.3
        await feed(Progress(text="x"))
    assert log.rows == []


async def test_a_long_reply_makes_few_rows(log: Log, feed: ProgressFeed) -> None:
    for _ in range(6000):
        log.now += 0.1
        await feed(Progress(calls=(ToolProgress(tool="arrange", characters=7),)))
    assert len(log.rows) < 150
    assert log.rows[-1].calls == (ToolProgress(tool="arrange", characters=7),)
