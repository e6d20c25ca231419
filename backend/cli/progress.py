"""How far a long command is, on standard error and only where somebody looks at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, Task, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed
from rich.text import Text

OnProgress = Callable[[int, int], None]
"""Takes how many parts are done, of how many."""


class _Counted(MofNCompleteColumn):
    """`3/20`, and nothing where nobody knows how many there are."""

    def render(self, task: Task) -> Text:
        """The column of one task."""
        return Text("") if task.total is None else super().render(task)


@contextmanager
def show_progress(what: str) -> Iterator[OnProgress]:
    """Show `what` is being done and for how long; a bar once the number of parts is known.

    It is gone at the end, so that a terminal keeps only the result.
    """
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        _Counted(),
        Elapsed(),
    )
    shown = Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_terminal,
    )
    with shown:
        task = shown.add_task(what, total=None)

        def update(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)

        yield update
