"""Numbers and tables by themselves: estimates, intervals, posteriors, curves, counts, tests of textbooks, rules, plans."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from adjudge._base.findings import Finding
from adjudge._base.shares import share
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.multipliers import ErrorCurve, Multipliers
from adjudge.corrections.operating import AccuracyRejection, OperatingPoint
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.corrections.streaming import Corrected
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.paired import PairCounts
from adjudge.counts.result import Counts
from adjudge.describe.description import LONGEST, document, facts, findings_of, noted, number_told, of_fields
from adjudge.describe.document import Document, Row, Table
from adjudge.describe.values import (
    limits,
    limits_of,
    method,
    p_value,
    percent,
    probability,
    spoken,
    sureness,
    title,
    value,
    with_interval,
)
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.posterior import Posterior
from adjudge.estimates.posteriors import Posteriors
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors, Chance
from adjudge.judgements.ensembles import Rounds
from adjudge.judgements.resampled import OverFolds
from adjudge.judgements.tally_estimates import ClassVerdict
from adjudge.judgements.textbook import CorrectedT, CorrelatedT, ErrorDifference, FiveByTwo, McNemar, PairedT
from adjudge.judgements.two_areas import DeLong
from adjudge.metrics.catalogue import ALL, MeasureTable
from adjudge.partitions.differences import PartitionDifference
from adjudge.partitions.sure import MeasureInterval
from adjudge.plots.labels import loss, rounded
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Roles
from adjudge.resampling.plan import Plan
from adjudge.resampling.run_result import Ran

_MOST_NAMED = 8  # classes, or thresholds, within a sentence
_CURVES = {"roc": "ROC curve", "precision-recall": "Precision and recall"}
_AREAS = {"precision-recall": "average precision", "reliability": "calibration error (ECE)"}


# -- estimates and posteriors ----------------------------------------------------------------------------------


@document.register
def _(result: Estimate, *, whole: bool) -> Document:  # noqa: ARG001 - its page is a plain one, as of all below
    if result.measure not in {each.name for each in ALL}:  # one of the user's own
        return Document((_own(result),))
    by = "" if result.interval is None else f", {sureness(result)} ({method(result.interval)})"
    return Document((f"{title(result)}: {value(result) if result.reason is None else number_told(result.value)}{by}",))


def _own(result: Estimate, *, sign: bool = False) -> str:
    """Return an estimate of a measure that may be unknown, with its interval."""
    of = "" if result.of is None else f" of {quoted(result.of)}"
    shown = repr(result.value) if result.reason is not None else with_interval(result.value, result.interval, sign=sign)
    return f"{safe(result.measure)}{of} {shown}"


@document.register
def _(result: Interval, *, whole: bool) -> Document:  # noqa: ARG001
    return noted(f"{percent(result.level)} interval {limits_of(result)} ({method(result)})", findings=findings_of(result))


@document.register
def _(result: Posterior, *, whole: bool) -> Document:  # noqa: ARG001
    interval = result.interval()
    of, width = "" if result.of is None else f" of {quoted(result.of)}", interval.high - interval.low
    known = {name: float(v) for name, v in (("mean", result.mean), ("median", result.median)) if math.isfinite(v)}
    rows = (*((name, rounded(v, width)) for name, v in known.items()), ("95% limits", limits_of(interval)))
    told = f"Posterior distribution of {safe(result.quantity).replace('_', ' ')}{of}"
    return noted(told, key=facts(rows), findings=findings_of(result))


@document.register
def _(result: Chance, *, whole: bool) -> Document:  # noqa: ARG001
    need = "no number would do" if result.threshold is None else f"{result.threshold:,} would do"
    commonest = f"p, always the commonest class ({share(result.no_information_rate)} right)"
    chances = {
        f"{result.test} mid-P of the balanced accuracy": result.p_value,
        f"p, guessing right {share(result.rate, 0)} of the time": result.p_value_rate,
        commonest: result.p_value_nir,
    }
    rows: tuple[Row, ...] = (
        ("right", f"{result.right:,.6g} of {result.cases:,.6g}; {need} at {percent(result.alpha)}"),
        *((name, probability(p, 3).removeprefix("= ")) for name, p in chances.items()),
    )
    return noted(f"{result.statement}.", key=facts(rows))


@document.register
def _(result: ClassVerdict, *, whole: bool) -> Document:  # noqa: ARG001
    each = [result.sensitivity, result.precision, result.specificity, result.f1, *([] if result.auc is None else [result.auc])]
    shares = ", ".join(f"{one.measure} {one.value:.4f}" for one in each)
    rows = tuple((title(one), value(one), limits(one)) for one in (replace(one, of=None) for one in each))
    head = f"Class {quoted(result.label)}: {result.cases:,.6g} cases, {result.assigned:,.6g} assigned"
    return noted(f"{head}; {shares}", key=Table("", ("Measure", "Value", "Limits"), rows, "lrr"))


# -- counts, curves, predictions -------------------------------------------------------------------------------


@document.register
def _(result: ConfusionCounts, *, whole: bool) -> Document:  # noqa: ARG001
    cases = f"{result.n:,.6g} cases of {counted(result.k, 'class', 'classes')}"
    right = f"{float(result.correct.sum()):,.6g} right" if result.n else "none right"
    return noted(f"{cases}, {right} (rows true, columns assigned)")


@document.register
def _(result: Counts, *, whole: bool) -> Document:  # noqa: ARG001
    held = f"Counts of {counted(result.rows, 'row')} of {result.name}"
    if isinstance(result.tally, NumberCounts):
        return noted(f"{held}, numbers", findings=result.found)
    apart = {"fold": len(result.tally.by_fold), "group": len(result.tally.by_group)}
    parts = [counted(n, what) for what, n in apart.items() if n]
    scale = [result.tally.scale] if result.tally.scale else []
    return noted(", ".join([f"{held}, classes {listed(result.classes)}", *parts, *scale]), findings=result.found)


@document.register
def _(result: PairCounts, *, whole: bool) -> Document:  # noqa: ARG001
    told = f"Counts of {counted(result.cases, 'case')} judged by {result.name}, classes {listed(result.classes)}"
    return noted(f"{told}, {counted(result.patterns.n.size, 'pattern')} of truth and decisions")


@document.register
def _(result: Curve, *, whole: bool) -> Document:  # noqa: ARG001 - its points are for the eye
    of = "" if result.of is None else f" of class {quoted(result.of)}"
    name = _CURVES.get(result.name, result.name.replace("-", " ").capitalize())
    area = f"{_AREAS.get(result.name, 'area')} {number_told(result.area)}"
    return noted(f"{name}{of}: {counted(result.x.size, 'point')}, {area}")


@document.register
def _(result: Predictions, *, whole: bool) -> Document:  # noqa: ARG001
    return noted(f"Predictions from {safe(result.source.name)}", key=_roles(result.roles), findings=result.found)


@document.register
def _(result: Roles, *, whole: bool) -> Document:  # noqa: ARG001
    return noted("The columns by the part they play", key=_roles(result))


def _roles(roles: Roles) -> Table:
    """Return each role with its column and the evidence for it."""
    one = {name: getattr(roles, name) for name in ("truth", "predicted", "row", "fold", "group", "weight")}
    columns: Mapping[str, str] = {name: quoted(column) for name, column in one.items() if column is not None}
    if roles.scores:
        columns = {**columns, "scores": listed((name for _, name in roles.scores), 4)}
    rows = tuple((name, column, safe(roles.evidence.get(name, ""), LONGEST)) for name, column in columns.items())
    return Table("", ("Role", "Column", "Why"), rows, "lll")


@document.register
def _(result: MeasureTable, *, whole: bool) -> Document:  # noqa: ARG001
    rows = tuple((m.name, f"{m.low:g} to {m.high:g}", m.direction, m.needs, m.formula) for m in result)
    table = Table("", ("Name", "Range", "Direction", "Needs", "Formula"), rows, "lllll")
    return Document((counted(len(result), "measure"),), (table,), key=table, key_is_whole=True)


@document.register
def _(result: Finding, *, whole: bool) -> Document:  # noqa: ARG001
    return noted(f"{result.code} {result.message}", result.advice)


# -- one sentence, and the fields below it ---------------------------------------------------------------------


def _paired_t(result: PairedT | CorrectedT) -> str:
    seen = f"mean difference {with_interval(result.mean, result.interval, sign=True)}; t = {result.t:.4g}, "
    naive = f" (were splits independent, {p_value(result.p_naive)})" if isinstance(result, CorrectedT) else ""
    return f"{type(result).__name__}: {seen}{p_value(result.p_value)}{naive}"


def _mcnemar(result: McNemar) -> str:
    seen = f"only a right {result.b:,} times, only b {result.c:,} times"
    mid = p_value(result.p_mid).removeprefix("p ").removeprefix("= ")
    return f"McNemar: {seen}; {p_value(result.p_exact)} (exact), {mid} (mid-P), chi2 = {result.chi2:.4g}"


def _delong(result: DeLong) -> str:
    areas = f"AUC {loss(result.auc_a)} and {loss(result.auc_b)}"
    apart = with_interval(result.difference, result.interval, sign=True)
    return f"DeLong: {areas}, difference {apart}; z = {result.z:.4g}, {p_value(result.p_value)}"


def _correlated_t(result: CorrelatedT) -> str:
    three = f"worse {result.worse:.4g}, same {result.same:.4g}, better {result.better:.4g}"
    return f"CorrelatedT: {three} (mean difference {with_interval(result.mean, None, sign=True)}, margin {result.margin:g})"


def _error_difference(result: ErrorDifference) -> str:
    apart = with_interval(result.d, result.interval, sign=True)
    return f"ErrorDifference {apart}; P(the first errs more) = {result.p_positive:.4g}"


def _partition_difference(result: PartitionDifference) -> str:
    sure = "may be chance" if result.low <= 0 <= result.high else "is more than chance"
    name = result.measure.replace("_", " ").capitalize()
    limits = f"{percent(result.level)} interval {result.low:+.3f} to {result.high:+.3f}"
    return f"{name} {result.a:.3f} and {result.b:.3f}: a has {result.value:+.3f} ({limits}), which {sure}."


def _measure_interval(result: MeasureInterval) -> str:
    limits = f"{percent(result.level)} interval {result.low:.3f} to {result.high:.3f}"
    return f"{result.measure.replace('_', ' ').capitalize()} {result.value:.3f}, {limits} ({result.method})."


def _over_folds(result: OverFolds) -> str:
    over = result.algorithm
    algorithm = "" if over is None else f", algorithm {over.low:.4g} to {over.high:.4g}"
    return f"{result.measure}: pooled {result.pooled:.4g}, mean of folds {result.mean_of_folds:.4g}{algorithm}"


def _rounds(result: Rounds) -> str:
    first, last = (result.judged[:, at].mean() for at in (0, -1))
    if not result.followed:
        return f"{result.name}: {result.measure} {last:.4g}, not followed over its rounds"
    return (
        f"{result.name}: {result.measure} {first:.4g} after one round, {last:.4g} after {result.judged.shape[1]}: {result.course}"
    )


def _operating_point(result: OperatingPoint) -> str:
    each = [replace(one, of=None) for one in (result.sensitivity, result.specificity)]
    told = "; ".join(_own(one) for one in (*each, *(() if result.cost is None else (result.cost,))))
    return f"{quoted(result.positive)} from {loss(result.threshold)} on (by {result.rule}): {told}"


def _rejection(result: Rejection) -> str:
    at = f" at {', '.join(f'{t:.4g}' for t in result.thresholds[:_MOST_NAMED])}" if result.thresholds.size else ""
    rates = f"accuracy {result.accuracy:.4f}, error {result.error:.4f}, rejected {result.rejection:.4f}"
    return f"Rejection ({result.kind}){at}: {rates}, cost {loss(result.cost)}"


def _multipliers(result: Multipliers) -> str:
    last = result.multipliers if result.multipliers.ndim == 1 else result.multipliers[-1]
    errors = f"errors {result.errors:g} (before {result.errors_before:g}, majority {result.errors_majority:g})"
    majority = quoted(result.classes[result.majority])
    return f"Multipliers ({', '.join(f'{k:.4g}' for k in last)}) against {majority}, {result.form}, goal {result.goal}: {errors}"


def _error_curve(result: ErrorCurve) -> str:
    fewest = f"fewest errors {result.fewest:g} at a multiplier of {result.best:.4g}, {result.errors_before:g} without correction"
    rest = f"{result.errors_majority:g} of the majority; {counted(result.multipliers.size, 'step')}"
    return f"ErrorCurve of {quoted(result.positive)}: {fewest}, {rest}"


def _by_class(classes: tuple[Any, ...] | None, words: Iterable[str], size: int) -> str:
    """Return words class by class, those beyond a few only counted."""
    names = map(quoted, range(size) if classes is None else classes)
    shown = ", ".join(f"{name} {each}" for name, each in list(zip(names, words, strict=True))[:_MOST_NAMED])
    return shown + (f" and {size - _MOST_NAMED:,} more" if size > _MOST_NAMED else "")


def _priors(result: Priors) -> str:
    each = (f"{p:.4g} ({low:.4g} to {high:.4g})" for p, (low, high) in zip(result.priors, result.interval, strict=True))
    moved = "" if result.moved is None else f"; were they unchanged, {p_value(result.moved.p_value, 3)}"
    shares = _by_class(result.classes, each, result.priors.size)
    return f"Priors from {result.cases:,.6g} cases: {shares}, {percent(result.level)} limits{moved}"


def _prior_shift(result: PriorShift) -> str:
    each = (f"{old:.4g} -> {new:.4g}" for old, new in zip(result.old, result.new, strict=True))
    return f"PriorShift of {result.old.size:,} classes: {_by_class(result.classes, each, result.old.size)}"


def _corrected(result: Corrected) -> str:
    rejected = f", {result.rejected:,} of them rejected" if result.rejected else ""
    return f"Corrected {counted(result.cases, 'case')}: {result.changed:,} decided otherwise{rejected}"


def _plan(result: Plan) -> str:
    times = len(set(result.repeat))
    each = f", {times} times over" if times > 1 else ""
    ends = [(min(sizes), max(sizes)) for sizes in (result.learnt, [part.size for part in result.judge])]
    training, testing = (f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in ends)
    units = f"{counted(len(result), 'unit')}{each} on {counted(result.rows, 'row')}"
    rest = f"seed {result.seed}, fingerprint {result.fingerprint[:12]}"
    return f"Plan {safe(result.name)}: {units}, {training} for training and {testing} for testing; {rest}"


_SENTENCES: dict[type, Callable[[Any], str]] = {
    AccuracyPosteriors: lambda result: f"AccuracyPosteriors of {result.tested}, under {result.prior}",
    AccuracyRejection: lambda result: (
        f"Accuracy from {result.accuracy[0]:.4f} with nothing rejected over {result.kept.size:,} thresholds"
    ),
    Corrected: _corrected,
    CorrectedT: _paired_t,
    CorrelatedT: _correlated_t,
    DeLong: _delong,
    ErrorCurve: _error_curve,
    ErrorDifference: _error_difference,
    FiveByTwo: lambda result: f"FiveByTwo: t = {result.t:.4g}, {p_value(result.p_t)}; F = {result.f:.4g}, {p_value(result.p_f)}",
    McNemar: _mcnemar,
    MeasureInterval: _measure_interval,
    Multipliers: _multipliers,
    OperatingPoint: _operating_point,
    OverFolds: _over_folds,
    PairedT: _paired_t,
    PartitionDifference: _partition_difference,
    Plan: _plan,
    Posteriors: lambda result: f"Posteriors of {spoken(result.quantity)} for {len(result):,} tables",
    PriorShift: _prior_shift,
    Priors: _priors,
    Ran: lambda result: f"{result.answered} of {counted(len(result.plan), 'unit')} of {_plan(result.plan)}",
    Rejection: _rejection,
    Rounds: _rounds,
}
"""Results that say one sentence; their fields follow."""


def _with_fields(sentence: Callable[[Any], str]) -> Callable[..., Document]:
    def told(result: Any, *, whole: bool) -> Document:  # noqa: ARG001
        return of_fields(result, sentence(result))

    return told


for _type, _sentence in _SENTENCES.items():
    document.register(_type, _with_fields(_sentence))
