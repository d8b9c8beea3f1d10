r"""The distribution of the difference of two classifiers that answered the same cases, without simulation.

:math:`D = \sum_k w_k\, (\theta_{k, \text{only a}} - \theta_{k, \text{only b}})`, the shares of the outcomes (both correct,
only a, only b, neither) in class k having a Dirichlet posterior.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from adjudge._base import InputError, Undefined, dataclass, parameter
from adjudge._base.arrays import FloatArray, frozen
from adjudge.stats import special
from adjudge.stats.distribution import Distribution, Engine
from adjudge.stats.engines import peak
from adjudge.stats.numerics import bracketed
from adjudge.stats.offsets import double_double_centre, offset_from, rates
from adjudge.stats.paired_sums import engine, variance
from adjudge.stats.paired_tail import density, log_above

LEAST = 0.0625  # below this, more than rounding lies closer to an end than the smallest float
LEAST_OF_SEVERAL = 0.5  # below this, the ends of a class would still be seen in the sum at any frequency
_STEPS = 300
_SETTLED = 1e-13
_FAINT = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class PairedDistribution(Distribution):
    """A paired difference; rows of `alphas` are "only a", "only b" and the rest. Made by `paired_distribution`."""

    alphas: FloatArray
    weights: FloatArray
    blur: ClassVar[float] = 0.0

    @property
    def support(self) -> tuple[float, float]:
        """From minus to plus the sum of the weights."""
        whole = float(self.weights.sum())
        return -whole, whole

    @property
    def mean(self) -> float:
        """The weighted sum of (p - q) / n."""
        return sum(_centre(self.alphas, self.weights))

    @property
    def var(self) -> float:
        """The sum of the variances, weights squared."""
        return sum(float(weight) ** 2 * variance(alpha) for alpha, weight in zip(self.alphas, self.weights, strict=True))

    @property
    def mode(self) -> float:
        """The place of the greatest density, or the reason why there is none."""
        poles = []  # where the density of one class is infinite; sums of classes are so nowhere
        if len(self.alphas) == 1:
            (p, q, r), weight = self.alphas[0], float(self.weights[0])
            # at an end a power of exactly 1 is a step, at 0 a logarithm
            infinite = ((-weight, p + r < 1), (0.0, p + q <= 1), (weight, q + r < 1))
            poles = [place for place, so in infinite if so]
        if poles:
            return poles[0] if len(poles) == 1 else Undefined("the density rises without bound at more than one difference")
        place = peak(*self._search())
        return place if isinstance(place, Undefined) else float(np.clip(self.mean + place, *self.support))

    @property
    @abstractmethod
    def flaw(self) -> float:
        """To how much probabilities are good."""

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        total = np.zeros(n)
        for (p, q, r), weight in zip(self.alphas, self.weights, strict=True):
            total += weight * rng.beta(p + q, r, n) * (2 * rng.beta(p, q, n) - 1)
        return total

    @abstractmethod
    def _search(self) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        """Return where the density may be rough, its ends among them, and the density: in offsets from the mean."""

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        """Search from the smaller tail: Newton on its logarithm, in a bracket that closes."""
        tail, ends = np.minimum(q, 1 - q), self.support
        above = q <= 1 / 2 if upper else q > 1 / 2
        side = np.where(above, 1.0, -1.0)
        low, high = np.full(tail.shape, ends[0]), np.full(tail.shape, ends[1])
        wanted = np.log(np.maximum(tail, _FAINT))
        settled = _SETTLED + self.blur / np.maximum(tail, _FAINT)
        sd = math.sqrt(self.var)
        x = self.mean - side * sd * special.ndtri(np.clip(tail, 1e-12, 0.5))
        x = np.clip(x, 0.999 * ends[0], 0.999 * ends[1])
        before = np.full(tail.shape, np.inf)
        for _ in range(_STEPS):
            log_tail = np.empty(tail.shape)
            for some, of_upper in ((above, True), (~above, False)):
                if some.any():
                    log_tail[some] = self._log_tail(x[some], upper=of_upper)
            miss = side * (log_tail - wanted)
            with np.errstate(all="ignore"):
                step = miss * np.exp(log_tail) / self._pdf(x)
            low, high, _, new, before = bracketed(x, miss, step, (low, high), before)
            done = (np.abs(miss) <= settled) | (np.abs(new - x) <= 1e-16 * np.abs(x) + 1e-15 * sd)
            x = np.where(done, x, new)
            if done.all():
                break
        return np.where(tail > 0, x, np.where(above, *ends[::-1]))


@dataclass(frozen=True, slots=True, eq=False)
class OneClass(PairedDistribution):
    """One class (or all cases together): every probability to its last digits, each point integrated by itself."""

    flaw: ClassVar[float] = 0.0

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.asarray(np.exp(self._log_tail(x, upper=upper)))

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        x = x / self.weights[0] if upper else -x / self.weights[0]
        p, q, r = self.alphas[0] if upper else self.alphas[0, [1, 0, 2]]
        value = np.where(x < 0, 0.0, -np.inf)
        inside = np.abs(x) < 1
        far = inside & (x * (p + q + r) >= p - q)
        if far.any():
            value[far] = log_above(np.array([p, q, r]), x[far])
        if (near := inside & ~far).any():
            value[near] = np.log1p(-np.exp(log_above(np.array([q, p, r]), -x[near])))
        return value

    def _pdf(self, x: FloatArray) -> FloatArray:
        x = x / self.weights[0]
        inside = np.abs(x) < 1
        value = np.zeros(x.shape)
        value[inside] = density(self.alphas[0], x[inside]) / self.weights[0]
        return value

    def _search(self) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        """Return a window that holds the mass, with 0 inside: the corners of those of S and B, where D = S (2B - 1)."""
        (p, q, r), weight = self.alphas[0].reshape(3, 1, 1), float(self.weights[0])
        told, lead = rates(p + q, r, np.ones((1, 1))), rates(p, q, np.ones((1, 1)))
        corners = [
            (told.centre + s) * (lead.centre - lead.rest + 2 * b) for s in (told.low, told.high) for b in (lead.low, lead.high)
        ]
        mean = float((p - q)[0, 0] / self.alphas[0].sum())
        low, high = weight * (float(np.min(corners)) - mean), weight * (float(np.max(corners)) - mean)
        zero = -weight * mean
        marks = np.array([low, *([zero] if low < zero < high else []), high])
        return marks, lambda x: np.asarray(self.pdf(self.mean + x))


@dataclass(frozen=True, slots=True, eq=False)
class SeveralClasses(PairedDistribution):
    """A weighted sum over classes: probabilities are good to about 1e-12 (1e-8 with a prior below 1), far tails no better."""

    engine: Engine
    centre: tuple[float, float]
    blur: ClassVar[float] = 1e-14

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        above = np.where(np.abs(x) < self.support[1], self.engine.sf(offset_from(self.centre, x)[None])[0], x < 0)
        return above if upper else 1 - above

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.where(np.abs(x) <= self.support[1], self.engine.pdf(offset_from(self.centre, x)[None])[0], 0.0)

    @property
    def flaw(self) -> float:
        """About 1e-13, unless the panels were too few."""
        return float(self.engine.flaw.max())

    def _search(self) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        return self.engine.marks[0], self.engine.pdf


def paired_distribution(alphas: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> PairedDistribution:
    """Return the distribution of the weighted difference a - b; weights default to 1/K.

    `alphas` has a row for each class: counts of both right, only a, only b and neither, plus a prior (of several classes >= 1/2).
    """
    rows = frozen(alphas)
    share = frozen(np.full(len(rows), 1 / len(rows)) if weights is None else weights)
    rows, share = frozen(rows[share > 0]), frozen(share[share > 0])
    least = LEAST if len(rows) == 1 else LEAST_OF_SEVERAL
    if not (np.isfinite(rows) & (rows >= least)).all():
        given = f"got {rows.min()} to {rows.max()} in {len(rows)} class(es)"
        msg = f" must be finite and at least {least}, {given}. Counts need a prior: add 1, or {least}."
        raise InputError(parameter("alphas"), msg)
    both, only_a, only_b, neither = rows.T
    three = frozen(np.stack([only_a, only_b, both + neither], axis=1))
    if len(three) == 1:
        return OneClass(three, share)
    return SeveralClasses(three, share, engine(three, share), _centre(three, share))


def _centre(alphas: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the mean as an unevaluated sum of two numbers."""
    p, q, r = alphas.T
    a, b = np.concatenate([p, q]), np.concatenate([q + r, p + r])
    high, low = double_double_centre(a, b, np.concatenate([weights, -weights]))
    return float(high), float(low)
