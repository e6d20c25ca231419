"""The line that `--help` has for each command, read from its source: importing all takes seconds."""

import ast
from importlib.util import find_spec
from pathlib import Path


def read_docstring(place: str) -> str:
    """The docstring of the function `module:name`; empty where there is none."""
    module, _, name = place.partition(":")
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    found = next((node for node in functions if node.name == name), None)
    return (ast.get_docstring(found) if found else None) or ""
