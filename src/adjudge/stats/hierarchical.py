r"""Two learners over several data sets, their differences on the folds of each: a hierarchical model.

.. math:: \bar d_i \sim t_{J-1}(\delta_i, s_i), \qquad \delta_i \sim N(\mu, \tau^2), \qquad
          p(\mu) \propto 1, \qquad \tau \sim \text{half-Cauchy}(A) ,

with :math:`s_i^2` corrected for shared training rows (Nadeau and Bengio 2003): the likelihood of Corani, Benavoli, Demsar,
Mangili and Zaffalon (2017), Mach. Learn. 106:1817-1837, but data sets are normal, :math:`\mu` is flat everywhere and :math:`\tau`
has Gelman's prior (2006, Bayesian Anal. 1:515-534). The posterior is integrated by trapezoidal rules in :math:`\tau = w \sinh y`
and :math:`\mu = c + k \sinh x`, in which the integrands are smooth and vanish at both ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass, replace
from adjudge.stats import special
from adjudge.stats.numerics import brentq

FLOOR = 1e-3  # the least error of a data set's difference, as a share of the largest distance in play: below, it counts as that
_DROP = 32.0  # nats below the peak at which a tail is left out
_FALL = 20.0  # the same where others hold the tail down as well
_SCREEN = 45.0  # the same where the peak is known only roughly
_BEYOND = 40.0
_LIGHTEST = 1e-14  # share of a slice below which a node is left out
_LIGHT = 1e-11  # share of the posterior below which it tells nothing of a data set


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Equal steps of x, where a quantity is c + k sinh x."""

    centre: float
    stretch: float
    step: float
    x: FloatArray

    @classmethod
    def over(cls, centre: float, stretch: float, spacing: float, reach: float) -> _Grid:
        """Return a grid over centre +- reach, at most `spacing` apart within centre +- stretch."""
        step = spacing / (math.sqrt(2) * stretch)
        half = math.ceil(math.asinh(reach / stretch) / step)
        return cls(centre, stretch, step, step * np.arange(-half, half + 1, dtype=np.float64))

    def where_high(self, log_density: Callable[[FloatArray], FloatArray]) -> _Grid:
        """Return the part of the grid on which a density matters, judged by every eighth node: no peak is as narrow."""
        high = log_density(self.values[::8])
        near = high > high.max() - _SCREEN
        near = near | np.append(near[1:], False) | np.append(False, near[:-1])
        return replace(self, x=self.x[np.repeat(near, 8)[: self.x.size]])

    @property
    def values(self) -> FloatArray:
        return np.asarray(self.centre + self.stretch * np.sinh(self.x))

    @property
    def weights(self) -> FloatArray:
        return np.asarray(self.step * self.stretch * np.cosh(self.x))

    def below(self, value: float) -> FloatArray:
        """Return the share of each node's mass below a value: the sinc function of the node, integrated."""
        place = math.asinh((value - self.centre) / self.stretch)
        return np.asarray(0.5 + special.sici(math.pi * (place - self.x) / self.step)[0] / math.pi)


