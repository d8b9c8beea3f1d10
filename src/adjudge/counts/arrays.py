"""Confusion tables and curves straight from arrays, or from predictions of any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base import InputError, argument, either, parameter
from adjudge._base.arrays import AnyArray, BoolArray
from adjudge.counts.cells import whole_pairs
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.counting import count_confusion, tally
from adjudge.counts.curves import Curve, precision_recall_curve, reliability_curve, risk_coverage_curve, roc_curve
from adjudge.counts.passes import BlockPasses
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.model import Predictions
from adjudge.predictions.native import check_aligned, check_labels, one_column
from adjudge.predictions.spellings import position, settle_positive
from adjudge.stats.ranking import tabulate


def confusion(y_true: Any, y_pred: Any, *, classes: Any = None, weight: Any = None, rejected: Any = None) -> ConfusionCounts:
    """Count how often each class was predicted for the cases of each class.

    Parameters
    ----------
    y_true, y_pred : array-like
        One label per case, of any type; True equals 1 equals 1.0, and "1" equals none of them.
    classes : sequence, optional
        The classes in the order to show them; a label outside them is an error. Otherwise a declared
        category order is kept, and other labels are sorted.
    weight : array-like, optional
        The weight of each case; gives :class:`WeightedCounts`.
    rejected : label, optional
        The value of `y_pred` that means "no decision"; gives a last column.

    >>> confusion(["a", "a", "b"], ["a", "b", "b"]).cells
    array([[1, 1],
           [0, 1]])
    """
    y_true, y_pred = _of_one_length(y_true, y_pred)
    plain = [a for a in (y_true, y_pred) if type(a) is np.ndarray and a.ndim == 1 and a.dtype.kind in "iu" and a.size]
    whole = len(plain) == 2 and all(a.dtype != np.uint64 for a in plain)  # noqa: PLR2004 - truth and decision
    if whole and classes is None and weight is None and rejected is None:
        counted = whole_pairs(y_true, y_pred)
        if counted is not None:
            low, cells = counted
            order = [int(code) for code in np.union1d(cells.rows, cells.columns)]
            return from_cells(cells, [low + code for code in order], order, rejected=False)
    return count_confusion(Predictions(y_true, y_pred, classes=classes, weight=weight, rejected=rejected), any_labels=True)


def _of_one_length(truth: Any, predicted: Any) -> tuple[Any, Any]:
    """Return truth and decision, one label per case each, or refuse."""
    for name, values in (("y_true", truth), ("y_pred", predicted)):
        if not hasattr(values, "__len__"):
            msg = f" must hold one label per case, such as a list or an array; got {type(values).__name__}."
            raise InputError(parameter(name), msg)
    sizes = [len(values) for values in (truth, predicted)]
    if sizes[0] != sizes[1]:
        told = f" {sizes[1]:,}; give one decision per case."
        raise InputError(parameter("y_true"), f" has {sizes[0]:,} cases and ", parameter("y_pred"), told)
    if not sizes[0]:
        msg = "There are no cases: y_true and y_pred are empty."
        raise InputError(msg)
    return one_column("y_true", truth), one_column("y_pred", predicted)


def _one_score(truth: Any, scores: Any, positive: Any, what: str) -> tuple[AnyArray, BoolArray, Any]:
    """Return one score of each case, which cases are of the positive class, and that class."""
    check_aligned({"y_true": truth, "y_score": scores})
    truth, values = one_column("y_true", truth), np.asarray(one_column("y_score", scores, several=True))
    check_labels(truth, f"{what}(y_true, y_score)")
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        came = f"an array of shape {values.shape} and type {values.dtype}"
        msg = f"{what} takes one number per case, the score of the positive class; got {came}."
        raise InputError(msg)
    if np.isnan(values).any():
        rows = np.flatnonzero(np.isnan(values))
        msg = f" has {rows.size:,} missing values (first at row {int(rows[0]) + 1:,}); leave those cases out."
        raise InputError(parameter("y_score"), msg)
    encoder = Encoder(Predictions(truth, truth))
    codes = np.concatenate([block.truth for block in encoder.blocks()])
    if codes.size != values.size:
        told = f" {values.size:,}; give one score per case."
        raise InputError(parameter("y_true"), f" has {codes.size:,} cases and ", parameter("y_score"), told)
    place = settle_positive(encoder.classes, positive, counts=np.bincount(codes)[encoder.order].tolist(), what=what)
    return values, codes == encoder.order[place], encoder.classes[place]


def roc(y_true: Any, y_score: Any, *, positive: Any = None) -> Curve:
    """Return the ROC curve of a score, exact with ties and infinities; `.area` is the AUC.

    >>> roc([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.4]).area
    0.875
    """
    values, own, label = _one_score(y_true, y_score, positive, "roc")
    return roc_curve(tabulate(values, own), label)


def precision_recall(y_true: Any, y_score: Any, *, positive: Any = None) -> Curve:
    """Return the precision-recall curve of a score; `.area` is the average precision."""
    values, own, label = _one_score(y_true, y_score, positive, "precision_recall")
    return precision_recall_curve(tabulate(values, own), label)


def reliability(y_true: Any, y_score: Any = None, *, positive: Any = None, classes: Any = None) -> Curve:
    """Return the share observed against the probability predicted; `.area` is the calibration error.

    One column of `y_score` is the probability of the positive class; several (with `classes`) are evaluated by
    the highest probability of each case. Predictions of any size (:func:`adjudge.read`) take the place of `y_true` and
    `y_score`; with `positive` the probability of that class is evaluated.
    """
    if isinstance(y_true, Predictions):
        _check_alone(y_score=y_score, classes=classes)
        return _reliability_of(y_true, positive)
    if np.ndim(y_score) == 1:
        p, own, label = _one_score(y_true, y_score, positive, "reliability")
        _check_probabilities(p)
        sums = ProbabilityCounts()
        sums.add(np.asarray(p, dtype=np.float64)[:, None], np.where(own, 0, 1), None)
        return reliability_curve(sums.by_class[0], label)
    tallied = tally(Predictions(y_true, scores=y_score, classes=classes))
    if tallied.probabilities is None:
        msg = "reliability needs probabilities; these scores are not."
        raise InputError(msg)
    return reliability_curve(tallied.probabilities.top)


def _reliability_of(predictions: Predictions, positive: Any) -> Curve:
    tallied = tally(predictions)
    if tallied.probabilities is None or tallied.scores is None:
        msg = "reliability needs probabilities of the classes; these predictions have none. See "
        raise InputError(msg, argument("scores_are"), " of read().")
    columns, classes = tallied.scores.columns, tallied.confusion.classes
    if positive is None and len(columns) > 1:
        return reliability_curve(tallied.probabilities.top)
    at = columns[0] if positive is None else position(classes, positive)
    sums = tallied.probabilities.by_class
    if not sums.size:
        msg = f"The reliability of single classes is not kept for {len(classes):,} of them; leave "
        raise InputError(msg, argument("positive"), " out.")
    return reliability_curve(sums[columns.index(at) if at in columns else 1], classes[at])  # a single score speaks of both


def _check_alone(**given: Any) -> None:
    """Refuse what predictions bring with them."""
    twice = [argument(name) for name, value in given.items() if value is not None]
    if twice:
        msg = "Predictions have classes, decisions and scores of their own; leave "
        raise InputError(msg, either(twice, ", "), " out.")


def _check_probabilities(p: Any) -> None:
    if p.size and (p.min() < 0 or p.max() > 1):
        msg = f"reliability needs probabilities between 0 and 1; got {p.min():g} to {p.max():g}."
        raise InputError(msg)


def risk_coverage(y_true: Any, y_score: Any = None, *, y_pred: Any = None, positive: Any = None, classes: Any = None) -> Curve:
    """Return the share of wrong decisions among those kept, against the share kept, surest cases first.

    How sure a decision is, is its highest probability; with `y_pred`, `y_score` are taken as that themselves
    when they are one number per case. Predictions of any size (:func:`adjudge.read`) take the place of all of them.
    """
    if isinstance(y_true, Predictions):
        _check_alone(y_score=y_score, y_pred=y_pred, positive=positive, classes=classes)
        return risk_coverage_curve(BlockPasses(y_true).sure())
    if y_pred is not None and np.ndim(y_score) == 1:
        y_true, y_pred = _of_one_length(y_true, y_pred)
        right = np.concatenate([block.truth == block.predicted for block in Encoder(Predictions(y_true, y_pred)).blocks()])
        return risk_coverage_curve(tabulate(np.asarray(y_score), right))
    if np.ndim(y_score) == 1:
        p, own, _ = _one_score(y_true, y_score, positive, "risk_coverage")
        _check_probabilities(p)
        half = 0.5
        return risk_coverage_curve(tabulate(np.maximum(p, 1 - p), (p > half) == own))
    blocks = list(Encoder(Predictions(y_true, y_pred, y_score, classes=classes)).blocks())
    sure = np.concatenate([np.asarray(block.scores).max(axis=1) for block in blocks])
    right = np.concatenate([block.truth == block.predicted for block in blocks])
    return risk_coverage_curve(tabulate(sure, right))
