r"""Two learners over several data sets, by signs and signed ranks of their differences.

One difference per data set goes in, a minus b where more is better. Wilcoxon's test asks whether the differences lie
symmetrically around 0; the Bayesian tests ask how probable it is that most of them are worse than, the same as, or
better than a region of practical equivalence (margin) around 0.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError

EXACT_UP_TO = 200  # differences up to which Wilcoxon's p value is exact
SIGN_PRIOR = 1.0  # differences worth of prior that the sign test puts into the margin
RANK_PRIOR = 0.5  # differences worth of prior that the signed-rank test puts at 0
DRAWS = 50_000
_DIGITS = 12
_BLOCK = 1 << 21  # numbers drawn at a time


def wilcoxon_p(differences: FloatArray) -> float:
    r"""Return the two-sided p value of Wilcoxon's signed-rank test that the differences lie symmetrically around 0.

    Zeros are ranked with the rest and then left out, and equal sizes share the mean of their ranks (Pratt 1959, JASA
    54:655-667). Given the ranks every pattern of signs is equally probable: up to :data:`EXACT_UP_TO` differences the
    patterns are counted, with ties too, by adding one (doubled, hence whole) rank at a time; splitting the ranks of zeros
    between both sides, as Demsar (2006, JMLR 7:1-30) does, moves every pattern alike and gives the same p value. Above,
    the normal distribution with the variance of the given ranks and a continuity correction stands in.

    >>> wilcoxon_p(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    0.03125
    """
    from scipy.special import ndtr

    ranks, signs = _signed_ranks(differences)
    if not ranks.size:
        return 1.0
    positive, whole = int(ranks[signs > 0].sum()), int(ranks.sum())
    if differences.size > EXACT_UP_TO:
        middle, spread = ranks.sum() / 2, math.sqrt(float((ranks.astype(np.float64) ** 2).sum())) / 2
        beyond = max(0.0, abs(positive - middle) - 1)  # half a rank, and ranks are doubled
        return float(2 * ndtr(-beyond / spread))
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
    """Return the smallest p value that as many differences other than 0 can reach: that of equal signs.

    >>> smallest_p(5), smallest_p(6)
    (0.0625, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - differing))


def _signed_ranks(differences: FloatArray) -> tuple[IntArray, IntArray]:
    """Return twice the ranks of the sizes, so that shared ones are whole, and the signs; without the zeros."""
    values = _settled(differences, float(np.abs(differences).max(initial=0.0)))
    _, place, times = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    doubled = (2 * last - times + 1)[place]
    signs = np.sign(values).astype(np.int64)
    return doubled[signs != 0], signs[signs != 0]


def _settled(values: FloatArray, scale: float) -> FloatArray:
    """Return the values as shares of `scale`, without the last digits: the rounding of a subtraction must not untie them."""
    return np.round(values / scale, _DIGITS) + 0.0 if scale else np.zeros_like(values)


def sign_test(differences: FloatArray, *, margin: float = 0.0, prior: float = SIGN_PRIOR) -> tuple[float, float, float]:
    r"""Return how probable it is that most data sets are worse, the same, or better: a Bayesian sign test.

    The shares of data sets below, in and above the margin are Dirichlet(counts + (0, `prior`, 0)); returned are
    the probabilities that each of the shares is the largest. As shares are independent Gamma variables divided by their
    sum, the first is :math:`\int f_{n_1}(x) F_{n_2 + s}(x) F_{n_3}(x)\,dx`, which the trapezoidal rule in :math:`\log x`
    finds to full accuracy; nothing is drawn. A share with neither counts nor prior is 0. Benavoli, Mangili, Corani,
    Zaffalon and Ruggeri (2014), ICML; Benavoli, Corani, Demsar and Zaffalon (2017), JMLR 18(77).

    >>> [round(p, 4) for p in sign_test(np.array([0.1, 0.2, 0.3, -0.1, 0.05]), margin=0.01)]
    [0.0563, 0.0563, 0.8873]
    """
    _check(margin, prior)
    scale = max(float(np.abs(differences).max(initial=0.0)), margin)
    values, edge = _settled(differences, scale), margin / scale if scale else 0.0
    edge = round(edge, _DIGITS)
    below, above = np.count_nonzero(values < -edge), np.count_nonzero(values > edge)
    return largest_share(float(below), values.size - below - above + prior, float(above))


