"""One set of predictions, judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudge._base.arguments import wording
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import safe
from adjudge.corrections.operating import AccuracyRejection
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Estimate
from adjudge.estimates.over_folds import each_case_once
from adjudge.estimates.posterior import Posterior, of_levels, over_levels, recalls
from adjudge.estimates.scored import number_interval
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors, Chance, accuracy_posteriors
from adjudge.judgements.accuracy_posteriors import chance as above_chance
from adjudge.judgements.curves import curves_of, plain_curves, subject
from adjudge.judgements.eligibility import Correctable, DrawnCases, correctable, drawn_cases, uncorrectable
from adjudge.judgements.findings import DataFacts, data_facts, find
from adjudge.judgements.groups import FoldsJudged, GroupsJudged, judge_folds, judge_groups, of_differing, plain_tables
from adjudge.judgements.partitioned import judge_partitions
from adjudge.judgements.rare_class import RareClass, rare_class, rare_findings
from adjudge.judgements.recommendation import Recommendations
from adjudge.judgements.tally_estimates import MOST_POSTERIOR, ClassVerdict, estimates_of, ranking_estimates, verdicts_by_class
from adjudge.judgements.thresholds import Thresholds, thresholds_of
from adjudge.judgements.training_bias import Overfitting
from adjudge.judgements.weaknesses import Confidence, Weaknesses, weaknesses
from adjudge.metrics.on_scores import ON_NUMBERS
from adjudge.partitions.cases import Cases
from adjudge.partitions.space import PartitionSpace, partition_of
from adjudge.partitions.sure import MeasureInterval
from adjudge.predictions.roles import Roles

FEW_RESAMPLES = 200
"""Resamples of the partition space: enough for limits of two digits, and a page is not to wait."""
MOST_CORNERS = 4
"""Classes up to which all of them can be drawn in one simplex."""
_TWO = 2


@dataclass(frozen=True, slots=True)
class Origin(Shown):
    """Where the cases came from."""

    name: str
    rows: int
    fingerprint: str | None = None
    roles: Roles | None = None
    threshold: float | None = None
    """The score from which on a case was called positive, where one was given."""
    duplicates: str = "error"
    """What was asked to be done with rows that name the same case."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Shown):
    """How good a set of predictions is, and what to know before believing it.

    ``estimates`` maps a measure's name to its estimate, ``by_class`` has a row per class, ``curves`` maps
    "roc", "precision-recall", "reliability", "class-reliability" and, of a rare class, "quantile-reliability" to curves by
    class, and ``findings`` are numbered remarks.
    """

    origin: Origin
    estimates: dict[str, Estimate]
    findings: tuple[Finding, ...] = ()
    counts: ConfusionCounts | None = None
    by_class: tuple[ClassVerdict, ...] = ()
    by_fold: dict[Any, ConfusionCounts] = field(default_factory=dict)
    by_group: dict[Any, ConfusionCounts] = field(default_factory=dict)
    baseline: tuple[Any, float] | None = None
    """The commonest class, and how often always predicting it would be right."""
    positive: Any = None
    curves: dict[str, dict[Any, Curve]] = field(default_factory=dict)
    numbers: NumberCounts | None = None
    level: float = 0.95
    accuracy_posteriors: AccuracyPosteriors | None = None
    """Posteriors of accuracy and balanced accuracy, beside what is commonly reported."""
    chance: Chance | None = None
    """Whether the decisions are above chance; None of numbers."""
    over_groups: Estimate | None = None
    """The balanced accuracy over groups as well as classes, where groups are known."""
    repeats: float = 1.0
    """Answers a case: more than one where cases come back in several folds."""
    correctable: Correctable | None = field(default=None, repr=False)
    """Probabilities and truths of some cases, to try corrections on; None where there are none."""
    drawn: DrawnCases | None = field(default=None, repr=False)
    """Probabilities and truths of some cases, to be drawn one by one; None where there are none."""
    facts: DataFacts | None = None
    """How the rows were read."""
    uncorrected: str = ""
    """Why no correction was tried, where probabilities are known and yet none was."""
    overfitting: Overfitting | None = None
    """The error on the training rows against that on these, where a column tells the two apart."""
    undecided: ConfusionCounts | None = None
    """The cases of each class where scores rank them and nothing decides; ``counts`` is None then."""
    weaknesses: Weaknesses | None = None
    """Where decisions and probabilities go wrong; None where nothing is decided."""
    rare: RareClass | None = None
    """What is found of a class that is rare or mostly missed, and what another threshold would find; None where none is."""
    thresholds: Thresholds | None = None
    """What every threshold on the score of a class does; None where there are no scores of a class and of others."""
    folds: FoldsJudged | None = None
    """How each fold fares, and what they come to; None where there are fewer than two."""
    groups: GroupsJudged | None = None
    """How each group fares, whether they differ, and what is owed to them; None where there are none."""
    partition: PartitionSpace | None = field(default=None, repr=False)
    """The cases in the standardised partition space; None where there are none, or more classes than a solid has corners."""
    partition_intervals: dict[str, MeasureInterval] | None = None
    """Of a report: how sure the measures of the partition are."""
    recommendations: tuple[Recommendations, ...] | None = None
    """Of a report: what corrections would gain, in accuracy and, of unequal classes, in balanced accuracy."""
    rejection: AccuracyRejection | None = field(default=None, repr=False)
    """Of a report: the accuracy of what is decided as the least sure cases are left undecided."""

    @property
    def posteriors(self) -> dict[str, Posterior]:
        """The posteriors of accuracy and balanced accuracy, by name."""
        return {} if self.accuracy_posteriors is None else self.accuracy_posteriors.posteriors

    @property
    def class_confidence(self) -> Confidence | None:
        """Whether the probabilities of the positive class, or of the rare one of two, are too high or too low on average."""
        found = None if self.weaknesses is None else self.weaknesses.class_confidence
        label = None if self.counts is None else subject(self.counts, self.positive)
        return None if found is None or label is None else found

    def to_dict(self) -> dict[str, Any]:
        """Return everything a page shows as plain Python, ready for JSON, no larger for more rows: curves have some points."""
        names = (
            "origin",
            "facts",
            "estimates",
            "findings",
            "by_class",
            "baseline",
            "level",
            "accuracy_posteriors",
            "over_groups",
            "repeats",
        )
        asked = () if self.recommendations is None else ("recommendations",)
        more = ("chance", "thresholds", "uncorrected", "overfitting", *asked)
        whole = {name: plain(getattr(self, name)) for name in (*names, *more)}
        whole["areas"] = {
            kind: {safe(label): plain(curve.area) for label, curve in found.items()} for kind, found in self.curves.items()
        }
        whole |= {"curves": plain_curves(self.curves), "partition": self._plain_partition()}
        if self.counts is None or self.weaknesses is None:
            return whole | {"counts": None}
        return whole | self._plain_counts(self.counts, self.weaknesses)

    def _plain_counts(self, counts: ConfusionCounts, weak: Weaknesses) -> dict[str, Any]:
        """Return what follows from the tables."""
        found: dict[str, Any] = {
            "counts": counts,
            "confusions": weak.confusions,
            "skills": weak.skills,
            "confidence": weak.confidence,
            "class_confidence": self.class_confidence,
            "rare": self.rare,
            "weak_classes": weak.weak_classes,
            "large_confusions": weak.large_confusions,
            "groups_compared": None if self.groups is None else self.groups.compared,
        }
        found = {name: plain(each) for name, each in found.items()}
        return found | {"by_fold": plain_tables(self.by_fold), "by_group": plain_tables(self.by_group)}

    def _plain_partition(self) -> dict[str, Any] | None:
        if self.partition is None:
            return None
        sure = self.partition_intervals
        return self.partition.to_dict() | ({} if sure is None else {"intervals": plain(sure)})

    def __repr__(self) -> str:
        return self.in_words()


