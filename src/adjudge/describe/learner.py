"""What is said of learners: an estimate, the bias of the training error, and how many cases to keep for testing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from adjudge._base import counted, first_few, quoted, safe
from adjudge.describe.description import LONGEST, LONGEST_TEXT, document, documented, methods_section, of_fields, opening
from adjudge.describe.document import TEXTS, Card, Document, Row, Section, Table, fact_table, folding
from adjudge.describe.tables import measures, reasons
from adjudge.describe.values import apart, limits, one_name, percent, points, short_title, spoken, sureness, value, with_limits
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.evaluation import Overfitting, OverfittingAgainst
from adjudge.judgements.resampled import OverFolds, Resampled, TradeOff
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import NOTHING, count, decimals_for
from adjudge.plots.learners import headline, learner_forest, spread
from adjudge.plots.quantities import measure_name, writer

_OWN = ("verdict", "findings", "numbers", "folds", "data", "methods")
"""Sections of the pooled evaluation that the learner's own stand for."""
_LONGEST_NAME = 100
_MOST_FAILURES, _MOST_CARDS = 3, 6
_METHODS, _UNKNOWN = TEXTS["learner"], TEXTS["unknown"]  # the latter why nothing is known of the algorithm trained anew


@document.register
def _(result: Resampled, *, whole: bool) -> Document:
    told, first, second = tuple(sentences(result)), estimates(result), folds(result)
    page = tuple(_page(result, told, first, second)) if whole else ()
    named_first = tuple(sentences(result, f"{one_name(result.learner, _LONGEST_NAME)}: "))
    return Document(named_first, (first, *((second,) if second.rows else ())), result.findings, key=first, sections=page)


def sentences(result: Resampled, name: str = "") -> Iterator[str]:
    """Yield what did not answer, then the verdict; `name` stands before how often the learner is right, or how far off."""
    units = len(result.plan)
    lost = {unit: why for unit, why in result.failures.items() if unit <= units}
    if lost:
        why = list(_alike(lost, result.unit))
        more = f" {counted(len(why) - _MOST_FAILURES, 'more reason')} below." if len(why) > _MOST_FAILURES else ""
        yield f"{result.summary} answered. {' '.join(why[:_MOST_FAILURES])}{more}"
    if units + 1 in result.failures:
        yield f"The fit on all cases failed: {safe(result.failures[units + 1], LONGEST).rstrip('.')}."
    each, cases = result.pooled.estimates, f"{counted(result.run_result.cases, 'held-out case')} ({how(result)})"
    if result.run_result.numeric:
        other = f"; {value(each['rae'])} times the error of always predicting the mean" if each["rae"].reason is None else ""
        told = f"Off by {value(each['mae'])} on average over {cases}{other}."
    else:
        label, base = result.pooled.baseline or (None, math.nan)
        known = each["accuracy"].interval
        right, always = apart(each["accuracy"].value, base, 1 if known is None else decimals_for(known.high - known.low))
        told = f"Accuracy {right} in {cases}, against {always} for always predicting {quoted(label)}."
    yield f"{name}{told[0].lower()}{told[1:]}" if name else told
    yield from _sure(result)
    if result.overfitting is not None:
        yield from overfitting_sentences(result.overfitting)[1:]
    elif result.resubstitution is not None and result.run_result.numeric:
        yield f"On the training cases it is off by {value(result.resubstitution.estimates['mae'])} on average."


def how(result: Resampled) -> str:
    """Return where the test cases came from, e.g. "10 stratified folds"."""
    plan, name = result.plan, result.unit
    kept = "".join(f"{word} " for word in ("stratified", "grouped") if word in plan.name)
    repeats, lost = max(plan.repeat) + 1, len(plan) - result.run_result.answered
    some = f"{result.run_result.answered:,} of " if lost else ""
    if plan.kind == "leave-one-out":
        return "each case by a learner of all others"
    if plan.kind == "holdout":
        return f"one {kept}holdout"
    if plan.kind == "bootstrap":
        return f"{some}{counted(len(plan), 'round')} of the bootstrap"
    if plan.kind == "repeated folds":
        return f"{repeats} times {counted(len(plan) // repeats, f'{kept}fold')}{f', {lost:,} of them lost' if lost else ''}"
    return some + counted(len(plan), f"{kept}{name}" if plan.kind == "folds" else f"random {kept}split")


