"""What the numbers in score columns mean: checked, and brought to probabilities where they are."""

from __future__ import annotations

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed
from adjudge.predictions.roles import Scale

_DOUBLE, _SINGLE = 1e-3, 1e-2  # how far rows of probabilities may be from summing to one
DECIMALS = (2, 3, 4)
"""To so few decimals cells may have been rounded."""
CLOSE = 1e-7
"""How far a number may be from a rounded one and still be it."""
_SLACK = 1e-6  # how far one probability may leave [0, 1]: rounding of a softmax, not a mistake


def brought_to_scale(scores: AnyArray, scale: Scale, columns: tuple[str, ...], first_row: int) -> AnyArray:
    """Return scores that rank as given and, unless they are plain scores, are probabilities.

    Probabilities are passed on bit by bit: dividing rows by their sums would break ties.
    """
    if scale == "percentages":
        scores = scores / 100
    elif scale == "votes":
        scores = _shares(scores, columns, first_row)
    elif scale == "logits":
        scores = softmax(scores)
    if scale != "scores":
        if scores.min(initial=0) < -_SLACK:
            _refuse(scores < -_SLACK, scores, "below 0", columns, first_row)
        if scores.max(initial=0) > 1 + _SLACK:
            _refuse(scores > 1 + _SLACK, scores, "above 1", columns, first_row)
    if scores.shape[1] > 1 and scale in ("probabilities", "percentages"):
        _check_sums(scores, columns, first_row)
    return scores


def softmax(scores: AnyArray) -> FloatArray:
    """Return exp(s) / sum exp(s), row by row, without overflow; one column is a class against a logit of 0."""
    if scores.shape[1] == 1:
        against_zero = np.column_stack([scores[:, 0], np.zeros(len(scores))])
        return softmax(against_zero)[:, :1]
    top = scores.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # infinite logits share what there is
        shifted = np.exp(np.where(scores == top, 0.0, scores.astype(np.float64) - top))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def _shares(votes: AnyArray, columns: tuple[str, ...], first_row: int) -> AnyArray:
    if votes.shape[1] == 1:
        refuse_lone_votes(columns)
    _refuse(votes < 0, votes, "below 0", columns, first_row)
    totals = votes.sum(axis=1, keepdims=True, dtype=np.float64)
    empty = np.flatnonzero(totals[:, 0] == 0)
    if empty.size:
        msg = f"row {first_row + int(empty[0]) + 1:,}: all votes in {listed(columns)} are 0; a case needs at least one vote."
        raise InputError(msg)
    return np.asarray(votes / totals)


def refuse_lone_votes(columns: tuple[str, ...]) -> None:
    """Say that votes for one class are worth nothing without those for the others."""
    msg = wording(
        f"column {listed(columns)}: the votes for one class alone say nothing; give those of every class with ",
        argument("scores"),
        ".",
    )
    raise InputError(msg)


def refuse_ends(low: float, high: float, column: str) -> None:
    """Refuse probabilities of which the least and the greatest are known, and not the rows."""
    value, where = (low, "below 0") if low < -_SLACK else (high, "above 1" if high > 1 else "no number")
    if not (low >= -_SLACK and high <= 1 + _SLACK):  # NaN is neither
        msg = wording(
            (
                f"column {listed([column])}: the probability {value:g} is {where}. If these are not probabilities, say "
                "what they are with "
            ),
            argument("scores_are"),
            ".",
        )
        raise InputError(msg)


def sums_allowed(k: int, *, narrow: bool) -> float:
    """Return how far rows of probabilities may be from summing to one; `narrow` are 32 bits wide."""
    return _SINGLE * float(np.sqrt(k)) if narrow else _DOUBLE


def rounding_allowed(k: int, decimals: int) -> float:
    """Return how far rows may be off because their cells were rounded."""
    return k / 2 * 10.0**-decimals + 1e-9


def _refuse(bad: BoolArray, scores: AnyArray, where: str, columns: tuple[str, ...], first_row: int) -> None:
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        name = columns[column] if len(columns) == scores.shape[1] else columns[0]
        msg = wording(
            (
                f"column {listed([name])}, row {first_row + row + 1:,}: the probability {float(scores[row, column]):g} is "
                f"{where} ({int(bad.sum()):,} in this block). If these are not probabilities, say what they are with "
            ),
            argument("scores_are"),
            ".",
        )
        raise InputError(msg)


def _check_sums(scores: AnyArray, columns: tuple[str, ...], first_row: int) -> None:
    sums = scores.sum(axis=1, dtype=np.float64)
    allowed = sums_allowed(scores.shape[1], narrow=scores.dtype != np.float64)
    off = np.abs(sums - 1)
    bad = np.flatnonzero(off > allowed)
    if bad.size and off.max() > _rounding(scores):
        row = int(bad[0])
        msg = wording(
            (
                f"row {first_row + row + 1:,}: the probabilities in {listed(columns)} sum to {sums[row]:.6g}, not to 1 "
                f"({bad.size:,} such rows in this block). If they are votes, logits or plain scores, say so with "
            ),
            argument("scores_are"),
            ".",
        )
        raise InputError(msg)


def _rounding(scores: AnyArray) -> float:
    """Return how far rows may be off because their cells were rounded to a few decimals."""
    for decimals in DECIMALS:
        if np.allclose(scores, np.round(scores, decimals), rtol=0, atol=CLOSE):
            return rounding_allowed(scores.shape[1], decimals)
    return 0.0
