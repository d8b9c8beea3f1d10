"""The textbook tests of two classifiers on the same cases, and of two learners over the same splits.

A difference is a's value minus b's, more being better. Every result says how often its method is known to be wrong.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from adjudge._base import InputError, Shown, Undefined, checked_level, dataclass, parameter, plain, quoted, ratio
from adjudge._base.arrays import FloatArray, as_array
from adjudge.estimates.estimate import Interval
from adjudge.judgements.decision import told
from adjudge.stats import special, student
from adjudge.stats.binomial import binomial_p_value
from adjudge.stats.student import PointDistribution, StudentDistribution, mean_and_spread, t_limits, two_sided

_NEITHER = "every difference is 0, so there is no spread to compare it with"


@dataclass(frozen=True, slots=True)
class McNemar(Shown):
    """Whether two classifiers are wrong equally often, from the cases on which only one of them is right."""

    b: int
    c: int
    p_exact: float  # never rejects more often than it says
    p_mid: float  # counts what was seen by half: closer to what it says
    chi2: float
    chi2_cc: float  # the same with Edwards' correction for continuity
    method: str = (
        "McNemar's test, binomial and mid-P (McNemar 1947, Psychometrika 12:153-157; "
        "Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91)"
    )
    type_i_error: str = f"Exact: {told('mcnemar_exact')} Mid-P: {told('mcnemar_mid')}"

    def __repr__(self) -> str:
        seen = f"only a correct {self.b:,} times, only b {self.c:,} times"
        return f"McNemar: {seen}; p = {self.p_exact:.4g} (exact), {self.p_mid:.4g} (mid-P), chi2 = {self.chi2:.4g}"


@dataclass(frozen=True, slots=True)
class PairedT(Shown):
    """Whether the mean of paired differences is 0, were they independent."""

    mean: float
    se: float
    t: float
    p_value: float
    interval: Interval
    method: str = "paired t test (Student 1908, Biometrika 6:1-25; Mitchell 1997, Machine Learning, eq. 5.17)"
    type_i_error: str = told("paired_t")

    def __repr__(self) -> str:
        return f"PairedT: mean difference {self.mean:+.6g}, {self.interval!r}; t = {self.t:.4g}, p = {self.p_value:.4g}"


@dataclass(frozen=True, slots=True)
class CorrectedT(Shown):
    """Whether the mean difference over splits is 0, knowing that splits share training cases."""

    mean: float
    variance: float  # of the mean
    t: float
    p_value: float
    interval: Interval
    t_naive: float  # as if the differences were independent, for comparison
    p_naive: float
    test_share: float
    method: str = "corrected resampled t test (Nadeau and Bengio 2003, Mach. Learn. 52:239-281)"
    type_i_error: str = told("nadeau_bengio")

    def __repr__(self) -> str:
        seen = f"mean difference {self.mean:+.6g}, {self.interval!r}; t = {self.t:.4g}, p = {self.p_value:.4g}"
        return f"CorrectedT: {seen} (were splits independent, p = {self.p_naive:.4g})"


@dataclass(frozen=True, slots=True)
class FiveByTwo(Shown):
    """Whether two learners differ, from five repetitions of two folds."""

    t: float
    p_t: float
    f: float  # uses all ten differences, where t rests on the first
    p_f: float
    method: str = (
        "5 x 2 cross-validated t (Dietterich 1998, Neural Comput. 10:1895-1923) "
        "and F (Alpaydin 1999, Neural Comput. 11:1885-1892)"
    )
    type_i_error: str = f"t: {told('five_by_two_t')} F: {told('five_by_two_f')}"

    def __repr__(self) -> str:
        return f"FiveByTwo: t = {self.t:.4g}, p = {self.p_t:.4g}; F = {self.f:.4g}, p = {self.p_f:.4g}"


@dataclass(frozen=True, slots=True)
class CorrelatedT(Shown):
    """How probable it is that a is worse than, practically the same as, or better than b."""

    worse: float
    same: float
    better: float
    mean: float
    margin: float  # differences up to this size, either way, make no difference in practice
    test_share: float
    distribution: StudentDistribution | PointDistribution  # of the difference: a point where all differences are alike
    method: str = "Bayesian correlated t test (Corani and Benavoli 2015, Mach. Learn. 100:285-304)"
    type_i_error: str = f"Taking more than 95% for sure, with a margin of 0.01: {told('correlated_t')}"

    def __repr__(self) -> str:
        three = f"worse {self.worse:.4g}, same {self.same:.4g}, better {self.better:.4g}"
        return f"CorrelatedT: {three} (mean difference {self.mean:+.6g}, margin {self.margin:g})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python, the distribution by its central 95% limits."""
        names = ("worse", "same", "better", "mean", "margin", "test_share", "method", "type_i_error")
        return {name: plain(getattr(self, name)) for name in names} | {"central_95": plain(self.distribution.interval())}


