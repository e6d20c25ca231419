"""Which service is talked to how: by name, by address, with what configuration overrides."""

import json
from typing import Any

import pytest

from backend.agent.llm import Message
from backend.agent.openai_wire import write_request
from backend.agent.provider_profile import PROFILES, find_profile
from backend.errors import ConfigurationError
from backend.mock_llm.checker import check_request
from backend.mock_llm.replies import DIALECTS, find_dialect
from backend.tools.registry import TOOLS
from backend.tools.tool import describe_tool

ASK = (Message(role="system", content="plan"), Message(role="user", content="去北京"))
SCHEMAS = [describe_tool(tool) for tool in TOOLS]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (None, "openai"),
        ("https://api.openai.com/v1", "openai"),
        ("https://mine.openai.azure.com/openai/v1/", "azure"),
        ("https://mine.services.ai.azure.com/openai/v1", "azure"),
        ("https://api.deepseek.com", "deepseek"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "dashscope"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "dashscope"),
        ("http://localhost:11434/v1", "ollama"),
        ("http://localhost:8000/v1", "cautious"),
        ("http://localhost:badport/v1", "cautious"),
        ("https://api.openai.com.evil.example/v1", "cautious"),
    ],
)
def test_a_profile_is_found_by_address(url: str | None, name: str) -> None:
    assert find_profile("m", url).name == name


def test_a_name_beats_the_address_and_overrides_beat_both() -> None:
    url = "https://api.deepseek.com"
    assert find_profile("m", url, "vllm").name == "vllm"
    own = find_profile("m", url, overrides={"streams": False, "tool_choice": "auto"})
    assert (own.name, own.streams, own.tool_choice) == ("deepseek", False, "auto")
    assert own.echoes_reasoning


def test_a_known_model_behind_an_unknown_gateway_gets_its_reasoning_back() -> None:
    assert find_profile("vendor/DeepSeek-R2", "http://gateway/v1").echoes_reasoning
    assert not find_profile("qwen", "http://gateway/v1").echoes_reasoning


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "openia"}, "near: openai"),
        ({"overrides": {"stream": True}}, "stream is no field of it; near: streams"),
        ({"overrides": {"tool_choice": "always"}}, "tool_choice"),
    ],
)
def test_a_wrong_profile_is_refused_in_words(given: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        find_profile("m", **given)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: str(profile.name))
def test_what_a_profile_sends_is_taken_by_its_service(profile: Any) -> None:
    body = write_request("m", ASK, SCHEMAS, profile, max_tokens=500)
    known = [dialect for dialect in DIALECTS if dialect.name == profile.name]
    for dialect in known or [find_dialect("vllm")]:
        assert check_request(body, dialect) == []
    without = write_request("m", ASK, SCHEMAS, profile)
    if profile.name == "cautious":
        assert check_request(without, find_dialect("strictest")) == []
        assert set(without) == {"model", "messages", "tools"}


def test_strict_schemas_require_all_and_let_null_stand_for_nothing() -> None:
    profile = find_profile("m", overrides={"is_strict": True, "tool_choice": "required"})
    body = json.loads(json.dumps(write_request("m", ASK, SCHEMAS, profile)))
    assert check_request(body, find_dialect("openai")) == []
    function = body["tools"][0]["function"]
    assert function["strict"] is True
    assert function["parameters"]["properties"]["area"]["anyOf"][1] == {"type": "null"}
    assert function["parameters"]["properties"]["city"]["type"] == "string"
