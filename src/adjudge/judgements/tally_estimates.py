"""Every measure of what was counted, with its interval: of all cases, class by class, fold by fold and group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np

from adjudge._base import Finding, Shown, counted, dataclass, probable, quoted, replace, safe
from adjudge._base.levels import share as percent
from adjudge._base.show import plain as as_plain
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.tally import Tally
from adjudge.estimates import scored
from adjudge.estimates.cluster_bootstrap import METHOD as CLUSTER_BOOTSTRAP
from adjudge.estimates.clustered import effect_of, effective
from adjudge.estimates.estimate import OF_RECALLS, Estimate, Interval, of_accuracy, of_class, over_folds
from adjudge.estimates.intervals import count_interval, fitting, offered
from adjudge.estimates.posterior import over_levels
from adjudge.judgements.accuracy_posteriors import decided_margins
from adjudge.judgements.curves import MOST_CURVES
from adjudge.metrics import on_counts, on_scores
from adjudge.metrics.averages import averaged, value
from adjudge.metrics.by_name import ByMeasure
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.stats.permutation import within_strata
from adjudge.stats.power import right_alike
from adjudge.stats.student import corrected_limits

MOST_INTERVALS = 100  # classes up to which measures of all cells get an interval, whose cost grows as their cube
MOST_POSTERIOR = 200  # classes up to which there are posteriors, and intervals of the F1 of each class
MOST_CLASSES = 1000  # classes with a row of their own; with more, the commonest ones
_TWO = 2
MOST_GROUPS = 200  # groups up to which they are tested against each other, which costs the cube of their number
MOST_PARTS, MOST_LIMITS = 2000, 200  # folds or groups that are judged one by one, and those of them that have limits
_MOST_CELLS = 100_000  # of the tables of all folds, or of all groups, as plain Python
_FEWEST = 5  # cases a group on average, for the chi-square distribution to hold
_NOTABLE = 0.01  # difference of two balanced accuracies worth a word


@dataclass(frozen=True, slots=True)
class Selected(ByMeasure, Shown):
    """Measures that were asked for by name, each with its interval."""

    estimates: tuple[Estimate, ...]

    def _by_measure(self) -> Mapping[str, Estimate]:
        return {estimate.measure: estimate for estimate in self.estimates}

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates by the names of their measures."""
        return {estimate.measure: estimate.to_dict() for estimate in self.estimates}


