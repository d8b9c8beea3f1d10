"""New class priors: posteriors for them, and what they are, from labelled or unlabelled cases.

A classifier learnt where half the cases were ill says too often "ill" where one in twenty is. If the classes look as they did,
and only how frequent they are has changed, the posteriors need no new learning: each is multiplied by the ratio of the new
prior to the old and the row brought back to sum one. Duch and Itert (2003), eq. 10; Saerens et al. (2002).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, parameter, wording
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.levels import checked_level
from adjudge._base.show import Shown
from adjudge._base.text import counted, listed, quoted
from adjudge.corrections.class_numbers import (
    check_new,
    check_possible,
    check_seen,
    check_steps,
    checked_priors,
    checked_weights,
    counted_labels,
    none_zero,
    shares_of,
)
from adjudge.corrections.labelled import are_predictions, checked_sums, in_order, listed_classes, named_probabilities
from adjudge.corrections.scored import PassedMixture, held_mixture
from adjudge.counts.counting import passes_of
from adjudge.counts.moments import Passes
from adjudge.stats.binomial import midp
from adjudge.stats.prior_limits import MOST_WORK, chi_square, confounded, expansion_limits, likelihood_ratio, profile_limits
from adjudge.stats.priors import PLAIN, Climb, Likelihood, Mixture, climb, reweighted

_FEW_PER_CLASS = 10
_CERTAIN_SHARE = 0.1
_NO_CASE = 1e-6  # fewer expected cases of a class than this are none
_FEW_LABELLED = 5
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
    """Lower and upper limit for each class, each by itself at `level`."""
    level: float
    method: str
    """How the limits were found."""
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
        each = zip(_names(self.classes, self.priors.size), self.priors, self.interval, strict=True)
        shares = ", ".join(f"{name} {prior:.4g} ({low:.4g} to {high:.4g})" for name, prior, (low, high) in islice(each, _SHOWN))
        moved = "" if self.moved is None else f"; were they unchanged, p = {self.moved.p_value:.3g}"
        more = f" and {self.priors.size - _SHOWN:,} more" if self.priors.size > _SHOWN else ""
        return f"Priors from {self.cases:,.6g} cases: {shares}{more}, {100 * self.level:.6g}% limits{moved}"

    def shift(self) -> PriorShift:
        """Return the correction that brings posteriors from the old priors to these.

        Priors that were counted rule no class out that the model knows: where one has no case, each gets half a case more,
        :math:`(n_i + 1/2) / (n + K/2)`. Estimated ones are the most likely, 0 among them.
        """
        if self.old is None:
            msg = "These priors were counted without old ones, and a shift needs both. Pass old=... to count_priors()."
            raise InputError(msg)
        counted = not self.history
        new = none_zero(self.priors * self.cases, self.old > 0) if counted and not self.priors.all() else self.priors
        return PriorShift(self.old, new, self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class PriorShift(Shown):
    """A change of class priors, to apply to any posteriors learnt under the old ones.

    Priors are in the order of `classes`, or {class: prior}; left out, the classes are those that `old` names.
    """

    old: FloatArray
    new: FloatArray
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        if self.classes is None and isinstance(self.old, Mapping):
            object.__setattr__(self, "classes", tuple(self.old))
        named = None if self.classes is None else listed_classes(self.classes)
        old, new = _pair(self.old, self.new, named)
        for name, value in (("old", frozen(old)), ("new", frozen(new)), ("classes", named)):
            object.__setattr__(self, name, value)
        if named is not None and len(set(map(repr, named))) < old.size:
            msg = f"A shift needs one name per class, each its own; got {listed(named)}."
            raise InputError(msg)

    def __repr__(self) -> str:
        each = zip(_names(self.classes, self.old.size), self.old, self.new, strict=True)
        shares = ", ".join(f"{name} {old:.4g} -> {new:.4g}" for name, old, new in islice(each, _SHOWN))
        more = f" and {self.old.size - _SHOWN:,} more" if self.old.size > _SHOWN else ""
        return f"PriorShift of {self.old.size:,} classes: {shares}{more}"

    def apply(self, p: Any) -> FloatArray:
        """Return posteriors `p` as they are under the new priors; see :func:`adjust_priors`."""
        return adjust_priors(in_order(p, self.classes)[0] if self.classes else p, old=self.old, new=self.new)

    def codes(self, p: FloatArray) -> IntArray:
        """Return the place of the most probable class of each case under the new priors; `p` is checked already."""
        return np.asarray(reweighted(p, self.old, self.new).argmax(axis=1))


def _names(classes: tuple[Any, ...] | None, k: int) -> Iterable[str]:
    return map(quoted, range(k) if classes is None else classes)


def _pair(old: Any, new: Any, classes: tuple[Any, ...] | None) -> tuple[FloatArray, FloatArray]:
    """Return old and new priors of as many classes, by place or by name."""
    before = checked_priors(old, "old") if classes is None else shares_of(old, classes, "old")
    after = shares_of(new, range(before.size) if classes is None else classes, "new")
    check_new(before, after)
    return before, after


def adjust_priors(p: Any, *, old: Any, new: Any, classes: Any = None) -> FloatArray:
    r"""Return posteriors for new class priors.

    .. math:: q_{ni} = \frac{p_{ni}\, \pi_i / t_i}{\sum_j p_{nj}\, \pi_j / t_j}

    Parameters
    ----------
    p : array-like, shape (n, K)
        Posteriors of a model learnt under the priors `old`; rows sum to one. A frame or mapping names the class of each column.
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
    before, after = _pair(old, new, names)
    check_seen(posteriors, before)
    if not after.all():
        check_possible(posteriors, after)
    return reweighted(posteriors, before, after)


