r"""Beta rates measured from their centre, so that counts of 1e9 keep all their digits.

With :math:`m = a/(a+b)`, :math:`\nu = 1 - m` and :math:`h = y - m` the linear terms of the log density cancel on paper:

.. math:: \log f(m + h) = \log f(m) - a\,\varphi(h/m) - b\,\varphi(-h/\nu) - \log\frac{y}{m} - \log\frac{1-y}{\nu},
          \qquad \varphi(t) = t - \log(1 + t) .

Tilted by :math:`e^{\theta y}` the centre solves :math:`a/m - b/\nu + \theta = 0`. Loader (2000), Fast and accurate computation
of binomial probabilities.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.records import dataclass, fields, replace
from adjudge.stats import special
from adjudge.stats.numerics import STEP, rising_root, rule

DROP = 41.0  # log density given up at the ends of a window: exp(-41) = 1.6e-18
_HARD = 7.0  # a window that comes within exp(-7) of an end of the rate is stretched to it
_HALFWAY, _MANY = -0.5, 15
NEAR = 0.03  # below this the eleven terms of a series beat the difference t - log(1 + t)
_NEARLY = 1e-3  # how close, relative to it, a window's end comes to `DROP`
_TINY, _PULL = 1e-300, 1e-9
_STRETCHES, _GONE = 200, 1e-17  # steps by which a window grows at most, and the share of the mass, were it level, that ends it
_SPLITTER = 134217729.0
_LARGE = 1000.0


@dataclass(frozen=True, slots=True)
class Rates:
    """Weighted rates, tilted or not, each with the window of offsets, on the scale of the sum, that holds its mass.

    `at_low` and `at_high` are the rate's distances from 0 and from 1 at the ends of its window, 0 where they touch.
    """

    a: FloatArray
    b: FloatArray
    weight: FloatArray
    centre: FloatArray
    rest: FloatArray
    peak: FloatArray
    low: FloatArray
    high: FloatArray
    at_low: FloatArray
    at_high: FloatArray

    def rows(self, which: Any) -> Rates:
        """Return some rows (and columns), as the arrays are indexed."""
        return Rates(*(getattr(self, field.name)[which] for field in fields(self)))

    @property
    def least_exponent(self) -> float:
        """The sharpest power at an end that a window touches; 1 where all are tame."""
        left, right = np.where(self.at_low == 0, self.a, 1.0), np.where(self.at_high == 0, self.b, 1.0)
        return float(min(left.min(), right.min(), 1.0))

    @property
    def is_tilted(self) -> bool:
        """Whether some centre is not the mean."""
        pull = self.a / self.centre
        return bool((np.abs(self.b / self.rest - pull) > _PULL * pull).any())


def rates(a: FloatArray, b: FloatArray, weight: FloatArray) -> Rates:
    """Return the untilted rates, normalised."""
    n = a + b
    centre, rest = a / n, b / n
    scale = 0.5 * (np.log(a) + np.log(b) - np.log(n) - math.log(2 * math.pi))
    peak = scale + stirling_error(n) - stirling_error(a) - stirling_error(b) - np.log(centre) - np.log(rest)
    return _windowed(a, b, weight, centre, rest, peak)


def mirrored(plain: Rates) -> Rates:
    """Return the rates of the opposite outcome, 1 - A."""
    p = plain
    return Rates(p.b, p.a, p.weight, p.rest, p.centre, p.peak, -p.high, -p.low, p.at_high, p.at_low)


def tilted(plain: Rates, slope: FloatArray) -> tuple[Rates, FloatArray]:
    """Return the rates tilted by exp(`slope` w y), normalised, and log E exp(`slope` w (A - m)), m the new centre."""
    centre, rest = tilted_centre(plain, slope)
    height = plain.peak - deviance(plain, centre, rest) - np.log(centre / plain.centre) - np.log(rest / plain.rest)
    new = _windowed(plain.a, plain.b, plain.weight, centre, rest, np.zeros_like(centre))
    with np.errstate(divide="ignore"):
        mass = np.log(mass_at_nodes(new)[0].sum(-1))
    return replace(new, peak=-mass), height + mass


def mass_at_nodes(rates: Rates, step: float = STEP) -> tuple[FloatArray, FloatArray]:
    """Return the mass of each rate at the nodes of a rule over its window, and the offsets of the nodes: (rows, rates, nodes)."""
    s, rest, weight = rule(rates.least_exponent, step)
    one = rates.rows((..., None))
    width = one.high - one.low
    with np.errstate(divide="ignore", invalid="ignore"):
        mass = density(one, width * s, width * rest) * (width * weight)
    return mass, np.where(s < rest, one.low + width * s, one.high - width * rest)


def stretched(rates: Rates) -> Rates:
    """Return the rates with windows that are widened until the density has died out at every end, or is the rate's own."""
    p = rates
    for _ in range(_STRETCHES):
        with np.errstate(divide="ignore", invalid="ignore"):
            zero, width = np.zeros((*p.a.shape, 1)), p.high - p.low
            nodes = p.rows((..., None))
            first = density(nodes, zero, width[..., None])[..., 0] * width
            last = density(nodes, width[..., None], zero)[..., 0] * width
        more_low, more_high = (p.at_low > 0) & ~(first < _GONE), (p.at_high > 0) & ~(last < _GONE)
        if not (more_low | more_high).any():
            break
        at_low = np.where(more_low, np.maximum(p.at_low - width / p.weight / 4, 0.0), p.at_low)
        at_high = np.where(more_high, np.maximum(p.at_high - width / p.weight / 4, 0.0), p.at_high)
        low, high = p.weight * (at_low - p.centre), p.weight * (p.rest - at_high)
        p = replace(p, low=np.where(more_low, low, p.low), high=np.where(more_high, high, p.high), at_low=at_low, at_high=at_high)
    return p


