"""Memberships scaled to what they are worth: in each region moved towards how often the classes are true there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from adjudge._base.arrays import BLOCK, BoolArray, FloatArray, IntArray
from adjudge.partitions.fitting import (
    CONSTANT,
    MATCH,
    SHIFT,
    TWO_POINTS,
    Levels,
    Moments,
    Split,
    classes_of,
    moments,
    paper,
    pointed,
    split,
)
from adjudge.partitions.matching import moved

LITTLE = 1e-4
"""Variance below which values are shifted."""
MOST = 1e4
"""The largest alpha + beta."""
TIED = 1e-5
"""Memberships nearer to the highest than this share of it count as tied with it."""
CORNER = 1e-6
"""What is left of 1 from which on it is shared in the old proportions, and below which equally."""


def precision_of(found: Moments) -> FloatArray:
    """Return alpha + beta of each region."""
    mean = found.means[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = mean * (1 - mean) / found.variance - 1
    return np.where(found.variance < LITTLE, MOST, np.minimum(wanted, MOST))


def klar(found: Moments) -> Levels:
    """Return the laws of regions at depth one."""
    precision, mean, p = precision_of(found), found.means[:, 0], found.named_frequencies[:, 0]
    whole = np.floor(np.minimum(found.n, precision))
    kind = np.select(
        [(found.variance < LITTLE) | (p == 1), p == 0, whole < 1],
        [SHIFT, CONSTANT, TWO_POINTS],
        MATCH,
    )
    by = np.where(kind == SHIFT, p - mean, 0.0)
    laws = (precision * mean, precision * (1 - mean), whole * p, whole * (1 - p))
    a, b, to_a, to_b = (column[:, None] for column in laws)
    return Levels(a, b, to_a, to_b, kind[:, None], by[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The regions of one length of order, found by a chain of tables: region of the shorter order x next class."""

    places: IntArray
    """For each such pair the number of the region, -1 where no case was."""
    moments: Moments
    levels: Levels


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """Everything fitted, shorter orders first; cases are scaled in the longest region of at least `smallest` cases."""

    fitted: tuple[Fitted, ...]
    g: int
    smallest: int
    corner: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """For each case and length of order the number of its region (-1 if new), and the length it is scaled at (0: none)."""

    regions: IntArray
    length: IntArray


def fit(parts: Split, truth: IntArray, order: IntArray, *, convention: str) -> Scaling:
    """Return the fit to cases; orders of every length up to that of `order` are fitted."""
    g = parts.others.shape[1]
    before, own, done = np.zeros(len(order), dtype=np.int64), np.empty((1, 0), dtype=np.int64), []
    for depth in range(1, order.shape[1] + 1):
        key = before * g + order[:, depth - 1]
        seen = np.flatnonzero(np.bincount(key, minlength=len(own) * g))
        places = np.full(len(own) * g, -1, dtype=np.int64)
        places[seen] = np.arange(seen.size)
        before, own = places[key], classes_of(seen, own, g)
        found = moments(before, own, parts, truth, g)
        done.append(Fitted(places, found, klar(found) if convention == "klar" else paper(found)))
    return Scaling(tuple(done), g, g, CORNER if convention == "klar" else 0.0)


def locate(scaling: Scaling, order: IntArray) -> Located:
    """Return the regions of cases by their orders; longer orders of new ones are new too."""
    regions, length = np.empty((len(order), len(scaling.fitted)), dtype=np.int64), np.zeros(len(order), dtype=np.int64)
    before = np.zeros(len(order), dtype=np.int64)
    for j, fitted in enumerate(scaling.fitted):
        regions[:, j] = np.where(before >= 0, fitted.places[np.maximum(before, 0) * scaling.g + order[:, j]], -1)
        before = regions[:, j]
        large = fitted.moments.n >= scaling.smallest if j else np.ones(fitted.moments.n.size, dtype=bool)
        length[(before >= 0) & large[before]] = j + 1
    return Located(regions, length)


def scaled(scaling: Scaling, m: FloatArray, order: IntArray, at: Located, parts: Split) -> FloatArray:
    """Return the scaled memberships; cases in no known region keep theirs. `parts` are used up."""
    if (at.length == order.shape[1]).all():
        return _scaled_at(scaling, parts, order, at.regions[:, -1])
    rows = m.copy()
    for depth in range(1, order.shape[1] + 1):
        mine = np.flatnonzero(at.length == depth)
        if mine.size:
            rows[mine] = _scaled_at(
                scaling, split(m[mine], order[mine, :depth]), order[mine, :depth], at.regions[mine, depth - 1]
            )
    return rows


def _scaled_at(scaling: Scaling, parts: Split, order: IntArray, region: IntArray) -> FloatArray:
    """Scale the classes of the order one after another, and let the others keep their ratios."""
    depth = order.shape[1]
    levels = scaling.fitted[depth - 1].levels
    groups = _groups(region, len(levels.kind))
    shares, remains = [], np.ones(len(order))
    for j in range(depth):
        share, rest = _moved(levels, j, parts, groups)
        nothing = parts.left[j] == 0
        if nothing.any():  # then all classes from here on have equal parts
            share = np.where(nothing, 1 / (scaling.g - j), share)
            rest = np.where(nothing, 1 - 1 / (scaling.g - j), rest)
        shares.append(share * remains)
        remains = remains * rest
    return _together(parts, order, shares, remains, scaling.corner)


