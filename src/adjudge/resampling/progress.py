"""How far a run is, for whoever is watching: a bar on a terminal, a line in a notebook, nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

from adjudge._base.progress import Bar, someone_watches
from adjudge.resampling.units import Answer, Job, Runner


def watched(runner: Runner, *, total: int | None = None) -> Runner:
    """Return a runner that shows how far it is; units of `total` that it is not asked for count as done before."""

    def run(job: Job, units: Sequence[int]) -> Iterator[Answer]:
        of, failed = len(units) if total is None else total, 0
        with _sign(of, of - len(units)) as sign:
            for answer in runner(job, units):
                failed += answer.failure is not None
                if sign is not None:
                    sign.step(note=f"{failed} failed" if failed else "")
                yield answer

    return run


def _sign(total: int, before: int) -> AbstractContextManager[Any]:
    """Return what suits the place where the run was started."""
    if _in_notebook():
        return Line(total, before)
    return Bar("fitting", total, before) if someone_watches() else nullcontext()


def _in_notebook() -> bool:
    """Say whether a notebook shows the output; IPython is loaded there already and nowhere imported for this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Line:
    """One line of a notebook, written over as the run goes on; needs no widgets."""

    def __init__(self, total: int, before: int) -> None:
        self._total, self._done, self._before, self._note = total, before, before, ""
        self._start = time.monotonic()
        self._handle: Any = None

    def __enter__(self) -> Self:
        self._handle = sys.modules["IPython"].display.display({"text/plain": self.text()}, raw=True, display_id=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.update({"text/plain": self.text()}, raw=True)

    def step(self, *, note: str) -> None:
        """Say that one more unit is done."""
        self._done += 1
        self._note = note
        self._handle.update({"text/plain": self.text()}, raw=True)

    def text(self) -> str:
        """Return how far it is, what failed and the time left."""
        told = [f"fitting: {self._done} of {self._total}"]
        told += [self._note] if self._note else []
        fresh, left = self._done - self._before, self._total - self._done
        told += [f"about {_clock((time.monotonic() - self._start) / fresh * left)} left"] if fresh and left else []
        return ", ".join(told)


def _clock(seconds: float) -> str:
    """Return a span of time as a watch shows it.

    >>> _clock(75.2), _clock(4000)
    ('1:15', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
