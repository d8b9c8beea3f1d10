"""What decisions cost, and numbers given by class: in the order of the classes or by their names, costs and priors alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from adjudge._base import InputError, argument, either, listed, parameter, quoted, safe, wording
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, frozen
from adjudge.corrections.labelled import Known, named_probabilities
from adjudge.predictions.spellings import position, settle_positive
from adjudge.stats import rejection as stats

DEAREST = 1e15  # what a decision may cost; beyond it the other costs are lost in rounding
_TWO = 2
_PRIORS = 1e-6  # how far priors may be from summing to one
_SAME = 1e-14  # sums that differ from one by rounding alone: the priors are left as given


class _Rejected(float):
    """No decision, among labels of any type: pass ``rejected=REJECTED`` where decisions are read.

    Not a number, hence missing to those who read labels, because numbers and texts share no other value; but equal to itself,
    also in an array: ``labels == REJECTED`` says which cases are rejected. Written as text it is "REJECTED".
    """

    __slots__ = ()
    __array_ufunc__ = None  # NumPy would compare it as a mere NaN

    def __new__(cls) -> Self:
        return super().__new__(cls, "nan")

    def __eq__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return np.frompyfunc(lambda value: value is self, 1, 1)(other).astype(np.bool_)
        # As a text it is one of those that stand for nothing, by which readers know what "no decision" looks like.
        return other is self or (isinstance(other, str) and other == "nan")

    def __ne__(self, other: object) -> Any:
        return np.logical_not(self == other) if isinstance(other, np.ndarray) else not self == other

    def __hash__(self) -> int:
        return hash("nan")

    def __repr__(self) -> str:
        return "REJECTED"

    __str__ = __repr__

    def __reduce__(self) -> str:
        return "REJECTED"  # the one there is, also in a copy


REJECTED = _Rejected()


def decide(p: Any, costs: Any, *, classes: Any = None) -> AnyArray:
    r"""Return the decision of least expected cost for each case.

    Parameters
    ----------
    p : array-like, cases x classes
        Probabilities; a frame or mapping names the class of each column.
    costs : array-like, K x K or K x (K + 1), or mapping
        What each decision (column) costs in each true class (row); a last column more is what rejecting costs. By name:
        {true: {decided: cost}}, where the correct decision costs 0 unless it is named and REJECTED, or "REJECTED", is rejection.
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
    return np.asarray(values @ costs_of(costs, names), dtype=np.float64)


def decision_labels(codes: IntArray, classes: tuple[Any, ...]) -> AnyArray:
    """Return the labels of decisions as objects, REJECTED for a code of none (-1 or K)."""
    return np.fromiter((*classes, REJECTED), dtype=object, count=len(classes) + 1)[codes]


def priced(cases: Known, asked: Mapping[str, Any]) -> tuple[FloatArray, float | None]:
    """Return the costs as K x (K + 1), and the largest share that may be rejected, by whichever way was asked for."""
    gamma, alpha, costs, reject, most = (asked[name] for name in ("gamma", "alpha", "costs", "reject_cost", "max_rejection"))
    share = None if most is None else at_least_0("max_rejection", most)
    if share is not None and share > 1:
        told = f" is a share of the cases between 0 and 1, got {most!r}. Ten percent is 0.1."
        raise InputError(parameter("max_rejection"), told)
    ways = [name for name in ("gamma", "alpha", "costs") if asked[name] is not None]
    if len(ways) > 1 or (gamma is not None and reject is not None):
        named = either((parameter(name) for name in (ways if len(ways) > 1 else ("gamma", "reject_cost"))), " and ")
        raise InputError(named, " say the same thing twice; give one of them.")
    k = len(cases.classes)
    if gamma is not None:
        return costs_of_gamma(k, gamma), share
    if alpha is None:
        table = costs_of(1 - np.eye(k) if costs is None else costs, cases.classes)
    elif k != _TWO:
        raise InputError(parameter("alpha"), f" weighs the errors of two classes; there are {k}. Pass ", argument("costs"), ".")
    else:
        at, table = settle_positive(cases.classes, cases.positive, what="alpha"), np.zeros((_TWO, _TWO))
        table[at, 1 - at], table[1 - at, at] = 1.0, at_least_0("alpha", alpha)
    if table.shape[1] > k:
        if reject is not None:
            told = " have a column for rejecting already; leave "
            raise InputError(parameter("costs"), told, parameter("reject_cost"), " out.")
        return table, share
    if reject is None and share is None:
        if costs is None:
            raise InputError(_FREE)
        share = 0.0  # K x K: no decision is left out
    return np.column_stack([table, np.full(k, 0.0 if reject is None else at_least_0("reject_cost", reject))]), share


_FREE = wording(
    "Nothing says what rejecting a case costs, and rejecting every case would be free. Pass ",
    either([argument("reject_cost"), argument("max_rejection"), argument("gamma")], ", "),
    *(", or ", argument("costs"), " with the cost of rejecting."),
)


def costs_of_gamma(k: int, gamma: Any) -> FloatArray:
    """Return costs that add up to gamma L - A."""
    table = np.full((k, k + 1), at_least_0("gamma", gamma))
    table[:, -1] = 0.0
    np.fill_diagonal(table, -1.0)
    return table


def at_least_0(name: str, number: Any) -> float:
    """Return a finite number of at least 0, or refuse it by name."""
    if isinstance(number, bool) or not isinstance(number, (int, float, np.number)) or not 0 <= number <= DEAREST:
        most = f" and at most {DEAREST:g}" if isinstance(number, (int, float)) and number > DEAREST else ""
        raise InputError(parameter(name), f" must be a finite number of at least 0{most}, got {number!r}.")
    return float(number)


