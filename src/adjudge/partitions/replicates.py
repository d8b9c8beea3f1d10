"""How sure the measures of a partition are: limits by weighing its cases anew, every replicate scaled anew.

A replicate is a row of weights. Where a region has many cases its curves go through a few nodes, true to about 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjudge._base import InputError, Shown, check_whole, dataclass, parameter, replace
from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge._base.one_order import in_one_order, keys_of
from adjudge._base.progress import stepped
from adjudge.partitions.goodness import MEASURES, distances, highest, score, within
from adjudge.partitions.matching import Curve, direct, nodes_of
from adjudge.partitions.scaling import CONSTANT, CONVENTIONS, MATCH, Levels, Located, Moments, Scaling, less_one, pointed, split
from adjudge.stats import special

RESAMPLES = 1000
WHOLE = 20_000  # cases up to which every replicate is drawn from all of them
_SUBSETS, _SUBSET = 8, 5_000
_TWO = 2
_AT_ONCE = 1 << 21  # weights held at one time
_NODES = 65
_MANY = 200  # cases of a region from which on nodes pay
_DOUBT, _PSEUDO = 0.5, 100  # how many cases are added, and in how many places
_NO_SPREAD = 1e-12  # the share of squares that is rounding
_HARDLY = 1e-9  # what counts as membership where there is none
_NAMED = 2.0**20


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
        some = {name: getattr(self, name)[cases] for name in ("memberships", "scaled", "truth", "orders")}
        return replace(self, **some, at=Located(self.at.regions[cases], self.at.length[cases]))

    def doubted(self, rng: np.random.Generator) -> Evidence:
        """Return the cases and, after them, some of them again with a class that was not seen, by how much they belong to it."""
        cases = rng.integers(0, len(self.truth), _PSEUDO)
        chances, rows = self.memberships[cases] + _HARDLY, np.arange(_PSEUDO)
        chances[rows, self.truth[cases]] = 0.0
        upto = np.cumsum(chances, axis=1)
        classes = (upto <= rng.random((_PSEUDO, 1)) * upto[:, -1:]).sum(axis=1)
        both = self.only(np.concatenate([np.arange(len(self.truth)), cases]))
        return replace(both, truth=np.concatenate([self.truth, classes]))


def replicates(
    sets: Sequence[Evidence],
    resamples: int,
    rng: np.random.Generator,
    *,
    total: int | None = None,
    clusters: IntArray | None = None,
) -> FloatArray:
    """Return the measures, sets x resamples x `MEASURES`, of the same weights of the cases, or of clusters, in every set."""
    # Weights are drawn from a Dirichlet (the Bayesian bootstrap: Rubin 1981, Ann. Stat. 9:130-134), as sure as `total` cases make
    # them. Beside the cases each set has half a case of another class than the one seen: where no case was wrong, weights alone
    # would hold that none ever is.
    n = len(sets[0].truth)
    total = n if total is None else total
    drawn = n if clusters is None else int(clusters.max()) + 1
    seed, chunk = int(rng.integers(1 << 32)), max(1, _AT_ONCE // (n + _PSEUDO))
    # Sums to 2^-20 name the memberships of a set: their last bits, in which processors differ, would draw other cases.
    place = np.arange(1, n + 1) / n
    names = [np.rint(_NAMED * (place @ evidence.memberships)).astype(np.int64) for evidence in sets]
    sources = [np.random.default_rng([seed, *name.tolist()]) for name in names]
    measures = [_measures(evidence.doubted(own)) for evidence, own in zip(sets, sources, strict=True)]
    chunks = []
    for start in stepped(range(0, resamples, chunk)):
        shape = min(chunk, resamples - start), drawn
        weights = rng.standard_exponential(shape) if total == n else rng.standard_gamma(total / n, shape)
        weights = weights if clusters is None else weights[:, clusters]
        of_sets = []
        for of, own in zip(measures, sources, strict=True):
            # Doubts come from a source that the memberships of a set name, whatever its place among the sets: so a less b is
            # b less a turned round, and a rule does not differ from itself.
            both = np.concatenate([weights, own.standard_gamma(_DOUBT / _PSEUDO, (len(weights), _PSEUDO))], axis=1)
            both *= total / both.sum(axis=1, keepdims=True)
            of_sets.append(of(both))
        chunks.append(np.stack(of_sets))
    return np.concatenate(chunks, axis=1)


def _measures(evidence: Evidence) -> Callable[[FloatArray], FloatArray]:
    """Return the function from weights to measures: of cases scaled anew in each replicate, or whose scaling stays."""
    rows, truth, assigned = evidence.scaled, evidence.truth, evidence.orders[:, 0]
    g, correct, distribution = rows.shape[1], (truth == assigned).astype(np.float64), CONVENTIONS[evidence.convention]
    parts: list[_Part] = []
    terms = np.empty((0, 0))
    if evidence.refit:
        regions, lengths = evidence.at.regions, evidence.at.length
        fits = [(int(at), int(one)) for at in np.unique(lengths) for one in np.unique(regions[lengths == at, at - 1])]
        parts = [_Part(evidence, length, region) for length, region in fits]
    else:
        squares = np.einsum("ij,ij->i", rows, rows)
        terms = np.column_stack([distances(rows, truth), distances(rows, assigned), highest(rows), squares, correct])

    def measures(weights: FloatArray) -> FloatArray:
        """Return a row of measures for each row of weights, from means of distances, highest memberships, squares and hits."""
        sums = np.zeros((len(weights), 5)) if evidence.refit else weights @ terms
        if evidence.refit:
            sums[:, 4] = weights @ correct
        for part in parts:
            sums[:, :4] += part.terms(distribution(part.moments(weights[:, part.members])), weights[:, part.users], g)
        to_true, to_assigned, top, squares, hits = (sums / weights.sum(axis=1)[:, None]).T
        resemblance = (squares - 1 / g) / (1 - 1 / g)
        return np.stack([score(to_true, g), score(to_assigned, g), top, resemblance, hits], axis=1)  # as in `MEASURES`

    return measures


class _Part:
    """The fit of one region of orders of a length: the cases it is made with, those it scales, and what does not change."""

    def __init__(self, evidence: Evidence, length: int, region: int) -> None:
        mine = evidence.at.regions[:, length - 1] == region
        self.members, self.users = np.flatnonzero(mine), np.flatnonzero(mine & (evidence.at.length == length))
        order, truth = evidence.orders[self.users, :length], evidence.truth[self.users]
        self.parts = split(evidence.memberships[self.users], order)
        with np.errstate(invalid="ignore"):
            shares = self.parts.others / self.parts.left[-1][:, None]
        shares[self.parts.left[-1] <= evidence.scaling.corner] = 1 / (shares.shape[1] - length)
        np.put_along_axis(shares, order, 0.0, axis=1)
        is_own = order == truth[:, None]
        self.place = np.where(is_own.any(axis=1), is_own.argmax(axis=1), length)  # of the true class; the depth where it is none
        self.member_parts = split(evidence.memberships[self.members], evidence.orders[self.members, :length])
        self.hits = (evidence.truth[self.members, None] == np.arange(shares.shape[1])).astype(np.float64)
        self.own = evidence.orders[self.members[:1], :length]
        # of what is left for the other classes: squared shares in sum, the true class's, the largest
        self.squares, self.top_share = np.einsum("ij,ij->i", shares, shares), highest(shares)
        self.own_share = shares[np.arange(truth.size), truth]

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
        left, squares, top, own = np.ones(weights.shape), *(np.zeros(weights.shape) for _ in range(3))
        first = own
        for j in range(depth):
            share, rest = self.shares(levels, j, g)
            value = share * left
            left = left * rest
            squares += value * value
            np.maximum(top, value, out=top)
            first = first if j else value
            own = np.where(self.place == j, value, own)
        squares += left * left * self.squares
        np.maximum(top, left * self.top_share, out=top)
        own = np.where(self.place == depth, left * self.own_share, own)
        to_true, to_first = (np.sqrt(np.maximum(squares - at * at, 0.0) + (1 - at) ** 2) for at in (own, first))  # corners
        return np.stack([np.einsum("ij,ij->i", weights, column) for column in (to_true, to_first, top, squares)], axis=1)

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


def _matched(levels: Levels, j: int, at: BoolArray, v: FloatArray, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return values moved in the replicates marked in `at`: one by one where they are few, through nodes where they are many."""
    distributions = levels.distributions[:, at, j, None]
    inside = (v > 0) & (r > 0)
    if v.size < _MANY or not inside.any() or np.ptp(v[inside]) == 0:
        return _one_by_one(distributions, v, r)
    share = np.repeat((v > 0).astype(np.float64)[None, :], distributions.shape[1], axis=0)
    x = np.log(v[inside] / r[inside])
    nodes = np.linspace(x.min(), x.max(), _NODES)
    values = nodes_of(tuple(distributions), nodes)
    good = np.isfinite(np.concatenate(values, axis=1)).all(axis=1)
    y = Curve(nodes, (values[0][good], values[1][good], values[2][good])).log_odds(x)
    share[np.ix_(good, inside)] = 1 / (1 + np.exp(-np.clip(y, -700, 700)))
    if not good.all():
        share[~good] = _one_by_one(distributions[:, ~good], v, r)[0]
    return share, 1 - share


