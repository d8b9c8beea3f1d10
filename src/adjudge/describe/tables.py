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
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.groups import FoldsJudged, GroupsJudged
from adjudge.judgements.weaknesses import Weaknesses
from adjudge.metrics import on_counts
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import NOTHING, count, decimals_for, loss, named
from adjudge.plots.maps import CellMap

MOST_ROWS = 20
"""Rows shown at once; the rest is folded."""
MOST_FOLDED = 180
"""Rows folded; the rest is only counted."""
_MOST_NOTES = 10
_ROOM = 40
"""Letters of a class name on a page."""
MOST_SHOWN = 10
"""Confusions shown at once; the rest is folded."""
_FEW = 5000  # classes whose names are told apart with the help of all others
MOST_SIZES = 12
"""Classes whose number of cases is shown at once."""


def measures(result: Evaluation) -> Table:
    """Return every measure: value, interval, method, formula and direction."""
    estimates = [*result.estimates.values(), *([] if result.over_groups is None else [result.over_groups])]
    rows = tuple(
        (title(each), value(each), limits(each), method(each.interval), formula(each), find(each.measure).direction)
        for each in estimates
    )
    header = ("Measure", "Value", f"{percent(result.level)} interval", "Method", "Formula", "Direction")
    counting = {measure.name for measure in on_counts.ON_COUNTS}
    bare = [each for each in estimates if each.interval is None and each.reason is None and each.measure in counting]
    large = [f"No interval of {title(bare[0])} and the like: with so many classes it would take long."] if bare else []
    return without_empty_columns(Table("Measures", header, rows, "lrnffn", notes=(*reasons(estimates), *large)))


