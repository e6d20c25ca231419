"""The words of the pages, a module for each group of pages; no key stands in two of them."""

from backend.console.texts.data import CATALOGUE, RESULTS, SHELL, SOURCES
from backend.console.texts.plan import ASK, REVISE, RUN
from backend.console.texts.tuning import KNOBS, POOL, STATS, TUNE

GROUPS = (SHELL, ASK, RUN, POOL, REVISE, RESULTS, SOURCES, TUNE, KNOBS, STATS, CATALOGUE)

TEXTS: dict[str, tuple[str, str]] = {key: pair for group in GROUPS for key, pair in group.items()}
