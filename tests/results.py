"""One small result of every type that a reader may meet, with labels that would do harm if they could."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import adjudge
from adjudge.corrections.fitting import Fitted
from adjudge.corrections.streaming import Corrected
from adjudge.counts.joint import JointCounts
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.crossfit import BeforeAfter
from adjudge.judgements.decision import known_error
from adjudge.judgements.gate import read_rules
from adjudge.judgements.planned_clusters import Clustering
from adjudge.judgements.tally_estimates import GroupsCompared
from adjudge.judgements.undeclared import Undeclared
from adjudge.judgements.weaknesses import Confidence, largest_confusions
from adjudge.metrics.measure import ClassMeasure, OtherMeasure
from adjudge.plots.pictures import KINDS_OF_NUMBERS
from adjudge.resampling.run import job_of, run
from adjudge.stats.bands import roc_band
from adjudge.verbs.evaluate import selected

HOSTILE = (
    "<script>alert(1)</script>\u202e",
    '"><img src=x onerror=alert(1)>\x1b[2J\u200b',
    "\u0301</style><b>{{7*7}}&amp;\u2066\ufe0f  |$",
)
MARKUP = ("<script>alert", '"><img', "</style><b>")
"""What none of them may leave on a page."""
N = 150


@cache
def cases() -> tuple[Any, Any, Any]:
    """Return true classes, decisions and probabilities of three classes."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, N)
    p = rng.dirichlet(np.ones(3), N)
    p[np.arange(N), truth] += 0.6
    p /= p.sum(axis=1, keepdims=True)
    names = np.array(HOSTILE, dtype=object)
    return names[truth], names[p.argmax(axis=1)], p


@cache
def pair() -> tuple[Any, Any]:
    """Return true classes and the score of the second of two."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, N)
    names = np.array(HOSTILE[:2], dtype=object)
    return names[truth], np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0.001, 0.999)


@cache
def predictions(seed: int = 0) -> adjudge.Predictions:
    """Return predictions of three classes, or worse ones of the same cases."""
    truth, decided, p = cases()
    if seed:
        order = np.random.default_rng(seed).permutation(N)
        worse = np.where(order < N // 5)[0]
        p = p.copy()
        p[worse] = p[worse[::-1]]
        decided = np.array(HOSTILE, dtype=object)[p.argmax(axis=1)]
    extra: dict[str, Any] = {"row": np.arange(N), "positive": HOSTILE[1]}
    return adjudge.Predictions(truth, decided, p, classes=list(HOSTILE), **extra)


@cache
def evaluation(seed: int = 0) -> adjudge.Evaluation:
    """Return how good the predictions are."""
    return adjudge.evaluate(predictions(seed))


@cache
def grouped() -> adjudge.Evaluation:
    """Return how good decisions are, by fold and by group."""
    truth, decided, _ = cases()
    at = np.arange(N)
    return adjudge.evaluate(adjudge.Predictions(truth, decided, fold=at % 5, group=np.array(HOSTILE, dtype=object)[at % 3]))


def planned_in_clusters() -> adjudge.SampleSize:
    """Return how many clusters a goal takes."""
    return adjudge.sample_size(half_width=0.05, expected=0.85, intra_cluster=0.25, cluster_size=25)


@cache
def clustered(seed: int = 0) -> adjudge.Predictions:
    """Return three answers to each of some cases of three clusters."""
    truth, decided, p = cases()
    case, names = np.arange(N) // 3, np.array(HOSTILE, dtype=object)
    belonging: dict[str, Any] = {"row": case, "run": np.arange(N) % 3, "cluster": names[case % 3]}
    decided = np.where(np.random.default_rng(seed).random(N) < 0.8, decided, names[0])
    return adjudge.Predictions(truth[case * 3], decided, p, classes=list(HOSTILE), **belonging)


def with_kind(kind: str) -> adjudge.Evaluation:
    """Return an evaluation that has a picture of this kind."""
    if kind == "clusters":
        return adjudge.evaluate(clustered())
    return numbers() if kind in KINDS_OF_NUMBERS else evaluation()


@cache
def population() -> adjudge.Population:
    """Return what subjects say of their population."""
    truth, decided, _ = cases()
    return adjudge.population(truth, decided, cluster=np.array(HOSTILE, dtype=object)[np.arange(N) % 3])


@cache
def numbers() -> adjudge.Evaluation:
    """Return how good predictions of numbers are."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=40)
    return adjudge.evaluate(adjudge.Predictions(truth, truth + rng.normal(0, 0.3, 40)))


