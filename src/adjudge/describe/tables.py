"""The tables of a report, as text in cells; how they are set is the business of words and page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted, quoted
from adjudge._base.version import VERSION
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.document import Row, Table, without_empty_columns
from adjudge.describe.values import formula, limits, method, percent, title, value, with_limits
from adjudge.estimates.estimate import Estimate, of_accuracy
from adjudge.estimates.intervals import count_interval
from adjudge.judgements.evaluation import ClassVerdict, Evaluation
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value as value_of
from adjudge.metrics.catalogue import find
from adjudge.plots.geometry import CellMap
from adjudge.plots.labels import NOTHING, count, loss, named

MOST_ROWS = 20
"""Rows shown at once; the rest is folded."""
MOST_FOLDED = 180
"""Rows folded; the rest is only counted."""
_MOST_NOTES = 10
_ROOM = 40
"""Letters of a class name on a page."""
MOST_SIZES = 12
"""Classes whose number of cases is shown at once."""


def measures(result: Evaluation) -> Table:
    """Return every measure: value, interval, method, formula and direction."""
    estimates = [*result.estimates.values(), *([] if result.over_groups is None else [result.over_groups])]
    rows = tuple(_measure(estimate) for estimate in estimates)
    header = ("Measure", "Value", f"{percent(result.level)} interval", "Method", "Formula", "Direction")
    table = Table("Measures", header, rows, "lrnffn", notes=(*reasons(estimates), *_too_large(estimates)))
    return without_empty_columns(table)


def _measure(estimate: Estimate) -> Row:
    direction = find(estimate.measure).direction
    return title(estimate), value(estimate), limits(estimate), method(estimate.interval), formula(estimate), direction


def reasons(estimates: Any) -> tuple[str, ...]:
    """Return why measures are undefined, one line per measure, those beyond a few only counted."""
    notes = [f"{title(estimate)} is undefined: {estimate.reason}." for estimate in estimates if estimate.reason is not None]
    more = len(notes) - _MOST_NOTES
    return (*notes[:_MOST_NOTES], *([f"{counted(more, 'more measure')} undefined for like reasons."] if more > 0 else []))


def _too_large(estimates: Sequence[Estimate]) -> list[str]:
    """Say why measures that rest on all cells of a large table have no interval."""
    counting = {measure.name for measure in on_counts.ON_COUNTS}
    bare = [each for each in estimates if each.interval is None and each.reason is None and each.measure in counting]
    return [f"No interval of {title(bare[0])} and the like: with so many classes it would take long."] if bare else []


def classes(result: Evaluation, longest: int = _ROOM) -> Table:
    """Return one row per class: as listed, or the commonest first where they are many.

    Where names have less room than a page gives them, as at a prompt, F1 and AUC go without their limits.
    """
    shown = list(result.by_class)
    if len(shown) > MOST_ROWS:
        shown = sorted(shown, key=lambda row: -row.cases)
    names = named([row.label for row in shown], longest)
    ranked, brief = any(row.auc is not None for row in shown), longest < _ROOM
    rows = [_class(row, name, ranked=ranked, brief=brief) for row, name in zip(shown, names, strict=True)]
    level = percent(result.level)
    header: Row = ("Class", "Cases", "Assigned", f"Sensitivity ({level})", f"Precision ({level})", f"Specificity ({level})")
    header = (*header, *(name if brief else f"{name} ({level})" for name in ("F1", *(("AUC",) if ranked else ()))))
    total = result.counts.k if result.counts is not None else len(rows)
    estimates = [e for row in shown[:MOST_ROWS] for e in (row.sensitivity, row.precision, row.specificity, row.f1)]
    return _folding("Class by class", header, rows, ("class", "classes"), total=total, notes=reasons(estimates))


def _class(row: ClassVerdict, name: str, *, ranked: bool, brief: bool) -> Row:
    limited = (with_limits(row.sensitivity), with_limits(row.precision), with_limits(row.specificity))
    written = value if brief else with_limits
    auc = (NOTHING if row.auc is None else written(row.auc),) if ranked else ()
    return (name, count(row.cases), count(row.assigned), *limited, written(row.f1), *auc)


def parts(found: Mapping[Any, ConfusionCounts], what: str, level: float) -> Table:
    """Return one row per fold or group."""
    shown = list(found)[: MOST_ROWS + MOST_FOLDED]
    rows = [_part(name, found[label], level) for name, label in zip(named(shown, _ROOM), shown, strict=True)]
    limited = percent(level)
    header = (what.capitalize(), "Cases", "Right", f"Accuracy ({limited})", f"Balanced accuracy ({limited})")
    return _folding(f"{what.capitalize()}s", header, rows, (what, f"{what}s"), total=len(found))


def _part(name: str, counts: ConfusionCounts, level: float) -> Row:
    each = (with_limits(estimate) for estimate in of_part(counts, level))
    return (name, count(counts.n), count(counts.correct.sum().item()), *each)


def of_part(counts: ConfusionCounts, level: float) -> tuple[Estimate, Estimate]:
    """Return accuracy and balanced accuracy of one fold or group, over the classes it has a case of."""
    found = value_of(on_counts.BALANCED_ACCURACY, counts)
    limits = None if np.isnan(found) else count_interval(counts, "balanced_accuracy", level=level)
    return of_accuracy(counts, on_counts.ACCURACY, level), Estimate("balanced_accuracy", found, limits)


def _folding(
    caption: str,
    header: Row,
    rows: Sequence[Row],
    things: tuple[str, str],
    *,
    total: int | None = None,
    notes: tuple[str, ...] = (),
) -> Table:
    folded = tuple(rows[MOST_ROWS : MOST_ROWS + MOST_FOLDED])
    untold = max(0, (total or len(rows)) - MOST_ROWS - len(folded))
    align = "l" + "r" * (len(header) - 1)
    return Table(caption, header, tuple(rows[:MOST_ROWS]), align, folded, untold, things, notes)


def cells(found: CellMap) -> Table:
    """Return the numbers behind a confusion map."""
    columns = named(found.columns, 24)
    rows = tuple((name, *(count(v) for v in row.tolist())) for name, row in zip(named(found.rows, 24), found.counts, strict=True))
    return Table(
        "Cases by true class (rows) and decision (columns)", ("True \\ predicted", *columns), rows, "l" + "r" * len(columns)
    )


def facts(result: Evaluation, name: str) -> Table:
    """Return where the cases came from, how they were read, and the evidence for each column's role."""
    rows = (*_of_rows(result, name), *_of_scores(result), *_of_reading(result), *_of_roles(result))
    return Table("Data", ("Fact", "Value"), rows, "ll")


