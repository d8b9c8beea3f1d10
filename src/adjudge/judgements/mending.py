"""Can it be mended without retraining? Every correction judged on cases that took no part in choosing it.

A correction always looks good on the cases it was fitted to. Here it is fitted on all folds but one and applied to that one,
in turn; what it gains there is compared case by case with no correction. It is recommended where a gain is at least 99%
probable, since with 95% one recommendation in ten did harm on fresh cases: the probability does not know that the correction
itself would be fitted anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.levels import checked_level
from adjudge._base.rng import generator
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted, quoted
from adjudge.corrections.costs import checked_costs, costs_of_gamma
from adjudge.corrections.kappa import Kappa, fit_kappa
from adjudge.corrections.labelled import Labelled, labelled
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Rejection, fit_rejection
from adjudge.counts.joint import outcomes_of
from adjudge.counts.probabilities import case_losses
from adjudge.estimates.estimate import Interval
from adjudge.estimates.score_differences import mean_law
from adjudge.stats.law import Law
from adjudge.stats.paired import paired_law
from adjudge.stats.student import PointLaw

Advice: TypeAlias = Literal["recommended", "worth trying", "leave it"]
Correction: TypeAlias = Kappa | PriorShift | Rejection
RECOMMENDED, WORTH_TRYING = 0.99, 0.8
"""Probabilities of a gain from which on a correction is recommended, and worth trying."""
MEASURES = ("accuracy", "balanced_accuracy", "brier", "log_loss", "cost")
FOLDS = 5
FEWEST = 50
"""Cases below which nobody should choose between corrections."""
_MISSED = 0.9
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Mended(Shown):
    """One correction: what it gains where it had no say, beside what it seems to gain where it had."""

    name: str
    gain: float
    """On cases that took no part in fitting it; more is better."""
    interval: Interval
    p_gain: float
    """How probable it is that there is a gain at all."""
    in_sample: float
    """The gain on the very cases it was fitted to, which flatters."""
    missed: float
    """A gain that would be larger than this has less than 5% probability."""
    correction: Correction
    """Fitted on all cases, ready to apply."""

    @property
    def advice(self) -> Advice:
        """What to do about it."""
        return "recommended" if self.p_gain >= RECOMMENDED else "worth trying" if self.p_gain >= WORTH_TRYING else "leave it"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python; the in-sample gain never without the other."""
        names = ("name", "gain", "interval", "p_gain", "in_sample", "missed", "correction")
        return {name: plain(getattr(self, name)) for name in names} | {"advice": self.advice}


@dataclass(frozen=True, slots=True, eq=False)
class Recommendations(Shown):
    """Corrections, the most probable gain first."""

    measure: str
    before: float
    """The value without a correction."""
    rows: tuple[Mended, ...]
    cases: int
    folds: int
    findings: tuple[Finding, ...] = ()

    @property
    def best(self) -> Mended | None:
        """The recommended correction with the largest gain; None where none is recommended."""
        good = [row for row in self.rows if row.advice == "recommended"]
        return max(good, key=lambda row: row.gain) if good else None

    def __repr__(self) -> str:
        return self.in_words()


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """How to fit a correction, and what it then says."""

    name: str
    fit: Callable[[FloatArray, IntArray], Correction]


