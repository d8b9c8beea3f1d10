r"""Accuracies of subjects as draws of a population: the normal-binomial model, integrated on grids.

.. math:: k_j \sim \text{Bin}(n_j, \sigma(\rho_j)), \qquad \rho_j \sim N(\mu, \tau^2)

with the priors of Brodersen et al. (2013), NeuroImage 76:345-361, :math:`\mu \sim N(0, 1)` and :math:`\tau^{-2} \sim
\text{Gamma}(1, 1)`, or weak ones. Brodersen et al. approximate the posterior by independent distributions of mu, tau and the
subjects; as these depend on each other, that is too sure. Here a trapezoidal rule integrates every subject around its mode,
another one mu around the mode at each tau (its posterior is log-concave), and a third tau, on equal steps of its logarithm. What
the nodes leave out is measured: see `NormalBinomial.left_out`.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass
from adjudge.stats import special
from adjudge.stats.shares import ShareDistribution

Prior = Literal["brodersen", "weak"]
PRIORS: tuple[Prior, ...] = get_args(Prior)
"""That of Brodersen et al.; and every accuracy alike for the mean, half-Cauchy of scale 1 for the standard deviation."""
_STEP, _REACH, _FAR = 0.2, 4.2, 4.0  # of the grids in x, where a quantity is c + s sinh x: of subjects, and of the mean
_RANGE: dict[Prior, tuple[float, float]] = {"brodersen": (-4.0, 7.0), "weak": (-16.0, 9.0)}  # of log tau
_SCREEN = 40.0  # nats below the peak at which a tau is left out
_SCANNED = 24  # steps of log tau in a first look
_SUBJECTS = 1 << 21  # numbers that are held at a time
_LIGHT = 1e-12  # share of the posterior below which a node tells nothing of a subject
_POINTS = 481


class _Likelihood(NamedTuple):
    """The log likelihood of a subject at every node of a grid, its slope by the mean, and about how that bends."""

    logs: FloatArray
    slopes: FloatArray
    curves: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class NormalBinomial:
    """The posterior of the mean and of the spread of subjects, on the logit scale, and of each subject."""

    correct: FloatArray
    cases: FloatArray
    tau: FloatArray
    mu: FloatArray  # taus x nodes
    mass: FloatArray
    x: FloatArray
    logs: FloatArray  # different subjects x taus x nodes
    different: FloatArray  # the place of each subject among those that differ; -1 of one without a case

    @property
    def left_out(self) -> float:
        """How much of the posterior the grid misses, about: what lies at its ends, and what half of its nodes would change."""
        by_tau, by_x = self.mass.sum(axis=1), self.mass.sum(axis=0)
        ends = max(float(by_tau[0]), float(by_tau[-1]), float(by_x[0]), float(by_x[-1]))
        halves = [abs(2 * float(part[::2].sum()) - 1) ** 2 for part in (by_tau, by_x)]  # errors fall as the square or faster
        return max(ends, *halves)

    def mean(self) -> ShareDistribution:
        """Return the distribution of the accuracy at the mean of the population's logits."""
        points = self._points(self.mu, 0.0)
        below = np.zeros(points.size)
        for centre, scale, mass in zip(*self._grids(), self.mass, strict=True):
            below += _below(points, centre, scale, self.x) @ mass
        return ShareDistribution.of(points, below, float((self.mass * special.expit(self.mu)).sum()))

    def following(self) -> ShareDistribution:
        """Return the distribution of the accuracy of the next subject."""
        points = self._points(self.mu, 8.5)
        below = np.zeros(points.size)
        for tau, mu, mass in zip(self.tau, self.mu, self.mass, strict=True):
            below += special.ndtr((points[:, None] - mu) / tau) @ mass
        return ShareDistribution.of(points, below, float((self.mass * self._moments()[0]).sum()))

    def variance(self) -> ShareDistribution:
        """Return the distribution of the variance of the accuracy between subjects."""
        first, second = self._moments()
        values, mass = np.maximum(second - first**2, 0.0).ravel(), self.mass.ravel()
        order = np.argsort(values)
        below = np.cumsum(mass[order]) - mass[order] / 2  # half of a node lies below it
        at = np.unique(np.searchsorted(below, np.linspace(0, 1, _POINTS)[1:-1]).clip(0, values.size - 1))
        points, kept = np.unique(values[order][at], return_index=True)
        return ShareDistribution.of(points, below[at][kept], float(mass @ values), logits=False)

    def subject(self, at: int) -> ShareDistribution:
        """Return the distribution of the accuracy of a subject, drawn towards those of the others."""
        place = int(self.different[at])
        if place < 0:  # nothing was seen of it: it is as the next one
            return self.following()
        k, n = float(self.correct[at]), float(self.cases[at])
        logs = self.logs[place]
        heavy = self.mass > _LIGHT
        mu, tau = self.mu[heavy], np.broadcast_to(self.tau[:, None], self.mu.shape)[heavy]
        # where the subject lies by each node, and how widely: its posterior is a mixture of these
        mode, scale = _modes(np.array([k]), np.array([n]), mu[:, None], tau[:, None])
        low, high = float((mode - 9 * scale).min()), float((mode + 9 * scale).max())
        weights = self.mass[heavy]
        centre = float((weights * mode[:, 0]).sum() / weights.sum())
        finest = float(scale[:, 0][weights > _LIGHT * 1e3].min())
        stretch = max(4 * finest, 1e-9)
        ends = np.arcsinh((np.array([low, high]) - centre) / stretch)
        x = np.linspace(ends[0], ends[1], max(61, math.ceil((ends[1] - ends[0]) * stretch / (0.35 * finest))) | 1)
        rho = centre + stretch * np.sinh(x)
        own = k * (rho - centre) - n * (np.logaddexp(0.0, rho) - np.logaddexp(0.0, centre))
        shift = k * centre - n * float(np.logaddexp(0.0, centre))
        density = np.zeros(rho.size)
        for part in np.array_split(np.arange(mu.size), max(1, mu.size * rho.size // _SUBJECTS)):
            spread = own[:, None] + shift - 0.5 * ((rho[:, None] - mu[part]) / tau[part]) ** 2
            density += np.exp(spread - np.log(tau[part]) - logs[heavy][part] + np.log(weights[part])).sum(axis=1)
        mass = density * np.cosh(x)
        mass /= mass.sum()
        points = rho[(mass > 0) | (density > 0)]
        return ShareDistribution.of(points, _below(points, centre, stretch, x) @ mass, float(mass @ special.expit(rho)))

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the mean square of the accuracies of subjects at every node."""
        z = np.arange(-8.0, 8.01, 0.2)
        weights = np.exp(-0.5 * z**2)
        weights /= weights.sum()
        first, second = np.empty(self.mu.shape), np.empty(self.mu.shape)
        for i, (tau, mu) in enumerate(zip(self.tau, self.mu, strict=True)):
            shares = special.expit(mu[:, None] + tau * z)
            first[i], second[i] = shares @ weights, shares**2 @ weights
        return first, second

    def _grids(self) -> tuple[FloatArray, FloatArray]:
        """Return the centre and the stretch of the grid of the mean at each tau."""
        middle = self.x.size // 2
        scale = (self.mu[:, -1] - self.mu[:, 0]) / (2 * math.sinh(self.x[-1]))
        return self.mu[:, middle], scale

    def _points(self, mu: FloatArray, beyond: float) -> FloatArray:
        """Return logits between which hardly anything changes, over all that may be."""
        heavy = self.mass > _LIGHT
        tau = np.broadcast_to(self.tau[:, None], mu.shape)
        low = float((mu - beyond * tau)[heavy].min())
        high = float((mu + beyond * tau)[heavy].max())
        centre = float((self.mass * mu).sum())
        inner = np.sqrt((self.mass * ((mu - centre) ** 2 + (beyond > 0) * tau**2)).sum())
        stretch = max(float(inner), 1e-9)
        low, high = max(low, -45.0), min(high, 45.0)  # beyond these a share is 0 or 1 to all digits
        ends = np.arcsinh((np.array([low, high]) - centre) / stretch)
        return np.asarray(centre + stretch * np.sinh(np.linspace(ends[0], ends[1], _POINTS)))


def normal_binomial(correct: FloatArray, cases: FloatArray, prior: Prior = "brodersen") -> NormalBinomial:
    """Return the posterior from the correct cases of each subject; one without a case tells nothing.

    >>> mean = normal_binomial(np.array([82.0, 75.0, 92.0, 85.0, 88.0]), np.full(5, 100.0)).mean()
    >>> round(mean.mean, 4)
    0.8127
    """
    seen = cases > 0
    pairs, place = np.unique(np.stack([correct[seen], cases[seen]]), axis=1, return_inverse=True)
    different = np.full(cases.size, -1)
    different[seen] = place.ravel()
    times = np.bincount(place.ravel()).astype(np.float64)
    k, n = pairs
    many = int(seen.sum())
    u = np.linspace(*_RANGE[prior], _SCANNED + 1)
    while True:  # look closer until the peak of log tau is many steps wide
        centre, width, heights = _slices(k, n, times, np.exp(u), prior)
        near = heights > heights.max() - _SCREEN
        near = near | np.append(near[1:], False) | np.append(False, near[:-1])
        if near.sum() > _SCANNED // 2:
            break
        u = np.linspace(u[near][0], u[near][-1], _SCANNED + 1)
    step = min(0.2, 0.45 / math.sqrt(2 * max(many, 1)))
    u = np.linspace(u[near][0], u[near][-1], math.ceil((u[near][-1] - u[near][0]) / step) + 1)
    tau = np.exp(u)
    centre, width, _ = _slices(k, n, times, tau, prior)
    x = np.asarray(np.arange(-round(_FAR / _STEP), round(_FAR / _STEP) + 1) * _STEP, dtype=np.float64)
    mu = centre[:, None] + width[:, None] * np.sinh(x)
    logs = _likelihoods(k, n, mu, tau, derived=False).logs
    heights = np.tensordot(times, logs, axes=1) + _log_prior(mu, u[:, None], prior)
    heights += np.log(np.cosh(x)) + np.log(width)[:, None]
    mass = np.exp(heights - heights.max())
    return NormalBinomial(correct, cases, tau, mu, mass / mass.sum(), x, logs, different)


def variational(correct: FloatArray, cases: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation of the logit mean as Brodersen et al. (2013) approximate them.

    The updates and where they end are those of their software, R's micp, so that its published digits come out.
    """
    mean_0, precision_0, shape_0, rate_0 = 0.0, 1.0, 1.0, 1.0
    tolerance = 1e-3  # theirs, of the free energy and of the modes of subjects
    m, rho, energy = correct.size, np.zeros(correct.size), -math.inf
    mean, precision, shape, scale = mean_0, precision_0, shape_0, 1 / rate_0
    for _ in range(50):
        known = shape * scale
        for _ in range(10):
            p = special.expit(rho)
            moved = (correct - cases * p + known * (mean - rho)) / (cases * p * (1 - p) + known)
            rho = rho + moved
            if float(moved @ moved) < tolerance:
                break
        p = special.expit(rho)
        precisions = cases * p * (1 - p) + known
        mean = (mean_0 * precision_0 + known * float(rho.sum())) / (m * known + precision_0)
        precision = m * known + precision_0
        shape = shape_0 + m / 2
        scale = 1 / (rate_0 + 0.5 * float(((rho - mean) ** 2 + 1 / precisions + 1 / precision).sum()))
        before, energy = energy, float((correct * rho - cases * np.logaddexp(0.0, rho)).sum())
        energy -= 0.5 * float((shape * scale * (rho - mean) ** 2 + np.log(precisions)).sum()) + 0.5 * math.log(precision)
        energy += shape * math.log(scale) - shape * scale * (rate_0 + m / (2 * precision))
        energy -= precision_0 / 2 * ((mean - mean_0) ** 2 + 1 / precision)
        if abs(energy - before) < tolerance:
            break
    return mean, 1 / math.sqrt(precision)


def _log_prior(mu: FloatArray, u: FloatArray, prior: Prior) -> FloatArray:
    """Return the log density of the mean and the log spread, up to a constant."""
    if prior == "brodersen":
        return np.asarray(-0.5 * mu**2 - 2 * u - np.exp(-2 * u))
    return np.asarray(-np.logaddexp(0.0, mu) - np.logaddexp(0.0, -mu) + u - np.logaddexp(0.0, 2 * u))


def _slices(
    k: FloatArray, n: FloatArray, times: FloatArray, tau: FloatArray, prior: Prior
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return at each tau the mode of the mean, its width by the curvature there, and the log of the mass, roughly."""
    mu = np.full((tau.size, 1), float(times @ special.logit((k + 0.5) / (n + 1))) / (times.sum() + 1))
    told, width = _likelihoods(k, n, mu, tau, derived=True), np.ones(mu.shape)
    for _ in range(40):
        p = special.expit(mu)
        pulled, known = (-mu, 1.0) if prior == "brodersen" else (1 - 2 * p, 2 * p * (1 - p))
        slope = np.tensordot(times, told.slopes, axes=1) + pulled
        curve = np.tensordot(times, told.curves, axes=1) - np.maximum(known, 1e-6)
        moved, width = np.clip(-slope / curve, -2.0, 2.0), 1 / np.sqrt(-curve)
        mu = mu + moved
        told = _likelihoods(k, n, mu, tau, derived=True)
        if float((np.abs(moved) / width).max()) < 0.01:  # noqa: PLR2004 - where a grid is put, not what it says
            break
    heights = np.tensordot(times, told.logs, axes=1) + _log_prior(mu, np.log(tau)[:, None], prior) + np.log(width)
    return mu[:, 0], width[:, 0], heights[:, 0]


def _likelihoods(k: FloatArray, n: FloatArray, mu: FloatArray, tau: FloatArray, *, derived: bool) -> _Likelihood:
    """Return the log likelihood of each subject at means (taus x nodes), a subject integrated over its accuracy."""
    x = np.arange(-round(_REACH / _STEP), round(_REACH / _STEP) + 1) * _STEP
    stretched, weights = np.sinh(x), _STEP * np.cosh(x)
    shape = (k.size, *mu.shape)
    logs, slopes, curves = (np.zeros(shape) for _ in range(3))
    width = tau[:, None]
    for i in range(k.size):
        for rows in np.array_split(np.arange(tau.size), max(1, mu.size * x.size // _SUBJECTS)):
            own, wide = mu[rows], width[rows]
            mode, scale = _modes(k[i], n[i], own, wide)
            rho = mode[..., None] + scale[..., None] * stretched
            away = (rho - own[..., None]) / wide[..., None]
            height = k[i] * rho - n[i] * np.logaddexp(0.0, rho) - 0.5 * away**2
            top = height.max(axis=-1)
            part = np.exp(height - top[..., None]) * weights
            whole = part.sum(axis=-1)
            logs[i, rows] = top + np.log(whole * scale / wide) - 0.5 * math.log(2 * math.pi)
            if derived:
                first = (part * away).sum(axis=-1) / whole
                slopes[i, rows] = first / wide
                told = np.maximum(1 / scale**2 - 1 / wide**2, 0.0)  # by the subject itself, as if it were normal
                curves[i, rows] = -told / (1 + told * wide**2)
    return _Likelihood(logs, slopes, curves)


def _modes(k: FloatArray, n: FloatArray, mu: FloatArray, tau: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where a subject's logit is most probable by each mean and spread, and how widely it lies around that."""
    known = 1 / tau**2
    pulled = k - n * special.expit(mu)
    ends = np.stack(np.broadcast_arrays(mu, mu + pulled / known))
    with np.errstate(divide="ignore"):
        own = special.logit(np.asarray(k / n))
    low, high = ends.min(axis=0), ends.max(axis=0)
    low, high = np.maximum(low, np.minimum(mu, own)), np.minimum(high, np.maximum(mu, own))
    rho = np.clip(special.logit((k + 0.5) / (n + 1)), low, high)
    for _ in range(60):
        p = special.expit(rho)
        slope, curve = k - n * p - known * (rho - mu), n * p * special.expit(-rho) + known
        low, high = np.where(slope > 0, rho, low), np.where(slope < 0, rho, high)
        nearer = rho + slope / curve
        nearer = np.where((nearer > low) & (nearer < high), nearer, (low + high) / 2)
        moved, rho = np.abs(nearer - rho) * np.sqrt(curve), nearer
        if float(moved.max()) < 0.05:  # noqa: PLR2004 - of its width: where a grid is put, not what it says
            break
    return rho, 1 / np.sqrt(n * special.expit(rho) * special.expit(-rho) + known)


def _below(points: FloatArray, centre: float, stretch: float, x: FloatArray) -> FloatArray:
    """Return the share of the mass of each node of a grid c + s sinh x that lies below points: its sinc function, integrated."""
    places = np.arcsinh((points - centre) / stretch)
    return np.asarray(0.5 + special.sici(math.pi * (places[:, None] - x) / (x[1] - x[0]))[0] / math.pi)
