"""What a learner's estimate says: sentences and tables, for the prompt and for the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from adjudge._base.text import counted, quoted, safe
from adjudge.describe.document import Row, Table, with_columns, without_empty_columns
from adjudge.describe.tables import MOST_FOLDED, MOST_ROWS, reasons
from adjudge.describe.values import apart, limits, percent, short_title, value, with_limits
from adjudge.describe.verdicts import verdict
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.resampled import Fold, OverFolds, Resampled
from adjudge.judgements.trade_off import TradeOff
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import NOTHING, decimals_for, named
from adjudge.plots.learners import headline, measure_name, writer

_LONGEST_NAME = 100
_LONGEST_REASON = 300
_MOST_FAILURES = 3


@verdict.register
def _(result: Resampled) -> tuple[str, ...]:
    return sentences(result, f"{shown(result.learner)}: ")


@verdict.register
def _(result: TradeOff) -> tuple[str, ...]:
    few, many = (end(result.shares, key=lambda share: share.share) for end in (min, max))
    words = writer(result.measure, few.spread)
    each = [f"{words(s.mean)} ± {words(s.spread)} on {counted(s.cases, 'case')} ({percent_of(s.share)})" for s in (few, many)]
    about = f"mean {spoken(result.measure)} and standard deviation over {few.values.size} random splits"
    lost = [why for share in result.shares for why in share.failures]
    tried = sum(share.values.size + len(share.failures) for share in result.shares)
    return (
        *(
            [f"{len(lost)} of {counted(tried, 'split')} failed and are left out: {named(lost[:1], _LONGEST_REASON)[0]}."]
            if lost
            else []
        ),
        f"{shown(result.learner)}: {about}: {each[0]} to {each[1]}.",
        *[
            f"Undefined where {named([why], _LONGEST_REASON)[0]}."
            for why in dict.fromkeys(s.reason for s in result.shares if s.reason)
        ],
        "Few test cases leave a single holdout uncertain; many leave few cases to learn from, and the learner looks worse.",
    )


def sentences(result: Resampled, name: str = "") -> tuple[str, ...]:
    """Return the verdict; `name` stands before how often the learner is right, or how far off."""
    told = _off(result) if result.ran.numeric else _right(result)
    told = f"{name}{told[0].lower()}{told[1:]}" if name else told
    return (*_failed(result), told, *_sure(result), *_bootstrap(result), *_remembered(result))


def shown(learner: str) -> str:
    """Return a learner's name in one line, its middle left out where it is long."""
    return named([learner], _LONGEST_NAME)[0]


def spoken(measure: str) -> str:
    """Return what a measure is called within a sentence.

    >>> spoken("balanced_accuracy"), spoken("mcc"), spoken("mae")
    ('balanced accuracy', 'MCC (Matthews correlation)', 'mean absolute error')
    """
    title = short_title(Estimate(measure, math.nan))
    named_after = title.split(maxsplit=1)[0] in ("Cohen's", "Brier", "Jaccard")
    return title if named_after or not title[1].islower() else title[0].lower() + title[1:]


def percent_of(share: float) -> str:
    """Return a share kept for testing.

    >>> percent_of(1 / 3), percent_of(0.005)
    ('33%', '0.5%')
    """
    tenth = 0.1
    return f"{100 * share:.0f}%" if share >= tenth else f"{100 * share:.2g}%"


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


def _cases(result: Resampled) -> str:
    return f"{counted(result.ran.cases, 'held-out case')} ({how(result)})"


def _right(result: Resampled) -> str:
    label, base = result.pooled.baseline or (None, math.nan)
    accuracy = result.pooled.estimates["accuracy"]
    decimals = 1 if accuracy.interval is None else _decimals(accuracy.interval)
    right, always = apart(accuracy.value, base, decimals)
    return f"Accuracy {right} in {_cases(result)}, against {always} for always predicting {quoted(label)}."


def _off(result: Resampled) -> str:
    each = result.pooled.estimates
    other = f"; {value(each['rae'])} times the error of always predicting the mean" if each["rae"].reason is None else ""
    return f"Off by {value(each['mae'])} on average over {_cases(result)}{other}."


def _decimals(interval: Interval) -> int:
    return decimals_for(interval.high - interval.low)


def _sure(result: Resampled) -> Iterator[str]:
    """Yield both honest intervals, named by what they speak of, and the one commonly reported."""
    name = headline(result)
    over, pooled = result.estimates[name], result.pooled.estimates.get(name)
    of = "" if name == "accuracy" else f"{spoken(name)}, "
    if pooled is not None and pooled.interval is not None:
        again = ", each case counted once" if int(result.ran.times.sum()) > result.ran.cases else ""
        yield f"This test set: {of}{percent(result.level)} interval {limits(pooled)} (all answers pooled{again})."
    yield f"This algorithm, trained anew: {_algorithm(result, over)}"
    if over.conventional is not None:
        yield _commonly(result, over)


def _algorithm(result: Resampled, over: OverFolds) -> str:
    interval = over.algorithm
    if interval is None or interval.low == interval.high:
        return f"not known, as {_unknown(result, over)}."
    estimate = Estimate(over.measure, over.mean_of_folds, interval)
    name = result.unit
    about = f"mean of {name}s {value(estimate)}; t over {counted(over.folds.size, name)}, corrected for shared training cases"
    return f"{percent(interval.level)} interval {limits(estimate)} ({about})."