def recommend(
    p: Any,
    y: Any,
    *,
    classes: Any = None,
    measure: str = "accuracy",
    old: Any = None,
    gamma: float | None = None,
    costs: Any = None,
    folds: int = FOLDS,
    level: float = 0.95,
    rng: Any = 0,
) -> Recommendations:
    """Say which corrections of probabilities are worth it, judged on cases that took no part in fitting them.

    Parameters
    ----------
    p : array-like
        Cases x classes probabilities of a classifier that did not learn from these cases.
    y : array-like
        The true class of each case: the number of its column, or a label with `classes`.
    classes : sequence, optional
        The label of each column.
    measure : str
        What is to gain: "accuracy", "balanced_accuracy", "brier", "log_loss" or, with `gamma` or `costs`, "cost".
    old : sequence, optional
        The class priors the classifier was trained under; counted priors are then tried as well.
    gamma : float, optional
        The price of an error against that of a rejection, (1 + gamma) errors + rejections: rejection is then tried.
    costs : array-like, optional
        Costs K x K or K x (K + 1), the last column for rejected cases: thresholds of least cost are then tried.
    folds : int
        How many parts take turns in being left out.
    level : float
        How often the intervals shall hold the gain.
    rng : seed
        What to deal the cases into folds with.

    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(400) < 0.1).astype(int)
    >>> p = np.clip(0.5 + 0.3 * (y - 0.5) + 0.2 * rng.normal(size=400), 0.01, 0.99)
    >>> found = recommend(np.column_stack([1 - p, p]), y)
    >>> found.best.advice
    'recommended'
    """
    level = checked_level(level)
    generator(rng)  # refuses what is no seed
    data = labelled(p, y, classes=classes)
    table = _costs(gamma, costs, len(data.classes))
    if measure not in MEASURES or (measure == "cost") != (table is not None):
        told = ", ".join(MEASURES[:-1])
        msg = f"measure must be one of {told}, or cost together with gamma= or costs=; got {measure!r}."
        raise InputError(msg)
    fold = dealt(data.y, folds, rng)
    judged = _Judged(data, measure, table, fold)
    ways = list(_ways(data, measure, old, table))
    rows = sorted((judged.row(way, level) for way in ways), key=lambda row: (-row.p_gain, -row.gain))
    return Recommendations(measure, judged.before, tuple(rows), data.y.size, folds, tuple(_findings(data, folds)))


def _costs(gamma: float | None, costs: Any, k: int) -> FloatArray | None:
    if gamma is not None and costs is not None:
        msg = "gamma and costs both say what errors and rejections cost; pass one of them."
        raise InputError(msg)
    return costs_of_gamma(k, gamma) if gamma is not None else None if costs is None else checked_costs(costs, k)


def dealt(truth: IntArray, folds: Any, rng: Any) -> IntArray:
    """Return the fold of each case, every class dealt out alike."""
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or not _TWO <= folds <= truth.size:
        msg = f"folds must be a whole number from 2 to the number of cases, {truth.size:,}; got {folds!r}."
        raise InputError(msg)
    source, fold = np.random.default_rng(rng), np.empty(truth.size, dtype=np.int64)
    order = source.permutation(truth.size)
    order = order[np.argsort(truth[order], kind="stable")]
    fold[order] = np.arange(truth.size) % folds
    return fold


def _ways(data: Labelled, measure: str, old: Any, table: FloatArray | None) -> Iterator[_Way]:
    names = data.classes

    def kappa(name: str, **how: Any) -> _Way:
        def fit(p: FloatArray, y: IntArray) -> Kappa:
            weight = 1 / np.bincount(y, minlength=len(names))[y] if measure == "balanced_accuracy" else None
            return fit_kappa(p, _named(y, names), classes=names, weight=weight, majority=data.majority, **how)

        return _Way(name, fit)

    if table is not None:
        yield _Way("rejection and costs", lambda p, y: fit_rejection(p, _named(y, names), classes=names, costs=table))
        return
    yield kappa("kappa, least squares in [0, 1]")
    yield kappa("kappa, least squares", bounds=None)
    if measure in ("accuracy", "balanced_accuracy"):
        yield kappa("kappa, fewest errors", goal="errors")
    if old is not None:
        yield _Way("counted priors", lambda _, y: PriorShift(old, _shares(y, len(names)), names))


def _named(y: IntArray, names: Sequence[Any]) -> AnyArray:
    labels = np.empty(y.size, dtype=object)
    labels[:] = [names[i] for i in y]
    return labels


def _shares(y: IntArray, k: int) -> FloatArray:
    """Return the shares of classes, none of them 0: half a case more for each."""
    counts = np.bincount(y, minlength=k) + 0.5
    return np.asarray(counts / counts.sum())


