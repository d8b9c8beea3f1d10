"""The table of scikit-learn's ``classification_report``, with the interval of every number beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adjudge._base import InputError, checked_level, listed, parameter, quoted
from adjudge._base.arrays import FloatArray
from adjudge.counts.arrays import confusion
from adjudge.verbs.measure import interval

if TYPE_CHECKING:
    from adjudge.counts.confusion import ConfusionCounts

_COLUMNS = {"precision": "precision", "recall": "sensitivity", "f1-score": "f1"}
"""The columns, and what adjudge calls the measure in each."""
_WIDEST = 40  # letters of a name in the table; longer ones are cut


class _Cell(NamedTuple):
    value: float
    interval: tuple[float, float] | None = None


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Any] | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: float = 0.0,
    level: float = 0.95,
) -> str | dict[str, Any]:
    """Return scikit-learn's classification report with the interval of every precision, recall, F1 and of the accuracy.

    The numbers are those of :func:`sklearn.metrics.classification_report`; a value without an interval stands alone.

    Parameters
    ----------
    y_true, y_pred : array-like
        One label per case.
    labels : sequence, optional
        The classes to show, in this order; all that occur, sorted, if left out.
    target_names : sequence of str, optional
        What to call them, in the same order.
    sample_weight : array-like, optional
        The weight of each case.
    digits : int
        Decimals in the table.
    output_dict : bool
        Return a dict in place of text, each row with its "interval" of every column, and "accuracy_interval".
    zero_division : float
        What stands where a share has no cases to be a share of.
    level : float
        How often the intervals shall hold the truth.

    >>> print(classification_report(["ill", "ill", "well", "well", "well"], ["ill", "well", "well", "well", "ill"]))
                         precision             recall           f1-score   support
    <BLANKLINE>
             ill  0.50 (0.03-0.97)   0.50 (0.03-0.97)   0.50 (0.07-0.90)         2
            well  0.67 (0.13-0.98)   0.67 (0.13-0.98)   0.67 (0.22-0.93)         3
    <BLANKLINE>
        accuracy                                        0.60 (0.18-0.93)         5
       macro avg  0.58 (0.25-0.85)   0.58 (0.25-0.85)   0.58 (0.24-0.91)         5
    weighted avg  0.60               0.60 (0.18-0.93)   0.60                     5
    <BLANKLINE>
    95% intervals in brackets.
    """
    level, weight = checked_level(level), sample_weight
    if zero_division not in (0, 1) and zero_division == zero_division:  # noqa: PLR0124 - NaN is no other
        raise InputError(parameter("zero_division"), f" must be 0, 1 or NaN; got {zero_division!r}.")
    if type(digits) is not int or digits < 0:
        raise InputError(parameter("digits"), f" must be a whole number of decimals, got {digits!r}.")
    counts = confusion(y_true, y_pred, weight=weight)
    shown = list(counts.classes) if labels is None else np.asarray(labels).tolist()
    if len(set(shown)) < len(shown) or not set(shown) & set(counts.classes):
        told = f" must be different classes, at least one of them among {listed(counts.classes)}; got {labels!r}."
        raise InputError(parameter("labels"), told)
    names = [str(label) for label in shown] if target_names is None else [str(name) for name in target_names]
    if len(names) != len(shown) or len(set(names)) < len(names):
        told = f" must be {len(shown)} different names, one for each class; got {target_names!r}."
        raise InputError(parameter("target_names"), told)
    rows = _rows(counts, shown, names, zero_division, level)
    return _nested(rows) if output_dict else _text(rows, digits, level)


def _rows(
    counts: ConfusionCounts, shown: list[Any], names: list[str], nothing: float, level: float
) -> dict[str, tuple[list[_Cell | None], float]]:
    """Return the cells and the support of each class and of each average."""
    at = {label: i for i, label in enumerate(counts.classes)}
    places = [at.get(label) for label in shown]
    support, predicted, correct = (
        np.array([0 if i is None else part[i] for i in places]) for part in (counts.support, counts.predicted, counts.correct)
    )

    def share(part: Any, whole: Any) -> Any:
        return np.divide(part, whole, out=np.full(np.shape(whole), float(nothing)), where=np.asarray(whole) > 0)

    def within(name: str, **of: Any) -> tuple[float, float]:
        known = interval(counts, name, level=level, **of)
        return known.low, known.high

    values = {
        "precision": share(correct, predicted),
        "recall": share(correct, support),
        "f1-score": share(2 * correct, support + predicted),
    }
    known = {"precision": predicted > 0, "recall": support > 0, "f1-score": support + predicted > 0}
    rows: dict[str, tuple[list[_Cell | None], float]] = {}
    for i, name in enumerate(names):
        cells: list[_Cell | None] = []
        for column, measure in _COLUMNS.items():
            there = known[column][i] and len(counts.classes) > 1
            cells.append(_Cell(float(values[column][i]), within(measure, positive=shown[i]) if there else None))
        rows[_free(name, rows)] = cells, support[i].item()
    total, whole = support.sum(), set(shown) >= set(counts.classes)
    every = whole and bool((support > 0).all() and (predicted > 0).all()) and len(shown) == len(counts.classes) > 1
    if whole:
        rows[_free("accuracy", rows)] = [None, None, _Cell(float(share(correct.sum(), total)), within("accuracy"))], total.item()
    else:
        parts = correct.sum(), predicted.sum(), total
        micro = share(parts[0], parts[1]), share(parts[0], parts[2]), share(2 * parts[0], parts[1] + parts[2])
        rows[_free("micro avg", rows)] = [_Cell(float(value)) for value in micro], total.item()
    macro = [_Cell(_mean(values[c]), within(m, average="macro") if every else None) for c, m in _COLUMNS.items()]
    weighted = [_Cell(_mean(values[c], support)) for c in _COLUMNS]
    if every:
        weighted[1] = _Cell(weighted[1].value, within("accuracy"))  # the recall of all cases
    rows[_free("macro avg", rows)] = [*macro], total.item()
    rows[_free("weighted avg", rows)] = [*weighted], total.item()
    return rows


def _mean(values: FloatArray, weight: Any = None) -> float:
    """Return the mean of the values that there are; classes without a case count alike, as scikit-learn has it."""
    there = ~np.isnan(values)
    worth = None if weight is None or not np.any(weight[there]) else weight[there]
    return float(np.average(values[there], weights=worth)) if there.any() else float("nan")


def _free(name: str, taken: dict[str, Any]) -> str:
    if name in taken:
        told = f" names a class {quoted(name)}, which is the name of another row of the table. Give it another name."
        raise InputError(parameter("target_names"), told)
    return name


def _nested(rows: dict[str, tuple[list[_Cell | None], float]]) -> dict[str, Any]:
    """Return the rows as scikit-learn nests them, with intervals added."""
    nested: dict[str, Any] = {}
    for name, (cells, support) in rows.items():
        if cells[0] is None:
            accuracy = cells[-1]
            assert accuracy is not None
            nested |= {name: accuracy.value, f"{name}_interval": accuracy.interval}
            continue
        by_column = {column: cell for column, cell in zip(_COLUMNS, cells, strict=True) if cell is not None}
        nested[name] = {column: cell.value for column, cell in by_column.items()} | {"support": float(support)}
        nested[name]["interval"] = {column: cell.interval for column, cell in by_column.items()}
    return nested


def _text(rows: dict[str, tuple[list[_Cell | None], float]], digits: int, level: float) -> str:
    """Return the table as text: columns as scikit-learn has them."""
    heads = [name if len(name) <= _WIDEST else f"{name[: _WIDEST - 1]}…" for name in rows]
    width, cell_width = max(len("weighted avg"), *map(len, heads)), max(len("precision"), 3 * digits + 10)
    lines = [f"{'':>{width}}  " + "".join(f"{column:>{cell_width}}   " for column in _COLUMNS).rstrip() + f"{'support':>10}", ""]
    for head, (name, (cells, support)) in zip(heads, rows.items(), strict=True):
        if name in ("accuracy", "micro avg"):
            lines.append("")
        shown = [_shown(cell, digits, cell_width) for cell in cells]
        cases = f"{support:,}" if isinstance(support, int) else f"{support:,.{digits}f}"
        lines.append(f"{head:>{width}}  " + "   ".join(shown) + f"{cases:>10}")
    return "\n".join([*lines, "", f"{100 * level:.10g}% intervals in brackets."])


def _shown(cell: _Cell | None, digits: int, width: int) -> str:
    if cell is None:
        return " " * width
    limits = "" if cell.interval is None else " ({:.{d}f}-{:.{d}f})".format(*cell.interval, d=digits)
    return f"{cell.value:.{digits}f}{limits}".ljust(width)