def _sure(result: Resampled) -> Iterator[str]:
    """Yield both honest intervals, named by what they speak of, the one commonly reported, and those of the bootstrap."""
    name, unit = headline(result), result.unit
    over, pooled = result.estimates[name], result.pooled.estimates.get(name)
    if pooled is not None and pooled.interval is not None:
        of = "" if name == "accuracy" else f"{spoken(name)}, "
        again = ", each case counted once" if int(result.run_result.times.sum()) > result.run_result.cases else ""
        yield f"This test set: {of}{percent(result.level)} interval {limits(pooled)} (all answers pooled{again})."
    interval, bar = over.algorithm, over.conventional
    if interval is None or interval.low == interval.high:
        why = _UNKNOWN.get(result.plan.kind, f"it takes two {unit}s or more, each with a value")
        why = why if interval is None else f"all {unit}s agree and their spread says nothing"
        yield f"This algorithm, trained anew: not known, as {why}."
    else:
        mean = Estimate(over.measure, over.mean_of_folds, interval)
        about = f"mean of {unit}s {value(mean)}; t over {counted(over.folds.size, unit)}, corrected for shared training cases"
        yield f"This algorithm, trained anew: {percent(interval.level)} interval {limits(mean)} ({about})."
    if bar is not None:
        said, measure = [], find(over.measure)
        if bar.low == bar.high:
            said = ["has no width, which is too certain"]
        else:
            said += ["is too short"] if interval is None or bar.low > interval.low or bar.high < interval.high else []
            said += ["reaches what is impossible"] if bar.high > measure.high or bar.low < measure.low else []
        told = f"The conventional mean ± 2 SE over {counted(over.folds.size, unit)}, {_span(over, bar)}, "
        yield f"{told}{' and '.join(said) or 'is shown for comparison'}."
    forms = {".632+": over.bootstrap632plus, ".632 (Efron's)": over.efron632, ".632 (mean of rounds)": over.bootstrap632}
    known = [f"{form} {value(Estimate(over.measure, v))}" for form, v in forms.items() if v is not None]
    if known:
        yield f"Corrected for training on fewer cases, {', '.join(known)}."
    if result.out_of_bag is not None:
        left, expected = result.out_of_bag
        learnt = f"{1 - left:.1%} of the cases on average (expected {1 - expected:.1%}; 1 - 1/e = 63.2% for many cases)"
        yield f"A round trained on {learnt} and left out {left:.1%}."


def estimates(result: Resampled) -> Table:
    """Return every measure in every way it is put together."""
    mean = f"Mean of {result.unit}s"
    header: Row = ("Measure", "Pooled", mean, f"Algorithm ({percent(result.level)})", "Mean ± 2 SE")
    rows, every = [], list(result.estimates.values())
    for over in every:
        known = over.algorithm if over.algorithm is not None and over.algorithm.low < over.algorithm.high else None
        spans = (NOTHING if each is None else _span(over, each) for each in (known, over.conventional))
        means = (value(Estimate(over.measure, v, known)) for v in (over.pooled, over.mean_of_folds))
        forms = (over.bootstrap632plus, over.efron632, over.bootstrap632)
        told = (NOTHING if v is None else value(Estimate(over.measure, v)) for v in forms)
        rows.append((short_title(Estimate(over.measure, over.pooled)), *means, *spans, *told))
    notes = reasons([Estimate(over.measure, v) for over in every for v in (over.pooled, over.mean_of_folds)])
    header = (*header, ".632+", ".632 (Efron)", ".632 (mean)")
    table = Table("Estimates", header, tuple(rows), notes=tuple(dict.fromkeys(notes)))
    alike = result.plan.kind in ("leave-one-out", "holdout")
    return table.with_columns([i for i, name in enumerate(table.header) if not (alike and name == mean)]).without_empty_columns()


def _span(over: OverFolds, ends: Any) -> str:
    """Return limits with the digits that the honest interval allows, so that a shorter one claims no more."""
    honest = over.algorithm
    words = writer(over.measure, 0.0 if honest is None else honest.high - honest.low)
    return f"{words(ends.low)} to {words(ends.high)}"