def judge(
    tally: Tally,
    origin: Origin,
    *,
    level: float = 0.95,
    method: str = "default",
    prior: Any = "jeffreys",
    repeats: float = 1.0,
    found: tuple[Finding, ...] = (),
) -> Evaluation:
    """Return the evaluation of what was counted; `method` is that of intervals it fits, `prior` that of the posteriors.

    With `repeats` answers a case, intervals know of as many cases as there are, and not of as many as answers.
    """
    if repeats > 1:
        tally = each_case_once(tally, round(tally.rows / repeats))
    if tally.undecided:
        return _ranked_only(tally, origin, level, method, repeats, found)
    counts = tally.confusion
    classes = counts.classes
    commonest = int(np.argmax(counts.support))
    posteriors = (
        accuracy_posteriors(counts, by_fold=tally.by_fold, prior=prior, level=level, interval=method)
        if counts.k <= MOST_POSTERIOR
        else None
    )
    over_groups = over_levels(tally.by_group, level) if len(tally.by_group) > 1 else None
    estimates = estimates_of(tally, level, method)
    cases = drawn_cases(tally) if repeats <= 1 else None
    positive, curves = None if tally.positive is None else classes[tally.positive], curves_of(tally, level)
    thresholds = thresholds_of(curves, counts, positive=positive, in_use=origin.threshold, level=level)
    of_interest = subject(counts, positive)
    if of_interest is None and thresholds is not None and counts.k <= _TWO:
        of_interest = thresholds.of
    weak = weaknesses(counts, estimates, curves, of_interest, level=level)
    told = (
        *found,
        *_of_counts(tally, origin, repeats),
        *rare_findings(counts, positive, weak.class_confidence),
        *_how_sure(estimates, posteriors),
        *(() if over_groups is None else _of_groups(tally, estimates, over_groups)),
    )
    return Evaluation(
        origin,
        estimates,
        told,
        counts,
        verdicts_by_class(tally, level, method),
        tally.by_fold,
        tally.by_group,
        (classes[commonest], float(counts.support[commonest] / counts.n)),
        positive,
        curves,
        level=level,
        accuracy_posteriors=posteriors,
        chance=above_chance(counts, rate=1 / max(counts.k, 2)) if posteriors is None else posteriors.chance,
        over_groups=over_groups,
        repeats=repeats,
        correctable=correctable(tally, cases),
        drawn=cases,
        facts=data_facts(tally, origin.roles, threshold=origin.threshold, duplicates=origin.duplicates, method=method),
        uncorrected=uncorrectable(tally, cases, repeats=repeats),
        weaknesses=weak,
        rare=rare_class(counts, thresholds, positive, level=level) if counts.k <= _TWO or positive is not None else None,
        thresholds=thresholds,
        folds=judge_folds(tally.by_fold, level, repeats=repeats),
        groups=judge_groups(tally.by_group, level, estimates["balanced_accuracy"].value, over_groups),
        partition=None if cases is None else _partition(cases),
    )


