"""The words of the pages, a module for each group of pages; no key stands in two of them."""

from backend.console.texts import (
    ask,
    catalogue,
    knobs,
    pool,
    results,
    revise,
    run,
    shell,
    sources,
    stats,
    tune,
)

GROUPS = (
    shell.TEXTS,
    ask.TEXTS,
    run.TEXTS,
    pool.TEXTS,
    revise.TEXTS,
    results.TEXTS,
    sources.TEXTS,
    tune.TEXTS,
    knobs.TEXTS,
    stats.TEXTS,
    catalogue.TEXTS,
)

TEXTS: dict[str, tuple[str, str]] = {key: pair for group in GROUPS for key, pair in group.items()}
