"""What decisions cost: the cheapest by probabilities taken at their word, the ways to say costs, and cases to try them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, either, parameter, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed
from adjudge.corrections.class_numbers import DEAREST, REJECTED, costs_of
from adjudge.corrections.labelled import check_label, check_total, listed_classes, named_probabilities
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.model import Predictions
from adjudge.predictions.native import check_aligned
from adjudge.predictions.spellings import means_positive, position, settle_positive
from adjudge.stats import rejection as stats

__all__ = [
    "REJECTED",
    "Asked",
    "Cases",
    "at_least_0",
    "by_class",
    "cases_of",
    "cases_to_come",
    "columns_for",
    "costs_of_gamma",
    "decide",
    "decision_labels",
    "expected_cost",
    "numbers",
    "priced",
]

_TWO = 2


def decide(p: Any, costs: Any, *, classes: Any = None) -> AnyArray:
    r"""Return the decision of least expected cost for each case.

    Parameters
    ----------
    p : array-like, cases x classes
        Probabilities; a frame or mapping names the class of each column.
    costs : array-like, K x K or K x (K + 1), or mapping
        What each decision (column) costs in each true class (row); a last column more is what rejecting costs. By name:
        {true: {decided: cost}}, where the right decision costs 0 unless it is named and REJECTED, or "REJECTED", is rejection.
    classes : sequence, optional
        The labels of the columns of `p` and rows of `costs`; 0..K-1 if left out.

    The decision j has the least :math:`\sum_i p_i C_{ij}`; of equal ones the first, and rejection last. As good as `p` is:
    where probabilities are off, thresholds fitted to known cases decide better (:func:`adjudge.fit_rejection`).

    >>> decide([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]], [[0, 1, 0.3], [1, 0, 0.3]])
    array([0, REJECTED, 1], dtype=object)
    """
    values, names = named_probabilities(p, classes)
    return decision_labels(stats.cheapest(values, costs_of(costs, names)), names)


def expected_cost(p: Any, costs: Any, *, classes: Any = None) -> FloatArray:
    """Return what every decision is expected to cost in every case: cases x decisions, in the order of the columns of `costs`.

    By name, decisions are in the order of the classes, and rejecting is last.

    >>> expected_cost([[0.75, 0.25]], [[0, 1, 0.3], [2, 0, 0.3]])
    array([[0.5 , 0.75, 0.3 ]])
    """
    values, names = named_probabilities(p, classes)
    return stats.expected_costs(values, costs_of(costs, names))


def numbers(p: Any) -> FloatArray:
    """Return finite float64 numbers, at least one, or refuse."""
    try:
        values = np.asarray(p)
    except ValueError as error:
        msg = "p must have as many numbers in every row; these rows differ in length."
        raise InputError(msg) from error
    if values.dtype.kind not in "iufb" or not values.size:
        msg = f"p must hold numbers for at least one case; got {values.dtype} of shape {values.shape}."
        raise InputError(msg)
    values = values.astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        msg = f"p must be finite; row {row + 1:,} holds {values[row]}. Leave such cases out."
        raise InputError(msg)
    return values


def decision_labels(codes: IntArray, classes: tuple[Any, ...]) -> AnyArray:
    """Return the labels of decisions as objects, REJECTED for a code of none (-1 or K)."""
    names = np.empty(len(classes) + 1, dtype=object)
    names[:-1], names[-1] = classes, REJECTED
    return names[codes]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Cases whose class is known: scores, class numbers, and which of two classes is looked for."""

    p: FloatArray
    """Cases x classes, or the score of class `at`."""
    truth: IntArray
    classes: tuple[Any, ...]
    at: int | None = None
    """The class a single score speaks of: the positive one, else the last of two; none for more."""
    positive: Any = None
    weight: FloatArray | None = None


def cases_of(p: Any, y: Any, classes: Any, positive: Any, weight: Any = None) -> Cases:
    """Return scores or probabilities beside the numbers of the true classes, or refuse what does not fit together."""
    check_aligned({"p": p, "y": y, "weight": weight})
    check_label(positive, "positive")
    if _is_single(p):
        scores, names = numbers(p), None if classes is None else listed_classes(classes)
    else:
        scores, names = named_probabilities(p, classes)
        if classes is None and names == tuple(range(len(names))) and np.asarray(y).dtype.kind not in "iufb":
            msg = "y holds labels, and the columns of p have no names. Pass classes=[...] in the order of the columns."
            raise InputError(msg)
    if not hasattr(y, "__len__") or len(y) != len(scores):
        came = f"{len(y):,}" if hasattr(y, "__len__") else type(y).__name__
        msg = f"p has {len(scores):,} cases; y must hold one class for each, got {came}."
        raise InputError(msg)
    truth, seen, weights = _coded(y, names, weight)
    if scores.ndim == 1 and len(seen) != _TWO:
        msg = f"One score per case goes with two classes; y has {listed(seen)}. Name both with classes=, or pass p by class."
        raise InputError(msg)
    at = settle_positive(seen, positive, what="A single score") if scores.ndim == 1 else None
    named = seen[position(seen, positive)] if positive is not None else means_positive(seen) if at is None else seen[at]
    if at is None and len(seen) == _TWO:
        at = 1 if named is None else position(seen, named)
    return Cases(scores, truth, seen, at, named, weights)


def check_given(y: Any) -> None:
    """Refuse arrays without classes beside them."""
    if y is None:
        msg = "y is needed beside arrays: the true class of each case of p. Only predictions (adjudge.read) have their own."
        raise InputError(msg)


