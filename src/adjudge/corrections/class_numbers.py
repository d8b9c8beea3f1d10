"""Numbers given by class, in the order of the classes or by their names: costs of decisions, and class priors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.labelled import check_total
from adjudge.predictions.spellings import position


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

    def __copy__(self) -> _Rejected:
        return self

    def __deepcopy__(self, memo: Any) -> _Rejected:
        return self


REJECTED = _Rejected()
DEAREST = 1e15
"""What a decision may cost; beyond it the other costs are lost in rounding."""


def checked_costs(costs: Any, k: int) -> FloatArray:
    """Return costs as K x K or K x (K + 1) finite numbers, or refuse."""
    try:
        table = frozen(costs)
    except (TypeError, ValueError, OverflowError) as error:
        msg = wording(parameter("costs"), " must be a table of numbers: a row for each true class, a column for each decision.")
        raise InputError(msg) from error
    if np.asarray(costs).dtype.kind not in "iufb":
        msg = wording(
            parameter("costs"),
            " must be numbers, not text or nothing: a row for each true class, a column for each decision.",
        )
        raise InputError(msg)
    if table.shape not in ((k, k), (k, k + 1)) or not np.isfinite(table).all():
        msg = (
            f"costs for {k} classes are {k} x {k} finite numbers (rows true, columns decided), or {k} x {k + 1} with those of "
            f"rejecting last; got shape {table.shape}."
        )
        raise InputError(msg)
    check_dearest(table)
    return table


def check_dearest(costs: FloatArray) -> None:
    """Refuse costs beside which the others are lost in rounding."""
    dearest = float(costs.flat[np.abs(costs).argmax()])
    if abs(dearest) > DEAREST:
        msg = wording(
            parameter("costs"),
            (
                f" must be at most {DEAREST:g} in size, since others are lost in rounding beside larger ones; got "
                f"{dearest:g}. Divide all of them by the same number, which changes no decision."
            ),
        )
        raise InputError(msg)


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


def shares_of(values: Any, classes: AnyArray | Sequence[Any], name: str) -> FloatArray:
    """Return class priors in the order of `classes`, from such a list or a mapping {class: prior}."""
    names = _names(classes)
    if isinstance(values, Mapping):
        values = _row(values, names, name)
    return checked_priors(values, name, len(names))


def costs_of(costs: Any, classes: AnyArray | Sequence[Any]) -> FloatArray:
    """Return costs in the order of `classes`, K x K or K x (K + 1), from such a table or {true: {decided: cost}}.

    In a mapping the right decision costs 0 unless it is named, and REJECTED, or the text "REJECTED" where no class is called so,
    names what rejecting costs.
    """
    names = _names(classes)
    if not isinstance(costs, Mapping):
        return checked_costs(costs, len(names))
    rows = _row(costs, names, "costs")
    for label, row in zip(names, rows, strict=True):
        if not isinstance(row, Mapping):
            msg = f"costs[{quoted(label)}] must map each decision to its cost, got {type(row).__name__}."
            raise InputError(msg)
    told = [_told_rejection(row, label, names) for label, row in zip(names, rows, strict=True)]
    missing = [label for label, keys in zip(names, told, strict=True) if not keys]
    if 0 < len(missing) < len(names):
        msg = f"costs name what REJECTED costs for some true classes, but not for {listed(missing)}."
        raise InputError(msg)
    table = [_costs_of_class(row, label, names, keys) for label, row, keys in zip(names, rows, told, strict=True)]
    return checked_costs(table, len(names))


def _names(classes: Any) -> list[Any]:
    return list(classes.tolist() if isinstance(classes, np.ndarray) else classes)


def _told_rejection(row: Mapping[Any, Any], label: Any, names: Iterable[Any]) -> list[Any]:
    """Return the key under which a row says what rejecting costs, if it does."""
    word = str(REJECTED)
    found = [key for key in row if key is REJECTED or (isinstance(key, str) and key == word and word not in names)]
    if len(found) > 1:
        msg = f"costs[{quoted(label)}] names {word} twice."
        raise InputError(msg)
    return found


def _costs_of_class(row: Mapping[Any, Any], label: Any, names: list[Any], rejecting: list[Any]) -> list[Any]:
    """Return what every decision costs where `label` is true, and last what the key `rejecting` says."""
    decided = {key: value for key, value in row.items() if not any(key is said for said in rejecting)}
    if not any(names[position(names, key)] == label for key in decided):
        decided[label] = 0.0
    return [*_row(decided, names, f"costs[{quoted(label)}]"), *(row[key] for key in rejecting)]


def _row(values: Mapping[Any, Any], names: list[Any], what: str) -> list[Any]:
    """Return the values of a mapping in the order of `names`, each named once."""
    found: dict[int, Any] = {}
    for key, value in values.items():
        at = position(names, key)
        if at in found:
            msg = f"{what} names the class {quoted(names[at])} twice."
            raise InputError(msg)
        found[at] = value
    missing = [label for at, label in enumerate(names) if at not in found]
    if missing:
        msg = f"{what} says nothing about {listed(missing)}; name every class of {listed(names)}."
        raise InputError(msg)
    return [found[at] for at in range(len(names))]