def _groups(region: IntArray, size: int) -> list[tuple[int, IntArray]]:
    """Return the cases of each region that has some."""
    small = region.astype(np.uint16) if size <= np.iinfo(np.uint16).max else region  # NumPy sorts these by their digits
    by, ends = np.argsort(small, kind="stable"), np.cumsum(np.bincount(region, minlength=size))
    starts = np.concatenate([[0], ends[:-1]])
    return [(i, by[low:high]) for i, (low, high) in enumerate(zip(starts, ends, strict=True)) if low < high]


def _moved(levels: Levels, j: int, parts: Split, groups: list[tuple[int, IntArray]]) -> tuple[FloatArray, FloatArray]:
    """Return the moved share that class j of the order has of what is left, and what then is left of that."""
    share, rest = np.empty(parts.left[0].size), np.empty(parts.left[0].size)
    for region, cases in groups:
        whole = parts.left[j][cases]
        whole[whole == 0] = 1.0
        v, r = parts.tops[j][cases] / whole, parts.left[j + 1][cases] / whole
        share[cases], rest[cases] = _moved_one(levels, region, j, v, r)
    return share, rest


def _moved_one(levels: Levels, region: int, j: int, v: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
    if levels.kind[region, j] == MATCH:
        a, b, to_a, to_b = (float(part[region, j]) for part in (levels.a, levels.b, levels.to_a, levels.to_b))
        return moved((a, b, to_a, to_b), v, rest)
    s = pointed(levels, region, j, v)
    return s, 1 - s


def _together(parts: Split, order: IntArray, shares: list[FloatArray], remains: FloatArray, corner: float) -> FloatArray:
    """Return whole rows; what remains goes to the others by their ratios, or equally where they had nothing."""
    out, old = parts.others, parts.left[-1]
    alike = np.flatnonzero(old <= corner)
    factor = remains / np.where(old > 0, old, 1.0)
    for start in range(0, len(out), BLOCK):
        part = slice(start, start + BLOCK)
        block, rows = out[part], np.arange(len(out[part]))
        block *= factor[part, None]
        for place, share in zip(order.T, shares, strict=True):
            block[rows, place[part]] = share[part]
    if alike.size:
        out[alike] = (remains[alike] / (out.shape[1] - order.shape[1]))[:, None]
        for place, share in zip(order.T, shares, strict=True):
            out[alike, place[alike]] = share[alike]
    return out


Ties: TypeAlias = Literal["first", "random"]


def orders(
    m: FloatArray, depth: int, *, rng: np.random.Generator | None, decided: IntArray | None = None, slack: float = 0.0
) -> IntArray:
    """Return the codes of the `depth` classes of highest membership, highest first; equal ones in the order of the columns.

    The class that was `decided` for comes first among those that share the highest membership. With `rng` equals come in
    random order. Memberships within a share `slack` of the highest count as equal to it.
    """
    found = np.empty((len(m), depth), dtype=np.int64)
    for start in range(0, len(m), BLOCK):
        part = slice(start, start + BLOCK)
        block = np.where(_near_top(m[part], slack), 1.0, m[part]) if slack else m[part]
        if decided is not None and rng is None:
            block = _decided_first(block, decided[part])
        found[part] = _block_orders(block, depth, rng)
    return found


def _near_top(m: FloatArray, slack: float) -> BoolArray:
    return np.asarray(m >= m.max(axis=1, keepdims=True) * (1 - slack))


def _decided_first(m: FloatArray, decided: IntArray) -> FloatArray:
    """Return memberships in which the class decided for stands above others that are as high."""
    top = m.max(axis=1, keepdims=True)
    chosen = (np.arange(m.shape[1]) == decided[:, None]) & (m == top)
    return np.where(chosen, np.inf, m) if chosen.any() else m


def _block_orders(m: FloatArray, depth: int, rng: np.random.Generator | None) -> IntArray:
    if rng is not None:
        return np.asarray(np.lexsort((rng.random(m.shape), -m), axis=1)[:, :depth], dtype=np.int64)
    if depth == 1:
        return np.asarray(np.argmax(m, axis=1)[:, None], dtype=np.int64)
    return np.argsort(-m, axis=1, kind="stable")[:, :depth]


def tied(m: FloatArray, tops: FloatArray) -> int:
    """Return in how many cases another order of equal memberships would have led to another region."""
    count = 0
    for start in range(0, len(m), BLOCK):
        part = slice(start, start + BLOCK)
        equal = sum((column == tops[-1, part]).astype(np.int8) for column in m[part].T)
        inside = (tops[1:, part] == tops[:-1, part]).any(axis=0)
        count += int(np.count_nonzero((equal > 1) | inside))
    return count
