"""What several classifiers said of the same cases, counted: one small table from which any of their differences follows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from adjudge._base import Shown, dataclass, replace
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.counts.cells import added_at, coded, pairs, tabulated, weighed_at
from adjudge.counts.clusters import ClusterCounter, ClusterCounts
from adjudge.counts.confusion import DENSE, ConfusionCounts, from_cells, placed, table_of
from adjudge.counts.joint_clusters import JointClusters, add_clusters, cluster_patterns
from adjudge.counts.numbers import refuse_weightless
from adjudge.counts.probabilities import ProbabilityCounts, case_losses, rescaled
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.tally import Tally
from adjudge.predictions.alignment import Together
from adjudge.predictions.blocks import REJECTED, Block
from adjudge.stats.exact_sums import to_floats

_DENSE = 1 << 20  # cells of a table filled directly
_LARGEST = 1 << 62


@dataclass(frozen=True, eq=False)
class JointCounts(Shown):
    """How often each pattern occurs: the true class, and the decision of every classifier."""

    classes: tuple[Any, ...]
    names: tuple[str, ...]
    truth: IntArray  # the true class of each pattern
    predicted: IntArray  # patterns x classifiers: the class decided, and K for no decision
    n: AnyArray  # cases, or their weight; where cases come back in several folds, each counts once
    squares: FloatArray | None = None  # sums of squared weights, where cases are weighted: what they are worth follows from it
    rejects: bool = False
    clusters: JointClusters | None = None  # the same by cluster, where rows belong together

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def right(self) -> BoolArray:
        """Patterns x classifiers: whether the decision is the truth."""
        return np.asarray(self.predicted == self.truth[:, None])

    @property
    def worth(self) -> FloatArray:
        """The number of cases each pattern is worth: scaled so that all are worth Kish's effective number."""
        n: FloatArray = self.n.astype(np.float64)
        return n if self.squares is None else n * (n.sum() / self.squares.sum())

    def confusion(self, i: int) -> ConfusionCounts:
        """Return the confusion table of one classifier."""
        shape = (self.k, self.k + self.rejects)
        at, squares = self.truth * shape[1] + self.predicted[:, i], self.squares
        if squares is None and self.n.dtype.kind == "f":
            squares = self.n
        if self.k <= DENSE:
            n, squares = (None if v is None else added_at(at, [v], shape[0] * shape[1]).reshape(shape) for v in (self.n, squares))
        else:
            cells, where = np.unique(at, return_inverse=True)
            sums = (None if v is None else added_at(where.ravel(), [v], cells.size) for v in (self.n, squares))
            n, squares = (None if v is None else placed(v, cells // shape[1], cells % shape[1], shape) for v in sums)
        table = table_of(n, squares, self.classes)
        if self.clusters is None or self.clusters.singles:
            return table
        return replace(table, clusters=self.clusters.of_one(self.truth, self.predicted[:, i], self.k))

    def outcomes(self, i: int, j: int) -> FloatArray:
        """Return K x 4: both right, only `i`, only `j`, neither, by true class; in cases worth."""
        return outcomes_of(self.right[:, i], self.right[:, j], self.truth, self.worth, self.k)


def outcomes_of(a: BoolArray, b: BoolArray, part: IntArray, n: FloatArray, parts: int) -> FloatArray:
    """Return parts x 4 sums of `n`: both true, only `a`, only `b`, neither."""
    outcome = 2 * ~a + ~b  # 0 both, 1 only a, 2 only b, 3 neither
    return np.asarray(np.bincount(part * 4 + outcome, weights=n, minlength=4 * parts).reshape(parts, 4), dtype=np.float64)


def count_joint(cases: Together) -> JointCounts:
    """Count the patterns of truth and decisions; a case that comes back in several folds counts once."""
    return once_each(count_patterns(cases), cases.cases, cases.rows)


def count_patterns(cases: Together) -> JointCounts:
    """Count the patterns of truth and decisions row by row: sums that add up."""
    k = len(cases.classes)
    columns = [cases.truth, *(np.where(said < 0, k, said) if cases.rejects else said for said in cases.predicted)]
    radix, weight, size = k + 1, cases.weight, (k + 1) ** len(columns)
    where: AnyArray | None = None  # the pattern of each row
    if size > _LARGEST:
        patterns, where = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        where = where.ravel()
        n, squares = weighed_at(where, weight, len(patterns))
    else:
        if size <= min(_DENSE, 4 * columns[0].size + 1024):
            n, squares = tabulated(columns, radix, weight, size)
            codes = np.flatnonzero(n)
            n, squares = n[codes], None if squares is None else squares[codes]
        else:
            codes, where = np.unique(coded(columns, radix), return_inverse=True)
            n, squares = weighed_at(where, weight, codes.size)
        patterns = np.stack(np.unravel_index(codes, (radix,) * len(columns)), axis=1)
    if squares is not None:
        n, squares = to_floats(n), to_floats(squares)
    clusters = None
    if cases.cluster is not None and cases.cluster_keys is not None:
        if where is None:
            where = np.searchsorted(coded(list(patterns.T), radix), coded(columns, radix))
        place = np.where(n > 0, np.cumsum(n > 0) - 1, -1)  # of the patterns whose cases weigh something
        where = place[np.minimum(where, place.size - 1)]
        if weight is not None:
            where = np.where(weight > 0, where, -1)
        clusters = cluster_patterns(cases.cluster_keys, cases.cluster, where, weight, cases.cluster_column)
    counted = _occurring(patterns.astype(np.int64), n, squares)
    return JointCounts(cases.classes, cases.names, *counted, cases.rejects, clusters)


def once_each(joint: JointCounts, cases: int, rows: int) -> JointCounts:
    """Return counts of `cases` for counts of the `rows` that they came back in."""
    if cases >= rows:
        return joint
    share = cases / rows
    clusters = None if joint.clusters is None else replace(joint.clusters, n=joint.clusters.n * share)
    return replace(joint, n=joint.n * share, squares=None if joint.squares is None else joint.squares * share, clusters=clusters)


def add_joint(parts: Sequence[JointCounts], classes: tuple[Any, ...]) -> JointCounts:
    """Return the patterns of all parts, with places among `classes`; the parts name the same classifiers in the same order."""
    place, moved = {label: i for i, label in enumerate(classes)}, []
    for part in parts:
        to = np.array([*(place[label] for label in part.classes), len(classes)], dtype=np.int64)  # the last: no decision
        moved.append(np.column_stack((to[part.truth], to[part.predicted])))
    patterns, where = np.unique(np.concatenate(moved), axis=0, return_inverse=True)
    each = ([part.n for part in parts], [part.squares for part in parts])
    n, squares = (added_at(where.ravel(), values, len(patterns)) for values in each)
    places = np.split(np.cumsum(n > 0)[where.ravel()] - 1, np.cumsum([len(part) for part in moved])[:-1])
    clusters = add_clusters([part.clusters for part in parts], places)
    rejects = any(part.rejects for part in parts)
    return JointCounts(classes, parts[0].names, *_occurring(patterns, n, squares), rejects, clusters)


def _occurring(patterns: IntArray, n: AnyArray, squares: FloatArray | None) -> tuple[IntArray, IntArray, AnyArray, Any]:
    """Return what counts for something: a pattern whose cases all weigh nothing does not; refuse counts of nothing."""
    refuse_weightless(np.any(n))
    at = slice(None) if np.all(n) else np.flatnonzero(n)
    return patterns[at, 0], patterns[at, 1:], n[at], None if squares is None else squares[at]


def tally_set(cases: Together, i: int, *, sums: bool = True, clusters: bool = False) -> Tally:
    """Count set `i`; `sums` of probabilities and `clusters` only where they are wanted."""
    k, weight = len(cases.classes), cases.weight
    cells = pairs(cases.truth.astype(np.int64), cases.predicted[i].astype(np.int64), k, weight)
    rejects = cases.rejects or bool(np.any(cases.predicted[i] == REJECTED))  # all of them where scores decide nothing
    confusion = from_cells(cells, cases.classes, range(k), rejected=rejects)
    if clusters and cases.grouped:
        confusion = replace(confusion, clusters=clusters_of(cases, i))
    scores, columns = cases.scores[i], cases.columns[i]
    if scores is None:
        return Tally(confusion, cases.rows, positive=cases.positive)
    probable = None
    if sums and cases.scales[i] != "scores":
        probable = ProbabilityCounts()
        place = columns_of(cases, i)
        said = np.where(cases.predicted[i] < 0, -1, place[cases.predicted[i]])
        probable.add(scores, place[cases.truth], weight, said)
    counted = ScoreCounts(columns, k, scores, cases.truth, weight)
    return Tally(confusion, cases.rows, cases.scales[i], counted, probable, positive=cases.positive)


def clusters_of(cases: Together, i: int) -> ClusterCounts | None:
    """Return what the rows of each cluster come to in set `i`: decisions, losses and binned scores."""
    if cases.cluster is None or cases.cluster_keys is None:
        return None
    order = [*cases.columns[i], *(at for at in range(len(cases.classes)) if at not in cases.columns[i])]
    code = np.argsort(order)  # of each class: those that scores speak of come first
    said = np.where(cases.predicted[i] < 0, REJECTED, code[cases.predicted[i]])
    block = Block(code[cases.truth], said, cases.scores[i], cases.weight, cluster=cases.cluster_keys[cases.cluster])
    counter = ClusterCounter()
    counter.add_rows(block, cases.scales[i], {})
    return counter.counts_of(list(code))


def columns_of(cases: Together, i: int) -> IntArray:
    """Return the column of scores of set `i` that speaks of each class; one past the last where none does."""
    columns = cases.columns[i]
    place = np.full(len(cases.classes), len(columns))
    place[list(columns)] = np.arange(len(columns))
    return place


def scores_of(cases: Together, i: int, at: int) -> AnyArray:
    """Return the scores of set `i` that rank class `at`; of two classes the other's column turned around, where it has none."""
    scores, columns = cases.scores[i], cases.columns[i]
    assert scores is not None
    return scores[:, columns.index(at)] if at in columns else -scores[:, 0]


def normalised(cases: Together, i: int) -> FloatArray:
    """Return the probabilities that set `i` gives, a column for each class it speaks of, each row summing to one."""
    given = cases.scores[i]
    assert given is not None
    p = np.clip(given.astype(np.float64), 0, 1)
    return np.column_stack([p[:, 0], 1 - p[:, 0]]) if p.shape[1] == 1 else rescaled(p, p.sum(axis=1, keepdims=True))


def losses(cases: Together, i: int, name: str) -> FloatArray:
    """Return the loss of every case: "brier" (halved for two classes), "log_loss", or "mae" and "mse" of numbers."""
    if name in ("mae", "mse"):
        residual = cases.truth - cases.predicted[i]
        return np.asarray(np.abs(residual) if name == "mae" else residual**2)
    p, at = normalised(cases, i), columns_of(cases, i)[cases.truth]
    own = np.where(at < p.shape[1], p[np.arange(len(p)), np.minimum(at, p.shape[1] - 1)], 0.0)
    return case_losses(name, p, own, len(cases.classes))
