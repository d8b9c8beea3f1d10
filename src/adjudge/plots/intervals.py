"""Values with their limits as forests: estimates, differences, rankings, requirements, and many posteriors.

Few values have a line of their own for name and words; those of many tables, candidates or data sets share one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from adjudge._base import counted, safe
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.posteriors import Posteriors
from adjudge.judgements.delong import DeLong
from adjudge.judgements.evaluation import Overfitting, OverfittingAgainst
from adjudge.judgements.gate import Gate, JudgedRule
from adjudge.judgements.over_sets import OverSets
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.tally_estimates import ClassVerdict
from adjudge.judgements.textbook import CorrectedT, ErrorDifference, PairedT
from adjudge.metrics.catalogue import find
from adjudge.partitions.replicates import MeasureInterval
from adjudge.partitions.space import PartitionDifference
from adjudge.plots import NothingToDrawError
from adjudge.plots.forest import Forest, Row, ends_of, forest_of, limited_row
from adjudge.plots.labels import count, loss, named, number, probability, rounded, said, signed
from adjudge.plots.quantities import METHODS, measure_name, written

_MOST_TABLES = 30  # tables with a row each; of more, dots in one
_MOST_SETS = 40  # data sets with a row each; of more, those with the largest differences
MOST_RULES = 20  # rules in one picture; of more, those nearest to failing
_MOST_DOTS = 200
_FIRST, _SECOND, _THIRD, _INK = 0, 1, 2, 4  # colours
_LOOKS = {"passes": ("disc", _FIRST), "inconclusive": ("ring", _INK), "fails": ("diamond", _SECOND)}


def _level(limits: Interval | MeasureInterval | None) -> str:
    """Return the level of an interval for an axis, in brackets, or nothing."""
    return "" if limits is None else f" ({100 * limits.level:.6g}% interval)"


def _row(name: str, estimate: Estimate, *, colour: int = _FIRST, shape: str = "disc") -> Row:
    """Return an estimate with its limits; the picture's note says why one has no value."""
    if estimate.reason is not None or not math.isfinite(estimate.value):
        return Row(name, words="undefined" if estimate.reason else number(estimate.value), headed=True)
    width = 0.0 if estimate.interval is None else estimate.interval.high - estimate.interval.low
    return limited_row(name, estimate.value, estimate.interval, written(estimate.measure, width), shape, colour)


def _why(*estimates: Estimate) -> str:
    """Return why estimates are undefined, each reason once."""
    return "; ".join(dict.fromkeys(f"undefined: {safe(each.reason)}" for each in estimates if each.reason is not None))


def interval_forest(interval: Interval) -> Forest:
    """Return two limits on an axis of their own."""
    width = interval.high - interval.low
    words = f"{rounded(interval.low, width)} to {rounded(interval.high, width)}"
    row = Row(f"{100 * interval.level:.6g}% interval", low=interval.low, high=interval.high, words=words, headed=True)
    return Forest([row], axis="Value", title=f"Interval by {named([METHODS.get(interval.method, interval.method)], 48)[0]}")


def estimate_forest(estimate: Estimate) -> Forest:
    """Return an estimate between the limits of its measure."""
    name, of = measure_name(estimate.measure), "" if estimate.of is None else f" of {named([estimate.of], 60)[0]}"
    return forest_of(estimate.measure, [_row(f"{name}{of}", estimate)], _level(estimate.interval), note=_why(estimate))


def class_forest(verdict: ClassVerdict) -> Forest:
    """Return how a class fared: every measure of it, one below the other."""
    each = verdict.estimates
    limits = next((one.interval for one in each if one.interval is not None), None)
    rows = [_row(measure_name(one.measure), one) for one in each]
    title = f"Class {named([verdict.label], 60)[0]}: {count(verdict.cases)} cases, {count(verdict.predicted)} predicted"
    return Forest(rows, axis=f"Value{_level(limits)}", bounds=(0.0, 1.0), title=title, note=_why(*each))


def losses_forest(losses: Mapping[str, Estimate]) -> Forest:
    """Return the losses of a numeric predictor against those of always predicting the mean."""
    each, told = [losses[name] for name in ("rae", "rse") if name in losses], []
    for one in (losses[name] for name in ("mae", "mse") if name in losses):
        width = 0.0 if one.interval is None else one.interval.high - one.interval.low
        told.append(f"{measure_name(one.measure).lower()} {rounded(one.value, width)}")
    return Forest(
        [_row(measure_name(one.measure), one) for one in each],
        axis=f"Error as a share of that of the mean{_level(each[0].interval)}",
        bounds=(0.0, math.inf),
        marks=[("always the mean", 1.0)],
        title="; ".join(told),
        note=_why(*each),
    )


