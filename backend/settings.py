"""The environment, read once into one frozen object; inner code gets the value it needs."""

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from backend.errors import ConfigurationError

LogFormat = Literal["text", "json"]

_ROOT_DATA = Path("/var/lib/waypool")


def _default_home() -> Path:
    return Path.home() / ".waypool"


class Settings(BaseSettings):
    """Everything that the environment can say; `waypool config` lists it, secrets masked."""

    model_config = SettingsConfigDict(
        env_prefix="WAYPOOL_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    database_url: SecretStr | None = Field(
        None, description="A PostgreSQL >= 15; unset: Waypool starts its own."
    )
    home: Path = Field(
        default_factory=_default_home, description="Where the embedded PostgreSQL keeps its data."
    )
    database_pool_size: int = Field(10, ge=1, le=200, description="Connections a process may hold.")
    database_wait_seconds: float = Field(
        60, ge=0, le=3600, description="How long a starting server or worker waits for it."
    )
    model: str | None = Field(None, description="The language model's name; unset: no model.")
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="Key of the OpenAI-compatible service."
    )
    openai_base_url: str | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="Its address; unset: OpenAI's own."
    )
    model_profile: str | None = Field(
        None, description="How its service is talked to; unset: by address, else cautiously."
    )
    models_file: Path | None = Field(
        None, description="JSON file with several models, their addresses, profiles and prices."
    )
    model_timeout_seconds: float = Field(
        120, gt=0, le=3600, description="How long one answer of the model may take."
    )
    model_connect_seconds: float = Field(
        10, gt=0, le=600, description="How long connecting to the model's service may take."
    )
    model_first_byte_seconds: float = Field(
        60, gt=0, le=3600, description="How long a streamed answer may take to begin."
    )
    model_silence_seconds: float = Field(
        30, gt=0, le=3600, description="How long a streamed answer may fall silent."
    )
    host: str = Field("127.0.0.1", description="Address that `waypool serve` listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Its port; 0: a free one.")
    api_worker: bool = Field(
        True, description="Whether the API process also runs a worker in itself."
    )
    worker_concurrency: int = Field(4, ge=1, le=100, description="Runs at a time in one worker.")
    heartbeat_seconds: float = Field(
        5, gt=0, le=60, description="How often a worker says that it lives."
    )
    stalled_after_seconds: float = Field(
        20, gt=0, le=600, description="Silence after which a worker's runs are taken over."
    )
    result_key: SecretStr | None = Field(
        None,
        min_length=32,
        description="Encrypts stored results: at least 32 random characters; unset: not encrypted.",
    )
    source_hosts: str = Field(
        "data.weather.gov.hk,www.aqhi.gov.hk,www.1823.gov.hk,www.info.gov.hk,www.immd.gov.hk",
        description="Hosts that sources may be at: host, host:port or *.host, with commas.",
    )
    source_private_hosts: str = Field(
        "",
        description="Hosts beside these that may be at private addresses, such as test doubles.",
    )
    log_level: str = Field(
        "warning", pattern="^(debug|info|warning|error)$", description="debug, info, warning, error"
    )
    log_format: LogFormat = Field("text", description="text, or json: an object a line.")
    traces_endpoint: str | None = Field(
        None,
        pattern="^https?://",
        description="OTLP address that traces go to (http://…/v1/traces); unset: none are made.",
    )

    @property
    def embedded_data(self) -> Path:
        """Folder of the embedded server's data: in the home, as root one below /var/lib/waypool.

        The home of root is often private, and the server cannot run as root; the hash of the
        absolute home keeps two homes apart.
        """
        home = self.home.expanduser().absolute()
        if os.name == "posix" and os.geteuid() == 0:
            return _ROOT_DATA / hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
        return home / "postgres"


def read_settings(**overrides: Any) -> Settings:
    """Settings from the environment; a `ConfigurationError` names every wrong variable."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        faults = (f"{name_variable(str(e['loc'][0]))}: {e['msg']}" for e in error.errors())
        raise ConfigurationError("; ".join(faults)) from None


def name_variable(field: str) -> str:
    """The environment variable of a setting."""
    known = Settings.model_fields.get(field)
    alias = known.validation_alias if known else field
    return alias if isinstance(alias, str) else f"WAYPOOL_{field.upper()}"


def read_variable(name: str) -> str | None:
    """A variable of the environment that configuration names, such as one with a key."""
    return os.environ.get(name) or None  # noqa: TID251 - this is the place that reads it


@cache
def find_data(name: str) -> Path:
    """Folder `migrations` or `seed_data`: beside the package in a checkout, inside it if installed."""
    package = Path(__file__).parent
    for folder in (package / "_data" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise ConfigurationError(f"this installation lacks its folder {name!r}")
