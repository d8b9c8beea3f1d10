r"""How far clusters of rows spread an estimate, against independent rows, and how each cluster fares.

With the share :math:`w_c` of each cluster in what an estimate rests on, N rows and an intra-cluster correlation :math:`\rho`, a
cluster adds to the variance of an estimate, as a multiple of that of independent rows, :math:`a_c = (1 - \rho) w_c + \rho N
w_c^2`; all add the design effect :math:`1 + \rho (N \sum w_c^2 - 1)` (Kish 1965, Survey Sampling). The linearised influences
:math:`u_c` of the clusters tell :math:`\rho`.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass
from adjudge.stats import special

_UNSEEN = 0.5  # pairs of errors in one cluster that are taken for seen
_ALLOWED = 0.2  # standard errors of a design effect that are taken for noise
_RHOS, _MEANS, _WIDE = 48, 17, 6.0  # nodes of the correlation and of the mean, and standard errors to either side of it
_LIGHT = 1e-7  # share of the posterior below which a correlation is left out
_HALVED = 34  # times that a limit is searched for: to ten digits
_ONE_EACH = 1e-9  # by so little rounding may move the design effect of clusters of one row from 1


@dataclass(frozen=True, slots=True)
class ClusterEffect:
    """What clusters do to the variance of an estimate."""

    design_effect: float  # from 1, where rows are independent, to `most`
    degrees: float  # of freedom of the design effect: at most as many as clusters, less one
    clusters: int
    most: float = math.inf  # the design effect where rows of a cluster are all alike
    skew: float = 0.0  # of the sum of the influences of clusters

    def share(self, level: float) -> float:
        r"""Return how many independent cases a case is worth in ordinary intervals of a level.

        With t and z the quantiles of Student's t, of :math:`\nu` degrees of freedom, and of the normal distribution, a half
        width of independent rows is to be wider by the root of

        .. math:: 1 + \frac{t^2}{z^2} (d - 1) \Bigl(1 + \frac{|\gamma|}{2}\Bigr) + \frac1\nu \Bigl(\frac{t^2}{z^2} - 1\Bigr)
                  - \frac15 \sqrt{2 / \nu} :

        the variance of independent rows is known, only what clusters add to it is estimated, the worse the more skew
        :math:`\gamma` they are, as their variance then moves with the estimate. The third part keeps few clusters honest; the
        last one, so that clusters that do nothing cost little, takes a fifth of a standard error for noise. The whole is not
        below 1, nor above what it is where all rows of a cluster are alike. Its constants were set by simulation: 95% limits
        held the truth in .93 to .97 of 10 to 200 clusters of 2 to 50 rows and correlations of 0 to .5, more often without
        correlation in 10 very unequal clusters, in .89 to .92 of 10 clusters with a correlation from .3 and 90% correct rows.
        """
        tail = (1 + level) / 2
        return self.share_at(float(special.stdtrit(self.degrees, tail) / special.ndtri(tail)) ** 2)

    def share_at(self, times: float) -> float:
        """Return the same, given the square of how many times wider Student's t makes an interval."""
        added = times * (self.design_effect - 1) * (1 + self.skew / 2)
        wide = 1 + added + (times - 1) / self.degrees - _ALLOWED * math.sqrt(2 / self.degrees)
        return 1 / min(max(wide, 1.0), self.most)


