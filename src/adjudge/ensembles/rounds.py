"""The rounds of AdaBoost: draw by weight, fit, weigh the errors, vote; and when to stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from adjudge._base import InputError, argument, counted, dataclass
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.ensembles.members import drawn, named, source

Losses: TypeAlias = FloatArray | BoolArray
Learn: TypeAlias = Callable[[IntArray, np.random.Generator], tuple[Any, Losses]]
"""Fits a model to cases drawn so often, and returns it with the loss of all cases."""
_SPLIT = 2**32 - 1  # a number that no round has
_ROUNDING = 1e-10  # an error that much below chance is chance: a sum of weights is no more exact than that


class Round(NamedTuple):
    """A model that was taken on."""

    model: Any
    error: float
    vote: float


def vote(error: float, *, others: int = 1) -> float:
    r"""Return :math:`\ln\frac{1-e}{e} + \ln m`, the vote of a model; m is 1, or how many classes an error may name (SAMME)."""
    return math.log((1 - error) / error) + math.log(others)


def reweighted(weights: FloatArray, losses: Losses, error: float, *, others: int = 1) -> FloatArray:
    r"""Return weights :math:`w_i \beta^{1-L_i}` with :math:`\beta = e / ((1-e)\,m)`, made to sum to one."""
    shrink = error / ((1 - error) * others)
    fresh = weights * (np.where(losses, 1.0, shrink) if losses.dtype == np.bool_ else shrink ** (1 - losses))
    return np.asarray(fresh / fresh.sum())


def weighted_error(weights: FloatArray, losses: Losses) -> float:
    """Return the loss over all cases, each once by its weight."""
    return float(weights[losses].sum() if losses.dtype == np.bool_ else (weights * losses).sum())


@dataclass(slots=True, eq=False)
class Boosting:
    """One run of rounds."""

    learn: Learn
    start: FloatArray
    limit: float  # the error from which on a model is no use
    others: int
    most: int
    max_restarts: int
    word: int
    sample_size: float = 1.0  # how many cases a round draws for each case there is
    restarts: int = 0
    stopped: str = "rounds"

    @property
    def cases(self) -> int:
        """How many cases have a weight."""
        return int(np.count_nonzero(self.start))

    def is_chance(self, error: float) -> bool:
        """Return whether a model with such an error is no better than chance."""
        return error >= self.limit - _ROUNDING

    def run(self) -> Iterator[Round]:
        """Yield models until there are enough, one makes no error, or none is better than chance any more."""
        weights, number, earlier = self.start, 0, 0.0
        draws = max(1, round(self.sample_size * self.cases))
        for kept in range(self.most):
            tried: list[Round] = []
            while True:  # until a model is of some use; after each that is none the weights begin anew
                rng = source(self.word, number)
                with named(number):
                    model, losses = self.learn(drawn(weights, rng, draws), rng)
                number += 1
                error = weighted_error(weights, losses)
                tried.append(Round(model, error, 1.0))
                if not self.is_chance(error):
                    break
                weights = self.start
                if len(tried) > self.max_restarts:
                    self.stopped = "chance"
                    if not kept:
                        yield min(tried, key=lambda each: each.error)
                    return
                self.restarts += 1
            if error <= 0:
                self.stopped = "perfect"
                yield Round(model, 0.0, earlier + math.log(self.cases + 1))
                return
            taken = Round(model, error, vote(error, others=self.others))
            yield taken
            earlier += taken.vote
            weights = reweighted(weights, losses, error, others=self.others)


def split(early_stop: float | None, kinds: AnyArray, counts: BoolArray, word: int) -> tuple[IntArray, IntArray]:
    """Return the rows to learn from and those held out: the same part of every class, of the cases that count, never all."""
    if early_stop is None:
        return np.arange(kinds.size), np.empty(0, dtype=np.int64)
    mixed = source(word, _SPLIT).permutation(kinds.size)
    held = []
    for kind in np.unique(kinds[counts]):
        rows = mixed[(kinds[mixed] == kind) & counts[mixed]]
        held.append(rows[: min(round(early_stop * rows.size), rows.size - 1)])
    out = np.sort(np.concatenate(held))
    if not out.size:
        msg = f" of {counted(kinds.size, 'sample')} holds out none; give a larger part, or more of them."
        raise InputError(argument("early_stop", early_stop), msg)
    return np.setdiff1d(np.arange(kinds.size), out, assume_unique=True), out
