"""The configured language models: addresses, profiles, keys and prices, chosen by name for each run.

One model comes from the environment alone; several, and prices, from a file.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from backend.agent.llm import Hear, LlmClient, Usage
from backend.agent.provider_profile import Endpoint, Timeouts, find_profile, list_faults
from backend.errors import ConfigurationError
from backend.results.values import count_tokens
from backend.text import make_pointer, quote, suggest

if TYPE_CHECKING:
    from backend.agent.openai_client import OpenAiClient

_MILLION = Decimal(1_000_000)

Price = Annotated[Decimal, Field(ge=0, le=1_000_000, max_digits=12)]


class Configured(BaseModel):
    """A frozen part of the configuration; unknown fields are a fault."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Prices(Configured):
    """What a million tokens cost; cached ones cost as much as others where nothing else is said."""

    input: Price
    output: Price
    cached: Price | None = None

    def charge(self, usage: Usage) -> Decimal:
        """The cost of a reply, exactly."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input_tokens - usage.cached_tokens
        return (
            self.input * fresh + cached * usage.cached_tokens + self.output * usage.output_tokens
        ) / _MILLION


class ModelConfig(Configured):
    """One model; `model` is its name at the service, where that differs from ours."""

    name: str = Field(min_length=1, max_length=100)
    model: str | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None
    api_key_variable: str | None = Field(None, description="Environment variable with the key.")
    profile: str | None = None
    overrides: dict[str, Any] = Field(default_factory=dict)
    max_output_tokens: int | None = Field(None, ge=1)
    prices: Prices | None = None

    @field_validator("name")
    @classmethod
    def _is_a_word(cls, name: str) -> str:
        if name.split() != [name]:
            raise ValueError(f"must be a name without spaces, not {quote(name)}")
        return name

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, base_url: str | None) -> str | None:
        if base_url is not None and not _is_web_address(base_url):
            raise ValueError(f"must be an address like http://host:8000/v1, not {quote(base_url)}")
        return base_url


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_reachable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_reachable and parts.scheme in {"http", "https"} and text.split() == [text]


class ModelsFile(Configured):
    """The file: the first model is the default one; all prices are in one currency."""

    currency: str = "USD"
    models: tuple[ModelConfig, ...] = Field(min_length=1)

    @field_validator("currency")
    @classmethod
    def _is_a_currency(cls, currency: str) -> str:
        if len(currency) != 3 or not currency.isascii() or not currency.isupper():
            raise ValueError(f"must be three capital letters like CNY, not {quote(currency)}")
        return currency


_FIELDS = (*ModelsFile.model_fields, *ModelConfig.model_fields, *Prices.model_fields)


def read_models_file(document: Any, source: str) -> ModelsFile:
    """The file's content; a `ConfigurationError` names every fault."""
    try:
        found = ModelsFile.model_validate(document)
    except ValidationError as error:
        lines = tuple(
            f"{source}: {make_pointer(*entry['loc']) or 'the file'}: {said}"
            for entry, said in list_faults(error, _FIELDS)
        )
        refused = ConfigurationError(f"{source} is no file of models: {len(lines)} fault(s)")
        refused.details = lines
        raise refused from None
    names = [config.name for config in found.models]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigurationError(f"{source}: named twice: {', '.join(twice)}")
    return found


@dataclass(frozen=True)
class Models:
    """The models by name, the default one first; `read_variable` reads the environment."""

    configs: Sequence[ModelConfig]
    timeouts: Timeouts
    read_variable: Callable[[str], str | None]
    currency: str = "USD"

    def __post_init__(self) -> None:
        for config in self.configs:  # what is wrong should be told at the start, not in a run
            self._make_endpoint(config)

    @property
    def names(self) -> list[str]:
        """In the order of the configuration."""
        return [config.name for config in self.configs]

    def find(self, name: str | None) -> ModelConfig:
        """The model of that name, None for the default; a `ConfigurationError` where it is gone."""
        for config in self.configs:
            if name in (None, config.name):
                return config
        near = suggest(str(name), self.names)
        raise ConfigurationError(f"no model {quote(name)} is configured; near: {near}")

    async def warm_up(self) -> None:
        """Load tokenizer, SDK and certificates, seconds in all, so that no run waits for them."""
        await asyncio.to_thread(_load)

    @asynccontextmanager
    async def open(self, name: str | None, hear: Hear | None = None) -> AsyncIterator[LlmClient]:
        """A client of the model inside the block; the first one waits for `warm_up`."""
        await self.warm_up()
        endpoint = self._make_endpoint(self.find(name))
        async with await asyncio.to_thread(_make_client, endpoint, hear) as client:
            yield client

    def _make_endpoint(self, config: ModelConfig) -> Endpoint:
        model = config.model or config.name
        return Endpoint(
            model=model,
            profile=find_profile(model, config.base_url, config.profile, config.overrides),
            base_url=config.base_url,
            api_key=self._read_key(config),
            timeouts=self.timeouts,
            max_tokens=config.max_output_tokens,
        )

    def _read_key(self, config: ModelConfig) -> str | None:
        if config.api_key is not None:
            return config.api_key.get_secret_value()
        if config.api_key_variable is None:
            return None
        key = self.read_variable(config.api_key_variable)
        if key is None:
            raise ConfigurationError(
                f"the model {config.name} takes its key from the environment variable "
                f"{config.api_key_variable}, which is not set"
            )
        return key


def choose_default(file: Sequence[ModelConfig], single: ModelConfig | None) -> list[ModelConfig]:
    """The file's models with the environment's first: it names one of them, or is one more."""
    if single is None:
        return list(file)
    named = [config for config in file if config.name == single.name]
    rest = [config for config in file if config.name != single.name]
    return [*(named or [single]), *rest]


def _load() -> None:
    from backend.agent.openai_client import read_trust  # noqa: PLC0415 - loads the SDK

    read_trust()
    count_tokens("")


def _make_client(endpoint: Endpoint, hear: Hear | None) -> "OpenAiClient":
    from backend.agent.openai_client import OpenAiClient  # noqa: PLC0415 - loads the SDK

    return OpenAiClient(endpoint, hear=hear)