def cluster_effect(
    influences: FloatArray,
    sizes: FloatArray,
    independent: float,
    *,
    rows: float | None = None,
    events: float | None = None,
    places: int = 0,
) -> ClusterEffect:
    r"""Return the effect of clusters, of which each adds an influence and has so much to say.

    `independent` is the variance of as many independent rows, `rows` how many (equal) ones there are, by default the sum of the
    sizes, and `events` how many of them know something of the correlation: the errors, where there are few. Where clusters were
    put together in so many `places` at random, their own squares are what those of the sums leave: :math:`E[P W_2 - 1]` is
    P - 1 times their own :math:`W_2`.

    Of what the influences add up to, :math:`Q = \sum u_c^2`, and of the variance of independent rows v the expected values are
    known but for :math:`\rho` (both lose by the estimate being that of the same rows):

    .. math:: E[Q] \propto (1 - \rho)(1 - W_2) + \rho N (W_2 - 2 W_3 + W_2^2), \quad
              E[v] \propto 1 - (1 - \rho) / N - \rho W_2, \quad W_k = \sum w_c^k ,

    which for clusters of one size gives the estimator of the analysis of variance (Ridout, Demetrio and Firth 1999, Biometrics
    55:137-148). Half a pair of alike rows is added to what was seen: without an error nothing is known and the rows of a cluster
    count as one, with many it is nothing.

    Degrees of freedom are Satterthwaite's of the quadratic form Q (Bell and McCaffrey 2002, Surv. Methodol. 28:169-181), fewer
    where a few clusters have the most of Q or where Q hardly depends on :math:`\rho`.
    """
    said = sizes > 0
    many = int(np.count_nonzero(said))
    if not many:
        return ClusterEffect(1.0, 1.0, 0, 1.0)
    w = sizes[said] / float(sizes[said].sum())
    n = float(sizes.sum()) if rows is None else rows
    second = w * w
    w2, w3 = float(second.sum()), float((second * w).sum())
    most = max(n * w2, 1.0)
    if most < 1 + _ONE_EACH:
        return ClusterEffect(1.0, float(max(many - 1, 1)), many, 1.0)
    u = influences[said]
    u = u - w * float(u.sum())
    squares = u * u
    seen, alone = float(squares.sum()), 1 - w2
    known = n * n * independent if events is None else events
    ratio = seen / independent if independent > 0 else 0.0
    steep = n * (w2 - 2 * w3 + w2 * w2) - alone
    above, below = known * (ratio * (1 - 1 / n) - alone) + _UNSEEN, known * (steep + ratio * (w2 - 1 / n)) + _UNSEEN
    correlation = min(max(above / below, 0.0), 1.0) if below > 0 else 1.0
    effect = 1 + correlation * (most - 1)
    if places > 1:
        most = max(n * (places * w2 - 1) / (places - 1), 1.0)
        effect = min(effect, most)
    degrees = min(_degrees(squares, w, (w2, w3), n, correlation), float(max(many - 1, 1)))
    skew = abs(float((u * squares).sum())) / seen**1.5 if seen > 0 else 0.0
    return ClusterEffect(effect, degrees, many, most, skew)


def _degrees(squares: FloatArray, w: FloatArray, powers: tuple[float, float], n: float, correlation: float) -> float:
    """Return the degrees of freedom of a design effect, given the correlation that it was found with."""
    w2, w3 = powers
    a = (1 - correlation) * w + correlation * n * w * w
    whole = float(a.sum())
    each = a * (1 - 2 * w) + w * w * whole
    mean, aw, square = float(each.sum()), float((a * w).sum()), a * a  # not BLAS, whose last bit depends on the processor
    if mean <= 0:
        return 1.0
    a2, a2w, aw2 = float(square.sum()), float((square * w).sum()), float((a * w * w).sum())
    form = a2 - 4 * a2w + 2 * whole * aw2 + 2 * w2 * a2 + 2 * aw * aw - 4 * whole * aw * w2 + (whole * w2) ** 2
    degrees = mean * mean / form
    seen, fourth = float(squares.sum()), float((squares * squares).sum())
    if seen > 0:  # the fourth moment against that of normal influences: where it is larger Q is known less well
        tails = fourth / (3 * seen * seen) * mean * mean / float((each * each).sum())
        degrees *= 2 / (3 * max(tails, 1.0) - 1)
    # the design effect moves with Q by a slope, and with it its relative error
    alone, steep = 1 - w2, n * (w2 - 2 * w3 + w2 * w2) - (1 - w2)
    ratio = mean / (1 - (1 - correlation) / n - correlation * w2)
    below = steep + ratio * (w2 - 1 / n)
    if below <= 0:
        return 1.0
    slope = (n * w2 - 1) * ((1 - 1 / n) * below - (ratio * (1 - 1 / n) - alone) * (w2 - 1 / n)) / below**2
    moved = slope * ratio / (1 + correlation * (n * w2 - 1))
    return max(degrees / moved**2, 1.0) if moved > 0 else math.inf


