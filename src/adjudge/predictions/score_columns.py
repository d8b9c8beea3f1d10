"""Columns of scores as a matrix in the order of the classes, and what their numbers mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from adjudge._base.arguments import argument
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.predictions.cells import numbers_of, vectors_of
from adjudge.predictions.labels import Gaps, text_of
from adjudge.predictions.roles import Roles, Scale
from adjudge.predictions.spellings import same

Form = Literal["none", "single", "vector", "block"]
_DOUBLE, _SINGLE = 1e-3, 1e-2  # how far rows of probabilities may be from summing to one
_DECIMALS = (2, 3, 4)  # to so few cells may have been rounded
_CLOSE = 1e-7  # how far a number may be from a rounded one and still be it
_SLACK = 1e-6  # how far one probability may leave [0, 1]: rounding of a softmax, not a mistake


def brought_to_scale(scores: AnyArray, scale: Scale, columns: tuple[str, ...], first_row: int) -> AnyArray:
    """Return scores that rank as given and, unless they are plain scores, are probabilities.

    Probabilities are passed on bit by bit: dividing rows by their sums would break ties.
    """
    if scale == "percentages":
        scores = scores / 100
    elif scale == "votes":
        if scores.shape[1] == 1:
            msg = f"column {listed(columns)}: the votes for one class alone say nothing; give those of every class with "
            raise InputError(msg, argument("scores"), ".")
        _refuse(scores < 0, scores, "below 0", columns, first_row)
        totals = scores.sum(axis=1, keepdims=True, dtype=np.float64)
        empty = np.flatnonzero(totals[:, 0] == 0)
        if empty.size:
            msg = f"row {first_row + int(empty[0]) + 1:,}: all votes in {listed(columns)} are 0; a case needs at least one vote."
            raise InputError(msg)
        scores = np.asarray(scores / totals)
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


def _refuse(bad: BoolArray, scores: AnyArray, where: str, columns: tuple[str, ...], first_row: int) -> None:
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        name = columns[column] if len(columns) == scores.shape[1] else columns[0]
        msg = (
            f"column {listed([name])}, row {first_row + row + 1:,}: the probability {float(scores[row, column]):g} is "
            f"{where} ({int(bad.sum()):,} in this block). If these are not probabilities, say what they are with "
        )
        raise InputError(msg, argument("scores_are"), ".")


def _check_sums(scores: AnyArray, columns: tuple[str, ...], first_row: int) -> None:
    """Refuse rows that are farther from summing to one than rounding, of floats or to a few decimals, takes them."""
    k, sums = scores.shape[1], scores.sum(axis=1, dtype=np.float64)
    off = np.abs(sums - 1)
    bad = np.flatnonzero(off > (_DOUBLE if scores.dtype == np.float64 else _SINGLE * float(np.sqrt(k))))
    if not bad.size:
        return
    decimals = next((d for d in _DECIMALS if np.allclose(scores, np.round(scores, d), rtol=0, atol=_CLOSE)), None)
    if decimals is None or off.max() > k / 2 * 10.0**-decimals + 1e-9:
        row = int(bad[0])
        msg = (
            f"row {first_row + row + 1:,}: the probabilities in {listed(columns)} sum to {sums[row]:.6g}, not to 1 "
            f"({bad.size:,} such rows in this block). If they are votes, logits or plain scores, say so with "
        )
        raise InputError(msg, argument("scores_are"), ".")


@dataclass(frozen=True, slots=True)
class ScoreReader:
    """Turns score columns into rows x classes, class `i` of the codebook in column `i`.

    A single score speaks of class 0 alone: it is one column.
    """

    form: Form
    classes: tuple[Any, ...]
    columns: tuple[str, ...]
    scale: Scale
    gaps: Gaps = field(default_factory=Gaps)

    def read(self, batch: dict[str, pa.Array], before: int) -> tuple[AnyArray | None, BoolArray | None]:
        """Return the scores, and which rows lacked some, if any; what stands in those rows is to be replaced."""
        if self.form == "none":
            return None, None
        name, gone = self.columns[0], None
        if self.form == "vector":
            raw = vectors_of(batch[name], name, len(self.classes))
            if raw.shape[1] != len(self.classes):
                msg = f"column {quoted(name)} holds {raw.shape[1]} numbers a row for {len(self.classes)} classes."
                raise InputError(msg)
        else:  # column by column in memory: sums over a few classes of each row are many times as fast so
            raw = np.stack([numbers_of(batch[name], name) for name in self.columns]).T
        if np.isnan(raw.min(initial=0)):
            gone = np.asarray(np.isnan(raw).any(axis=1))
            for i, name in enumerate(self.columns):
                part = raw if self.form == "vector" else raw[:, [i]]
                self.gaps.add(name, np.flatnonzero(np.isnan(part).any(axis=1)), before)
            raw = raw.copy()
            raw[gone] = (100 if self.scale == "percentages" else 1) / raw.shape[1]
        return brought_to_scale(raw, self.scale, self.columns, before), gone

    def worst(self, truth: IntArray) -> AnyArray:
        """Return scores that are as wrong as can be, for cases of these classes."""
        low, high = (-np.inf, np.inf) if self.scale == "scores" else (0.0, 1.0)
        if self.form == "single":
            return np.where(truth == 0, low, high)[:, None]
        worst = np.full((truth.size, len(self.classes)), low)
        worst[np.arange(truth.size), np.where(truth == 0, 1, 0)] = high
        return worst


def matched(roles: Roles, classes: tuple[Any, ...] | None, declared: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return the classes and columns of a block of scores, in the order the user listed or the data declared."""
    own = {text_of(label): (label, name) for label, name in roles.scores}
    if classes is None:
        place = {text_of(label): i for i, label in enumerate(declared)}
        pairs = sorted(own.values(), key=lambda pair: place.get(text_of(pair[0]), len(place)))
        return tuple(label for label, _ in pairs), tuple(name for _, name in pairs)
    found = [next((pair for pair in own.values() if same(pair[0], label)), None) for label in classes]
    absent = [label for label, pair in zip(classes, found, strict=True) if pair is None]
    if absent:
        named = listed(label for label, _ in roles.scores)
        msg = f"There is no score column for class {listed(absent)}; the score columns are for {named}."
        raise InputError(msg)
    return classes, tuple(pair[1] for pair in found if pair is not None)
