"""Measures that need nothing but the diagonal and the margins of the confusion table; classes without a case are left out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge._base import Undefined, quoted, ratio
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray
from adjudge.counts.confusion import ConfusionCounts
from adjudge.metrics.measure import ClassMeasure, OneAgainstRest, TableMeasure

_NONE = "there is no case"


def supported(counts: ConfusionCounts) -> BoolArray:
    """Return which classes have a case."""
    return np.asarray(counts.support > 0)


def recalls(counts: ConfusionCounts) -> FloatArray:
    """Return the recall of every class that has a case."""
    seen = supported(counts)
    return np.asarray(counts.correct[seen] / counts.support[seen], dtype=np.float64)


def error(counts: ConfusionCounts) -> float:
    """Return the share of cases that were decided wrong; a rejected case is not."""
    wrong = counts.n - counts.rejected.sum() - counts.correct.sum()
    return ratio(max(wrong, 0), counts.n, _NONE)  # sums of weights may round below 0


def balanced_accuracy(counts: ConfusionCounts) -> float:
    """Return the mean recall."""
    each = recalls(counts)
    return float(each.mean()) if each.size else Undefined(_NONE)


def informedness(counts: ConfusionCounts) -> float:
    """Return how far the mean recall is above chance, Youden's J of two classes."""
    each = recalls(counts)
    if each.size < 2:  # noqa: PLR2004 - chance is defined between classes
        return Undefined(_one_class(counts))
    return float((each.size * each.mean() - 1) / (each.size - 1))


def g_mean(counts: ConfusionCounts) -> float:
    """Return the geometric mean of the recalls."""
    each = recalls(counts)
    if not each.size:
        return Undefined(_NONE)
    return float(np.exp(np.log(each).mean())) if each.all() else 0.0


def mcc(counts: ConfusionCounts) -> float:
    """Return the correlation of truth and decision (Matthews); rejected cases are one more decision."""
    n, correct, truth, decided = _margins(counts)
    spread_truth = n * n - _dot(truth, truth)
    spread_decided = n * n - _dot(decided, decided)
    if np.count_nonzero(truth) < 2 or spread_truth <= 0:  # noqa: PLR2004 - of weights the spread may round off 0
        return Undefined(_one_class(counts))
    if np.count_nonzero(decided) < 2 or spread_decided <= 0:  # noqa: PLR2004
        return Undefined("all decisions are the same")
    covariance = n * correct - _dot(truth, decided[:-1])
    return float(max(-1.0, min(1.0, covariance / math.sqrt(spread_truth * spread_decided))))


def kappa(counts: ConfusionCounts) -> float:
    """Return Cohen's kappa, the agreement beyond chance."""
    n, correct, truth, decided = _margins(counts)
    if np.count_nonzero(truth) < 2:  # noqa: PLR2004 - with one class agreement is chance
        return Undefined(_one_class(counts))
    chance = _dot(truth, decided[:-1])
    return ratio(n * correct - chance, n * n - chance, "agreement by chance is certain")


def _margins(counts: ConfusionCounts) -> tuple[int | float, int | float, AnyArray, AnyArray]:
    """Return all and right cases, cases by class, and by decision ("none" last); of weights the shares, which can be squared."""
    n, correct = counts.n, counts.correct.sum().item()
    truth, decided = counts.support, np.append(counts.predicted, counts.rejected.sum())
    return (1.0, correct / n, truth / n, decided / n) if isinstance(n, float) and n else (n, correct, truth, decided)


def _one_class(counts: ConfusionCounts) -> str:
    seen = np.flatnonzero(supported(counts))
    return _NONE if not seen.size else f"all cases are of class {quoted(counts.classes[int(seen[0])])}"


def _dot(a: AnyArray, b: AnyArray) -> int | float:
    """Return the sum of products: in Python's integers for counts, which never overflow."""
    if a.dtype.kind == "f":
        return float((a * b).sum())
    return int(sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True)))


def _fbeta_parts(c: OneAgainstRest, beta: float = 1.0) -> tuple[AnyArray, AnyArray]:
    weight = beta * beta
    return (1 + weight) * c.hit, weight * c.support + c.hit + c.alarm