def mcnemar(b: int, c: int) -> McNemar:
    r"""Test whether two classifiers are wrong equally often.

    Parameters
    ----------
    b : int
        How many cases only the first classifier got correct.
    c : int
        How many only the second got correct.

    Notes
    -----
    If they are equally good, b of the b + c cases is binomial with rate 1/2:

    .. math:: p_{exact} = \min(1, 2 P(X \ge \max(b, c))), \quad p_{mid} = p_{exact} - P(X = \max(b, c)),

    and :math:`p_{mid} = 1 - P(X = b)` for b = c. Where the classifiers never differ both are 1.

    >>> test = mcnemar(9, 2)
    >>> round(test.p_exact, 6), round(test.p_mid, 6), round(test.chi2, 4)
    (0.06543, 0.038574, 4.4545)
    """
    b, c = _count(b, "b"), _count(c, "c")
    n, most, apart = b + c, max(b, c), abs(b - c)
    at_least, more = (binomial_p_value(k, n) for k in (most, most + 1))
    p_mid = (at_least + more if apart else 2 * more) if n else 1.0
    chi2, corrected = (ratio(k**2, n, "the two classifiers are correct on the same cases") for k in (apart, max(apart - 1, 0)))
    return McNemar(b, c, min(1.0, 2 * at_least), p_mid, chi2, corrected)


def paired_t(d: Any, *, level: float = 0.95) -> PairedT:
    r"""Test whether the mean of the differences `d` is 0, as if they were independent.

    .. math:: t = \frac{\bar d}{\sqrt{s^2 / J}}

    with J - 1 degrees of freedom. Differences over folds are not independent: see `type_i_error`, and `nadeau_bengio`.

    Parameters
    ----------
    d : array-like
        Differences, one per split or case.
    level : float
        How often the interval of the mean should hold the truth.

    >>> test = paired_t([0.02, 0.03, -0.01, 0.05, 0.04])
    >>> round(test.mean, 6), round(test.t, 6)
    (0.026, 2.525343)
    """
    values, level = _differences(d), checked_level(level)
    (mean, spread), df = mean_and_spread(values), values.size - 1
    se = spread / math.sqrt(values.size)
    t = _over(mean, se)
    return PairedT(mean, se, t, two_sided(t, df), Interval(*t_limits(mean, se, df, level), level, "Student's t"))


def nadeau_bengio(d: Any, *, test_share: float, level: float = 0.95) -> CorrectedT:
    r"""Test whether the mean of the differences `d` over splits is 0, allowing for training cases they share.

    .. math:: t = \frac{\bar d}{\sqrt{(\frac{1}{J} + \frac{\rho}{1-\rho})\, s^2}}

    with J - 1 degrees of freedom, where each split tests a share :math:`\rho` of its cases.

    Parameters
    ----------
    d, level
        As for :func:`paired_t`; one difference per split.
    test_share : float
        The share of the cases that each split tests: 0.1 for ten folds.

    >>> test = nadeau_bengio([0.02, 0.03, -0.01, 0.05, 0.04], test_share=0.2)
    >>> round(test.t, 6), round(test.t_naive, 6)
    (1.683562, 2.525343)
    """
    values, level = _differences(d), checked_level(level)
    (mean, spread), df = mean_and_spread(values), values.size - 1
    se = spread * math.sqrt(student.inflation(values.size, test_share=_number(test_share, "test_share")))
    t, naive = _over(mean, se), _over(mean, spread / math.sqrt(values.size))
    limits = Interval(*t_limits(mean, se, df, level), level, "corrected resampled t")
    return CorrectedT(mean, se**2, t, two_sided(t, df), limits, naive, two_sided(naive, df), float(test_share))


def five_by_two(d: Any) -> FiveByTwo:
    r"""Test whether two learners differ, from differences over five repetitions of two folds.

    .. math:: t = \frac{d_{11}}{\sqrt{\frac15 \sum_i s_i^2}}, \quad F = \frac{\sum_{ij} d_{ij}^2}{2 \sum_i s_i^2}, \quad
              s_i^2 = \tfrac12 (d_{i1} - d_{i2})^2 ,

    with 5, and with 10 and 5, degrees of freedom.

    Parameters
    ----------
    d : array-like, 5 x 2
        One row per repetition, one column per fold.

    >>> test = five_by_two([[0.02, 0.03], [0.01, -0.02], [0.04, 0.02], [0.0, 0.03], [0.05, 0.01]])
    >>> round(test.p_t, 6), round(test.p_f, 6)
    (0.357656, 0.253502)
    """
    values = _differences(d, (5, 2))
    values = values / (np.abs(values).max() or 1.0)  # so that squares neither vanish nor overflow
    noise = float(((values[:, 0] - values[:, 1]) ** 2).sum()) / 2
    t, f = _over(float(values[0, 0]), math.sqrt(noise / 5)), _over(float((values**2).sum()), 2 * noise)
    return FiveByTwo(t, two_sided(t, 5), f, f if math.isnan(f) else float(special.fdtrc(10, 5, f)))