def folds(result: Resampled) -> Table:
    """Return one row per fold, failed ones too; of single cases there is none."""
    unit, names = result.unit, [name for name in result.estimates if name != "error" or "accuracy" not in result.estimates]
    shown_folds = () if result.plan.kind == "leave-one-out" else result.by_fold
    rows = []
    for fold in shown_folds:
        each = [fold.estimates[name] for name in names] if fold.failure is None else []
        head = (f"{fold.fold:,}", f"{fold.repeat:,}", f"{fold.training_cases:,}", f"{fold.cases:,}")
        rows.append((*head, *(map(with_limits, each) if each else ("failed", *[NOTHING] * (len(names) - 1)))))
    brief, level = 3, f" ({percent(result.level)})"  # letters of a name that is told as an abbreviation
    titles = [name.upper() if len(name) <= brief else measure_name(name) for name in names]
    titles = [title + (level if name in ("accuracy", "error") else "") for title, name in zip(titles, names, strict=True)]
    header = (unit.capitalize(), "Repeat", "Training", "Cases", *titles)
    told = tuple(_alike({fold.fold: fold.failure for fold in shown_folds if fold.failure is not None}, unit))
    table = folding(f"{unit.capitalize()}s", header, rows, (unit, f"{unit}s"), notes=told)
    again = result.plan.kind == "repeated folds"
    return table.with_columns([i for i in range(len(header)) if again or header[i] != "Repeat"])


def _alike(lost: Mapping[int, str], unit: str) -> Iterator[str]:
    """Yield why folds failed, those that failed alike together."""
    alike: dict[str, list[int]] = {}
    for at, why in lost.items():
        alike.setdefault(safe(why, LONGEST).rstrip("."), []).append(at)
    for why, which in alike.items():
        numbers = first_few([f"{at:,}" for at in which], 10)
        yield f"{unit.capitalize()}{'s' if len(which) > 1 else ''} {numbers} failed: {why}."


def _page(result: Resampled, told: tuple[str, ...], first: Table, second: Table) -> Iterator[Section]:
    every, unit, plan = documented(result.pooled, whole=True).sections, result.unit, result.plan
    pooled = {part.name: part for part in every if part.name not in _OWN}
    if "measures" in pooled:
        called, said, own = "All measures of this test set", "All answers pooled.", (measures(result.pooled),)
        pooled["measures"] = replace(pooled["measures"], title=called, lead=said, tables=own)  # no other table has the numbers
    if "confusion" in pooled and int(result.run_result.times.sum()) > result.run_result.cases:
        lead = f"{pooled['confusion'].lead} A case tested several times counts once, so counts are averages."
        pooled["confusion"] = replace(pooled["confusion"], lead=lead)
    lead = f"{counted(result.run_result.cases, 'held-out case')} · {how(result)}"
    yield from opening(one_name(result.learner, _LONGEST_NAME), lead, told, _cards(result), result.findings)
    yield _forest(result)
    yield from (part for part in pooled.values() if part.kind == "figure")
    means = f"Pooled: over all answers together. Mean of {unit}s: every {unit} counts alike, whatever its size."
    lead = "Over all answers together." if plan.kind in ("leave-one-out", "holdout") else means
    yield Section("table", "estimates", "Estimates", lead, tables=(first,), theme="sure")
    if second.rows:
        each = [fold.estimates[headline(result)] for fold in result.by_fold if fold.failure is None]
        known = [replace(estimate, interval=None) for estimate in each if not math.isnan(estimate.value)]
        low, high = (value(end(known, key=lambda e: e.value)) if known else "" for end in (min, max))
        lead = f"{result.summary}, {short_title(each[0])} from {low} to {high}." if known else f"{result.summary}."
        yield Section("table", "folds", f"By {unit}", lead, tables=(second,), theme="origin")
    if result.overfitting is not None:
        overfitting, lead = result.overfitting, overfitting_sentences(result.overfitting)[-1]
        both, sure = (("Training", overfitting.resubstitution), ("Held out", overfitting.sample)), overfitting.interval
        errors = [(name, value(each), limits(each)) for name, each in both]
        errors.append(("Bias (percentage points)", points(overfitting.bias), points(sure.low, sure.high)))
        table = Table("Overfitting", ("Cases", "Error", f"{percent(sure.level)} interval"), tuple(errors))
        yield Section("table", "overfitting", "Overfitting", lead, tables=(table,), theme="origin")
    yield from (part for part in pooled.values() if part.kind != "figure")
    facts = {
        "Plan": one_name(plan.name, 80),
        "Carried out": result.summary,
        "Rows": f"{plan.rows:,}",
        "Test share": f"{plan.test_share:.1%}",
        "Seed": "none" if plan.seed is None else f"{plan.seed}",
        "SHA-256": plan.fingerprint,
        "Learner": safe(result.learner, LONGEST_TEXT),
    }
    if result.out_of_bag is not None:
        left, expected = result.out_of_bag
        facts["Left out of a round"] = f"{left:.2%} of the cases; expected (1 - 1/n)^n = {expected:.2%}"
    yield Section("facts", "plan", "The plan", tables=(fact_table("Plan", facts),), theme="data")
    over = result.estimates[headline(result)]
    about = {"algorithm": over.algorithm is not None, "conventional": over.conventional is not None}
    about |= {"folds": plan.kind in ("folds", "repeated folds"), "bootstrap": plan.kind == "bootstrap"}
    of_pooled = next(part.sentences for part in every if part.name == "methods")  # its cases have no weights of their own
    once = (_METHODS["once"] if each.startswith("Weighted cases") else each for each in of_pooled)
    yield methods_section(*(_METHODS[name] for name in ("both", *(n for n in about if about[n]), "plan")), *once)