_NO_CASE, _NO_OTHER = "no case is of class {}", "every case is of class {}"
_NEVER, _ALWAYS = "class {} was never predicted", "no case was predicted as another class than {}"
_NEITHER = "class {} was neither seen nor predicted"
_CORRELATION = "(n c - sum t_k p_k) / sqrt((n^2 - sum t_k^2)(n^2 - sum p_k^2)), c correct, t true, p predicted"
_ABOVE_CHANCE = "(K balanced_accuracy - 1) / (K - 1); two classes: TPR + TNR - 1"

ACCURACY = TableMeasure("accuracy", "correct / n", of=lambda c: ratio(c.correct.sum(), c.n, _NONE), aliases=("recognition_rate",))
ERROR = TableMeasure("error", "wrong / n", higher_is_better=False, of=error, aliases=("error_rate",))
_MEAN, _LEFT_OUT = "mean over classes of correct_k / n_k", "classes without a case left out"
BALANCED_ACCURACY = TableMeasure("balanced_accuracy", _MEAN, of=balanced_accuracy, note=_LEFT_OUT)
INFORMEDNESS = TableMeasure("informedness", _ABOVE_CHANCE, low=-1.0, of=informedness, aliases=("youden",))
G_MEAN = TableMeasure("g_mean", "(product of the K recalls)^(1/K)", of=g_mean)
MCC = TableMeasure("mcc", _CORRELATION, low=-1.0, of=mcc, aliases=("matthews",))
KAPPA = TableMeasure("kappa", "(n c - sum t_k p_k) / (n^2 - sum t_k p_k)", low=-1.0, of=kappa, aliases=("cohen_kappa",))
REJECTION_RATE = TableMeasure(
    "rejection_rate", "rejected / n", higher_is_better=False, of=lambda c: ratio(c.rejected.sum(), c.n, _NONE)
)


def _share(name: str, formula: str, parts: Callable[..., Any], reason: str, *aliases: str, **rest: Any) -> ClassMeasure:
    return ClassMeasure(name, formula, parts=parts, reason=reason, aliases=aliases, **rest)


SENSITIVITY = _share("sensitivity", "TP / P", lambda c: (c.hit, c.support), _NO_CASE, "recall", "tpr", "hit_rate")
SPECIFICITY = _share("specificity", "TN / N", lambda c: (c.quiet, c.others), _NO_OTHER, "tnr", "selectivity")
PRECISION = _share("precision", "TP / (TP + FP)", lambda c: (c.hit, c.hit + c.alarm), _NEVER, "ppv", "positive_predictive_value")
NPV = _share("npv", "TN / (TN + FN)", lambda c: (c.quiet, c.quiet + c.miss), _ALWAYS, "negative_predictive_value")
FPR = _share("fpr", "FP / N", lambda c: (c.alarm, c.others), _NO_OTHER, "fall_out", higher_is_better=False)
FNR = _share("fnr", "FN / P", lambda c: (c.miss, c.support), _NO_CASE, "miss_rate", higher_is_better=False)
F1 = _share("f1", "2 TP / (2 TP + FP + FN)", _fbeta_parts, _NEITHER, "f_score", "dice", plain=False)
_FBETA = "(1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP)"
FBETA = _share("fbeta", _FBETA, _fbeta_parts, _NEITHER, plain=False, note="beta=1 is f1")
JACCARD = _share("jaccard", "TP / (TP + FP + FN)", lambda c: (c.hit, c.support + c.alarm), _NEITHER, "iou", "csi")

ON_COUNTS = (
    ACCURACY, ERROR, BALANCED_ACCURACY, SENSITIVITY, SPECIFICITY, PRECISION, NPV, FPR, FNR, F1, FBETA, MCC, KAPPA,
    INFORMEDNESS, G_MEAN, JACCARD, REJECTION_RATE,
)  # fmt: skip
REPORTED: tuple[TableMeasure | ClassMeasure, ...] = (
    *(BALANCED_ACCURACY, MCC, KAPPA, INFORMEDNESS, G_MEAN),
    *(SENSITIVITY, SPECIFICITY, PRECISION, NPV, F1, JACCARD),
)
"""Measures of a table that a result reports beside its accuracy, its error and its rejections."""
