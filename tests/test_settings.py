"""Settings name the variable that is wrong and keep two homes apart."""

import pytest

from backend.errors import ConfigurationError
from backend.settings import read_settings


def test_a_wrong_value_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOOL_PORT", "70000")
    with pytest.raises(ConfigurationError, match="WAYPOOL_PORT"):
        read_settings()


def test_two_homes_have_two_data_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOOL_HOME", "/tmp/one")
    one = read_settings().embedded_data
    monkeypatch.setenv("WAYPOOL_HOME", "/tmp/two")
    assert read_settings().embedded_data != one