def tilted_centre(rates: Rates, slope: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return m and 1 - m with :math:`a/m - b/(1-m) + \theta = 0`, :math:`\theta` the tilt there is plus slope times weight."""
    a, b, n = rates.a, rates.b, rates.a + rates.b
    theta = (b / rates.rest - a / rates.centre) + slope * rates.weight
    root = np.hypot(theta + (a - b), 2 * np.sqrt(a * b))
    up, down = theta < n, theta > -n
    centre = np.where(up, 2 * a, theta - n + root) / np.where(up, n - theta + root, 2 * theta)
    rest = np.where(down, 2 * b, -theta - n + root) / np.where(down, n + theta + root, -2 * theta)
    return centre, rest


def deviance(plain: Rates, centre: FloatArray, rest: FloatArray) -> FloatArray:
    """Return how far y^a (1 - y)^b has fallen, in logs, from its peak to `centre`."""
    return plain.a * _excess_at(centre, plain.centre) + plain.b * _excess_at(rest, plain.rest)


def _excess_at(distance: FloatArray, scale: FloatArray) -> FloatArray:
    t = (distance - scale) / scale
    return excess_from(t, log_ratio(t, distance, scale))


def extent(plain: Rates) -> FloatArray:
    r"""Return the offset above which the sum of each row holds nothing.

    The slope :math:`\theta` whose deviance is `DROP` marks the end. The deviance is at most :math:`\theta^2 \sum w^2 / 2n`, that
    of one rate more than :math:`b (\log(\theta w \nu / b) - 1)`; between the two the slope is sought, in log-log.
    """
    low = np.log(2 * DROP / (plain.weight**2 / (plain.a + plain.b)).sum(-1, keepdims=True)) / 2
    already = np.abs(plain.b / plain.rest - plain.a / plain.centre) / plain.weight
    with np.errstate(divide="ignore"):
        one = np.logaddexp(np.log(plain.b / plain.weight / plain.rest) + 1 + DROP / plain.b, np.log(already))
    high = np.maximum(one.min(-1, keepdims=True), low)

    def fallen(log_slope: FloatArray) -> tuple[FloatArray, FloatArray]:
        slope = np.exp(log_slope)
        centre, rest = tilted_centre(plain, slope)
        value = deviance(plain, centre, rest).sum(-1, keepdims=True)
        rate = (_wider(plain, slope, centre, rest) ** 2).sum(-1, keepdims=True)
        return np.log(np.maximum(value, _TINY) / DROP), rate / np.maximum(value, _TINY)

    scale = np.exp(low)
    spread = scale / np.sqrt((_wider(plain, scale, plain.centre, plain.rest) ** 2).sum(-1, keepdims=True) + _TINY)
    _, rest = tilted_centre(plain, np.exp(rising_root(fallen, low, high, np.log(spread * math.sqrt(2 * DROP)), _NEARLY)))
    return np.asarray((plain.weight * (plain.rest - rest)).sum(-1))


def _wider(plain: Rates, slope: FloatArray, centre: FloatArray, rest: FloatArray) -> FloatArray:
    """Return `slope` times the standard deviation that the peak of y^a (1 - y)^b about a centre has by its curvature."""
    return np.asarray(slope * plain.weight * (centre * rest / np.hypot(np.sqrt(plain.a) * rest, np.sqrt(plain.b) * centre)))


def density(rate: Rates, from_low: FloatArray, to_high: FloatArray) -> FloatArray:
    """Return the density at points given by their distances from both ends of the window."""
    offset = np.where(from_low < to_high, rate.low + from_low, rate.high - to_high) / rate.weight
    left = log_ratio(offset / rate.centre, rate.at_low + from_low / rate.weight, rate.centre)
    right = log_ratio(offset / -rate.rest, rate.at_high + to_high / rate.weight, rate.rest)
    if max(rate.a.max(), rate.b.max()) > _LARGE:
        dip = rate.a * excess_from(offset / rate.centre, left) + rate.b * excess_from(offset / -rate.rest, right)
        with np.errstate(invalid="ignore"):
            log_value = rate.peak - dip - left - right
        log_value = np.where(np.isnan(log_value), -np.inf, log_value)  # an end itself
    else:
        linear = (rate.b / rate.rest - rate.a / rate.centre) * offset
        log_value = rate.peak + (rate.a - 1) * left + (rate.b - 1) * right + linear
    return np.exp(log_value) / rate.weight


def log_ratio(t: FloatArray, distance: FloatArray, scale: FloatArray) -> FloatArray:
    """Return log(1 + t) where t = distance / scale - 1: by t near the centre, by the distance near the end."""
    near_end = t < _HALFWAY
    value = np.log1p(np.where(near_end, 0.0, t))
    if near_end.any():
        value[near_end] = np.log((distance / scale)[near_end])
    return value


def excess_from(t: AnyArray, log_ratio: AnyArray) -> AnyArray:
    """Return t - `log_ratio`, where that is log(1 + t), real or complex, by a series where the two nearly agree."""
    small = np.abs(t) < NEAR
    excess = t - log_ratio
    if small.any():
        s = -t[small]
        series = np.full_like(s, 1 / 11)
        for k in range(10, 1, -1):
            series *= s
            series += 1 / k
        excess[small] = series * s * s
    return excess


def stirling_error(n: FloatArray) -> FloatArray:
    r"""Return :math:`\log\Gamma(n) - (n - \tfrac12)\log n + n - \tfrac12\log 2\pi`."""
    large = n > _MANY
    big, small = np.where(large, n, 20.0), np.where(large, 1.0, n)
    s = 1 / (big * big)
    tail = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 * s) * s) * s) * s) * s) / big
    direct = special.gammaln(small) - (small - 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi)
    return np.where(large, tail, direct)


def log_gamma_ratio(a: float, more: float) -> float:
    """Return log Gamma(a + more) - log Gamma(a), exact however large `a` is."""
    errors = stirling_error(np.array([a + more, a]))
    return float(more * math.log(a + more) + ((a - 0.5) * math.log1p(more / a) - more) + (errors[0] - errors[1]))


def _windowed(a: FloatArray, b: FloatArray, weight: FloatArray, centre: FloatArray, rest: FloatArray, peak: FloatArray) -> Rates:
    """Find where the density has dropped by `DROP`, on both sides at once by mirroring."""
    own, other, middle = np.stack([a, b]), np.stack([b, a]), np.stack([centre, rest])
    # the depth s has own phi + other phi = DROP at y = m exp(-s), sought in log-log, where the curve is nearly straight;
    # with the ratio the left side is at most (own + other ratio^2) s^2 / 2 and at least own (s - 1)
    ratio = middle / np.stack([rest, centre])
    low = np.log(math.sqrt(2 * DROP) / np.hypot(np.sqrt(own), np.sqrt(other) * ratio))
    high = np.log(DROP / own + 1)

    def fallen(log_s: FloatArray) -> tuple[FloatArray, FloatArray]:
        s = np.exp(log_s)
        gone = -np.expm1(-s)
        t = ratio * gone
        value = own * (s - gone) + other * (t - np.log1p(t))
        slope = own * gone + other * ratio * (1 - gone) * t / (1 + t)
        return np.log(value / DROP), s * slope / value

    depth = np.exp(rising_root(fallen, low, high, np.minimum(low, high), _NEARLY))
    end = middle * np.where(depth > _HARD, 0.0, np.exp(-depth))
    reach = weight * np.where(depth > _HARD, middle, -middle * np.expm1(-depth))
    return Rates(a, b, weight, centre, rest, peak, -reach[0], reach[1], end[0], end[1])


def double_double_centre(a: FloatArray, b: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum of w a / (a + b) over the last axis as an unevaluated sum of two numbers."""
    n, n_error = two_sum(a, b)
    m = a / n
    product, error = two_product(m, n)
    m_error = ((a - product) - error - m * n_error) / n
    terms, errors = two_product(weight, m)
    low = (errors + weight * m_error).sum(-1)
    high = np.zeros(low.shape)
    for k in range(terms.shape[-1]):
        high, lost = two_sum(high, terms[..., k])
        low = low + lost
    return high, low


def offset_from(centre: tuple[Any, Any], x: FloatArray) -> FloatArray:
    """Return x minus a centre that is the sum of two numbers, exactly enough for counts of 1e9."""
    high, lost = two_sum(x, np.broadcast_to(-centre[0], x.shape))
    return np.asarray(high + (lost - centre[1]))


def two_sum(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return x + y and its rounding error (Knuth)."""
    s = x + y
    back = s - x
    return s, (x - (s - back)) + (y - back)


def two_product(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return x y and its rounding error (Dekker)."""
    product = x * y
    x_high, y_high = (_SPLITTER * each - (_SPLITTER * each - each) for each in (x, y))
    x_low, y_low = x - x_high, y - y_high
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
