"""`waypool mock-llm` as a process and as a list."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx

from backend.cli import run

ROOT = Path(__file__).parents[2]


def test_it_serves_until_it_is_stopped_and_reports(tmp_path: Path) -> None:
    scenario = tmp_path / "mine.json"
    scenario.write_text(json.dumps({"then": [{"say": "好"}]}), encoding="utf-8")
    command = [sys.executable, "-m", "backend.cli", "mock-llm", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--scenario", str(scenario)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[2]
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    answer = httpx.post(f"{url}/chat/completions", json=body, timeout=20)
    assert answer.json()["choices"][0]["message"]["content"] == "好"
    process.send_signal(signal.SIGTERM)
    rest = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    assert "1 requests, 0 of them broke a rule" in rest


def test_scenarios_are_listed_and_shown(capsys, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert run(["mock-llm", "--list", "--json"]) == 0
    names = [item["id"] for item in json.loads(capsys.readouterr().out)["items"]]
    assert "two-call-cycle" in names
    assert run(["mock-llm", "--show", "--scenario", "two-call-cycle"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert len(shown["then"]) == 2
    assert run(["mock-llm", "--scenario", "two-call-cicle"]) == 1
    assert "two-call-cycle" in capsys.readouterr().err
    bad = tmp_path / "bad.json"
    bad.write_text('{"then": []}', encoding="utf-8")
    assert run(["mock-llm", "--scenario", str(bad)]) == 1
    assert "/then" in capsys.readouterr().err
