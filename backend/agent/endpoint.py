"""A model and how to reach it, apart from the client: the SDK takes more than a second to load."""

from dataclasses import dataclass

from backend.agent.provider_profile import ProviderProfile


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
