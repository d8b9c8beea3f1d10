"""A bar for whoever waits at a terminal or in a notebook: how far the work is, and how long it will take.

At a terminal it goes to the standard error and nothing is left of it when the work is done; in a notebook it is one line of the
output, written over. Loops deep in the work move the bar that a verb has opened (:func:`stepped`) without being handed it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from functools import partial
from itertools import chain, repeat
from threading import Timer
from typing import Any, Protocol, Self, TypeVar

PATIENCE = 0.6  # seconds before a bar is shown to somebody who did not ask for one
_PATIENCE_OF_NOTEBOOKS = 2.0  # in which a line stays
_OFTEN = 0.2  # seconds between two lines of a notebook
_Item = TypeVar("_Item")


def someone_watches() -> bool:
    """Return whether a person sees a bar: in a notebook, or at a terminal that can write over its own lines."""
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb")


def in_notebook() -> bool:
    """Return whether the output goes to a notebook: IPython is loaded already where one shows it."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """How far some work is: `total` steps, or None where nobody knows, `before` of them done before.

    Steps are counted in `unit`, or told as 3/10 without one; `after` so many seconds the bar is shown: quick work needs none.
    A bar that has neither a total nor a unit is moved by the loops inside (:func:`stepped`).
    """

    def __init__(self, what: str, total: float | None = None, before: int = 0, *, unit: str = "", after: float = 0.0) -> None:
        self.what, self.total, self.done, self.unit, self.note = what, total, float(before), unit, ""
        self._start, self._before = time.monotonic(), float(before)
        self._last = self._start  # when something was done
        self._loops: list[_Loop] | None = [] if total is None and not unit else None
        self._outer: Bar | None = None
        self._view: _View | None = None
        after = max(after, _PATIENCE_OF_NOTEBOOKS) if after and in_notebook() else after
        # a thread of its own has the context of this one, so that a notebook knows the cell
        self._timer = Timer(after, copy_context().run, [self._show]) if after else None

    def __enter__(self) -> Self:
        self._outer = _open.get()
        _open.set(self if self.unit or self._loops is not None else None)  # what counts steps is nobody else's to move
        if self._timer is None:
            self._show()
        else:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        _open.set(self._outer)
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._view is not None:
            self._view.close()

    def begin(self, what: str, total: int | None) -> None:
        """Begin with another piece of the work."""
        self.what, self.total, self.done, self.note = what, total, 0.0, ""
        self._start, self._before = time.monotonic(), 0.0
        self._last = self._start
        if self._view is not None:
            self._view.draw(anew=True)

    def step(self, n: int = 1, *, note: str = "") -> None:
        """Move on by n steps, with a word about them."""
        self.at(self.done + n, note=note)

    def at(self, done: float, *, note: str = "") -> None:
        """Move on to so many steps, with a word about them."""
        self.done, self.note, self._last = float(done), note, time.monotonic()
        if self.total is not None:
            self.total = max(self.total, done)  # an estimate may be too low
        if self._view is not None:
            self._view.draw()

    def over(self, items: Iterable[_Item], shares: Sequence[float]) -> Iterator[_Item]:
        """Yield items and move on after each by its share of the work, within the loops that run already."""
        assert self._loops is not None
        if not self._loops and self.total is not None:  # one after another, each with a time of its own
            self.begin(self.what, None)
        loop = _Loop(sum(shares))
        self._loops.append(loop)
        try:
            for item, loop.current in zip(items, chain(shares, repeat(0.0)), strict=False):
                yield item
                loop.done += loop.current
                self._move()
        finally:
            self._loops.remove(loop)

    @contextmanager
    def lent(self, what: str) -> Iterator[None]:
        """Show another piece of the work, moved by loops, while this one rests."""
        unit, self.unit, self._loops = self.unit, "", []
        self.begin(what, None)
        try:
            yield
        finally:
            self.unit, self._loops = unit, None

    @property
    def moved_by_loops(self) -> bool:
        """Whether loops move it."""
        return self._loops is not None

    def _move(self) -> None:
        """Say which part of the whole is done, by the loops from the innermost to the outermost."""
        assert self._loops is not None
        part = 0.0
        for loop in reversed(self._loops):
            part = (loop.done + part * loop.current) / loop.total if loop.total else 1.0
        self.total = 1.0
        self.at(min(part, 1.0), note=self.note)

    def _show(self) -> None:
        self._view = _Line(self) if in_notebook() else _Terminal(self)

    @property
    def told(self) -> str:
        """How far it is, in words."""
        if self._loops is not None:
            return f"{'' if self.total is None else f'{self.done:.0%}'} {self.note}".strip()
        if self.total is None and not (self.unit and self.done):
            return self.note
        of = "" if self.total is None else f" of {self.total:,.0f}"
        done = f"{self.done:,.0f}{of} {self.unit}" if self.unit else f"{self.done:.0f}/{self.total:.0f}"
        return f"{done} {self.note}".rstrip()

    @property
    def left(self) -> float | None:
        """The seconds left, if the rest goes as what was done; None as long as nothing is."""
        fresh = self.done - self._before
        if self.total is None or fresh <= 0:
            return None
        rest = (self._last - self._start) / fresh * (self.total - self.done)
        return max(rest - (time.monotonic() - self._last), 0.0)

    @property
    def clock(self) -> str:
        """The time left, or as long as nobody knows it the time gone; nothing in the end."""
        if self.done == self.total:
            return ""
        return f"{_minutes(time.monotonic() - self._start)} gone" if self.left is None else f"about {_minutes(self.left)} left"


_open: ContextVar[Bar | None] = ContextVar("bar", default=None)
"""The bar that loops move."""


class _Loop:
    """One of the loops that move a bar: what is done of it, and the share of the item under way."""

    def __init__(self, total: float) -> None:
        self.total, self.done, self.current = total, 0.0, 0.0


def stepped(items: Iterable[_Item], shares: Sequence[float] | None = None) -> Iterator[_Item]:
    """Yield items and move the bar of whoever waits, if there is one; `shares` say how much of the work each is.

    Loops within loops refine the outer ones; `shares` are needed of what has no length.
    """
    bar = _open.get()
    if bar is None or not bar.moved_by_loops:
        return iter(items)
    return bar.over(items, [1.0] * len(items) if shares is None else shares)  # type: ignore[arg-type]


def waiting(what: str, *, progress: bool = True, after: float = PATIENCE) -> AbstractContextManager[Any]:
    """Return a context that shows how long some work takes.

    Within another that one goes on to show the whole, and what counted rows shows this work in their place.
    """
    bar = _open.get()
    if not progress or not someone_watches() or within_bar():
        return nullcontext()
    return Bar(what, after=after) if bar is None else bar.lent(what)


def within_bar() -> bool:
    """Return whether a bar is open that loops move."""
    bar = _open.get()
    return bar is not None and bar.moved_by_loops


class _View(Protocol):
    """Where a bar is shown."""

    def draw(self, *, anew: bool = False) -> None:
        """Show how far it is now; `anew` for another piece of the work."""

    def close(self) -> None:
        """Show that the work has ended."""


class _Terminal:
    """A bar on the standard error, redrawn by a thread while the work goes on, and wiped in the end."""

    def __init__(self, bar: Bar) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = bar
        words = (TextColumn("{task.fields[told]}", markup=False), TextColumn("{task.fields[bar].clock}", markup=False))
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), *words)
        self._progress = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._task = self._progress.add_task(bar.what, total=bar.total, told=bar.told, bar=bar)
        self._progress.update(self._task, completed=bar.done)
        self._progress.start()

    def draw(self, *, anew: bool = False) -> None:
        """Show how far it is now."""
        bar = self._bar
        if anew:
            self._progress.tasks[0].total = bar.total  # which rich would keep as it was where nobody knows
            self._progress.reset(self._task)
        update = partial(self._progress.update, self._task, description=bar.what, told=bar.told)
        update(completed=bar.done, total=bar.total, refresh=bar.done == bar.total)

    def close(self) -> None:
        """Wipe it."""
        self._progress.stop()


class _Line:
    """One line of a notebook, written over as the work goes on; needs no widgets, and stays."""

    def __init__(self, bar: Bar) -> None:
        self._bar, self._drawn = bar, time.monotonic()
        self._handle = sys.modules["IPython"].display.display({"text/plain": self.text}, raw=True, display_id=True)

    @property
    def text(self) -> str:
        """How far the work is and how long it will take."""
        bar = self._bar
        return ", ".join(filter(None, [f"{bar.what}: {bar.told}" if bar.told else bar.what, bar.clock]))

    def draw(self, *, anew: bool = False) -> None:
        """Show how far it is now, a few times a second."""
        if anew or self._bar.done == self._bar.total or time.monotonic() - self._drawn >= _OFTEN:
            self._handle.update({"text/plain": self.text}, raw=True)
            self._drawn = time.monotonic()

    def close(self) -> None:
        """Show the last of it."""
        self._handle.update({"text/plain": self.text}, raw=True)


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