def _one_by_one(distributions: FloatArray, v: FloatArray, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return values moved without nodes; a replicate may weigh two cases so unlike that one is off by all digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share, rest = direct(tuple(distributions), v[None, :], r[None, :])
        above = v > distributions[0] / (distributions[0] + distributions[1])
    lost = np.isnan(share)
    return np.where(lost, above, share), np.where(lost, ~above, rest)


@dataclass(frozen=True, slots=True)
class MeasureInterval(Shown):
    """A measure of a partition with its limits."""

    measure: str
    value: float
    low: float
    high: float
    level: float
    resamples: int
    method: str

    def in_words(self) -> str:
        """Return the limits as text."""
        name = self.measure.replace("_", " ").capitalize()
        return f"{name} {self.value:.3f}, {100 * self.level:.6g}% interval {self.low:.3f} to {self.high:.3f} ({self.method})."

    __repr__ = in_words


def check_measure(measure: Any) -> int:
    """Return the place of a measure, refusing what is none."""
    if measure not in MEASURES:
        raise InputError(parameter("measure"), f" must be one of {', '.join(MEASURES)}; got {measure!r}.")
    return MEASURES.index(measure)


def check_resamples(resamples: Any) -> int:
    """Return a number of resamples that limits can be read from."""
    check_whole("resamples", resamples, 100)
    return int(resamples)


def deviations(
    sets: Sequence[Evidence],
    values: Sequence[Sequence[float]],
    resamples: int,
    rng: np.random.Generator,
    *,
    clusters: IntArray | None = None,
    level: float = 0.95,
) -> tuple[FloatArray, str]:
    """Return how far replicates are from the values they were drawn around, sets x resamples x measures, and the method.

    Of clusters, numbered from 0 on, each weighs what it weighs as a whole; deviations are larger by what few of them hide.
    """
    keys, exactly = (
        [keys_of(each.truth, each.orders[:, 0], each.memberships, exact=exact) for each in sets] for exact in (False, True)
    )
    order, clusters = in_one_order(keys, clusters, then=np.add.reduce(exactly))  # weights are drawn case by case
    sets = [evidence.only(order) for evidence in sets]
    n, around = len(sets[0].truth), np.asarray(values)[:, None, :]
    if n <= WHOLE:
        off, method = replicates(sets, resamples, rng, clusters=clusters) - around, "Bayesian bootstrap"
    else:  # subsets, whose replicates are as sure as all cases make them: Kleiner et al. (2014), J. R. Stat. Soc. B 76:795-816
        parts, method = [], "bag of little bootstraps"
        for i in stepped(range(_SUBSETS)):
            cases = rng.choice(n, _SUBSET, replace=False) if clusters is None else _whole_clusters(clusters, rng)
            some = [evidence.only(cases) for evidence in sets]
            alike = np.full((1, cases.size), n / cases.size)  # all cases weigh the same
            own = np.stack([_measures(evidence)(alike)[0] for evidence in some])[:, None, :]
            kept = None if clusters is None else np.unique(clusters[cases], return_inverse=True)[1].astype(np.int64)
            parts.append(replicates(some, (resamples + i) // _SUBSETS, rng, total=n, clusters=kept) - own)
        off = np.concatenate(parts, axis=1)
    # Fitted to few cases, scaled vectors lie too near to the true corners, those of replicates still nearer. Where these are on
    # average above the value, they are put back to it and spread below: with that left in, 95% limits held it in 83% of tries.
    flattery, spread = np.maximum(off.mean(axis=1, keepdims=True), 0.0), off.std(axis=1, keepdims=True)
    off = off - flattery
    off = np.where(off < 0, off * (1 + flattery / np.where(spread > 0, spread, 1.0)), off)
    if clusters is not None:
        off, method = off * _of_few(np.bincount(clusters).astype(np.float64), level), f"{method} of clusters"
    return within(around + off, sets[0].scaled.shape[1]) - around, method


def _whole_clusters(clusters: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the cases of some clusters, about as many as a subset has."""
    sizes = np.bincount(clusters)
    order = rng.permutation(sizes.size)
    many = max(int(np.searchsorted(np.cumsum(sizes[order]), _SUBSET)) + 1, min(_TWO, sizes.size))
    return np.flatnonzero(np.isin(clusters, order[:many]))


def _of_few(sizes: FloatArray, level: float) -> float:
    """Return how much wider replicates of clusters are to be: as Student's t is, and as a Dirichlet of so many is too narrow."""
    many = max(float(sizes.sum()) ** 2 / float((sizes**2).sum()), float(_TWO))  # clusters of equal size that weigh as much
    tail = (1 + level) / 2
    ratio = float(special.stdtrit(many - 1, tail) / special.ndtri(tail))
    return ratio * float(np.sqrt((many + 1) / (many - 1)))


def limits(value: float, off: FloatArray, level: float) -> tuple[float, float]:
    """Return the limits of the central `level` of replicates, and of the value: where no case is wrong it lies above them."""
    low, high = np.quantile(off, [(1 - level) / 2, (1 + level) / 2])
    return value + min(float(low), 0.0), value + max(float(high), 0.0)
