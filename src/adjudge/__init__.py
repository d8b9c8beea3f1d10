"""Evaluate classifiers, with the uncertainty of every number."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge._base.errors import AdjudgeError as AdjudgeError
    from adjudge._base.errors import DoubtfulRolesError as DoubtfulRolesError
    from adjudge._base.errors import InputError as InputError
    from adjudge._base.undefined import Undefined as Undefined
    from adjudge.corrections.costs import REJECTED as REJECTED
    from adjudge.corrections.costs import decide as decide
    from adjudge.corrections.costs import expected_cost as expected_cost
    from adjudge.corrections.estimators import CostClassifier as CostClassifier
    from adjudge.corrections.estimators import MultiplierClassifier as MultiplierClassifier
    from adjudge.corrections.estimators import PriorShiftClassifier as PriorShiftClassifier
    from adjudge.corrections.estimators import RejectingClassifier as RejectingClassifier
    from adjudge.corrections.file import load_correction as load_correction
    from adjudge.corrections.file import save_correction as save_correction
    from adjudge.corrections.multipliers import Multipliers as Multipliers
    from adjudge.corrections.multipliers import error_curve as error_curve
    from adjudge.corrections.multipliers import fit_multipliers as fit_multipliers
    from adjudge.corrections.operating import accuracy_rejection as accuracy_rejection
    from adjudge.corrections.operating import operating_point as operating_point
    from adjudge.corrections.priors import Priors as Priors
    from adjudge.corrections.priors import PriorShift as PriorShift
    from adjudge.corrections.priors import adjust_priors as adjust_priors
    from adjudge.corrections.priors import count_priors as count_priors
    from adjudge.corrections.priors import estimate_priors as estimate_priors
    from adjudge.corrections.rejection import Rejection as Rejection
    from adjudge.corrections.rejection import chow as chow
    from adjudge.corrections.rejection import fit_rejection as fit_rejection
    from adjudge.counts.arrays import confusion as confusion
    from adjudge.counts.arrays import precision_recall as precision_recall
    from adjudge.counts.arrays import reliability as reliability
    from adjudge.counts.arrays import risk_coverage as risk_coverage
    from adjudge.counts.arrays import roc as roc
    from adjudge.counts.confusion import ConfusionCounts as ConfusionCounts
    from adjudge.counts.confusion import WeightedCounts as WeightedCounts
    from adjudge.counts.curves import Curve as Curve
    from adjudge.counts.result import Counts as Counts
    from adjudge.counts.result import PairCounts as PairCounts
    from adjudge.ensembles.bagging import BaggingAverager as BaggingAverager
    from adjudge.ensembles.bagging import BaggingVoter as BaggingVoter
    from adjudge.ensembles.boosting import ResamplingAdaBoost as ResamplingAdaBoost
    from adjudge.ensembles.boosting import ResamplingAdaBoostRegressor as ResamplingAdaBoostRegressor
    from adjudge.estimates.over_folds import combine_632 as combine_632
    from adjudge.estimates.over_folds import combine_632plus as combine_632plus
    from adjudge.estimates.posterior import Posterior as Posterior
    from adjudge.estimates.posterior import difference as difference
    from adjudge.estimates.posteriors import Posteriors as Posteriors
    from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors as AccuracyPosteriors
    from adjudge.judgements.accuracy_posteriors import accuracy_posteriors as accuracy_posteriors
    from adjudge.judgements.accuracy_posteriors import chance as chance
    from adjudge.judgements.comparison import Comparison as Comparison
    from adjudge.judgements.delong import delong as delong
    from adjudge.judgements.ensembles import EnsemblesJudged as EnsemblesJudged
    from adjudge.judgements.evaluation import Evaluation as Evaluation
    from adjudge.judgements.evaluation import overfits_against as overfits_against
    from adjudge.judgements.evaluation import overfitting as overfitting
    from adjudge.judgements.gate import Gate as Gate
    from adjudge.judgements.over_sets import OverSets as OverSets
    from adjudge.judgements.over_sets import compare_over_sets as compare_over_sets
    from adjudge.judgements.population import Population as Population
    from adjudge.judgements.ranking import Ranking as Ranking
    from adjudge.judgements.recommendation import Recommendations as Recommendations
    from adjudge.judgements.report import Report as Report
    from adjudge.judgements.resampled import Resampled as Resampled
    from adjudge.judgements.sample_size import SampleSize as SampleSize
    from adjudge.judgements.textbook import correlated_t as correlated_t
    from adjudge.judgements.textbook import error_difference as error_difference
    from adjudge.judgements.textbook import five_by_two as five_by_two
    from adjudge.judgements.textbook import mcnemar as mcnemar
    from adjudge.judgements.textbook import nadeau_bengio as nadeau_bengio
    from adjudge.judgements.textbook import paired_t as paired_t
    from adjudge.judgements.thresholds import Thresholds as Thresholds
    from adjudge.metrics.catalogue import measures as measures
    from adjudge.partitions.cases import memberships as memberships
    from adjudge.partitions.space import PartitionSpace as PartitionSpace
    from adjudge.partitions.space import partition as partition
    from adjudge.partitions.space import partition_difference as partition_difference
    from adjudge.predictions.model import Predictions as Predictions
    from adjudge.predictions.read import read as read
    from adjudge.resampling.plan import Plan as Plan
    from adjudge.resampling.plans import plan as plan
    from adjudge.verbs import correct as correct
    from adjudge.verbs.classification_report import classification_report as classification_report
    from adjudge.verbs.compare import compare as compare
    from adjudge.verbs.compare import compare_learners as compare_learners
    from adjudge.verbs.compare_partitions import compare_partitions as compare_partitions
    from adjudge.verbs.correct import recommend as recommend
    from adjudge.verbs.count import count as count
    from adjudge.verbs.count import count_pairs as count_pairs
    from adjudge.verbs.count import load_counts as load_counts
    from adjudge.verbs.estimate import estimate as estimate
    from adjudge.verbs.estimate import trade_off as trade_off
    from adjudge.verbs.evaluate import evaluate as evaluate
    from adjudge.verbs.gate import gate as gate
    from adjudge.verbs.judge_ensembles import judge_ensembles as judge_ensembles
    from adjudge.verbs.measure import interval as interval
    from adjudge.verbs.measure import measure as measure
    from adjudge.verbs.plot import plot as plot
    from adjudge.verbs.population import population as population
    from adjudge.verbs.posterior import posterior as posterior
    from adjudge.verbs.rank import rank as rank
    from adjudge.verbs.report import report as report
    from adjudge.verbs.sample_size import sample_size as sample_size
    from adjudge.verbs.thresholds import thresholds as thresholds


_NAMES = {
    "_base.errors": "AdjudgeError DoubtfulRolesError InputError",
    "_base.undefined": "Undefined",
    "corrections.costs": "REJECTED decide expected_cost",
    "corrections.estimators": "CostClassifier MultiplierClassifier PriorShiftClassifier RejectingClassifier",
    "corrections.file": "load_correction save_correction",
    "corrections.multipliers": "Multipliers error_curve fit_multipliers",
    "corrections.operating": "accuracy_rejection operating_point",
    "corrections.priors": "PriorShift Priors adjust_priors count_priors estimate_priors",
    "corrections.rejection": "Rejection chow fit_rejection",
    "counts.arrays": "confusion precision_recall reliability risk_coverage roc",
    "counts.confusion": "ConfusionCounts WeightedCounts",
    "counts.curves": "Curve",
    "counts.result": "Counts PairCounts",
    "ensembles.bagging": "BaggingAverager BaggingVoter",
    "ensembles.boosting": "ResamplingAdaBoost ResamplingAdaBoostRegressor",
    "estimates.over_folds": "combine_632 combine_632plus",
    "estimates.posterior": "Posterior difference",
    "estimates.posteriors": "Posteriors",
    "judgements.accuracy_posteriors": "AccuracyPosteriors accuracy_posteriors chance",
    "judgements.comparison": "Comparison",
    "judgements.ensembles": "EnsemblesJudged",
    "judgements.evaluation": "Evaluation overfits_against overfitting",
    "judgements.gate": "Gate",
    "judgements.over_sets": "OverSets compare_over_sets",
    "judgements.population": "Population",
    "judgements.ranking": "Ranking",
    "judgements.recommendation": "Recommendations",
    "judgements.report": "Report",
    "judgements.resampled": "Resampled",
    "judgements.sample_size": "SampleSize",
    "judgements.textbook": "correlated_t error_difference five_by_two mcnemar nadeau_bengio paired_t",
    "judgements.thresholds": "Thresholds",
    "judgements.delong": "delong",
    "metrics.catalogue": "measures",
    "partitions.cases": "memberships",
    "partitions.space": "PartitionSpace partition partition_difference",
    "predictions.model": "Predictions",
    "predictions.read": "read",
    "resampling.plan": "Plan",
    "resampling.plans": "plan",
    "verbs.classification_report": "classification_report",
    "verbs.compare": "compare compare_learners",
    "verbs.compare_partitions": "compare_partitions",
    "verbs.correct": "recommend",
    "verbs.count": "count count_pairs load_counts",
    "verbs.estimate": "estimate trade_off",
    "verbs.evaluate": "evaluate",
    "verbs.gate": "gate",
    "verbs.judge_ensembles": "judge_ensembles",
    "verbs.measure": "interval measure",
    "verbs.plot": "plot",
    "verbs.population": "population",
    "verbs.posterior": "posterior",
    "verbs.rank": "rank",
    "verbs.report": "report",
    "verbs.sample_size": "sample_size",
    "verbs.thresholds": "thresholds",
}  # by the module that holds them
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}
_NAMESPACES = {"correct": "verbs.correct"}
__all__ = [*_HOME, *_NAMESPACES]  # noqa: PLE0604 - the names above


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that importing adjudge stays cheap."""
    if name == "__version__":
        return import_module("adjudge._base").VERSION
    if name in _NAMESPACES:
        return import_module(f"adjudge.{_NAMESPACES[name]}")
    if name in _HOME:
        return getattr(import_module(f"adjudge.{_HOME[name]}"), name)
    msg = f"module 'adjudge' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
