"""One set of predictions, judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudge._base.arguments import wording
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import quoted, safe
from adjudge.corrections.operating import AccuracyRejection
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.areas import METHODS, METHODS_OF_MEAN, area_interval, macro_area_interval
from adjudge.estimates.estimate import Estimate, of_accuracy, of_class
from adjudge.estimates.intervals import count_interval, fitting, offered
from adjudge.estimates.over_folds import each_case_once
from adjudge.estimates.posterior import Posterior, of_levels, over_levels, recalls
from adjudge.estimates.scored import loss_interval, number_interval, precision_interval
from adjudge.estimates.two_classes import OF_RECALLS
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors, accuracy_posteriors
from adjudge.judgements.case_sample import DrawnCases, drawn_cases
from adjudge.judgements.chance import Chance
from adjudge.judgements.chance import chance as above_chance
from adjudge.judgements.curves import MOST_CURVES, curves_of
from adjudge.judgements.data_facts import DataFacts, data_facts
from adjudge.judgements.eligibility import Correctable, correctable, uncorrectable
from adjudge.judgements.findings import find
from adjudge.judgements.groups import compare_groups, of_differing
from adjudge.judgements.partitioned import judge_partitions
from adjudge.judgements.rare_class import RareClass, rare_class, rare_findings
from adjudge.judgements.recommendation import Recommendations
from adjudge.judgements.serialization import plain_curves, plain_tables
from adjudge.judgements.subject import subject
from adjudge.judgements.thresholds import Thresholds, thresholds_of
from adjudge.judgements.training_bias import Overfitting
from adjudge.judgements.weaknesses import Confidence, confidence_of, large_confusions, largest_confusions, skills, weak_classes
from adjudge.metrics import on_counts, on_scores
from adjudge.metrics.averages import averaged, value
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.metrics.on_scores import ON_NUMBERS
from adjudge.partitions.cases import Cases
from adjudge.partitions.space import PartitionSpace, partition_of
from adjudge.partitions.sure import MeasureInterval
from adjudge.predictions.roles import Roles

MOST_INTERVALS = 100
"""Classes up to which measures that rest on all cells of the table get an interval, whose cost grows as their cube."""
MOST_CONFUSIONS = 200
"""Confusions listed apart."""
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


@dataclass(frozen=True, slots=True)
class ClassVerdict(Shown):
    """How one class fared against the rest."""

    label: Any
    cases: float
    assigned: float
    sensitivity: Estimate
    precision: Estimate
    specificity: Estimate
    f1: Estimate
    auc: Estimate | None = None

    def __repr__(self) -> str:
        each = (self.sensitivity, self.precision, self.specificity, self.f1, *(() if self.auc is None else (self.auc,)))
        shares = ", ".join(f"{one.measure} {one.value:.4f}" for one in each)
        return f"Class {quoted(self.label)}: {self.cases:,.6g} cases, {self.assigned:,.6g} assigned; {shares}"


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
    def thresholds(self) -> Thresholds | None:
        """What every threshold on the score of a class does; None where there are no scores of a class and of others."""
        counts = self.undecided if self.counts is None else self.counts
        return thresholds_of(self.curves, counts, positive=self.positive, in_use=self.origin.threshold, level=self.level)

    @property
    def rare(self) -> RareClass | None:
        """What is found of a class that is rare or mostly missed, and what another threshold would find; None where none is."""
        counts = self.counts
        if counts is None or (counts.k > _TWO and self.positive is None):
            return None
        return rare_class(counts, self.thresholds, self.positive, level=self.level)

    @property
    def class_confidence(self) -> Confidence | None:
        """Whether the probabilities of the positive class, or of the rare one of two, are too high or too low on average."""
        label = None if self.counts is None else subject(self.counts, self.positive)
        return None if self.counts is None or label is None else confidence_of(self.curves, self.counts, label, level=self.level)

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
        return whole | {"counts": None} if self.counts is None else whole | self._plain_counts(self.counts)

    def _plain_counts(self, counts: ConfusionCounts) -> dict[str, Any]:
        """Return what follows from the tables."""
        found: dict[str, Any] = {
            "counts": counts,
            "confusions": largest_confusions(counts, MOST_CONFUSIONS, level=self.level),
            "skills": skills(self.estimates, counts),
            "confidence": confidence_of(self.curves, counts, level=self.level),
            "class_confidence": self.class_confidence,
            "rare": self.rare,
            "weak_classes": weak_classes(counts, level=self.level),
            "large_confusions": large_confusions(counts, level=self.level),
            "groups_compared": compare_groups(self.by_group),
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
    groups = over_levels(tally.by_group, level) if len(tally.by_group) > 1 else None
    estimates = _estimates(tally, level, method)
    cases = drawn_cases(tally) if repeats <= 1 else None
    positive, curves = None if tally.positive is None else classes[tally.positive], curves_of(tally, level)
    told = (*_of_counts(tally, origin, repeats), *_of_rare(counts, positive, curves, level))
    return Evaluation(
        origin,
        estimates,
        (*found, *told, *_how_sure(estimates, posteriors), *_of_groups(tally, estimates, groups)),
        counts,
        _by_class(tally, level, method),
        tally.by_fold,
        tally.by_group,
        (classes[commonest], float(counts.support[commonest] / counts.n)),
        positive,
        curves,
        level=level,
        accuracy_posteriors=posteriors,
        chance=above_chance(counts, rate=1 / max(counts.k, 2)) if posteriors is None else posteriors.chance,
        over_groups=groups,
        repeats=repeats,
        correctable=correctable(tally, cases),
        drawn=cases,
        facts=data_facts(tally, origin.roles, threshold=origin.threshold, duplicates=origin.duplicates, method=method),
        uncorrected=uncorrectable(tally, cases, repeats=repeats),
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
    estimates = {measure.name: _ranked(measure, tally, level, method) for measure in (on_scores.AUC, on_scores.AVERAGE_PRECISION)}
    return Evaluation(
        origin,
        estimates,
        (*found, *_of_counts(tally, origin, repeats), *_how_sure(estimates, None)),
        positive=None if tally.positive is None else tally.confusion.classes[tally.positive],
        curves=curves_of(tally, level),
        level=level,
        repeats=repeats,
        facts=data_facts(tally, origin.roles, duplicates=origin.duplicates, method=method),
        undecided=tally.confusion,
    )


def _of_counts(tally: Tally, origin: Origin, repeats: float) -> Iterator[Finding]:
    """Yield what the counts say; where nobody gave weights there are none to speak of."""
    given = origin.roles is not None and origin.roles.weight is not None
    for finding in find(tally, origin.roles):
        unasked = finding.code == "A401" and repeats > 1 and not given
        if not unasked and (finding.code != "A105" or origin.threshold is None):
            yield finding


def _of_rare(counts: ConfusionCounts, positive: Any, curves: dict[str, dict[Any, Curve]], level: float) -> Iterator[Finding]:
    label = subject(counts, positive)
    return rare_findings(counts, positive, None if label is None else confidence_of(curves, counts, label, level=level))


def _how_sure(estimates: dict[str, Estimate], posteriors: AccuracyPosteriors | None) -> Iterator[Finding]:
    """Yield what the intervals and the posteriors have to say against themselves."""
    yield from (
        () if posteriors is None else (each for each in posteriors.findings if each.code != "A511")
    )  # no verdict rests on it
    for estimate in estimates.values():
        for finding in () if estimate.interval is None else estimate.interval.findings:
            yield replace(finding, message=wording(f"{estimate.measure.replace('_', ' ').capitalize()}: ", finding.message))


def _of_groups(tally: Tally, estimates: dict[str, Estimate], groups: Estimate | None) -> Iterator[Finding]:
    if groups is not None:
        yield from of_levels(groups, estimates["balanced_accuracy"].value, recalls(tally.by_group))
        yield from of_differing(tally.by_group, groups.interval.level if groups.interval is not None else 0.95)


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


def _estimates(tally: Tally, level: float, method: str) -> dict[str, Estimate]:
    counts = tally.confusion
    rates = [on_counts.ACCURACY, on_counts.ERROR, *([on_counts.REJECTION_RATE] if counts.has_rejected else [])]
    found = {m.name: of_accuracy(counts, m, level, method) for m in rates}
    for m in (on_counts.BALANCED_ACCURACY, on_counts.MCC, on_counts.KAPPA, on_counts.INFORMEDNESS, on_counts.G_MEAN):
        found[m.name] = _of_table(m, counts, level, method)
    per_class = (
        on_counts.SENSITIVITY,
        on_counts.SPECIFICITY,
        on_counts.PRECISION,
        on_counts.NPV,
        on_counts.F1,
        on_counts.JACCARD,
    )
    for measure in per_class:
        found[measure.name] = _of_class_or_mean(tally, measure, level, method)
    return found | _of_scores(tally, level, method)


def _of_table(measure: Measure, counts: ConfusionCounts, level: float, method: str) -> Estimate:
    """Return a measure of the whole table; the interval of a large one would take too long."""
    found = value(measure, counts)
    known = not np.isnan(found) and _is_quick(measure, counts, None)
    chosen = fitting(method, measure)
    return Estimate(measure.name, found, count_interval(counts, measure.name, level=level, method=chosen) if known else None)


def _of_class_or_mean(tally: Tally, measure: ClassMeasure, level: float, method: str) -> Estimate:
    counts, at = tally.confusion, tally.positive
    if at is not None:
        found, label = of_class(counts, measure, at, level, method), counts.classes[at]
        if measure.plain or np.isnan(found.value):
            return found
        chosen = fitting(method, measure)
        return replace(found, interval=count_interval(counts, measure.name, level=level, method=chosen, positive=label))
    mean = averaged(measure, counts, "macro")
    known = not np.isnan(mean) and _is_quick(measure, counts, "macro")
    chosen = fitting(method, measure, "macro")
    limits = count_interval(counts, measure.name, level=level, method=chosen, average="macro") if known else None
    return Estimate(measure.name, mean, limits, average="macro")


def _is_quick(measure: Measure, counts: ConfusionCounts, average: str | None) -> bool:
    """Say whether an interval takes no long time: the measure rests on shares of the classes, or the table is not large."""
    return counts.k <= MOST_INTERVALS or offered(measure, average)[0] in OF_RECALLS


def _of_score(measure: OtherMeasure, tally: Tally, at: int, level: float, method: str) -> Estimate:
    if measure is on_scores.AUC:
        limits = area_interval(tally, at, level=level, method=method if method in METHODS else "default")
    else:
        limits = precision_interval(tally, at, level=level)
    return Estimate(measure.name, on_scores.of_class(measure, tally, at), limits, of=tally.confusion.classes[at])


def _of_scores(tally: Tally, level: float, method: str) -> dict[str, Estimate]:
    if tally.scores is None:
        return {}
    found = {}
    for measure in (on_scores.AUC, on_scores.AVERAGE_PRECISION):
        found[measure.name] = _ranked(measure, tally, level, method)
    if _TWO < tally.confusion.k <= MOST_CURVES:  # the pairs grow as the square
        found["auc_hand_till"] = Estimate("auc", on_scores.hand_till(tally), average="hand-till")
    for measure in (on_scores.BRIER, on_scores.LOG_LOSS, on_scores.ECE):
        found[measure.name] = Estimate(measure.name, measure.of(tally), loss_interval(tally, measure.name, level=level))
    return found


def _ranked(measure: OtherMeasure, tally: Tally, level: float, method: str) -> Estimate:
    at = tally.of_interest
    return _of_score_mean(measure, tally, level, method) if at is None else _of_score(measure, tally, at, level, method)


def _of_score_mean(measure: OtherMeasure, tally: Tally, level: float, method: str) -> Estimate:
    limits = None
    if measure is on_scores.AUC and tally.confusion.k <= MOST_CURVES:
        limits = macro_area_interval(tally, level=level, method=method if method in METHODS_OF_MEAN else "default")
    return Estimate(measure.name, on_scores.averaged(measure, tally, "macro"), limits, average="macro")


def _with_limits(f1: Estimate, counts: ConfusionCounts, level: float, method: str) -> Estimate:
    """Return the F1 of a class with its interval, where there are not too many classes."""
    if np.isnan(f1.value) or counts.k > MOST_POSTERIOR:
        return f1
    chosen = fitting(method, on_counts.F1)
    return replace(f1, interval=count_interval(counts, "f1", level=level, method=chosen, positive=f1.of))


def _by_class(tally: Tally, level: float, method: str) -> tuple[ClassVerdict, ...]:
    counts = tally.confusion
    ranked = tally.scores is not None and counts.k <= MOST_CURVES
    measures = (on_counts.SENSITIVITY, on_counts.PRECISION, on_counts.SPECIFICITY, on_counts.F1)
    rows = []
    for at in _shown(counts):
        label = counts.classes[at]
        each = [of_class(counts, measure, at, level, method) for measure in measures]
        each[-1] = _with_limits(each[-1], counts, level, method)
        auc = _of_score(on_scores.AUC, tally, at, level, method) if ranked else None
        rows.append(ClassVerdict(label, counts.support[at].item(), counts.assigned[at].item(), *each, auc))  # type: ignore[call-arg]
    return tuple(rows)


MOST_POSTERIOR = 200
MOST_CLASSES = 1000
"""Classes with a row of their own; with more, the commonest ones."""


def _shown(counts: ConfusionCounts) -> list[int]:
    if counts.k <= MOST_CLASSES:
        return list(range(counts.k))
    return sorted(int(i) for i in np.argsort(-counts.support, kind="stable")[:50])
