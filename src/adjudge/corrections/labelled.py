"""Probabilities of cases and, beside them, their true classes: checked once, before a correction is fitted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge._base import InputError, argument, counted, dataclass, either, listed, parameter, replace, safe
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, blocks
from adjudge._base.one_order import in_one_order, keys_of
from adjudge.counts.passes import CaseBlock, Moments, Passes, summing_to_one
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.labels import LARGEST_EXACT
from adjudge.predictions.model import Predictions
from adjudge.predictions.native import check_aligned, check_labels, named_columns
from adjudge.predictions.roles import Scale
from adjudge.predictions.spellings import both_classes, column_labels, distinct, means_positive, position, settle_positive
from adjudge.stats.pairs import checked_weight

_TWO = 2
_SLACK, _SUMS = 1e-6, 1e-2  # how far one probability may be below 0, and a row from summing to one
_HEAVIEST = 1e100  # sum of weights; their squares are summed as well
_FEW = 20  # names to compare every label with
_ROUNDING = 1e-9  # rows off by less are left alone


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Cases whose class is known, from arrays or gathered from predictions."""

    p: FloatArray  # probabilities by class; or the scores of class `at`, which may only rank
    y: IntArray  # the place of the true class
    classes: tuple[Any, ...]
    weight: FloatArray | None = None
    at: int | None = None  # the class a single score speaks of: the positive one, else the last of two; none for more
    positive: Any = None
    truth: str = "truth"  # the column the classes were read from
    scores: tuple[tuple[Any, str], ...] = ()  # the columns the scores were read from, by class; one of two classes may be alone
    scale: Scale = "probabilities"
    group: IntArray | None = None  # the number of the group or cluster of each case, where these were named
    decided: IntArray | None = None  # the place of the class each case was given, -1 for none; None: the probabilities decide
    clustered: bool = False  # whether groups are clusters, so that cases of one are no independent ones

    @property
    def kept_together(self) -> str:
        """What is held out whole: groups or clusters."""
        return "cluster" if self.clustered else "group"

    def only(self, rows: BoolArray | IntArray) -> Known:
        """Return some of the cases."""
        parts = {name: getattr(self, name) for name in ("p", "y", "weight", "group", "decided")}
        some: dict[str, Any] = {name: None if part is None else part[rows] for name, part in parts.items()}
        return replace(self, **some)

    def in_one_order(self) -> Known:
        """Return the cases in an order by what they are: dealt into folds and summed in it, they have the same digits for any."""
        then = keys_of(self.y, self.p, self.weight, self.decided, exact=True)  # other weights or decisions are dealt alike
        order, group = in_one_order([keys_of(self.y, self.p)], self.group, then=then)
        return replace(self.only(order), group=group)

    @property
    def by_class(self) -> FloatArray:
        """The probabilities of every class."""
        return self.p if self.p.ndim > 1 else columns_for(self.p, self.classes, self.of, one=False)

    @property
    def of(self) -> Any:
        """The label of the class that a single score speaks of."""
        return None if self.at is None else self.classes[self.at]

    @property
    def labels(self) -> AnyArray:
        """The true class of each case, by its name."""
        return np.fromiter(self.classes, dtype=object, count=len(self.classes))[self.y]

    @property
    def totals(self) -> FloatArray:
        """How many cases each class has, weighted as they count."""
        return np.bincount(self.y, self.weight, len(self.classes)).astype(np.float64)

    @property
    def shares(self) -> FloatArray:
        """How frequent each class is."""
        return np.asarray(self.totals / self.totals.sum())

    @property
    def balanced_weight(self) -> FloatArray:
        """Weights that sum to one in every class."""
        return balanced(self.weight, self.totals, self.y)


def labelled(
    p: npt.ArrayLike,
    y: Iterable[Any],
    *,
    classes: Sequence[Any] | None = None,
    weight: npt.ArrayLike | None = None,
    positive: Any = None,
) -> Known:
    """Return checked cases; one probability of a case is that of the positive class."""
    check_given(p)
    y = _vector(y)
    if is_single(p):
        p, classes = both_classes(p, y, classes, positive, "p")
    p, classes = in_order(p, classes)
    given, names = named_probabilities(p, classes)
    rows = len(given)
    one = isinstance(y, (str, bytes)) or not isinstance(y, Iterable)
    labels = None if one else np.asarray(y if hasattr(y, "__len__") else list(y))
    if labels is None or labels.shape != (rows,):
        came = type(y).__name__ if labels is None else f"shape {labels.shape}"
        raise InputError(parameter("y_true"), f" must hold one class for each of {counted(rows, 'row')} of p; got {came}.")
    return Known(given, _columns(labels, names, given=classes is not None), names, weights_of(weight, rows))


