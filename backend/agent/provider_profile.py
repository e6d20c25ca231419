"""What differs between services that all call themselves OpenAI-compatible, by model name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ProviderProfile:
    """`echoes_reasoning`: a turn that made calls is refused later on without its reasoning text."""

    echoes_reasoning: bool = False


_PLAIN = ProviderProfile()

_PROFILES: tuple[tuple[str, ProviderProfile], ...] = (
    ("deepseek", ProviderProfile(echoes_reasoning=True)),
    ("kimi", ProviderProfile(echoes_reasoning=True)),
)


def find_profile(model: str) -> ProviderProfile:
    """The profile by the start of the model's name; gateways put `vendor/` before it."""
    name = model.lower().rsplit("/", 1)[-1]
    return next((profile for start, profile in _PROFILES if name.startswith(start)), _PLAIN)
