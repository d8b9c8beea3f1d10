"""Pairs of classifiers that are equally good, and how often a comparison calls one of them better: what `error_rates` quotes.

The grid was fixed before anything was measured: 2 of 30 to 50 of 100 cases are positive, skill and agreement low to high. Scores are normal, shifted
by the skill in the positive class; both classifiers share a part of the noise. Exchangeable pairs decide at the same threshold; other
pairs reach the same value in two ways. The swap test is enumerated here anew, without the library's code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr

from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts, tally_set
from adjudge.estimates.differences import independent_difference, paired_difference
from adjudge.estimates.score_differences import independent_scores, score_difference
from adjudge.judgements.comparison import three_numbers
from adjudge.metrics.catalogue import find
from adjudge.predictions.alignment import Together

SIZES = ((2, 30), (6, 100), (10, 100), (10, 1000), (20, 200), (50, 100))
"""Positive cases, of all."""
SKILLS = (0.5, 1.5, 3.0)
AGREEMENTS = (0.2, 0.9)
CELLS = [(m, n, skill, rho) for m, n in SIZES for skill in SKILLS for rho in AGREEMENTS]
DRAWN = ("f1", "mcc", "kappa", "precision")
LEVEL, MARGIN = 0.95, 0.01
TRUTH = np.repeat([0, 1], 4)
SAID = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)


def latent(cell, size, seed, *, gain=0.0, wider=1.0):
    """Return scores of both classifiers, `size` x cases, positives first; a's gain and its spread among the positive may differ."""
    m, n, skill, rho = cell
    rng = np.random.default_rng([seed, m, n, round(10 * skill), round(10 * rho)])
    positive = np.arange(n) < m
    common = rng.normal(size=(size, n))
    noise = [np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.normal(size=(size, n)) for _ in range(2)]
    shift = (skill + gain) * np.sqrt((1 + wider**2) / 2)  # the AUC of normal scores hangs on shift / sqrt(1 + spread^2)
    a = np.where(positive, shift + wider * noise[0], noise[0])
    return a, noise[1] + skill * positive


def patterns(m, a, b):
    """Return size x 8 counts of patterns (truth, a, b), from decisions."""
    n = a.shape[1]
    codes = 4 * (np.arange(n) < m) + 2 * a + b
    return np.stack([(codes == each).sum(axis=1) for each in range(8)], axis=1)


def of_counts(measure, tp, fp, m, k):
    """Return a measure of tables with `tp` of m and `fp` of k called positive."""
    fn, tn = m - tp, k - fp
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "f1": lambda: 2 * tp / (tp + fp + m),
            "precision": lambda: tp / (tp + fp),
            "mcc": lambda: (tp * tn - fp * fn) / np.sqrt((tp + fp) * (fn + tn) * float(m) * k),
            "kappa": lambda: 2 * (tp * tn - fn * fp) / ((tp + fp) * k + m * (fn + tn)),
            "balanced_accuracy": lambda: (tp / m + tn / k) / 2,
            "accuracy": lambda: (tp + tn) / (m + k),
        }[measure]()


@cache
def fair(n):
    return stats.binom.pmf(np.arange(n + 1), n, 0.5)


def swap_tails(measures, counts):
    """Return the mid-P of a's lead by each measure, over all swaps of a table of 8 patterns; NaN where a measure has no value."""
    (fp, tp), (k, m) = counts.reshape(2, 4)[:, 3], counts.reshape(2, 4).sum(axis=1)
    apart = [int(counts[at] + counts[at + 1]) for at in (1, 5)]
    own = [np.arange(each + 1) for each in apart]
    weight = np.outer(fair(apart[0]), fair(apart[1])).ravel()
    fp_a, tp_a = (each.ravel() for each in np.meshgrid(fp + own[0], tp + own[1], indexing="ij"))
    fp_b, tp_b = 2 * fp + apart[0] - fp_a, 2 * tp + apart[1] - tp_a
    at = int(counts[2]) * (apart[1] + 1) + int(counts[6])
    found = []
    for measure in measures:
        leads = of_counts(measure, tp_a, fp_a, m, k) - of_counts(measure, tp_b, fp_b, m, k)
        if np.isnan(leads[at]):
            found.append(np.nan)
            continue
        known = np.isfinite(leads)
        near = np.abs(leads - leads[at]) < 1e-10
        found.append((weight[known & ~near & (leads > leads[at])].sum() + weight[near].sum() / 2) / weight[known].sum())
    return found


def joint_of(counts):
    seen = np.flatnonzero(counts)
    return JointCounts((0, 1), ("a", "b"), TRUTH[seen], SAID[seen], counts[seen])


def is_verdict(distribution, *, higher_is_better=True):
    worse, _, better = three_numbers(distribution, MARGIN, higher_is_better=higher_is_better)
    return max(worse, better) >= LEVEL


@dataclass
class Share:
    """Verdicts among comparisons."""

    verdicts: int = 0
    comparisons: int = 0

    @property
    def rate(self):
        return self.verdicts / max(self.comparisons, 1)


