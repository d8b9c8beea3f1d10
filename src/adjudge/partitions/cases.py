"""Cases of a partition: what a rule decides by - probabilities, decision values, distances, votes, ranks - in the simplex.

Memberships and true classes come as users hold them, are checked once and brought to numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base import InputError, argument, counted, dataclass, either, listed, parameter, safe, switch, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.partitions.goodness import row_sums
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.model import DRAW, Predictions, refuse_beyond_memory, refuse_to_hold
from adjudge.predictions.native import frame_columns, named_columns
from adjudge.predictions.roles import Scale
from adjudge.predictions.spellings import both_classes, column_labels, distinct, position

_ALIKE = "Cases of a partition count alike, but these have weights; read them with the weight column left out ("
WEIGHTED = wording(_ALIKE, argument("weight", ""), ").")
_LARGE = 1e150
_SLIGHT = 1e-9
_SUMS = 1e-3  # how far a row may be from summing to one
_ROUNDING = 1e-9  # what is off by less is left alone, so that ties stay ties
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Rows in the simplex, the codes of the true classes where they are known, and the labels of the columns."""

    memberships: FloatArray
    truth: IntArray | None
    classes: tuple[Any, ...]
    decided: IntArray | None = None  # what the rule itself decided, where that is told
    zero: float | None = None  # the zero point of values that were brought into the simplex, where it was estimated
    cluster: IntArray | None = None  # the number of the cluster of each case, where cases name clusters


def memberships(values: Any, *, zero: float | None = None, ordinal: bool = False) -> FloatArray:
    """Return values in the simplex: each row as shares that sum to one, in the order of the values.

    Parameters
    ----------
    values : array-like, frame or mapping
        Cases x classes, the higher the more the case belongs to the class. Give distances as their negatives.
    zero : float, optional
        The value that means "not at all", taken from all values before rows are divided by their sums. Left out it is 0 where
        no value is negative (probabilities, votes), and otherwise estimated by the lowest value of all. To bring
        new cases into the same simplex, give the zero point that was used for the old ones.
    ordinal : bool
        Whether only the order within a row means something: then ranks, equal values sharing theirs, over G (G + 1) / 2.

    A row without anything above the zero point belongs to all classes alike.
    Sondhauss and Weihs (2001), whose ranks divided by G do not sum to one.

    >>> memberships([[2.0, 1.0, -1.0], [0.0, 0.0, 1.0]]).round(3)
    array([[0.6 , 0.4 , 0.  ],
           [0.25, 0.25, 0.5 ]])
    >>> memberships([[2.5, -1.0, 7.0, 0.0]], ordinal=True)
    array([[0.3, 0.1, 0.4, 0.2]])
    """
    if not isinstance(ordinal, (bool, np.bool_)):
        raise InputError(parameter("ordinal"), f" must be True or False, got {ordinal!r}.")
    matrix, _ = columns_of(values, None)
    if ordinal:
        if zero is not None:
            msg = wording("ranks have no zero point, but ", argument("zero", zero), " was given. Leave out ")
            raise InputError(msg, either([argument("zero"), switch("ordinal")]), ".")
        ranks, g = np.empty_like(matrix), matrix.shape[1]
        for j in range(g):
            own = matrix[:, j : j + 1]
            ranks[:, j] = (matrix < own).sum(axis=1) + ((matrix == own).sum(axis=1) + 1) / 2
        return np.asarray(ranks / (g * (g + 1) / 2))
    lowest = float(matrix.min())
    origin: Any = min(lowest, 0.0) if zero is None else zero
    if isinstance(origin, bool) or not isinstance(origin, (int, float, np.integer, np.floating)) or not np.isfinite(origin):
        raise InputError(parameter("zero"), f" must be a finite number, one for all classes; got {origin!r}.")
    if lowest < origin:
        row, column = (int(place[0]) for place in np.nonzero(matrix < origin))
        given = argument("zero", python=f"zero={origin:g}")
        told = f"[{row}, {column}] is {matrix[row, column]:g}, below "
        raise InputError(parameter("values"), told, given, ". Give the lowest value there can be.")
    start = float(origin)
    if max(abs(start), float(np.abs(matrix).max())) > _LARGE:  # differences and sums would overflow
        matrix, start = matrix / 4 / _LARGE, start / 4 / _LARGE
    above = matrix - start
    steps, kept = (np.diff(np.sort(part, axis=1), axis=1) for part in (matrix, above))
    lost = (kept == 0) & (steps > _SLIGHT * np.abs(matrix).max(axis=1, keepdims=True))  # differences by rounding alone may be
    if lost.any():
        row = int(np.argmax(lost.any(axis=1)))
        came = f"[{row}] holds different values that become equal, measured from the zero point"
        told = ". Leave out or cut the lowest values of all, or use "
        raise InputError(parameter("values"), came, told, switch("ordinal"), ".")
    above[above.max(axis=1) == 0] = 1.0
    return np.asarray(above / above.sum(axis=1, keepdims=True))


