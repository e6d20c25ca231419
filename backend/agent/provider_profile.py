"""What differs between services that all call themselves OpenAI-compatible, in one table.

The cautious row is what every one of them takes: nothing but model, messages and tools.

A model and how to reach it, apart from the client: the SDK takes more than a second to load.

Faults of a document that somebody has written by hand, in words for that person: no library's types.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import ConfigurationError
from backend.text import find_near, quote

_WORDS: Mapping[str, str] = {
    "missing": "is required",
    "too_short": "needs at least {min_length}",
    "too_long": "takes at most {max_length}",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "tuple_type": "must be a list",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_too_long": "takes at most {max_length} characters",
    "decimal_parsing": "must be a number",
    "decimal_type": "must be a number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "literal_error": "must be {expected}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "union_tag_invalid": "{discriminator} must be {expected_tags}",
    "union_tag_not_found": "needs the field {discriminator}",
}


def list_faults(error: ValidationError, known: Iterable[str]) -> Iterator[tuple[Any, str]]:
    """Each fault: pydantic's entry, and what to say of it; `known` are the fields that there are.

    A list of which an entry is wrong is not called too short as well.
    """
    names = list(known)
    entries = error.errors(include_url=False)
    places = [tuple(entry["loc"]) for entry in entries]
    for entry in entries:
        place = tuple(entry["loc"])
        is_echo = any(len(p) > len(place) and p[: len(place)] == place for p in places)
        if entry["type"] != "too_short" or not is_echo:
            yield entry, _describe(entry, names)


def _describe(entry: Any, names: Sequence[str]) -> str:
    if entry["type"] == "extra_forbidden":
        near = find_near(str(entry["loc"][-1]), names)
        return "is no field of it" + (f"; near: {', '.join(near)}" if near else "")
    words = _WORDS.get(entry["type"])
    if words is None:
        return str(entry["msg"]).removeprefix("Value error, ")
    said = words.format(**entry.get("ctx", {}))
    is_value = isinstance(entry.get("input"), str | int | float | None)
    return f"{said}, not {quote(entry['input'])}" if is_value and "must be" in said else said


class ProviderProfile(BaseModel):
    """How to talk to one kind of service; any field may be overridden by configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    streams: bool = Field(False, description="Ask for streams.")
    asks_stream_usage: bool = Field(False, description="Send `stream_options.include_usage`.")
    echoes_reasoning: bool = Field(
        False, description="A turn with calls is refused later on without its reasoning."
    )
    is_strict: bool = Field(False, description="Send `strict: true`; thinking modes refuse it.")
    tool_choice: Literal["auto", "required"] | None = Field(None, description="Sent where set.")
    parallel_calls: bool | None = Field(None, description="`parallel_tool_calls`, where set.")
    max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"


PROFILES: tuple[ProviderProfile, ...] = (
    ProviderProfile(
        name="openai",
        streams=True,
        asks_stream_usage=True,
        parallel_calls=True,
        max_tokens_key="max_completion_tokens",
    ),
    ProviderProfile(
        name="azure",
        streams=True,
        asks_stream_usage=True,
        parallel_calls=True,
        max_tokens_key="max_completion_tokens",
    ),
    ProviderProfile(name="deepseek", streams=True, asks_stream_usage=True, echoes_reasoning=True),
    ProviderProfile(name="dashscope", streams=True, asks_stream_usage=True, parallel_calls=True),
    ProviderProfile(name="moonshot", streams=True, asks_stream_usage=True, echoes_reasoning=True),
    ProviderProfile(name="vllm", streams=True, asks_stream_usage=True),
    ProviderProfile(name="ollama", streams=True),
    ProviderProfile(name="cautious"),
)
"""The last one is for services that nothing is known of."""

_BY_NAME: Mapping[str, ProviderProfile] = {profile.name: profile for profile in PROFILES}

_HOSTS: tuple[tuple[str, str], ...] = (
    ("api.openai.com", "openai"),
    ("openai.azure.com", "azure"),
    ("services.ai.azure.com", "azure"),
    ("cognitiveservices.azure.com", "azure"),
    ("api.deepseek.com", "deepseek"),
    ("aliyuncs.com", "dashscope"),
    ("moonshot.cn", "moonshot"),
    ("moonshot.ai", "moonshot"),
)
_OLLAMA_PORT = 11434

_ECHOING_MODELS = ("deepseek", "kimi")
"""Models that want their reasoning back behind a gateway of unknown kind too."""


def find_profile(
    model: str,
    base_url: str | None = None,
    name: str | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> ProviderProfile:
    """The profile of that name, else by address, else the cautious one; then the overrides.

    Without an address the service is OpenAI's own.
    """
    profile = _find_named(name) if name else _BY_NAME[_guess(base_url)]
    if name is None and profile.name == "cautious" and _wants_echo(model):
        profile = profile.model_copy(update={"echoes_reasoning": True})
    return _override(profile, overrides or {})


def _find_named(name: str) -> ProviderProfile:
    if name not in _BY_NAME:
        near = ", ".join(find_near(name, _BY_NAME)) or ", ".join(_BY_NAME)
        raise ConfigurationError(f"no provider profile {name!r}; near: {near}")
    return _BY_NAME[name]


def _guess(base_url: str | None) -> str:
    if base_url is None:
        return "openai"
    parts = urlsplit(base_url)
    host = (parts.hostname or "").lower()
    for known, name in _HOSTS:
        if host == known or host.endswith(f".{known}"):
            return name
    return "ollama" if _read_port(base_url) == _OLLAMA_PORT else "cautious"


def _read_port(base_url: str) -> int | None:
    try:
        return urlsplit(base_url).port
    except ValueError:
        return None


def _wants_echo(model: str) -> bool:
    """By the start of the model's name; gateways put `vendor/` before it."""
    return model.lower().rsplit("/", 1)[-1].startswith(_ECHOING_MODELS)


def _override(profile: ProviderProfile, overrides: Mapping[str, Any]) -> ProviderProfile:
    try:
        return ProviderProfile.model_validate(profile.model_dump() | dict(overrides))
    except ValidationError as error:
        found = list_faults(error, ProviderProfile.model_fields)
        faults = "; ".join(f"{entry['loc'][0]} {said}" for entry, said in found)
        raise ConfigurationError(f"profile {profile.name}: {faults}") from None


@dataclass(frozen=True)
class Timeouts:
    """Seconds: to connect, to the first event, of silence in a stream, and for a whole answer."""

    connect: float = 10.0
    first_byte: float = 60.0
    silence: float = 30.0
    answer: float = 120.0


@dataclass(frozen=True)
class Endpoint:
    """A model and how to reach it; without `base_url` it is OpenAI's own."""

    model: str
    profile: ProviderProfile
    base_url: str | None = None
    api_key: str | None = None
    timeouts: Timeouts = Timeouts()
    max_tokens: int | None = None
