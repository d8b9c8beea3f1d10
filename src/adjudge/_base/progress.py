"""A bar for whoever waits at a terminal; it goes to the standard error, and nothing is left of it when the work is done."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 0.6  # seconds before a bar is shown to somebody who did not ask for one


def someone_watches() -> bool:
    """Return whether the standard error is a terminal that can write over its own lines."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class Bar:
    """How far some work is: `total` steps, or None where nobody knows, `before` of them done before.

    Steps are counted in `unit`, or told as 3/10 without one; `after` so many seconds the bar is shown: quick work needs none.
    """

    def __init__(self, what: str, total: int | None = None, before: int = 0, *, unit: str = "", after: float = 0.0) -> None:
        self._what, self._total, self._done, self._unit, self._note = what, total, before, unit, ""
        self._progress: Progress | None = None
        self._timer = Timer(after, self._show) if after else None

    def __enter__(self) -> Self:
        if self._timer is None:
            self._show()
        else:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._progress is not None:
            self._progress.stop()

    def begin(self, what: str, total: int | None) -> None:
        """Begin with another piece of the work."""
        self._what, self._total, self._done, self._note = what, total, 0, ""
        if self._progress is not None:
            (task,) = self._progress.tasks
            task.total = total  # which rich would keep as it was where nobody knows
            self._progress.reset(task.id, description=what, told=self._told())

    def step(self, n: int = 1, *, note: str = "") -> None:
        """Move on by n steps, with a word about them."""
        self.at(self._done + n, note=note)

    def at(self, done: int, *, note: str = "") -> None:
        """Move on to so many steps, with a word about them."""
        self._done, self._note = done, note
        if self._total is not None:
            self._total = max(self._total, done)  # an estimate may be too low
        if self._progress is not None:
            shown = partial(self._progress.update, self._progress.task_ids[0], description=self._what, told=self._told())
            shown(completed=done, total=self._total, refresh=done == self._total)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        clock = TimeElapsedColumn() if self._total is None else TimeRemainingColumn()
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[told]}"), clock)
        progress = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        progress.add_task(self._what, total=self._total, completed=self._done, told=self._told())
        progress.start()
        self._progress = progress

    def _told(self) -> str:
        if self._total is None and not (self._unit and self._done):
            return self._note
        of = "" if self._total is None else f" of {self._total:,}"
        done = f"{self._done:,}{of} {self._unit}" if self._unit else f"{self._done}/{self._total}"
        return f"{done} {self._note}".rstrip()


def waiting(what: str, *, progress: bool = True) -> AbstractContextManager[Any]:
    """Return a context that shows how long some work takes."""
    return Bar(what, after=PATIENCE) if progress and someone_watches() else nullcontext()
