"""The curves of an evaluation, with bands, what the thresholds along them mean, and the class to speak of by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arrays import IntArray
from adjudge._base.show import plain
from adjudge._base.text import safe
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.curves import Curve, one_against_rest, precision_recall_curve, quantile_reliability_curve, reliability_curve
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.tally import Tally
from adjudge.stats.bands import precision_band, roc_band, share_band
from adjudge.stats.ranking import ScoreTable

RARE = 0.2
"""Below this share of an equal one, 1 / K, a class of K is rare: of two classes below 10% of the cases."""
_TWO = 2
MOST_POINTS = 200
"""Points of one curve; of many curves, fewer of each."""
_ALL_POINTS = 2000  # of all curves of a kind
_FEWEST_POINTS = 25
MOST_CURVES = 30
"""Classes whose curves are kept; with more, the commonest ones."""


def subject(counts: ConfusionCounts, positive: Any) -> Any:
    """Return the class to speak of by itself: the positive one, or of two the rarer one where it is rare; else None."""
    if positive is not None:
        return positive
    present = counts.k == _TWO and bool(np.all(counts.support > 0))
    at = int(np.argmin(counts.support))
    return counts.classes[at] if present and is_rare(counts, at) else None


def is_rare(counts: ConfusionCounts, at: int) -> bool:
    """Return whether a class has less than a fifth of an equal share of the cases."""
    return bool(0 < counts.support[at] < RARE * counts.n / counts.k)


def curves_of(tally: Tally, level: float = 0.95) -> dict[str, dict[Any, Curve]]:
    """Return the curves by kind and class; of two classes those of the positive one are enough.

    The reliability of the highest probability stands beside those of single classes, which are of a kind of their own.
    """
    if tally.scores is None:
        return {}
    found: dict[str, dict[Any, Curve]] = {"roc": {}, "precision-recall": {}}
    for at in _of_interest(tally):
        label, table = tally.confusion.classes[at], tally.scores.table(at)
        roc = one_against_rest(tally.scores, at, label)
        if roc is not None and isinstance(table, ScoreTable):
            worth, recalled = worths(tally.confusion, at), precision_recall_curve(table, label)
            band = roc_band(roc.x, roc.y, worth[1], worth[0], level)
            roc = replace(roc, band=band)
            recalled = replace(recalled, band=precision_band(band, float(recalled.y[-1])))  # the prevalence is that of the cases
            if at not in tally.scores.columns and tally.probabilities is not None:  # those of the other of two classes, turned
                roc, recalled = (replace(curve, thresholds=1 + curve.thresholds) for curve in (roc, recalled))
            found["roc"][label], found["precision-recall"][label] = roc, recalled
    if tally.probabilities is not None:
        found["reliability"] = {"highest probability": _reliability(tally.probabilities, tally.probabilities.top, None, level)}
        found["class-reliability"] = _by_class(tally, tally.probabilities, level)
        found |= _of_rare(tally, tally.probabilities, level)
    return found


def _of_rare(tally: Tally, sums: ProbabilityCounts, level: float) -> dict[str, dict[Any, Curve]]:
    """Return the reliability of the class to speak of, where it is rare, in bins of as many expected cases of it each."""
    counts = tally.confusion
    label = subject(counts, None if tally.positive is None else counts.classes[tally.positive])
    if label is None or tally.scores is None:
        return {}
    at = list(counts.classes).index(label)
    table = tally.scores.table(at)
    if not is_rare(counts, at) or not isinstance(table, ScoreTable):
        return {}
    if at not in tally.scores.columns:  # the scores of the other of two classes, turned
        if table.mixed is not None:  # put together where they are near 1, and what is left of that says little
            return {}
        table = replace(table, values=1 + table.values)
    return {"quantile-reliability": {label: _with_limits(sums, quantile_reliability_curve(table, label), level)}}


def worths(counts: ConfusionCounts, at: int) -> tuple[float, float]:
    """Return how many equally weighted cases those of a class, and all others, are worth."""
    support, squares = counts.support, counts.support
    if isinstance(counts, WeightedCounts):
        squares = np.asarray(counts.squares.sum(axis=1))
    own, own_squares = float(support[at]), float(squares[at])
    rest, rest_squares = float(support.sum()) - own, float(squares.sum()) - own_squares
    return (own**2 / own_squares if own_squares > 0 else 0.0), (rest**2 / rest_squares if rest_squares > 0 else 0.0)


def _of_interest(tally: Tally) -> list[int]:
    counts = tally.confusion
    if counts.k <= _TWO and tally.positive is not None:
        return [tally.positive]
    return sorted(int(i) for i in np.argsort(-counts.support, kind="stable")[:MOST_CURVES])


def _by_class(tally: Tally, sums: ProbabilityCounts, level: float) -> dict[Any, Curve]:
    assert tally.scores is not None
    columns, found = tally.scores.columns, {}
    for at in _of_interest(tally):
        column = columns.index(at) if at in columns else len(columns)
        if column < len(sums.by_class):
            label = tally.confusion.classes[at]
            found[label] = _reliability(sums, sums.by_class[column], label, level)
    return found


def _reliability(sums: ProbabilityCounts, parts: Any, of: Any, level: float) -> Curve:
    return _with_limits(sums, reliability_curve(parts, of), level)


def _with_limits(sums: ProbabilityCounts, curve: Curve, level: float) -> Curve:
    """Return a curve whose points have limits."""
    if curve.size is None or not curve.x.size:
        return curve
    cases = curve.size * (sums.weight / sums.weight_squares)
    return replace(curve, band=share_band(curve.x, np.clip(curve.y, 0, 1) * cases, cases, level))


# -- as plain Python, no larger than a reader can use ----------------------------------------------------------


def plain_curves(curves: Mapping[str, Mapping[Any, Curve]]) -> dict[str, Any]:
    """Return curves by kind and class: some of their points, each of them exact, and their areas."""
    told: dict[str, Any] = {}
    for kind, found in curves.items():
        most = max(_FEWEST_POINTS, min(MOST_POINTS, _ALL_POINTS // max(len(found), 1)))
        told[kind] = {}
        for label, curve in found.items():
            kept = spaced(curve, most)
            points = {name: getattr(curve, name)[kept] for name in ("x", "y", "thresholds")}
            points |= {} if curve.size is None else {"cases": curve.size[kept]}
            about = {"x_name": curve.x_name, "y_name": curve.y_name, "area": curve.area, "points": curve.x.size}
            told[kind][safe(label)] = plain(points | about)
    return told


def spaced(curve: Curve, most: int) -> IntArray:
    """Return which points to keep: all, or `most` of them about equally far from each other along the curve.

    >>> flat = Curve("roc", np.linspace(0, 1, 9), np.zeros(9), np.zeros(9), 0.0, "x", "y")
    >>> spaced(flat, 3).tolist()
    [0, 4, 8]
    """
    n = curve.x.size
    if n <= most:
        return np.arange(n)
    steps = np.hypot(np.diff(curve.x), np.diff(curve.y))
    way = np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(steps), steps, 0.0))])
    wanted = np.linspace(0, way[-1], most)
    return np.unique(np.concatenate([[0], np.searchsorted(way, wanted[1:-1]), [n - 1]]))
