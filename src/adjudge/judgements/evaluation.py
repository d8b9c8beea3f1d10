"""One set of predictions, judged; and the training cases against new ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, dataclass, field, plain, replace, safe, wording
from adjudge._base.progress import stepped
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import count_confusion
from adjudge.counts.curves import Curve
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Estimate, Interval, of_accuracy
from adjudge.estimates.over_folds import each_case_once
from adjudge.estimates.posterior import Posterior, of_levels, over_levels, recalls
from adjudge.estimates.scored import number_interval
from adjudge.judgements import tally_estimates
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors, Chance, accuracy_posteriors
from adjudge.judgements.accuracy_posteriors import chance as above_chance
from adjudge.judgements.clusters import ClustersJudged, judge_clusters, of_clusters
from adjudge.judgements.curves import curves_of, plain_curves, subject
from adjudge.judgements.eligibility import Correctable, DrawnCases, correctable, drawn_cases, uncorrectable
from adjudge.judgements.findings import DataFacts, by_importance, data_facts, find
from adjudge.judgements.gains import Gains, gains_of
from adjudge.judgements.next_steps import NextStep, next_steps
from adjudge.judgements.numeric import Residuals, residuals_of
from adjudge.judgements.runs import RunsJudged, judge_runs, of_runs
from adjudge.judgements.tally_estimates import ClassVerdict, FoldsJudged, GroupsJudged
from adjudge.judgements.thresholds import Thresholds, thresholds_of
from adjudge.judgements.top_k import TopK, top_k_of
from adjudge.judgements.weaknesses import Confidence, RareClass, Weaknesses, rare_class, rare_findings, weaknesses
from adjudge.metrics.by_name import ByMeasure
from adjudge.metrics.on_counts import ERROR
from adjudge.metrics.on_scores import ON_NUMBERS
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Roles

if TYPE_CHECKING:
    from adjudge.corrections.operating import AccuracyRejection
    from adjudge.judgements.recommendation import Recommendations
    from adjudge.partitions.replicates import MeasureInterval
    from adjudge.partitions.space import PartitionSpace

MOST_CORNERS = 4  # classes up to which all of them can be drawn in one simplex
FEW_RESAMPLES = 200  # resamples of the partition space: enough for limits of two digits, and a page is not to wait
_UNEQUAL = 1.5  # times as many cases in the commonest class as in the rarest
_TWO = 2


@dataclass(frozen=True, slots=True)
class Origin(Shown):
    """Where the cases came from."""

    name: str
    rows: int
    fingerprint: str | None = None
    roles: Roles | None = None
    threshold: float | None = None  # the score from which on a case was called positive, where one was given
    duplicates: str = "error"  # what was asked to be done with rows that name the same case


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(ByMeasure, Shown):
    """How good a set of predictions is, with caveats.

    ``evaluation["auc"]`` or ``evaluation.auc`` is the estimate of a measure; ``estimates`` has all of them by name, ``by_class``
    has a row per class, ``curves`` maps "roc", "precision-recall", "reliability", "class-reliability" and, of a rare class,
    "quantile-reliability" to curves by class, and ``findings`` are numbered remarks.
    """

    origin: Origin
    estimates: dict[str, Estimate]
    findings: tuple[Finding, ...] = ()
    counts: ConfusionCounts | None = None
    by_class: tuple[ClassVerdict, ...] = ()
    by_fold: dict[Any, ConfusionCounts] = field(default_factory=dict)
    by_group: dict[Any, ConfusionCounts] = field(default_factory=dict)
    baseline: tuple[Any, float] | None = None  # the commonest class, and how often always predicting it would be right
    positive: Any = None
    curves: dict[str, dict[Any, Curve]] = field(default_factory=dict)
    numbers: NumberCounts | None = None
    residuals: Residuals | None = None  # of numbers: by region, in the tails, and some cases to draw
    level: float = 0.95
    accuracy_posteriors: AccuracyPosteriors | None = None  # of accuracy and balanced accuracy, beside what is reported commonly
    chance: Chance | None = None  # whether the decisions are above chance; None of numbers
    over_groups: Estimate | None = None  # the balanced accuracy over groups as well as classes, where groups are known
    repeats: float = 1.0  # answers a case: more than one where cases come back in several folds
    correctable: Correctable | None = field(default=None, repr=False)  # some cases to try corrections on; None without any
    drawn: DrawnCases | None = field(default=None, repr=False)  # some cases, to be drawn one by one; None without any
    facts: DataFacts | None = None  # how the rows were read
    uncorrected: str = ""  # why no correction was tried, where probabilities are known and yet none was
    overfitting: Overfitting | None = None  # the error on the training rows against that on these, where a column tells them
    undecided: ConfusionCounts | None = None  # the cases of each class where nothing decides; ``counts`` is None then
    weaknesses: Weaknesses | None = None  # where decisions and probabilities go wrong; None where nothing is decided
    rare: RareClass | None = None  # what is found of a rare or mostly missed class, now and by another threshold, if there is one
    thresholds: Thresholds | None = None  # what every threshold on the score of a class does; None without such scores
    gains: Gains | None = None  # how much of the class of interest the highest scores hold; None without such scores
    top_k: tuple[TopK, ...] = ()  # how often the true class is among the k most probable; of several classes
    folds: FoldsJudged | None = None  # how each fold fares, and what they come to; None where there are fewer than two
    clusters: ClustersJudged | None = None  # what clusters do to the measures; None where rows are independent
    runs: RunsJudged | None = None  # what repeated answers tell; None where each case has one
    groups: GroupsJudged | None = None  # how each group fares, whether they differ, what is owed to them; None without any
    partition: PartitionSpace | None = field(default=None, repr=False)  # the cases in it; None of many classes
    partition_intervals: dict[str, MeasureInterval] | None = None  # of a report: how sure the measures of the partition are
    recommendations: tuple[Recommendations, ...] | None = None  # of a report: what corrections would gain, by measure
    rejection: AccuracyRejection | None = field(default=None, repr=False)  # of a report: accuracy as unsure cases are left
    next_steps: tuple[NextStep, ...] = ()  # what to do, the most important first; of a report with recommended corrections

    @property
    def posteriors(self) -> dict[str, Posterior]:
        """The posteriors of accuracy and balanced accuracy, by name."""
        return {} if self.accuracy_posteriors is None else self.accuracy_posteriors.posteriors

    @property
    def class_confidence(self) -> Confidence | None:
        """Whether the probabilities of the positive class, or of the rare one of two, are too high or too low on average."""
        named = self.counts is not None and subject(self.counts, self.positive) is not None
        return self.weaknesses.class_confidence if named and self.weaknesses is not None else None

    def to_dict(self) -> dict[str, Any]:
        """Return everything a page shows as plain Python, ready for JSON, no larger for more rows: curves have some points."""
        names = ("origin", "facts", "next_steps", "estimates", "findings", "by_class", "baseline", "level", "accuracy_posteriors")
        more = ("over_groups", "repeats", "chance", "thresholds", "uncorrected", "overfitting")
        lifts = None if self.gains is None else [plain(each) | {"lift": each.lift} for each in self.gains.lifts]
        asked = () if self.recommendations is None else ("recommendations",)
        whole = {name: plain(getattr(self, name)) for name in (*names, *more, *asked)}
        areas = {kind: {safe(label): plain(one.area) for label, one in each.items()} for kind, each in self.curves.items()}
        intervals = {} if self.partition_intervals is None else {"intervals": plain(self.partition_intervals)}
        whole |= {"areas": areas, "curves": plain_curves(self.curves), "lifts": lifts}
        whole |= {"top_k": plain(self.top_k)} if self.top_k else {}
        whole |= {} if self.clusters is None else {"clusters": self.clusters.to_dict()}
        whole |= {} if self.runs is None else {"runs": plain(self.runs)}
        whole |= {"partition": None if self.partition is None else self.partition.to_dict() | intervals}
        weak = self.weaknesses
        if self.counts is None or weak is None:
            return whole | {"counts": None} | ({} if self.residuals is None else {"residuals": self.residuals.to_dict()})
        whole |= plain({"counts": self.counts, "confusions": weak.confusions, "skills": weak.skills})
        whole |= plain({"confidence": weak.confidence, "class_confidence": self.class_confidence, "rare": self.rare})
        whole |= plain({"weak_classes": weak.weak_classes, "large_confusions": weak.large_confusions})
        whole |= plain({"groups_compared": self.groups and self.groups.compared})
        return whole | {name: tally_estimates.plain_tables(getattr(self, name)) for name in ("by_fold", "by_group")}


def judge(
    tally: Tally,
    origin: Origin,
    *,
    level: float = 0.95,
    method: str = "default",
    prior: Any = "jeffreys",
    repeats: float = 1.0,
    findings: tuple[Finding, ...] = (),
) -> Evaluation:
    """Return the evaluation of what was counted, `repeats` answers a case; `method` is that of intervals it fits."""
    if repeats > 1 and tally.confusion.clusters is None:  # cases that come back are of one cluster
        tally = each_case_once(tally, round(tally.rows / repeats))
    counts, classes, curves = tally.confusion, tally.confusion.classes, curves_of(tally, level)
    positive = None if tally.positive is None else classes[tally.positive]
    thresholds = thresholds_of(curves, counts, positive=positive, in_use=origin.threshold, level=level)
    known: dict[str, Any] = {"positive": positive, "curves": curves, "level": level, "repeats": repeats, "thresholds": thresholds}
    known |= {
        "gains": None if thresholds is None else gains_of(thresholds.table(), level),
        "top_k": top_k_of(tally, level, method),
        "runs": judge_runs(tally, origin.roles, level, method),
    }
    known["clusters"] = judge_clusters(tally, None if origin.roles is None else origin.roles.cluster, level)
    known["facts"] = data_facts(tally, origin.roles, threshold=origin.threshold, duplicates=origin.duplicates, method=method)
    weighted = origin.roles is not None and origin.roles.weight is not None
    unasked = {"A401"} if repeats > 1 and not weighted else set()  # where nobody gave weights there are none to speak of
    unasked |= set() if origin.threshold is None else {"A105"}
    told = [
        *findings,
        *of_clusters(known["clusters"]),
        *of_runs(known["runs"]),
        *(each for each in find(tally, origin.roles, origin.threshold) if each.code not in unasked),
    ]
    if tally.undecided:  # scores rank cases and decide none
        estimates = tally_estimates.ranking_estimates(tally, level, method)
        told += _how_sure(estimates, None)
        return _with_steps(Evaluation(origin, estimates, by_importance(told), undecided=counts, **known))
    commonest, posteriors = int(np.argmax(counts.support)), None
    if counts.k <= tally_estimates.MOST_POSTERIOR:
        posteriors = accuracy_posteriors(counts, by_fold=tally.by_fold, prior=prior, level=level, interval=method)
    over_groups = over_levels(tally.by_group, level) if len(tally.by_group) > 1 else None
    estimates = tally_estimates.estimates_of(tally, level, method)
    cases = drawn_cases(tally) if repeats <= 1 else None
    of_interest = subject(counts, positive)
    if of_interest is None and thresholds is not None and counts.k <= _TWO:
        of_interest = thresholds.of
    weak = weaknesses(counts, estimates, curves, of_interest, level=level)
    told += [*rare_findings(counts, positive, weak.class_confidence), *_how_sure(estimates, posteriors)]
    if over_groups is not None:
        told += of_levels(over_groups, estimates["balanced_accuracy"].value, recalls(tally.by_group))
        told += tally_estimates.of_differing(tally.by_group, level)
    partition = None
    if cases is not None and _TWO <= counts.k <= MOST_CORNERS:
        from adjudge.partitions.cases import Cases
        from adjudge.partitions.space import partition_of

        some = cases.counting_alike
        partition = partition_of(Cases(some.p, some.y, some.classes, some.decided))
    rows, baseline = tally_estimates.verdicts_by_class(tally, level, method), float(counts.support[commonest] / counts.n)
    evaluation = Evaluation(
        *(origin, estimates, by_importance(told), counts, rows, tally.by_fold, tally.by_group, (classes[commonest], baseline)),
        accuracy_posteriors=posteriors,
        chance=above_chance(counts, rate=1 / max(counts.k, 2)) if posteriors is None else posteriors.chance,
        over_groups=over_groups,
        correctable=correctable(tally, cases),
        drawn=cases,
        uncorrected=uncorrectable(tally, cases, repeats=repeats),
        weaknesses=weak,
        rare=rare_class(counts, thresholds, positive, level=level) if counts.k <= _TWO or positive is not None else None,
        folds=tally_estimates.judge_folds(tally.by_fold, level, repeats=repeats),
        groups=tally_estimates.judge_groups(tally.by_group, level, estimates["balanced_accuracy"].value, over_groups),
        partition=partition,
        **known,
    )
    return _with_steps(evaluation)


def _with_steps(evaluation: Evaluation) -> Evaluation:
    return replace(evaluation, next_steps=next_steps(evaluation))


def _how_sure(estimates: dict[str, Estimate], posteriors: AccuracyPosteriors | None) -> Iterator[Finding]:
    """Yield what the intervals and the posteriors have to say against themselves."""
    if posteriors is not None:
        yield from (each for each in posteriors.findings if each.code != "A511")  # no verdict rests on it
    for estimate in estimates.values():
        for finding in () if estimate.interval is None else estimate.interval.findings:
            yield replace(finding, message=wording(f"{estimate.measure.replace('_', ' ').capitalize()}: ", finding.message))


def completed(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with what takes longer: corrections tried on unseen cases, and intervals of the partition."""
    known, space = evaluation.correctable, evaluation.partition
    recommendations: tuple[Recommendations, ...] = ()
    rejection = sure = None
    correctable = known is not None and not known.refused
    pieces = stepped(("corrections", "intervals"), (3.0 * correctable, 1.0 * (space is not None)))
    next(pieces)
    if known is not None and not known.refused:
        from adjudge.corrections.labelled import Known
        from adjudge.corrections.operating import accuracy_rejection
        from adjudge.judgements.recommendation import recommend_sampled

        some, alike = known.cases, known.cases.counting_alike
        group = None if some.group is None else np.unique(some.group, return_inverse=True)[1].astype(np.int64)
        cases = Known(some.p, some.y, some.classes, some.weight, group=group, decided=some.decided)
        names = ("accuracy", "balanced_accuracy") if cases.totals.max() > _UNEQUAL * cases.totals.min() else ("accuracy",)
        recommendations = tuple(recommend_sampled(cases, name) for name in stepped(names))
        rejection = accuracy_rejection(alike.y, alike.p, classes=range(len(alike.classes)))
    next(pieces)
    if space is not None:
        from adjudge.judgements.partitioned import judge_partitions

        sure = judge_partitions({"": space}, level=evaluation.level, resamples=FEW_RESAMPLES).intervals[""]
    next(pieces, None)
    whole = replace(evaluation, recommendations=recommendations, rejection=rejection, partition_intervals=sure)
    return _with_steps(whole)


