"""The best of many: the joint posterior of all candidates, and how good the winner is on cases that did not choose it.

A winner is chosen on one half of the cases and judged on the other, again and again (Tsamardinos et al. 2018, Mach. Learn.
107:1895-1922, with halves in place of the bootstrap: larger shares that choose make equals look worse than they are).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.progress import stepped
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts, losses
from adjudge.estimates.clustered_pairs import effect_of_rows
from adjudge.estimates.differences import Cells
from adjudge.estimates.over_folds import of_table
from adjudge.estimates.redrawn import redrawn_scores
from adjudge.estimates.score_differences import MEANS, area_covariance, influences, value_in
from adjudge.metrics.averages import of_margins
from adjudge.metrics.measure import Measure, OtherMeasure
from adjudge.predictions.alignment import Together

SPLITS = 500
DRAWS = 20_000
_TIMES = 25
_CELLS = 1 << 24  # counts of patterns held at one time
_LARGEST = 100_000_000  # cases that are split one by one; more are scaled down


def corrected_best(joint: JointCounts, measure: Measure, *, positive: int | None, rng: Any = 0) -> float:
    """Return the value of the winner, less what the winners of the splits fall short of it by on cases that had no say."""
    source, scale = np.random.default_rng(rng), min(1.0, _LARGEST / float(joint.worth.sum()))
    n: IntArray = np.maximum(np.rint(joint.worth * scale), 1).astype(np.int64)
    splits = max(50, min(SPLITS, _CELLS // n.size))
    chose = source.multivariate_hypergeometric(n, max(1, int(n.sum()) // 2), size=splits, method="marginals")
    cells = [Cells(joint.truth, joint.predicted[:, i], joint.k, rejects=joint.rejects) for i in range(joint.predicted.shape[1])]
    sign = 1.0 if measure.higher_is_better else -1.0
    values = sign * np.stack([of_margins(measure, each.margins(chose), positive) for each in cells], axis=1)
    winner = np.argmax(np.where(np.isnan(values), -np.inf, values), axis=1)
    own = [of_table(measure, joint.confusion(i), positive) for i in range(len(cells))]
    best = int(np.nanargmax(sign * np.array(own)))
    left: AnyArray = n - chose
    won: IntArray = np.unique(winner)
    held = np.concatenate([left[winner == i].sum(axis=0) for i in won])
    on_winners, on_best = (
        of_table(measure, _decided(joint, which, n), positive) for which, n in ((won, held), ([best], left.sum(axis=0)))
    )
    return own[best] - (on_best - on_winners)


def _decided(joint: JointCounts, which: Sequence[int] | IntArray, n: AnyArray) -> ConfusionCounts:
    """Return one table of the patterns, as some of the classifiers decided each of them, so many times."""
    truth, said = np.tile(joint.truth, len(which)), joint.predicted[:, which].T.reshape(-1, 1)
    both: dict[str, Any] = {"truth": truth, "predicted": said, "n": n.astype(np.float64), "squares": None, "clusters": None}
    return replace(joint, **both).confusion(0)


def corrected_best_score(cases: Together, measure: OtherMeasure, *, rng: Any = 0) -> float:
    """Return the same for a measure of scores or numbers: chosen on one half of the cases, judged on the other."""
    source = np.random.default_rng(rng)
    sign, many = (1.0 if measure.higher_is_better else -1.0), range(len(cases.predicted))
    own = [value_in(cases, measure, i) for i in many]
    best = int(np.nanargmax(sign * np.array(own)))
    short = []
    for _ in stepped(range(_TIMES)):
        half = source.permutation(cases.rows) % 2
        if cases.grouped and cases.cluster_keys is not None:  # the rows of a cluster are of one half
            half = (source.permutation(cases.cluster_keys.size) % 2)[cases.cluster]
        for part in (0, 1):
            chose, judged = (_some(cases, np.flatnonzero(half == side)) for side in (part, 1 - part))
            values = [sign * value_in(chose, measure, i) for i in many]
            winner = best if np.isnan(values).all() else int(np.nanargmax(values))
            short.append(0.0 if winner == best else value_in(judged, measure, best) - value_in(judged, measure, winner))
    known = [v for v in short if np.isfinite(v)]
    return float(own[best] - np.mean(known)) if known else own[best]


def _some(cases: Together, rows: IntArray) -> Together:
    return replace(
        cases,
        truth=cases.truth[rows],
        predicted=tuple(said[rows] for said in cases.predicted),
        scores=tuple(None if scores is None else scores[rows] for scores in cases.scores),
        weight=None if cases.weight is None else cases.weight[rows],
        fold=None,
        cases=rows.size,
        cluster=None,
        cluster_keys=None,
    )


def corrected_best_fold(values: FloatArray, repeat: tuple[int, ...], *, higher_is_better: bool, rng: Any = 0) -> float:
    """Return the same for learners: half of the folds of every repetition choose, the others judge."""
    source, sign = np.random.default_rng(rng), (1.0 if higher_is_better else -1.0)
    groups = np.array(repeat) if len(set(repeat)) < len(repeat) else np.zeros(len(repeat), dtype=np.int64)
    best = int(np.argmax(sign * values.mean(axis=0)))
    short = []
    for r in np.unique(groups):
        own = values[groups == r]
        for _ in range(_TIMES if len(own) > 1 else 0):
            order = source.permutation(len(own))
            chose, judged = own[order[: len(own) // 2]], own[order[len(own) // 2 :]]
            winner = int(np.argmax(sign * chose.mean(axis=0)))
            short.append(float(judged[:, best].mean() - judged[:, winner].mean()))
    return float(values[:, best].mean() - (np.mean(short) if short else 0.0))


def joint_scores(cases: Together, measure: OtherMeasure, *, rng: Any = 0) -> FloatArray:
    """Return draws x sets of a measure of scores or numbers, from the joint posterior of all of them."""
    source, many = np.random.default_rng(rng), range(len(cases.predicted))
    if measure.name != "auc" and measure.name not in MEANS:
        return redrawn_scores(cases, [measure], list(many), rng)[measure.name]
    values = np.array([value_in(cases, measure, i) for i in many])
    repeats = cases.rows / cases.cases
    if measure.name == "auc":
        covariance = area_covariance(cases, list(many)) * repeats
    else:
        weight = np.ones(cases.rows) if cases.weight is None else cases.weight
        each = np.stack([losses(cases, i, measure.name) for i in many])
        worth = weight.sum() ** 2 / np.square(weight).sum() / repeats
        covariance = np.atleast_2d(np.cov(each, aweights=weight, ddof=0)) / max(worth - 1, 1)
    covariance = covariance * _design_effect(cases, measure, covariance)
    return source.multivariate_normal(values, covariance, DRAWS, method="eigh", check_valid="ignore")


def _design_effect(cases: Together, measure: OtherMeasure, covariance: FloatArray) -> float:
    """Return what clusters do to the differences of all sets from their mean; 1 of independent rows."""
    if not cases.grouped:
        return 1.0
    many = list(range(len(cases.predicted)))
    if measure.name == "auc":
        moved = np.stack(influences(cases, many))
    else:
        each = np.stack([losses(cases, i, measure.name) for i in many])
        moved = each - np.average(each, axis=1, weights=cases.weight)[:, None]
    centring = np.eye(len(many)) - 1 / len(many)
    alone, effects = np.diag(centring @ covariance @ centring), []
    for own, variance in zip(moved - moved.mean(axis=0), alone, strict=True):
        effects.append(effect_of_rows(cases, own, float(variance), by_class=measure.name == "auc"))
    deffs = [1.0 if effect is None else effect.design_effect for effect in effects]
    return float(np.average(deffs, weights=alone)) if alone.sum() > 0 else 1.0


def joint_folds(values: FloatArray, inflation: float, *, rng: Any = 0) -> FloatArray:
    """Return draws x learners of the mean over folds: a multivariate t, its spread corrected for shared cases."""
    source, df = np.random.default_rng(rng), len(values) - 1
    covariance = np.atleast_2d(np.cov(values, rowvar=False)) * inflation
    centred = source.multivariate_normal(np.zeros(values.shape[1]), covariance, DRAWS, method="eigh", check_valid="ignore")
    return np.asarray(values.mean(axis=0) + centred / np.sqrt(source.chisquare(df, (DRAWS, 1)) / df))