def _unknown(result: Resampled, over: OverFolds) -> str:
    if over.algorithm is not None:
        return f"all {result.unit}s agree and their spread says nothing"
    return {
        "leave-one-out": "leave-one-out has no folds to tell how models differ; 10x10-fold has",
        "bootstrap": "no sound interval over rounds of the bootstrap is known; 10x10-fold gives one",
        "holdout": "one split does not tell how models differ; 10x10-fold does",
    }.get(result.plan.kind, f"it takes two {result.unit}s or more, each with a value")


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


def _remembered(result: Resampled) -> Iterator[str]:
    if result.overfitting is not None:
        yield from verdict(result.overfitting)[1:]
    elif result.resubstitution is not None and result.ran.numeric:
        yield f"On the training cases it is off by {value(result.resubstitution.estimates['mae'])} on average."


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
    rows = tuple(_estimate(over) for over in result.estimates.values())
    undefined = [Estimate(over.measure, v) for over in result.estimates.values() for v in (over.pooled, over.mean_of_folds)]
    table = Table("Estimates", header, rows, "l" + "r" * (len(header) - 1), notes=tuple(dict.fromkeys(reasons(undefined))))
    alike = result.plan.kind in ("leave-one-out", "holdout")
    kept = [i for i in range(len(header)) if not (alike and i == header.index(f"Mean of {unit}s"))]
    return without_empty_columns(with_columns(table, kept))


def _estimate(over: OverFolds) -> Row:
    known = over.algorithm if over.algorithm is not None and over.algorithm.low < over.algorithm.high else None
    spans = (NOTHING if each is None else _span(over, each.low, each.high) for each in (known, over.conventional))
    means = (value(Estimate(over.measure, v, known)) for v in (over.pooled, over.mean_of_folds))
    forms = (over.bootstrap632plus, over.efron632, over.bootstrap632)
    forms_told = (NOTHING if v is None else value(Estimate(over.measure, v)) for v in forms)
    return (short_title(Estimate(over.measure, over.pooled)), *means, *spans, *forms_told)


def _span(over: OverFolds, low: float, high: float) -> str:
    """Return limits with the digits that the honest interval allows, so that a shorter one claims no more."""
    honest = over.algorithm
    words = writer(over.measure, 0.0 if honest is None else honest.high - honest.low)
    return f"{words(low)} to {words(high)}"


def folds(result: Resampled) -> Table:
    """Return one row per fold, failed ones too; of single cases there is none."""
    unit, names = result.unit, [name for name in result.estimates if name != "error" or "accuracy" not in result.estimates]
    shown_folds = () if result.plan.kind == "leave-one-out" else result.by_fold
    rows = [_fold(fold, names) for fold in shown_folds]
    level = f" ({percent(result.level)})"
    brief = 3  # letters of a name that is told as an abbreviation
    titles = [
        (name.upper() if len(name) <= brief else measure_name(name)) + (level if name in ("accuracy", "error") else "")
        for name in names
    ]
    header = (unit.capitalize(), "Repeat", "Training", "Cases", *titles)
    told = tuple(_alike({fold.fold: fold.failure for fold in shown_folds if fold.failure is not None}, unit))
    cut = (tuple(rows[:MOST_ROWS]), tuple(rows[MOST_ROWS : MOST_ROWS + MOST_FOLDED]))
    untold = max(0, len(rows) - MOST_ROWS - MOST_FOLDED)
    table = Table(
        f"{unit.capitalize()}s", header, cut[0], "l" + "r" * (len(header) - 1), cut[1], untold, (unit, f"{unit}s"), told
    )
    again = result.plan.kind == "repeated folds"
    return with_columns(table, [i for i in range(len(header)) if again or header[i] != "Repeat"])


def _fold(fold: Fold, names: Sequence[str]) -> Row:
    head = (f"{fold.fold:,}", f"{fold.repeat:,}", f"{fold.learnt:,}", f"{fold.cases:,}")
    if fold.failure is not None:
        return (*head, "failed", *[NOTHING] * (len(names) - 1))
    each = (fold.estimates[name] for name in names)
    return (*head, *(with_limits(estimate) if estimate.interval is not None else value(estimate) for estimate in each))


def _alike(lost: Mapping[int, str], unit: str) -> Iterator[str]:
    """Yield why folds failed, those that failed alike together."""
    alike: dict[str, list[int]] = {}
    for at, why in lost.items():
        alike.setdefault(_reason(why), []).append(at)
    most = 10
    for why, which in alike.items():
        numbers = ", ".join(f"{at:,}" for at in which[:most]) + (f" and {len(which) - most:,} more" if len(which) > most else "")
        yield f"{unit.capitalize()}{'s' if len(which) > 1 else ''} {numbers} failed: {why}."


def shares(result: TradeOff) -> Table:
    """Return one row per share kept for testing."""
    each = sorted(result.shares, key=lambda share: share.share)
    words = writer(result.measure, min((s.spread for s in each), default=0.0))
    rows = tuple(
        (percent_of(s.share), f"{s.cases:,}", words(s.mean), words(s.spread), f"{words(s.middle[0])} to {words(s.middle[1])}")
        for s in each
    )
    header = ("Kept for testing", "Cases", f"Mean {spoken(result.measure)}", "Standard deviation", "Middle half")
    return Table("Shares", header, rows, "lrrrr")