def cases_to_come(classes: tuple[Any, ...], positive: Any) -> Cases:
    """Return no cases of known classes: enough to settle what is looked for and what decisions cost."""
    named = classes[position(classes, positive)] if positive is not None else means_positive(classes)
    at = None if len(classes) != _TWO else 1 if named is None else position(classes, named)
    return Cases(np.empty((0, len(classes))), np.empty(0, dtype=np.int64), classes, at, named)


def _coded(y: Any, classes: tuple[Any, ...] | None, weight: Any) -> tuple[IntArray, tuple[Any, ...], FloatArray | None]:
    encoder = Encoder(Predictions(y, y, classes=classes, weight=weight))
    blocks = list(encoder.blocks())
    codes = np.concatenate([block.truth for block in blocks])
    weights = None if weight is None else np.concatenate([np.asarray(block.weight) for block in blocks])
    if weights is not None and not weights.any():
        msg = "All weights are 0: no case counts. Give at least one case a weight above 0."
        raise InputError(msg)
    if weights is not None:
        check_total(weights)
    place = np.empty(len(encoder.order), dtype=np.int64)
    place[encoder.order] = np.arange(place.size)
    return place[codes], encoder.classes, weights


def columns_for(p: Any, classes: tuple[Any, ...], of: Any, *, one: bool) -> FloatArray:
    """Return new probabilities as the rule was fitted to: by class, or `one` score where two thresholds cut it."""
    if len(classes) != _TWO or of is None or not _is_single(p):
        return named_probabilities(p, classes)[0]
    scores = numbers(p)
    if one:
        return scores
    if scores.min() < 0 or scores.max() > 1:
        msg = f"One number per case must be a probability here, between 0 and 1; got {scores.min():g} to {scores.max():g}."
        raise InputError(msg)
    both = np.column_stack([1 - scores, scores])
    return both if position(classes, of) else both[:, ::-1]


def _is_single(p: Any) -> bool:
    try:
        return not isinstance(p, Mapping) and np.ndim(p) == 1
    except ValueError:  # rows of different lengths
        return False


def by_class(cases: Cases) -> FloatArray:
    """Return the probabilities of every class."""
    return cases.p if cases.p.ndim > 1 else columns_for(cases.p, cases.classes, cases.classes[cases.at or 0], one=False)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The ways to say what errors and rejections cost, as given."""

    gamma: float | None
    alpha: float | None
    costs: Any
    reject: float | None
    most: float | None


def priced(cases: Cases, asked: Asked) -> tuple[FloatArray, float | None]:
    """Return the costs as K x (K + 1), and the largest share that may be rejected."""
    share = None if asked.most is None else at_least_0("max_rejection", asked.most)
    if share is not None and share > 1:
        told = f" is a share of the cases between 0 and 1, got {asked.most!r}. Ten percent is 0.1."
        raise InputError(parameter("max_rejection"), told)
    ways = [name for name in ("gamma", "alpha", "costs") if getattr(asked, name) is not None]
    if len(ways) > 1 or (asked.gamma is not None and asked.reject is not None):
        named = either((parameter(name) for name in (ways if len(ways) > 1 else ("gamma", "reject_cost"))), " and ")
        msg = wording(named, " say the same thing twice; give one of them.")
        raise InputError(msg)
    k = len(cases.classes)
    if asked.gamma is not None:
        return costs_of_gamma(k, asked.gamma), share
    costs = 1 - np.eye(k) if asked.costs is None else asked.costs
    table = costs_of(costs, cases.classes) if asked.alpha is None else _of_alpha(cases, asked.alpha)
    if table.shape[1] > k:
        if asked.reject is not None:
            msg = wording(parameter("costs"), " have a column for rejecting already; leave ", parameter("reject_cost"), " out.")
            raise InputError(msg)
        return table, share
    if asked.reject is None and share is None:
        if asked.costs is None:
            raise InputError(_FREE)
        share = 0.0  # K x K: no decision is left out
    reject = 0.0 if asked.reject is None else at_least_0("reject_cost", asked.reject)
    return np.column_stack([table, np.full(k, reject)]), share


_FREE = wording(
    "Nothing says what rejecting a case costs, and rejecting every case would be free. Pass ",
    either([argument("reject_cost"), argument("max_rejection"), argument("gamma")], ", "),
    ", or ",
    argument("costs"),
    " with a last column.",
)


def costs_of_gamma(k: int, gamma: Any) -> FloatArray:
    """Return costs that add up to gamma L - A."""
    table = np.full((k, k + 1), at_least_0("gamma", gamma))
    table[:, -1] = 0.0
    np.fill_diagonal(table, -1.0)
    return table


def _of_alpha(cases: Cases, alpha: Any) -> FloatArray:
    if len(cases.classes) != _TWO:
        msg = wording(
            parameter("alpha"),
            f" weighs the errors of two classes; there are {len(cases.classes)}. Pass ",
            argument("costs"),
            ".",
        )
        raise InputError(msg)
    at = settle_positive(cases.classes, cases.positive, what="alpha")
    table = np.zeros((_TWO, _TWO))
    table[at, 1 - at], table[1 - at, at] = 1.0, at_least_0("alpha", alpha)
    return table


def at_least_0(name: str, number: Any) -> float:
    """Return a finite number of at least 0, or refuse it by name."""
    if isinstance(number, bool) or not isinstance(number, (int, float, np.number)) or not 0 <= number <= DEAREST:
        most = f" and at most {DEAREST:g}" if isinstance(number, (int, float)) and number > DEAREST else ""
        msg = wording(parameter(name), f" must be a finite number of at least 0{most}, got {number!r}.")
        raise InputError(msg)
    return float(number)