@dataclass(frozen=True, slots=True)
class ClassVerdict(Shown):
    """How one class fared against the rest."""

    label: Any
    cases: float
    predicted: float
    sensitivity: Estimate
    precision: Estimate
    specificity: Estimate
    f1: Estimate
    auc: Estimate | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All that is known of it, measure by measure."""
        return (self.sensitivity, self.precision, self.specificity, self.f1, *(() if self.auc is None else (self.auc,)))

    def __repr__(self) -> str:
        shares = ", ".join(f"{one.measure} {one.value:.4f}" for one in self.estimates)
        return f"Class {quoted(self.label)}: {self.cases:,.6g} cases, {self.predicted:,.6g} predicted; {shares}"


def estimates_of(tally: Tally, level: float, method: str) -> dict[str, Estimate]:
    """Return every measure of decisions and, where there are some, of scores, by name."""
    counts = tally.confusion
    rates = [on_counts.ACCURACY, on_counts.ERROR, *([on_counts.REJECTION_RATE] if counts.has_rejected else [])]
    estimates = {m.name: _redrawn(of_accuracy(counts, m, level, method), counts, level, method) for m in rates}
    estimates |= {measure.name: _of_counts(tally, measure, level, method) for measure in on_counts.REPORTED}
    if tally.scores is None:
        return estimates
    estimates |= ranking_estimates(tally, level, method)
    if _TWO < counts.k <= MOST_CURVES:  # the pairs grow as the square
        estimates["auc_hand_till"] = Estimate("auc", on_scores.hand_till(tally), average="hand-till")
    for loss in (on_scores.BRIER, on_scores.LOG_LOSS, on_scores.ECE):
        estimates[loss.name] = Estimate(loss.name, loss.of(tally), scored.loss_interval(tally, loss.name, level=level))
    return estimates


def ranking_estimates(tally: Tally, level: float, method: str) -> dict[str, Estimate]:
    """Return how well scores rank: of the class of interest, or on average over classes."""
    estimates, at = {}, tally.of_interest
    for measure in (on_scores.AUC, on_scores.AVERAGE_PRECISION):
        if at is not None:
            estimates[measure.name] = _of_score(measure, tally, at, level, method)
            continue
        limits = None
        if measure is on_scores.AUC and tally.confusion.k <= MOST_CURVES:
            chosen = method if method in scored.METHODS_OF_MEAN else "default"
            limits = scored.macro_area_interval(tally, level=level, method=chosen)
        estimates[measure.name] = Estimate(measure.name, on_scores.averaged(measure, tally, "macro"), limits, average="macro")
    return estimates


def verdicts_by_class(tally: Tally, level: float, method: str) -> tuple[ClassVerdict, ...]:
    """Return how each class fared against the rest."""
    counts = tally.confusion
    ranked = tally.scores is not None and counts.k <= MOST_CURVES
    shown = range(counts.k) if counts.k <= MOST_CLASSES else sorted(np.argsort(-counts.support, kind="stable")[:50].tolist())
    measures, rows = (on_counts.SENSITIVITY, on_counts.PRECISION, on_counts.SPECIFICITY, on_counts.F1), []
    for at in shown:
        each = (_redrawn(of_class(counts, measure, at, level, method), counts, level, method) for measure in measures)
        sensitivity, precision, specificity, f1 = each
        if not np.isnan(f1.value) and counts.k <= MOST_POSTERIOR:
            chosen = fitting(method, on_counts.F1)
            f1 = replace(f1, interval=count_interval(counts, "f1", level=level, method=chosen, positive=f1.of))
        auc = _of_score(on_scores.AUC, tally, at, level, method) if ranked else None
        cases, assigned = counts.support[at].item(), counts.predicted[at].item()
        rows.append(ClassVerdict(counts.classes[at], cases, assigned, sensitivity, precision, specificity, f1, auc))
    return tuple(rows)


def _of_counts(tally: Tally, measure: Measure, level: float, method: str) -> Estimate:
    """Return a measure of the table, of the class looked for or of the mean over classes, with an interval that is quick."""
    counts, average = tally.confusion, "macro" if isinstance(measure, ClassMeasure) and tally.positive is None else None
    if isinstance(measure, ClassMeasure) and tally.positive is not None:
        estimate, wanted = of_class(counts, measure, tally.positive, level, method), not measure.plain
        estimate = _redrawn(estimate, counts, level, method)
    else:
        mean = averaged(measure, counts, "macro") if isinstance(measure, ClassMeasure) else value(measure, counts)
        estimate = Estimate(measure.name, mean, average=average)
        wanted = counts.k <= MOST_INTERVALS or offered(measure, average)[0] in OF_RECALLS  # of shares of the classes, or few
    if np.isnan(estimate.value) or not wanted:
        return estimate
    how = {"method": fitting(method, measure, average), "positive": estimate.of, "average": average}
    return replace(estimate, interval=count_interval(counts, measure.name, level=level, **how))


def _redrawn(estimate: Estimate, counts: ConfusionCounts, level: float, method: str) -> Estimate:
    """Return an estimate of a share with the interval of clusters drawn again, where that is asked for."""
    if method != CLUSTER_BOOTSTRAP or estimate.interval is None:
        return estimate
    return replace(estimate, interval=count_interval(counts, estimate.measure, level=level, method=method, positive=estimate.of))


def _of_score(measure: OtherMeasure, tally: Tally, at: int, level: float, method: str) -> Estimate:
    if measure is on_scores.AUC:
        limits = scored.area_interval(tally, at, level=level, method=method if method in scored.METHODS else "default")
    else:
        limits = scored.precision_interval(tally, at, level=level)
    return Estimate(measure.name, on_scores.of_class(measure, tally, at), limits, of=tally.confusion.classes[at])


@dataclass(frozen=True, slots=True)
class GroupsCompared(Shown):
    """Whether groups differ in how often the decisions are right, class by class."""

    groups: int
    chi2: float
    df: int
    p_value: float
    lowest: Any
    highest: Any  # the groups that are right least and most often


@dataclass(frozen=True, slots=True)
class GroupsJudged(Shown):
    """How each group fares, whether they differ, and what is owed to them."""

    accuracy: dict[Any, Estimate]
    balanced: dict[Any, Estimate]  # over the classes that a group has a case of
    compared: GroupsCompared | None  # None where groups cannot be tested against each other
    owed: Literal["", "part", "all", "hidden"]  # what groups explain of the balanced accuracy; see :func:`owed_to_groups`


@dataclass(frozen=True, slots=True)
class FoldsJudged(Shown):
    """How each fold fares, and what all of them come to."""

    accuracy: dict[Any, Estimate]
    balanced: dict[Any, Estimate]
    algorithm: Estimate | None  # the mean of folds, knowing of shared training cases; None if they are no parts of one division
    conventional: Estimate | None  # the mean give or take two standard errors, as is commonly reported


def judge_groups(
    by_group: Mapping[Any, ConfusionCounts], level: float, plain: float, over: Estimate | None
) -> GroupsJudged | None:
    """Return how groups fare; `plain` is the balanced accuracy of all cases, `over` that of groups as well as classes."""
    owed = "" if over is None else owed_to_groups(plain, over, by_group)
    return GroupsJudged(*_part_estimates(by_group, level), compare_groups(by_group), owed) if by_group else None


def judge_folds(by_fold: Mapping[Any, ConfusionCounts], level: float, *, repeats: float = 1.0) -> FoldsJudged | None:
    """Return how folds fare; None where fewer than two have a case."""
    tables = {label: counts for label, counts in by_fold.items() if counts.n}
    if len(tables) < _TWO:
        return None
    bar = over_folds(list(tables.values()))
    limits = Interval(bar.low, bar.high, 0.95, "two standard errors")
    conventional = Estimate("accuracy", bar.value, limits) if math.isfinite(bar.error) else None
    # the mean of folds, each tested once by a model of the others: answers that come back, or weights, tell of another plan
    each = np.array([float(counts.correct.sum() / counts.n) for counts in tables.values()])
    algorithm = None
    if repeats <= 1 and np.ptp(each) and not any(isinstance(counts, WeightedCounts) for counts in tables.values()):
        low, high = corrected_limits(each, test_share=1 / each.size, level=level)
        limits = Interval(max(low, 0.0), min(high, 1.0), level, "corrected t over folds")
        algorithm = Estimate("accuracy", float(each.mean()), limits)
    return FoldsJudged(*_part_estimates(tables, level), algorithm, conventional)


def _part_estimates(tables: Mapping[Any, ConfusionCounts], level: float) -> tuple[dict[Any, Estimate], dict[Any, Estimate]]:
    """Return accuracy and balanced accuracy by part; those beyond a table's rows are drawn as dots and have no limits."""
    accuracy, balanced = {}, {}
    for at, (label, counts) in enumerate(list(tables.items())[:MOST_PARTS]):
        mean, known = value(on_counts.BALANCED_ACCURACY, counts), at < MOST_LIMITS
        limits = count_interval(counts, "balanced_accuracy", level=level) if known and not np.isnan(mean) else None
        balanced[label] = Estimate("balanced_accuracy", mean, limits)
        whole = value(on_counts.ACCURACY, counts)
        accuracy[label] = of_accuracy(counts, on_counts.ACCURACY, level) if known else Estimate("accuracy", whole, cases=counts.n)
    return accuracy, balanced