def largest_share(first: float, second: float, third: float) -> tuple[float, float, float]:
    """Return the probabilities that each share of a Dirichlet distribution with these parameters is the largest.

    >>> largest_share(2.0, 0.0, 2.0)
    (0.5, 0.0, 0.5)
    """
    weights = np.array([first, second, third])
    found = np.array([_exceeds(weights[k], np.delete(weights, k)) for k in range(3)])
    worse, same, better = (found / found.sum()).tolist()
    return worse, same, better


def _exceeds(own: float, others: FloatArray) -> float:
    """Return the probability that a Gamma(own) variable exceeds Gamma variables with the other parameters."""
    from scipy.special import gammainc, gammaln

    if own == 0:
        return 0.0
    known = others[others > 0]
    # in t = log x the integrand is smooth over 1/sqrt of a parameter and falls like e^(sum t) towards small x
    step = 0.5 / math.sqrt(max(4.0, own, *known))
    low = math.log(own) - 45 / math.sqrt(own + known.sum()) - 45 / (own + known.sum())
    high = math.log(own + 10 * math.sqrt(own) + 45)
    t = np.arange(low, high, step)
    inside = np.exp(own * t - np.exp(t) - gammaln(own))
    return float(step * (inside * np.prod([gammainc(a, np.exp(t)) for a in known], axis=0)).sum())


def signed_rank_test(
    differences: FloatArray, rng: np.random.Generator, *, margin: float = 0.0, prior: float = RANK_PRIOR, draws: int = DRAWS
) -> tuple[float, float, float]:
    r"""Return how probable it is that the typical data set is worse, the same, or better: a Bayesian signed-rank test.

    The unknown distribution of the differences is a Dirichlet process: weights :math:`w \sim` Dirichlet(`prior`, 1, ..., 1) on a
    first, made-up difference of 0 and those seen. The share
    :math:`\theta_{better} = \sum_{ij} w_i w_j\, [z_i + z_j > 2\,margin]` is that of pairs whose mean lies above the margin,
    and so on; a pair on its edge counts half in it. Returned are the probabilities, over `draws` of the weights, that
    each share is the largest; :func:`drawn_error` says how far chance can move them. The order of the data sets and the
    names of the two learners play no part, draw by draw. Benavoli, Mangili, Corani, Zaffalon and Ruggeri (2014), ICML.
    """
    _check(margin, prior)
    scale = max(float(np.abs(differences).max(initial=0.0)), margin)
    values, edge = np.sort(_settled(differences, scale)), round(2 * margin / scale, _DIGITS) if scale else 0.0
    opposite = -values[::-1] + 0.0
    mirrored = opposite.tolist() < values.tolist()
    seen = np.concatenate([[0.0], opposite if mirrored else values])
    sums = np.round(seen[:, None] + seen, _DIGITS)
    above, below = _over(sums, edge), _over(-sums, edge)
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
    """Return the standard error of a probability found by drawing; not 0 where all draws agreed.

    >>> round(drawn_error(0.5), 5)
    0.00224
    """
    settled = (probability * draws + 0.5) / (draws + 1)
    return math.sqrt(settled * (1 - settled) / draws)


def _over(sums: FloatArray, edge: float) -> FloatArray:
    return np.asarray((sums > edge) + 0.5 * (sums == edge))


def _check(margin: float, prior: float) -> None:
    if not (math.isfinite(margin) and margin >= 0):
        msg = f"margin must be a finite number of at least 0, got {margin}. It is half the width of what counts as the same."
        raise InputError(msg)
    if not (math.isfinite(prior) and prior > 0):
        msg = f"prior must be a finite number above 0, got {prior}. It is worth as many differences."
        raise InputError(msg)
