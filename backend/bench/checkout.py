"""Parts of benchmarks that stand in `tests/bench`: foreign loops, rival engines, the pages' crawler.

They need other projects' libraries or a browser's view of the product, so the wheel goes without
them. In a checkout they are used from there; elsewhere a bench says which rows it leaves out.
"""

import importlib
from pathlib import Path
from types import ModuleType

from backend.errors import ConfigurationError

CHECKOUT = Path(__file__).parents[2]


def find_part(name: str) -> ModuleType | None:
    """The module `tests.bench.<name>` of this checkout; None without it or without its libraries."""
    if not (CHECKOUT / "tests" / "bench" / Path(*name.split("."))).with_suffix(".py").is_file():
        return None
    try:
        return importlib.import_module(f"tests.bench.{name}")
    except ModuleNotFoundError:
        return None


def get_part(name: str) -> ModuleType:
    """The same, for a bench that is nothing without it."""
    part = find_part(name)
    if part is None:
        raise ConfigurationError(
            "this bench needs a checkout of the project with the packages of .ci/requirements.lock"
        )
    return part
