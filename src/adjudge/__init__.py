"""Judge classifiers by what the evidence allows one to believe."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge._base.version import VERSION

if TYPE_CHECKING:
    from adjudge._base.errors import AdjudgeError as AdjudgeError
    from adjudge._base.errors import DoubtfulRolesError as DoubtfulRolesError
    from adjudge._base.errors import InputError as InputError
    from adjudge._base.undefined import Undefined as Undefined
    from adjudge.counts.arrays import confusion as confusion
    from adjudge.counts.arrays import precision_recall as precision_recall
    from adjudge.counts.arrays import reliability as reliability
    from adjudge.counts.arrays import risk_coverage as risk_coverage
    from adjudge.counts.arrays import roc as roc
    from adjudge.counts.confusion import ConfusionCounts as ConfusionCounts
    from adjudge.counts.confusion import WeightedCounts as WeightedCounts
    from adjudge.counts.curves import Curve as Curve
    from adjudge.estimates.posterior import Posterior as Posterior
    from adjudge.estimates.posterior import difference as difference
    from adjudge.estimates.posteriors import Posteriors as Posteriors
    from adjudge.estimates.resampled import combine_632 as combine_632
    from adjudge.estimates.resampled import combine_632plus as combine_632plus
    from adjudge.judgements.belief import Belief as Belief
    from adjudge.judgements.belief import believe as believe
    from adjudge.judgements.chance import chance as chance
    from adjudge.judgements.evaluation import Evaluation as Evaluation
    from adjudge.judgements.overfitting import overfits_against as overfits_against
    from adjudge.judgements.overfitting import overfitting as overfitting
    from adjudge.judgements.resampled import Resampled as Resampled
    from adjudge.learning import estimate as estimate
    from adjudge.learning import trade_off as trade_off
    from adjudge.metrics.catalogue import measures as measures
    from adjudge.plots import plot as plot
    from adjudge.predictions.model import Predictions as Predictions
    from adjudge.predictions.read import read as read
    from adjudge.resampling.plan import Plan as Plan
    from adjudge.resampling.plans import plan as plan
    from adjudge.workflows import evaluate as evaluate
    from adjudge.workflows import interval as interval
    from adjudge.workflows import measure as measure
    from adjudge.workflows import posterior as posterior

__version__ = VERSION

_HOME = {
    "AdjudgeError": "_base.errors",
    "Belief": "judgements.belief",
    "ConfusionCounts": "counts.confusion",
    "Curve": "counts.curves",
    "DoubtfulRolesError": "_base.errors",
    "Evaluation": "judgements.evaluation",
    "InputError": "_base.errors",
    "Plan": "resampling.plan",
    "Posterior": "estimates.posterior",
    "Posteriors": "estimates.posteriors",
    "Predictions": "predictions.model",
    "Resampled": "judgements.resampled",
    "Undefined": "_base.undefined",
    "WeightedCounts": "counts.confusion",
    "believe": "judgements.belief",
    "chance": "judgements.chance",
    "combine_632": "estimates.resampled",
    "combine_632plus": "estimates.resampled",
    "confusion": "counts.arrays",
    "difference": "estimates.posterior",
    "estimate": "learning",
    "evaluate": "workflows",
    "interval": "workflows",
    "measure": "workflows",
    "measures": "metrics.catalogue",
    "overfits_against": "judgements.overfitting",
    "overfitting": "judgements.overfitting",
    "plan": "resampling.plans",
    "plot": "plots",
    "posterior": "workflows",
    "precision_recall": "counts.arrays",
    "read": "predictions.read",
    "reliability": "counts.arrays",
    "risk_coverage": "counts.arrays",
    "roc": "counts.arrays",
    "trade_off": "learning",
}
__all__ = [*_HOME]  # noqa: PLE0604 - the names above


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that importing adjudge stays cheap."""
    if name in _HOME:
        return getattr(import_module(f"adjudge.{_HOME[name]}"), name)
    msg = f"module 'adjudge' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
