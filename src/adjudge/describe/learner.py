"""What a learner's estimate says: sentences, tables and the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from adjudge._base.text import counted, quoted, safe
from adjudge.describe.description import caveats, document, methods_section
from adjudge.describe.document import Card, Document, Section, Table, with_columns, without_empty_columns
from adjudge.describe.tables import folding, reasons
from adjudge.describe.training import overfitting_sentences, points
from adjudge.describe.training import shown as shown_name
from adjudge.describe.values import apart, limits, percent, percentage_points, short_title, spoken, value, with_limits
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.resampled import OverFolds, Resampled
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import NOTHING, decimals_for, named
from adjudge.plots.learners import headline, learner_forest, measure_name, writer

_OWN = ("verdict", "findings", "numbers", "folds", "data", "methods")
"""Sections of the pooled evaluation that the learner's own stand for."""
_LONGEST_TEXT = 1000
_LONGEST_REASON = 300
_MOST_FAILURES = 3
_UNKNOWN = {
    "leave-one-out": "leave-one-out has no folds to tell how models differ; 10x10-fold has",
    "bootstrap": "no sound interval over rounds of the bootstrap is known; 10x10-fold gives one",
    "holdout": "one split does not tell how models differ; 10x10-fold does",
}
"""Why nothing is known of the algorithm trained anew."""


@document.register
def _(result: Resampled, *, whole: bool) -> Document:
    told, first, second = tuple(sentences(result)), estimates(result), folds(result)
    page = tuple(_page(result, told, first, second)) if whole else ()
    named_first = tuple(sentences(result, f"{shown_name(result.learner)}: "))
    return Document(named_first, (first, *((second,) if second.rows else ())), result.findings, key=first, sections=page)


def sentences(result: Resampled, name: str = "") -> Iterator[str]:
    """Yield the verdict; `name` stands before how often the learner is right, or how far off."""
    yield from _failed(result)
    each, cases = result.pooled.estimates, f"{counted(result.ran.cases, 'held-out case')} ({how(result)})"
    if result.ran.numeric:
        other = f"; {value(each['rae'])} times the error of always predicting the mean" if each["rae"].reason is None else ""
        told = f"Off by {value(each['mae'])} on average over {cases}{other}."
    else:
        label, base = result.pooled.baseline or (None, math.nan)
        known = each["accuracy"].interval
        right, always = apart(each["accuracy"].value, base, 1 if known is None else decimals_for(known.high - known.low))
        told = f"Accuracy {right} in {cases}, against {always} for always predicting {quoted(label)}."
    yield f"{name}{told[0].lower()}{told[1:]}" if name else told
    yield from _sure(result)
    yield from _bootstrap(result)
    if result.overfitting is not None:
        yield from overfitting_sentences(result.overfitting)[1:]
    elif result.resubstitution is not None and result.ran.numeric:
        yield f"On the training cases it is off by {value(result.resubstitution.estimates['mae'])} on average."


def how(result: Resampled) -> str:
    """Return where the test cases came from, e.g. "10 stratified folds"."""
    plan, name = result.plan, result.unit
    kept = next((f"{word} " for word in ("stratified", "grouped") if word in plan.name), "")
    repeats, lost = max(plan.repeat) + 1, len(plan) - result.ran.answered
    some = f"{result.ran.answered:,} of " if lost else ""
    if plan.kind == "leave-one-out":
        return "each case by a learner of all others"
    if plan.kind == "holdout":
        return f"one {kept}holdout"
    if plan.kind == "bootstrap":
        return f"{some}{counted(len(plan), 'round')} of the bootstrap"
    if plan.kind == "repeated folds":
        return f"{repeats} times {counted(len(plan) // repeats, f'{kept}fold')}{f', {lost:,} of them lost' if lost else ''}"
    return some + counted(len(plan), f"{kept}{name}" if plan.kind == "folds" else f"random {kept}split")


def _failed(result: Resampled) -> Iterator[str]:
    """Say what did not answer, before anything that did."""
    lost = {unit: why for unit, why in result.failures.items() if unit <= len(result.plan)}
    if lost:
        each = list(_alike(lost, result.unit))
        more = f" {counted(len(each) - _MOST_FAILURES, 'more reason')} below." if len(each) > _MOST_FAILURES else ""
        yield f"{result.summary} answered. {' '.join(each[:_MOST_FAILURES])}{more}"
    if len(result.plan) + 1 in result.failures:
        yield f"The fit on all cases failed: {_reason(result.failures[len(result.plan) + 1])}."


