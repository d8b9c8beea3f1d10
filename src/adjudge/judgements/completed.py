"""What a page needs besides an evaluation: corrections tried on unseen cases, and intervals of the partition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adjudge.corrections.labelled import Known
from adjudge.corrections.operating import accuracy_rejection
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.partitioned import judge_partitions
from adjudge.judgements.recommendation import Recommendations, recommend_sampled

FEW_RESAMPLES = 200  # resamples of the partition space: enough for limits of two digits, and a page is not to wait
_UNEQUAL = 1.5  # times as many cases in the commonest class as in the rarest


def completed(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with what takes longer: corrections tried on unseen cases, and intervals of the partition."""
    known, space = evaluation.correctable, evaluation.partition
    recommendations: tuple[Recommendations, ...] = ()
    rejection = sure = None
    if known is not None and not known.refused:
        some, alike = known.cases, known.cases.counting_alike
        group = None if some.group is None else np.unique(some.group, return_inverse=True)[1].astype(np.int64)
        cases = Known(some.p, some.y, some.classes, some.weight, group=group, decided=some.decided)
        names = ("accuracy", "balanced_accuracy") if cases.totals.max() > _UNEQUAL * cases.totals.min() else ("accuracy",)
        recommendations = tuple(recommend_sampled(cases, name) for name in names)
        rejection = accuracy_rejection(alike.p, alike.y, classes=range(len(alike.classes)))
    if space is not None:
        sure = judge_partitions({"": space}, level=evaluation.level, resamples=FEW_RESAMPLES).intervals[""]
    return replace(evaluation, recommendations=recommendations, rejection=rejection, partition_intervals=sure)
