"""An axis of values: where it begins and ends, its ticks, and the parts of it that no value can reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.plots.quantities import equally_long

_PAD = 0.06  # room beside what is drawn, as a share of it
_LONGEST = 9  # digits of a tick before it is written with a power of ten
_WIDEST = 2.5  # how many times longer an axis may become to show a value to compare with


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from `low` on until `high` is reached, at most about `most` of them.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low
    power = 10.0 ** math.floor(math.log10(span / (most - 1)))
    step = next(power * m for m in (1, 2, 2.5, 5, 10, 20) if span / (power * m) <= most - 1)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Scale:
    """Values along a line, from `start` to `stop`."""

    start: float
    stop: float
    low: float = -math.inf
    high: float = math.inf
    """The least and the greatest value there can be."""
    percent: bool = False

    def part(self, value: float) -> float:
        """Return how far along the line a value lies: 0 at its start, 1 at its stop."""
        return (value - self.start) / (self.stop - self.start)

    def nearest(self, value: float) -> float:
        """Return the value nearest to one that may lie beyond the ends."""
        return min(max(value, self.start), self.stop)

    @property
    def impossible(self) -> tuple[tuple[float, float], ...]:
        """The parts of the line that no value can reach."""
        parts = ((self.start, min(self.low, self.stop)), (max(self.high, self.start), self.stop))
        return tuple((low, high) for low, high in parts if low < high)

    def ticks(self, room: int, most: int = 6) -> list[tuple[float, str]]:
        """Return round possible values and how they are written, as many as `room` letters allow."""
        for wanted in range(most, 3, -1):
            found = self._ticks(wanted)
            if sum(len(words) + 2 for _, words in found) <= room:
                return found
        return self._ticks(3)

    def _ticks(self, most: int) -> list[tuple[float, str]]:
        start, stop = max(self.start, self.low), min(self.stop, self.high)
        found = [v for v in ticks(self.start, self.stop, most) if start <= v <= stop]
        words = equally_long(found, percent=self.percent)
        if max(map(len, words), default=0) > _LONGEST and not self.percent:
            words = [f"{Decimal(f'{value:.12g}').normalize():e}" for value in found]  # losses may be of any size
        return list(zip(found, words, strict=True))


def scale_of(
    values: Iterable[float],
    compared: Sequence[float] = (),
    *,
    low: float = -math.inf,
    high: float = math.inf,
    percent: bool = False,
) -> Scale:
    """Return an axis that holds all finite values, and those to compare with that lie near.

    Beside them there is some room, but not beyond what is possible unless a value is.
    """
    known = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    start, stop = min(known), max(known)
    if stop - start <= 1e-12 * max(abs(start), abs(stop)):
        start, stop = start - _about(start), stop + _about(start)
    near = [v for v in compared if math.isfinite(v) and max(stop, v) - min(start, v) <= _WIDEST * (stop - start)]
    start, stop = min([start, *near]), max([stop, *near])
    pad = _PAD * (stop - start)
    first = max(start - pad, low) if min(known) >= low else start - pad
    last = min(stop + pad, high) if max(known) <= high else stop + pad
    return Scale(first, last, low, high, percent)


def _about(value: float) -> float:
    """Return how much of the axis to show on either side of a value that stands alone."""
    return 0.05 * abs(value) or 0.05


def swarm(at: FloatArray, apart: float) -> FloatArray:
    """Return steps to the side by which dots nearer than `apart` are kept from hiding each other, as many to either side.

    >>> swarm(np.array([1.0, 1.1, 5.0, 0.9]), 1).tolist()
    [-1.0, 0.0, 0.0, 1.0]
    """
    heaps: dict[int, list[int]] = {}
    for i, heap in enumerate(np.rint(at / apart).astype(np.int64).tolist()):
        heaps.setdefault(heap, []).append(i)
    steps = np.zeros(at.size)
    for heap in heaps.values():
        steps[heap] = np.arange(len(heap)) - (len(heap) - 1) / 2
    return steps