def compare_groups(by_group: Mapping[Any, ConfusionCounts]) -> GroupsCompared | None:
    """Return whether groups differ; None where nothing can be told: too many, too few cases, weights, or no class in common."""
    tables = {label: counts for label, counts in by_group.items() if counts.n}
    weighted = any(isinstance(counts, WeightedCounts) for counts in tables.values())
    if not 1 < len(tables) <= MOST_GROUPS or weighted or sum(int(c.n) for c in tables.values()) < _FEWEST * len(tables):
        return None
    correct, cases = (np.stack([getattr(c, name) for c in tables.values()], axis=1) for name in ("correct", "support"))
    if any(counts.clusters is not None for counts in tables.values()):  # first-order correction of Rao and Scott (1981)
        worth = [1 if c.clusters is None else 1 / effect_of(c, on_counts.ACCURACY).design_effect for c in tables.values()]
        correct, cases = correct * np.array(worth), cases * np.array(worth)
    chi2, df, p = right_alike(correct, cases)
    if not df:
        return None
    shares = {label: float(counts.correct.sum() / counts.n) for label, counts in tables.items()}
    return GroupsCompared(len(tables), chi2, df, p, min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__))


def skill_within(by_group: Mapping[Any, ConfusionCounts]) -> float:
    """Return the p-value of the permutation test of the balanced accuracy over groups and classes, permuted within each group."""
    known = (effective(table, on_counts.BALANCED_ACCURACY) for table in by_group.values())
    rows, columns, recalls = (np.stack(part) for part in zip(*map(decided_margins, known), strict=True))
    seen = rows > 0
    among = seen.sum(axis=0)
    shares = seen / np.maximum(among, 1) / max(np.count_nonzero(among), 1)
    return within_strata(rows, columns, shares / np.maximum(rows, 1), float((shares * recalls).sum()))


