"""Roots of rising curves, many at once, that are never left unfound: Newton's steps inside a bracket that closes.

A step that leaves the bracket, or does not halve the error, is replaced by the middle of the bracket. So the error or the
bracket halves at every other step, whatever the curve looks like; what Newton's method alone promises is nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import FloatArray

_STEPS = 300

Curve = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""The value, of which a root is wanted, and the slope."""


def rising_root(curve: Curve, low: FloatArray, high: FloatArray, start: FloatArray, enough: float) -> FloatArray:
    """Return where a rising `curve` is within `enough` of 0, or the upper end of a bracket as narrow as floats allow.

    The curve is at most 0 at `low` and at least 0 at `high`.

    >>> two = np.array([2.0])
    >>> rising_root(lambda x: (x * x - 2, 2 * x), 0 * two, two, two, 1e-15).round(12)
    array([1.41421356])
    """
    x = np.clip(start, low, high)
    before = np.full(x.shape, np.inf)
    for _ in range(_STEPS):
        value, slope = curve(x)
        low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            new = x - value / slope
        size = np.abs(value)
        good = (new > low) & (new < high) & (size <= before / 2)
        middle = (low + high) / 2
        new = np.where(good, new, middle)
        before = np.where(good, size, np.inf)
        done = size <= enough
        closed = ~done & ((middle <= low) | (middle >= high))
        x = np.where(done, x, np.where(closed, high, new))
        if (done | closed).all():
            break
    return x
