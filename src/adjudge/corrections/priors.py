"""New class priors: posteriors for them, and what they are, from labelled or unlabelled cases.

Duch and Itert (2003), eq. 10; Saerens, Latinne and Decaestecker (2002).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, cast

import numpy as np

from adjudge._base.arguments import argument, parameter, wording
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.levels import check_whole, checked_level
from adjudge._base.records import dataclass
from adjudge._base.show import Shown
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.costs import none_zero, old_and_new, shares_of
from adjudge.corrections.labelled import are_predictions, checked_sums, in_order, named_probabilities, weights_of
from adjudge.corrections.scored import PassedMixture
from adjudge.counts.passes import BlockPasses, Passes
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.model import Predictions
from adjudge.predictions.spellings import column_labels
from adjudge.stats import priors as stats
from adjudge.stats.binomial import midp
from adjudge.stats.priors import PLAIN, Climb, Likelihood, Mixture, climb, reweighted

_FEW_PER_CLASS, _FEW_LABELLED = 10, 5
_CERTAIN_SHARE = 0.1
_NO_CASE = 1e-6  # fewer expected cases of a class than this are none
_TWO = 2
_SHOWN = 8  # classes at the prompt
_UNCHANGED = "assumes calibrated posteriors and classes that look as they did: only how frequent they are may have changed"


@dataclass(frozen=True, slots=True)
class Moved(Shown):
    """A test of whether the priors are still the old ones, and what it takes for granted."""

    statistic: float
    df: int
    p_value: float
    method: str


@dataclass(frozen=True, slots=True, eq=False)
class Priors(Shown):
    """How frequent the classes are, how sure that is, and whether it differs from what it was."""

    priors: FloatArray
    interval: FloatArray
    """Lower and upper bound for each class, each by itself at `level`."""
    level: float
    method: str
    cases: float
    """How many equally weighted cases the estimate is worth."""
    old: FloatArray | None
    classes: tuple[Any, ...] | None
    moved: Moved | None
    log_likelihood: float
    """Of the priors, in all cases; posteriors say it only up to a constant, chosen so that the old priors have 0."""
    iterations: int = 0
    converged: bool = True
    history: tuple[float, ...] = ()
    """The log-likelihood at the old priors and after each step."""
    findings: tuple[Finding, ...] = ()

    @property
    def p_value(self) -> float | None:
        """How often chance alone moves the priors so far; None without old ones."""
        return None if self.moved is None else self.moved.p_value

    def __repr__(self) -> str:
        each = (f"{prior:.4g} ({low:.4g} to {high:.4g})" for prior, (low, high) in zip(self.priors, self.interval, strict=True))
        shares = _by_name(self.classes, each, self.priors.size)
        moved = "" if self.moved is None else f"; if they were unchanged, p = {self.moved.p_value:.3g}"
        return f"Priors from {self.cases:,.6g} cases: {shares}, {100 * self.level:.6g}% intervals{moved}"

    def shift(self) -> PriorShift:
        """Return the correction that brings posteriors from the old priors to these.

        Priors that were counted rule no class out that the model knows: where one has no case, each gets half a case more,
        :math:`(n_i + 1/2) / (n + K/2)`. Estimated ones are the most likely, 0 among them.
        """
        if self.old is None:
            msg = "These priors were counted without old ones, and a shift needs both. Pass "
            raise InputError(msg, argument("old", python="old=..."), " to count_priors().")
        rules_out = not self.history and not self.priors.all()
        new = none_zero(self.priors * self.cases, self.old > 0) if rules_out else self.priors
        return PriorShift(self.old, new, self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class PriorShift(Shown):
    """A change of class priors, to apply to any posteriors trained under the old ones.

    Priors are in the order of `classes`, or {class: prior}; left out, the classes are those that `old` names.
    """

    old: FloatArray
    new: FloatArray
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        if self.classes is None and isinstance(self.old, Mapping):
            object.__setattr__(self, "classes", tuple(self.old))
        named = None if self.classes is None else column_labels(self.classes, "p")
        old, new = old_and_new(self.old, self.new, named)
        for name, value in (("old", frozen(old)), ("new", frozen(new)), ("classes", named)):
            object.__setattr__(self, name, value)
        if named is not None and len(set(map(repr, named))) < old.size:
            msg = f"A shift needs one name per class, each its own; got {listed(named)}."
            raise InputError(msg)

    def __repr__(self) -> str:
        each = (f"{old:.4g} -> {new:.4g}" for old, new in zip(self.old, self.new, strict=True))
        return f"PriorShift of {self.old.size:,} classes: {_by_name(self.classes, each, self.old.size)}"

    def apply(self, p: Any) -> FloatArray:
        """Return posteriors `p` as they are under the new priors; see :func:`adjust_priors`."""
        return adjust_priors(in_order(p, self.classes)[0] if self.classes else p, old=self.old, new=self.new)

    def codes(self, p: FloatArray) -> IntArray:
        """Return the place of the most probable class of each case under the new priors; `p` is checked already."""
        return np.asarray(reweighted(p, self.old, self.new).argmax(axis=1))


def _by_name(classes: tuple[Any, ...] | None, each: Iterable[str], k: int) -> str:
    """Return what is told of each class, the first of many."""
    shown = islice(zip(range(k) if classes is None else classes, each, strict=True), _SHOWN)
    return ", ".join(f"{quoted(name)} {told}" for name, told in shown) + (f" and {k - _SHOWN:,} more" if k > _SHOWN else "")


def adjust_priors(p: Any, *, old: Any, new: Any, classes: Any = None) -> FloatArray:
    r"""Return posteriors for new class priors.

    .. math:: q_{ni} = \frac{p_{ni}\, \pi_i / t_i}{\sum_j p_{nj}\, \pi_j / t_j}

    Parameters
    ----------
    p : array-like, shape (n, K)
        Posteriors of a model trained under the priors `old`; rows sum to one. A frame or mapping names the class of each column.
    old, new : array-like, shape (K,), or mapping
        Class priors in the order of the columns, or {class: prior}. A new prior of 0 removes the class; an old prior of 0 can
        stay 0 only.
    classes : sequence, optional
        The labels of the columns of `p`, for priors by name; 0..K-1 if left out.

    The posteriors must be calibrated under the old priors, and the densities of the classes must not have changed.

    >>> adjust_priors([[0.8, 0.2]], old=[0.5, 0.5], new=[0.05, 0.95]).round(4)
    array([[0.1739, 0.8261]])
    """
    posteriors, names = named_probabilities(p, classes)
    before, after = old_and_new(old, new, names)
    if not before.all():
        for row, column in np.argwhere((posteriors > 0) & (before == 0))[:1]:
            came = f"[{column}] is 0, yet p[{row}, {column}] = {posteriors[row, column]:g}"
            told = ": a class of prior 0 cannot have a posterior. Give the priors of the training cases."
            raise InputError(parameter("old"), came, told)
    lost = np.flatnonzero(~posteriors[:, after > 0].any(axis=1)) if not after.all() else np.empty(0)
    if lost.size:
        came = f"[{int(lost[0])}] speaks only for classes whose new prior is 0 ({counted(lost.size, 'such row')})"
        told = ": such a case cannot be. Give those classes a prior above 0, or leave the case out."
        raise InputError(parameter("p"), came, told)
    return reweighted(posteriors, before, after)


def estimate_priors(
    p: Any, *, old: Any, tol: float = 1e-10, max_iter: int = 10_000, level: float = 0.95, weight: Any = None, classes: Any = None
) -> Priors:
    r"""Return the class priors that unlabelled cases speak for, from the posteriors of a model trained under other priors.

    Expectation maximisation from the old priors on: the new priors are the mean of the posteriors under the last ones. After 100
    steps, and for the last digits, Newton steps replace it; the top is the same, since the likelihood is concave.

    Parameters
    ----------
    p : array-like, shape (n, K)
        Posteriors of the unlabelled cases under the priors `old`; rows sum to one. A frame or mapping names the class of each
        column. Or predictions of any size (:func:`adjudge.read`), whose truth is not looked at: they are gone through once for
        each step and never held, unless they are few.
    old : array-like, shape (K,), or mapping
        The priors the model was trained under, all above 0, in the order of the columns or {class: prior}.
    tol : float
        Stop when the log-likelihood per case can rise by no more than this.
    max_iter : int
        The most steps to take; up to 100 are plain expectation maximisation.
    level : float
        How often intervals are to hold the truth.
    weight : array-like, shape (n,), optional
        The weight of each case. Intervals and test count :math:`(\sum w)^2 / \sum w^2` cases.
    classes : sequence, optional
        The labels of the columns of `p`.

    All of it relies on calibrated posteriors, and on classes that look as they did: overconfident posteriors give priors that are
    wrong and intervals that are too narrow. Saerens, Latinne and Decaestecker (2002), Neural Comput. 14:21-41.

    >>> estimated = estimate_priors([[0.95, 0.05], [0.8, 0.2], [0.9, 0.1], [0.1, 0.9]] * 20, old=[0.5, 0.5])
    >>> estimated.priors.round(3), estimated.interval.round(3)[1], estimated.p_value < 0.001
    (array([0.804, 0.196]), array([0.085, 0.326]), True)
    """
    level = checked_level(level)
    step = cast("Any", tol)  # whatever came
    if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0 <= step < np.inf:
        raise InputError(parameter("tol"), f" must be a number of at least 0, got {safe(repr(tol))}. 1e-10 is usual.")
    check_whole("max_iter", max_iter, 1)
    if are_predictions(p, weight=weight, classes=classes):
        return estimate_passes(BlockPasses(p), old=old, tol=float(tol), max_iter=int(max_iter), level=level)
    p, classes = in_order(p, classes)
    posteriors, names = named_probabilities(p, classes)
    before = _learnt(old, names)
    given = weights_of(weight, len(posteriors))
    weights = np.ones(len(posteriors)) if given is None else given
    counting = slice(None) if weights.all() else weights > 0
    mixture = Mixture(posteriors[counting], 1 / before, weights[counting])
    top = climb(mixture, before, tol=float(tol), max_iter=int(max_iter))
    certain = float(mixture.weight[mixture.columns.max(axis=1) == 1].sum()) / mixture.size
    worth = mixture.size**2 / float((mixture.weight**2).sum())
    return _estimated(mixture, before, None if classes is None else names, top, level, worth, certain)


def estimate_passes(passes: Passes, *, old: Any, tol: float, max_iter: int, level: float) -> Priors:
    """Return the same from cases that are gone through, every step a Newton step; few are held as arrays are."""
    moments, names = checked_sums(passes.moments()), passes.classes
    before = _learnt(old, names)
    few = moments.cases * before.size**3 <= stats.MOST_WORK  # the likelihood itself can be climbed again and again
    mixture: Likelihood = PassedMixture(passes, moments, 1 / before)
    if few:
        p, weight = passes.held()
        mixture = Mixture(p, 1 / before, np.ones(len(p)) if weight is None else weight)
    top = climb(mixture, before, tol=tol, max_iter=max_iter, plain=PLAIN if few else 0)
    return _estimated(mixture, before, names, top, level, moments.size**2 / moments.squares, moments.certain / moments.size)


def _learnt(old: Any, names: tuple[Any, ...]) -> FloatArray:
    """Return the priors the model was learnt under, none of them 0."""
    before = shares_of(old, names, "old")
    if not before.all():
        unseen = [int(i) for i in np.flatnonzero(before == 0)]
        told = f" is 0 at {listed(unseen)}: a class the model never saw cannot be estimated. Leave its column out of p and old."
        raise InputError(parameter("old"), told)
    return before


def _estimated(
    mixture: Likelihood, old: FloatArray, classes: Any, top: Climb, level: float, worth: float, certain: float
) -> Priors:
    """Return the result of a climb, with its limits and its test; the share `certain` of the cases has a posterior of 1."""
    if isinstance(mixture, Mixture) and mixture.cells * mixture.k**2 <= stats.MOST_WORK:
        limits, method = stats.profile_limits(mixture, top, level=level, worth=worth), "profile likelihood"
    else:
        limits = stats.expansion_limits(mixture, top, level=level, worth=worth)
        method = "expansion of the likelihood at its top, for many cases"
    shares = top.point.shares
    holding = np.stack([np.minimum(limits[:, 0], shares), np.maximum(limits[:, 1], shares)], axis=1)  # whatever rounds
    gain, df, findings = top.point.log - top.history[0], mixture.k - 1, []
    if not top.converged:
        steps, gap = counted(len(top.history) - 1, "step"), top.point.gap
        told = f"The priors have not settled after {steps}: the log-likelihood per case may still rise by {gap:.2g}."
        findings.append(Finding("A810", told, "Allow more steps with max_iter.", gap))
    gone = [int(i) for i in np.flatnonzero(shares * worth < _NO_CASE)]
    if gone:
        told = f"The most likely prior of {_columns(gone)} is 0: these cases speak for none of it."
        advice = "Look at the upper bound, and give a class known to occur a prior above 0."
        findings.append(Finding("A811", told, advice, len(gone)))
    if certain > _CERTAIN_SHARE:
        told = f"{certain:.0%} of the cases have a posterior of exactly 1: they count as labels, whatever errors they hold."
        advice = "Calibrate the classifier first; the estimate relies on calibrated posteriors."
        findings.append(Finding("A812", told, advice, certain))
    if worth < _FEW_PER_CLASS * mixture.k:
        told = f"Only {worth:.4g} cases for {mixture.k} classes: intervals and test rely on many."
        findings.append(Finding("A813", told, "Use them with care, or collect more cases.", worth))
    alike = [int(i) for i in np.flatnonzero(stats.confounded(mixture.curvature(shares)))]
    if alike:
        told = f"The priors of {_columns(alike)} are indistinguishable: their posteriors rise and fall together."
        advice = wording("Join these classes, or count labelled cases with ", argument("counted", python="count_priors()"), ".")
        findings.append(Finding("A814", told, advice, len(alike)))
    statistic, p_value = stats.likelihood_ratio(gain * worth / mixture.size, df)
    moved = Moved(statistic, df, p_value, f"likelihood ratio against chi-square; {_UNCHANGED}")
    history = tuple(log - top.history[0] for log in top.history)
    estimate = frozen(shares), frozen(holding), level, method, worth, frozen(old), classes, moved, gain
    return Priors(*estimate, iterations=len(history) - 1, converged=top.converged, history=history, findings=tuple(findings))


def _columns(places: list[int]) -> str:
    return f"{'column' if len(places) == 1 else 'columns'} {listed(places)}"


def count_priors(labels: Any, *, classes: Any = None, old: Any = None, level: float = 0.95) -> Priors:
    """Return class priors counted on a labelled sample, with an interval for each and, given `old` ones, a test against them.

    Parameters
    ----------
    labels : array-like
        One label per case of a random sample.
    classes : sequence, optional
        The classes in the order of the posteriors to correct; those without a case have the prior 0 and an upper bound, and
        half a case in :meth:`Priors.shift`.
    old : array-like or mapping, optional
        The priors to compare with, in the order of the classes or {class: prior}.
    level : float
        How often the interval of one class is to hold its prior.

    Intervals are mid-P, of each share by itself.

    >>> counted = count_priors(["ill"] * 3 + ["well"] * 57, old=[0.5, 0.5])
    >>> counted.priors, counted.interval.round(3)[0], counted.p_value < 1e-9
    (array([0.05, 0.95]), array([0.013, 0.13 ]), True)
    """
    level = checked_level(level)
    if not hasattr(labels, "__len__") or isinstance(labels, (str, bytes)) or not len(labels):
        came = "none" if hasattr(labels, "__len__") and not isinstance(labels, str) else type(labels).__name__
        raise InputError(parameter("labels"), f" must hold one label per case, such as a list or an array; got {came}.")
    encoder = Encoder(Predictions(labels, labels, classes=classes))
    codes = np.concatenate([block.truth for block in encoder.blocks()])
    names, order = encoder.classes, encoder.order
    if len(names) < _TWO:
        msg = f"All labels are {quoted(names[0])}, and priors need at least two classes. Name them all with "
        raise InputError(msg, argument("classes", python="classes=[...]"), ".")
    counts = np.bincount(codes, minlength=max(order) + 1)[order]
    before = None if old is None else shares_of(old, names, "old")
    n = float(counts.sum())
    known = counts[counts > 0]
    gain = float((known * np.log(known / n)).sum())
    if before is not None:
        with np.errstate(divide="ignore"):
            gain -= float((known * np.log(before[counts > 0])).sum())
    told = []
    absent, few = (
        [label for label, count in zip(names, counts, strict=True) if least <= count < most]
        for least, most in ((0, 1), (1, _FEW_LABELLED))
    )
    if absent:
        none = f"No case of {listed(absent)} among {counted(int(n), 'labelled case')}: a prior of 0 would rule it out."
        advice = "A shift to these priors gives each class half a case more; look at the upper bound, or count more cases."
        told.append(Finding("A815", none, advice, len(absent)))
    if few:
        advice = "Its prior may be off by a factor of two and more; look at its interval."
        told.append(Finding("A816", f"Fewer than {_FEW_LABELLED} labelled cases of {listed(few)}.", advice, len(few)))
    limits = frozen([midp(float(count), n, level) for count in counts])
    shares = frozen(counts / n), limits, level, "mid-P interval of each share", n
    moved = None if before is None else Moved(*stats.chi_square(counts, before))
    return Priors(*shares, None if before is None else frozen(before), names, moved, gain, findings=tuple(told))