def judge_numbers(
    counts: NumberCounts, origin: Origin, *, level: float = 0.95, repeats: float = 1.0, findings: tuple[Finding, ...] = ()
) -> Evaluation:
    """Return the evaluation of a numeric predictor, with `repeats` answers a case."""
    counts = replace(counts, weight_squares=counts.weight_squares * repeats)
    estimates = {}
    for measure in ON_NUMBERS:
        limits = number_interval(counts, measure.name, level=level)
        estimates[measure.name] = Estimate(measure.name, measure.of(counts), limits, cases=counts.weight)
    known = residuals_of(counts, level)
    return _with_steps(Evaluation(origin, estimates, findings, numbers=counts, residuals=known, level=level, repeats=repeats))


@dataclass(frozen=True, slots=True, repr=False)
class Overfitting(Shown):
    """The error on the training cases, on new cases, and the bias between them."""

    resubstitution: Estimate
    sample: Estimate
    bias: float  # error on new cases minus error on training cases: what the training error hides
    interval: Interval
    verdict: str  # "optimistic" when the training error is surely too low, "no sign" otherwise, "pessimistic" if too high


def between(training: Estimate, test: Estimate) -> Overfitting:
    """Return by how much the error on new cases exceeds that on training cases."""
    bias, interval = difference(test, training)
    verdict = "optimistic" if interval.low > 0 else "pessimistic" if interval.high < 0 else "no sign"
    return Overfitting(training, test, bias, interval, verdict)


