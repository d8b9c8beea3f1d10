"""Sums over cases and the probabilities of their classes: enough to fit to many cases without holding them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import NamedTuple

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.counts.probabilities import ROUNDING


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """What one pass leaves of the cases; parts of them add up."""

    cases: int
    """How many have a weight above 0."""
    totals: FloatArray
    """Weight of each true class."""
    squares: float
    """Sum of the squared weights: what the cases are worth follows from it."""
    certain: float
    """Weight of the cases with a probability of exactly 1."""
    by_class: FloatArray
    """Sums of the probabilities (columns) over the cases of each true class (rows)."""
    gram: FloatArray
    """Sums of the products of two probabilities."""

    @property
    def size(self) -> float:
        """The sum of the weights."""
        return float(self.totals.sum())

    def __add__(self, other: Moments) -> Moments:
        return Moments(*(getattr(self, name.name) + getattr(other, name.name) for name in fields(self)))

    def times(self, factor: float) -> Moments:
        """Return the same cases with every weight multiplied."""
        rest = (factor * part for part in (self.certain, self.by_class, self.gram))
        return Moments(self.cases, factor * self.totals, factor**2 * self.squares, *rest)  # type: ignore[arg-type]

    def ordered(self, order: Sequence[int]) -> Moments:
        """Return the same with the classes in another order."""
        both = np.ix_(order, order)
        return Moments(self.cases, self.totals[list(order)], self.squares, self.certain, self.by_class[both], self.gram[both])


def moments_of(p: FloatArray, truth: IntArray, weight: FloatArray | None) -> Moments:
    """Return the sums over some cases.

    >>> moments_of(np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([0, 1]), None).gram
    array([[0.8125, 0.4375],
           [0.4375, 0.3125]])
    """
    k, columns = p.shape[1], by_columns(p)
    weighed = columns if weight is None else columns * weight
    sums = [np.bincount(truth, weights=column, minlength=k) for column in weighed]
    sure = np.flatnonzero(p.reshape(-1) == 1) // k
    return Moments(
        truth.size if weight is None else int(np.count_nonzero(weight)),
        np.bincount(truth, weights=weight, minlength=k).astype(np.float64),
        float(truth.size if weight is None else (weight * weight).sum()),
        float(sure.size if weight is None else weight[sure].sum()),
        np.stack(sums, axis=1).astype(np.float64),
        weighed @ columns.T,
    )


def by_columns(p: FloatArray) -> FloatArray:
    """Return classes by cases: what goes over a few classes of each case goes over whole rows then, many times as fast."""
    return np.ascontiguousarray(p.T)


def summing_to_one(p: FloatArray) -> FloatArray:
    """Return probabilities, none below 0, whose rows sum to one; rows that do but for rounding stay as they are."""
    near = np.abs(by_columns(p).sum(axis=0) - 1) <= ROUNDING
    if near.all() and p.min() >= 0:
        return p
    p = np.maximum(p, 0.0)
    sums = p.sum(axis=1, keepdims=True)
    return np.asarray(p / np.where(np.abs(sums - 1) <= ROUNDING, 1.0, sums))


def no_moments(k: int) -> Moments:
    """Return the sums over no case."""
    return Moments(0, np.zeros(k), 0.0, 0.0, np.zeros((k, k)), np.zeros((k, k)))


def joined(parts: Iterable[Moments], k: int) -> Moments:
    """Return the sums over all parts."""
    return reduce(Moments.__add__, parts, no_moments(k))


class Densities(NamedTuple):
    r"""Of the density :math:`d_n = \sum_i v_i p_{ni}` of each case: :math:`\sum w \log d`, and its derivatives by v.

    The first are :math:`\sum w p_i / d`, the second, without their sign, :math:`\sum w p_i p_j / d^2`.
    """

    log: float
    first: FloatArray
    second: FloatArray


def densities_of(p: FloatArray, weight: FloatArray | None, v: FloatArray) -> Densities:
    """Return the sums over some cases; a case of weight 0 is none."""
    if weight is not None and not weight.all():
        p, weight = p[weight > 0], weight[weight > 0]
    columns = by_columns(p)
    with np.errstate(divide="ignore", invalid="ignore"):  # numbers of 0 may make a case impossible: -inf
        density = (columns * v[:, None]).sum(axis=0)
        log, scaled = np.log(density), columns / density
        if weight is None:
            return Densities(float(log.sum()), scaled.sum(axis=1), scaled @ scaled.T)
        weighed = scaled * weight
        return Densities(float((weight * log).sum()), weighed.sum(axis=1), weighed @ scaled.T)


class Held(NamedTuple):
    """Probabilities of cases whose weight is above 0, and the weights."""

    p: FloatArray
    weight: FloatArray | None
