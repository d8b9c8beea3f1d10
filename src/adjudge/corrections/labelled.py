"""Probabilities of cases and, beside them, their true classes: checked once, before a correction is fitted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed, safe
from adjudge.counts.moments import Moments, Passes, summing_to_one
from adjudge.counts.passes import CaseBlock, CaseBlocks
from adjudge.predictions.labels import LARGEST_EXACT
from adjudge.predictions.model import Predictions
from adjudge.predictions.native import named_columns
from adjudge.predictions.spellings import position
from adjudge.stats.multiplier_rule import blocks
from adjudge.stats.pairs import checked_weight

_SLACK, _SUMS = 1e-6, 1e-2  # how far one probability may be below 0, and a row from summing to one
_HEAVIEST = 1e100  # sum of weights; their squares are summed as well
_FEW = 20  # names to compare every label with
_ROUNDING = 1e-9  # rows off by less are left alone


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Cases by classes, with the column of each case's class and of the reference class."""

    p: FloatArray
    y: IntArray
    weight: FloatArray | None
    classes: tuple[Any, ...]
    totals: FloatArray
    """Weight of each class."""
    majority: int

    def count(self, number: float) -> float:
        """Return a number of cases as a whole number where no weights make it anything else."""
        return round(number) if self.weight is None else number


def labelled(
    p: npt.ArrayLike,
    y: Iterable[Any],
    *,
    classes: Sequence[Any] | None = None,
    weight: npt.ArrayLike | None = None,
    majority: int | None = None,
) -> Labelled:
    """Return checked cases; the reference class is the most frequent, the first of equals, unless `majority` names a column."""
    p, classes = in_order(p, classes)
    given, names = named_probabilities(p, classes)
    rows, k = given.shape
    one = isinstance(y, (str, bytes)) or not isinstance(y, Iterable)
    labels = None if one else np.asarray(y if hasattr(y, "__len__") else list(y))
    if labels is None or labels.shape != (rows,):
        came = type(y).__name__ if labels is None else f"shape {labels.shape}"
        msg = f"y must hold one class for each of {counted(rows, 'row')} of p; got {came}."
        raise InputError(msg)
    own = _columns(labels, names, given=classes is not None)
    try:
        w = None if weight is None else np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"weight must hold a number for each case; got {safe(error)}."
        raise InputError(msg) from error
    w = None if w is None else checked_weight(w, rows)
    if w is not None:
        check_total(w)
    totals = np.bincount(own, weights=w, minlength=k).astype(np.float64)
    if not totals.any():
        msg = "all weights are 0. Leave weight out for cases that count alike."
        raise InputError(msg)
    return Labelled(given, own, w, names, totals, int(totals.argmax()) if majority is None else checked_column(majority, k))


def are_predictions(p: Any, **given: Any) -> bool:
    """Say whether `p` are predictions, which bring everything with them that else is `given` beside probabilities."""
    if not isinstance(p, Predictions):
        return False
    twice = [f"{name}=" for name, value in given.items() if value is not None]
    if twice:
        msg = f"Predictions have classes, truth and weights of their own; leave {', '.join(twice)} out."
        raise InputError(msg)
    return True


def checked_sums(moments: Moments) -> Moments:
    """Return the sums over all cases, or refuse weights that come to nothing or to too much."""
    if not moments.size:
        msg = "All weights are 0: no case counts. Give at least one case a weight above 0."
        raise InputError(msg)
    check_total(np.array([moments.size]))
    return moments


def named_probabilities(p: Any, classes: Sequence[Any] | None) -> tuple[FloatArray, tuple[Any, ...]]:
    """Return checked probabilities with the label of each column, its number where it has no other."""
    p, classes = in_order(p, classes)
    values = probabilities(p, None)
    k = values.shape[1]
    if classes is None:
        return values, tuple(range(k))
    names = tuple(name.item() if isinstance(name, np.generic) else name for name in listed_classes(classes))
    if not all(isinstance(name, Hashable) for name in names):
        msg = f"classes must be labels, such as text or numbers; got {listed(names)}."
        raise InputError(msg)
    if len(names) != k or len(set(names)) != k:
        msg = f"classes must name each of the {k} columns of p once; got {listed(names)}."
        raise InputError(msg)
    return values, names


