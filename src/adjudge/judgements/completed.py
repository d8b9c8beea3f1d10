"""What takes longer, for a page: corrections tried on unseen cases, and intervals of the partition space."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adjudge.corrections.operating import AccuracyRejection, accuracy_rejection
from adjudge.corrections.recipes import Known
from adjudge.judgements.eligibility import Correctable
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.partitioned import judge_partitions
from adjudge.judgements.recommendation import Recommendations, recommend_sampled

FEW_RESAMPLES = 200  # resamples of the partition space: enough for limits of two digits, and a page is not to wait
_UNEQUAL = 1.5  # times as many cases in the commonest class as in the rarest


def completed(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with the corrections worth trying and the intervals of the partition."""
    known, space = evaluation.correctable, evaluation.partition
    tried = None if known is None or known.refused else known
    sure = None if space is None else judge_partitions({"": space}, level=evaluation.level, resamples=FEW_RESAMPLES)
    return replace(
        evaluation,
        recommendations=() if tried is None else _recommendations(tried),
        rejection=None if tried is None else _rejecting(tried),
        partition_intervals=None if sure is None else sure.intervals[""],
    )


def _recommendations(known: Correctable) -> tuple[Recommendations, ...]:
    """Return what corrections gain in accuracy; and in balanced accuracy, where classes are of unequal size."""
    some = known.cases
    group = None if known.group is None else np.unique(known.group, return_inverse=True)[1].astype(np.int64)
    cases = Known(some.p, some.y, some.classes, some.weight, group=group, decided=some.decided)
    names = ("accuracy", "balanced_accuracy") if cases.totals.max() > _UNEQUAL * cases.totals.min() else ("accuracy",)
    return tuple(recommend_sampled(cases, name) for name in names)


def _rejecting(known: Correctable) -> AccuracyRejection:
    """Return the accuracy of what is decided as the least sure cases are left undecided; of cases that count alike."""
    some = known.cases.counting_alike
    return accuracy_rejection(some.p, some.y, classes=range(len(some.classes)))