def cases_in(memberships: Any, truth: Any, classes: Any, *, positive: Any = None) -> Cases:
    """Return checked cases from memberships and true classes, or from predictions, which hold both."""
    if not isinstance(memberships, Predictions):
        plain = isinstance(memberships, (np.ndarray, list, tuple)) or hasattr(memberships, "to_numpy")
        if truth is not None and plain and len(memberships) and np.ndim(memberships[0:1]) == 1:
            memberships, classes = both_classes(memberships, truth, classes, positive, "memberships")
        values, names = columns_of(memberships, classes)
        rows = in_simplex(values)
        labels = tuple(range(rows.shape[1])) if names is None else names
        if len(labels) != rows.shape[1] or len(set(labels)) != len(labels):
            msg = f" must name each of the {rows.shape[1]} columns of memberships once; got {listed(labels)}."
            raise InputError(parameter("classes"), msg)
        return Cases(rows, None if truth is None else codes_of(truth, labels, len(rows), numbered=names is None), labels)
    if truth is not None or classes is not None:
        msg = "Predictions hold their own truth and classes; leave "
        raise InputError(msg, either([argument("truth"), argument("classes")], " and "), " out.")
    if memberships.roles.weight is not None:
        raise InputError(WEIGHTED)
    refuse_to_hold(memberships)
    refuse_beyond_memory(memberships, beside=("row", "cluster"), instead=DRAW)
    encoder = Encoder(without_duplicates(memberships))
    blocks = list(encoder.blocks(singly=True))
    truth, decided = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("truth", "predicted"))
    given = [block.scores for block in blocks if block.scores is not None]
    place = np.full(max(encoder.order) + 2, -1, dtype=np.int64)
    place[encoder.order] = np.arange(len(encoder.order))
    columns = [int(place[min(code, place.size - 1)]) for code in range(given[0].shape[1])] if given else []
    rows, zero = shares(np.concatenate(given) if given else None, columns, encoder.classes, encoder.scores.scale)
    named = [block.cluster for block in blocks if block.cluster is not None]
    cluster = np.unique(np.concatenate(named), return_inverse=True)[1].astype(np.int64) if named else None
    return Cases(rows, place[truth], encoder.classes, place[np.maximum(decided, -1)], zero, cluster)


def shares(
    given: AnyArray | None,
    columns: Sequence[int],
    classes: tuple[Any, ...],
    scale: Scale | None,
    whose: str = "these predictions",
) -> tuple[FloatArray, float | None]:
    """Return memberships from scores of the classes at `columns`, and the zero point of those that are no probabilities."""
    if given is None:
        msg = f"A partition needs probabilities or scores of all classes, and {whose} have none. Name them with "
        raise InputError(msg, argument("scores"), ".")
    values, at, ranks = np.asarray(given, dtype=np.float64), list(columns), scale == "scores"
    if values.shape[1] == 1 and len(classes) == 2:  # noqa: PLR2004 - the other class of two
        values, at = np.column_stack([values, -values if ranks else 1 - values]), [at[0], 1 - at[0]]
    if len(at) != len(classes):
        some = counted(len(at), "class", "classes")
        msg = f"A partition needs scores of all classes: {whose} have them of {some}, but the cases are of {listed(classes)}."
        raise InputError(msg)
    placed = np.empty_like(values)
    placed[:, at] = values
    if not ranks:
        return in_simplex(np.clip(placed, 0, 1)), None
    return memberships(placed), float(min(placed.min(), 0.0))


def in_order(cases: Cases, classes: tuple[Any, ...]) -> Cases:
    """Return cases whose columns stand in the order of `classes`."""
    if cases.classes == classes:
        return cases
    if len(cases.classes) != len(classes):
        msg = f"the new cases are of {listed(cases.classes)}, but the space is of {listed(classes)}. Give a column for each."
        raise InputError(msg)
    columns = np.array([position(cases.classes, label) for label in classes])
    place = np.append(np.argsort(columns), -1)
    codes = (None if part is None else place[part] for part in (cases.truth, cases.decided))
    return Cases(cases.memberships[:, columns], next(codes), classes, next(codes))


def columns_of(values: Any, classes: Any) -> tuple[FloatArray, tuple[Any, ...] | None]:
    """Return a matrix of numbers and the names of its columns; those not merely numbered are put in the order of `classes`."""
    columns: dict[Any, Any] | None = None
    if isinstance(values, Mapping):
        columns = dict(values)
    elif frame_columns(values) is not None:  # refuses names that come twice
        columns = named_columns(values)
    names = None if classes is None else column_labels(classes, "memberships")
    if columns is None:
        return _numbers(values), names
    known = tuple(columns)
    # Frames call columns without names 0, 1, ...; texts such as "0" are names.
    whole = all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in known)
    if known and whole and known == tuple(range(len(known))) and (names is None or set(names) != set(known)):
        return _numbers(_side_by_side(list(columns.values()))), names
    names = known if names is None else names
    if not names:
        raise InputError(parameter("memberships"), " have no columns; give one for each class.")
    if len(names) != len(known):
        msg = f" have columns {listed(known)}, but classes are {listed(names)}; name each column once."
        raise InputError(parameter("memberships"), msg)
    return _numbers(_side_by_side([columns[known[position(known, name)]] for name in names])), names


