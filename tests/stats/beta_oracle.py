"""Sums of weighted Beta rates by two ways that share nothing with adjudge, good to about 1e-12.

`pair_cdf`: two rates, by one integral of a density times SciPy's incomplete beta function, over the overlap of both.
`wave_cdf`: any number, by a Fourier series whose period is the sum of the ranges of the single rates. A range ends where
the incomplete beta function is below 1e-18, so nothing can be cut off; waves are integrated against tails of that function.
Where the series has no end (few rates, all with much mass at an end) it says how far each probability is known; `triple_cdf` has
three of them.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, betaln, erfc, gammaln

NOTHING = 1e-18
TERMS = (128, 512, 2048, 8192)
SLACK, MANY = 1.06, 200
GAUSS = np.polynomial.legendre.leggauss(16)
PRIORS = ((1.0, 1.0), (0.5, 0.5), (0.1, 0.1))


def hostile_sizes(rng, count):
    """Return numbers of classes from three to ten, half of them three or four: the fewer, the rougher."""
    return rng.choice(np.arange(3, 11), count, p=[0.3, 0.2, 0.15, 0.1, 0.05, 0.05, 0.05, 0.1])


def hostile_table(rng, k):
    """Return a, b, weights and the prior of a random table: `k` classes of 0 to 1e6 cases, recalls at and near 0 and 1, costs."""
    n = np.floor(10 ** rng.uniform(0, 6 if rng.random() < 0.7 else 2, k)).astype(int)
    n[rng.random(k) < 0.1] = 0
    kind = rng.integers(0, 5, k) if rng.random() < 0.7 else np.full(k, rng.integers(0, 5))
    few = np.minimum(rng.integers(1, 10, k), n)
    right = np.select([kind == 0, kind == 1, kind == 2, kind == 3], [n, 0 * n, n - few, few], rng.binomial(n, rng.random(k)))
    prior = PRIORS[rng.choice(3, p=[0.5, 0.3, 0.2])]
    weights = np.full(k, 1 / k) if rng.random() < 0.6 else np.maximum(rng.dirichlet(np.ones(k)), 1e-3)
    return right + prior[0], n - right + prior[1], weights / weights.sum(), prior


def double_exponential(step):
    t = np.arange(-6.2, 6.2 + step / 2, step)
    grown = math.pi / 2 * np.sinh(t)
    weight = step * math.pi / 2 * np.cosh(t) / (2 * np.cosh(np.clip(grown, -350, 350)) ** 2)
    with np.errstate(over="ignore", under="ignore"):
        return 1 / (1 + np.exp(-2 * grown)), 1 / (1 + np.exp(2 * grown)), weight


def window(a, b):
    """Return where a rate begins and how far from 1 it ends, with nothing outside."""
    low, rest = betaincinv(a, b, NOTHING), betaincinv(b, a, NOTHING)
    low = np.where(betainc(a, b, low) <= 2 * NOTHING, low, 0.0)
    rest = np.where(betainc(b, a, rest) <= 2 * NOTHING, rest, 0.0)
    far = (np.asarray(a) < 3, np.asarray(b) < 3)  # a power that is not whole has its end in the range
    return np.where(far[0], 0.0, low), np.where(far[1], 0.0, rest)


def pair_cdf(a, b, w, x, step=1 / 32):
    """Return P(w1 A1 + w2 A2 <= x) of rows of two rates, (rows, 2), at points (rows, points)."""
    a, b, w = (np.broadcast_to(np.asarray(v, dtype=float), np.shape(a))[..., None, None] for v in (a, b, w))
    x = np.asarray(x, dtype=float)[..., None]
    (a1, a2), (b1, b2), (w1, w2) = ((v[:, 0], v[:, 1]) for v in (a, b, w))
    low1, rest1 = window(a1, b1)
    low2, rest2 = window(a2, b2)
    # u is the first rate; the second is at most (x - w1 u) / w2
    start, stop = (x - w2 * (1 - rest2)) / w1, (x - w2 * low2) / w1
    begin, end = np.maximum(start, low1), np.minimum(stop, 1 - rest1)
    s, r, weight = double_exponential(step)
    wide = np.maximum(end - begin, 0.0)
    u = begin + wide * s
    from_end = wide * r + np.where(end == 1 - rest1, rest1, 1 - end)
    u = np.where(begin == 0, wide * s, u)
    second = low2 + w1 / w2 * (wide * r + (stop - end))
    second_rest = rest2 + w1 / w2 * (wide * s + (begin - start))
    mode = np.clip(a1 / (a1 + b1), 1e-300, 1)
    gone = b1 / (a1 + b1)
    near = np.where(s < r, (begin - mode) + wide * s, (end - mode) - wide * r)
    left = np.where(near < -mode / 2, np.log(np.maximum(u, 1e-320) / mode), np.log1p(np.maximum(near / mode, -0.6)))
    right = np.where(near > gone / 2, np.log(np.maximum(from_end, 1e-320) / gone), np.log1p(np.maximum(-near / gone, -0.6)))
    height = (a1 - 1) * np.log(mode) + (b1 - 1) * np.log(gone) - betaln(a1, b1)
    many = np.maximum(a1, b1) > 1e4  # log beta loses digits: normalise by Stirling's series in the offset form
    height = np.where(many, beta_height(a1, b1), height)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        density = np.nan_to_num(np.exp(height + (a1 - 1) * left + (b1 - 1) * right), posinf=0.0)
    below = np.where(second < 0.5, betainc(a2, b2, np.clip(second, 0, 1)), betaincc(b2, a2, np.clip(second_rest, 0, 1)))
    each = np.where(wide > 0, density * below * weight * wide, 0.0)
    certain = np.clip(start[..., 0], 0, 1)
    return betainc(a1[..., 0], b1[..., 0], certain) + each.sum(-1)


def beta_height(a, b):
    """Return the log density of a Beta(a, b) at its mean, with a / n and b / n to the power of -1 in it."""

    def error(n):
        return 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5)

    n = a + b

    def small(v):
        exact = gammaln(v) - (v - 0.5) * np.log(v) + v - 0.5 * math.log(2 * math.pi)
        return np.where(v > 40, error(np.maximum(v, 1.0)), exact)

    return (
        0.5 * (np.log(a) + np.log(b) - np.log(n) - math.log(2 * math.pi))
        + small(n)
        - small(a)
        - small(b)
        - np.log(a / n)
        - np.log(b / n)
    )


def triple_cdf(a, b, w, x, step=1 / 16):
    """Return P(X <= x) of three rates at one point: `pair_cdf` of two, integrated over the third between all its kinks."""
    order = np.argsort(np.add(a, b))
    a, b, w = (np.asarray(v, dtype=float)[order] for v in (a, b, w))
    low, rest = window(a[0], b[0])
    kinks = [(x - end) / w[0] for end in (0, w[1], w[2], w[1] + w[2])]
    cuts = [float(low), *sorted(k for k in kinks if low < k < 1 - rest), 1 - float(rest)]
    s, r, weight = double_exponential(step)
    total = 0.0
    for start, stop in pairwise(cuts):
        u, left = start + (stop - start) * s, (stop - start) * r + (rest if stop == cuts[-1] else 1 - stop)
        u = (stop - start) * s if start == 0 else u
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            density = np.exp((a[0] - 1) * np.log(u) + (b[0] - 1) * np.log(left) - betaln(a[0], b[0]))
        inner = pair_cdf([a[1:]], [b[1:]], [w[1:]], [x - w[0] * u])[0]
        total += float(np.nan_to_num(density * inner * weight * (stop - start), posinf=0.0).sum())
    return total


def _panels(whole, hard_low, hard_high, count):
    edges = np.linspace(0, 1, count + 1)
    fine = 0.25 ** np.arange(24, 0, -1)
    low = [0.0, *fine * edges[1]] if hard_low else [0.0]
    high = [*(fine[::-1] * edges[1]), 0.0] if hard_high else [0.0]
    from_low = np.concatenate([low, edges[1:-1], 1 - np.array(high)])
    to_high = np.concatenate([1 - np.array(low), 1 - edges[1:-1], high])
    nodes, weights = GAUSS
    part = (nodes + 1) / 2
    width = np.where(from_low[1:] <= 0.5, np.diff(from_low), -np.diff(to_high))
    up = (from_low[:-1, None] + width[:, None] * part).ravel()
    down = (to_high[1:, None] + width[:, None] * (1 - part)).ravel()
    return whole * up, whole * down, whole * (width[:, None] * weights / 2).ravel()


def _wave(a, b, w, low, rest, omega, terms):
    """Return E exp(i m omega (w A - w low)) for m up to `terms`: near ones by parts, far ones by DLMF 13.7.2."""
    near = min(terms, math.ceil(max(4 * (a + b), 60) / (omega * w))) if a + b < MANY else terms
    wave = np.empty(terms + 1, dtype=complex)
    wave[: near + 1] = _wave_by_parts(a, b, w, low, rest, omega, near)
    wave[near + 1 :] = _wave_far_out(a, b, omega * w * np.arange(near + 1, terms + 1), low)
    return wave


def _wave_far_out(a, b, t, low):
    """Return E exp(i t (A - low)) by its asymptotic series: a wave from either end, as many terms as shrink at the first t."""
    value = np.zeros(t.size, dtype=complex)
    s = np.arange(40)
    for own, other, side, place in ((a, b, 1, -low), (b, a, -1, 1 - low)) if t.size else ():
        terms = np.cumprod(np.append(1.0, (own + s) * (1 - other + s) / (s + 1) / t[0]))
        series = np.polynomial.polynomial.polyval(1j * side * t[0] / t, terms[: int(np.abs(terms).argmin()) + 1])
        height = np.exp(gammaln(a + b) - gammaln(other) - own * np.log(t) + 0.5j * math.pi * side * own)
        value += height * series * np.exp(1j * t * place)
    return value


def _wave_by_parts(a, b, w, low, rest, omega, terms):
    """Return the waves of one rate by parts: what is integrated is bounded whatever the density is."""
    whole = w * (1 - low - rest)
    count = max(14, math.ceil(omega * terms * whole / 9))
    up, down, weight = _panels(whole, low == 0 and a < 9 and a % 1 > 0, rest == 0 and b < 9 and b % 1 > 0, count)
    above = np.where(up < down, betaincc(a, b, np.clip(low + up / w, 0, 1)), betainc(b, a, np.clip(rest + down / w, 0, 1)))
    size = math.isqrt(terms) + 1
    small, large = _multiples(omega * up, size), _multiples(omega * size * up, terms // size + 1)
    moments = ((large * (weight * above)) @ small.T).ravel()[: terms + 1]
    return 1 + 1j * omega * np.arange(terms + 1) * moments


def _multiples(angle, count):
    found = np.ones((count, angle.size), dtype=complex)
    turn = np.exp(1j * angle)
    for m in range(1, count):
        np.multiply(found[m - 1], turn, out=found[m])
    return found


def wave_cdf(a, b, w, x, shift=0.0, most=TERMS[-1]):
    """Return P(shift + sum w A <= x) of one row, its density there, and how uncertain each of the probabilities is.

    Where the series has no end, a smooth filter takes the place of one: it moves nothing but what lies within some 20 / terms
    of the range from a rough place (Vandeven 1991). Two filters that disagree show where that is.
    """
    a, b, w, x = (np.asarray(v, dtype=float) for v in (a, b, w, x))
    low, rest = window(a, b)
    whole = float((w * (1 - low - rest)).sum())
    omega = 2 * math.pi / (SLACK * whole)
    n = a + b
    sd = math.sqrt(float((w**2 * a / n * b / n / (n + 1)).sum()))
    terms = min(next((m for m in TERMS if m * omega * sd > 8), TERMS[-1]), most)
    while True:
        wave = np.prod([_wave(*row, omega, terms) for row in zip(a, b, w, low, rest, strict=True)], axis=0)[1:]
        left = float(np.abs(wave[-terms // 8 :]).max())
        if left < 1e-12 or terms >= most:
            break
        terms *= 4
    inside = np.clip(x - shift - math.fsum(w * low), 0.0, whole)
    empty = (1 - SLACK) / 2 * whole  # midway between the end of one period and the next, where nothing is
    m = np.arange(1, terms + 1)
    turned, still = np.exp(-1j * omega * np.outer(inside, m)), np.exp(-1j * omega * empty * m)
    kept = [np.ones(terms)] * 2 if left < 1e-12 else [erfc(8.2 * (m / (share * terms) - 1)) / 2 for share in (0.5, 0.4)]
    both = [(inside - empty) * omega / (2 * math.pi) + ((still - turned) @ (f * wave / (1j * m))).real / math.pi for f in kept]
    pdf = (1 + 2 * (turned @ (kept[0] * wave)).real) * omega / (2 * math.pi)
    return both[0], pdf, np.abs(both[0] - both[1]) + min(left, 1e-12)
