"""Log lines name the run and its tenant, in either form."""

import json
import logging
import subprocess
import sys

import pytest

from backend.telemetry import _JsonFormatter, _TextFormatter, logged_as


def make_record(message: str = "ended as %s") -> logging.LogRecord:
    return logging.LogRecord("backend.runs", logging.INFO, "f.py", 1, message, ("failed",), None)


def test_a_line_names_run_and_tenant_inside_the_block_only() -> None:
    text = _TextFormatter()
    with logged_as("run_1", "acme"):
        inside = text.format(make_record())
    assert inside.endswith("backend.runs: ended as failed run=run_1 tenant=acme")
    assert "run=" not in text.format(make_record())


def test_json_is_an_object_a_line() -> None:
    with logged_as("run_1", "acme"):
        line = _JsonFormatter().format(make_record())
    entry = json.loads(line)
    assert "\n" not in line
    assert {k: entry[k] for k in ("level", "message", "run_id", "tenant")} == {
        "level": "info", "message": "ended as failed", "run_id": "run_1", "tenant": "acme",
    }  # fmt: skip


def test_a_traceback_stays_in_its_line() -> None:
    record = make_record()
    try:
        raise ValueError("x")
    except ValueError:
        record.exc_info = sys.exc_info()
    line = _JsonFormatter().format(record)
    assert "\n" not in line
    assert "ValueError: x" in json.loads(line)["error"]


@pytest.mark.parametrize("module", ["opentelemetry.sdk", "opentelemetry.exporter"])
def test_what_sends_is_not_even_loaded_unasked(module: str) -> None:
    code = f"import sys, backend.cli.serve; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