def _cards(result: Resampled) -> Iterator[Card]:
    name = headline(result)
    pooled, over = result.pooled.estimates, result.estimates[name]
    if name in pooled:
        sure = pooled[name].interval
        note = "all answers pooled" if sure is None else f"this test set, {percent(sure.level)}: {limits(pooled[name])}"
        yield Card(short_title(pooled[name]), value(pooled[name]), note)
    if over.bootstrap632plus is not None:
        yield Card(".632+ bootstrap", value(Estimate(name, over.bootstrap632plus)), "corrected for training on fewer cases")
    elif over.algorithm is not None and over.algorithm.low < over.algorithm.high:
        estimate = Estimate(name, over.mean_of_folds, over.algorithm)
        yield Card("This algorithm", value(estimate), f"trained anew, {percent(result.level)}: {limits(estimate)}")
    if result.resubstitution is not None and name in result.resubstitution.estimates:
        yield Card("Resubstitution", value(result.resubstitution.estimates[name]), "on the training cases")
    for other in [n for n in ("balanced_accuracy", "auc", "mse", "rae") if n in pooled and n != name][:2]:
        yield Card(short_title(pooled[other]), value(pooled[other]), f"pooled, {percent(result.level)}: {limits(pooled[other])}")


def _forest(result: Resampled) -> Section:
    forest, unit = learner_forest(result), result.unit
    each = "repetition" if any(row.dots for row in forest.parts) else unit
    lead = f"Above each {each}; below what they come to. " if forest.parts else ""
    lead += "The bar of two standard errors is what is commonly reported." if result.plan.kind != "leave-one-out" else ""
    lead += " The band is the interval of this test set." if forest.band is not None else ""
    lead += f" Each dot is one {unit}." if any(row.dots for row in forest.rows) else ""
    return Section("figure", "forest", "The learner, and its models", lead.strip(), figure=forest, theme="sure")


# -- the bias of the training error ----------------------------------------------------------------------------


@document.register
def _(result: Overfitting, *, whole: bool) -> Document:
    told = overfitting_sentences(result)
    page = opening("Overfitting", "Error on training cases and on new cases", told) if whole else ()
    return Document(told, key=of_fields(result).key, sections=tuple(page))


def overfitting_sentences(result: Overfitting) -> tuple[str, ...]:
    """Return both errors, the bias of the first, and what follows."""
    said = {
        "optimistic": "The training error is surely too low: it says how well the model remembers.",
        "pessimistic": "The error on new cases is surely lower than on the training cases: check which file is which.",
    }.get(result.verdict, "There is no sure sign of overfitting: the difference may be chance.")
    errors = []
    for estimate, which in ((result.resubstitution, "training"), (result.sample, "new")):
        cases = "" if estimate.cases is None else f"{count(round(estimate.cases, 1))} "
        known = f" ({sureness(estimate)})" if estimate.interval is not None else ""
        errors.append(f"{value(estimate)} on the {cases}{which} cases{known}")
    limits = f"{percent(result.interval.level)} interval {points(result.interval.low, result.interval.high)}"
    shift = f"{points(result.bias)} percentage points ({limits})"
    return f"Error {errors[0]}, error {errors[1]}.", f"Bias of the training error (new minus training): {shift}.", said