def intracluster_correlation(design_effect: float, sizes: FloatArray) -> float:
    """Return how alike rows of a cluster are; NaN where each has one row."""
    mean = float((sizes**2).sum() / sizes.sum()) if sizes.size else 0.0
    return (design_effect - 1) / (mean - 1) if mean > 1 else math.nan


def shrunken(correct: FloatArray, sizes: FloatArray, level: float) -> FloatArray:
    r"""Return the share of correct cases of each cluster, drawn towards that of all, and its limits.

    Clusters are draws of one population: :math:`x_c \sim \text{Bin}(n_c, p_c)`, :math:`p_c \sim \text{Beta}(\mu \kappa, (1 - \mu)
    \kappa)`, :math:`\kappa = (1 - \rho) / \rho`, with a flat prior of :math:`\rho` and Jeffreys' of :math:`\mu`. Both are summed
    over a grid, so that few clusters say how little they know of their spread. The limits leave equal tails.
    Given a correlation, that of the mean is put together as one beta distribution.
    """
    pairs, place = np.unique(np.stack([correct, sizes]), axis=1, return_inverse=True)
    times = np.bincount(place.ravel(), minlength=pairs.shape[1])
    x, n = pairs[:, np.newaxis, np.newaxis]
    root = (np.arange(_RHOS) + 0.5) / _RHOS
    rho = root[:, np.newaxis] ** 3  # dense near 0, where large clusters know it
    worth = times / (1 + np.maximum(n - 1, 0.0) * rho[..., np.newaxis])
    all_cases = (worth * n).sum(axis=-1)
    middle = ((worth * x).sum(axis=-1) + 0.5) / (all_cases + 1)
    error = 1 / np.sqrt((all_cases + 1) * middle * (1 - middle))
    mean = special.expit(special.logit(middle) + error * np.linspace(-_WIDE, _WIDE, _MEANS))
    kappa = (1 - rho) / rho
    a, b = (mean * kappa)[..., np.newaxis], ((1 - mean) * kappa)[..., np.newaxis]
    gained = special.betaln(a + x, b + n - x) - special.betaln(a, b)
    weight = (gained * times).sum(axis=-1) + np.log(error * root[:, np.newaxis] ** 2) + np.log(mean * (1 - mean)) / 2
    weight = np.exp(weight - weight.max())
    of_rho = weight.sum(axis=1)
    some = of_rho > _LIGHT * of_rho.sum()
    of_rho, weight = of_rho[some, np.newaxis], weight[some, :, np.newaxis]
    weight, of_rho = weight / of_rho[..., np.newaxis], of_rho / of_rho.sum()
    whole = (a + b + n)[some]
    each = (a + x)[some] / whole
    share = (weight * each).sum(axis=1)
    spread = (weight * (each * (1 - each) / (whole + 1) + (each - share[:, np.newaxis]) ** 2)).sum(axis=1)
    worth = share * (1 - share) / spread - 1
    a, b, low, high = worth * share, worth * (1 - share), np.zeros((2, n.size)), np.ones((2, n.size))
    tails = np.array([[(1 - level) / 2], [(1 + level) / 2]])
    for _ in range(_HALVED):
        middle = (low + high) / 2
        below = (of_rho * special.betainc(a, b, middle[:, np.newaxis])).sum(axis=1) < tails
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    drawn = (of_rho * share).sum(axis=0)
    low, high = np.minimum(low[0], drawn), np.maximum(high[1], drawn)
    return np.asarray(np.stack([drawn, low, high], axis=1)[place.ravel()])
