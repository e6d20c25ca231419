"""Errors carry a code and a kind; how they look over HTTP or to a model is decided elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


class WaypoolError(Exception):
    """Base of every error that Waypool raises on purpose.

    `code` is stable, `message` is for people, `details` are further lines, one for each fault.
    """

    code = "ERROR"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: tuple[str, ...] = ()
        if code is not None:
            self.code = code


class ConfigurationError(WaypoolError):
    """The environment or a command line value is wrong."""

    code = "CONFIGURATION"


class NotFoundError(WaypoolError):
    """No such thing for this principal."""

    code = "NOT_FOUND"


class UnauthorizedError(WaypoolError):
    """No key, or one that opens nothing."""

    code = "UNAUTHORIZED"


class ForbiddenError(WaypoolError):
    """The key lacks the scope for this."""

    code = "FORBIDDEN"


class ConflictError(WaypoolError):
    """The request contradicts the present state."""

    code = "CONFLICT"


class StaleVersionError(WaypoolError):
    """Somebody else has changed this in the meantime: read it again."""

    code = "STALE_VERSION"


class UnavailableError(WaypoolError):
    """Something that Waypool needs is down for now; trying again later may work."""

    code = "UNAVAILABLE"


class OutOfBoundsError(WaypoolError):
    """A parameter value has the wrong type or lies outside its bounds."""

    code = "OUT_OF_BOUNDS"


class CatalogueNeededError(WaypoolError):
    """A snapshot cannot answer this without the catalogue it came from."""

    code = "CATALOGUE_NEEDED"


MOST_SUGGESTIONS = 4
MOST_FAULTS = 100
"""In one answer; of more only their number is told."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a request: RFC 6901 pointer, stable code, text, near values.

    `names` are those of the suggestions for a reader; without them a suggestion is its own name.
    """

    pointer: str
    code: str
    message: str
    suggestions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The fault as an entry of a problem document's `errors`."""
        return {
            "pointer": self.pointer,
            "code": self.code,
            "message": self.message,
            "suggestions": [
                {"id": value, "name": name}
                for value, name in zip(
                    self.suggestions, self.names or self.suggestions, strict=True
                )
            ][:MOST_SUGGESTIONS],
        }


class RequestRefusedError(WaypoolError):
    """A request with faults, all of them named; nothing has run."""

    code = "REQUEST_REFUSED"

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(f"{len(faults)} fault(s) in the request")
        self.faults = tuple(faults)

    def as_problem(self) -> dict[str, Any]:
        """The problem document (RFC 9457) that names them all."""
        more = len(self.faults) - MOST_FAULTS
        return {
            "type": "about:blank",
            "title": "Request refused",
            "status": 422,
            "detail": self.message,
            "code": self.code,
            "errors": [fault.as_json() for fault in self.faults[:MOST_FAULTS]],
            **({"more": more} if more > 0 else {}),
        }


@dataclass
class ToolError(Exception):
    """The one error that the model can mend: it reads `code`, `message` and `allowed`."""

    code: str
    message: str
    allowed: Sequence[str] = field(default_factory=tuple)

    def as_json(self) -> dict[str, Any]:
        """What the model reads; at most 10 allowed values, nearest first."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.allowed:
            error["allowed"] = list(self.allowed)[:10]
        return {"error": error}