def _reason(why: str) -> str:
    return safe(why, _LONGEST_REASON).rstrip(".")


def _sure(result: Resampled) -> Iterator[str]:
    """Yield both honest intervals, named by what they speak of, and the one commonly reported."""
    name = headline(result)
    over, pooled = result.estimates[name], result.pooled.estimates.get(name)
    of = "" if name == "accuracy" else f"{spoken(name)}, "
    if pooled is not None and pooled.interval is not None:
        again = ", each case counted once" if int(result.ran.times.sum()) > result.ran.cases else ""
        yield f"This test set: {of}{percent(result.level)} interval {limits(pooled)} (all answers pooled{again})."
    interval, unit = over.algorithm, result.unit
    if interval is None or interval.low == interval.high:
        why = _UNKNOWN.get(result.plan.kind, f"it takes two {unit}s or more, each with a value")
        why = why if interval is None else f"all {unit}s agree and their spread says nothing"
        yield f"This algorithm, trained anew: not known, as {why}."
    else:
        mean = Estimate(over.measure, over.mean_of_folds, interval)
        about = f"mean of {unit}s {value(mean)}; t over {counted(over.folds.size, unit)}, corrected for shared training cases"
        yield f"This algorithm, trained anew: {percent(interval.level)} interval {limits(mean)} ({about})."
    if over.conventional is not None:
        yield _commonly(result, over)


def _commonly(result: Resampled, over: OverFolds) -> str:
    bar = over.conventional
    assert bar is not None
    ends = _span(over, bar.low, bar.high)
    told = f"The conventional mean ± 2 SE over {counted(over.folds.size, result.unit)}, {ends}, "
    if bar.low == bar.high:
        return f"{told}has no width, which is too certain."
    short = over.algorithm is None or bar.low > over.algorithm.low or bar.high < over.algorithm.high
    impossible = bar.high > find(over.measure).high or bar.low < find(over.measure).low
    beyond = "reaches what is impossible" if impossible else ""
    said = " and ".join(part for part in ("is too short" if short else "", beyond) if part)
    return f"{told}{said or 'is shown for comparison'}."


def _bootstrap(result: Resampled) -> Iterator[str]:
    over = result.estimates[headline(result)]
    each = {".632+": over.bootstrap632plus, ".632 (Efron's)": over.efron632, ".632 (mean of rounds)": over.bootstrap632}
    known = [f"{name} {value(Estimate(over.measure, v))}" for name, v in each.items() if v is not None]
    if known:
        yield f"Corrected for learning from fewer cases, {', '.join(known)}."
    if result.out_of_bag is not None:
        left, expected = result.out_of_bag
        learnt = (
            f"trained on {1 - left:.1%} of the cases on average (expected {1 - expected:.1%}; 1 - 1/e = 63.2% for many cases)"
        )
        yield f"A round {learnt} and left out {left:.1%}."


def estimates(result: Resampled) -> Table:
    """Return every measure in every way it is put together."""
    level, unit = percent(result.level), result.unit
    header = (
        "Measure",
        "Pooled",
        f"Mean of {unit}s",
        f"Algorithm ({level})",
        "Mean ± 2 SE",
        ".632+",
        ".632 (Efron)",
        ".632 (mean)",
    )
    rows = []
    for over in result.estimates.values():
        known = over.algorithm if over.algorithm is not None and over.algorithm.low < over.algorithm.high else None
        spans = (NOTHING if each is None else _span(over, each.low, each.high) for each in (known, over.conventional))
        means = (value(Estimate(over.measure, v, known)) for v in (over.pooled, over.mean_of_folds))
        forms = (over.bootstrap632plus, over.efron632, over.bootstrap632)
        told = (NOTHING if v is None else value(Estimate(over.measure, v)) for v in forms)
        rows.append((short_title(Estimate(over.measure, over.pooled)), *means, *spans, *told))
    undefined = [Estimate(over.measure, v) for over in result.estimates.values() for v in (over.pooled, over.mean_of_folds)]
    notes = tuple(dict.fromkeys(reasons(undefined)))
    table = Table("Estimates", header, tuple(rows), "l" + "r" * (len(header) - 1), notes=notes)
    alike = result.plan.kind in ("leave-one-out", "holdout")
    kept = [i for i in range(len(header)) if not (alike and i == header.index(f"Mean of {unit}s"))]
    return without_empty_columns(with_columns(table, kept))


def _span(over: OverFolds, low: float, high: float) -> str:
    """Return limits with the digits that the honest interval allows, so that a shorter one claims no more."""
    honest = over.algorithm
    words = writer(over.measure, 0.0 if honest is None else honest.high - honest.low)
    return f"{words(low)} to {words(high)}"