def reasons(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """Return why measures are undefined, one line per measure, those beyond a few only counted."""
    notes = [f"{title(estimate)} is undefined: {estimate.reason}." for estimate in estimates if estimate.reason is not None]
    more = len(notes) - _MOST_NOTES
    return (*notes[:_MOST_NOTES], *([f"{counted(more, 'more measure')} undefined for like reasons."] if more > 0 else []))


def classes(result: Evaluation, longest: int = _ROOM) -> Table:
    """Return one row per class: as listed, or the commonest first where they are many.

    Where names have less room than a page gives them, as at a prompt, F1 and AUC go without their limits.
    """
    shown = list(result.by_class)
    if len(shown) > MOST_ROWS:
        shown = sorted(shown, key=lambda row: -row.cases)
    names = named([row.label for row in shown], longest)
    ranked, brief = any(row.auc is not None for row in shown), longest < _ROOM
    written, rows = value if brief else with_limits, []
    for row, name in zip(shown, names, strict=True):
        limited = (with_limits(row.sensitivity), with_limits(row.precision), with_limits(row.specificity))
        auc = (NOTHING if row.auc is None else written(row.auc),) if ranked else ()
        rows.append((name, count(row.cases), count(row.assigned), *limited, written(row.f1), *auc))
    level = percent(result.level)
    header: Row = ("Class", "Cases", "Assigned", f"Sensitivity ({level})", f"Precision ({level})", f"Specificity ({level})")
    header = (*header, *(name if brief else f"{name} ({level})" for name in ("F1", *(("AUC",) if ranked else ()))))
    total = result.counts.k if result.counts is not None else len(rows)
    estimates = [e for row in shown[:MOST_ROWS] for e in (row.sensitivity, row.precision, row.specificity, row.f1)]
    return folding("Class by class", header, rows, ("class", "classes"), total=total, notes=reasons(estimates))


def parts(found: FoldsJudged | GroupsJudged, tables: Mapping[Any, ConfusionCounts], what: str, level: float) -> Table:
    """Return one row per fold or group."""
    shown = list(found.accuracy)[: MOST_ROWS + MOST_FOLDED]
    rows = []
    for name, label in zip(named(shown, _ROOM), shown, strict=True):
        both = with_limits(found.accuracy[label]), with_limits(found.balanced[label])
        rows.append((name, count(tables[label].n), count(tables[label].correct.sum().item()), *both))
    limited = percent(level)
    header = (what.capitalize(), "Cases", "Right", f"Accuracy ({limited})", f"Balanced accuracy ({limited})")
    total = sum(1 for table in tables.values() if table.n) if isinstance(found, FoldsJudged) else len(tables)
    return folding(f"{what.capitalize()}s", header, rows, (what, f"{what}s"), total=total)


def folding(
    caption: str,
    header: Row,
    rows: Sequence[Row],
    things: tuple[str, str],
    *,
    total: int | None = None,
    notes: tuple[str, ...] = (),
    align: str = "",
) -> Table:
    """Return a table of few rows in sight, more folded, and the rest only counted."""
    folded = tuple(rows[MOST_ROWS : MOST_ROWS + MOST_FOLDED])
    untold = max(0, (total or len(rows)) - MOST_ROWS - len(folded))
    align = align or "l" + "r" * (len(header) - 1)
    return Table(caption, header, tuple(rows[:MOST_ROWS]), align, folded, untold, things, notes)


def confusions(found: Weaknesses, counts: ConfusionCounts, level: float) -> Table:
    """Return the largest confusions: the true class, the predicted one, how often, and of how many."""
    largest = found.confusions[: MOST_SHOWN + MOST_FOLDED]
    names = dict(zip(counts.classes, named(list(counts.classes), _ROOM), strict=True)) if counts.k <= _FEW else {}
    rows = []
    for each in largest:
        who = (names.get(label) or named([label], _ROOM)[0] for label in (each.truth, each.decided))
        of_class = NOTHING
        if each.interval is not None:
            decimals = decimals_for(each.interval.high - each.interval.low)
            low, high = (share(limit, decimals).rstrip("%") for limit in (each.interval.low, each.interval.high))
            of_class = f"{share(each.share, decimals)} ({low}-{high})"
        rows.append((*who, count(each.cases), of_class, share(each.of_errors)))
    cases = "Weight" if isinstance(counts, WeightedCounts) else "Cases"
    header = ("True class", "Predicted", cases, f"Of the class ({percent(level)})", "Of errors")
    shown, folded, untold = tuple(rows[:MOST_SHOWN]), tuple(rows[MOST_SHOWN:]), found.pairs_confused - len(rows)
    return Table("The largest confusions", header, shown, "llrrr", folded, max(0, untold), ("confusion", "confusions"))


def about_confusions(found: Weaknesses, counts: ConfusionCounts) -> str:
    """Return what the errors are, in one sentence."""
    wrong = float(counts.support.sum() - counts.rejected.sum() - counts.correct.sum())
    if wrong <= 0:
        return "No decision is wrong."
    unit = "of weight" if isinstance(counts, WeightedCounts) else "wrong decisions"
    possible = counts.k * (counts.k - 1)
    return f"{count(wrong)} {unit} in {found.pairs_confused:,} of {possible:,} possible confusions, the largest first."


def cells(found: CellMap) -> Table:
    """Return the numbers behind a confusion map."""
    columns = named(found.columns, 24)
    rows = tuple((name, *(count(v) for v in row.tolist())) for name, row in zip(named(found.rows, 24), found.counts, strict=True))
    return Table(
        "Cases by true class (rows) and decision (columns)", ("True \\ predicted", *columns), rows, "l" + "r" * len(columns)
    )


def facts(result: Evaluation, name: str) -> Table:
    """Return where the cases came from, how they were read, and the evidence for each column's role."""
    evidence = {} if result.origin.roles is None else result.origin.roles.evidence
    roles = ((f"Role of {named([role], _ROOM)[0]}", named([what], 400)[0]) for role, what in evidence.items())
    rows = (*_of_rows(result, name), *_of_scores(result), *_of_reading(result), *roles)
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
