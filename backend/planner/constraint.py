"""A constraint as a row: code, severity, message in both languages, and how it is found."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from backend.planner.check_context import CheckContext
from backend.planner.itinerary import Severity, Violation, Where
from backend.text import Locale


@dataclass(frozen=True)
class Finding:
    """One breach: where, and the values for the message; `severity` where it differs.

    `amount` says by how much: minutes, or money of the plan's currency.
    """

    day: int | None = None
    item: int | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    severity: Severity | None = None
    amount: int | Decimal | None = None


@dataclass(frozen=True)
class Breach:
    """A violation with its figure, which the delivered violation does not show."""

    violation: Violation
    amount: int | Decimal | None


@dataclass(frozen=True)
class Constraint:
    """Errors block submission, warnings are shown; `fix` is what would help, where one thing does."""

    code: str
    severity: Severity
    messages: Mapping[Locale, str]
    find: Callable[[CheckContext], Iterable[Finding]]
    fix: Mapping[Locale, str] = field(default_factory=dict)

    def check(self, context: CheckContext) -> list[Violation]:
        """All breaches of this constraint."""
        return [breach.violation for breach in self.measure(context)]

    def measure(self, context: CheckContext) -> list[Breach]:
        """The same with figures."""
        template = self.describe(context.locale)
        return [
            Breach(
                Violation(
                    code=self.code,
                    severity=finding.severity or self.severity,
                    where=Where(day=finding.day, item=finding.item),
                    message=template.format(**finding.values),
                ),
                finding.amount,
            )
            for finding in self.find(context)
        ]

    def describe(self, locale: Locale) -> str:
        """The message with its fix, still with the names of its values."""
        texts = filter(None, (self.messages[locale], self.fix.get(locale)))
        return (" " if locale == "en" else "").join(texts)