@cache
def counts() -> adjudge.ConfusionCounts:
    """Return a table of two classes."""
    return adjudge.ConfusionCounts([[40, 5], [8, 20]], HOSTILE[:2])


@cache
def data() -> tuple[Any, Any]:
    """Return features and classes to learn."""
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 80)
    return rng.normal(y[:, None], 1.2, (80, 3)), np.array(HOSTILE[:2], dtype=object)[y]


def _learner() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=2, random_state=0)


@cache
def resampled() -> adjudge.Resampled:
    """Return an estimate of a learner over five folds."""
    return adjudge.estimate(_learner(), *data(), by="5-fold", random_state=0, progress=False)


@cache
def rounds() -> adjudge.Resampled:
    """Return an estimate of a learner over rounds of the bootstrap."""
    return adjudge.estimate(_learner(), *data(), by="bootstrap-5", random_state=0, progress=False)


def number_counts(seed: int) -> adjudge.Counts:
    """Return sums of predictions of numbers."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(seed, 1, 30)
    return adjudge.count(adjudge.Predictions(truth, truth + rng.normal(0, 0.3, 30)))


def pairs() -> adjudge.PairCounts:
    """Return counts of three classifiers on the same cases."""
    return adjudge.count_pairs(predictions(), predictions(1), predictions(2), by_position=True, names=("<i>a", "b", "c"))


def space_of(k: int) -> adjudge.PartitionSpace:
    """Return a partition space of two classes, or of many."""
    rng = np.random.default_rng(k)
    truth, p = rng.integers(0, k, N), rng.dirichlet(np.ones(k), N)
    p[np.arange(N), truth] += 0.5
    return adjudge.partition(truth, p / p.sum(axis=1, keepdims=True), classes=list(range(k)))


@cache
def space(seed: int = 0) -> adjudge.PartitionSpace:
    """Return a partition space of the cases."""
    truth, _, p = cases()
    if seed:
        p = np.roll(p, seed, axis=0) * 0.3 + p * 0.7
    return adjudge.partition(truth, p, classes=list(HOSTILE))


@cache
def recommended() -> adjudge.Recommendations:
    """Return what corrections gain."""
    truth, score = pair()
    return adjudge.recommend(truth, np.c_[1 - score, score], classes=list(HOSTILE[:2]), rng=0)


@cache
def over_sets(folds: int = 10) -> adjudge.OverSets:
    """Return two learners over six data sets."""
    rng = np.random.default_rng(7)
    each = {f"{HOSTILE[0]} {i}": rng.normal(0.01 * (i - 2), 0.02, folds) for i in range(6)}
    if folds == 1:
        return adjudge.compare_over_sets({name: float(values[0]) for name, values in each.items()})
    return adjudge.compare_over_sets(each, test_share=0.1)


def _ensembles() -> Any:
    return adjudge.judge_ensembles(
        _tree(), *data(), by="3-fold", ensembles=("bagging",), n_estimators=3, random_state=0, progress=False
    )


def measure_of(kind: type) -> Any:
    """Return the first measure of a kind."""
    return next(measure for measure in adjudge.measures() if isinstance(measure, kind))


def ran() -> Any:
    """Return what a learner answered over three folds."""
    return run(job_of(_learner(), *data(), "3-fold", random_state=0))


def _two() -> tuple[Any, Any]:
    truth, score = pair()
    return np.c_[1 - score, score], truth


def _skewed() -> Any:
    p = cases()[2] * (1, 0.5, 2)
    return p / p.sum(axis=1, keepdims=True)


_D = np.array([0.02, 0.03, -0.01, 0.05, 0.04, 0.01, 0.0, 0.02, 0.03, -0.02])
_TWO = list(HOSTILE[:2])

PICTURED: dict[str, Callable[[], Any]] = {
    "Evaluation": evaluation,
    "Report": lambda: adjudge.report(predictions()),
    "Report of several": lambda: adjudge.report(predictions(), predictions(1), names=("<i>a", "b")),
    "Evaluation of numbers": numbers,
    "ConfusionCounts": counts,
    "WeightedCounts": lambda: adjudge.confusion(*cases()[:2], weight=np.linspace(0.5, 1.5, N)),
    "Counts": lambda: adjudge.count(predictions()),
    "Counts of numbers": lambda: number_counts(0),
    "Counts of numbers, added": lambda: number_counts(0) + number_counts(1),
    "Report of Counts": lambda: adjudge.report(adjudge.count(predictions())),
    "Report of numbers": lambda: adjudge.report(numbers()),
    "Report of three": lambda: adjudge.report(predictions(), predictions(1), predictions(2), names=("<i>a", "b", "c")),
    "Report of Resampled": lambda: adjudge.report(resampled()),
    "ClassVerdict": lambda: evaluation().by_class[0],
    "Estimate": lambda: evaluation().estimates["accuracy"],
    "Estimate without limits": lambda: Estimate("mcc", 0.5),
    "Interval": lambda: adjudge.interval(counts(), "mcc"),
    "Posterior": lambda: adjudge.posterior(counts()),
    "Posteriors": lambda: adjudge.posterior([[[40, 5], [8, 2]], [[6, 1], [1, 6]], [[60, 12], [9, 30]]]),
    "Posteriors of many": lambda: adjudge.posterior(np.random.default_rng(0).integers(1, 60, (300, 2, 2))),
    "Chance": lambda: adjudge.chance(counts()),
    "AccuracyPosteriors": lambda: adjudge.accuracy_posteriors(counts()),
    "Posterior of a difference": lambda: adjudge.difference(adjudge.posterior(counts()), adjudge.posterior([[30, 9], [9, 25]])),
    "Comparison": lambda: adjudge.compare(predictions(), predictions(1)),
    "Comparison by AUC": lambda: adjudge.compare(predictions(), predictions(1), measure="auc"),
    "Comparison of PairCounts": lambda: adjudge.compare(made("PairCounts")),
    "WhereCorrect": lambda: made("Comparison").where_correct,
    "WhereCorrect of three": lambda: made("Ranking").where_correct,
    "Overlaid": lambda: made("Comparison").overlaid,
    "Ranking of PairCounts": lambda: adjudge.rank(pairs()),
    "Ranking": lambda: adjudge.rank({"<b>one": predictions(), "two": predictions(1), "three": predictions(2)}),
    "OverSets": over_sets,
    "OverSets without folds": lambda: over_sets(1),
    "Resampled": resampled,
    "Resampled by bootstrap": rounds,
    "TradeOff": lambda: adjudge.trade_off(_learner(), *data(), repeats=3, random_state=0, progress=False),
    "Plan": lambda: adjudge.plan("5-fold", *data(), random_state=0),
    "Plan of many rows": lambda: adjudge.plan("2x5-fold", np.zeros((1000, 1)), np.arange(1000) % 2, random_state=0),
    "Curve": lambda: adjudge.roc(*pair(), positive=HOSTILE[1]),
    "Curve of precision and recall": lambda: adjudge.precision_recall(*pair(), positive=HOSTILE[1]),
    "Curve of risk and coverage": lambda: adjudge.risk_coverage(*pair(), positive=HOSTILE[1]),
    "Curve of reliability": lambda: adjudge.reliability(*pair(), positive=HOSTILE[1]),
    "AccuracyRejection": lambda: adjudge.accuracy_rejection(*_two()[::-1], classes=_TWO),
    "ErrorCurve": lambda: adjudge.error_curve(*_two()[::-1], classes=_TWO),
    "OperatingPoint": lambda: adjudge.operating_point(*pair(), youden=True, positive=HOSTILE[1]),
    "Rejection": lambda: adjudge.fit_rejection(*_two()[::-1], classes=_TWO, reject_cost=0.2),
    "Rejection by Chow": lambda: adjudge.chow(cases()[2], 0.2),
    "Multipliers": lambda: adjudge.fit_multipliers(cases()[0], _skewed(), classes=list(HOSTILE)),
    "Priors": lambda: adjudge.count_priors(cases()[0], old=[0.4, 0.3, 0.3], classes=list(HOSTILE)),
    "PriorShift": lambda: adjudge.PriorShift([0.4, 0.6], [0.2, 0.8], _TWO),
    "Recommendations": recommended,
    "PartitionSpace": space,
    "PartitionSpace of two classes": lambda: space_of(2),
    "PartitionSpace of six classes": lambda: space_of(6),
    "PartitionComparison": lambda: adjudge.compare_partitions({"<b>one": space(), "two": space(1)}, resamples=200),
    "PartitionDifference": lambda: adjudge.partition_difference(space(), space(1), resamples=200, rng=0),
    "MeasureInterval": lambda: space().interval("scaled_accuracy", resamples=200, rng=0),
    "EnsemblesJudged": _ensembles,
    "Overfitting": lambda: adjudge.overfitting(evaluation(), evaluation(1)),
    "OverfittingAgainst": lambda: adjudge.overfits_against(evaluation(), evaluation(1), evaluation(1), evaluation()),
    "McNemar": lambda: adjudge.mcnemar(9, 2),
    "DeLong": lambda: adjudge.delong(*pair(), np.linspace(0, 1, N), positive=HOSTILE[1]),
    "PairedT": lambda: adjudge.paired_t(_D),
    "CorrectedT": lambda: adjudge.nadeau_bengio(_D, test_share=0.1),
    "CorrelatedT": lambda: adjudge.correlated_t(_D, test_share=0.1),
    "FiveByTwo": lambda: adjudge.five_by_two(_D.reshape(5, 2)),
    "ErrorDifference": lambda: adjudge.error_difference(30, 100, 20, 100),
    "Thresholds": lambda: adjudge.thresholds(predictions()),
    "Operating": lambda: made("Thresholds").at(0.5),
    "Population": population,
    "SampleSize": lambda: adjudge.sample_size(half_width=0.02, expected=0.8),
    "Gains": lambda: evaluation().gains,
    "Gate": lambda: adjudge.gate(predictions(), "accuracy >= 0.8", "balanced_accuracy > 0.9"),
    "Gate against another": lambda: adjudge.gate(predictions(), "accuracy >= 0.8", against=predictions(1)),
}
"""Results that have a picture."""
OTHERS: dict[str, Callable[[], Any]] = {
    "Predictions": predictions,
    "MeasureTable": adjudge.measures,
    "Measure": lambda: adjudge.measures()[0],
    "Undefined": lambda: adjudge.Undefined(f"no case of {HOSTILE[0]}"),
    "Finding": lambda: adjudge.evaluate(adjudge.Predictions(["a"], ["a"])).findings[0],
    "Origin": lambda: evaluation().origin,
    "Roles": lambda: predictions().roles,
    "NumberCounts": lambda: numbers().numbers,
    "Conventional": lambda: adjudge.accuracy_posteriors(counts()).conventional,
    "Moved": lambda: made("Priors").moved,
    "Candidate": lambda: recommended().rows[0],
    "Ranked": lambda: made("Ranking").rows[0],
    "Subject": lambda: population().subjects[0],
    "Approximation": lambda: population().variational,
    "ClustersJudged": lambda: adjudge.evaluate(clustered()).clusters,
    "MeasureEffect": lambda: adjudge.evaluate(clustered()).clusters.effects["accuracy"],
    "RunsJudged": lambda: adjudge.evaluate(clustered()).runs,
    "FlakyCase": lambda: adjudge.evaluate(clustered()).runs.flaky[0],
    "Components": lambda: adjudge.evaluate(clustered()).runs.variance,
    "HalfWidths": lambda: adjudge.evaluate(clustered()).runs.half_widths,
    "ComparedClusters": lambda: adjudge.compare(clustered(), clustered(1)).clusters,
    "PlannedClusters": lambda: planned_in_clusters().clusters,
    "Clustering": lambda: Clustering(0.2, 10.0),
    "Undeclared": lambda: Undeclared(HOSTILE[0], 12, 120.0, 2.5),
    "SideBySide": lambda: made("Comparison").measures,
    "SideBySide of three": lambda: made("Ranking").measures,
    "MeasureRow": lambda: made("Comparison").measures.rows[0],
    "MeasureDifference": lambda: made("Comparison").measures.rows[0].differences[0],
    "CorrectInClass": lambda: made("Comparison").where_correct.by_class[0],
    "DisagreedCase": lambda: made("Comparison").where_correct.disagreed[0],
    "Optimism": lambda: made("Ranking").optimism,
    "ThreeNumbers": lambda: over_sets().sign,
    "Hierarchy": lambda: over_sets().hierarchical,
    "OverFolds": lambda: resampled().estimates["accuracy"],
    "Fold": lambda: resampled().by_fold[0],
    "ErrorRate": lambda: known_error("paired_t", "folds"),
    "Share": lambda: made("TradeOff").shares[0],
    "Region": lambda: space().regions[0],
    "Goodness": lambda: space().goodness,
    "ClassMeasure": lambda: measure_of(ClassMeasure),
    "OtherMeasure": lambda: measure_of(OtherMeasure),
    "PairCounts": lambda: adjudge.count_pairs(predictions(), predictions(1), by_position=True),
    "JointCounts": lambda: JointCounts(
        HOSTILE[:2], ("<i>a", "b"), np.array([0, 1]), np.array([[0, 1], [1, 1]]), np.array([3, 4])
    ),
    "RunResult": ran,
    "Corrected": lambda: Corrected(150, 12, 3, HOSTILE, np.array([50, 50, 47]), ("p",), None),
    "Fitted": lambda: Fitted("multipliers", made("Multipliers"), 150, {"accuracy": 0.8}, {"accuracy": 0.85}),
    "Selected": lambda: selected(evaluation(), ["accuracy", "mcc"]),
    "DataFacts": lambda: evaluation().facts,
    "Band": lambda: roc_band(np.array([0.0, 0.2, 1.0]), np.array([0.0, 0.7, 1.0]), 50, 60),
    "BeforeAfter": lambda: BeforeAfter(HOSTILE[0], counts(), counts(), (0.2, 0.1)),
    "Confusion": lambda: largest_confusions(counts(), 1)[0],
    "Residuals": lambda: numbers().residuals,
    "Region of residuals": lambda: numbers().residuals.regions[0],
    "Lift": lambda: evaluation().gains.lifts[0],
    "TopK": lambda: evaluation().top_k[0],
    "NextStep": lambda: evaluation().next_steps[0],
    "RareClass": lambda: adjudge.evaluate(adjudge.ConfusionCounts([[3, 97], [5, 4895]], ("ill", "well"))).rare,
    "Weaknesses": lambda: evaluation().weaknesses,
    "GroupsJudged": lambda: grouped().groups,
    "FoldsJudged": lambda: grouped().folds,
    "Confidence": lambda: Confidence(0.9, evaluation().estimates["accuracy"]),
    "GroupsCompared": lambda: GroupsCompared(3, 4.5, 2, 0.105, HOSTILE[0], HOSTILE[1]),
    "JudgedRule": lambda: made("Gate").rules[0],
    "Rule": lambda: next(read_rules("accuracy >= 0.8", HOSTILE, 3)),
    "ThresholdTable": lambda: made("Thresholds").table(),
    "Rounds": lambda: next(iter(made("EnsemblesJudged").rounds.values())),
}
"""Results without one."""
EVERY = PICTURED | OTHERS


@cache
def made(name: str) -> Any:
    """Return one of them, made once."""
    return EVERY[name]()