def class_sizes(result: Evaluation) -> Table:
    """Return the cases of every class, the commonest first; all but a few folded."""
    counts = result.undecided if result.counts is None else result.counts
    assert counts is not None
    order = np.argsort(-counts.support, kind="stable")[: MOST_SIZES + MOST_FOLDED].tolist()
    names = named([counts.classes[i] for i in order], _ROOM)
    each = [(name, counts.support[i].item()) for name, i in zip(names, order, strict=True)]
    rows = tuple((name, count(cases), share(cases / counts.n)) for name, cases in each)
    weight = "Weight" if isinstance(counts, WeightedCounts) else "Cases"
    header = ("Class", weight, "Share")
    untold = counts.k - len(rows)
    return Table("Cases by class", header, rows[:MOST_SIZES], "lrr", rows[MOST_SIZES:], untold, ("class", "classes"))


def _of_rows(result: Evaluation, name: str) -> Iterator[Row]:
    origin, counts, read = result.origin, result.undecided if result.counts is None else result.counts, result.facts
    yield "Source", name
    yield "Rows", f"{origin.rows:,}"
    if read is not None:
        if read.dropped:
            yield "Rows left out", f"{read.dropped:,}, as something was missing"
        missing = [f"{n:,} in {quoted(column)}" for column, n in list(read.missing.items())[:MOST_ROWS]]
        yield "Missing values", ", ".join(missing) or "none"
        yield "Rows for the same case", read.duplicates
    if counts is not None:
        shown = named(list(counts.classes)[:MOST_ROWS], _ROOM)
        more = counts.k - len(shown)
        yield "Classes", f"{counts.k:,}: {', '.join(shown)}{f' and {more:,} more' if more else ''}"
    if result.positive is not None:
        yield "Positive class", quoted(result.positive)
    for what, found in (("Folds", result.by_fold), ("Groups", result.by_group)):
        if found:
            low, high = (count(end(table.n for table in found.values())) for end in (min, max))
            yield what, f"{len(found):,}, with {low if low == high else f'{low} to {high}'} cases each"


def _of_scores(result: Evaluation) -> Iterator[Row]:
    read = result.facts
    if read is None:
        return
    if read.scores is not None:
        yield "Scores hold", _SCALES.get(read.scores, read.scores)
    yield "Decisions", read.decisions
    if read.threshold is not None:
        yield "Threshold", f"{read.threshold:g}: called positive from there on"
    if read.effective_cases is not None:
        spread = 1.0 if read.weight_spread is None else read.weight_spread
        worth = f"worth {read.effective_cases:,.1f} equally weighted cases"
        yield "Weights", f"the largest is {loss(spread)} times the smallest; {worth}"


_SCALES = {"scores": "scores that only rank, no probabilities", "confidence": "the probability of the decision taken"}


def _of_reading(result: Evaluation) -> Iterator[Row]:
    if result.repeats > 1:
        yield "Answers a case", f"{result.repeats:.1f} on average"
    yield "Level of intervals", percent(result.level)
    if result.facts is not None and result.facts.interval != "default":
        yield "Intervals asked for", result.facts.interval
    if result.accuracy_posteriors is not None:
        yield "Prior of the posteriors", result.accuracy_posteriors.prior
    yield "Version", f"adjudge {VERSION}"
    if result.origin.fingerprint is not None:
        yield "SHA-256", named([result.origin.fingerprint], 100)[0]


def _of_roles(result: Evaluation) -> Iterator[Row]:
    roles = result.origin.roles
    for role, what in ({} if roles is None else roles.evidence).items():
        yield f"Role of {named([role], _ROOM)[0]}", named([what], 400)[0]
