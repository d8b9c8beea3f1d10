"""Measures of cases drawn again: every replicate is scaled anew, since the scaling was fitted to the very same cases.

A replicate is a row of weights, how much each case counts. Regions are fitted to the weights all replicates at once;
where a region has many cases its curves go through a few nodes, true to about 1e-6, far below what chance does.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.partitions.goodness import MEASURES, distances, highest, score
from adjudge.partitions.matching import Four, Hermite, direct, nodes_of
from adjudge.partitions.scaling import (
    CONSTANT,
    MATCH,
    Levels,
    Located,
    Moments,
    Scaling,
    Split,
    klar,
    less_one,
    paper,
    pointed,
    split,
)

_AT_ONCE = 1 << 21  # weights held at one time
_NODES = 65
_MANY = 200  # cases of a region from which on nodes pay
_DOUBT, _PSEUDO = 0.5, 100  # how many cases are added, and in how many places
_NO_SPREAD = 1e-12  # the share of squares that is rounding
_HARDLY = 1e-9  # what counts as membership where there is none


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a partition rests on: its cases, their scaling, and whether that was fitted to them."""

    memberships: FloatArray
    scaled: FloatArray
    truth: IntArray
    orders: IntArray
    scaling: Scaling
    at: Located
    refit: bool
    convention: str

    def only(self, cases: IntArray) -> Evidence:
        """Return some of the cases."""
        at = Located(self.at.regions[cases], self.at.length[cases])
        some = {name: getattr(self, name)[cases] for name in ("memberships", "scaled", "truth", "orders")}
        return replace(self, **some, at=at)

    def doubted(self, rng: np.random.Generator) -> Evidence:
        """Return the cases and, after them, some of them again with a class that was not seen, by how much they belong to it."""
        cases = rng.integers(0, len(self.truth), _PSEUDO)
        chances, rows = self.memberships[cases] + _HARDLY, np.arange(_PSEUDO)
        chances[rows, self.truth[cases]] = 0.0
        upto = np.cumsum(chances, axis=1)
        classes = (upto <= rng.random((_PSEUDO, 1)) * upto[:, -1:]).sum(axis=1)
        both = self.only(np.concatenate([np.arange(len(self.truth)), cases]))
        return replace(both, truth=np.concatenate([self.truth, classes]))


