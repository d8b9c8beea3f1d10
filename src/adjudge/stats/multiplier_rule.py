"""Class probabilities rescaled by one number per class, and what that is worth on cases of known class.

The linear form leaves to the majority class what the others give away, shares are divided by their sum, the softmax form goes
through exponentials. Blocks are laid out column by column: rows of a few classes are too short to be quick.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, IntArray, blocks
from adjudge._base.records import dataclass

_FEW = 12  # classes up to which comparing columns in turn is faster than searching every row


Way = Literal["linear", "shares", "softmax"]


class Outcome(NamedTuple):
    """Squared loss and errors over all cases, and how many cases had a negative number in each class."""

    loss: float
    errors: float
    negative: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Rescaling:
    """What to do with rows of probabilities: `multipliers` has one row per round (softmax only), one column per class."""

    way: Way
    multipliers: FloatArray
    majority: int

    def decision_values(self, p: FloatArray) -> FloatArray:
        """Return numbers whose largest is the decision, before anything that could round two of them to one."""
        for multipliers in self.multipliers[:-1]:
            p = softmax(scaled(p, multipliers))
        values = scaled(p, self.multipliers[-1])
        if self.way == "linear":
            # p_K + sum (1 - kappa_i) p_i is 1 - sum kappa_i p_i, and leaves p_K alone to the last bit where they are 1.
            given = 1 - self.multipliers[-1]
            given[self.majority] = 0.0
            values[:, self.majority] = p[:, self.majority] + p @ given
        return values

    def apply(self, p: FloatArray) -> FloatArray:
        """Return probabilities: none negative, rows summing to one."""
        values = self._model(self.decision_values(p))
        bad = np.flatnonzero((values < 0).any(axis=1)) if self.way == "linear" else np.empty(0, dtype=np.intp)
        if bad.size:
            values[bad] = self._divided(np.maximum(values[bad], 0))
        return values

    def predict(self, p: FloatArray) -> IntArray:
        """Return the class decided for."""
        return winners(self.decision_values(p), self.majority)

    def outcome(self, p: FloatArray, y: IntArray, weight: FloatArray | None = None, *, loss: float | None = None) -> Outcome:
        """Return what the rescaling is worth on cases of known class; a `loss` that is known already is not summed again."""
        added = errors = 0.0
        negative = np.zeros(p.shape[1], dtype=np.int64)
        beyond = self.way == "linear" and bool((self.multipliers < 0).any() or (self.multipliers > 1).any())
        for rows in blocks(*p.shape):
            values, w = self.decision_values(p[rows]), None if weight is None else weight[rows]
            errors += weighed(missed(values, y[rows], self.majority), w)
            if loss is None or beyond:
                model = self._model(values)
                added += squared_loss(model, y[rows], w) if loss is None else 0.0
                negative += np.count_nonzero(model < 0 if w is None else (model < 0) & (w > 0)[:, None], axis=0) if beyond else 0
        return Outcome(added if loss is None else loss, errors, negative)

    def _model(self, values: FloatArray) -> FloatArray:
        """Return probabilities, as the formula has them, from the values that decide; these may be used up."""
        if self.way == "softmax":
            return softmax(values)
        return self._divided(values) if self.way == "shares" else values

    def _divided(self, values: FloatArray) -> FloatArray:
        """Return rows divided by their sums; a row of zeros is the majority's."""
        sums = values.sum(axis=1, keepdims=True)
        if not sums.all():
            values[sums[:, 0] == 0, self.majority] = 1.0
            sums[sums == 0] = 1.0
        return np.asarray(values / sums)


def scaled(p: FloatArray, multipliers: FloatArray) -> FloatArray:
    """Return probabilities times one number per class, laid out by columns."""
    values = np.empty(p.shape[::-1])
    np.multiply(p.T, multipliers[:, None], out=values)
    return values.T


def softmax(values: FloatArray) -> FloatArray:
    """Return exp(v) / sum exp(v), row by row, without overflow."""
    powers = values - values.max(axis=1, keepdims=True)
    np.exp(powers, out=powers)
    powers /= powers.sum(axis=1, keepdims=True)
    return np.asarray(powers)


def winners(values: FloatArray, majority: int) -> IntArray:
    """Return the class of the largest value in each row; ties go to the majority class, then to the first."""
    k = values.shape[1]
    if k > _FEW:
        best: IntArray = values.argmax(axis=1)
        best[values[:, majority] >= values.max(axis=1)] = majority
        return best
    top, winner = values[:, majority].copy(), np.full(len(values), majority, dtype=np.int8)
    for at in range(k):
        winner += (values[:, at] > top).view(np.int8) * (np.int8(at) - winner)
        np.maximum(top, values[:, at], out=top)
    return winner.astype(np.int64)


def missed(values: FloatArray, y: IntArray, majority: int, *, own: FloatArray | None = None) -> BoolArray:
    """Return which cases are decided wrongly; values laid out by columns, and those of the `own` classes where they are known."""
    top = values.max(axis=1)
    if np.count_nonzero(values == top[:, None]) > top.size:
        return np.asarray(winners(values, majority) != y)
    return np.asarray((values.T.reshape(-1)[places(y)] if own is None else own) < top)


def squared_loss(values: FloatArray, y: IntArray, weight: FloatArray | None) -> float:
    r"""Return :math:`\sum_X \sum_i (P_i - [y = i])^2`. Duch and Itert (2003), eq. 3."""
    off = residuals(values, y)
    off *= off
    return weighed(off.sum(axis=1), weight)


def residuals(values: FloatArray, y: IntArray) -> FloatArray:
    """Return how far values are from 1 for the class of the case and 0 for the others, laid out by columns."""
    off = np.array(values.T, order="C")
    off.reshape(-1)[places(y)] -= 1
    return off.T


def places(y: IntArray) -> IntArray:
    """Return where, in a block laid out by columns, each case has the number of its own class."""
    return np.asarray(y * y.size + np.arange(y.size))


def weighed(values: FloatArray | BoolArray, weight: FloatArray | None) -> float:
    """Return the sum of the values, each times its weight."""
    return float(values.sum() if weight is None else weight @ values)
