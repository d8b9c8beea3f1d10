"""Partition spaces of two classes: how the memberships of each true class are distributed between the two corners.

Steps show the share of the cases of a true class in parts of equal length, and a strip below them the class that most cases
of a part are predicted as. Heights are told in lengths of the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.plots.drawing import Area, Item, Line, Marks, Text
from adjudge.plots.simplex import FEWEST

BINS = 40
TALL, ABOVE, BELOW = 0.42, 0.08, 0.045  # the tallest step, the room above it for lines to corners, and below for the strip
_GAP = 0.012  # from the segment to the strip
_MEAN = 4.5  # half the width of the mark at a mean
_TICK = 14.0  # from the strip down to the words of ticks


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Cases of two classes by their membership in the second: how many in each part by true and by predicted class."""

    cases: IntArray
    """Parts by true class."""
    predicted: IntArray
    """Parts by predicted class; who is predicted as neither is in no column."""
    means: dict[str, FloatArray]
    """The mean membership in the second class by true class, "scaled_accuracy", or by predicted, "ability_to_separate"."""

    @property
    def shares(self) -> FloatArray:
        """The share of each true class in each part."""
        return np.asarray(self.cases / np.maximum(self.cases.sum(axis=0), 1))

    @property
    def strip(self) -> Iterator[tuple[int, float, float]]:
        """The class that most cases of neighbouring parts are predicted as, and between which memberships; none of no cases."""
        most = np.where(self.predicted.any(axis=1), self.predicted.argmax(axis=1), -1)
        for kind, run in groupby(range(BINS), key=lambda part: int(most[part])):
            parts = list(run)
            if kind >= 0:
                yield kind, parts[0] / BINS, (parts[-1] + 1) / BINS


def steps_of(memberships: FloatArray, truth: IntArray, predicted: IntArray) -> Steps:
    """Return cases by their membership in the second of two classes; what lies on an edge belongs to the part above it."""
    second = memberships[:, 1]
    part = np.clip((second * BINS).astype(np.int64), 0, BINS - 1)

    def table(kinds: IntArray) -> IntArray:
        own = kinds < FEWEST
        return np.bincount(part[own] * FEWEST + kinds[own], minlength=BINS * FEWEST).reshape(-1, FEWEST)

    def means(kinds: IntArray) -> FloatArray:
        return np.array([second[kinds == kind].mean() if (kinds == kind).any() else np.nan for kind in range(FEWEST)])

    by = {"scaled_accuracy": means(truth), "ability_to_separate": means(predicted)}
    return Steps(table(truth), table(predicted), by)


def segment_items(steps: Steps, tallest: float, lines: str | None, placed: Callable[[FloatArray], FloatArray]) -> list[Item]:
    """Return the strip, the steps, ticks and perhaps lines to the corners; `placed` says where points lie on the page."""
    items: list[Item] = []

    def at(points: FloatArray | list[tuple[float, float]]) -> FloatArray:
        across, up = np.asarray(points, dtype=np.float64).T
        return placed(np.column_stack([across - 0.5, up, np.zeros(up.size)]))

    for kind, start, stop in steps.strip:
        corners = [(start, -_GAP), (stop, -_GAP), (stop, -BELOW), (start, -BELOW)]
        items.append(Area((at(corners),), f"of{kind} faint", page=True))
    edges = np.arange(BINS + 1) / BINS
    for kind in range(FEWEST):
        heights = np.repeat(TALL * steps.shares[:, kind] / tallest, 2)
        outline = at(np.column_stack([np.repeat(edges, 2), np.concatenate([[0.0], heights, [0.0]])]))
        items.append(Area((outline,), f"area{kind}", page=True, styled=True))
        items.append(Line(outline, f"curve line{kind}", page=True, styled=True))
    for kind, mean in enumerate(steps.means[lines].tolist() if lines is not None else ()):
        if not np.isnan(mean):
            up = TALL + ABOVE * (kind + 1) / (FEWEST + 1)
            items.append(Line(at([(mean, up), (float(kind), up)]), f"curve line{kind}", page=True))
            items.append(Marks(at([(mean, up)]), "disc", _MEAN, f"of{kind}", page=True))
    for value in (0.0, 0.5, 1.0):
        ((x, y),) = at([(value, -BELOW)]).tolist()
        items.append(Text(x, y + _TICK, f"{value:g}", "tick"))
    return items