@document.register
def _(result: OverfittingAgainst, *, whole: bool) -> Document:
    told = []
    each = ("the training", result.training_difference, result.training), ("new", result.sample_difference, result.sample)
    for where, by, sure in each:
        words = f"{points(abs(by))} percentage points {'lower' if by < 0 else 'higher'} than" if by else "the same as"
        known = f"{percent(sure.level)} interval {points(sure.low, sure.high)}"
        told.append(f"On {where} cases its error is {words} the other's ({known}).")
    if result.overfits:
        told.append(f"It overfits against the other{', surely' if result.sure else ', but the differences may be chance'}.")
    else:
        told.append("It does not overfit against the other: that takes a lower error in training and a higher one on new cases.")
    page = opening("Overfitting against another model", "", told) if whole else ()
    return Document(tuple(told), key=of_fields(result).key, sections=tuple(page))


# -- how many cases to keep for testing ------------------------------------------------------------------------


@document.register
def _(result: TradeOff, *, whole: bool) -> Document:
    every = sorted(result.shares, key=lambda share: share.share)
    few, many = every[0], every[-1]
    words, times = writer(result.measure, few.spread), few.values.size
    ends = [f"{words(s.mean)} ± {words(s.spread)} on {counted(s.cases, 'case')} ({percent_of(s.share)})" for s in (few, many)]
    lost = [why for share in result.shares for why in share.failures]
    tried = sum(share.values.size + len(share.failures) for share in result.shares)
    told = [f"{len(lost)} of {counted(tried, 'split')} failed and are left out: {one_name(lost[0], LONGEST)}."] if lost else []
    about = f"mean {spoken(result.measure)} and standard deviation over {times} random splits"
    told.append(f"{one_name(result.learner, _LONGEST_NAME)}: {about}: {ends[0]} to {ends[1]}.")
    why_not = dict.fromkeys(one_name(s.reason, LONGEST) for s in result.shares if s.reason)
    told += [f"Undefined where {why}." for why in why_not]
    told.append("Few test cases leave a single holdout uncertain; many leave few training cases, and the learner looks worse.")
    page, table = list[Section](), shares(result)
    if whole:
        splits = counted(result.shares[0].values.size, "random split")
        lead = f"{counted(len(every), 'share')} · {splits} each · seed {result.seed}"
        cards = []
        for each in every[:_MOST_CARDS]:
            words = writer(result.measure, each.spread)
            note = f"± {words(each.spread)} on {counted(each.cases, 'case')}"
            cards.append(Card(f"{percent_of(each.share)} kept", words(each.mean), note))
        page += opening(one_name(result.learner, _LONGEST_NAME), lead, told, cards)
        if any(math.isfinite(v) for share in every for v in share.values):
            dots = "Each dot is one split, the line their mean, the band one standard deviation to either side."
            title = "How many cases to keep for testing?"
            page.append(Section("figure", "trade-off", title, dots, figure=spread(result), theme="origin"))
        page.append(Section("table", "shares", "Share by share", tables=(table,), theme="origin"))
        page.append(methods_section(_METHODS["splits"]))
    return Document(tuple(told), (table,), key=table, sections=tuple(page))


def percent_of(share: float) -> str:
    """Return a share kept for testing: "33%" of a third, "0.5%" of 0.005."""
    tenth = 0.1
    return f"{100 * share:.0f}%" if share >= tenth else f"{100 * share:.2g}%"


def shares(result: TradeOff) -> Table:
    """Return one row per share kept for testing."""
    each = sorted(result.shares, key=lambda share: share.share)
    words = writer(result.measure, min((s.spread for s in each), default=0.0))
    rows = tuple(
        (percent_of(s.share), f"{s.cases:,}", words(s.mean), words(s.spread), f"{words(s.middle[0])} to {words(s.middle[1])}")
        for s in each
    )
    header = ("Kept for testing", "Cases", f"Mean {spoken(result.measure)}", "Standard deviation", "Middle half")
    return Table("Shares", header, rows)