def completed(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with what takes longer: corrections tried on unseen cases, and intervals of the partition."""
    known, space = evaluation.correctable, evaluation.partition
    tried = known is not None and not known.refused
    sure = None if space is None else judge_partitions({"": space}, level=evaluation.level, resamples=FEW_RESAMPLES)
    return replace(
        evaluation,
        recommendations=() if known is None else known.recommendations(),
        rejection=known.rejecting() if tried and known is not None else None,
        partition_intervals=None if sure is None else sure.intervals[""],
    )


def _partition(cases: DrawnCases) -> PartitionSpace | None:
    known = cases.counting_alike
    few = _TWO <= len(cases.classes) <= MOST_CORNERS
    return partition_of(Cases(known.p, known.y, known.classes, known.decided)) if few else None


def _ranked_only(
    tally: Tally, origin: Origin, level: float, method: str, repeats: float, found: tuple[Finding, ...]
) -> Evaluation:
    """Return the evaluation of scores that rank cases and decide none: what needs no decisions."""
    estimates, counts, curves = ranking_estimates(tally, level, method), tally.confusion, curves_of(tally, level)
    positive = None if tally.positive is None else counts.classes[tally.positive]
    return Evaluation(
        origin,
        estimates,
        (*found, *_of_counts(tally, origin, repeats), *_how_sure(estimates, None)),
        positive=positive,
        curves=curves,
        level=level,
        repeats=repeats,
        facts=data_facts(tally, origin.roles, duplicates=origin.duplicates, method=method),
        undecided=counts,
        thresholds=thresholds_of(curves, counts, positive=positive, in_use=origin.threshold, level=level),
    )


def _of_counts(tally: Tally, origin: Origin, repeats: float) -> Iterator[Finding]:
    """Yield what the counts say; where nobody gave weights there are none to speak of."""
    given = origin.roles is not None and origin.roles.weight is not None
    for finding in find(tally, origin.roles):
        unasked = finding.code == "A401" and repeats > 1 and not given
        if not unasked and (finding.code != "A105" or origin.threshold is None):
            yield finding


def _how_sure(estimates: dict[str, Estimate], posteriors: AccuracyPosteriors | None) -> Iterator[Finding]:
    """Yield what the intervals and the posteriors have to say against themselves."""
    yield from (
        () if posteriors is None else (each for each in posteriors.findings if each.code != "A511")
    )  # no verdict rests on it
    for estimate in estimates.values():
        for finding in () if estimate.interval is None else estimate.interval.findings:
            yield replace(finding, message=wording(f"{estimate.measure.replace('_', ' ').capitalize()}: ", finding.message))


def _of_groups(tally: Tally, estimates: dict[str, Estimate], over: Estimate) -> Iterator[Finding]:
    yield from of_levels(over, estimates["balanced_accuracy"].value, recalls(tally.by_group))
    yield from of_differing(tally.by_group, over.interval.level if over.interval is not None else 0.95)


def judge_numbers(
    counts: NumberCounts, origin: Origin, *, level: float = 0.95, repeats: float = 1.0, found: tuple[Finding, ...] = ()
) -> Evaluation:
    """Return the evaluation of a numeric predictor, with `repeats` answers a case."""
    counts = replace(counts, weight_squares=counts.weight_squares * repeats)
    estimates = {}
    for measure in ON_NUMBERS:
        limits = number_interval(counts, measure.name, level=level)
        estimates[measure.name] = Estimate(measure.name, measure.of(counts), limits, cases=counts.weight)
    return Evaluation(origin, estimates, found, numbers=counts, level=level, repeats=repeats)