def folds(result: Resampled) -> Table:
    """Return one row per fold, failed ones too; of single cases there is none."""
    unit, names = result.unit, [name for name in result.estimates if name != "error" or "accuracy" not in result.estimates]
    shown_folds = () if result.plan.kind == "leave-one-out" else result.by_fold
    rows = []
    for fold in shown_folds:
        each = [fold.estimates[name] for name in names] if fold.failure is None else []
        shown = [with_limits(estimate) if estimate.interval is not None else value(estimate) for estimate in each]
        head = (f"{fold.fold:,}", f"{fold.repeat:,}", f"{fold.learnt:,}", f"{fold.cases:,}")
        rows.append((*head, *(shown or ("failed", *[NOTHING] * (len(names) - 1)))))
    level = f" ({percent(result.level)})"
    brief = 3  # letters of a name that is told as an abbreviation
    titles = [
        (name.upper() if len(name) <= brief else measure_name(name)) + (level if name in ("accuracy", "error") else "")
        for name in names
    ]
    header = (unit.capitalize(), "Repeat", "Training", "Cases", *titles)
    told = tuple(_alike({fold.fold: fold.failure for fold in shown_folds if fold.failure is not None}, unit))
    table = folding(f"{unit.capitalize()}s", header, rows, (unit, f"{unit}s"), notes=told)
    again = result.plan.kind == "repeated folds"
    return with_columns(table, [i for i in range(len(header)) if again or header[i] != "Repeat"])


def _alike(lost: Mapping[int, str], unit: str) -> Iterator[str]:
    """Yield why folds failed, those that failed alike together."""
    alike: dict[str, list[int]] = {}
    for at, why in lost.items():
        alike.setdefault(_reason(why), []).append(at)
    most = 10
    for why, which in alike.items():
        numbers = ", ".join(f"{at:,}" for at in which[:most]) + (f" and {len(which) - most:,} more" if len(which) > most else "")
        yield f"{unit.capitalize()}{'s' if len(which) > 1 else ''} {numbers} failed: {why}."


def _page(result: Resampled, told: tuple[str, ...], first: Table, second: Table) -> Iterator[Section]:
    every, unit = document(result.pooled, whole=True).sections, result.unit
    pooled = [_said_once(result, part) for part in every if part.name not in _OWN]
    lead = f"{counted(result.ran.cases, 'held-out case')} · {how(result)}"
    yield Section("verdict", "verdict", shown_name(result.learner), lead, told, tuple(_cards(result)))
    yield from caveats(result.findings, _LONGEST_TEXT)
    yield _forest(result)
    yield from (part for part in pooled if part.kind == "figure")
    means = f"Pooled: over all answers together. Mean of {unit}s: every {unit} counts alike, whatever its size."
    lead = "Over all answers together." if result.plan.kind in ("leave-one-out", "holdout") else means
    yield Section("table", "estimates", "Estimates", lead, tables=(first,), theme="sure")
    if second.rows:
        yield Section("table", "folds", f"By {unit}", _folds_lead(result), tables=(second,), theme="origin")
    if result.overfitting is not None:
        found, lead = result.overfitting, overfitting_sentences(result.overfitting)[-1]
        errors = [(name, value(e), limits(e)) for name, e in (("Training", found.resubstitution), ("Held out", found.sample))]
        errors.append(("Bias (percentage points)", percentage_points(found.bias), points(found.interval)))
        header = ("Cases", "Error", f"{percent(found.interval.level)} interval")
        tables = (Table("Overfitting", header, tuple(errors), "lrr"),)
        yield Section("table", "overfitting", "Overfitting", lead, tables=tables, theme="origin")
    yield from (part for part in pooled if part.kind != "figure")
    yield Section("facts", "plan", "The plan", tables=(_plan(result),), theme="data")
    of_pooled = next(part.sentences for part in every if part.name == "methods")
    once = "Cases judged several times count once in the intervals of this test set."  # they have no weights of their own
    yield methods_section(*_methods(result), *(once if each.startswith("Weighted cases") else each for each in of_pooled))


def _said_once(result: Resampled, part: Section) -> Section:
    if part.name == "measures":
        return replace(part, title="All measures of this test set", lead="All answers pooled.")
    if part.name == "confusion" and int(result.ran.times.sum()) > result.ran.cases:
        return replace(part, lead=f"{part.lead} A case judged several times counts once, so counts are averages.")
    return part


