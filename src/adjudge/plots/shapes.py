"""The shapes by which classes are told apart where colour is not, and what lies between the corners of a simplex."""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.plots.partitions import DIVISIONS, LANE, Bars, Lines, Marks
from adjudge.plots.simplex import FEWEST, borders, corners, edges, second_borders

_SIDES = (0, 4, 3, 4, 6)  # of the shape of each class: disc, square, triangle, diamond; a hexagon for one without a corner
_TURNS = (0.0, math.pi / 4, math.pi / 2, 0.0, 0.0)
_ROUND = 28  # sides by which a disc is drawn where there are no discs
WRONG, INNER = 1.15, 0.56
"""Sizes of the ring and of the inside of a mark whose classes differ, beside one whose classes agree."""


def is_disc(kind: int) -> bool:
    """Return whether a class is drawn as a disc."""
    return _SIDES[kind] == 0


def shape(kind: int, radius: float) -> FloatArray:
    """Return the points around the shape of a class, as large as a disc of this radius.

    >>> shape(3, math.sqrt(2 / math.pi)).round(6).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [-0.0, -1.0]]
    """
    sides = _SIDES[kind] or _ROUND
    angles = _TURNS[kind] + 2 * np.pi * np.arange(sides) / sides
    reach = radius * math.sqrt(2 * math.pi / (sides * math.sin(2 * math.pi / sides)))
    return reach * np.column_stack([np.cos(angles), np.sin(angles)])


def strokes(classes: int) -> list[tuple[str, FloatArray]]:
    """Return the lines of a simplex by what they are: its edges, the borders of its regions, and of the second-best."""
    border = borders(classes) if classes > FEWEST else np.array([[(0.0, -LANE, 0.0), (0.0, LANE, 0.0)]])
    return [("second", second_borders(classes)), ("border", border), ("rim", edges(classes))]


def towards(marks: Marks, lines: Lines, classes: int) -> list[tuple[int, FloatArray]]:
    """Return lines from cases to the corner of their true or assigned class, by class; who has no corner has no line.

    On a segment they run beside it, at the height of the mark, so that they are as long as the corner is far.
    """
    to = marks.truth if lines == "accuracy" else marks.assigned
    found: list[tuple[int, FloatArray]] = []
    for i, corner in enumerate(corners(classes)):
        starts = marks.starts[to == i]
        if starts.size:
            ends = np.broadcast_to(corner, starts.shape)
            ends = np.column_stack([ends[:, 0], starts[:, 1:]]) if classes == FEWEST else ends
            found.append((i, np.stack([starts, ends], axis=1)))
    return found


def bar_boxes(bars: Bars, most: int) -> list[tuple[int, FloatArray]]:
    """Return the bars of a segment by class, as their corners: those of the second class upwards, of the first downwards."""
    found = []
    for (part, kind), cases in np.ndenumerate(bars.cases):
        if cases:
            low, high = part / DIVISIONS[FEWEST] - 0.5, (part + 1) / DIVISIONS[FEWEST] - 0.5
            tall = (1 if kind else -1) * max(LANE * cases / most, 0.003)
            found.append((kind, np.array([(low, 0, 0), (low, tall, 0), (high, tall, 0), (high, 0, 0)], dtype=np.float64)))
    return found


def distinct(marks: Marks, at: FloatArray, away: FloatArray) -> IntArray:
    """Return which marks to draw, and in which order: the farthest first, and only one of those that look the same.

    `at` is where they appear and `away` how far behind; in the plane the order is that of the marks.
    """
    seen = np.column_stack([np.rint(10 * at).astype(np.int64), marks.truth, marks.assigned])
    order = np.argsort(-np.round(away, 9), kind="stable")
    _, first = np.unique(seen[order][::-1], axis=0, return_index=True)
    return np.asarray(order[np.sort(order.size - 1 - first)])
