"""`waypool doctor`: every fault of an installation is named with what to do about it."""

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from backend.cli import doctor
from tests.cli.conftest import Waypool
from tests.database import run_sql

pytestmark = pytest.mark.sql
NAMES = ["database", "revision", "catalogue", "keys", "workers", "clock", "model", "disk", "port"]


def look(waypool: Waypool) -> tuple[int, dict[str, dict[str, Any]]]:
    finished = waypool("doctor", "--json")
    checks = finished.json["checks"]
    assert [check["name"] for check in checks] == NAMES
    for check in checks:
        assert check.keys() == {"name", "ok", "message", "do"}
        assert bool(check["do"]) is not check["ok"]
        assert check["message"]
    assert finished.status == (0 if all(check["ok"] for check in checks) else 1)
    return finished.status, {check["name"]: check for check in checks}


@pytest.fixture(autouse=True)
def free_port(monkeypatch: pytest.MonkeyPatch) -> int:
    """A port that nothing listens on, and no model."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    monkeypatch.setenv("WAYPOOL_PORT", str(port))
    monkeypatch.delenv("WAYPOOL_MODEL", raising=False)
    return int(port)


def test_a_whole_installation_passes_and_says_so(
    waypool: Waypool, seeded_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    assert waypool("keys", "create", "--tenant", "t").status == 0
    status, checks = look(waypool)
    assert status == 0, checks
    assert "free" in checks["port"]["message"]
    text = waypool("doctor")
    assert text.status == 0
    assert [line.split()[1] for line in text.out.splitlines()] == [f"{name}:" for name in NAMES]


def test_an_installation_without_rows_says_how_to_get_them(waypool: Waypool) -> None:
    status, checks = look(waypool)
    assert status == 1
    assert "waypool db seed" in checks["catalogue"]["do"]
    assert "waypool keys create" in checks["keys"]["do"]
    assert checks["workers"]["ok"]
    assert "do: run 'waypool db seed'" in waypool("doctor").out


def test_a_database_without_tables_is_not_migrated_by_looking(
    waypool: Waypool, empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", empty_database_url)
    for _ in range(2):
        _, checks = look(waypool)
        assert "waypool db upgrade" in checks["revision"]["do"]
        assert not checks["keys"]["ok"]


def test_a_database_that_is_away_is_named_and_the_rest_is_looked_at(
    waypool: Waypool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    _, checks = look(waypool)
    assert "does not answer" in checks["database"]["message"]
    assert "WAYPOOL_DATABASE_URL" in checks["database"]["do"]
    assert not checks["catalogue"]["ok"]
    assert checks["disk"]["ok"]


def test_runs_that_wait_for_a_worker_are_a_fault(
    waypool: Waypool, seeded_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    monkeypatch.setattr(doctor, "list_open_runs", _one_waits)
    assert "waypool worker" in look(waypool)[1]["workers"]["do"]
    run_sql(seeded_url, "insert into procrastinate_workers default values")
    assert look(waypool)[1]["workers"]["ok"]
    run_sql(seeded_url, "update procrastinate_workers set last_heartbeat = now() - interval '1 h'")
    assert not look(waypool)[1]["workers"]["ok"]


async def _one_waits(*_: object) -> list[Any]:
    class Waiting:
        status = "queued"

    return [Waiting()]


def test_a_model_is_asked_for_one_token(waypool: Waypool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []
    answer = (
        b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "H"},'
        b' "finish_reason": "length"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}'
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        threading.Thread(target=_answer, args=(listener, answer, asked), daemon=True).start()
        monkeypatch.setenv("WAYPOOL_MODEL", "m")
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}")
        _, checks = look(waypool)
    assert checks["model"] == {
        "name": "model", "ok": True, "message": "m answers (1 tokens)", "do": "",
    }  # fmt: skip
    assert b'"max_tokens":1' in asked[0].replace(b" ", b"")
    _, checks = look(waypool)  # nobody listens there any more
    assert "m: MODEL_UNAVAILABLE" in checks["model"]["message"]
    assert checks["model"]["do"]


def _answer(listener: socket.socket, body: bytes, asked: list[bytes]) -> None:
    connection, _ = listener.accept()
    with connection:
        asked.append(_read_request(connection))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        connection.sendall(head.encode() + b"\r\nConnection: close\r\n\r\n" + body)


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data or not data.rstrip().endswith(b"}"):
        data += connection.recv(65536)
    return data


def test_a_model_that_is_set_up_wrongly_is_named(
    waypool: Waypool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOOL_MODEL", "a b")
    _, checks = look(waypool)
    assert "WAYPOOL_MODEL" in checks["model"]["message"]


def test_a_port_that_another_program_has_is_a_fault(waypool: Waypool, free_port: int) -> None:
    with socket.create_server(("127.0.0.1", free_port)):
        _, checks = look(waypool)
    assert "WAYPOOL_PORT" in checks["port"]["do"]


def test_a_disk_that_is_nearly_full_is_a_fault(
    waypool: Waypool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "ROOM_BYTES", 10**18)
    assert "free at least" in look(waypool)[1]["disk"]["do"]


def test_a_clock_that_is_off_is_a_fault(waypool: Waypool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "DRIFT_SECONDS", -1.0)
    assert "NTP" in look(waypool)[1]["clock"]["do"]


def test_our_own_database_is_looked_into_too(
    waypool: Waypool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("WAYPOOL_DATABASE_URL")
    monkeypatch.setenv("WAYPOOL_HOME", str(tmp_path))
    _, checks = look(waypool)
    assert "embedded" in checks["database"]["message"]
