"""What is wrong with the configured models is said at the start, in words, each fault with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.agent.models import read_models_file
from backend.bootstrap import make_models
from backend.errors import ConfigurationError
from backend.settings import Settings


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "x: the file: must be an object"),
        ({"models": []}, "x: /models: needs at least 1"),
        ({"models": [{"nam": "a"}]}, "x: /models/0/nam: is no field of it; near: name"),
        (
            {"models": [{"name": "a b"}]},
            "x: /models/0/name: must be a name without spaces, not 'a b'",
        ),
        (
            {"models": [{"name": "a", "base_url": "http://h:1x"}]},
            "x: /models/0/base_url: must be an address like http://host:8000/v1, not 'http://h:1x'",
        ),
        (
            {"models": [{"name": "a", "prices": {"input": "x", "output": 1}}]},
            "x: /models/0/prices/input: must be a number, not 'x'",
        ),
        (
            {"models": [{"name": "a", "max_output_tokens": 0}]},
            "x: /models/0/max_output_tokens: must be at least 1, not 0",
        ),
        (
            {"models": [{"name": "a"}], "currency": "yuan"},
            "x: /currency: must be three capital letters like CNY, not 'yuan'",
        ),
    ],
)
def test_each_fault_of_the_file_is_named_in_words(document: Any, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_models_file(document, "x")
    assert said in caught.value.details
    assert not any("Tuple" in line or "Input" in line for line in caught.value.details)


def test_an_entry_that_is_wrong_does_not_make_the_list_too_short() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_models_file({"models": [{"name": ""}]}, "x")
    assert caught.value.details == ("x: /models/0/name: must not be empty",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models]", "is no JSON, as WAYPOOL_MODELS_FILE has to be"),
        ("models:\n- name: a", "is no JSON"),
        ("", "is no JSON"),
        (None, "cannot read"),
        ('{"models": [{"name": "a"}, {"name": "a"}]}', "named twice: a"),
        ('{"models": [{"name": "a", "profile": "vlm"}]}', "no provider profile 'vlm'; near: vllm"),
        (
            '{"models": [{"name": "a", "api_key_variable": "NO_SUCH_KEY"}]}',
            "the model a takes its key from the environment variable NO_SUCH_KEY, which is not set",
        ),
        (
            '{"models": [{"name": "a", "overrides": {"stream": true}}]}',
            "profile openai: stream is no field of it; near: streams",
        ),
    ],
)
def test_what_is_wrong_with_the_file_is_one_sentence(
    tmp_path: Path, text: str | None, said: str
) -> None:
    file = tmp_path / "models.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        make_models(Settings(models_file=file, model=None))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    file.write_text(json.dumps({"models": [{"name": "a"}]}), encoding="utf-8-sig")
    models = make_models(Settings(models_file=file, model=None))
    assert models is not None
    assert models.names == ["a"]


def test_faults_of_the_environment_name_its_variables() -> None:
    settings = Settings.model_construct(
        **Settings().model_dump() | {"model": "a b", "openai_base_url": "nowhere"}
    )
    with pytest.raises(ConfigurationError) as caught:
        make_models(settings)
    assert "WAYPOOL_MODEL: must be a name without spaces" in str(caught.value)
    assert "OPENAI_BASE_URL: must be an address" in str(caught.value)


def test_an_unknown_name_is_refused_with_near_ones(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    file.write_text('{"models": [{"name": "qwen"}, {"name": "deepseek"}]}', encoding="utf-8")
    models = make_models(Settings(models_file=file, model=None))
    assert models is not None
    assert models.find(None).name == "qwen"
    with pytest.raises(
        ConfigurationError, match="no model 'deepsek' is configured; near: deepseek"
    ):
        models.find("deepsek")