@dataclass(frozen=True, slots=True, eq=False)
class _Slice:
    """The posterior at one tau: the mass of each mu, and the log likelihoods of the sets there."""

    tau: float
    grid: _Grid
    mass: FloatArray
    logs: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _DataSet:
    """The mean difference on one data set, its error, and Student's t as a mixture of normal distributions."""

    mean: float
    scale: float
    degrees: float
    variances: FloatArray
    log_shares: FloatArray

    @classmethod
    def of(cls, mean: float, scale: float, degrees: float, farthest: float) -> _DataSet:
        """Return the set with nodes for distances up to `farthest`: t is normal with a Gamma(nu/2, nu/2) precision."""
        half = degrees / 2
        step = min(0.3, 0.5 / math.sqrt(half + 0.5))
        low = -math.log1p((farthest / scale) ** 2 / degrees) - _BEYOND / (degrees + 1) - math.sqrt(2 * _BEYOND / (degrees + 1))
        high = min(math.sqrt(2 * _BEYOND / half), math.log1p(_BEYOND / half) + 2)
        u, everywhere = np.arange(low, high, step), np.arange(min(low, -_BEYOND / half), high, step)
        whole = np.exp(half * (everywhere - np.exp(everywhere) + 1)).sum()
        shares = half * (u - np.exp(u) + 1) - math.log(whole * math.sqrt(2 * math.pi))
        return cls(mean, scale, degrees, scale**2 * np.exp(-u), shares)

    def log_likelihood(self, mu: FloatArray, tau: float) -> FloatArray:
        """Return the log density of the mean where the sets are N(mu, tau^2)."""
        variances = self.variances + tau**2
        parts = (self.log_shares - 0.5 * np.log(variances)) - 0.5 * (mu[:, None] - self.mean) ** 2 / variances
        return _log_sum(parts, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class HierarchicalPosterior:
    """The posterior of the mean mu and the spread tau over data sets, and of each data set."""

    sets: tuple[_DataSet, ...]
    slices: tuple[_Slice, ...]
    y: FloatArray
    """The place of each slice: tau = unit sinh(y)."""
    unit: float

    @property
    def mu(self) -> float:
        """The posterior mean of the mean over data sets."""
        return float(sum(part.mass @ part.grid.values for part in self.slices))

    def mu_below(self, value: float) -> float:
        """Return the probability that the mean over data sets lies below a value."""
        return float(sum(part.mass @ part.grid.below(value) for part in self.slices))

    def mu_limits(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval of the mean over data sets."""
        ends = [part.grid.values[[0, -1]] for part in self.slices]
        return _central(self.mu_below, float(np.min(ends)), float(np.max(ends)), level, self.unit)

    def tau_below(self, value: float) -> float:
        """Return the probability that the spread over data sets lies below a value; it is even in tau."""
        place, step = math.asinh(value / self.unit), float(self.y[1] - self.y[0])
        inside = special.sici(math.pi * (place - self.y) / step)[0] + special.sici(math.pi * (place + self.y) / step)[0]
        return float(np.array([part.mass.sum() for part in self.slices]) @ inside / math.pi)

    def tau_limits(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval of the spread over data sets; level 0 gives the median twice."""
        return _central(self.tau_below, 0.0, self.slices[-1].tau, level, self.unit)

    def following_below(self, value: float) -> float:
        """Return the probability that the difference on the next data set lies below a value."""
        probability = 0.0
        for part in self.slices:
            below = special.ndtr((value - part.grid.values) / part.tau) if part.tau else part.grid.below(value)
            probability += float(part.mass @ below)
        return min(1.0, max(0.0, probability))

    def following(self, *, margin: float = 0.0) -> tuple[float, float, float]:
        """Return how probable it is that the next data set's difference lies below, in or above the margin."""
        worse, within = self.following_below(-margin), self.following_below(margin)
        return worse, max(0.0, within - worse), 1 - max(worse, within)

    def typical(self, *, margin: float = 0.0) -> tuple[float, float, float]:
        """Return how probable it is that the mean over data sets lies below, in or above the margin."""
        worse, within = self.mu_below(-margin), self.mu_below(margin)
        return max(0.0, worse), max(0.0, within - worse), max(0.0, 1 - max(worse, within))

    def likeliest(self, *, margin: float = 0.0) -> tuple[float, float, float]:
        """Return how probable it is that below, in or above the margin is where the next data set most likely lies.

        That is what Corani et al. (2017) print: in how many of their draws of mu and tau each of the three is the likeliest.
        """
        worse = better = 0.0
        for part in self.slices:
            least = _turn(part.tau, margin)  # of mu, from which on the next data set is more likely above than in the margin
            worse += float(part.mass @ part.grid.below(-least))
            better += float(part.mass.sum() - part.mass @ part.grid.below(least))
        worse, better = max(0.0, worse), max(0.0, better)
        return worse, max(0.0, 1 - worse - better), better

    def shrunken(self, *, level: float = 0.95) -> FloatArray:
        """Return a row per data set: the mean of its difference in the light of the others, and its limits."""
        rows = []
        for at in range(len(self.sets)):
            grid, mass = self._of_set(at)

            def below(value: float, grid: _Grid = grid, mass: FloatArray = mass) -> float:
                return float(mass @ grid.below(value))

            low, high = _central(below, float(grid.values[0]), float(grid.values[-1]), level, self.unit)
            rows.append([float(mass @ grid.values), low, high])
        return np.array(rows)

    def _of_set(self, at: int) -> tuple[_Grid, FloatArray]:
        """Return the posterior of one set's difference on a grid."""
        # It is that set's own likelihood times what all others say of its place: N(mu, tau^2) averaged over their posterior,
        # which is the posterior of all divided by the likelihood of this one.
        own, first = self.sets[at], self.slices[0]
        finest = first.tau**2 + _width(self.sets, first.tau) ** 2
        spacing = 0.4 / math.sqrt(1 / own.scale**2 + 1 / finest)
        spread = max(abs(one.mean - own.mean) for one in self.sets) + 5 * own.scale
        reach = spread + own.scale * math.sqrt(own.degrees * math.expm1(2 * _FALL / (own.degrees + 1)))

        def log_density(values: FloatArray) -> FloatArray:
            return np.asarray(np.logaddexp.reduce([_said_by_others(part, at, values, own) for part in self.slices], axis=0))

        grid = _Grid.over(own.mean, spread, spacing, reach).where_high(log_density)
        logs = log_density(grid.values)
        mass = np.exp(logs - logs.max()) * grid.weights
        return grid, mass / mass.sum()


def hierarchical_posterior(
    means: FloatArray, scales: FloatArray, degrees: FloatArray, *, prior_scale: float, fineness: float = 1.0
) -> HierarchicalPosterior:
    """Return the posterior from means over folds, roots of their corrected variances and degrees of freedom J - 1.

    There are two sets or more, and every number but the means is above 0: folds that all agree have no scale of their own.
    `prior_scale` is A, the median of the spread over data sets before seeing any. `fineness` 1 leaves errors below 1e-7.
    """
    spread = float(np.ptp(means))
    scales = np.maximum(scales, FLOOR * max(float(scales.max()), spread))
    farthest = spread + 3 * float(scales.max())
    rows = zip(means.tolist(), scales.tolist(), degrees.tolist(), strict=True)
    sets = tuple(_DataSet.of(mean, scale, nu, farthest) for mean, scale, nu in rows)
    unit = _width(sets, 0.0)
    y = _places(sets, unit, prior_scale, fineness)
    parts = [_slice(sets, unit * math.sinh(place), fineness) for place in y]
    heights = np.array([_log_prior(unit, place, prior_scale) for place in y])
    heights[0] -= math.log(2) if y[0] == 0 else 0.0  # the other half of an even function
    heights += np.array([height for _, height in parts])
    shares = np.exp(heights - _log_sum(heights, axis=0))
    slices = (replace(part, mass=part.mass * share) for (part, _), share in zip(parts, shares, strict=True))
    return HierarchicalPosterior(sets, tuple(slices), y, unit)


def _turn(tau: float, margin: float) -> float:
    """Return the mean from which on N(mean, tau^2) has more mass above a margin than in it, and than below it."""

    def more(mean: float) -> float:
        above, below = special.ndtr((mean - margin) / tau), special.ndtr((-margin - mean) / tau)
        return float(2 * above + below - 1)

    if not tau or not margin:
        return margin
    return 0.0 if more(0.0) >= 0 else brentq(more, 0.0, margin)


def _width(sets: tuple[_DataSet, ...], tau: float) -> float:
    """Return the error of the mean over sets if their errors were normal: no peak is narrower."""
    return math.sqrt(1 / sum(1 / (one.scale**2 + tau**2) for one in sets))


def _centre(sets: tuple[_DataSet, ...], tau: float) -> float:
    return sum(one.mean / (one.scale**2 + tau**2) for one in sets) * _width(sets, tau) ** 2


def _log_prior(unit: float, place: float, prior_scale: float) -> float:
    """Return the log density of the half-Cauchy prior at tau = unit sinh(place), by place, up to a constant."""
    return math.log(math.cosh(place)) - math.log1p((unit * math.sinh(place) / prior_scale) ** 2)


def _places(sets: tuple[_DataSet, ...], unit: float, prior_scale: float, fineness: float) -> FloatArray:
    """Return equal steps of y over all that may matter, from likelihoods at the means of the sets alone."""
    # the more sets, the narrower the peak of tau: its log has a standard deviation of about 1 / sqrt(2 q)
    means = np.array([one.mean for one in sets])
    largest = max(prior_scale, float(np.ptp(means)), *(one.scale for one in sets))
    places = np.arange(0, math.asinh(largest / unit) + 4 + _SCREEN / len(sets), 0.25)
    rough = np.empty(places.size)
    for i, place in enumerate(places):
        tau = unit * math.sinh(place)
        at = np.append(means, _centre(sets, tau))
        top = float(np.sum([one.log_likelihood(at, tau) for one in sets], axis=0).max())
        rough[i] = top + math.log(_width(sets, tau)) + _log_prior(unit, place, prior_scale)
    kept = places[rough > rough.max() - _SCREEN]
    step = min(0.2, 0.5 / math.sqrt(2 * len(sets))) / fineness
    return step * np.arange(max(0, math.floor(kept[0] / step)), math.ceil(kept[-1] / step) + 2)


def _slice(sets: tuple[_DataSet, ...], tau: float, fineness: float) -> tuple[_Slice, float]:
    """Return the posterior of mu at one tau, and the log of the likelihood of tau."""
    centre, width = _centre(sets, tau), _width(sets, tau)
    stretch = max(abs(one.mean - centre) for one in sets) + 5 * width
    # the distribution of the next set, N(mu, tau^2), must be smooth on the grid as well
    spacing = (min(0.4 * width, tau) if tau else 0.4 * width) / fineness

    def each(mu: FloatArray) -> FloatArray:
        return np.stack([one.log_likelihood(mu, tau) for one in sets])

    # how far from the centre the product of likelihoods has fallen away, Student's tails taken for all of them
    scales = np.sqrt([one.scale**2 + tau**2 for one in sets])
    means, degrees = np.array([[one.mean, one.degrees] for one in sets]).T

    def fall(mu: FloatArray) -> FloatArray:
        z = (mu[:, None] - means) / scales
        return np.asarray((0.5 * (degrees + 1) * np.log1p(z**2 / degrees)).sum(axis=1))

    least, reach = float(fall(np.append(means, centre)).min()), stretch
    while float(fall(np.array([centre - reach, centre + reach])).min()) < least + _DROP:
        reach *= 1.25
    grid = _Grid.over(centre, stretch, spacing, reach).where_high(lambda mu: each(mu).sum(axis=0))
    logs = each(grid.values)
    whole = logs.sum(axis=0) + np.log(grid.weights)
    height = float(_log_sum(whole, axis=0))
    mass = np.exp(whole - height)
    kept = mass > _LIGHTEST
    return _Slice(tau, _Grid(centre, stretch, grid.step, grid.x[kept]), mass[kept], logs[:, kept]), height


def _said_by_others(part: _Slice, at: int, values: FloatArray, own: _DataSet) -> FloatArray:
    """Return the log density of one set's difference at one tau, times the share of that tau."""
    if not part.tau:  # all sets are alike: the difference is mu itself
        x = np.arcsinh((values - part.grid.centre) / part.grid.stretch)
        density = np.sinc((x[:, None] - part.grid.x) / part.grid.step) @ (part.mass / part.grid.step)
        return np.asarray(np.log(np.maximum(density, 1e-300) / (part.grid.stretch * np.cosh(x))))
    heavy = part.mass > _LIGHT
    if not heavy.any():
        return np.full(values.size, -np.inf)
    mu = part.grid.values[heavy]
    logs = np.log(part.mass[heavy]) - part.logs[at, heavy] - 0.5 * ((values[:, None] - mu) / part.tau) ** 2
    half = own.degrees / 2  # the constants of Student's t with this scale and of the normal density of a set's difference
    gammas = float(special.gammaln(half + 0.5) - special.gammaln(half))
    constant = gammas - 0.5 * math.log(math.pi * own.degrees) - math.log(own.scale) - 0.5 * math.log(2 * math.pi)
    kernel = -0.5 * (own.degrees + 1) * np.log1p(((values - own.mean) / own.scale) ** 2 / own.degrees)
    return np.asarray(_log_sum(logs, axis=1) - math.log(part.tau) + kernel + constant)


def _log_sum(logs: FloatArray, *, axis: int) -> FloatArray:
    top = logs.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(logs - top).sum(axis=axis)) + top.squeeze(axis))


def _central(below: Callable[[float], float], low: float, high: float, level: float, unit: float) -> tuple[float, float]:
    """Return the limits of the central interval of a quantity whose distribution function is given."""

    def at(p: float) -> float:
        return brentq(lambda v: below(v) - p, low, high, xtol=1e-9 * unit)

    return at((1 - level) / 2), at((1 + level) / 2)