def in_order(p: Any, classes: Sequence[Any] | None) -> tuple[Any, Sequence[Any] | None]:
    """Return columns that have names in the order of `classes`, or with their names as classes where none are given.

    Arrays, and frames whose columns are merely numbered, go by position.
    """
    columns = dict(p) if isinstance(p, Mapping) else named_columns(p)
    if columns is None or [str(name) for name in columns] == [str(i) for i in range(len(columns))]:
        return p, classes
    names = tuple(columns) if classes is None else listed_classes(classes)
    known = tuple(columns)
    return np.column_stack([np.asarray(columns[known[position(known, label)]]) for label in names]), names


def check_label(label: Any, name: str) -> None:
    """Refuse what can be no label, such as an array."""
    if not isinstance(label, Hashable):
        msg = f"{name} must be one label, such as text or a number; got {type(label).__name__}."
        raise InputError(msg)


def check_total(weight: FloatArray) -> None:
    """Refuse weights whose sums and squares floats cannot hold, or hold only with few digits."""
    heaviest = float(weight.max())
    total = float(weight.sum()) if heaviest <= _HEAVIEST else np.inf
    if total and not 1 / _HEAVIEST <= total <= _HEAVIEST:
        msg = (
            f"weight must sum to between {1 / _HEAVIEST:g} and {_HEAVIEST:g}; the largest is {heaviest:g}. "
            "Divide all weights by the largest."
        )
        raise InputError(msg)


def listed_classes(classes: Any) -> tuple[Any, ...]:
    """Return labels as a tuple, or refuse what lists none."""
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        msg = f"classes must list the label of each column of p; got {classes!r}."
        raise InputError(msg)
    return tuple(classes)


def probabilities(p: Any, k: int | None) -> FloatArray:
    """Return rows of probabilities that sum to one, `k` in each; refuse what is none. Every correction asks here.

    Rounding is corrected: numbers just below 0 are raised to it, and rows that miss the sum of one by more than that
    are divided by it. Each row is looked at by itself, so that cases fare alike alone and among others.
    """
    given: AnyArray | None = None
    try:
        given = np.asarray(p)
        values = given.astype(np.float64, copy=False) if given.dtype.kind in "iufbO" else None
    except (TypeError, ValueError):  # rows of different lengths, or what is no number
        values = None
    if values is None:
        came = f"{type(p).__name__} of {given.dtype}" if given is not None else f"{type(p).__name__} of uneven rows"
        msg = f"p must hold numbers, one row per case and one column per class; got {came}."
        raise InputError(msg)
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):  # noqa: PLR2004 - cases by classes
        advice = " Two columns come from np.column_stack([1 - p, p])." if values.ndim == 1 and values.size else ""
        msg = f"p must have a row per case and a column per class, at least two; got shape {values.shape}.{advice}"
        raise InputError(msg)
    if k is not None and values.shape[1] != k:
        msg = f"p has {counted(values.shape[1], 'column')}, but the correction was fitted to {counted(k, 'class', 'classes')}."
        raise InputError(msg)
    return _without_rounding(values)


def _without_rounding(values: FloatArray) -> FloatArray:
    """Return checked rows that sum to one; looked at block by block, which is twice as fast, and copied only if need be."""
    ones, lowest, least, most = np.ones(values.shape[1]), 0.0, 1.0, 1.0
    for rows in blocks(*values.shape):
        block = values[rows]
        sums, low = block @ ones, float(block.min())
        lowest, least, most = min(low, lowest), min(float(sums.min()), least), max(float(sums.max()), most)
        if not (low >= -_SLACK and least >= 1 - _SUMS and most <= 1 + _SUMS):  # NaN is neither
            _refuse_rows(block, sums, rows.start)
    return values if lowest >= 0 and max(1 - least, most - 1) <= _ROUNDING else summing_to_one(values)


