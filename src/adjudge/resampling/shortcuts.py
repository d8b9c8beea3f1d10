"""Leave-one-out without refits, for learners of scikit-learn whose fit can be undone by one case.

Where rounding or ties could make the answers differ from those of a fit, the case is left to a refit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge.resampling.learner import Job, Runner
from adjudge.resampling.run_result import Answer, Part, Scored, as_table

_MORE = 64  # neighbours looked at beyond those that vote, where there is a tie, to see its end
_CLOSE = 1e-12  # squared distances nearer than this, relative to what they were computed from, count as tied
_DOUBT = 1e-9  # log probabilities and votes nearer than this, relatively, are left to a refit
_VANISHING = 1e-5  # variances that fall below this share of what they were are left to a refit
_LEAST_ALPHA = 1e-3
_TYPES = (np.float64, np.int64, np.int32, np.bool_)  # with others the learner would not compute in double precision
_DATA_METRICS = frozenset({"precomputed", "seuclidean", "mahalanobis", "nan_euclidean"})
"""Metrics that learn from the cases, or are not of single pairs of rows."""


class _Said(NamedTuple):
    """What would be said of each case: class numbers, probabilities, and whether it is beyond doubt."""

    codes: IntArray
    probabilities: FloatArray
    sure: BoolArray


_Both: TypeAlias = tuple[_Said, _Said | None]
"""What would be said of each case without it, and by a learner that learnt from all of them."""


class Ready(NamedTuple):
    """Answers got all at once: of which units, in one table, and of a learner about the cases it learnt from."""

    units: list[int]
    table: pa.Table
    seen: pa.Table | None


def leave_one_out(job: Job) -> Ready | None:
    """Return the answers of a leave-one-out run that need no refit; None where the learner or the data allow none."""
    from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
    from sklearn.neighbors import KNeighborsClassifier

    ways: dict[type, Callable[[Any, FloatArray, IntArray, int], _Both | None]] = {
        KNeighborsClassifier: _neighbours,
        GaussianNB: _gaussian,
        MultinomialNB: _discrete,
        BernoulliNB: _discrete,
    }
    way = ways.get(type(job.learner))
    values = None if way is None or hasattr(job.X, "tocsr") else np.asarray(job.X)
    if way is None or values is None or values.ndim != 2 or values.dtype not in _TYPES:  # noqa: PLR2004 - rows x features
        return None
    X = np.ascontiguousarray(values, dtype=np.float64)
    if not X.size or not np.all(np.isfinite(X)):
        return None
    labels = np.array(job.classes)
    both = way(job.learner, X, np.searchsorted(labels, job.y), labels.size)
    if both is None or not both[0].sure.any():
        return None
    unseen, seen = both
    rows = np.concatenate(job.plan.test)  # the row of each unit
    units, n = np.flatnonzero(unseen.sure[rows]), rows.size
    table = _table(job, units, "unseen", rows[units], unseen)
    of_seen = _table(job, np.full(n, n), "seen", np.arange(n), seen) if seen is not None and seen.sure.all() else None
    return Ready(units.tolist(), table, of_seen)


def sooner(runner: Runner) -> Runner:
    """Return a runner that leaves to `runner` only the units that no shortcut answers, for those who keep each answer."""

    def run(job: Job, units: Sequence[int]) -> Iterator[Answer]:
        ready = leave_one_out(job) if units and job.plan.kind == "leave-one-out" else None
        known = {} if ready is None else {unit: ready.table.slice(at, 1) for at, unit in enumerate(ready.units)}
        if ready is not None and ready.seen is not None:
            known[len(job.plan)] = ready.seen
        yield from (Answer(unit, known[unit], None, 0.0) for unit in units if unit in known)
        if left := [unit for unit in units if unit not in known]:
            yield from runner(job, left)

    return run


def _table(job: Job, units: IntArray, part: Part, rows: IntArray, said: _Said) -> pa.Table:
    scored = Scored("probabilities", job.classes, said.probabilities[rows])
    decided = np.array(job.classes)[said.codes[rows]]
    return as_table(units, np.zeros(units.size, dtype=np.int64), part, rows, job.y, decided, scored)


def _neighbours(learner: Any, X: FloatArray, codes: IntArray, classes: int) -> _Both | None:
    from sklearn.base import clone

    k, n = learner.n_neighbors, len(X)
    known = isinstance(k, (int, np.integer)) and 0 < k < n and learner.weights in ("uniform", "distance")
    if not known or learner.metric in _DATA_METRICS:
        return None
    fitted = clone(learner).fit(X, codes)
    brute = fitted._fit_method == "brute"  # noqa: SLF001 - the learner chooses by the data
    search = _Search(fitted, X, codes, classes, _CLOSE * float((X**2).sum(axis=1).max()) if brute else 0.0)
    unseen, seen = search.said(np.arange(n), min(n, k + 2))
    tied = np.flatnonzero(~(unseen.sure & seen.sure))
    if tied.size and k + 2 < n:  # look further around the rows in doubt
        for old, new in zip((unseen, seen), search.said(tied, min(n, k + 2 + _MORE)), strict=True):
            for values, better in zip(old, new, strict=True):
                values[tied] = better
    return unseen, seen


class _Search(NamedTuple):
    """A search for neighbours among all cases, and who they vote for."""

    learner: Any  # fitted on all cases
    X: FloatArray
    codes: IntArray
    classes: int
    slack: float  # by how much squared distances may be off: products of matrices lose digits

    def said(self, rows: IntArray, m: int) -> tuple[_Said, _Said]:
        """Return what the nearest of m neighbours say of some rows, without each row and with it among them."""
        distance, index = self.learner.kneighbors(self.X[rows], n_neighbors=m)
        own = index == rows[:, None]
        itself = own.any(axis=1)
        own[~itself, -1] = True  # its own place was taken by twins: drop any, the case is left to a refit
        seen = self._voted(distance, index, whole=m == len(self.X))
        distance, index = (values[~own].reshape(rows.size, -1) for values in (distance, index))
        unseen = self._voted(distance, index, whole=m == len(self.X))
        near = self.learner.weights == "distance" and np.any(distance[:, : self.learner.n_neighbors] ** 2 <= self.slack, axis=1)
        doubt = near if self.slack else False  # whether a distance is 0 decides everything
        return unseen._replace(sure=unseen.sure & itself & ~np.asarray(doubt)), seen

    def _voted(self, distance: FloatArray, index: IntArray, *, whole: bool) -> _Said:
        k, labels, sure = self.learner.n_neighbors, self.codes[index], np.ones(len(distance), dtype=bool)
        if distance.shape[1] > k:  # sure where nothing as far as the last of the k nearest has another class and stays outside
            squared = distance**2
            last = squared[:, [k - 1]]
            tied = np.abs(squared - last) <= _CLOSE * last + self.slack
            alike = ((labels == labels[:, [k - 1]]) | ~tied).all(axis=1)
            sure = ~tied[:, k:].any(axis=1) | ((~tied[:, -1] | whole) & alike)
        distance, votes = distance[:, :k], labels[:, :k]
        weights, by_distance = np.ones(votes.shape), self.learner.weights == "distance"
        if by_distance:  # cases at no distance at all outvote the rest
            zero = distance == 0
            with np.errstate(divide="ignore"):
                weights = np.where(zero.any(axis=1, keepdims=True), zero, 1 / np.where(zero, np.inf, distance))
        counts, rows = np.zeros((len(votes), self.classes)), np.arange(len(votes))
        for i in range(k):  # nearest first, as the learner sums
            counts[rows, votes[:, i]] += weights[:, i]
        if by_distance:
            first, second = _top_two(counts)
            sure = sure & (first - second > _DOUBT * first)
        return _Said(counts.argmax(axis=1), counts / counts.sum(axis=1, keepdims=True), sure)


def _top_two(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    sorted_ = np.partition(values, -2, axis=1)
    return sorted_[:, -1], sorted_[:, -2]


def _decided(joint: FloatArray, sure: BoolArray) -> _Said:
    """Return decisions and probabilities from log p(class, case)."""
    from scipy.special import logsumexp

    first, second = _top_two(joint)
    clear = first - second > _DOUBT * (1 + np.abs(first))
    return _Said(joint.argmax(axis=1), np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), sure & clear)


def _log_priors(given: Any, codes: IntArray, sizes: IntArray, *, counted: bool) -> FloatArray:
    """Return the log prior of every class without each case."""
    n, k = codes.size, sizes.size
    if given is not None:
        return np.broadcast_to(np.log(np.asarray(given, dtype=np.float64)), (n, k))
    if not counted:
        return np.full((n, k), -np.log(k))
    left = np.repeat(sizes[None, :].astype(np.float64), n, axis=0)
    left[np.arange(n), codes] -= 1
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(left / (n - 1)))


def _gaussian(learner: Any, X: FloatArray, codes: IntArray, classes: int) -> _Both | None:
    n, sizes = len(X), np.bincount(codes, minlength=classes)
    if (learner.priors is not None and not _are_priors(learner.priors, classes)) or n <= 2:  # noqa: PLR2004
        return None
    widths = learner.var_smoothing * _variance_without(X, X.mean(axis=0), X.var(axis=0), n).max(axis=1)
    if not np.all(widths > 0):
        return None
    joint = np.array(_log_priors(learner.priors, codes, sizes, counted=True))
    sure = sizes[codes] > 2  # noqa: PLR2004 - one case alone does not vary
    for label in range(classes):
        own = codes == label
        mean, spread = X[own].mean(axis=0), X[own].var(axis=0)
        joint[~own, label] += _log_normal(X[~own], mean, spread + widths[~own, None])
        m = max(int(sizes[label]), 3)
        left = _variance_without(X[own], mean, spread, m) + widths[own, None]
        sure[own] &= np.all(left > _VANISHING * spread, axis=1)
        joint[own, label] += _log_normal(X[own], mean - (X[own] - mean) / (m - 1), np.where(left > 0, left, 1))
    return _decided(joint, sure), None


def _variance_without(X: FloatArray, mean: FloatArray, variance: FloatArray, n: int) -> FloatArray:
    """Return the variance of n rows without each of them: (n v - (x - mean)^2 n / (n - 1)) / (n - 1)."""
    return np.asarray((n * variance - (X - mean) ** 2 * (n / (n - 1))) / (n - 1))


def _log_normal(X: FloatArray, mean: FloatArray, variance: FloatArray) -> FloatArray:
    return np.asarray(-0.5 * (np.log(2 * np.pi * variance).sum(axis=1) + ((X - mean) ** 2 / variance).sum(axis=1)))


def _are_priors(priors: Any, classes: int) -> bool:
    values = np.asarray(priors)
    of_each = values.shape == (classes,) and values.dtype.kind == "f"
    return of_each and bool(np.all(values > 0)) and bool(np.isclose(values.sum(), 1))


def _discrete(learner: Any, X: FloatArray, codes: IntArray, classes: int) -> _Both | None:
    """Return what naive Bayes says of counts (multinomial) or of what is there or not (Bernoulli)."""
    alpha, prior, binary = learner.alpha, learner.class_prior, hasattr(learner, "binarize")
    smooth = isinstance(alpha, (int, float)) and alpha >= _LEAST_ALPHA  # enough for logarithms to stand the loss of one case
    if not smooth or not (prior is None or _are_priors(prior, classes)):
        return None
    if binary and learner.binarize is not None:
        X = (learner.binarize < X).astype(np.float64)
    if (binary and not np.all((X == 0) | (X == 1))) or X.min() < 0:
        return None
    sizes = np.bincount(codes, minlength=classes)
    joint = np.array(_log_priors(prior, codes, sizes, counted=learner.fit_prior))
    for label in range(classes):
        own = codes == label
        total = X[own].sum(axis=0)
        if binary:
            share = (total + alpha) / (sizes[label] + 2 * alpha)
            joint[~own, label] += X[~own] @ (np.log(share) - np.log1p(-share)) + np.log1p(-share).sum()
            left = (total - X[own] + alpha) / (sizes[label] - 1 + 2 * alpha)
            joint[own, label] += (np.where(X[own] > 0, np.log(left), np.log1p(-left))).sum(axis=1)
        else:
            total = total + alpha
            joint[~own, label] += X[~own] @ (np.log(total) - np.log(total.sum()))
            left = np.maximum(total - X[own], alpha)
            joint[own, label] += (X[own] * (np.log(left) - np.log(left.sum(axis=1, keepdims=True)))).sum(axis=1)
    return _decided(joint, sizes[codes] > 1), None
