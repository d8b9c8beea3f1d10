"""How many folds and repetitions an evaluation can afford: a plan chosen by the size of the data, the same on every machine."""

from __future__ import annotations

from typing import Any

from adjudge.resampling.identity import row_count

SECONDS = 60.0
"""What a plan that nobody chose may take, by the costs below."""
PLANS = {"10x10-fold": 100, "5x10-fold": 50, "3x10-fold": 30, "10-fold": 10, "5-fold": 5}
"""Plans to choose from, the one that decides most first, and how many fits each makes."""
_FIT, _CELL = 1.5e-3, 1.5e-7  # seconds that a decision tree takes on one core, and more for each value it learns from


def affordable_plan(X: Any, models: int) -> str:
    """Return the largest plan in which `models` are fitted in each fold in about a minute; the smallest where none is.

    Nothing is timed: the costs are those of a decision tree on one core of 2025, so that the same data have the same plan
    everywhere. A slower learner takes longer in proportion.

    >>> import numpy as np
    >>> [affordable_plan(np.zeros((n, 64)), 101) for n in (200, 1797, 5000, 100_000)]
    ['10x10-fold', '3x10-fold', '10-fold', '5-fold']
    """
    rows, shape = row_count(X), getattr(X, "shape", None)
    first = () if shape is not None or not rows else X[0]
    columns = int(shape[1]) if shape is not None and len(shape) > 1 else len(first) if hasattr(first, "__len__") else 1
    fold = models * (_FIT + _CELL * rows * max(columns, 1))
    return next((name for name, fits in PLANS.items() if fits * fold <= SECONDS), list(PLANS)[-1])
