r"""The difference of two paired rates in one class, by one integral that keeps every digit of the tails.

With p, q and r the Dirichlet parameters of "only a", "only b" and the rest, and independent Gammas,

.. math:: P(D > x) = P\bigl((1-x)\, G_p - (1+x)\, G_q - x\, G_r > 0\bigr)
          = \frac{1}{2\pi i} \int e^{\kappa(z)} \frac{dz}{z}, \qquad \kappa(z) = -\sum_j \alpha_j \log(1 - c_j z) .

The path crosses the real axis where :math:`\kappa(z) - \log z` is least (Helstrom 1978, IEEE Trans. Aerosp. Electron. Syst.
14:630-640) and bends round the side where fewer cases are: :math:`z = z_0 + i h (\sinh(t - i\beta) + i \sin\beta)`.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.records import dataclass, fields
from adjudge.stats import special
from adjudge.stats.numerics import rising_root
from adjudge.stats.offsets import excess_from, two_product, two_sum

_HALF = 0.5
_DEAD = -38.0  # log of the share of the integrand that is given up at the end of the path
_FEW = 4.0  # round a Gamma of up to this many cases the path may bend more, and be walked in longer steps
_CALM = 8.0  # a Gamma of up to this many cases rises and turns little beside a path; straight on, so few would die out too slowly
_ENDS = np.array([2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 29, 38, 50, 65, 85, 110, 143, 186, 242, 315, 410, 530, 690.0])
_BLOCK = 1 << 15
_SETTLED = 1e-9  # how near its saddle a path crosses the axis
_MANY = 300.0  # below this many cases a plain complex logarithm keeps thirteen digits


def log_above(alpha: FloatArray, x: FloatArray) -> FloatArray:
    """Return log P(D > x) for x at or above the mean; `alpha` holds p, q and r."""
    path = _path(alpha, x)
    return path.height + np.log(_walked(path, density=False))


def density(alpha: FloatArray, x: FloatArray) -> FloatArray:
    """Return the density; infinite at 0 when fewer than one case tells a from b."""
    right = x >= (alpha[0] - alpha[1]) / alpha.sum()
    value = np.empty(x.shape)
    for some, order, seen in ((right, [0, 1, 2], x), (~right, [1, 0, 2], -x)):  # or with the two classifiers exchanged
        if some.any():
            path = _path(alpha[order], seen[some])
            with np.errstate(over="ignore"):
                value[some] = np.exp(path.height) * _walked(path, density=True)
    p, q, _ = alpha
    at_zero = math.inf
    if p + q > 1:  # E(1/S) times half the density of B at 1/2, where D = S (2B - 1)
        at_zero = float((alpha.sum() - 1) / (p + q - 1) * math.exp((1 - p - q) * math.log(2) - special.betaln(p, q)))
    return np.where(x == 0, at_zero, value)


@dataclass(frozen=True, slots=True)
class _Path:
    """Where the integral of each point crosses the real axis, how high it is there, and how it goes on."""

    alpha: FloatArray
    c: FloatArray
    rest: FloatArray
    start: FloatArray
    height: FloatArray
    slope: FloatArray
    scale: FloatArray
    bend: FloatArray

    def some(self, which: IntArray) -> _Path:
        """Return the paths of some points."""
        return _Path(self.alpha, *(getattr(self, field.name)[..., which] for field in fields(self)[1:]))

    @property
    def step(self) -> float:
        """Step along the path: shorter where the integrand is a bell, which leaves less room to bend."""
        return 0.05 if (np.abs(self.bend) < math.pi / 5).any() else 0.12


def _path(alpha: FloatArray, x: FloatArray) -> _Path:
    c = np.stack([1 - x, -(1 + x), -x])
    drift = _drift(alpha, x)
    odds = _crossing(alpha[:, None], c, drift)
    z, rest = _from_odds(odds, c)
    weighted = alpha[:, None] * c * c
    logs = np.concatenate([-np.log1p(odds)[None], np.log1p(-c[1:] * z)])
    close = np.abs(c * z).max(0) < 1  # so near 0 that the linear terms of kappa, which cancel, are better taken together
    together = drift * z + (alpha[:, None] * excess_from(np.where(close, -c * z, 0.0), logs)).sum(0)
    height = np.where(close, together, -(alpha[:, None] * logs).sum(0))
    slope = np.where(close, drift + (weighted / rest).sum(0) * z, (alpha[:, None] * c / rest).sum(0))
    bell = 1 / np.sqrt((weighted / rest**2).sum(0) + 1 / z**2)
    scale = np.minimum(bell, np.minimum(rest[0] / c[0], z))
    return _Path(alpha, c, rest, z, height, slope, scale, _bend(alpha, c, rest))


def _bend(alpha: FloatArray, c: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the angle of each path: round the weaker of the Gammas on either side, since there the others die out."""
    # Below 0 that of r is on the right, behind that of p. Between p and the saddle of q and r the left rises, so the path
    # goes right if what q and r add dies there, or r is too few to rise or turn much, and straight on if not.
    p, q, r = alpha
    right, left = p + r * (c[2] > 0), 1 + q + r * (c[2] < 0)
    angle = np.where(right < left, 1.0, -1.0) * np.where(np.minimum(right, left) > _FEW, math.pi / 8, math.pi / 4)
    between = (c[2] > 0) & (q * c[1] / rest[1] + r * c[2] / rest[2] < 0)
    alone = math.pi / 8 if p > _FEW else math.pi / 4
    # on the way right, r is strongest where c_2 z is sin(alone) long, and q has to outweigh it there
    outweighed = np.log(-c[1] * math.sin(alone) / rest[1]) - np.log(np.where(between, c[2], 1.0))
    left_over = -r * math.log(math.cos(alone)) - q * outweighed
    return np.where(between, np.where((left_over < _DEAD) | (r <= _CALM), alone, 0.0), angle)


