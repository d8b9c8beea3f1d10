"""Whether two scores rank the same cases equally well: DeLong's test of two areas under ROC curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base import InputError, Shown, Undefined, checked_level, dataclass, parameter, quoted
from adjudge._base.arrays import AnyArray, as_array
from adjudge.estimates.estimate import Interval
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.model import Predictions
from adjudge.predictions.native import check_aligned
from adjudge.predictions.spellings import settle_positive
from adjudge.stats.auc_intervals import delong_pair
from adjudge.stats.student import t_limits, two_sided

_ROUNDING = 1e-14  # share of two variances below which the variance of their difference is a rounding error


@dataclass(frozen=True, slots=True)
class DeLong(Shown):
    """The areas under two ROC curves on the same cases, and whether they differ."""

    auc_a: float
    auc_b: float
    difference: float  # a minus b
    variance: float  # of the difference
    variance_a: float
    variance_b: float
    covariance: float
    z: float
    p_value: float
    interval: Interval | None  # of the difference; none where it has no variance
    method: str = "DeLong's test of two areas (DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837-845)"
    type_i_error: str = (
        "At 5%, two equally good scores were declared different in up to 7% of simulated samples with 20 cases of each class or "
        "more, in up to 13% with 5, and hardly ever where both areas are near 1. "
        "It speaks of these two classifiers, not of the learners behind them."
    )

    def __repr__(self) -> str:
        areas = f"AUC {self.auc_a:.6g} and {self.auc_b:.6g}, difference {self.difference:+.6g}"
        limits = "" if self.interval is None else f", {self.interval!r}"
        return f"DeLong: {areas}{limits}; z = {self.z:.4g}, p = {self.p_value:.4g}"


def delong(y_true: Any, y_score_a: Any, y_score_b: Any, *, positive: Any = None, level: float = 0.95) -> DeLong:
    r"""Test whether two scores rank the same cases equally well.

    Parameters
    ----------
    y_true : array-like
        One label per case, of any type.
    y_score_a, y_score_b : array-like
        What each classifier gives each case for the positive class; only their order counts.
    positive : label, optional
        The positive class, where the labels do not say it.
    level : float
        How often the interval of the difference should hold the truth.

    Notes
    -----
    .. math:: z = \frac{A_a - A_b}{\sqrt{\operatorname{Var}_a + \operatorname{Var}_b - 2 \operatorname{Cov}}}

    is standard normal with many cases. Undefined, with the reason, where the difference has no variance: scores that
    rank alike, or that both make no fault or nothing but faults.

    >>> test = delong([0, 0, 0, 1, 1, 1], [0.1, 0.5, 0.3, 0.4, 0.8, 0.9], [0.2, 0.6, 0.8, 0.7, 0.5, 0.9])
    >>> round(test.difference, 6), round(test.p_value, 4)
    (0.222222, 0.4795)
    """
    level = checked_level(level)
    a, b = _scores(y_score_a, "y_score_a"), _scores(y_score_b, "y_score_b")
    check_aligned({"y_true": y_true, "y_score_a": y_score_a, "y_score_b": y_score_b})
    encoder = Encoder(Predictions(y_true, y_true))
    codes = np.concatenate([block.truth for block in encoder.blocks()])
    for name, scores in (("y_score_a", a), ("y_score_b", b)):
        if scores.size != codes.size:
            told = f" {scores.size:,}; give one score per case."
            raise InputError(parameter("y_true"), f" has {codes.size:,} cases and ", parameter(name), told)
    if len(encoder.classes) <= 1:
        none = Undefined(f"AUC needs both classes: every case is of class {quoted(encoder.classes[0])}")
        return DeLong(none, none, none, none, none, none, none, none, none, None)
    support = np.bincount(codes)[encoder.order].tolist()
    marked = np.asarray(codes == encoder.order[settle_positive(encoder.classes, positive, counts=support, what="delong")])
    first, second, var_a, var_b, covariance = delong_pair(a, b, marked)
    apart, variance = first - second, var_a + var_b - 2 * covariance
    variance = 0.0 if variance <= _ROUNDING * (var_a + var_b) else variance
    known = (first, second, apart, variance, var_a, var_b, covariance)
    if variance > 0:
        z = apart / math.sqrt(variance)
        low, high = t_limits(apart, math.sqrt(variance), math.inf, level)
        return DeLong(*known, z, two_sided(z, math.inf), Interval(max(-1.0, low), min(1.0, high), level, "DeLong"))
    alike = "both scores rank the cases as good as alike, or each all correct or all wrong: their difference has no variance"
    none = Undefined("a class has one case only, which has no variance" if math.isnan(variance) else alike)
    return DeLong(*known, none, none, None)


def _scores(values: Any, name: str) -> AnyArray:
    scores = as_array(values, name)
    if scores.ndim != 1 or scores.dtype.kind not in "iufb":
        came = f"an array of shape {scores.shape} and type {scores.dtype}"
        raise InputError(parameter(name), f" must be one number per case, the score of the positive class; got {came}.")
    rows = np.flatnonzero(np.isnan(scores))
    if rows.size:
        msg = f" has {rows.size:,} missing values (first at row {int(rows[0]) + 1:,}); leave those cases out."
        raise InputError(parameter(name), msg)
    return scores
