"""A measure of every fold and of all folds together, and what a learner scored on seen and unseen cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base import InputError, Undefined, parameter
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.counts.confusion import DENSE, ConfusionCounts, WeightedCounts
from adjudge.counts.probabilities import ProbabilityCounts, case_losses, rescaled
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.tally import Tally
from adjudge.metrics import averages, on_scores
from adjudge.metrics.averages import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure

_TWO = 2
_DIGITS = 9  # decimals of averaged counts, so that thirds of a case add up to whole ones
_LOSSES = (on_scores.BRIER, on_scores.LOG_LOSS)  # measures that are the mean of a loss of each case
UNSEEN, SEEN = 0.632, 0.368  # the weights of Efron (1983), as printed; 1 - 1/e differs in the fourth digit


def value_of(measure: Measure, tally: Tally) -> float:
    """Return a measure: of the class looked for where there is one, else averaged over the classes."""
    if isinstance(measure, OtherMeasure):
        return _of_scores(measure, tally)
    return of_table(measure, tally.confusion, tally.positive)


def of_table(measure: Measure, counts: ConfusionCounts, positive: int | None) -> float:
    """Return a count measure of one table."""
    if not isinstance(measure, ClassMeasure):
        return averages.value(measure, counts)
    return averages.averaged(measure, counts, "macro") if positive is None else averages.of_class(measure, counts, positive)


def _of_scores(measure: OtherMeasure, tally: Tally) -> float:
    if measure.needs == "probabilities":
        return float(measure.of(tally)) if tally.probabilities is not None else Undefined("the learner gives no probabilities")
    if tally.scores is None:
        return Undefined("the learner gives no scores")
    at = _ranked(measure, tally, tally.scores)
    return on_scores.averaged(measure, tally, "macro") if at is None else on_scores.of_class(measure, tally, at)


def _ranked(measure: OtherMeasure, tally: Tally, scores: ScoreCounts) -> int | None:
    """Return the class whose scores are measured; of two classes both have the same AUC."""
    if tally.positive is None and tally.confusion.k == _TWO and measure is on_scores.AUC:
        return scores.columns[-1]
    return tally.positive


def fold_values(wanted: Sequence[Measure], tally: Tally, folds: IntArray) -> dict[str, FloatArray]:
    """Return the value of each measure in each fold, NaN where it has none; `folds` names the fold of each row counted."""
    scores = tally.scores if tally.probabilities is not None and any(measure in _LOSSES for measure in wanted) else None
    by_measure, given, tables = {}, None, list(tally.by_fold.values())
    if scores is not None and scores.scores is not None and scores.truth is not None:
        p = np.clip(scores.scores, 0, 1)
        p = rescaled(p, p.sum(axis=1, keepdims=True))  # as the sums over all cases are taken
        given = p, p[np.arange(len(p)), np.argsort(scores.columns)[scores.truth]], scores.k
    for measure in wanted:
        if given is not None and measure in _LOSSES:
            sizes, sums = np.bincount(folds), np.bincount(folds, case_losses(measure.name, *given))
            by_measure[measure.name] = np.asarray(sums[sizes > 0] / sizes[sizes > 0])
        elif isinstance(measure, OtherMeasure):
            by_measure[measure.name] = np.array(_each_fold(measure, tally, folds), dtype=np.float64)
        else:
            by_measure[measure.name] = of_many(measure, tables, tally.positive)
    return by_measure


def _each_fold(measure: OtherMeasure, tally: Tally, folds: IntArray) -> list[float]:
    scores, order = tally.scores, np.argsort(folds, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(folds[order])) + 1)
    at = None if scores is None else _ranked(measure, tally, scores)
    if measure is on_scores.AUC and scores is not None and scores.truth is not None and at is not None:
        return scores.areas(at, rows)
    values = []
    for counts, some in zip(tally.by_fold.values(), rows, strict=True):
        part = replace(tally, confusion=counts, rows=some.size, by_fold={})
        if scores is not None and scores.scores is not None and scores.truth is not None:
            given, truth = scores.scores[some], scores.truth[some]
            sums = ProbabilityCounts() if measure.needs == "probabilities" and tally.probabilities is not None else None
            if sums is not None:
                sums.add(given, np.argsort(scores.columns)[truth], None)  # the column of each true class
            own = ScoreCounts(scores.columns, scores.k, given, truth)
            part = Tally(counts, some.size, tally.scale, own, sums, positive=tally.positive)
        values.append(_of_scores(measure, part))
    return values


def of_many(measure: Measure, tables: Sequence[ConfusionCounts], positive: int | None) -> FloatArray:
    """Return a count measure of each of many tables of the same classes, NaN where it has no value."""
    if tables and all(isinstance(table.cells, np.ndarray) for table in tables):
        return of_tables(measure, np.stack([table.cells for table in tables]), positive)
    return np.array([of_table(measure, table, positive) for table in tables], dtype=np.float64)


def each_case_once(tally: Tally, cases: int) -> Tally:
    """Return a tally in which cases judged several times weigh as much as they are, for intervals: `cases` different ones."""
    counts, scores, sums = tally.confusion, tally.scores, tally.probabilities
    share = cases / tally.rows
    sums = None if sums is None else replace(sums, share=share)
    if isinstance(counts, WeightedCounts):  # the weights say what a case counts; only what they are worth changes
        own, squares = counts.cells, counts.squares / share
    else:
        if scores is not None and scores.truth is not None:
            scores = replace(scores, weight=np.full(scores.truth.size, share))
        own = squares = np.round((counts.cells if counts.k <= DENSE else counts.cells.toarray()) * share, _DIGITS)
    return replace(tally, confusion=WeightedCounts(own, counts.classes, squares=squares), scores=scores, probabilities=sums)


def unrelated(counts: ConfusionCounts) -> ConfusionCounts:
    """Return the table that decisions unrelated to the truth would fill, with the same shares of classes in both."""
    table: AnyArray = np.outer(counts.support, counts.predicted) / counts.n
    return WeightedCounts(table, counts.classes, squares=table)


def combine_632(test: Any, train: Any) -> float:
    r"""Return the .632 estimate: the mean over rounds of .632 `test` + .368 `train`.

    Parameters
    ----------
    test : array-like
        The accuracy (or any other measure) of each round on the cases it did not draw.
    train : array-like
        That of each round on all cases; or, for the form of Efron (1983, JASA 78:316-331), the one value of a learner
        on its training cases.

    >>> round(combine_632([0.5, 0.5], [1.0, 1.0]), 3)
    0.684
    """
    unseen, seen = _rounds("test", test), _rounds("train", train)
    if seen.size not in (1, unseen.size):
        msg = f" must hold one value per round of test, or one for all; got {seen.size} for {unseen.size} rounds."
        raise InputError(parameter("train"), msg)
    return float(np.mean(UNSEEN * unseen + SEEN * seen))


def _rounds(name: str, values: Any) -> FloatArray:
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.ndim != 1 or not array.size or not np.all(np.isfinite(array)):
        msg = f" must hold one finite number per round; got shape {array.shape}. Leave rounds without a value out."
        raise InputError(parameter(name), msg)
    return array


def combine_632plus(*, resubstitution: float, out_of_bag: float, no_information: float) -> float:
    r"""Return the .632+ estimate of an error rate.

    With the errors :math:`\overline{err}` on the training cases, :math:`Err^{(1)}` on the cases left out and :math:`\gamma`
    where decisions and truth are unrelated, :math:`Err' = \min(Err^{(1)}, \gamma)` and

    .. math:: R' = \frac{Err' - \overline{err}}{\gamma - \overline{err}}, \quad
              Err^{.632+} = .368\, \overline{err} + .632\, Err^{(1)}
                            + (Err' - \overline{err})\, \frac{.368 \cdot .632\, R'}{1 - .368 R'} .

    R' is 0 unless both :math:`Err^{(1)}` and :math:`\gamma` exceed :math:`\overline{err}`; the estimate is then that of .632.
    Efron and Tibshirani (1997), JASA 92:548-560, equation 32. A learner that remembers its cases has no resubstitution error
    to speak of; R' then leans towards the cases left out.

    >>> round(combine_632plus(resubstitution=0.0, out_of_bag=0.45, no_information=0.5), 4)
    0.4252
    >>> round(combine_632plus(resubstitution=0.3, out_of_bag=0.35, no_information=0.25), 4)
    0.3316
    """
    told = {"resubstitution": resubstitution, "out_of_bag": out_of_bag, "no_information": no_information}
    for name, value in told.items():
        if not 0 <= value <= 1:
            msg = f" must be an error rate between 0 and 1, got {value}. An accuracy a is the error 1 - a."
            raise InputError(parameter(name), msg)
    capped = min(out_of_bag, no_information)
    if capped <= resubstitution:
        return combine_632(out_of_bag, resubstitution)
    overfitting = (capped - resubstitution) / (no_information - resubstitution)
    correction = (capped - resubstitution) * SEEN * UNSEEN * overfitting / (1 - SEEN * overfitting)
    return combine_632(out_of_bag, resubstitution) + correction


def out_of_bag_share(n: int) -> float:
    """Return the share of n cases that n draws with replacement leave out on average, (1 - 1/n)^n; 1/e for many."""
    return math.exp(n * math.log1p(-1 / n)) if n > 1 else 0.0
