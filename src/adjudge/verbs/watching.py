"""Bars for whoever waits at a terminal while a verb works."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from adjudge._base.progress import Bar, someone_watches
from adjudge._base.text import safe
from adjudge.predictions.model import Predictions, rows_about, watched

_PATIENCE = 0.6  # seconds before anything is shown


def waiting(what: str, *, progress: bool = True) -> AbstractContextManager[Any]:
    """Return a context that shows how long some work takes."""
    return Bar(what, after=_PATIENCE) if progress and someone_watches() else nullcontext()


def reading(predictions: Predictions, *, progress: bool = True) -> tuple[Predictions, AbstractContextManager[Any]]:
    """Return predictions and a context that shows how many of their rows were read."""
    if not (progress and someone_watches()):
        return predictions, nullcontext()
    bar = Bar(f"judging {safe(predictions.source.name, 40)}", rows_about(predictions), unit="rows", after=_PATIENCE)
    return watched(predictions, bar.step), bar
