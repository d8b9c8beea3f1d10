"""Paired differences by quadrature over SciPy's incomplete beta function: nothing is shared with adjudge.

In one class the difference is D = S (2B - 1): S ~ Beta(p + q, r) is the share of cases that only one got right, and B ~ Beta(p, q)
the share of those that a got right. `one_sf` and `one_pdf` integrate over S, `pair_sf` one class against another,
between all kinks; `wave_sf` of any number is a Fourier series whose period is the sum of the ranges, so nothing is cut off.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy.special import betainc, betaincc
from tests.stats.beta_oracle import beta_height, double_exponential, window

STEP = 1 / 32


def _log_density(a, b, u, left):
    """Return the log density of a Beta(a, b) at u = 1 - left, both exact."""
    mode, gone = a / (a + b), b / (a + b)
    near = np.where(u < left, u - mode, gone - left)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_u = np.where(np.abs(near) < mode / 2, np.log1p(np.clip(near / mode, -0.6, 1.0)), np.log(u / mode))
        log_left = np.where(np.abs(near) < gone / 2, np.log1p(np.clip(-near / gone, -0.6, 1.0)), np.log(left / gone))
        return beta_height(a, b) + (a - 1) * log_u + (b - 1) * log_left


def _over_s(alpha, x, step):
    """Return nodes over S for x >= 0: s, 1 - s, B, 1 - B, weights; and S beyond which B is surely large enough."""
    p, q, r = alpha
    low, rest = (float(v) for v in window(p + q, r))
    b_low, b_rest = (float(v) for v in window(p, q))
    x = x[:, None]
    first = x / (1 - 2 * b_rest) if b_rest < 0.5 else np.full(x.shape, np.inf)
    sure = x / (2 * b_low - 1) if b_low > 0.5 else np.full(x.shape, np.inf)
    begin = np.minimum(np.maximum(first, low), 1.0)
    end = np.minimum(sure, 1 - rest)
    wide = np.maximum(end - begin, 0.0)
    up, down, weight = double_exponential(step)
    s = np.where(begin == 0, wide * up, begin + wide * up)
    left = wide * down + np.where(end == 1 - rest, rest, 1 - end)
    gap = np.where(begin == x, wide * up, (begin - x) + wide * up)  # s - x
    with np.errstate(divide="ignore", invalid="ignore"):
        b_left = np.where(s > 0, gap / (2 * s), 0.5)
    return s, left, 1 - b_left, b_left, weight * wide, sure[:, 0]


def one_sf(alpha, x, step=STEP):
    """Return P(D > x) of one class with parameters p, q, r."""
    x = np.asarray(x, dtype=float)
    value = np.where(x < 0, 1.0, 0.0)
    for side, order in ((1, [0, 1, 2]), (-1, [1, 0, 2])):
        inside = (side * x >= 0) & (np.abs(x) < 1) & ((side > 0) | (x < 0))
        if inside.any():
            found = _half_sf(np.asarray(alpha, dtype=float)[order], side * x[inside], step)
            value[inside] = found if side > 0 else 1 - found
    return value


def _half_sf(alpha, x, step):
    p, q, r = alpha
    s, left, _, b_left, weight, sure = _over_s(alpha, x, step)
    with np.errstate(over="ignore", invalid="ignore"):
        height = np.nan_to_num(np.exp(_log_density(p + q, r, s, left)), posinf=0.0)
    return (height * betainc(q, p, np.clip(b_left, 0, 1)) * weight).sum(1) + betaincc(p + q, r, np.clip(sure, 0, 1))


def one_pdf(alpha, x, step=STEP):
    """Return the density of D."""
    x = np.asarray(x, dtype=float)
    value = np.zeros(x.shape)
    for side, order in ((1, [0, 1, 2]), (-1, [1, 0, 2])):
        inside = (side * x > 0) & (np.abs(x) < 1)
        if inside.any():
            p, q, r = np.asarray(alpha, dtype=float)[order]
            s, left, b, b_left, weight, _ = _over_s(np.array([p, q, r]), side * x[inside], step)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                logs = _log_density(p + q, r, s, left) + _log_density(p, q, b, b_left) - np.log(2 * s)
                value[inside] = np.nan_to_num(np.exp(logs) * weight, posinf=0.0).sum(1)
    return value


def reach(alpha):
    """Return where D begins and ends: the corners of the windows of S and B."""
    p, q, r = (float(v) for v in alpha)
    low, rest = (float(v) for v in window(p + q, r))
    b_low, b_rest = (float(v) for v in window(p, q))
    corners = [s * b for s in (low, 1 - rest) for b in (2 * b_low - 1, 1 - 2 * b_rest)]
    return min(corners), max(corners)


def pair_sf(alphas, weights, x, step=STEP):
    """Return P(w1 D1 + w2 D2 > x) at one point."""
    (one, other), (w1, w2) = alphas, weights
    (low, high), (low2, high2) = reach(one), reach(other)
    never, sure = (x - w2 * high2) / w1, (x - w2 * low2) / w1
    begin, end = max(low, never), min(high, sure)
    certain = float(one_sf(one, np.array([max(sure, -1.0)]), step)[0])
    if end <= begin:
        return certain
    marks = [begin, *sorted(m for m in {0.0, x / w1} if begin < m < end), end]
    up, down, weight = double_exponential(step)
    total = 0.0
    for start, stop in pairwise(marks):
        u = np.where(up < down, start + (stop - start) * up, stop - (stop - start) * down)
        density = one_pdf(one, u, step)
        alive = density > 0
        v = (x - w1 * u) / w2
        total += float((density[alive] * one_sf(other, v[alive], step) * weight[alive]).sum() * (stop - start))
    return certain + total


def _class_wave(alpha, w, omega, terms):
    """Return E exp(i m omega w (D - low)) by parts, panels graded towards 0 and both ends."""
    low, high = reach(alpha)
    ends = [low, *([0.0] if low < 0 < high else []), high]
    nodes, weights = np.polynomial.legendre.leggauss(16)
    x, weight = [], []
    for start, stop in pairwise(ends):
        count = max(12, math.ceil(omega * terms * w * (stop - start) / 9))
        fine = 0.25 ** np.arange(20, 0, -1)
        inner = np.linspace(0, 1, count + 1)
        edges = np.concatenate([[0.0], fine * inner[1], inner[1:-1], 1 - (fine * inner[1])[::-1], [1.0]])
        edges = start + (stop - start) * edges
        half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
        x.append((middle[:, None] + half[:, None] * nodes).ravel())
        weight.append((half[:, None] * weights).ravel())
    x, weight = np.concatenate(x), np.concatenate(weight)
    above = np.concatenate([one_sf(alpha, part) for part in np.array_split(x, 1 + x.size // 2000)])
    m = np.arange(terms + 1)
    moments = np.array([(np.exp(1j * at * omega * w * (x - low)) * (weight * above)).sum() for at in m])
    return 1 + 1j * m * omega * w * moments


def wave_sf(alphas, weights, x, terms=256):
    """Return P(sum w D > x) at points, and how large the terms left out are."""
    ranges = [reach(alpha) for alpha in alphas]
    low = math.fsum(w * r[0] for w, r in zip(weights, ranges, strict=True))
    period = 1.02 * math.fsum(w * (r[1] - r[0]) for w, r in zip(weights, ranges, strict=True))
    omega = 2 * math.pi / period
    wave = np.prod([_class_wave(a, w, omega, terms) for a, w in zip(alphas, weights, strict=True)], axis=0)
    inside = np.clip(np.asarray(x, dtype=float) - low, 0.0, period / 1.02)
    m = np.arange(1, terms + 1)
    turned = np.exp(-1j * omega * np.outer(inside, m))
    cdf = inside / period + ((1 - turned) @ (wave[1:] / (1j * m))).real / math.pi
    return 1 - cdf, float(np.abs(wave[-terms // 8 :]).max())
