"""The upper hull of points that run to the right and up."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray


def upper_hull(x: FloatArray, y: FloatArray) -> AnyArray:
    """Return the corners of the upper hull of points that run to the right and up (Andrew 1979, monotone chain).

    >>> upper_hull(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 2.0, 2.5, 4.0])).tolist()
    [0, 1, 3]
    """
    rest = _without_dents(x, y)
    kept: list[int] = []
    xs, ys = x[rest].tolist(), y[rest].tolist()
    for i in range(len(xs)):
        while len(kept) > 1 and _below(xs, ys, kept[-2], kept[-1], i):
            kept.pop()
        kept.append(i)
    return np.asarray(rest[kept])


def _without_dents(x: FloatArray, y: FloatArray) -> AnyArray:
    """Return few enough points to go through one by one: a point on or below the line between its neighbours is no corner."""
    few, rest = 1000, np.arange(x.size)
    while rest.size > few:
        px, py = x[rest], y[rest]
        dent = (py[1:-1] - py[:-2]) * (px[2:] - px[:-2]) <= (py[2:] - py[:-2]) * (px[1:-1] - px[:-2])
        if not dent.any():
            break
        rest = rest[np.concatenate(([True], ~dent, [True]))]
    return rest


def _below(x: list[float], y: list[float], first: int, middle: int, last: int) -> bool:
    """Say whether the middle point lies on or below the line between the two others."""
    rise = (y[middle] - y[first]) * (x[last] - x[first])
    return rise <= (y[last] - y[first]) * (x[middle] - x[first])