def drawn_rates(tables, measures=DRAWN):
    """Return how many pairs get a verdict by measures whose posterior is drawn.

    A verdict asks for a mid-P of the swap test below 1 - level (which other tests assert), so that only those are compared.
    """
    found = {measure: Share() for measure in measures}
    each, times = np.unique(tables, axis=0, return_counts=True)
    for counts, many in zip(each, times, strict=True):
        for measure, tail in zip(measures, swap_tails(measures, counts), strict=True):
            if np.isnan(tail):
                continue
            found[measure].comparisons += many
            if min(tail, 1 - tail) <= 1 - LEVEL:
                distribution = paired_difference(joint_of(counts), find(measure), 0, 1, positive=1).distribution
                found[measure].verdicts += many * is_verdict(distribution)
    return {measure: share.rate for measure, share in found.items()}


def together(m, a, b):
    """Return two columns of scores of the same cases, side by side."""
    truth = (np.arange(a.size) < m).astype(np.int32)
    said = tuple((scores > 0).astype(np.int32) for scores in (a, b))
    scores = tuple(each[:, None] for each in (a, b))
    return Together(
        ("a", "b"), (0, 1), truth, said, scores, ((1,), (1,)), ("scores",) * 2, None, None, a.size, (0, 0), 1, False, False, False
    )


def area_rate(m, a, b):
    distributions = [score_difference(together(m, *pair), find("auc"), 0, 1).distribution for pair in zip(a, b, strict=True)]
    return np.mean([is_verdict(distribution) for distribution in distributions])


def share_rates(tables, seed):
    """Return how many pairs get a verdict by accuracy and balanced accuracy: their posterior, drawn here, 1,000 times."""
    rng = np.random.default_rng(seed)
    shape = tables.reshape(-1, 2, 2, 2)  # truth, a, b
    outcomes = np.stack((shape[:, 1, 1, 1], shape[:, 1, 1, 0], shape[:, 1, 0, 1], shape[:, 1, 0, 0]), axis=1)
    others = np.stack((shape[:, 0, 0, 0], shape[:, 0, 0, 1], shape[:, 0, 1, 0], shape[:, 0, 1, 1]), axis=1)
    wins = {"accuracy": _lead(rng, outcomes + others), "balanced_accuracy": (_lead(rng, outcomes) + _lead(rng, others)) / 2}
    return {
        name: np.mean(np.maximum((lead > MARGIN).mean(axis=1), (lead < -MARGIN).mean(axis=1)) >= LEVEL)
        for name, lead in wins.items()
    }


def _lead(rng, outcomes):
    shares = rng.standard_gamma((outcomes + 1)[:, None, :], (len(outcomes), 1000, 4))
    return (shares[..., 1] - shares[..., 2]) / shares.sum(axis=-1)


def loss_rates(cell, a, b):
    """Return how many pairs get a verdict by Brier score and log loss: Student's t of the differences of the cases."""
    m, n, skill, _ = cell
    positive = np.arange(n) < m
    p = [stats.logistic.cdf(skill * (each - skill / 2) + np.log(m / (n - m))) for each in (a, b)]
    losses = {
        "brier": [(each - positive) ** 2 for each in p],
        "log_loss": [-np.log(np.where(positive, each, 1 - each)) for each in p],
    }
    found = {}
    for name, (one, other) in losses.items():
        d = one - other
        mean, spread = d.mean(axis=1), d.std(axis=1, ddof=1) / np.sqrt(n)
        sides = [stats.t.sf((MARGIN - side * mean) / spread, n - 1) for side in (1, -1)]
        found[name] = np.mean(np.maximum(*sides) >= LEVEL)
    return found


def two_ways(measure, m, n, skill):
    """Return two thresholds with the same value of a measure, one on either side of the best: recalls of .9 and .3 if they allow it."""

    def value(threshold):
        return float(of_counts(measure, m * ndtr(skill - threshold), (n - m) * ndtr(-threshold), m, n - m))

    at = np.linspace(-3, skill + 3, 601)
    best = float(at[np.nanargmax([value(each) for each in at])])
    low, high = min(skill - 1.2816, best - 0.3), max(skill + 0.5244, best + 0.3)
    if value(high) > value(low):
        return brentq(lambda t: value(t) - value(high), -6, best), high
    return low, brentq(lambda t: value(t) - value(low), best, skill + 6)


def unpaired_area_rate(m, a, b):
    """Return how many pairs get a verdict by AUC where the two were judged on different cases."""
    distributions = []
    for pair in zip(a, b, strict=True):
        cases = together(m, *pair)
        tallies = [tally_set(cases, at, sums=False) for at in (0, 1)]
        distributions.append(independent_scores(*tallies, find("auc")).distribution)
    return np.mean([is_verdict(distribution) for distribution in distributions])


def unpaired_rate(measure, m, n, skill, times, *, random):
    """Return the same for a measure of decisions; the number of positives is `m`, or random around it."""
    rng, found = np.random.default_rng([m, n, int(10 * skill), random]), Share()
    for _ in range(times):
        tables = []
        for _ in range(2):
            own = rng.binomial(n, m / n) if random else m
            tp, fp = rng.binomial(own, ndtr(skill / 2)), rng.binomial(n - own, ndtr(-skill / 2))
            tables.append(ConfusionCounts([[n - own - fp, fp], [own - tp, tp]]))
        distribution = independent_difference(*tables, find(measure), positive=1).distribution
        if distribution is not None:
            found.comparisons += 1
            found.verdicts += is_verdict(distribution)
    return found.rate
