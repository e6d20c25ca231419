"""Problems as OpenAPI shows them, and the schemas that no signature names."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, Field

from backend.document import Document
from backend.runs.log.events import EVENT

_REF = "#/components/schemas/{model}"


class SuggestionDocument(Document):
    """What would be right in the place of a faulty value."""

    id: str
    name: str


class FaultDocument(Document):
    """One thing wrong with a request."""

    pointer: str = Field(description="RFC 6901, or the name of a parameter or header.")
    code: str
    message: str
    suggestions: tuple[SuggestionDocument, ...] = Field(description="At most 4, nearest first.")


class Problem(Document):
    """An error (RFC 9457); `code` is stable, `detail` is for people."""

    type: Literal["about:blank"]
    title: str
    status: int
    code: str
    detail: str
    errors: tuple[FaultDocument, ...] = Field(
        (), description="The faults of a refused request, at most 100."
    )
    more: int | None = Field(None, description="How many faults there are beside these 100.")


_PROBLEMS = {
    400: "The body is no JSON, or the address holds a NUL character.",
    401: "No key, or one that is unknown or revoked.",
    403: "The key lacks the scope.",
    404: "No such thing for this tenant.",
    409: "The request contradicts the present state.",
    412: "Somebody else has changed it in the meantime.",
    413: "The body is too large.",
    422: "Everything that is wrong with the request.",
    429: "The tenant has as many waiting runs, or has spent as much, as it may; the detail says more.",
    503: "The database is away or busy; try again after `Retry-After` seconds.",
}

Responses = dict[int | str, dict[str, Any]]


def document_problems(*more: int) -> Responses:
    """The problems that any call may answer with, and some of its own."""
    schema = {"$ref": _REF.format(model="Problem")}
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/problem+json": {"schema": schema}},
        }
        for status in sorted({400, 422, 503, *more})
    }


def list_schemas(bodies: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """Schemas that no signature names: bodies, the problem document, the events of a run."""
    schemas: dict[str, Any] = {}
    for name, schema in (
        *((model.__name__, model.model_json_schema(ref_template=_REF)) for model in bodies),
        ("Problem", Problem.model_json_schema(ref_template=_REF)),
        ("RunEvent", EVENT.json_schema(ref_template=_REF, mode="serialization")),
    ):
        schemas.update(schema.pop("$defs", {}))
        schemas[name] = schema
    return schemas