def weights_of(weight: Any, rows: int) -> FloatArray | None:
    """Return the weight of each case, or refuse; None where cases count alike."""
    if weight is None:
        return None
    try:
        given = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(parameter("weight"), f" must hold a number for each case; got {safe(error)}.") from error
    check_total(checked_weight(given, rows))
    return given


def reference_class(majority: Any, totals: FloatArray) -> int:
    """Return the column of the reference class, the first most frequent unless it is named; refuse what is no column."""
    if majority is None:
        return int(totals.argmax())
    k = totals.size
    if isinstance(majority, bool) or not isinstance(majority, (int, np.integer)) or not 0 <= majority < k:
        raise InputError(parameter("majority"), f" must be a column of p, from 0 to {k - 1}; got {majority!r}.")
    return int(majority)


def are_predictions(source: Any, **given: Any) -> bool:
    """Say whether a source is predictions, which bring everything with them that else is `given` beside true classes."""
    if not isinstance(source, Predictions):
        return False
    twice = [argument(name) for name, value in given.items() if value is not None]
    if twice:
        msg = "Predictions have classes, truth and weights of their own; leave "
        raise InputError(msg, either(twice, ", "), " out.")
    return True


def checked_sums(moments: Moments) -> Moments:
    """Return the sums over all cases, or refuse weights that come to nothing or to too much."""
    check_total(np.array([moments.size]))
    return moments


def check_total(weight: FloatArray) -> None:
    """Refuse weights that are all 0, or whose sums and squares floats cannot hold, or hold only with few digits."""
    if not weight.any():
        msg = "All weights are 0: no case counts. Give at least one case a weight above 0."
        raise InputError(msg)
    heaviest = float(weight.max())
    total = float(weight.sum()) if heaviest <= _HEAVIEST else np.inf
    if total and not 1 / _HEAVIEST <= total <= _HEAVIEST:
        told = f" must sum to between {1 / _HEAVIEST:g} and {_HEAVIEST:g}; the largest is {heaviest:g}"
        raise InputError(parameter("weight"), told, ". Divide all weights by the largest.")


def named_probabilities(p: Any, classes: Sequence[Any] | None) -> tuple[FloatArray, tuple[Any, ...]]:
    """Return checked probabilities with the label of each column, its number where it has no other."""
    p, classes = in_order(p, classes)
    values = probabilities(p, None)
    k = values.shape[1]
    if classes is None:
        return values, tuple(range(k))
    names = column_labels(classes, "p")
    if len(names) != k or len(set(names)) != k:
        raise InputError(parameter("classes"), f" must name each of the {k} columns of p once; got {listed(names)}.")
    return values, names


def in_order(p: Any, classes: Sequence[Any] | None) -> tuple[Any, Sequence[Any] | None]:
    """Return columns that have names, and are not merely numbered, in the order of `classes`; without, these are the names."""
    columns = dict(p) if isinstance(p, Mapping) else named_columns(p)
    if columns is None or [str(name) for name in columns] == [str(i) for i in range(len(columns))]:
        return p, classes
    names = tuple(columns) if classes is None else column_labels(classes, "p")
    known = tuple(columns)
    return np.column_stack([np.asarray(columns[known[position(known, label)]]) for label in names]), names


def check_label(label: Any, name: str) -> None:
    """Refuse what can be no label, such as an array."""
    if not isinstance(label, Hashable):
        raise InputError(parameter(name), f" must be one label, such as text or a number; got {type(label).__name__}.")


