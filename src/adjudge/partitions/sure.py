"""How sure the measures of a partition are: limits by weighing its cases anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge._base.show import Shown
from adjudge.partitions.goodness import MEASURES, within
from adjudge.partitions.replicates import Evidence, measured, replicates

RESAMPLES = 1000
WHOLE = 20_000
"""Cases up to which every replicate is drawn from all of them."""
_SUBSETS, _SUBSET = 8, 5_000


@dataclass(frozen=True, slots=True)
class MeasureInterval(Shown):
    """A measure of a partition with its limits."""

    measure: str
    value: float
    low: float
    high: float
    level: float
    resamples: int
    method: str

    def __repr__(self) -> str:
        return self.in_words()

    def in_words(self) -> str:
        """Return the limits as text."""
        name = self.measure.replace("_", " ").capitalize()
        return f"{name} {self.value:.3f}, {self.level:.0%} interval {self.low:.3f} to {self.high:.3f} ({self.method})."


def check_measure(measure: Any) -> int:
    """Return the place of a measure, refusing what is none."""
    if measure not in MEASURES:
        msg = f"measure must be one of {', '.join(MEASURES)}; got {measure!r}."
        raise InputError(msg)
    return MEASURES.index(measure)


def check_resamples(resamples: Any) -> int:
    """Return a number of resamples that limits can be read from."""
    fewest = 100
    if isinstance(resamples, bool) or not isinstance(resamples, (int, np.integer)) or resamples < fewest:
        msg = f"resamples must be a whole number of at least {fewest}; got {resamples!r}."
        raise InputError(msg)
    return int(resamples)


def deviations(
    sets: Sequence[Evidence], values: Sequence[Sequence[float]], resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, str]:
    """Return how far replicates are from the values they were drawn around, sets x resamples x measures, and the method.

    Of very many cases subsets are taken, whose replicates are as sure as all cases make them: the bag of little bootstraps
    of Kleiner et al. (2014), J. R. Stat. Soc. B 76:795-816.

    Fitted to few cases, scaled vectors lie too near to the true corners, and those of replicates still nearer. Where replicates
    are on average above the value, they are put back to it, and below it they are spread by as much: the value is too high
    itself. With that left in, 95% limits of the accuracy of 40 cases in four classes held it in 83% of tries only.
    """
    n, around = len(sets[0].truth), np.asarray(values)[:, None, :]
    if n <= WHOLE:
        off, method = replicates(sets, resamples, rng) - around, "Bayesian bootstrap"
    else:
        parts, method = [], "bag of little bootstraps"
        for i in range(_SUBSETS):
            cases = rng.choice(n, _SUBSET, replace=False)
            some = [evidence.only(cases) for evidence in sets]
            own = np.stack([measured(evidence, total=n) for evidence in some])[:, None, :]
            parts.append(replicates(some, (resamples + i) // _SUBSETS, rng, total=n) - own)
        off = np.concatenate(parts, axis=1)
    flattery, spread = np.maximum(off.mean(axis=1, keepdims=True), 0.0), off.std(axis=1, keepdims=True)
    off = off - flattery
    off = np.where(off < 0, off * (1 + flattery / np.where(spread > 0, spread, 1.0)), off)
    return within(around + off, sets[0].scaled.shape[1]) - around, method


def limits(value: float, off: FloatArray, level: float) -> tuple[float, float]:
    """Return the limits of the central `level` of replicates, a little wider where the value itself lies outside.

    It does where no case is wrong: 1 is then the highest there can be, and the value.
    """
    low, high = np.quantile(off, [(1 - level) / 2, (1 + level) / 2])
    return value + min(float(low), 0.0), value + max(float(high), 0.0)


def interval_of(
    evidence: Evidence, values: Sequence[float], measure: str, level: float, resamples: int, rng: np.random.Generator
) -> MeasureInterval:
    """Return a measure with its limits; `values` are those of all measures."""
    place, level, resamples = check_measure(measure), checked_level(level), check_resamples(resamples)
    off, method = deviations([evidence], [values], resamples, rng)
    value = values[place]
    return MeasureInterval(measure, value, *limits(value, off[0, :, place], level), level, resamples, method)
