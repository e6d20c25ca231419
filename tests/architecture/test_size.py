"""The house stays small: few modules, short functions."""

import ast
from collections.abc import Iterator
from pathlib import Path

BACKEND = Path(__file__).parents[2] / "backend"
MOST_MODULES = 380
LONGEST_FUNCTION = 56
"""Lines of code, without the docstring."""


def list_functions() -> Iterator[tuple[str, int]]:
    for path in sorted(BACKEND.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(BACKEND.parent)}:{node.lineno} {node.name}", measure(node)


def measure(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end; decorators are not counted, they are a route's description."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node) is None or first.end_lineno is None:
        return lines
    return lines - (first.end_lineno - first.lineno + 1)


def test_a_new_subject_is_rare_so_new_code_goes_to_its_neighbours() -> None:
    modules = list(BACKEND.rglob("*.py"))
    assert len(modules) <= MOST_MODULES, "fold small modules into the neighbours that use them"


def test_a_function_fits_on_a_page() -> None:
    assert {name: lines for name, lines in list_functions() if lines > LONGEST_FUNCTION} == {}