def probabilities(p: Any, k: int | None) -> FloatArray:
    """Return rows of `k` probabilities that sum to one, rounding corrected row by row; refuse what is none."""
    given: AnyArray | None = None
    try:
        given = np.asarray(p)
        values = given.astype(np.float64, copy=False) if given.dtype.kind in "iufbO" else None
    except (TypeError, ValueError):  # rows of different lengths, or what is no number
        values = None
    if values is None:
        came = f"{type(p).__name__} of {given.dtype}" if given is not None else f"{type(p).__name__} of uneven rows"
        raise InputError(parameter("p"), f" must hold numbers, one row per case and one column per class; got {came}.")
    if values.ndim != _TWO or values.shape[1] < _TWO or not len(values):
        advice = " Two columns come from np.column_stack([1 - p, p])." if values.ndim == 1 and values.size else ""
        msg = f" must have a row per case and a column per class, at least two; got shape {values.shape}.{advice}"
        raise InputError(parameter("p"), msg)
    if k is not None and values.shape[1] != k:
        msg = f" has {counted(values.shape[1], 'column')}, but the correction was fitted to {counted(k, 'class', 'classes')}."
        raise InputError(parameter("p"), msg)
    ones, lowest, least, most = np.ones(values.shape[1]), 0.0, 1.0, 1.0
    for rows in blocks(*values.shape):  # looked at block by block, which is twice as fast, and copied only if need be
        block = values[rows]
        sums, low = block @ ones, float(block.min())
        lowest, least, most = min(low, lowest), min(float(sums.min()), least), max(float(sums.max()), most)
        if low >= -_SLACK and least >= 1 - _SUMS and most <= 1 + _SUMS:  # NaN is neither
            continue
        for row, column in np.argwhere(~(block >= -_SLACK))[:1]:
            came = f"[{rows.start + row}, {column}] is {block[row, column]:g}"
            raise InputError(parameter("p"), came, ", no probability. Leave such cases out, or bring scores to probabilities.")
        row = int(np.flatnonzero(~(np.abs(sums - 1) <= _SUMS))[0])
        msg = f"[{rows.start + row}] sums to {sums[row]:.6g}, not to 1. Divide each row by its sum if these are shares."
        raise InputError(parameter("p"), msg)
    return values if lowest >= 0 and max(1 - least, most - 1) <= _ROUNDING else summing_to_one(values)


def _columns(labels: AnyArray, names: tuple[Any, ...], *, given: bool) -> IntArray:
    """Return the column of each label."""
    if not given and labels.dtype.kind == "f" and (labels == np.trunc(labels)).all():
        labels = labels.astype(np.int64) if np.abs(labels).max() <= LARGEST_EXACT else labels
    if not given and labels.dtype.kind not in "iub":
        told = f" must hold columns of p, whole numbers from 0 to {len(names) - 1}; got {labels.dtype}"
        raise InputError(parameter("y_true"), told, ". Labels need ", argument("classes", python="classes=[...]"), ".")
    if not given and labels.min() >= 0 and labels.max() < len(names):
        return labels.astype(np.int64, copy=False)  # columns in range need no looking up
    texts = all(isinstance(name, str) and not name.endswith("\0") for name in names)  # NumPy drops trailing zeros of texts
    if labels.dtype.kind == "U" and len(names) <= _FEW and texts:  # comparing with every name is faster than sorting
        columns = np.full(labels.size, -1, dtype=np.int64)
        for column, name in enumerate(names):
            columns[labels == name] = column
        if columns.min() >= 0:
            return columns
    different, places = distinct(labels, "y_true")
    at = {name: column for column, name in enumerate(names)}
    strange = [label for label in different if label not in at]
    if strange:
        raise InputError(parameter("y_true"), f" has {listed(strange)}, but the columns of p are {listed(names)}.")
    return np.array([at[label] for label in different], dtype=np.int64)[places]


def balanced(weight: FloatArray | None, totals: FloatArray, truth: IntArray) -> FloatArray:
    """Return weights that sum to one in every class: those of the cases divided by the total weight of their class."""
    return np.asarray((1.0 if weight is None else weight) / np.where(totals > 0, totals, 1.0)[truth])


class BalancedPasses(Passes):
    """Cases so weighed, gone through block by block; a pass of its own finds how many each class has."""

    classes: tuple[Any, ...] = ()
    weighted = True

    def __init__(self, passes: Passes) -> None:
        super().__init__()
        self.passes, self.totals = passes, checked_sums(passes.moments()).totals
        self.classes = passes.classes

    def blocks(self) -> Iterator[CaseBlock]:
        """Yield the cases; a weight of their own counts within their class."""
        for block in self.passes.blocks():
            yield replace(block, weight=balanced(block.weight, self.totals, block.truth))