def estimate_priors(
    p: Any,
    *,
    old: Any,
    tol: float = 1e-10,
    max_iter: int = 10_000,
    level: float = 0.95,
    weight: Any = None,
    classes: Any = None,
) -> Priors:
    r"""Return the class priors that unlabelled cases speak for, from the posteriors of a model learnt under other priors.

    Expectation maximisation from the old priors on: the new priors are the mean of the posteriors under the last ones. After 100
    steps, and for the last digits, Newton steps replace it; the top is the same, since the likelihood is concave.

    Parameters
    ----------
    p : array-like, shape (n, K)
        Posteriors of the unlabelled cases under the priors `old`; rows sum to one. A frame or mapping names the class of each
        column. Or predictions of any size (:func:`adjudge.read`), whose truth is not looked at: they are gone through once for
        each step and never held, unless they are few.
    old : array-like, shape (K,), or mapping
        The priors the model was learnt under, all above 0, in the order of the columns or {class: prior}.
    tol : float
        Stop when the log-likelihood per case can rise by no more than this.
    max_iter : int
        The most steps to take; up to 100 are plain expectation maximisation.
    level : float
        How often limits are to hold the truth.
    weight : array-like, shape (n,), optional
        The weight of each case. Limits and test count :math:`(\sum w)^2 / \sum w^2` cases.
    classes : sequence, optional
        The labels of the columns of `p`.

    All of it relies on calibrated posteriors, and on classes that look as they did: overconfident posteriors give priors that are
    wrong and limits that are too narrow. Saerens, Latinne and Decaestecker (2002), Neural Comput. 14:21-41.

    >>> found = estimate_priors([[0.95, 0.05], [0.8, 0.2], [0.9, 0.1], [0.1, 0.9]] * 20, old=[0.5, 0.5])
    >>> found.priors.round(3), found.interval.round(3)[1], found.p_value < 0.001
    (array([0.804, 0.196]), array([0.085, 0.326]), True)
    """
    level = checked_level(level)
    check_steps(tol, max_iter)
    if are_predictions(p, weight=weight, classes=classes):
        return estimate_passes(passes_of(p), old=old, tol=float(tol), max_iter=int(max_iter), level=level)
    p, classes = in_order(p, classes)
    posteriors, names = named_probabilities(p, classes)
    before = _learnt(old, names)
    weights = checked_weights(weight, len(posteriors))
    counting = slice(None) if weights.all() else weights > 0
    mixture = Mixture(posteriors[counting], 1 / before, weights[counting])
    top = climb(mixture, before, tol=float(tol), max_iter=int(max_iter))
    certain = float(mixture.weight[mixture.columns.max(axis=1) == 1].sum()) / mixture.size
    worth = mixture.size**2 / float((mixture.weight**2).sum())
    return _estimated(mixture, before, None if classes is None else names, top, level, worth, certain)


def estimate_passes(passes: Passes, *, old: Any, tol: float, max_iter: int, level: float) -> Priors:
    """Return the same from cases that are gone through: every step a Newton step, since each is a pass.

    Few cases are held, so that their limits are those of the likelihood itself; then nothing differs from arrays.
    """
    moments = checked_sums(passes.moments())
    names = passes.classes
    before = _learnt(old, names)
    few = _is_few(moments.cases * before.size, before.size)
    mixture = held_mixture(passes, 1 / before) if few else PassedMixture(passes, moments, 1 / before)
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


def _is_few(cells: int, k: int) -> bool:
    """Say whether the likelihood itself can be climbed again and again."""
    return cells * k**2 <= MOST_WORK