def _side_by_side(columns: list[Any]) -> AnyArray:
    try:
        lengths = {len(column) for column in columns}
    except TypeError as error:
        msg = f"the columns of memberships must hold a number for every case ({safe(error)})."
        raise InputError(msg) from error
    if len(lengths) > 1:
        msg = f"the columns of memberships differ in length: {listed(sorted(lengths))}. Give a number in each for every case."
        raise InputError(msg)
    for column in columns:
        _check_whole(column)
    return np.column_stack([np.asarray(column) for column in columns])


def _check_whole(values: Any) -> None:
    """Refuse what NumPy would read as numbers although something is hidden in it."""
    if np.ma.is_masked(values):
        raise InputError(parameter("memberships"), " have masked values. Leave such cases out, or give them a finite value.")
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        msg = " must be real numbers; got complex ones. Give their real parts or their sizes, whichever is meant."
        raise InputError(parameter("memberships"), msg)


def _numbers(values: Any) -> FloatArray:
    """Return a new matrix of finite numbers, cases by classes."""
    _check_whole(values)
    try:
        matrix = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        msg = f" must be numbers, a row per case and a column per class; got {type(values).__name__} ({safe(error)})."
        raise InputError(parameter("memberships"), msg) from error
    if matrix.ndim != _TWO or matrix.shape[1] < _TWO or not len(matrix):
        msg = f" must have a row per case and a column per class, at least two; got shape {matrix.shape}."
        raise InputError(parameter("memberships"), msg)
    with np.errstate(over="ignore", invalid="ignore"):
        suspect = not np.isfinite(matrix.sum())
    if suspect and not np.isfinite(matrix).all():
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(matrix)))
        msg = f"[{row}, {column}] is {matrix[row, column]}. Leave such cases out, or give them a finite value."
        raise InputError(parameter("memberships"), msg)
    return matrix


def in_simplex(matrix: FloatArray) -> FloatArray:
    """Return rows that sum to one, refusing others; `matrix` is ours to change."""
    if matrix.min() < -_ROUNDING:
        row, column = (int(place[0]) for place in np.nonzero(matrix < -_ROUNDING))
        told = ". Bring decision values, distances or votes into the simplex first: memberships(values)."
        raise InputError(parameter("memberships"), f"[{row}, {column}] is {matrix[row, column]:g}, below 0", told)
    np.maximum(matrix, 0.0, out=matrix)
    sums = row_sums(matrix)
    worst = np.abs(sums - 1).max()
    if worst > _SUMS:
        row = int(np.argmax(np.abs(sums - 1) > _SUMS))
        msg = f"[{row}] sums to {sums[row]:.6g}, not to 1. Bring values into the simplex first: memberships(values)."
        raise InputError(parameter("memberships"), msg)
    return matrix if worst <= _ROUNDING else matrix / sums[:, None]


def codes_of(truth: Any, labels: tuple[Any, ...], rows: int, *, numbered: bool) -> IntArray:
    """Return the place of each true class among the labels."""
    if isinstance(truth, (str, bytes)) or not isinstance(truth, Iterable):
        msg = f" must hold one class for each of {counted(rows, 'case')}; got {type(truth).__name__}."
        raise InputError(parameter("y_true"), msg)
    if np.ma.is_masked(truth):
        raise InputError(parameter("y_true"), " has masked values; leave such cases out.")
    if hasattr(truth, "__array__"):
        given = np.asarray(truth)
    else:  # NumPy would make 1 of a list the text "1" beside other text, and cut zeros off text
        held = list(truth)
        whole = bool(held) and all(isinstance(label, (int, np.integer)) for label in held)
        given = np.asarray(held) if whole else np.fromiter(held, dtype=object, count=len(held))
    if given.shape != (rows,):
        msg = f" must hold one class for each of {counted(rows, 'case')}; got shape {given.shape}."
        raise InputError(parameter("y_true"), msg)
    if numbered and given.dtype.kind not in "iub":
        msg = f" must hold columns of memberships, whole numbers from 0 to {len(labels) - 1}; got {given.dtype}. "
        raise InputError(parameter("y_true"), msg, "Labels need ", argument("classes", python="classes=[...]"), ".")
    if numbered and given.min() >= 0 and given.max() < len(labels):
        return given.astype(np.int64)
    different, places = distinct(given, "y_true")
    missing = np.array([_is_missing(label) for label in different])
    if missing.any():
        msg = f"[{int(np.argmax(missing[places]))}] is missing. Leave cases out whose class is not known."
        raise InputError(parameter("y_true"), msg)
    return np.array([position(labels, label) for label in different], dtype=np.int64)[places]


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)  # noqa: PLR0124 - NaN is the value unlike itself
    except (TypeError, ValueError):  # what cannot even be compared, such as pandas' NA
        return True
