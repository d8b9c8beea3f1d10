"""Numbers and tables by themselves: estimates, intervals, posteriors, curves, counts, tests of textbooks, rules, plans."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from adjudge._base import Finding, counted, first_few, listed, quoted, safe, share
from adjudge.corrections.multipliers import ErrorCurve, Multipliers
from adjudge.corrections.operating import AccuracyRejection, OperatingPoint
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.counts.result import Counts, PairCounts
from adjudge.describe.description import LONGEST, document, facts, findings_of, noted, number_told, of_fields
from adjudge.describe.document import Document, Table
from adjudge.describe.values import limits, limits_of, method, p_value, percent, spoken, sureness, title, value, with_interval
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.posterior import Posterior
from adjudge.estimates.posteriors import Posteriors
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors, Chance
from adjudge.judgements.delong import DeLong
from adjudge.judgements.ensembles import Rounds
from adjudge.judgements.resampled import OverFolds
from adjudge.judgements.tally_estimates import ClassVerdict, Selected
from adjudge.judgements.textbook import CorrectedT, CorrelatedT, ErrorDifference, FiveByTwo, McNemar, PairedT
from adjudge.metrics.catalogue import ALL, MeasureTable, find
from adjudge.metrics.measure import Measure
from adjudge.partitions.replicates import MeasureInterval
from adjudge.partitions.space import PartitionDifference
from adjudge.plots.labels import loss, probability, rounded
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Roles
from adjudge.resampling.plan import Plan
from adjudge.resampling.run_result import RunResult

_MOST_NAMED = 8  # classes, or thresholds, within a sentence
_LONGEST_FINDING = 2000
_CURVES = {"roc": "ROC curve", "precision-recall": "Precision and recall"}
_AREAS = {"precision-recall": "average precision", "reliability": "calibration error (ECE)"}


# -- estimates and posteriors ----------------------------------------------------------------------------------


@document.register
def _(result: Estimate, **_: bool) -> Document:
    if result.measure not in {each.name for each in ALL}:  # one of the user's own
        return Document((_own(result),))
    by = "" if result.interval is None else f", {sureness(result)} ({method(result.interval)})"
    return Document((f"{title(result)}: {value(result) if result.reason is None else number_told(result.value)}{by}",))


def _own(result: Estimate) -> str:
    """Return an estimate of a measure that may be unknown, with its interval."""
    of = "" if result.of is None else f" of {quoted(result.of)}"
    shown = repr(result.value) if result.reason is not None else with_interval(result.value, result.interval)
    return f"{safe(result.measure)}{of} {shown}"


@document.register
def _(result: Selected, **_: bool) -> Document:
    """Tell measures asked for by name, a line each, with the formula."""
    lines = []
    for each in result.estimates:
        interval = each.interval
        limited = "" if interval is None else f"  [{interval.low:.6g}, {interval.high:.6g}] {interval.method}"
        shown = f"{each.value:.6g}{limited}" if each.reason is None else f"undefined: {each.reason}"
        lines.append(f"{each.measure} {shown}  ({find(each.measure).formula})")
        lines += [] if interval is None else [f"  {safe(str(finding), _LONGEST_FINDING)}" for finding in interval.findings]
    return Document((), lines=tuple(lines), key=_measured(result.estimates))


def _measured(estimates: Iterable[Estimate]) -> Table:
    """Return measures with their values and limits."""
    return Table("", ("Measure", "Value", "Interval"), tuple((title(each), value(each), limits(each)) for each in estimates))


@document.register
def _(result: Posterior, **_: bool) -> Document:
    interval = result.interval()
    of, width = "" if result.of is None else f" of {quoted(result.of)}", interval.high - interval.low
    known = {name: float(v) for name, v in (("mean", result.mean), ("median", result.median)) if math.isfinite(v)}
    rows = (*((name, rounded(v, width)) for name, v in known.items()), ("95% interval", limits_of(interval)))
    told = f"Posterior distribution of {safe(result.quantity).replace('_', ' ')}{of}"
    return noted(told, key=facts(rows), findings=findings_of(result))


@document.register
def _(result: Chance, **_: bool) -> Document:
    need = "no number would do" if result.threshold is None else f"{result.threshold:,} would do"
    chances = {
        f"{result.test} mid-P of the balanced accuracy": result.p_value,
        f"p, guessing correctly {share(result.rate, 0)} of the time": result.p_value_rate,
        f"p, always the commonest class ({share(result.no_information_rate)} correct)": result.p_value_nir,
    }
    right = f"{result.right:,.6g} of {result.cases:,.6g}; {need} at {percent(result.alpha)}"
    rows = (("correct", right), *((name, probability(p, 3)) for name, p in chances.items()))
    return noted(f"{result.statement}.", key=facts(rows))


# -- counts, curves, predictions -------------------------------------------------------------------------------


def _roles(roles: Roles) -> Table:
    """Return each role with its column and the evidence for it."""
    one = {
        name: getattr(roles, name) for name in ("truth", "predicted", "row", "fold", "group", "cluster", "run", "weight", "count")
    }
    columns = {name: quoted(column) for name, column in one.items() if column is not None}
    columns |= {"scores": listed((name for _, name in roles.scores), 4)} if roles.scores else {}
    rows = tuple((name, column, safe(roles.evidence.get(name, ""), LONGEST)) for name, column in columns.items())
    return Table("", ("Role", "Column", "Why"), rows, "lll")


@document.register
def _(result: MeasureTable, **_: bool) -> Document:
    rows = tuple((m.name, f"{m.low:g} to {m.high:g}", m.direction, m.needs, m.formula) for m in result)
    table = Table("", ("Name", "Range", "Direction", "Needs", "Formula"), rows, "lllll")
    return Document((counted(len(result), "measure"),), (table,), key=table, key_is_whole=True)


# -- a sentence each -------------------------------------------------------------------------------------------


def _priors(result: Priors) -> str:
    names = map(quoted, range(result.priors.size) if result.classes is None else result.classes)
    each = zip(names, result.priors, result.interval, strict=True)
    shares = first_few([f"{name} {p:.4g} ({low:.4g} to {high:.4g})" for name, p, (low, high) in each], _MOST_NAMED)
    moved = "" if result.moved is None else f"; if they were unchanged, {p_value(result.moved.p_value, 3)}"
    return f"Priors from {result.cases:,.6g} cases: {shares}, {percent(result.level)} intervals{moved}"


def _signed(difference: float, interval: Interval | None) -> str:
    return with_interval(difference, interval, sign=True)


_NOTED: dict[Any, Callable[[Any], Document]] = {
    Interval: lambda r: noted(f"{percent(r.level)} interval {limits_of(r)} ({method(r)})", findings=findings_of(r)),
    ClassVerdict: lambda r: noted(repr(r), key=_measured(replace(each, of=None) for each in r.estimates)),
    Counts: lambda r: noted(repr(r), findings=r.found),
    PairCounts: lambda r: noted(repr(r)),
    Predictions: lambda r: noted(f"Predictions from {safe(r.source.name)}", key=_roles(r.roles), findings=r.found),
    Roles: lambda r: noted("The columns by the part they play", key=_roles(r)),
    Finding: lambda r: noted(f"{r.code} {r.message}", r.advice),
    ConfusionCounts: lambda r: noted(
        f"{r.n:,.6g} cases of {counted(r.k, 'class', 'classes')}, "
        f"{f'{float(r.correct.sum()):,.6g}' if r.n else 'none'} correct (rows: true class, columns: predicted class)"
    ),
    Curve: lambda r: noted(
        f"{_CURVES.get(r.name, r.name.replace('-', ' ').capitalize())}"
        f"{'' if r.of is None else f' of class {quoted(r.of)}'}: {counted(r.x.size, 'point')}, "
        f"{_AREAS.get(r.name, 'area')} {number_told(r.area)}"
    ),
}
"""Results that are told in a sentence, some with numbers or findings below it."""
_WITH_FIELDS: dict[Any, Callable[[Any], str]] = {
    PairedT: lambda r: f"PairedT: mean difference {_signed(r.mean, r.interval)}; t = {r.t:.4g}, {p_value(r.p_value)}",
    CorrectedT: lambda r: (
        f"CorrectedT: mean difference {_signed(r.mean, r.interval)}; t = {r.t:.4g}, {p_value(r.p_value)} "
        f"(were splits independent, {p_value(r.p_naive)})"
    ),
    McNemar: lambda r: (
        f"McNemar: only a correct {r.b:,} times, only b {r.c:,} times; {p_value(r.p_exact)} (exact), "
        f"{p_value(r.p_mid).removeprefix('p ').removeprefix('= ')} (mid-P), chi2 = {r.chi2:.4g}"
    ),
    DeLong: lambda r: (
        f"DeLong: AUC {loss(r.auc_a)} and {loss(r.auc_b)}, difference {_signed(r.difference, r.interval)}; "
        f"z = {r.z:.4g}, {p_value(r.p_value)}"
    ),
    CorrelatedT: lambda r: (
        f"CorrelatedT: worse {r.worse:.4g}, same {r.same:.4g}, better {r.better:.4g} "
        f"(mean difference {_signed(r.mean, None)}, margin {r.margin:g})"
    ),
    FiveByTwo: lambda r: f"FiveByTwo: t = {r.t:.4g}, {p_value(r.p_t)}; F = {r.f:.4g}, {p_value(r.p_f)}",
    ErrorDifference: lambda r: f"ErrorDifference {_signed(r.d, r.interval)}; P(the first errs more) = {r.p_positive:.4g}",
    OperatingPoint: lambda r: (
        f"{quoted(r.positive)} from {loss(r.threshold)} on (by {r.rule}): "
        + "; ".join(_own(each) for each in (*(replace(rate, of=None) for rate in (r.sensitivity, r.specificity)), r.cost) if each)
    ),
    Rejection: lambda r: (
        f"Rejection ({r.kind}){' at ' if r.thresholds.size else ''}"
        f"{', '.join(f'{t:.4g}' for t in r.thresholds[:_MOST_NAMED])}: accuracy {r.accuracy:.4f}, error {r.error:.4f}, "
        f"rejected {r.rejection:.4f}, cost {loss(r.cost)}"
    ),
    Priors: _priors,
    AccuracyPosteriors: lambda r: f"AccuracyPosteriors of {r.tested}, under {r.prior}",
    Posteriors: lambda r: f"Posteriors of {spoken(r.quantity)} for {counted(len(r), 'table')}",
}
"""Results that are told in one sentence, their fields below it."""
_CORRECTING, _RAN = (AccuracyRejection, ErrorCurve, Multipliers, PriorShift), (OverFolds, Plan, RunResult, Rounds)
_PROMPT = (Measure, MeasureInterval, PartitionDifference, *_CORRECTING, *_RAN)  # what str() says is told
for _kind, _document in _NOTED.items():
    document.register(_kind, lambda result, made=_document, **_: made(result))
for _kind, _sentence in (_WITH_FIELDS | dict.fromkeys(_PROMPT, repr)).items():
    document.register(_kind, lambda result, told=_sentence, **_: of_fields(result, told(result)))
