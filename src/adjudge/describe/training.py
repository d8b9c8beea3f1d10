"""Training and test cases: the bias of the training error, and how many cases to keep for testing."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge._base.text import counted
from adjudge.describe.description import document, findings_of, methods_section, of_fields
from adjudge.describe.document import Card, Document, Section, Table
from adjudge.describe.values import percent, percentage_points, spoken, sureness, value
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.training import OverfittingAgainst, TradeOff
from adjudge.judgements.training_bias import Overfitting
from adjudge.plots.labels import count, named
from adjudge.plots.learners import spread, writer

_MOST_CARDS = 6
_LONGEST_NAME, _LONGEST_REASON = 100, 300
_SPLITS = (
    "Each split learns from the cases it does not test on. The mean falls short of what all cases would teach, the more "
    "so the larger the share; the standard deviation says how far off a single holdout may be. The splits share cases: "
    "their number does not make the mean surer than the cases allow."
)


@document.register
def _(result: Overfitting, *, whole: bool) -> Document:
    told = overfitting_sentences(result)
    lead = "Error on training cases and on new cases"
    page = (Section("verdict", "verdict", "Overfitting", lead, told),) if whole else ()
    return Document(told, key=of_fields(result).key, sections=page)


def overfitting_sentences(result: Overfitting) -> tuple[str, ...]:
    """Return both errors, the bias of the first, and what follows."""
    said = {
        "optimistic": "The training error is surely too low: it says how well the model remembers.",
        "pessimistic": "The error on new cases is surely lower than on the training cases: check which file is which.",
    }.get(result.verdict, "There is no sure sign of overfitting: the difference may be chance.")
    limits = f"{percent(result.interval.level)} interval {points(result.interval)}"
    shift = f"{percentage_points(result.bias)} percentage points ({limits})"
    return (
        f"Error {_error(result.resubstitution, 'training')}, error {_error(result.sample, 'new')}.",
        f"Bias of the training error (new minus training): {shift}.",
        said,
    )


def _error(estimate: Estimate, which: str) -> str:
    sure = f" ({sureness(estimate)})" if estimate.interval is not None else ""
    cases = "" if estimate.cases is None else f"{count(round(estimate.cases, 1))} "
    return f"{value(estimate)} on the {cases}{which} cases{sure}"


def points(interval: Interval) -> str:
    """Return limits of a difference in percentage points."""
    return f"{percentage_points(interval.low)} to {percentage_points(interval.high)}"


@document.register
def _(result: OverfittingAgainst, *, whole: bool) -> Document:
    if result.overfits:
        said = f"It overfits against the other{', surely' if result.sure else ', but the differences may be chance'}."
    else:
        said = "It does not overfit against the other: that takes a lower error in training and a higher one on new cases."
    told = (
        f"On the training cases its error is {_against(result.training_difference, result.training)}.",
        f"On new cases its error is {_against(result.sample_difference, result.sample)}.",
        said,
    )
    page = (Section("verdict", "verdict", "Overfitting against another model", sentences=told),) if whole else ()
    return Document(told, key=of_fields(result).key, sections=page)


def _against(difference: float, interval: Interval) -> str:
    side = "lower" if difference < 0 else "higher"
    words = (
        f"{percentage_points(abs(difference))} percentage points {side} than the other's"
        if difference
        else "the same as the other's"
    )
    return f"{words} ({percent(interval.level)} interval {points(interval)})"


# -- how many cases to keep for testing ------------------------------------------------------------------------


@document.register
def _(result: TradeOff, *, whole: bool) -> Document:
    told, table = tuple(_trade_off(result)), shares(result)
    if not whole:
        return Document(told, (table,), findings_of(result), key=table)
    times = result.shares[0].values.size
    lead = f"{counted(len(result.shares), 'share')} · {counted(times, 'random split')} each · seed {result.seed}"
    cards = []
    for each in sorted(result.shares, key=lambda share: share.share)[:_MOST_CARDS]:
        words = writer(result.measure, each.spread)
        note = f"± {words(each.spread)} on {counted(each.cases, 'case')}"
        cards.append(Card(f"{percent_of(each.share)} kept", words(each.mean), note))
    page = [Section("verdict", "verdict", shown(result.learner), lead, told, tuple(cards))]
    if any(math.isfinite(v) for share in result.shares for v in share.values):
        dots = "Each dot is one split, the line their mean, the band one standard deviation to either side."
        title = "How many cases to keep for testing?"
        page.append(Section("figure", "trade-off", title, dots, figure=spread(result), theme="origin"))
    page.append(Section("table", "shares", "Share by share", tables=(table,), theme="origin"))
    return Document(told, (table,), findings_of(result), key=table, sections=(*page, methods_section(_SPLITS)))


def _trade_off(result: TradeOff) -> Iterator[str]:
    few, many = (end(result.shares, key=lambda share: share.share) for end in (min, max))
    words = writer(result.measure, few.spread)
    each = [f"{words(s.mean)} ± {words(s.spread)} on {counted(s.cases, 'case')} ({percent_of(s.share)})" for s in (few, many)]
    about = f"mean {spoken(result.measure)} and standard deviation over {few.values.size} random splits"
    lost = [why for share in result.shares for why in share.failures]
    tried = sum(share.values.size + len(share.failures) for share in result.shares)
    if lost:
        yield f"{len(lost)} of {counted(tried, 'split')} failed and are left out: {named(lost[:1], _LONGEST_REASON)[0]}."
    yield f"{shown(result.learner)}: {about}: {each[0]} to {each[1]}."
    for why in dict.fromkeys(s.reason for s in result.shares if s.reason):
        yield f"Undefined where {named([why], _LONGEST_REASON)[0]}."
    yield "Few test cases leave a single holdout uncertain; many leave few cases to learn from, and the learner looks worse."


def shown(learner: str) -> str:
    """Return a learner's name in one line, its middle left out where it is long."""
    return named([learner], _LONGEST_NAME)[0]


def percent_of(share: float) -> str:
    """Return a share kept for testing.

    >>> percent_of(1 / 3), percent_of(0.005)
    ('33%', '0.5%')
    """
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
    return Table("Shares", header, rows, "lrrrr")