def correlated_t(d: Any, *, test_share: float, margin: float = 0.01) -> CorrelatedT:
    """Return how probable it is that a is worse than, practically the same as, or better than b.

    Parameters
    ----------
    d : array-like
        Differences over splits, a minus b, of a measure where more is better.
    test_share : float
        The share of the cases that each split tests: 0.1 for ten folds, repeated or not.
    margin : float
        The region of practical equivalence: differences from -margin to margin make no difference.

    >>> posterior = correlated_t([0.02, 0.03, -0.01, 0.05, 0.04], test_share=0.2)
    >>> round(posterior.worse, 4), round(posterior.same, 4), round(posterior.better, 4)
    (0.0401, 0.1393, 0.8206)
    """
    values, margin = _differences(d), _number(margin, "margin")
    if margin < 0:
        msg = f" must not be negative, got {margin}. It is the largest difference that makes none in practice, e.g. 0.01."
        raise InputError(parameter("margin"), msg)
    distribution = student.correlated_distribution(values, test_share=(test_share := _number(test_share, "test_share")))
    opposite = distribution.mirrored
    worse, better = float(opposite.sf(margin)), float(distribution.sf(margin))
    # P(-margin <= D <= margin) from the side where little of the distribution is, so that a small one keeps its digits
    same = distribution.cdf(margin) - worse if distribution.median > 0 else opposite.cdf(margin) - better
    return CorrelatedT(worse, max(0.0, float(same)), better, distribution.median, margin, test_share, distribution)


def _over(mean: float, se: float) -> float:
    """Return a difference in standard errors: infinite without any spread, undefined where it is 0 too."""
    if se > 0:
        return mean / se
    return math.copysign(math.inf, mean) if mean else Undefined(_NEITHER)


def _differences(d: Any, shape: tuple[int, int] | None = None) -> FloatArray:
    """Return finite differences as floats: a row of two or more, or of the shape asked for."""
    values = as_array(d, "d")
    wanted = "5 repetitions x 2 folds" if shape else "one row of numbers, one per split"
    if values.dtype.kind not in "iuf" or (values.shape != shape if shape else values.ndim != 1):
        msg = f" must be differences, {wanted}; got an array of shape {values.shape} and type {values.dtype}."
        raise InputError(parameter("d"), msg)
    if values.size <= 1:
        msg = f"A spread needs at least two differences, got {values.size}. Give one for each split."
        raise InputError(msg)
    bad = values[~np.isfinite(values)]
    if bad.size:
        msg = f" holds {bad.size:,} values that are not finite (the first is {bad[0]}); leave out splits without a value."
        raise InputError(parameter("d"), msg)
    return values.astype(np.float64)


def _count(value: Any, name: str) -> int:
    if (number := _number(value, name)) < 0 or number != math.floor(number):
        raise InputError(parameter(name), f" must be a count of cases: 0 or a positive whole number; got {quoted(value)}.")
    return int(value)


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(parameter(name), f" must be a finite number, got {quoted(value)}.")
    return float(value)


@dataclass(frozen=True, slots=True)
class ErrorDifference(Shown):
    """How much more often the first of two classifiers errs, each on cases of its own."""

    d: float  # the error rate of the first minus that of the second
    sd: float
    interval: Interval
    p_positive: float  # how probable it is that the first errs more, by the normal distribution
    method: str = "normal approximation (Mitchell 1997, Machine Learning, eq. 5.13); too short for few errors"

    def __repr__(self) -> str:
        return f"ErrorDifference {self.d:+.6g}, {self.interval!r}; P(the first errs more) = {self.p_positive:.4g}"


def error_difference(errors1: int, n1: int, errors2: int, n2: int, *, level: float = 0.95) -> ErrorDifference:
    r"""Return the difference of two error rates on independent samples, with the interval of the normal distribution.

    .. math:: d = e_1 - e_2, \quad d \pm z \sqrt{\frac{e_1 (1 - e_1)}{n_1} + \frac{e_2 (1 - e_2)}{n_2}} .

    For samples of some size; ``compare(a, b, measure="error", paired=False)`` has a posterior that also holds for few cases.

    >>> difference = error_difference(30, 100, 20, 100)
    >>> round(difference.d, 3), round(difference.interval.low, 4), round(difference.interval.high, 4)
    (0.1, -0.0192, 0.2192)
    """
    level = checked_level(level)
    rates = [_rate(errors1, n1, "first"), _rate(errors2, n2, "second")]
    d = rates[0] - rates[1]
    sd = math.sqrt(sum(rate * (1 - rate) / n for rate, n in zip(rates, (n1, n2), strict=True)))
    none = "neither rate varies: no error or nothing but errors in both samples"
    p = float(StudentDistribution(d, sd).sf(0.0)) if sd else Undefined(none)
    return ErrorDifference(d, sd, Interval(*t_limits(d, sd, math.inf, level), level, "wald"), p)


def _rate(errors: Any, n: Any, which: str) -> float:
    whole = all(isinstance(v, Real) and float(v).is_integer() for v in (errors, n)) and not isinstance(n, bool)
    if not whole or not 0 <= errors <= n or n < 1:
        msg = f"The {which} sample needs whole numbers, errors between 0 and n, n at least 1; got {errors!r} errors of {n!r}."
        raise InputError(msg)
    return float(errors) / float(n)
