"""Judge classifiers by what the evidence allows one to believe."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge._base import VERSION

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
    from adjudge.judgements.ensembles import EnsemblesJudged as EnsemblesJudged
    from adjudge.judgements.evaluation import Evaluation as Evaluation
    from adjudge.judgements.evaluation import overfits_against as overfits_against
    from adjudge.judgements.evaluation import overfitting as overfitting
    from adjudge.judgements.gate import Gate as Gate
    from adjudge.judgements.over_sets import OverSets as OverSets
    from adjudge.judgements.over_sets import compare_over_sets as compare_over_sets
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
    from adjudge.judgements.two_areas import delong as delong
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
    from adjudge.verbs.posterior import posterior as posterior
    from adjudge.verbs.rank import rank as rank
    from adjudge.verbs.report import report as report
    from adjudge.verbs.sample_size import sample_size as sample_size
    from adjudge.verbs.thresholds import thresholds as thresholds

__version__ = VERSION

_HOME = {
    "AdjudgeError": "_base.errors",
    "BaggingAverager": "ensembles.bagging",
    "BaggingVoter": "ensembles.bagging",
    "AccuracyPosteriors": "judgements.accuracy_posteriors",
    "SampleSize": "judgements.sample_size",
    "Comparison": "judgements.comparison",
    "ConfusionCounts": "counts.confusion",
    "Counts": "counts.result",
    "PairCounts": "counts.result",
    "CostClassifier": "corrections.estimators",
    "Curve": "counts.curves",
    "DoubtfulRolesError": "_base.errors",
    "EnsemblesJudged": "judgements.ensembles",
    "Evaluation": "judgements.evaluation",
    "Gate": "judgements.gate",
    "InputError": "_base.errors",
    "Multipliers": "corrections.multipliers",
    "MultiplierClassifier": "corrections.estimators",
    "OverSets": "judgements.over_sets",
    "PartitionSpace": "partitions.space",
    "Plan": "resampling.plan",
    "Posterior": "estimates.posterior",
    "Posteriors": "estimates.posteriors",
    "Predictions": "predictions.model",
    "PriorShift": "corrections.priors",
    "PriorShiftClassifier": "corrections.estimators",
    "Priors": "corrections.priors",
    "REJECTED": "corrections.costs",
    "Ranking": "judgements.ranking",
    "Recommendations": "judgements.recommendation",
    "Report": "judgements.report",
    "RejectingClassifier": "corrections.estimators",
    "Rejection": "corrections.rejection",
    "Resampled": "judgements.resampled",
    "ResamplingAdaBoost": "ensembles.boosting",
    "ResamplingAdaBoostRegressor": "ensembles.boosting",
    "Thresholds": "judgements.thresholds",
    "Undefined": "_base.undefined",
    "WeightedCounts": "counts.confusion",
    "accuracy_rejection": "corrections.operating",
    "adjust_priors": "corrections.priors",
    "accuracy_posteriors": "judgements.accuracy_posteriors",
    "sample_size": "verbs.sample_size",
    "chance": "judgements.accuracy_posteriors",
    "chow": "corrections.rejection",
    "combine_632": "estimates.over_folds",
    "combine_632plus": "estimates.over_folds",
    "compare": "verbs.compare",
    "compare_learners": "verbs.compare",
    "compare_over_sets": "judgements.over_sets",
    "compare_partitions": "verbs.compare_partitions",
    "confusion": "counts.arrays",
    "correlated_t": "judgements.textbook",
    "count_priors": "corrections.priors",
    "decide": "corrections.costs",
    "delong": "judgements.two_areas",
    "difference": "estimates.posterior",
    "error_curve": "corrections.multipliers",
    "error_difference": "judgements.textbook",
    "estimate": "verbs.estimate",
    "estimate_priors": "corrections.priors",
    "count": "verbs.count",
    "count_pairs": "verbs.count",
    "evaluate": "verbs.evaluate",
    "load_counts": "verbs.count",
    "expected_cost": "corrections.costs",
    "fit_multipliers": "corrections.multipliers",
    "fit_rejection": "corrections.rejection",
    "five_by_two": "judgements.textbook",
    "gate": "verbs.gate",
    "interval": "verbs.measure",
    "judge_ensembles": "verbs.judge_ensembles",
    "load_correction": "corrections.file",
    "mcnemar": "judgements.textbook",
    "measure": "verbs.measure",
    "measures": "metrics.catalogue",
    "memberships": "partitions.cases",
    "nadeau_bengio": "judgements.textbook",
    "operating_point": "corrections.operating",
    "overfits_against": "judgements.evaluation",
    "overfitting": "judgements.evaluation",
    "paired_t": "judgements.textbook",
    "partition": "partitions.space",
    "partition_difference": "partitions.space",
    "plan": "resampling.plans",
    "plot": "verbs.plot",
    "posterior": "verbs.posterior",
    "precision_recall": "counts.arrays",
    "rank": "verbs.rank",
    "read": "predictions.read",
    "recommend": "verbs.correct",
    "report": "verbs.report",
    "reliability": "counts.arrays",
    "risk_coverage": "counts.arrays",
    "roc": "counts.arrays",
    "save_correction": "corrections.file",
    "thresholds": "verbs.thresholds",
    "trade_off": "verbs.estimate",
}
_NAMESPACES = {"correct": "verbs.correct"}
__all__ = [*_HOME, *_NAMESPACES]  # noqa: PLE0604 - the names above


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that importing adjudge stays cheap."""
    if name in _NAMESPACES:
        return import_module(f"adjudge.{_NAMESPACES[name]}")
    if name in _HOME:
        return getattr(import_module(f"adjudge.{_HOME[name]}"), name)
    msg = f"module 'adjudge' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
