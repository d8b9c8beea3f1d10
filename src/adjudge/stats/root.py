"""Where a function crosses 0 between two ends: Brent's method, with the digits of :func:`scipy.optimize.brentq`.

Every interval needs a root or two, and :mod:`scipy.optimize` loads half of SciPy: longer than judging a thousand cases takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def brentq(
    f: Callable[[float], Any], a: float, b: float, *, xtol: float = 2e-12, rtol: float = 2**-50, maxiter: int = 100
) -> float:
    """Return the root of a function whose values at both ends differ in sign.

    Brent (1973), chapter 4: secant and inverse quadratic steps, each of which must beat halving the bracket.

    >>> brentq(lambda x: x * x - 2, 0, 2)
    1.4142135623731364

    Raises
    ------
    ValueError
        If both ends have the same sign.
    RuntimeError
        If the bracket is still wider than the tolerance after `maxiter` steps.
    """
    previous, current, other = float(a), float(b), 0.0
    f_previous, f_current, f_other = float(f(a)), float(f(b)), 0.0
    if f_previous == 0:
        return previous
    if f_current == 0:
        return current
    if math.copysign(1, f_previous) == math.copysign(1, f_current):
        msg = "f(a) and f(b) must have different signs"
        raise ValueError(msg)
    step_before = step = 0.0
    for _ in range(maxiter):
        if f_previous != 0 and f_current != 0 and math.copysign(1, f_previous) != math.copysign(1, f_current):
            other, f_other = previous, f_previous
            step_before = step = current - previous
        if abs(f_other) < abs(f_current):  # the best point so far is the current one
            previous, current, other = current, other, current
            f_previous, f_current, f_other = f_current, f_other, f_current
        delta, half = (xtol + rtol * abs(current)) / 2, (other - current) / 2
        if f_current == 0 or abs(half) < delta:
            return current
        tried = math.inf
        if abs(step_before) > delta and abs(f_current) < abs(f_previous):
            if previous == other:
                tried = -f_current * (current - previous) / (f_current - f_previous)
            else:
                slope = (f_previous - f_current) / (previous - current)
                slope_other = (f_other - f_current) / (other - current)
                drop = f_other * slope_other - f_previous * slope
                tried = -f_current * drop / (slope_other * slope * (f_other - f_previous))
        good = 2 * abs(tried) < min(abs(step_before), 3 * abs(half) - delta)
        step_before, step = (step, tried) if good else (half, half)
        previous, f_previous = current, f_current
        current += step if abs(step) > delta else math.copysign(delta, half)
        f_current = float(f(current))
    msg = f"no root to within the tolerance after {maxiter} steps; the last point was {current}"
    raise RuntimeError(msg)
