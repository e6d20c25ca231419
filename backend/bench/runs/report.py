"""What a scenario has shown: figures, and demands that hold or not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Demand:
    """One thing that must hold; `is_met` None: shown, without a demand at this size."""

    text: str
    is_met: bool | None


@dataclass(frozen=True)
class Report:
    """A scenario's outcome."""

    name: str
    figures: Mapping[str, Any]
    demands: tuple[Demand, ...]
    lines: tuple[str, ...] = field(default=())

    @property
    def is_met(self) -> bool:
        """Whether nothing that was demanded is missing."""
        return all(demand.is_met is not False for demand in self.demands)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        demands = [{"text": d.text, "met": d.is_met} for d in self.demands]
        return {"scenario": self.name, **self.figures, "demands": demands, "met": self.is_met}

    def describe(self) -> list[str]:
        """The report as lines."""
        marks = {True: "yes", False: "NO", None: "-"}
        demands = (f"  [{marks[d.is_met]:>3}] {d.text}" for d in self.demands)
        return [f"{self.name}:", *(f"  {line}" for line in self.lines), *demands]


def describe_shares(seconds: Mapping[str, float]) -> str:
    """The processor's seconds of each part, and its share of all."""
    total = sum(seconds.values()) or 1.0
    parts = sorted(seconds.items(), key=lambda part: -part[1])
    return ", ".join(f"{name} {value:.1f} s ({value / total:.0%})" for name, value in parts)