def shares_of(values: Any, classes: AnyArray | Sequence[Any] | None, name: str) -> FloatArray:
    """Return priors that sum to one in the order of `classes`, or by position without; from a list or {class: prior}."""
    names = None if classes is None else _names(classes)
    if isinstance(values, Mapping) and names is not None:
        values = _row(values, names, name)
    try:
        shares = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(parameter(name), f" must list one prior per class; got {safe(repr(values))}.") from error
    if shares.ndim != 1 or shares.size < _TWO or (names is not None and shares.size != len(names)):
        wanted = f"{len(names)} priors, one for each class" if names is not None else "one prior per class, at least two"
        raise InputError(parameter(name), f" must list {wanted}; got shape {shares.shape}.")
    total = float(shares.sum())
    if not (shares >= 0).all() or not abs(total - 1) <= _PRIORS:
        came = f"{listed(shares.tolist())}, sum {total:g}. Divide counts by their sum."
        raise InputError(parameter(name), f" must be shares of the classes, none below 0, that sum to 1; got {came}")
    return shares if abs(total - 1) < _SAME else shares / total


def old_and_new(old: Any, new: Any, classes: tuple[Any, ...] | None) -> tuple[FloatArray, FloatArray]:
    """Return old and new priors of as many classes, by place or by name."""
    before = shares_of(old, classes, "old")
    after = shares_of(new, range(before.size) if classes is None else classes, "new")
    unseen = [int(i) for i in np.flatnonzero((before == 0) & (after > 0))]
    if unseen:
        told = f" is 0 but new is not at {listed(unseen)}: the model never saw such a class and cannot predict it. Train it anew."
        raise InputError(parameter("old"), told)
    return before, after


def none_zero(counts: FloatArray, known: BoolArray | None = None) -> FloatArray:
    """Return the shares of counts; where one is 0, with half a case more for each class that is `known` to the model."""
    known = np.ones(counts.size, dtype=np.bool_) if known is None else known
    counts = counts if (counts[known] > 0).all() else counts + 0.5 * known  # a prior of 0 rules a class out for ever
    return np.asarray(counts / counts.sum())


def costs_of(costs: Any, classes: AnyArray | Sequence[Any]) -> FloatArray:
    """Return costs in the order of `classes`, K x K or K x (K + 1), from such a table or {true: {decided: cost}}."""
    names = _names(classes)
    if not isinstance(costs, Mapping):
        return checked_costs(costs, len(names))
    rows, word, told = _row(costs, names, "costs"), str(REJECTED), []
    for label, row in zip(names, rows, strict=True):
        if not isinstance(row, Mapping):
            msg = f"[{quoted(label)}] must map each decision to its cost, got {type(row).__name__}."
            raise InputError(parameter("costs"), msg)
        told.append([key for key in row if key is REJECTED or (isinstance(key, str) and key == word and word not in names)])
        if len(told[-1]) > 1:
            raise InputError(parameter("costs"), f"[{quoted(label)}] names {word} twice.")
    missing = [label for label, keys in zip(names, told, strict=True) if not keys]
    if 0 < len(missing) < len(names):
        raise InputError(parameter("costs"), f" name what REJECTED costs for some true classes, but not for {listed(missing)}.")
    table = []
    for label, row, rejecting in zip(names, rows, told, strict=True):
        decided = {key: value for key, value in row.items() if not any(key is said for said in rejecting)}
        if not any(names[position(names, key)] == label for key in decided):
            decided[label] = 0.0
        table.append([*_row(decided, names, f"costs[{quoted(label)}]"), *(row[key] for key in rejecting)])
    return checked_costs(table, len(names))


def checked_costs(costs: Any, k: int) -> FloatArray:
    """Return costs as K x K or K x (K + 1) finite numbers, or refuse."""
    rows = ": a row for each true class, a column for each decision."
    try:
        table = frozen(costs)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(parameter("costs"), f" must be a table of numbers{rows}") from error
    if np.asarray(costs).dtype.kind not in "iufb":
        raise InputError(parameter("costs"), f" must be numbers, not text or nothing{rows}")
    if table.shape not in ((k, k), (k, k + 1)) or not np.isfinite(table).all():
        wanted = f"{k} x {k} finite numbers (rows true, columns decided), or {k} x {k + 1} with those of rejecting last"
        raise InputError(parameter("costs"), f" for {k} classes are {wanted}; got shape {table.shape}.")
    dearest = float(table.flat[np.abs(table).argmax()])
    if abs(dearest) > DEAREST:
        told = f" must be at most {DEAREST:g} in size, since others are lost in rounding beside larger ones; got {dearest:g}"
        raise InputError(parameter("costs"), f"{told}. Divide all of them by the same number, which changes no decision.")
    return table


def _names(classes: Any) -> list[Any]:
    return list(classes.tolist() if isinstance(classes, np.ndarray) else classes)


def _row(values: Mapping[Any, Any], names: list[Any], what: str) -> list[Any]:
    """Return the values of a mapping in the order of `names`, each named once."""
    by_place: dict[int, Any] = {}
    for key, value in values.items():
        at = position(names, key)
        if at in by_place:
            raise InputError(what, f" names the class {quoted(names[at])} twice.")
        by_place[at] = value
    missing = [label for at, label in enumerate(names) if at not in by_place]
    if missing:
        raise InputError(what, f" says nothing about {listed(missing)}; name every class of {listed(names)}.")
    return [by_place[at] for at in range(len(names))]