def cases_of(p: Any, y: Any, classes: Any, positive: Any, weight: Any = None) -> Known:
    """Return scores or probabilities beside the numbers of the true classes, or refuse what does not fit together."""
    check_aligned({"y_true": y, "p": p, "weight": weight})
    y = _vector(y)
    check_label(positive, "positive")
    check_labels(y, "it with (y_true, p)")
    if is_single(p):
        scores, names = numbers(p), None if classes is None else column_labels(classes, "p")
    else:
        scores, names = named_probabilities(p, classes)
        if classes is None and names == tuple(range(len(names))) and np.asarray(y).dtype.kind not in "iufb":
            msg, named = " holds labels, and the columns of p have no names. Pass ", argument("classes", python="classes=[...]")
            raise InputError(parameter("y_true"), msg, named, " in the order of the columns.", parameter="classes")
    if not hasattr(y, "__len__") or len(y) != len(scores):
        came = f"{len(y):,}" if hasattr(y, "__len__") else type(y).__name__
        raise InputError(parameter("p"), f" has {len(scores):,} cases; y_true must hold one class for each, got {came}.")
    encoder = Encoder(Predictions(y, y, classes=names, weight=weight))
    parts = list(encoder.blocks())
    weights = None if weight is None else np.concatenate([np.asarray(block.weight) for block in parts])
    if weights is not None:
        check_total(weights)
    seen = encoder.classes
    if scores.ndim == 1 and len(seen) != _TWO:
        msg = f"One score per case goes with two classes; y_true has {listed(seen)}. Name both with "
        raise InputError(msg, argument("classes"), ", or pass p by class.")
    if scores.ndim == 1:
        positive = seen[settle_positive(seen, positive, what="A single score")]
    truth = np.argsort(encoder.order)[np.concatenate([block.truth for block in parts])]
    return replace(cases_to_come(seen, positive), p=scores, y=truth, weight=weights)


def check_given(p: Any) -> None:
    """Refuse true classes without probabilities beside them."""
    if p is None:
        msg = " is needed beside y_true: the probabilities of the cases. Only predictions (adjudge.read) have their own."
        raise InputError(parameter("p"), msg)


def cases_to_come(classes: tuple[Any, ...], positive: Any) -> Known:
    """Return no cases of known classes: enough to settle what is looked for and what decisions cost."""
    named = classes[position(classes, positive)] if positive is not None else means_positive(classes)
    at = None if len(classes) != _TWO else 1 if named is None else position(classes, named)
    return Known(np.empty((0, len(classes))), np.empty(0, dtype=np.int64), classes, at=at, positive=named)


def numbers(p: Any) -> FloatArray:
    """Return finite float64 numbers, at least one, or refuse."""
    try:
        values = np.asarray(_vector(p))
    except ValueError as error:
        raise InputError(parameter("p"), " must have as many numbers in every row; these rows differ in length.") from error
    if values.dtype.kind not in "iufb" or not values.size:
        raise InputError(parameter("p"), f" must hold numbers for at least one case; got {values.dtype} of shape {values.shape}.")
    values = values.astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise InputError(parameter("p"), f" must be finite; row {row + 1:,} holds {values[row]}. Leave such cases out.")
    return values


def single_scores(scores: Any, name: str = "scores") -> FloatArray:
    """Return one finite number for each case, or refuse."""
    values = numbers(scores)
    if values.ndim != 1:
        msg = f" must be one number per case, the score of the positive class; got shape {values.shape}."
        raise InputError(parameter(name), msg)
    return values


def columns_for(p: Any, classes: tuple[Any, ...], of: Any, *, one: bool) -> FloatArray:
    """Return new probabilities as the rule was fitted to: by class, or `one` score where two thresholds cut it."""
    if len(classes) != _TWO or of is None or not is_single(p):
        return named_probabilities(p, classes)[0]
    scores = numbers(p)
    if one:
        return scores
    if scores.min() < 0 or scores.max() > 1:
        msg = f"One number per case must be a probability here, between 0 and 1; got {scores.min():g} to {scores.max():g}."
        raise InputError(msg)
    return both(scores, position(classes, of))


def both(p: FloatArray, of: int) -> FloatArray:
    """Return the probabilities of two classes from that of class `of`."""
    return np.column_stack([1 - p, p] if of else [p, 1 - p])


def _vector(values: Any) -> Any:
    """Return a column vector as a vector, and all else as it is."""
    return np.asarray(values).ravel() if getattr(values, "shape", ())[1:] == (1,) else values


def is_single(p: Any) -> bool:
    """Return whether there is one number per case, and no column for each class."""
    try:
        return not isinstance(p, Mapping) and (np.ndim(p) == 1 or getattr(p, "shape", ())[1:] == (1,))
    except ValueError:  # rows of different lengths
        return False