def _cards(result: Resampled) -> Iterator[Card]:
    name = headline(result)
    pooled, over = result.pooled.estimates, result.estimates[name]
    if name in pooled:
        sure = pooled[name].interval
        note = "all answers pooled" if sure is None else f"this test set, {percent(sure.level)}: {limits(pooled[name])}"
        yield Card(short_title(pooled[name]), value(pooled[name]), note)
    if over.bootstrap632plus is not None:
        yield Card(".632+ bootstrap", value(Estimate(name, over.bootstrap632plus)), "corrected for learning from fewer cases")
    elif over.algorithm is not None and over.algorithm.low < over.algorithm.high:
        found = Estimate(name, over.mean_of_folds, over.algorithm)
        yield Card("This algorithm", value(found), f"trained anew, {percent(result.level)}: {limits(found)}")
    if result.resubstitution is not None and name in result.resubstitution.estimates:
        yield Card("Resubstitution", value(result.resubstitution.estimates[name]), "on the training cases")
    for other in [n for n in ("balanced_accuracy", "auc", "mse", "rae") if n in pooled and n != name][:2]:
        yield Card(short_title(pooled[other]), value(pooled[other]), f"pooled, {percent(result.level)}: {limits(pooled[other])}")


def _forest(result: Resampled) -> Section:
    found, unit = learner_forest(result), result.unit
    each = "repetition" if any(row.dots for row in found.parts) else unit
    parts = f"Above each {each}; below what they come to. " if found.parts else ""
    band = " The band is the interval of this test set." if found.band is not None else ""
    bar = "The bar of two standard errors is what is commonly reported." if result.plan.kind != "leave-one-out" else ""
    many = any(row.dots for row in found.rows)
    dots = f" Each dot is one {unit}." if many else ""
    return Section(
        "figure", "forest", "The learner, and its models", f"{parts}{bar}{band}{dots}".strip(), figure=found, theme="sure"
    )


def _folds_lead(result: Resampled) -> str:
    name = headline(result)
    each = [fold.estimates[name] for fold in result.by_fold if fold.failure is None]
    known = [estimate for estimate in each if not math.isnan(estimate.value)]
    if not known:
        return f"{result.summary}."
    low, high = (value(replace(end(known, key=lambda e: e.value), interval=None)) for end in (min, max))
    return f"{result.summary}, {short_title(each[0])} from {low} to {high}."


def _plan(result: Resampled) -> Table:
    plan = result.plan
    each = {
        "Plan": named([plan.name], 80)[0],
        "Carried out": result.summary,
        "Rows": f"{plan.rows:,}",
        "Test share": f"{plan.test_share:.1%}",
        "Seed": "none" if plan.seed is None else f"{plan.seed}",
        "SHA-256": plan.fingerprint,
        "Learner": safe(result.learner, _LONGEST_TEXT),
    }
    if result.out_of_bag is not None:
        left, expected = result.out_of_bag
        each["Left out of a round"] = f"{left:.2%} of the cases; expected (1 - 1/n)^n = {expected:.2%}"
    return Table("Plan", ("Fact", "Value"), tuple(each.items()), "ll")


def _methods(result: Resampled) -> Iterator[str]:
    yield (
        "Two questions have two answers. This test set: how good were these models on these cases? All answers are pooled. "
        "This algorithm: how good is what it would learn from other cases? The folds are draws that share training cases."
    )
    over = result.estimates[headline(result)]
    if over.algorithm is not None:
        yield (
            "Its interval is Student's t over folds with the variance of the mean raised from 1/k to 1/k + n2/n1, where n2/n1 "
            "is the ratio of test to training cases (Nadeau and Bengio 2003, Mach. Learn. 52:239-281)."
        )
    if over.conventional is not None:
        yield (
            "Two standard errors over folds take the folds for independent, which they are not: their training cases are the "
            "same in large part, and the bar is too short. It is shown because it is commonly reported."
        )
    if result.plan.kind in ("folds", "repeated folds"):
        yield "Ten stratified folds are a good compromise of bias and variance (Kohavi 1995, IJCAI 14:1137-1143)."
    if result.plan.kind == "bootstrap":
        yield (
            "A round learns from n cases drawn with replacement and is judged on those left out, about 1/e of them. The .632 "
            "estimate adds 0.368 of the accuracy on all cases; .632+ leans to the cases left out, the more the learner "
            "overfits (Efron and Tibshirani 1997, J. Am. Stat. Assoc. 92:548-560)."
        )
    yield "The plan fixes training and test rows before anything is fitted; the same SHA-256 means the same rows."
