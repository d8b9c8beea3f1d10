"""What may be asked about class priors, checked before anything is computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.labelled import check_total

_TWO = 2
_PRIORS = 1e-6  # how far priors may be from summing to one
_SAME = 1e-14  # sums that differ from one by rounding alone: the priors are left as given


def counted_labels(labels: Any, classes: Any) -> tuple[IntArray, tuple[Any, ...]]:
    """Return how many labels there are of each class, and the classes."""
    from adjudge.predictions.blocks import Encoder
    from adjudge.predictions.model import Predictions

    if not hasattr(labels, "__len__") or isinstance(labels, (str, bytes)) or not len(labels):
        came = "none" if hasattr(labels, "__len__") and not isinstance(labels, str) else type(labels).__name__
        msg = f"labels must hold one label per case, such as a list or an array; got {came}."
        raise InputError(msg)
    encoder = Encoder(Predictions(labels, labels, classes=classes))
    codes = np.concatenate([block.truth for block in encoder.blocks()])
    names, order = encoder.classes, encoder.order
    if len(names) < _TWO:
        msg = f"All labels are {quoted(names[0])}, and priors need at least two classes. Name them all with classes=[...]."
        raise InputError(msg)
    return np.bincount(codes, minlength=max(order) + 1)[order], names


def checked_priors(values: Any, name: str, k: int | None = None) -> FloatArray:
    """Return class priors that sum to one, refusing what is none."""
    try:
        shares = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = wording(parameter(name), f" must list one prior per class; got {safe(repr(values))}.")
        raise InputError(msg) from error
    if shares.ndim != 1 or shares.size < _TWO or (k is not None and shares.size != k):
        wanted = f"{k} priors, one for each class" if k is not None else "one prior per class, at least two"
        msg = wording(parameter(name), f" must list {wanted}; got shape {shares.shape}.")
        raise InputError(msg)
    total = float(shares.sum())
    if not (shares >= 0).all() or not abs(total - 1) <= _PRIORS:
        came = f"{listed(shares.tolist())}, sum {total:g}. Divide counts by their sum."
        msg = wording(parameter(name), f" must be shares of the classes, none below 0, that sum to 1; got {came}")
        raise InputError(msg)
    return shares if abs(total - 1) < _SAME else shares / total


def none_zero(counts: FloatArray, known: BoolArray | None = None) -> FloatArray:
    """Return the shares of counts; where one is 0, half a case more for each, since a prior of 0 rules a class out for ever.

    Only classes that are `known` to the model get it: no prior makes it tell the others.
    """
    known = np.ones(counts.size, dtype=np.bool_) if known is None else known
    counts = counts if (counts[known] > 0).all() else counts + 0.5 * known
    return np.asarray(counts / counts.sum())


def check_new(old: FloatArray, new: FloatArray) -> None:
    """Refuse new classes that the model never saw."""
    unseen = [int(i) for i in np.flatnonzero((old == 0) & (new > 0))]
    if unseen:
        told = f" is 0 but new is not at {listed(unseen)}: the model never saw such a class and cannot tell it. Learn it anew."
        msg = wording(parameter("old"), told)
        raise InputError(msg)


def check_seen(p: FloatArray, old: FloatArray) -> None:
    """Refuse posteriors of classes that the `old` priors rule out."""
    odd = np.argwhere((p > 0) & (old == 0)) if not old.all() else np.empty((0, 2))
    if len(odd):
        row, column = (int(place) for place in odd[0])
        msg = (
            f"old[{column}] is 0, yet p[{row}, {column}] = {p[row, column]:g}: a class of prior 0 cannot have a posterior. "
            "Give the priors of the training cases."
        )
        raise InputError(msg)


def check_possible(p: FloatArray, new: FloatArray) -> None:
    """Refuse cases that the `new` priors rule out."""
    lost = np.flatnonzero(~p[:, new > 0].any(axis=1))
    if lost.size:
        many = counted(lost.size, "such row")
        msg = (
            f"p[{int(lost[0])}] speaks only for classes whose new prior is 0 ({many}): such a case cannot be. "
            "Give those classes a prior above 0, or leave the case out."
        )
        raise InputError(msg)


def checked_weights(weight: Any, n: int) -> FloatArray:
    """Return the weight of each case, 1 where none were given."""
    if weight is None:
        return np.ones(n)
    try:
        values = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"weight must hold one number per case; got {safe(repr(weight))}."
        raise InputError(msg) from error
    if values.shape != (n,):
        msg = f"weight must hold one number for each of {counted(n, 'case')}; got shape {values.shape}."
        raise InputError(msg)
    if not (np.isfinite(values).all() and (values >= 0).all() and values.any()):
        msg = "weight must be finite, none below 0 and not all 0. Leave it out for cases that count alike."
        raise InputError(msg)
    check_total(values)
    return values


def check_steps(tol: Any, max_iter: Any) -> None:
    """Refuse a tolerance or a number of steps that is none."""
    if isinstance(tol, bool) or not isinstance(tol, (int, float)) or not 0 <= tol < math.inf:
        msg = f"tol must be a number of at least 0, got {safe(repr(tol))}. 1e-10 is usual."
        raise InputError(msg)
    if isinstance(max_iter, bool) or not isinstance(max_iter, (int, np.integer)) or max_iter < 1:
        msg = f"max_iter must be a whole number of at least 1, got {safe(repr(max_iter))}. 10,000 is usual."
        raise InputError(msg)