def _from_odds(odds: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return z and 1 - c z, the first of which would be lost to rounding if taken from z."""
    z = odds / (1 + odds) / c[0]
    return z, np.concatenate([1 / (1 + odds)[None], 1 - c[1:] * z])


def _drift(alpha: FloatArray, x: FloatArray) -> FloatArray:
    """Return p - q - (p + q + r) x, the mean of the sum of Gammas, as exact as x is."""
    p, q, r = alpha
    some, lost = two_sum(p, q)
    total, more = two_sum(some, r)
    apart, apart_lost = two_sum(p, -q)
    product, product_lost = two_product(np.full(x.shape, total), x)
    drift, drift_lost = two_sum(np.full(x.shape, apart), -product)
    return np.asarray(drift + (drift_lost + apart_lost - product_lost - (lost + more) * x))


def _crossing(alpha: FloatArray, c: FloatArray, drift: FloatArray) -> FloatArray:
    """Return the odds of c_0 z where z kappa'(z) = 1."""
    spread = (alpha * c * c).sum(0)
    root = np.hypot(drift, 2 * np.sqrt(spread))
    share = c[0] * np.where(drift < 0, (root - drift) / (2 * spread), 2 / np.where(drift < 0, 1.0, drift + root))
    # p odds + r odds >= 1 bounds the odds from below, and p odds <= 1 + q + r from above
    low = np.broadcast_to(-np.log(2 * alpha.sum(0)) - 1, share.shape)
    high = np.broadcast_to(np.log((1 + alpha.sum(0)) / alpha[0]) + 1, share.shape)

    def missed(log_odds: FloatArray) -> tuple[FloatArray, FloatArray]:
        z, rest = _from_odds(np.exp(log_odds), c)
        curved = (alpha * c * c / rest).sum(0) * z
        first = np.where(np.abs(c * z).max(0) < 1, drift + curved, (alpha * c / rest).sum(0))
        return first * z - 1, (first + (alpha * c * c / rest**2).sum(0) * z) * z * rest[0]

    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.where(share < 1, np.log(share / (1 - share)), high)
    return np.asarray(np.exp(rising_root(missed, low, high, start, _SETTLED)))


def _walked(path: _Path, *, density: bool) -> FloatArray:
    """Return the integrals without their heights, each walked only as far as it is alive."""
    value = np.empty(path.start.shape)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ends = _alive(path, density=density)
        for end in np.unique(ends):
            t = path.step * np.arange(math.ceil(_ENDS[end] / path.step) + 1)
            group = np.flatnonzero(ends == end)
            for some in np.array_split(group, 1 + group.size * t.size // _BLOCK):
                logs, factor = _integrand(path.some(some), t, density=density)
                heights = (np.exp(logs) * factor).imag
                value[some] = path.step / math.pi * (heights.sum(1) - heights[:, 0] / 2)
    return value


def _alive(path: _Path, *, density: bool) -> IntArray:
    """Return which of `_ENDS` each path has to go to."""
    ends = []
    for some in np.array_split(np.arange(path.start.size), 1 + path.start.size * _ENDS.size // _BLOCK):
        logs, factor = _integrand(path.some(some), np.concatenate([[0.0], _ENDS]), density=density)
        level = logs.real + np.log(np.abs(factor))
        alive = level > level[:, :1] + _DEAD
        ends.append(_ENDS.size - alive[:, ::-1].argmax(1))
    return np.asarray(np.minimum(np.concatenate(ends), _ENDS.size - 1))


def _integrand(path: _Path, t: FloatArray, *, density: bool) -> tuple[AnyArray, AnyArray]:
    """Return the logarithm of the integrand over its height, and the factor that is not in it."""
    sine, cosine = (path.scale * np.sin(path.bend))[:, None], (path.scale * np.cos(path.bend))[:, None]
    moved = sine * (np.cosh(t) - 1) + 1j * (cosine * np.sinh(t))
    along = sine * np.sinh(t) + 1j * (cosine * np.cosh(t))
    rest = path.rest[..., None]
    parts = path.c[..., None] / rest * moved
    if density:
        factor = sum(a / (r * (1 - part)) for a, r, part in zip(path.alpha, rest, parts, strict=True))
    else:
        factor = 1 / (path.start[:, None] + moved)
    if path.alpha.max() < _MANY:
        return -sum(a * _log(1 - part) for a, part in zip(path.alpha, parts, strict=True)), factor * along
    near, far = path.slope[:, None] * moved, np.zeros(moved.shape, dtype=complex)
    for alpha, part in zip(path.alpha, parts, strict=True):
        log, excess = log_and_excess(part)
        near, far = near + alpha * excess, far - alpha * log
    # far out the linear terms are large and cancel; close by they have been left out on paper
    return np.where((np.abs(parts) > 1).any(0), far, near), factor * along


def _log(t: AnyArray) -> AnyArray:
    """Return the logarithm: NumPy's own, in real steps, takes half the time."""
    return np.asarray(np.log(np.hypot(t.real, t.imag)) + 1j * np.arctan2(t.imag, t.real))


def log_and_excess(t: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return log(1 - t) and -t - log(1 - t) of complex numbers, both exact where t is small."""
    size = np.abs(t)
    little = np.where(size < _HALF, size * size - 2 * t.real, 0.0)
    log = np.where(size < _HALF, np.log1p(little) / 2, np.log(np.abs(1 - t))) + 1j * np.arctan2(-t.imag, 1 - t.real)
    return log, excess_from(-t, log)