def measure_forest(interval: MeasureInterval) -> Forest:
    """Return a measure of a partition between its limits."""
    name, width = measure_name(interval.measure), interval.high - interval.low
    row = limited_row(name, interval.value, interval, lambda v: rounded(v, width))
    return Forest([row], axis=f"{name} of a partition{_level(interval)}")


def overfitting_forest(overfitting: Overfitting) -> Forest:
    """Return the error on the training cases above that on new ones."""
    rows = [
        _row("On the training cases", overfitting.resubstitution, shape="ring"),
        _row("On new cases", overfitting.sample, colour=_SECOND, shape="diamond"),
    ]
    limits = overfitting.interval
    bias, low, high = (rounded(100 * v, 100 * (limits.high - limits.low)) for v in (overfitting.bias, limits.low, limits.high))
    title = f"New minus training: {bias} points, {low} to {high}"
    return Forest(rows, axis=f"Error{_level(limits)}", bounds=(0.0, 1.0), percent=True, title=title)


def posteriors_forest(posteriors: Posteriors) -> Forest:
    """Return the median of each table with its limits; of many tables, dots for their medians."""
    many, medians = len(posteriors) > _MOST_TABLES, posteriors.median
    if many:
        medians = np.sort(medians)
        words = written(posteriors.quantity, float(np.ptp(medians)))
        kept = medians[np.unique(np.linspace(0, medians.size - 1, min(_MOST_DOTS, medians.size)).round().astype(np.int64))]
        span = f"{words(float(medians[0]))} to {words(float(medians[-1]))}"
        rows = [Row("Medians", words=span, headed=True, colour=_INK, dots=tuple(kept.tolist()))]
    else:
        low, high = posteriors.interval()
        words = written(posteriors.quantity, float(np.median(high - low)))
        each = zip(medians.tolist(), low.tolist(), high.tolist(), strict=True)
        rows = [Row(str(i + 1), *ends, words(ends[0])) for i, ends in enumerate(each)]
    dots = f"{_MOST_DOTS} of {len(posteriors):,}, evenly from least to greatest"
    return forest_of(
        posteriors.quantity,
        rows,
        "" if many else " (95% intervals)",
        title=f"{measure_name(posteriors.quantity)} of {counted(len(posteriors), 'table')}",
        heads=None if many else ("table", "median"),
        note="" if not many else "a dot for each table" if len(posteriors) <= _MOST_DOTS else dots,
    )


def _difference(name: str, value: float, limits: Interval | None, *, points: bool = False, colour: int = _FIRST) -> Row:
    """Return a difference with its sign and its limits; in percentage points where it is one of shares."""
    scale = 100 if points else 1
    width = 0.0 if limits is None else scale * (limits.high - limits.low)
    return limited_row(name, value, limits, lambda v: signed(rounded(scale * v, width), v), "diamond", colour)


Difference = DeLong | PairedT | CorrectedT | ErrorDifference | PartitionDifference | OverfittingAgainst


def differences_forest(difference: Difference) -> Forest:
    """Return the difference of two, or of two on training cases and on new ones, read against none."""
    percent = isinstance(difference, (ErrorDifference, OverfittingAgainst))
    match difference:
        case DeLong():
            limits, axis = difference.interval, "Difference in AUC"
            rows = [_difference("AUC of a minus AUC of b", difference.difference, limits)]
            title = f"AUC {loss(difference.auc_a)} and {loss(difference.auc_b)}, {said(difference.p_value)}"
        case ErrorDifference():
            limits, axis = difference.interval, "Difference in error"
            rows = [_difference("Error of the first minus the second", difference.d, limits, points=True)]
            p = difference.p_positive
            title = "Neither rate varies" if math.isnan(p) else said(p, "P(the first errs more)")
        case PartitionDifference():
            limits = Interval(difference.low, difference.high, difference.level, difference.method)
            name = measure_name(difference.measure)
            axis, title = f"Difference in {name.lower()}", f"{name} {difference.a:.3f} and {difference.b:.3f}"
            rows = [_difference(f"{name} of a minus b", difference.value, limits)]
        case OverfittingAgainst():
            limits, axis = difference.sample, "Error, this less the other"
            rows = [
                _difference("On the training cases", difference.training_difference, difference.training, points=True),
                _difference("On new cases", difference.sample_difference, limits, points=True, colour=_SECOND),
            ]
            title = "Overfits against the other" if difference.overfits else "Does not overfit against the other"
        case _:  # over splits; where it was corrected, the title tells what it would have seemed
            limits, axis = difference.interval, "Difference"
            rows = [_difference("Mean difference, a minus b", difference.mean, limits)]
            naive = f" ({said(difference.p_naive)} were splits independent)" if isinstance(difference, CorrectedT) else ""
            title = f"t = {loss(difference.t)}, {said(difference.p_value)}{naive}"
    return Forest(rows, axis=f"{axis}{_level(limits)}", marks=[("no difference", 0.0)], title=title, percent=percent)


