"""The tables of a report, as text in cells; how they are set is the business of words and page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge._base.text import counted, quoted
from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.estimate import Estimate, of_accuracy
from adjudge.judgements.evaluation import ClassVerdict, Evaluation
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value as value_of
from adjudge.metrics.catalogue import find
from adjudge.plots.geometry import CellMap
from adjudge.plots.labels import NOTHING, count, named
from adjudge.reports.values import formula, limits, method, percent, title, value, with_limits

MOST_ROWS = 20
"""Rows shown at once; the rest is folded."""
MOST_FOLDED = 180
"""Rows folded; the rest is only counted."""
_MOST_NOTES = 10

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text. `align` has a letter per column: l for words, n for words on one line, r for numbers, f for formulas."""

    caption: str
    header: Row
    rows: tuple[Row, ...]
    align: str
    folded: tuple[Row, ...] = ()
    untold: int = 0
    """How many more rows there would be."""
    things: tuple[str, str] = ("row", "rows")
    """What a row is of, one and many."""
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """What the folded rows are."""
        return self._more(len(self.folded))

    @property
    def remainder(self) -> str:
        """What is not told at all."""
        return f"And {self._more(self.untold)}." if self.untold else ""

    def _more(self, n: int) -> str:
        return counted(n, *(f"more {thing}" for thing in self.things))


def measures(result: Evaluation) -> Table:
    """Return every measure: value, interval, method, formula and direction."""
    estimates = [*result.estimates.values(), *([] if result.over_groups is None else [result.over_groups])]
    rows = tuple(_measure(estimate) for estimate in estimates)
    header = ("Measure", "Value", f"{percent(result.level)} interval", "Method", "Formula", "Direction")
    table = Table("Measures", header, rows, "lrnffn", notes=reasons(estimates))
    return without_empty_columns(table)


def without_empty_columns(table: Table) -> Table:
    """Return a table without the columns that say nothing in any row."""
    kept = [i for i in range(len(table.header)) if any(row[i] != NOTHING for row in table.rows)]
    return with_columns(table, kept)


def with_columns(table: Table, kept: Sequence[int]) -> Table:
    """Return a table of some of its columns."""
    parts = ((table.header,), table.rows, table.folded)
    (header,), rows, folded = (tuple(tuple(row[i] for i in kept) for row in part) for part in parts)
    return replace(table, header=header, rows=rows, folded=folded, align="".join(table.align[i] for i in kept))


def _measure(estimate: Estimate) -> Row:
    direction = find(estimate.measure).direction
    return title(estimate), value(estimate), limits(estimate), method(estimate.interval), formula(estimate), direction


def reasons(estimates: Any) -> tuple[str, ...]:
    """Return why measures are undefined, one line per measure, those beyond a few only counted."""
    notes = [f"{title(estimate)} is undefined: {estimate.reason}." for estimate in estimates if estimate.reason is not None]
    more = len(notes) - _MOST_NOTES
    return (*notes[:_MOST_NOTES], *([f"{counted(more, 'more measure')} undefined for like reasons."] if more > 0 else []))


def classes(result: Evaluation, longest: int = 40) -> Table:
    """Return one row per class: as listed, or the commonest first where they are many."""
    shown = list(result.by_class)
    if len(shown) > MOST_ROWS:
        shown = sorted(shown, key=lambda row: -row.cases)
    names = named([row.label for row in shown], longest)
    ranked = any(row.auc is not None for row in shown)
    rows = [_class(row, name, ranked=ranked) for row, name in zip(shown, names, strict=True)]
    level = percent(result.level)
    header = ("Class", "Cases", "Assigned", f"Sensitivity ({level})", f"Precision ({level})", f"Specificity ({level})", "F1")
    total = result.counts.k if result.counts is not None else len(rows)
    estimates = [e for row in shown[:MOST_ROWS] for e in (row.sensitivity, row.precision, row.specificity, row.f1)]
    return _folding(
        "Class by class",
        (*header, "AUC") if ranked else header,
        rows,
        ("class", "classes"),
        total=total,
        notes=reasons(estimates),
    )


def _class(row: ClassVerdict, name: str, *, ranked: bool) -> Row:
    each = (with_limits(row.sensitivity), with_limits(row.precision), with_limits(row.specificity), value(row.f1))
    auc = (NOTHING if row.auc is None else value(row.auc),) if ranked else ()
    return (name, count(row.cases), count(row.assigned), *each, *auc)


def parts(found: Mapping[Any, ConfusionCounts], what: str, level: float) -> Table:
    """Return one row per fold or group."""
    names = named(list(found), 40)
    rows = [_part(name, counts, level) for name, counts in zip(names, found.values(), strict=True)]
    header = (what.capitalize(), "Cases", "Right", f"Accuracy ({percent(level)})", "Balanced accuracy")
    return _folding(f"{what.capitalize()}s", header, rows, (what, f"{what}s"))


def _part(name: str, counts: ConfusionCounts, level: float) -> Row:
    accuracy = of_accuracy(counts, on_counts.ACCURACY, level)
    balanced = Estimate("balanced_accuracy", value_of(on_counts.BALANCED_ACCURACY, counts))
    return name, count(counts.n), count(counts.correct.sum().item()), with_limits(accuracy), value(balanced)


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
        "Cases by true class (rows) and decision (columns)", ("Truly \\ decided", *columns), rows, "l" + "r" * len(columns)
    )


def facts(result: Evaluation, name: str) -> Table:
    """Return where the cases came from, and the evidence for each column's role."""
    return Table("Data", ("Fact", "Value"), tuple(_facts(result, name)), "ll")


def _facts(result: Evaluation, name: str) -> Iterator[Row]:
    origin, counts = result.origin, result.counts
    yield "Source", name
    yield "Rows", f"{origin.rows:,}"
    if counts is not None:
        shown = named(list(counts.classes)[:MOST_ROWS], 40)
        more = counts.k - len(shown)
        yield "Classes", f"{counts.k:,}: {', '.join(shown)}{f' and {more:,} more' if more else ''}"
    if result.positive is not None:
        yield "Positive class", quoted(result.positive)
    if origin.roles is not None:
        for role, what in origin.roles.evidence.items():
            yield f"Role of {named([role], 40)[0]}", named([what], 400)[0]
    if origin.fingerprint is not None:
        yield "SHA-256", named([origin.fingerprint], 100)[0]