def replicates(sets: Sequence[Evidence], resamples: int, rng: np.random.Generator, *, total: int | None = None) -> FloatArray:
    """Return the measures, sets x resamples x `MEASURES`, of the same weights of the cases in every set.

    Weights are drawn from a Dirichlet law (the Bayesian bootstrap: Rubin 1981, Ann. Stat. 9:130-134), as sure as `total` cases
    make them, as many as there are if left out. Beside the cases each set has half a case more that is of another class than
    the one seen: where no case was wrong, weights alone would hold that none ever is.
    """
    n = len(sets[0].truth)
    total = n if total is None else total
    seed, chunk = int(rng.integers(1 << 32)), max(1, _AT_ONCE // (n + _PSEUDO))
    sources = [np.random.default_rng([seed, zlib.crc32(evidence.memberships.tobytes())]) for evidence in sets]
    measures = [_measures(evidence.doubted(own)) for evidence, own in zip(sets, sources, strict=True)]
    found = []
    for start in range(0, resamples, chunk):
        shape = min(chunk, resamples - start), n
        weights = rng.standard_exponential(shape) if total == n else rng.standard_gamma(total / n, shape)
        of_sets = []
        for of, own in zip(measures, sources, strict=True):
            # Doubts come from a source that the memberships of a set name, whatever its place among the sets: so a less b is
            # b less a turned round, and a rule does not differ from itself.
            both = np.concatenate([weights, own.standard_gamma(_DOUBT / _PSEUDO, (len(weights), _PSEUDO))], axis=1)
            both *= total / both.sum(axis=1, keepdims=True)
            of_sets.append(of(both))
        found.append(np.stack(of_sets))
    return np.concatenate(found, axis=1)


def measured(evidence: Evidence, *, total: int) -> FloatArray:
    """Return the measures of cases that all weigh the same, `total` in sum."""
    n = len(evidence.truth)
    return np.asarray(_measures(evidence)(np.full((1, n), total / n))[0])


def _measures(evidence: Evidence) -> Callable[[FloatArray], FloatArray]:
    """Return the function from weights to measures."""
    return _Refitted(evidence) if evidence.refit else _Fixed(evidence)


class _Fixed:
    """Measures of cases whose scaled memberships stay."""

    def __init__(self, evidence: Evidence) -> None:
        rows, truth, assigned = evidence.scaled, evidence.truth, evidence.orders[:, 0]
        self.g, squares = rows.shape[1], np.einsum("ij,ij->i", rows, rows)
        terms = [distances(rows, truth), distances(rows, assigned), highest(rows), squares, truth == assigned]
        self.terms = np.column_stack(terms)

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return a row of measures for each row of weights."""
        return _as_measures((weights @ self.terms) / weights.sum(axis=1)[:, None], self.g)


def _as_measures(means: FloatArray, g: int) -> FloatArray:
    """Return measures from means of distances, highest memberships, squares and hits, in the order of `MEASURES`."""
    found = np.empty((len(means), len(MEASURES)))
    found[:, 0], found[:, 1] = score(means[:, 0], g), score(means[:, 1], g)
    found[:, 2], found[:, 3], found[:, 4] = means[:, 2], (means[:, 3] - 1 / g) / (1 - 1 / g), means[:, 4]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One fit: the cases it is made with, those it scales, and what of these does not change."""

    members: IntArray
    member_parts: Split
    hits: FloatArray
    """Members by classes: 1 where that is the true class."""
    own: IntArray
    users: IntArray
    parts: Split
    place: IntArray
    """Which class of the order is the true one; the depth where it is none."""
    squares: FloatArray
    own_share: FloatArray
    top_share: FloatArray
    """Of what is left for the other classes: squared shares in sum, the true class's, the largest."""

    @classmethod
    def of(cls, evidence: Evidence, length: int, region: int) -> _Part:
        """Return the fit of one region of orders of a length."""
        mine = evidence.at.regions[:, length - 1] == region
        members, users = np.flatnonzero(mine), np.flatnonzero(mine & (evidence.at.length == length))
        order, truth = evidence.orders[users, :length], evidence.truth[users]
        parts = split(evidence.memberships[users], order)
        with np.errstate(invalid="ignore"):
            shares = parts.others / parts.left[-1][:, None]
        alike = parts.left[-1] <= evidence.scaling.corner
        shares[alike] = 1 / (shares.shape[1] - length)
        np.put_along_axis(shares, order, 0.0, axis=1)
        is_own = order == truth[:, None]
        place = np.where(is_own.any(axis=1), is_own.argmax(axis=1), length)
        member_parts = split(evidence.memberships[members], evidence.orders[members, :length])
        hits = (evidence.truth[members, None] == np.arange(shares.shape[1])).astype(np.float64)
        own = evidence.orders[members[:1], :length]
        of_shares = np.einsum("ij,ij->i", shares, shares), shares[np.arange(users.size), truth], highest(shares)
        return cls(members, member_parts, hits, own, users, parts, place, *of_shares)

    def moments(self, weights: FloatArray) -> Moments:
        """Return the moments of one fit, a row per replicate; where no member weighs anything, those of one case of no weight."""
        n = weights.sum(axis=1)
        some = np.where(n > 0, n, 1.0)
        means, rests = weights @ self.member_parts.tops.T / some[:, None], weights @ self.member_parts.left[1:].T / some[:, None]
        off = self.member_parts.left[1] - self.member_parts.left[1].mean()
        squares = weights @ (off * off)
        spread = squares - (weights @ off) ** 2 / some
        spread = np.where(spread > _NO_SPREAD * squares, spread, 0.0)  # one case drawn again and again has none
        counts = weights @ self.hits
        return Moments(some, means, rests, spread / some / less_one(some), counts, np.repeat(self.own, n.size, axis=0))

    def terms(self, levels: Levels, weights: FloatArray, g: int) -> FloatArray:
        """Return sums over cases of the distances to the true and the assigned corner, the highest membership, the squares."""
        depth = levels.kind.shape[1]
        left, squares, top, own, first = np.ones(weights.shape), np.zeros(weights.shape), np.zeros(weights.shape), None, None
        for j in range(depth):
            share, rest = self.shares(levels, j, g)
            value = share * left
            left = left * rest
            squares += value * value
            np.maximum(top, value, out=top)
            first = value if first is None else first
            own = np.where(self.place == j, value, 0.0 if own is None else own)
        assert own is not None
        assert first is not None
        squares += left * left * self.squares
        np.maximum(top, left * self.top_share, out=top)
        own = np.where(self.place == depth, left * self.own_share, own)
        to_true, to_first = (np.sqrt(np.maximum(squares - at * at, 0.0) + (1 - at) ** 2) for at in (own, first))  # corners
        columns = (to_true, to_first, top, squares)
        return np.stack([np.einsum("ij,ij->i", weights, column) for column in columns], axis=1)

    def shares(self, levels: Levels, j: int, g: int) -> tuple[FloatArray, FloatArray]:
        """Return moved shares, replicates by cases, and what they leave."""
        whole = self.parts.left[j]
        nothing = whole == 0
        whole = np.where(nothing, 1.0, whole)
        v, r = self.parts.tops[j] / whole, self.parts.left[j + 1] / whole
        kind, value = levels.kind[:, j], levels.value[:, j]
        share = np.broadcast_to(value[:, None], (kind.size, v.size)).copy()
        rest = 1 - share
        matched = kind == MATCH
        if matched.any():
            share[matched], rest[matched] = _matched(levels, j, matched, v, r)
        for i in np.flatnonzero((kind != MATCH) & (kind != CONSTANT)):  # shifted, or moved to two points
            share[i] = pointed(levels, int(i), j, v)
            rest[i] = 1 - share[i]
        if nothing.any():
            share[:, nothing], rest[:, nothing] = 1 / (g - j), 1 - 1 / (g - j)
        return share, rest


class _Refitted:
    """Measures of cases scaled anew in each replicate."""

    def __init__(self, evidence: Evidence) -> None:
        self.g, self.n = evidence.memberships.shape[1], len(evidence.truth)
        self.law = klar if evidence.convention == "klar" else paper
        self.correct = (evidence.truth == evidence.orders[:, 0]).astype(np.float64)
        regions, lengths = evidence.at.regions, evidence.at.length
        fits = [(int(at), int(one)) for at in np.unique(lengths) for one in np.unique(regions[lengths == at, at - 1])]
        self.parts = [_Part.of(evidence, length, region) for length, region in fits]

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return a row of measures for each row of weights."""
        sums = np.zeros((len(weights), 5))
        for part in self.parts:
            levels = self.law(part.moments(weights[:, part.members]))
            sums[:, :4] += part.terms(levels, weights[:, part.users], self.g)
        sums[:, 4] = weights @ self.correct
        return _as_measures(sums / weights.sum(axis=1)[:, None], self.g)


def _matched(levels: Levels, j: int, at: BoolArray, v: FloatArray, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return values moved in the replicates marked in `at`: one by one where they are few, through nodes where they are many."""
    laws = _laws(levels, j, at)
    inside = (v > 0) & (r > 0)
    if v.size < _MANY or not inside.any() or np.ptp(v[inside]) == 0:
        return _one_by_one(laws, v, r)
    share = np.repeat((v > 0).astype(np.float64)[None, :], len(laws[0]), axis=0)
    x = np.log(v[inside] / r[inside])
    nodes = np.linspace(x.min(), x.max(), _NODES)
    values = nodes_of(laws, nodes)
    good = np.isfinite(np.concatenate(values, axis=1)).all(axis=1)
    y = Hermite.of(nodes, x)(*(part[good] for part in values))
    share[np.ix_(good, inside)] = 1 / (1 + np.exp(-np.clip(y, -700, 700)))
    if not good.all():
        share[~good] = _one_by_one(_laws(levels, j, np.flatnonzero(at)[~good]), v, r)[0]
    return share, 1 - share


def _one_by_one(laws: Four, v: FloatArray, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return values moved without nodes; a replicate may weigh two cases so unlike that one is off its law by all digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share, rest = direct(laws, v[None, :], r[None, :])
        above = v > laws[0] / (laws[0] + laws[1])
    lost = np.isnan(share)
    return np.where(lost, above, share), np.where(lost, ~above, rest)


def _laws(levels: Levels, j: int, rows: AnyArray) -> Four:
    return levels.a[rows, j, None], levels.b[rows, j, None], levels.to_a[rows, j, None], levels.to_b[rows, j, None]
