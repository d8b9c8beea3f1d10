"""Numbers and tables by themselves: estimates, intervals, posteriors, curves, counts, tests of textbooks, rules, plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from adjudge._base.findings import Finding
from adjudge._base.levels import share
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.multipliers import ErrorCurve, Multipliers
from adjudge.corrections.operating import AccuracyRejection, OperatingPoint
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.corrections.rejection import Rejection
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
def _(result: Estimate, **_: bool) -> Document:
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
def _(result: Interval, **_: bool) -> Document:
    return noted(f"{percent(result.level)} interval {limits_of(result)} ({method(result)})", findings=findings_of(result))


@document.register
def _(result: Posterior, **_: bool) -> Document:
    interval = result.interval()
    of, width = "" if result.of is None else f" of {quoted(result.of)}", interval.high - interval.low
    known = {name: float(v) for name, v in (("mean", result.mean), ("median", result.median)) if math.isfinite(v)}
    rows = (*((name, rounded(v, width)) for name, v in known.items()), ("95% limits", limits_of(interval)))
    told = f"Posterior distribution of {safe(result.quantity).replace('_', ' ')}{of}"
    return noted(told, key=facts(rows), findings=findings_of(result))


@document.register
def _(result: Chance, **_: bool) -> Document:
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
def _(result: ClassVerdict, **_: bool) -> Document:
    each = [result.sensitivity, result.precision, result.specificity, result.f1, *([] if result.auc is None else [result.auc])]
    shares = ", ".join(f"{one.measure} {one.value:.4f}" for one in each)
    rows = tuple((title(one), value(one), limits(one)) for one in (replace(one, of=None) for one in each))
    head = f"Class {quoted(result.label)}: {result.cases:,.6g} cases, {result.assigned:,.6g} assigned"
    return noted(f"{head}; {shares}", key=Table("", ("Measure", "Value", "Limits"), rows, "lrr"))


# -- counts, curves, predictions -------------------------------------------------------------------------------


@document.register
def _(result: ConfusionCounts, **_: bool) -> Document:
    cases = f"{result.n:,.6g} cases of {counted(result.k, 'class', 'classes')}"
    right = f"{float(result.correct.sum()):,.6g} right" if result.n else "none right"
    return noted(f"{cases}, {right} (rows true, columns assigned)")


@document.register
def _(result: Counts, **_: bool) -> Document:
    held = f"Counts of {counted(result.rows, 'row')} of {result.name}"
    if isinstance(result.tally, NumberCounts):
        return noted(f"{held}, numbers", findings=result.found)
    apart = {"fold": len(result.tally.by_fold), "group": len(result.tally.by_group)}
    parts = [counted(n, what) for what, n in apart.items() if n]
    scale = [result.tally.scale] if result.tally.scale else []
    return noted(", ".join([f"{held}, classes {listed(result.classes)}", *parts, *scale]), findings=result.found)


@document.register
def _(result: PairCounts, **_: bool) -> Document:
    told = f"Counts of {counted(result.cases, 'case')} judged by {result.name}, classes {listed(result.classes)}"
    return noted(f"{told}, {counted(result.patterns.n.size, 'pattern')} of truth and decisions")


@document.register
def _(result: Curve, **_: bool) -> Document:
    of = "" if result.of is None else f" of class {quoted(result.of)}"
    name = _CURVES.get(result.name, result.name.replace("-", " ").capitalize())
    area = f"{_AREAS.get(result.name, 'area')} {number_told(result.area)}"
    return noted(f"{name}{of}: {counted(result.x.size, 'point')}, {area}")


@document.register
def _(result: Predictions, **_: bool) -> Document:
    return noted(f"Predictions from {safe(result.source.name)}", key=_roles(result.roles), findings=result.found)


@document.register
def _(result: Roles, **_: bool) -> Document:
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
def _(result: MeasureTable, **_: bool) -> Document:
    rows = tuple((m.name, f"{m.low:g} to {m.high:g}", m.direction, m.needs, m.formula) for m in result)
    table = Table("", ("Name", "Range", "Direction", "Needs", "Formula"), rows, "lllll")
    return Document((counted(len(result), "measure"),), (table,), key=table, key_is_whole=True)


@document.register
def _(result: Finding, **_: bool) -> Document:
    return noted(f"{result.code} {result.message}", result.advice)


# -- one sentence, and the fields below it ---------------------------------------------------------------------


@document.register
def _(result: PairedT | CorrectedT, **_: bool) -> Document:
    seen = f"mean difference {with_interval(result.mean, result.interval, sign=True)}; t = {result.t:.4g}, "
    naive = f" (were splits independent, {p_value(result.p_naive)})" if isinstance(result, CorrectedT) else ""
    return of_fields(result, f"{type(result).__name__}: {seen}{p_value(result.p_value)}{naive}")


@document.register
def _(result: McNemar, **_: bool) -> Document:
    seen = f"only a right {result.b:,} times, only b {result.c:,} times"
    mid = p_value(result.p_mid).removeprefix("p ").removeprefix("= ")
    return of_fields(result, f"McNemar: {seen}; {p_value(result.p_exact)} (exact), {mid} (mid-P), chi2 = {result.chi2:.4g}")


@document.register
def _(result: DeLong, **_: bool) -> Document:
    areas = f"AUC {loss(result.auc_a)} and {loss(result.auc_b)}"
    apart = with_interval(result.difference, result.interval, sign=True)
    return of_fields(result, f"DeLong: {areas}, difference {apart}; z = {result.z:.4g}, {p_value(result.p_value)}")


@document.register
def _(result: CorrelatedT, **_: bool) -> Document:
    three = f"worse {result.worse:.4g}, same {result.same:.4g}, better {result.better:.4g}"
    mean = with_interval(result.mean, None, sign=True)
    return of_fields(result, f"CorrelatedT: {three} (mean difference {mean}, margin {result.margin:g})")


@document.register
def _(result: ErrorDifference, **_: bool) -> Document:
    apart = with_interval(result.d, result.interval, sign=True)
    return of_fields(result, f"ErrorDifference {apart}; P(the first errs more) = {result.p_positive:.4g}")


@document.register
def _(result: PartitionDifference, **_: bool) -> Document:
    sure = "may be chance" if result.low <= 0 <= result.high else "is more than chance"
    name = result.measure.replace("_", " ").capitalize()
    limits = f"{percent(result.level)} interval {result.low:+.3f} to {result.high:+.3f}"
    return of_fields(result, f"{name} {result.a:.3f} and {result.b:.3f}: a has {result.value:+.3f} ({limits}), which {sure}.")


@document.register
def _(result: MeasureInterval, **_: bool) -> Document:
    limits = f"{percent(result.level)} interval {result.low:.3f} to {result.high:.3f}"
    return of_fields(result, f"{result.measure.replace('_', ' ').capitalize()} {result.value:.3f}, {limits} ({result.method}).")


@document.register
def _(result: OverFolds, **_: bool) -> Document:
    over = result.algorithm
    algorithm = "" if over is None else f", algorithm {over.low:.4g} to {over.high:.4g}"
    return of_fields(result, f"{result.measure}: pooled {result.pooled:.4g}, mean of folds {result.mean_of_folds:.4g}{algorithm}")


@document.register
def _(result: Rounds, **_: bool) -> Document:
    first, last = (result.judged[:, at].mean() for at in (0, -1))
    course = f"{first:.4g} after one round, {last:.4g} after {result.judged.shape[1]}: {result.course}"
    told = course if result.followed else f"{last:.4g}, not followed over its rounds"
    return of_fields(result, f"{result.name}: {result.measure} {told}")


@document.register
def _(result: OperatingPoint, **_: bool) -> Document:
    each = [replace(one, of=None) for one in (result.sensitivity, result.specificity)]
    told = "; ".join(_own(one) for one in (*each, *(() if result.cost is None else (result.cost,))))
    return of_fields(result, f"{quoted(result.positive)} from {loss(result.threshold)} on (by {result.rule}): {told}")


@document.register
def _(result: Rejection, **_: bool) -> Document:
    at = f" at {', '.join(f'{t:.4g}' for t in result.thresholds[:_MOST_NAMED])}" if result.thresholds.size else ""
    rates = f"accuracy {result.accuracy:.4f}, error {result.error:.4f}, rejected {result.rejection:.4f}"
    return of_fields(result, f"Rejection ({result.kind}){at}: {rates}, cost {loss(result.cost)}")


@document.register
def _(result: Multipliers, **_: bool) -> Document:
    last = result.multipliers if result.multipliers.ndim == 1 else result.multipliers[-1]
    errors = f"errors {result.errors:g} (before {result.errors_before:g}, majority {result.errors_majority:g})"
    each, majority = ", ".join(f"{k:.4g}" for k in last), quoted(result.classes[result.majority])
    return of_fields(result, f"Multipliers ({each}) against {majority}, {result.form}, goal {result.goal}: {errors}")


@document.register
def _(result: ErrorCurve, **_: bool) -> Document:
    fewest = f"fewest errors {result.fewest:g} at a multiplier of {result.best:.4g}, {result.errors_before:g} without correction"
    rest = f"{result.errors_majority:g} of the majority; {counted(result.multipliers.size, 'step')}"
    return of_fields(result, f"ErrorCurve of {quoted(result.positive)}: {fewest}, {rest}")


def _by_class(classes: tuple[Any, ...] | None, words: Iterable[str], size: int) -> str:
    """Return words class by class, those beyond a few only counted."""
    names = map(quoted, range(size) if classes is None else classes)
    shown = ", ".join(f"{name} {each}" for name, each in list(zip(names, words, strict=True))[:_MOST_NAMED])
    return shown + (f" and {size - _MOST_NAMED:,} more" if size > _MOST_NAMED else "")


@document.register
def _(result: Priors, **_: bool) -> Document:
    each = (f"{p:.4g} ({low:.4g} to {high:.4g})" for p, (low, high) in zip(result.priors, result.interval, strict=True))
    moved = "" if result.moved is None else f"; were they unchanged, {p_value(result.moved.p_value, 3)}"
    shares = _by_class(result.classes, each, result.priors.size)
    return of_fields(result, f"Priors from {result.cases:,.6g} cases: {shares}, {percent(result.level)} limits{moved}")


@document.register
def _(result: PriorShift, **_: bool) -> Document:
    each = (f"{old:.4g} -> {new:.4g}" for old, new in zip(result.old, result.new, strict=True))
    return of_fields(result, f"PriorShift of {result.old.size:,} classes: {_by_class(result.classes, each, result.old.size)}")


def _plan(result: Plan) -> str:
    times = len(set(result.repeat))
    each = f", {times} times over" if times > 1 else ""
    ends = [(min(sizes), max(sizes)) for sizes in (result.learnt, [part.size for part in result.judge])]
    training, testing = (f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in ends)
    units = f"{counted(len(result), 'unit')}{each} on {counted(result.rows, 'row')}"
    rest = f"seed {result.seed}, fingerprint {result.fingerprint[:12]}"
    return f"Plan {safe(result.name)}: {units}, {training} for training and {testing} for testing; {rest}"


@document.register
def _(result: AccuracyPosteriors, **_: bool) -> Document:
    return of_fields(result, f"AccuracyPosteriors of {result.tested}, under {result.prior}")


@document.register
def _(result: AccuracyRejection, **_: bool) -> Document:
    return of_fields(result, f"Accuracy from {result.accuracy[0]:.4f} with nothing rejected over {result.kept.size:,} thresholds")


@document.register
def _(result: FiveByTwo, **_: bool) -> Document:
    return of_fields(result, f"FiveByTwo: t = {result.t:.4g}, {p_value(result.p_t)}; F = {result.f:.4g}, {p_value(result.p_f)}")


@document.register
def _(result: Posteriors, **_: bool) -> Document:
    return of_fields(result, f"Posteriors of {spoken(result.quantity)} for {len(result):,} tables")


@document.register
def _(result: Plan, **_: bool) -> Document:
    return of_fields(result, _plan(result))


@document.register
def _(result: Ran, **_: bool) -> Document:
    return of_fields(result, f"{result.answered} of {counted(len(result.plan), 'unit')} of {_plan(result.plan)}")