def _estimated(
    mixture: Likelihood,
    old: FloatArray,
    classes: tuple[Any, ...] | None,
    top: Climb,
    level: float,
    worth: float,
    certain: float,
) -> Priors:
    """Return the result of a climb, with its limits and its test; the share `certain` of the cases has a posterior of 1."""
    if isinstance(mixture, Mixture) and _is_few(mixture.cells, mixture.k):
        limits, told = profile_limits(mixture, top, level=level, worth=worth), "profile likelihood"
    else:
        limits = expansion_limits(mixture, top, level=level, worth=worth)
        told = "expansion of the likelihood at its top, for many cases"
    shares = top.point.shares
    holding = np.stack([np.minimum(limits[:, 0], shares), np.maximum(limits[:, 1], shares)], axis=1)  # whatever rounds
    gain, df = top.point.log - top.history[0], mixture.k - 1
    ratio = likelihood_ratio(gain * worth / mixture.size, df)
    return Priors(
        priors=frozen(shares),
        interval=frozen(holding),
        level=level,
        method=told,
        cases=worth,
        old=frozen(old),
        classes=classes,
        moved=Moved(ratio[0], df, ratio[1], f"likelihood ratio against chi-square; {_UNCHANGED}"),
        log_likelihood=gain,
        iterations=len(top.history) - 1,
        converged=top.converged,
        history=tuple(log - top.history[0] for log in top.history),
        findings=tuple(_doubts(mixture, top, worth, certain)),
    )


def _doubts(mixture: Likelihood, top: Climb, worth: float, sure: float) -> Iterator[Finding]:
    shares, gap = top.point.shares, top.point.gap
    if not top.converged:
        steps = counted(len(top.history) - 1, "step")
        told = f"The priors have not settled after {steps}: the log-likelihood per case may still rise by {gap:.2g}."
        yield Finding("A810", told, "Allow more steps with max_iter.", gap)
    gone = [int(i) for i in np.flatnonzero(shares * worth < _NO_CASE)]
    if gone:
        told = f"The most likely prior of {_columns(gone)} is 0: these cases speak for none of it."
        yield Finding("A811", told, "Look at the upper limit, and give a class known to occur a prior above 0.", len(gone))
    if sure > _CERTAIN_SHARE:
        told = f"{sure:.0%} of the cases have a posterior of exactly 1: they count as labels, whatever errors they hold."
        yield Finding("A812", told, "Calibrate the classifier first; the estimate relies on calibrated posteriors.", sure)
    if worth < _FEW_PER_CLASS * mixture.k:
        told = f"Only {worth:.4g} cases for {mixture.k} classes: limits and test rely on many."
        yield Finding("A813", told, "Use them with care, or collect more cases.", worth)
    alike = [int(i) for i in np.flatnonzero(confounded(mixture.curvature(shares)))]
    if alike:
        told = f"The priors of {_columns(alike)} are indistinguishable: their posteriors rise and fall together."
        counting = argument("counted", python="count_priors()")
        yield Finding("A814", told, wording("Join these classes, or count labelled cases with ", counting, "."), len(alike))


def _columns(places: list[int]) -> str:
    return f"{'column' if len(places) == 1 else 'columns'} {listed(places)}"


def count_priors(labels: Any, *, classes: Any = None, old: Any = None, level: float = 0.95) -> Priors:
    """Return class priors counted on a labelled sample, with limits for each and, given `old` ones, a test against them.

    Parameters
    ----------
    labels : array-like
        One label per case of a random sample.
    classes : sequence, optional
        The classes in the order of the posteriors to correct; those without a case have the prior 0 and an upper limit, and
        half a case in :meth:`Priors.shift`.
    old : array-like or mapping, optional
        The priors to compare with, in the order of the classes or {class: prior}.
    level : float
        How often the limits of one class are to hold its prior.

    Limits are mid-P limits of each share by itself.

    >>> found = count_priors(["ill"] * 3 + ["well"] * 57, old=[0.5, 0.5])
    >>> found.priors, found.interval.round(3)[0], found.p_value < 1e-9
    (array([0.05, 0.95]), array([0.013, 0.13 ]), True)
    """
    level = checked_level(level)
    counts, names = counted_labels(labels, classes)
    before = None if old is None else shares_of(old, names, "old")
    n = float(counts.sum())
    known = counts[counts > 0]
    gain = float((known * np.log(known / n)).sum())
    if before is not None:
        with np.errstate(divide="ignore"):
            gain -= float((known * np.log(before[counts > 0])).sum())
    return Priors(
        priors=frozen(counts / n),
        interval=frozen([midp(float(count), n, level) for count in counts]),
        level=level,
        method="mid-P limits of each share",
        cases=n,
        old=None if before is None else frozen(before),
        classes=names,
        moved=None if before is None else Moved(*chi_square(counts, before)),
        log_likelihood=gain,
        findings=tuple(_doubts_of_counts(counts, names)),
    )


def _doubts_of_counts(counts: IntArray, classes: tuple[Any, ...]) -> Iterator[Finding]:
    absent = [label for label, count in zip(classes, counts, strict=True) if not count]
    if absent:
        told = f"No case of {listed(absent)} among {counted(int(counts.sum()), 'labelled case')}: a prior of 0 would rule it out."
        advice = "A shift to these priors gives each class half a case more; look at the upper limit, or count more cases."
        yield Finding("A815", told, advice, len(absent))
    few = [label for label, count in zip(classes, counts, strict=True) if 0 < count < _FEW_LABELLED]
    if few:
        told = f"Fewer than {_FEW_LABELLED} labelled cases of {listed(few)}."
        yield Finding("A816", told, "Its prior may be off by a factor of two and more; look at its limits.", len(few))