def ranking_forest(result: Ranking) -> Forest:
    """Return candidates from best to worst, those like the best in its colour, and what the winner is worth on other cases."""
    best, limits = result.best, result.best.interval
    numbers = {row.name: i for i, row in enumerate(result.rows)}
    runs = [(numbers[group[0]], numbers[group[-1]]) for group in result.groups if len(group) > 1]
    rows = []
    for row in result.rows:
        colour = _FIRST if 1 in row.groups else _INK
        rows.append(Row(row.name, row.value, *ends_of(row.interval), probability(row.p_best), colour=colour))
    words = written(result.measure, limits.high - limits.low if limits else 0.0)
    seen, kept = words(best.value), words(result.optimism.corrected)
    told = kept if kept == seen else f"{kept}, not {seen}"
    rows.append(Row("Winner, on held-out cases", result.optimism.corrected, words=told, shape="ring", headed=True))
    of = "" if result.of is None else f" of {named([result.of], 60)[0]}"
    return forest_of(
        result.measure,
        rows,
        f"{of} (simultaneous {100 * result.level:.6g}% intervals)",
        title=f"{len(result.rows)} candidates, {result.cases:,} cases",
        heads=("best first", "P(best)"),
        joined=runs,
        note="lines join indistinguishable candidates" if runs else "of every two one is declared better",
    )


def sets_forest(comparison: OverSets) -> Forest:
    """Return the difference on each data set and, where folds were given, over all of them."""
    names, together = named(comparison.names), comparison.hierarchical
    largest = sorted(range(comparison.n_sets), key=lambda i: -abs(comparison.means[i]))[:_MOST_SETS]
    rows = []
    for i in sorted(largest):
        mean = float(comparison.means[i])
        if together is None:
            rows.append(Row(names[i], mean, words=signed(rounded(mean, 0.0), mean)))
        else:
            known = together.shrunken[comparison.names[i]]
            low, high = ends_of(known.interval)
            words = signed(rounded(known.value, high - low), known.value)
            rows.append(Row(names[i], known.value, low, high, words, dots=(mean,)))
    if together is not None:
        rows.append(_difference("Mean over data sets", together.mu.value, together.mu.interval, colour=_THIRD))
    three, where = (comparison.signed_rank, "typical") if together is None else (together, "next")
    told = (f"{name} {probability(p)}" for name, p in (("worse", three.worse), ("same", three.same), ("better", three.better)))
    notes = [f"shaded: within ±{comparison.margin:g}"] if comparison.margin else []
    notes += ["faint: as seen on its own"] if together is not None else []
    more = comparison.n_sets - _MOST_SETS
    notes += [f"{counted(more, 'smaller difference')} not drawn"] if more > 0 else []
    return Forest(
        rows,
        axis="Difference, a minus b" + ("" if together is None else f" ({100 * comparison.level:.6g}% intervals)"),
        marks=[("no difference", 0.0)],
        band=(-comparison.margin, comparison.margin) if comparison.margin else None,
        title=f"On the {where} data set a is {', '.join(told)}",
        heads=("data set", "a - b"),
        note="; ".join(notes),
    )


def gate_forest(gate: Gate) -> Forest:
    """Return how far every measure is beyond its bound: to the right where it should be, each limit holding by itself."""
    rules = drawn_rules(gate)
    if not rules:
        msg = "No rule of this gate has a value and an interval, so that there is nothing to draw; print it for the reasons."
        raise NothingToDrawError(msg)

    def beyond(rule: JudgedRule) -> tuple[float, float, float]:
        if rule.operator.startswith(">"):
            return rule.value - rule.bound, rule.low - rule.bound, rule.high - rule.bound
        return rule.bound - rule.value, rule.bound - rule.high, rule.bound - rule.low

    kept = sorted(rules, key=lambda rule: min(beyond(rule)))[:MOST_RULES]
    drawn = ((rule, named([rule.rule], 100)[0]) for rule in rules if rule in kept)
    rows = [Row(name, *beyond(rule), rule.state, *_LOOKS[rule.state], headed=True) for rule, name in drawn]
    left = f"{counted(len(gate.rules) - len(rows), 'more rule')} not drawn" if len(rows) < len(gate.rules) else ""
    axis = f"Beyond the bound; one-sided bounds at {100 * gate.level:.6g}%"
    return Forest(rows, axis=axis, marks=(("the bound", 0.0),), title=f"Rules: {gate.state}", note=left)


def drawn_rules(gate: Gate) -> list[JudgedRule]:
    """Return the rules that share an axis: those about measures with both ends, else those about the first without."""
    known = [rule for rule in gate.rules if rule.reason is None and math.isfinite(rule.value)]
    ended = [rule for rule in known if math.isfinite(find(rule.measure).high)]
    return ended or [rule for rule in known if rule.measure == known[0].measure]
