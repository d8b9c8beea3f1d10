"""The page of an estimated learner, and of a trade-off: what it says and in which order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from adjudge._base.findings import Finding
from adjudge._base.text import counted, safe
from adjudge.describe.document import Card, Section, Table
from adjudge.describe.learners import estimates, folds, how, percent_of, sentences, shares, shown
from adjudge.describe.sections import sections
from adjudge.describe.values import limits, percent, percentage_points, short_title, value
from adjudge.describe.verdicts import verdict
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.overfitting import Overfitting
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.trade_off import TradeOff
from adjudge.plots.labels import named
from adjudge.plots.learners import headline, learner_forest, writer
from adjudge.plots.trade_off import spread

_OWN = ("verdict", "findings", "numbers", "folds", "data", "methods")
"""Sections of the pooled evaluation that the learner's own stand for."""
_LONGEST_TEXT = 1000
_MOST_CARDS = 6


@sections.register
def _(result: Resampled) -> tuple[Section, ...]:
    return tuple(_of_learner(result))


@sections.register
def _(result: TradeOff) -> tuple[Section, ...]:
    times = result.shares[0].values.size
    lead = f"{counted(len(result.shares), 'share')} · {counted(times, 'random split')} each · seed {result.seed}"
    dots = "Each dot is one split, the line their mean, the band one standard deviation to either side."
    drawn = any(math.isfinite(v) for share in result.shares for v in share.values)
    title = "How many cases to keep for testing?"
    told = (
        "Each split learns from the cases it does not test on. The mean falls short of what all cases would teach, the more "
        "so the larger the share; the standard deviation says how far off a single holdout may be. The splits share cases: "
        "their number does not make the mean surer than the cases allow."
    )
    return (
        Section("verdict", "verdict", shown(result.learner), lead, verdict(result), tuple(_share_cards(result))),
        *([Section("figure", "trade-off", title, dots, figure=spread(result), theme="origin")] if drawn else []),
        Section("table", "shares", "Share by share", tables=(shares(result),), theme="origin"),
        Section("methods", "methods", "Methods", sentences=(told,), theme="methods"),
    )


def _share_cards(result: TradeOff) -> Iterator[Card]:
    for found in sorted(result.shares, key=lambda share: share.share)[:_MOST_CARDS]:
        words = writer(result.measure, found.spread)
        yield Card(
            f"{percent_of(found.share)} kept", words(found.mean), f"± {words(found.spread)} on {counted(found.cases, 'case')}"
        )


def _of_learner(result: Resampled) -> Iterator[Section]:
    pooled = [_said_once(result, part) for part in sections(result.pooled) if part.name not in _OWN]
    lead = f"{counted(result.ran.cases, 'held-out case')} · {how(result)}"
    yield Section("verdict", "verdict", shown(result.learner), lead, sentences(result), tuple(_cards(result)))
    if result.findings:
        yield Section("findings", "findings", "Caveats", findings=tuple(_visible(f) for f in result.findings))
    yield _forest(result)
    yield from (part for part in pooled if part.kind == "figure")
    yield Section("table", "estimates", "Estimates", _estimates_lead(result), tables=(estimates(result),), theme="sure")
    if folds(result).rows:
        unit = result.unit
        yield Section("table", "folds", f"By {unit}", _folds_lead(result), tables=(folds(result),), theme="origin")
    if result.overfitting is not None:
        yield Section(
            "table",
            "overfitting",
            "Overfitting",
            verdict(result.overfitting)[-1],
            tables=(_errors(result.overfitting),),
            theme="origin",
        )
    yield from (part for part in pooled if part.kind != "figure")
    yield Section("facts", "plan", "The plan", tables=(_plan(result),), theme="data")
    yield Section(
        "methods",
        "methods",
        "Methods",
        sentences=(*_methods(result), *_pooled_methods(result)),
        theme="methods",
    )


def _said_once(result: Resampled, part: Section) -> Section:
    if part.name == "measures":
        return replace(part, title="All measures of this test set", lead="All answers pooled.")
    if part.name == "confusion" and int(result.ran.times.sum()) > result.ran.cases:
        return replace(part, lead=f"{part.lead} A case judged several times counts once, so counts are averages.")
    return part


def _visible(finding: Finding) -> Finding:
    """Return a finding in which what a learner said when it failed is only text."""
    return replace(finding, message=safe(finding.message, _LONGEST_TEXT))


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


def _estimates_lead(result: Resampled) -> str:
    unit = result.unit
    if result.plan.kind in ("leave-one-out", "holdout"):
        return "Over all answers together."
    return f"Pooled: over all answers together. Mean of {unit}s: every {unit} counts alike, whatever its size."


def _folds_lead(result: Resampled) -> str:
    name = headline(result)
    each = [fold.estimates[name] for fold in result.by_fold if fold.failure is None]
    known = [estimate for estimate in each if not math.isnan(estimate.value)]
    if not known:
        return f"{result.summary}."
    low, high = (value(replace(end(known, key=lambda e: e.value), interval=None)) for end in (min, max))
    return f"{result.summary}, {short_title(each[0])} from {low} to {high}."


def _errors(found: Overfitting) -> Table:
    rows = [(name, value(e), limits(e)) for name, e in (("Training", found.resubstitution), ("Held out", found.sample))]
    bias = " to ".join(percentage_points(v) for v in (found.interval.low, found.interval.high))
    rows.append(("Bias (percentage points)", percentage_points(found.bias), bias))
    return Table("Overfitting", ("Cases", "Error", f"{percent(found.interval.level)} interval"), tuple(rows), "lrr")


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


def _pooled_methods(result: Resampled) -> Iterator[str]:
    """Yield how the numbers of this test set were made; cases judged several times have no weights of their own."""
    found = next(part for part in sections(result.pooled) if part.name == "methods")
    for sentence in found.sentences:
        if sentence.startswith("Weighted cases"):
            yield "Cases judged several times count once in the intervals of this test set."
        else:
            yield sentence