def difference(a: Estimate, b: Estimate) -> tuple[float, Interval]:
    """Return a - b of independent error rates with the interval of Newcombe (1998), Stat. Med. 17:873-890."""
    assert a.interval is not None
    assert b.interval is not None
    d = a.value - b.value
    low = d - math.hypot(a.value - a.interval.low, b.interval.high - b.value)
    high = d + math.hypot(a.interval.high - a.value, b.value - b.interval.low)
    return d, Interval(max(-1.0, low), min(1.0, high), a.interval.level, "Newcombe, mid-P")


@dataclass(frozen=True, slots=True, repr=False)
class OverfittingAgainst(Shown):
    """Whether one model overfits against another: better on the training cases, worse on new ones."""

    overfits: bool
    sure: bool  # whether both differences leave 0 outside their intervals (as if from independent cases)
    training: Interval
    sample: Interval
    training_difference: float
    sample_difference: float


def overfitting(training: Evaluation, test: Evaluation) -> Overfitting:
    """Compare the evaluation of the training cases, which says how well a model remembers, with that of new cases."""
    return between(_error(training), _error(test))


def with_training(evaluation: Evaluation, training: Predictions) -> Evaluation:
    """Return the evaluation of test rows with what the training rows beside them say of overfitting."""
    error = evaluation.estimates.get("error")
    if error is None or error.interval is None:
        return evaluation
    try:
        learnt = of_accuracy(count_confusion(training), ERROR, evaluation.level)
    except InputError as problem:
        told = Finding("A110", "The training rows could not be evaluated, so that overfitting is unknown.", str(problem))
        return replace(evaluation, findings=(*evaluation.findings, told))
    return evaluation if learnt.interval is None else replace(evaluation, overfitting=between(learnt, error))


def overfits_against(
    training: Evaluation, test: Evaluation, other_training: Evaluation, other_test: Evaluation
) -> OverfittingAgainst:
    """Decide whether a model overfits against another: lower error on the training cases, higher on new ones."""
    on_training, training_limits = difference(_error(training), _error(other_training))
    on_test, test_limits = difference(_error(test), _error(other_test))
    overfits = on_training < 0 < on_test
    sure = overfits and training_limits.high < 0 < test_limits.low
    return OverfittingAgainst(overfits, sure, training_limits, test_limits, on_training, on_test)


def _error(evaluation: Evaluation) -> Estimate:
    error = evaluation.estimates.get("error")
    if error is None or error.interval is None:
        msg = "Overfitting compares the error rates of two evaluations of classes; one of these has none."
        raise InputError(msg)
    return error