class _Judged:
    """Corrections on the same cases, with the same folds."""

    def __init__(self, data: Labelled, measure: str, costs: FloatArray | None, fold: IntArray) -> None:
        self.data, self.measure, self.costs, self.fold = data, measure, costs, fold
        self.k = len(data.classes)
        self.without = self._value_by_case(data.p, data.p.argmax(axis=1))

    @property
    def before(self) -> float:
        """The value without a correction."""
        return self._mean(self.without)

    def row(self, way: _Way, level: float) -> Mended:
        """Fit with each fold left out, and once on all cases."""
        after = np.empty(self.data.y.size)
        for part in np.unique(self.fold):
            rest, out = self.fold != part, self.fold == part
            after[out] = self._after(way.fit(self.data.p[rest], self.data.y[rest]), self.data.p[out], self.data.y[out])
        whole = way.fit(self.data.p, self.data.y)
        seen = self._after(whole, self.data.p, self.data.y)
        law = self._law(after)
        limits = law.interval(level)
        gain = self._mean(after) - self.before
        return Mended(
            way.name,
            self._sign * gain,
            Interval(*limits, level, "cross-fitted, paired"),
            _above(law, 0.0),
            self._sign * (self._mean(seen) - self.before),
            float(law.ppf((1 + _MISSED) / 2)),
            whole,
        )

    @property
    def _sign(self) -> float:
        return 1.0 if self.measure in ("accuracy", "balanced_accuracy") else -1.0

    def _after(self, fitted: Correction, p: FloatArray, truth: IntArray) -> FloatArray:
        if isinstance(fitted, Rejection):
            return self._costs_of(fitted.codes(p), truth)
        corrected = fitted.apply(p)
        decided = corrected.argmax(axis=1) if isinstance(fitted, PriorShift) else fitted.codes(p)
        return self._values(corrected, decided, truth)

    def _value_by_case(self, p: FloatArray, decided: IntArray) -> FloatArray:
        if self.costs is not None:
            return self._costs_of(decided, self.data.y)
        return self._values(p, decided, self.data.y)

    def _costs_of(self, decided: IntArray, truth: IntArray) -> FloatArray:
        assert self.costs is not None
        return np.asarray(self.costs[truth, decided])  # -1, the last column, where rejected

    def _values(self, p: FloatArray, decided: IntArray, truth: IntArray) -> FloatArray:
        if self.measure in ("accuracy", "balanced_accuracy"):
            return np.asarray(decided == truth, dtype=np.float64)
        own = np.maximum(p[np.arange(truth.size), truth], np.finfo(np.float64).tiny)  # one impossible case decides nothing
        return case_losses(self.measure, p, own, self.k)

    def _mean(self, values: FloatArray) -> float:
        if self.measure != "balanced_accuracy":
            return float(values.mean())
        support = np.bincount(self.data.y, minlength=self.k)
        sums = np.bincount(self.data.y, weights=values, minlength=self.k)
        return float((sums[support > 0] / support[support > 0]).mean())

    def _law(self, after: FloatArray) -> Law:
        """Return what to believe of the gain, more being better."""
        if self.measure not in ("accuracy", "balanced_accuracy"):
            return mean_law(self.without - after, None)
        truth = self.data.y if self.measure == "balanced_accuracy" else np.zeros_like(self.data.y)
        ones = np.ones(truth.size)
        outcomes = outcomes_of(after > 0, self.without > 0, truth, ones, int(truth.max()) + 1)
        seen = outcomes.sum(axis=1) > 0
        return paired_law(outcomes[seen] + 1)


def _above(law: Law, x: float) -> float:
    return float(law.at > x) if isinstance(law, PointLaw) else float(law.sf(x))


def _findings(data: Labelled, folds: int) -> Iterator[Finding]:
    if data.y.size < FEWEST:
        told = f"Corrections were chosen and judged on {counted(data.y.size, 'case')} only."
        yield Finding("A840", told, "Collect more cases before correcting anything.", data.y.size)
    support = np.bincount(data.y, minlength=len(data.classes))
    if (support < folds).any():
        few = quoted(data.classes[int(np.argmin(support))])
        told = f"Class {few} has {counted(int(support.min()), 'case')}: some folds lack it."
        yield Finding("A841", told, "What a correction does for that class is a guess.", int(support.min()))