def owed_to_groups(plain: float, over: Estimate, by_group: Mapping[Any, ConfusionCounts]) -> Literal["", "part", "all", "hidden"]:
    """Return what groups explain of `plain`, given the one `over` groups too: "all" without any skill within the groups."""
    limits = over.interval
    if limits is None or abs(over.value - plain) < _NOTABLE or limits.low <= plain <= limits.high:
        return ""
    if over.value > plain:
        return "hidden"
    classes = int(np.count_nonzero(np.sum([table.support for table in by_group.values()], axis=0)))
    return "all" if plain > 1 / max(classes, 1) and skill_within(by_group) > 1 - limits.level else "part"


def of_differing(by_group: Mapping[Any, ConfusionCounts], level: float) -> Iterator[Finding]:
    """Say that groups differ, where they surely do, and that there is nothing but groups, where there may be."""
    comparison = compare_groups(by_group)
    if comparison is not None and comparison.p_value <= 1 - level:
        both = ((by_group[label], label) for label in (comparison.lowest, comparison.highest))
        ends = ", ".join(f"{percent(float(table.correct.sum() / table.n))} in {quoted(label)}" for table, label in both)
        told = f"The decisions are not correct equally often in {counted(comparison.groups, 'group')}: {ends}"
        p = "p < 0.001" if comparison.p_value < 0.001 else f"p = {comparison.p_value:.3f}"  # noqa: PLR2004 - digits shown
        yield Finding("A508", f"{told} ({p}, classes taken into account).", "Evaluate it group by group.", comparison.p_value)
    right, cases = (np.sum([getattr(c, name) for c in by_group.values()], axis=0) for name in ("correct", "support"))
    seen = cases > 0
    plain, over = float(np.mean(right[seen] / cases[seen])), over_levels(by_group, level)
    if over.interval is not None and owed_to_groups(plain, over, by_group) == "all":
        limits = f"{100 * level:.6g}% interval {percent(over.interval.low)} to {percent(over.interval.high)}"
        p = probable(skill_within(by_group), 2)
        told = f"With groups counting alike, the balanced accuracy is {percent(over.value)} ({limits}); "
        told += f"no sign of skill within the groups (permutation P {p})."
        advice = f"All of the plain {percent(plain)} may come from the groups; test it where they do not give the class away."
        yield Finding("A509", told, advice, over.value - plain)


def plain_tables(tables: Mapping[Any, ConfusionCounts]) -> dict[str, Any]:
    """Return folds or groups: cases, right ones, accuracy, balanced accuracy and, where that is not too much, every cell."""
    cells = sum(counts.k**2 for counts in tables.values()) <= _MOST_CELLS
    told = {}
    for label, counts in tables.items():
        measures = {m.name: value(m, counts) for m in (on_counts.ACCURACY, on_counts.BALANCED_ACCURACY)}
        own = as_plain({"cases": counts.n, "right": counts.correct.sum()} | measures)
        told[safe(label)] = own | (counts.to_dict() if cells else {})
    return told
