"""The words of the pages, a module for each group of pages; no key stands in two of them."""

from backend.console.texts import (
    ask,
    knobs,
    revise,
    run,
    shell,
    stats,
    tune,
)

GROUPS = (
    shell.TEXTS,
    ask.TEXTS,
    run.TEXTS,
    revise.TEXTS,
    tune.TEXTS,
    knobs.TEXTS,
    stats.TEXTS,
)

TEXTS: dict[str, tuple[str, str]] = {key: pair for group in GROUPS for key, pair in group.items()}
