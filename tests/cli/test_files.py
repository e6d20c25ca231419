"""Files that a command reads and writes: endless ones, devices, keys that come twice."""

import json
import os
import resource
import signal
import stat
from pathlib import Path

import pytest

from backend.cli.output import parse_json, read_text, write_text
from backend.errors import ConfigurationError
from tests.cli.conftest import Waypool


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="longer than"):
        read_text("/dev/zero")


def test_what_is_written_to_a_pipe_goes_through_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(str(pipe), "hello")
        assert os.read(reader, 10) == b"hello"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    old = tmp_path / "snapshot.json"
    old.write_text("old")
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writing fails, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, allowed[1]))
    try:
        with pytest.raises(ConfigurationError, match="cannot write"):
            write_text(str(old), "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
        signal.signal(signal.SIGXFSZ, ignored)
    assert old.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["snapshot.json"]


def test_a_new_text_keeps_the_file_s_rights_and_the_link_to_it(tmp_path: Path) -> None:
    old, link = tmp_path / "snapshot.json", tmp_path / "link"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    write_text(str(link), "new")
    assert link.is_symlink()
    assert (old.read_text(), stat.S_IMODE(old.stat().st_mode)) == ("new", 0o640)


@pytest.mark.parametrize("text", ['{"days": 2, "days": 3}', '[{"a": {"b": 1, "c": 2, "b": 1}}]'])
def test_a_key_that_comes_twice_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="comes twice"):
        parse_json(text, "it")


@pytest.mark.sql
def test_half_a_character_in_a_request_is_named(waypool: Waypool, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text('{"\\ud800": 1}')
    refused = waypool("plan", "--request", request, "--json")
    assert refused.status == 1
    faults = [(fault["pointer"], fault["code"]) for fault in json.loads(refused.out)["errors"]]
    assert faults == [("", "bad_text")]  # a pointer could not hold such a name
