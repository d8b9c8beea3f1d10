"""Tests of the difference of two classifiers by signs, ranks and swaps of who said what, and many comparisons at once."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.stats import special

EXACT_UP_TO = 200  # differences up to which Wilcoxon's p value is exact
SIGN_PRIOR = 1.0  # differences worth of prior that the sign test puts into the margin
RANK_PRIOR = 0.5  # differences worth of prior that the signed-rank test puts at 0
DRAWS = 50_000
_DIGITS = 12
_BLOCK = 1 << 21  # numbers drawn at a time
_ALONE = 12  # steps whose signs are enumerated; the rest of them is nearly normal
_ROUNDING = 1e-9
_HALF = 0.5
_COUNTABLE = 10  # draws beyond a value that tell how probable it is, to about a third


def wilcoxon_p(differences: FloatArray) -> float:
    """Return the two-sided p value of Wilcoxon's signed-rank test that the differences lie symmetrically around 0.

    Zeros are ranked with the rest and then left out (Pratt 1959, JASA 54:655-667), equal sizes share the mean of their ranks. Up
    to :data:`EXACT_UP_TO` differences the patterns of signs are counted, adding one doubled rank at a time (as Demsar 2006, JMLR
    7:1-30, gives the same p value); above, the normal distribution with a continuity correction stands in.
    """
    ranks, signs = _signed_ranks(differences)
    if not ranks.size:
        return 1.0
    positive, whole = int(ranks[signs > 0].sum()), int(ranks.sum())
    if differences.size > EXACT_UP_TO:
        middle, spread = ranks.sum() / 2, math.sqrt(float((ranks.astype(np.float64) ** 2).sum())) / 2
        beyond = max(0.0, abs(positive - middle) - 1)  # half a rank, and ranks are doubled
        return float(2 * special.ndtr(-beyond / spread))
    shares = np.zeros(whole + 1)  # of the patterns of signs in which the doubled positive ranks sum to 0, 1, 2, ...
    shares[0] = 1.0
    for rank in ranks:
        shares /= 2
        shares[rank:] += shares[:-rank].copy()
    return min(1.0, 2 * float(shares[: min(positive, whole - positive) + 1].sum()))


def n_differing(differences: FloatArray) -> int:
    """Return how many differences are other than 0, and so have a sign to test."""
    return int(_signed_ranks(differences)[0].size)


def smallest_p(differing: int) -> float:
    """Return the smallest p value that as many differences other than 0 can reach: that of equal signs."""
    return min(1.0, 2.0 ** (1 - differing))


def _signed_ranks(differences: FloatArray) -> tuple[IntArray, IntArray]:
    """Return twice the ranks of the sizes, so that shared ones are whole, and the signs; without the zeros."""
    values = _settled(differences, float(np.abs(differences).max(initial=0.0)))
    _, place, times = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(times) - times + 1)[place]
    signs = np.sign(values).astype(np.int64)
    return doubled[signs != 0], signs[signs != 0]


def _settled(values: FloatArray, scale: float) -> FloatArray:
    """Return the values as shares of `scale`, without the last digits: the rounding of a subtraction must not untie them."""
    return np.round(values / scale, _DIGITS) + 0.0 if scale else np.zeros_like(values)


def sign_test(differences: FloatArray, *, margin: float = 0.0, prior: float = SIGN_PRIOR) -> tuple[float, float, float]:
    """Return how probable it is that most data sets are worse, the same, or better: a Bayesian sign test.

    The shares below, in and above the margin are Dirichlet(counts + (0, `prior`, 0)). Benavoli, Mangili, Corani, Zaffalon and
    Ruggeri (2014), ICML; Benavoli, Corani, Demsar and Zaffalon (2017), JMLR 18(77).
    """
    scale = max(float(np.abs(differences).max(initial=0.0)), margin)
    values, edge = _settled(differences, scale), margin / scale if scale else 0.0
    edge = round(edge, _DIGITS)
    below, above = np.count_nonzero(values < -edge), np.count_nonzero(values > edge)
    return largest_share(float(below), values.size - below - above + prior, float(above))


def largest_share(first: float, second: float, third: float) -> tuple[float, float, float]:
    """Return the probabilities that each share of a Dirichlet distribution with these parameters is the largest."""
    weights = np.array([first, second, third])
    chances = np.array([_exceeds(weights[k], np.delete(weights, k)) for k in range(3)])
    worse, same, better = (chances / chances.sum()).tolist()
    return worse, same, better


def _exceeds(own: float, others: FloatArray) -> float:
    """Return the probability that a Gamma(own) variable exceeds Gamma variables with the other parameters."""
    if own == 0:
        return 0.0
    known = others[others > 0]
    # in t = log x the integrand is smooth over 1/sqrt of a parameter and falls like e^(sum t) towards small x
    step = 0.5 / math.sqrt(max(4.0, own, *known))
    low = math.log(own) - 45 / math.sqrt(own + known.sum()) - 45 / (own + known.sum())
    t = np.arange(low, math.log(own + 10 * math.sqrt(own) + 45), step)
    inside = np.exp(own * t - np.exp(t) - special.gammaln(own))
    return float(step * (inside * np.prod([special.gammainc(a, np.exp(t)) for a in known], axis=0)).sum())


def signed_rank_test(
    differences: FloatArray, rng: np.random.Generator, *, margin: float = 0.0, prior: float = RANK_PRIOR, draws: int = DRAWS
) -> tuple[float, float, float]:
    r"""Return how probable it is that the typical data set is worse, the same, or better: a Bayesian signed-rank test.

    Weights :math:`w \sim` Dirichlet(`prior`, 1, ..., 1) lie on a made-up difference of 0 and those seen;
    :math:`\theta_{better} = \sum_{ij} w_i w_j\, [z_i + z_j > 2\,margin]`, and so on, a pair on the edge half. Returned are the
    shares of `draws` in which each is the largest. Benavoli, Mangili, Corani, Zaffalon and Ruggeri (2014), ICML.
    """
    scale = max(float(np.abs(differences).max(initial=0.0)), margin)
    values, edge = np.sort(_settled(differences, scale)), round(2 * margin / scale, _DIGITS) if scale else 0.0
    opposite = -values[::-1] + 0.0
    mirrored = opposite.tolist() < values.tolist()
    seen = np.concatenate([[0.0], opposite if mirrored else values])
    sums = np.round(seen[:, None] + seen, _DIGITS)
    above, below = (np.asarray((side > edge) + 0.5 * (side == edge)) for side in (sums, -sums))
    weights = np.array([prior, *np.ones(values.size)])
    wins = np.zeros(3)
    block = max(1, _BLOCK // weights.size)
    for start in range(0, draws, block):
        drawn = rng.dirichlet(weights, min(block, draws - start))
        worse, better = (np.einsum("ni,ni->n", drawn @ side, drawn) for side in (below, above))
        shares = np.stack([worse, 1 - worse - better, better])
        largest = shares == shares.max(axis=0)
        wins += np.asarray((largest / largest.sum(axis=0)).sum(axis=1))  # equal largest ones divide the draw
    if np.array_equal(opposite, values):
        wins = (wins + wins[::-1]) / 2
    first, same, last = (wins / draws).tolist()
    return (last, same, first) if mirrored else (first, same, last)


def drawn_error(probability: float, draws: int = DRAWS) -> float:
    """Return the standard error of a probability found by drawing; not 0 where all draws agreed."""
    settled = (probability * draws + 0.5) / (draws + 1)
    return math.sqrt(settled * (1 - settled) / draws)


def mid_tail(values: FloatArray, weights: FloatArray, at: float) -> float:
    """Return the share of `values` above `at`, those equal to it counted half; undefined values are left out."""
    known = np.isfinite(values)
    values, weights = values[known], weights[known]
    near = np.abs(values - at) <= _ROUNDING
    return float((weights[(values > at) & ~near].sum() + weights[near].sum() / 2) / weights.sum())


def drawn_tail(values: FloatArray, at: float) -> float:
    """Return the mid-P of `at` among draws, it being one of them; where too few lie beyond it to count, that of a normal."""
    known = np.append(values[np.isfinite(values)], at)
    p = mid_tail(known, np.full(known.size, 1 / known.size), at)
    spread = float(known[:-1].std()) if known.size > 1 else 0.0
    if spread == 0 or min(p, 1 - p) * known.size > _COUNTABLE:
        return p
    far = float(special.ndtr((float(known[:-1].mean()) - at) / spread))
    return min(p, far) if p < _HALF else max(p, far)


def coin_counts(sizes: IntArray, most: int, rng: Any = 0) -> tuple[IntArray, FloatArray]:
    """Return how many of `sizes` fair coins show heads, one column a size, and how probable each row is.

    All outcomes where there are at most `most` of them; otherwise as many draws, one half mirroring the other, with room for one
    more.
    """
    if math.prod(int(size) + 1 for size in sizes) <= most:
        each = list(product(*(range(int(size) + 1) for size in sizes)))
        heads = np.array(each, dtype=np.int64).reshape(len(each), sizes.size)
        ways = special.gammaln(sizes + 1) - special.gammaln(heads + 1) - special.gammaln(sizes - heads + 1)
        return heads, np.asarray(np.prod(np.exp(ways - sizes * math.log(2)), axis=1))
    drawn = np.random.default_rng(rng).binomial(sizes, 0.5, (most // 2, sizes.size))
    heads = np.concatenate((drawn, sizes - drawn))
    return heads, np.full(len(heads), 1 / (len(heads) + 1))


def signed_tail(steps: FloatArray, at: float) -> float:
    """Return how probable it is that steps to either side, each as likely, add up to more than `at`; to `at` itself half."""
    steps = np.sort(np.abs(steps[steps != 0]))[::-1]
    large, rest = steps[:_ALONE], float(np.sqrt(np.square(steps[_ALONE:]).sum()))
    sums = np.zeros(1)
    for step in large:
        sums = np.concatenate((sums + step, sums - step))
    if rest > 0:
        return float(special.ndtr((sums - at) / rest).mean())
    scale = float(large.sum()) or 1.0
    return mid_tail(sums / scale, np.full(sums.size, 1 / sums.size), at / scale)


def area_steps(a: AnyArray, b: AnyArray, positive: BoolArray, weight: FloatArray) -> FloatArray:
    r"""Return what each case adds to the difference of two AUCs: swapping the ranks of a case turns its sign.

    Positive case i adds :math:`\tfrac12 \sum_j (\psi_{aa} - \psi_{bb} - \psi_{ba} + \psi_{ab})_{ij} / mn`, negative case j
    :math:`\tfrac12 \sum_i (\psi_{aa} - \psi_{bb} + \psi_{ba} - \psi_{ab})_{ij} / mn`, :math:`\psi_{xy}` being 1 for pairs that
    ranks x and y have in order. Bandos, Rockette and Gur (2005), Stat. Med. 24:2873-2893; Venkatraman and Begg (1996), Biometrika
    83:835-848.
    """
    ours, theirs = np.flatnonzero(positive), np.flatnonzero(~positive)
    sides = []
    for scores in (a, b):
        _, place, times = np.unique(scores, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(times) - times / 2)[place.ravel()]  # of ties their mean
        for rows in (ours, theirs):
            sums = np.append(0.0, np.cumsum(weight[rows][np.argsort(ranks[rows], kind="stable")]))
            sides.append((ranks[rows], np.sort(ranks[rows]), sums))
    up_a, down_a, up_b, down_b = sides

    def below(one: tuple[FloatArray, ...], other: tuple[FloatArray, ...]) -> FloatArray:
        """Return the weight of one side below each of the other, ties counted half."""
        left, right = (one[2][np.searchsorted(one[1], other[0], side=side)] for side in ("left", "right"))
        return np.asarray((left + right) / 2)

    gained = below(down_a, up_a) - below(down_b, up_b), below(down_a, up_b) - below(down_b, up_a)
    lost = below(up_b, down_b) - below(up_a, down_a), below(up_a, down_b) - below(up_b, down_a)
    steps = np.empty(weight.size)
    steps[ours] = weight[ours] * (gained[0] - gained[1]) / 2
    steps[theirs] = weight[theirs] * (lost[0] + lost[1]) / 2
    return steps / (float(weight[ours].sum()) * float(weight[theirs].sum()))


def welch(influences: FloatArray, part: IntArray, weight: FloatArray) -> tuple[float, float]:
    r"""Return the variance of a sum of weighted means, one a part, and the degrees of freedom that it is known with.

    :math:`V = \sum_y \pi_y^2 \frac{s_y^2}{n_y}, \quad \nu = \frac{V^2}{\sum_y (\pi_y^2 s_y^2 / n_y)^2 / (n_y - 1)}`, and one more
    part of all cases for means that differ. Welch (1947), Biometrika 34:28-35; Satterthwaite (1946), Biometrics Bull. 2.
    """
    total, everyone = float(weight.sum()), float(weight.sum()) ** 2 / float(np.square(weight).sum())
    pieces, freedoms, between = [], [], 0.0
    for each in np.unique(part):
        rows = part == each
        w = weight[rows]
        worth = float(w.sum()) ** 2 / float(np.square(w).sum())
        share, mean = float(w.sum()) / total, float(np.average(influences[rows], weights=w))
        spread = float(np.average((influences[rows] - mean) ** 2, weights=w))
        between += share * mean**2
        pieces.append(share**2 * spread / (worth - 1) if worth > 1 + _ROUNDING else 0.0)
        freedoms.append(worth - 1)
    pieces.append(between / everyone)
    freedoms.append(everyone - 1)
    variance = math.fsum(pieces)
    known = [v * v / df for v, df in zip(pieces, freedoms, strict=True) if v > 0]
    return variance, variance**2 / math.fsum(known) if known else math.nan


def holm(p_values: AnyArray) -> FloatArray:
    r"""Return p-values that hold together, the i-th smallest of m :math:`\max_{j \le i} \min(1, (m - j + 1) p_{(j)})`.

    Holm (1979), Scand. J. Stat. 6:65-70.
    """
    p = np.asarray(p_values, dtype=np.float64).ravel()
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)))
    return adjusted


def runs_alike(apart: BoolArray) -> list[tuple[int, int]]:
    """Return the longest runs first..last of ranked candidates of which no two are significantly different."""
    m, runs, reached = len(apart), [], -1
    for first in range(m):
        last = first
        while last + 1 < m and not apart[first : last + 1, last + 1].any():
            last += 1
        if last > reached:
            runs.append((first, last))
            reached = last
    return runs


def best_shares(draws: FloatArray) -> FloatArray:
    """Return how often each column is the best of its row, ties shared; more is better."""
    best = draws == draws.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
