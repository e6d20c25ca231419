"""Puts a call's arguments into a projection's queries, as values: never as text of a query."""

from collections.abc import Iterable, Mapping
from typing import Any

from backend.errors import ToolError
from backend.results.path_grammar import Key
from backend.results.query_shape import parse_query
from backend.results.values import parse_json, write_json

ARGUMENT = "arg"


def list_arguments(value: Any) -> list[str]:
    """Names of the arguments that a query speaks of, as `{"arg": name}`."""
    if isinstance(value, dict):
        if set(value) == {ARGUMENT}:
            return [str(value[ARGUMENT])]
        return [name for entry in value.values() for name in list_arguments(entry)]
    if isinstance(value, list):
        return [name for entry in value for name in list_arguments(entry)]
    return []


def bind_query(query: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The query with the arguments' values; conditions and limits on what was not given go."""
    bound = {key: value for key, value in query.items() if key != "where"}
    if list_arguments(bound.get("limit")):
        bound["limit"] = arguments.get(list_arguments(bound["limit"])[0])
    clauses = [_bind_clause(clause, arguments) for clause in query.get("where", ())]
    bound["where"] = [clause for clause in clauses if clause is not None]
    made = parse_json(write_json(bound))  # numbers as the engine reads them
    assert isinstance(made, dict)
    return made


def _bind_clause(clause: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
    names = list_arguments(clause.get("value"))
    if not names:
        return clause
    value = arguments.get(names[0])
    return None if value is None or value == [] else {**clause, "value": value}


def check_query(query: Mapping[str, Any], columns: Iterable[str]) -> None:
    """Refuse a query that could never be run, with stand-ins for the arguments."""
    stand_ins = _StandIns(query)
    try:
        shape = parse_query(bind_query(query, stand_ins))
    except ToolError as error:
        raise ValueError(error.message) from None
    for field in shape.list_fields():
        first = field.steps[0]
        if not isinstance(first, Key) or first.name not in columns:
            raise ValueError(f"the query names {field.text!r}, which is no column of the table")


class _StandIns(dict[str, Any]):
    """Some value for any argument: a list where it stands behind `in`, else a number."""

    def __init__(self, query: Mapping[str, Any]) -> None:
        super().__init__()
        for clause in query.get("where", ()):
            is_list = isinstance(clause, dict) and clause.get("op") == "in"
            for name in list_arguments(clause.get("value") if isinstance(clause, dict) else None):
                self[name] = [1] if is_list else 1
        for name in list_arguments(query.get("limit")):
            self[name] = 1