def _refuse_rows(block: FloatArray, sums: FloatArray, first: int) -> None:
    """Refuse the first number that is no probability, or the first row that does not sum to one."""
    for row, column in np.argwhere(~(block >= -_SLACK))[:1]:
        came = f"p[{first + row}, {column}] is {block[row, column]:g}"
        msg = f"{came}, no probability. Leave such cases out, or bring scores to probabilities."
        raise InputError(msg)
    row = int(np.flatnonzero(~(np.abs(sums - 1) <= _SUMS))[0])
    msg = f"p[{first + row}] sums to {sums[row]:.6g}, not to 1. Divide each row by its sum if these are shares."
    raise InputError(msg)


def _columns(labels: AnyArray, names: tuple[Any, ...], *, given: bool) -> IntArray:
    """Return the column of each label."""
    if not given and labels.dtype.kind == "f" and (labels == np.trunc(labels)).all():
        labels = labels.astype(np.int64) if np.abs(labels).max() <= LARGEST_EXACT else labels
    if not given and labels.dtype.kind not in "iub":
        msg = (
            f"y must hold columns of p, whole numbers from 0 to {len(names) - 1}; got {labels.dtype}. Labels need classes=[...]."
        )
        raise InputError(msg)
    if not given and labels.min() >= 0 and labels.max() < len(names):
        return labels.astype(np.int64, copy=False)  # columns in range need no looking up
    quick = _compared(labels, names) if labels.dtype.kind == "U" and len(names) <= _FEW else None
    if quick is not None:
        return quick
    if labels.dtype == object:
        found, places = labels.tolist(), np.arange(labels.size)
    else:
        distinct, places = np.unique(labels, return_inverse=True)
        found = distinct.tolist()
    at = {name: column for column, name in enumerate(names)}
    strange = [label for label in found if not isinstance(label, Hashable) or label not in at]
    if strange:
        shown = dict.fromkeys(label if isinstance(label, Hashable) else repr(label) for label in strange)
        msg = f"y has {listed(shown)}, but the columns of p are {listed(names)}."
        raise InputError(msg)
    return np.array([at[label] for label in found], dtype=np.int64)[places]


def _compared(labels: AnyArray, names: tuple[Any, ...]) -> IntArray | None:
    """Return the column of each text, found by comparing with every name, which is faster than sorting; None where that fails."""
    if not all(isinstance(name, str) and not name.endswith("\0") for name in names):  # NumPy drops trailing zeros of texts
        return None
    found = np.full(labels.size, -1, dtype=np.int64)
    for column, name in enumerate(names):
        found[labels == name] = column
    return found if found.min() >= 0 else None


def checked_column(majority: Any, k: int) -> int:
    """Return the column of the reference class, or refuse what is none."""
    if isinstance(majority, bool) or not isinstance(majority, (int, np.integer)) or not 0 <= majority < k:
        msg = f"majority must be a column of p, from 0 to {k - 1}; got {majority!r}."
        raise InputError(msg)
    return int(majority)


def alike(weight: Any) -> bool:
    """Say whether classes are to weigh alike."""
    return isinstance(weight, str) and weight == "balanced"


def held_alike(data: Labelled) -> Labelled:
    """Return the cases so weighed; the reference class stays the one that was most frequent."""
    weight = _shares(data.totals, data.y)
    return replace(data, weight=weight, totals=(data.totals > 0).astype(np.float64))


class PassesAlike(CaseBlocks):
    """Cases so weighed, gone through block by block; a pass of its own finds how many each class has."""

    def __init__(self, passes: Passes) -> None:
        super().__init__()
        if not isinstance(passes, CaseBlocks):
            msg = (
                "Rows that live in an engine have the weights of a column. Give them one, 1 over the number of cases of the "
                "class, or write them as a Parquet file for weight='balanced'."
            )
            raise InputError(msg)
        self.passes: CaseBlocks = passes
        self.totals = checked_sums(passes.moments()).totals

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order to show them."""
        return self.passes.classes

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return True

    def blocks(self) -> Iterator[CaseBlock]:
        """Yield the cases; a weight of their own counts within their class."""
        for block in self.passes.blocks():
            shares = _shares(self.totals, block.truth)
            yield replace(block, weight=shares if block.weight is None else shares * block.weight)


def _shares(totals: FloatArray, truth: IntArray) -> FloatArray:
    """Return weights that sum to one in every class."""
    return np.asarray(1 / np.where(totals > 0, totals, 1.0)[truth])
