"""What measures of several sets say side by side, where each is correct, and curves over each other: tables and sections."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from adjudge._base import counted, quoted
from adjudge.describe.description import document
from adjudge.describe.document import TEXTS, Document, Row, Section, Table, folding
from adjudge.describe.values import FINER, amount, one_name, percent, short_title, spoken, sure
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.overlaid import Overlaid
from adjudge.judgements.side_by_side import MeasureDifference, MeasureRow, SideBySide
from adjudge.judgements.where_correct import CorrectInClass, WhereCorrect
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import NOTHING, count, distinct_names, named, rounded, signed
from adjudge.plots.overlaid import overlaid_picture
from adjudge.plots.quantities import is_share, written
from adjudge.plots.where_correct import where_correct_picture

LONGEST, MOST_SETS = 10, 4
"""Letters of a set's name at the head of a column of a terminal, and sets that have one there."""
_ON_A_PAGE, _MOST_ON_A_PAGE = 40, 12
_MOST_CLASSES = 6  # with a row at a terminal
_ENDING, _IN_A_NOTE = 10, 60  # letters of an ending at most, such as .parquet; and of a name that a letter stands for
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TWO = 2
_SAID = TEXTS["side_by_side"]
_TITLES = {"roc": "ROC curves", "precision-recall": "Precision-recall curves", "reliability": "Reliability of the probabilities"}


@document.register
def _(result: SideBySide, **_: bool) -> Document:
    several = "each with the difference from " if len(result.names) > _TWO else "with the difference from "
    told = f"{counted(len(result.rows), 'measure')} of {' and '.join(named(result.names, _ON_A_PAGE)[:MOST_SETS])}"
    tables = tuple(measure_tables(result))
    return Document((f"{told}, {several}{one_name(result.reference, _ON_A_PAGE)}.",), tables, key=tables[0], key_is_whole=True)


@document.register
def _(result: WhereCorrect, **_: bool) -> Document:
    table = where_correct_table(result)
    return Document((where_correct_sentence(result),), (table, *disagreed_table(result)), key=table)


@document.register
def _(result: Overlaid, **_: bool) -> Document:
    kinds = [_TITLES[kind] for kind in result.curves]
    return Document((f"{', '.join(kinds)} of {counted(len(next(iter(result.curves.values()))), 'set')}: {_about(result)}.",))


# -- measures --------------------------------------------------------------------------------------------------


def measure_tables(result: SideBySide, *, wide: bool = False) -> Iterator[Table]:
    """Yield every measure of two sets in one table; of more the values, and the differences from the best below them."""
    if len(result.names) == _TWO:
        yield _of_two(result, wide=wide)
    else:
        yield from _of_several(result, _MOST_ON_A_PAGE if wide else MOST_SETS, wide=wide)


def _heads(names: Sequence[str], *, wide: bool) -> tuple[list[str], tuple[str, ...]]:
    """Return names for the heads of columns, and whom they stand for: letters where names have no room.

    Of files the endings go first.
    """
    if wide:
        return distinct_names(names, _ON_A_PAGE), ()
    if max(map(len, names)) <= LONGEST:
        return distinct_names(names, LONGEST), ()
    bare = [name[: name.rfind(".")] if 0 < name.rfind(".") > len(name) - _ENDING else name for name in names]
    if max(map(len, bare)) <= LONGEST and len(set(bare)) == len(bare):
        return distinct_names(bare, LONGEST), ()
    letters = [_LETTERS[i] if i < len(_LETTERS) else f"{i + 1}" for i in range(len(names))]
    each = [f"{letter} is {name}" for letter, name in zip(letters, named(names, _IN_A_NOTE), strict=True)]
    return letters, (f"{'; '.join(each[:_MOST_ON_A_PAGE])}.",)


def _of_two(result: SideBySide, *, wide: bool) -> Table:
    (names, whose), rows = _heads(result.names, wide=wide), []
    for row in result.rows:
        known, three = row.differences[0], (NOTHING,) * 3
        if known is not None:
            better, same, worse = (sure(p, result.level) for p in (known.better, known.same, known.worse))
            three = better.removeprefix("= "), same.removeprefix("= "), worse.removeprefix("= ")
        rows.append((_title(row), *_values(row), _difference(row, known), _limits(row, known), *(three if wide else three[:1])))
    header: Row = ("Measure", *names, "Difference", f"{percent(result.level)} interval", f"P({names[0]} better)")
    header = (*header, "P(same)", f"P({names[1]} better)") if wide else header
    return Table("Every measure", header, tuple(rows), notes=(*whose, *_notes(result, *_about_differences(result))))


def _of_several(result: SideBySide, most: int, *, wide: bool) -> Iterator[Table]:
    names, whose = _heads(result.names, wide=wide)
    at = result.names.index(result.reference)
    order = [at, *(i for i in range(len(names)) if i != at)]
    shown, left_out = order[:most], len(order) - most
    more = [f"{counted(left_out, 'more set')}: measures.to_frame() has all."] if left_out > 0 else []
    values, differences = [], list[Row]()
    for row in result.rows:
        each, likely = _values(row), NOTHING
        if row.p_best is not None:
            best = max(range(len(names)), key=row.p_best.__getitem__)
            likely = f"{names[best]}, {sure(row.p_best[best], result.level).removeprefix('= ')}"
        values.append((_title(row), *(each[i] for i in shown), likely))
        known = [row.differences[i] for i in shown[1:]]
        if any(known):
            limited = wide or len(shown) < MOST_SETS
            told = ((_difference(row, one), f" ({_limits(row, one)})" if limited and one is not None else "") for one in known)
            differences.append((_title(row), *map("".join, told)))
    header: Row = ("Measure", *(names[i] for i in shown), "Likeliest best, P(best)")
    yield Table("Every measure", header, tuple(values), "l" + "r" * len(shown) + "l", notes=(*whose, *_notes(result, *more)))
    header = (f"Difference from {names[at]}", *(names[i] for i in shown[1:]))
    within = f"In brackets: {percent(result.level)} interval." if wide or len(shown) < MOST_SETS else ""
    notes = tuple(filter(None, (within, *_about_differences(result))))
    yield Table(f"Differences from {names[at]}", header, tuple(differences), notes=notes)


def _title(row: MeasureRow) -> str:
    """Return what a measure is called in a narrow column."""
    name = short_title(Estimate(row.measure, math.nan)).partition(" (")[0]
    return name + {"macro": ", mean", "hand-till": ", pairs"}.get(row.average or "", "")


def _values(row: MeasureRow) -> list[str]:
    width = min((each.interval.high - each.interval.low for each in row.differences if each is not None), default=0.0)
    words = written(row.measure, width if is_share(row.measure) else width / FINER)
    return [NOTHING if math.isnan(value) else words(value) for value in row.values]


def _difference(row: MeasureRow, known: MeasureDifference | None) -> str:
    return NOTHING if known is None else signed(_amount(row, known, known.value), known.value)


def _limits(row: MeasureRow, known: MeasureDifference | None) -> str:
    if known is None:
        return NOTHING
    return f"{_amount(row, known, known.interval.low)} to {_amount(row, known, known.interval.high)}"


def _amount(row: MeasureRow, known: MeasureDifference, value: float) -> str:
    """Return a difference with the digits that its interval allows; of a measure without an upper bound, too."""
    width = known.interval.high - known.interval.low
    unbounded = math.isinf(find(row.measure).high) and not is_share(row.measure)
    return rounded(value, width / FINER) if unbounded else amount(row.measure, value, width)


def _notes(result: SideBySide, *more: str) -> Iterator[str]:
    """Yield of which class measures speak, where less is better, and what is left out."""
    labels = dict.fromkeys(row.of for row in result.rows if row.of is not None)
    averaged = [row for row in result.rows if row.average is not None]
    for label in labels:
        own = [row for row in result.rows if row.of == label]
        yield f"Of class {quoted(label)} against the rest: {_listed(own)}."
    if averaged:
        yield _SAID["averaged"]
    less = [row for row in result.rows if not find(row.measure).higher_is_better and row.measure != "mean_error"]
    if less:
        yield f"Less is better: {_listed(less)}."
    yield from more
    yield from result.notes


def _about_differences(result: SideBySide) -> Iterator[str]:
    """Yield how differences are to be read."""
    if any(is_share(row.measure) for row in result.rows):
        yield _SAID["points"]
    yield _SAID["by_itself"]


def _listed(rows: Sequence[MeasureRow]) -> str:
    first, *others = rows
    return ", ".join([_title(first), *(spoken(each.measure).partition(" (")[0] for each in others)])


# -- where each is correct ----------------------------------------------------------------------------------------


def where_correct_sentence(result: WhereCorrect) -> str:
    """Return how many cases all sets predict correctly, none, and each alone."""
    alone = zip(named(result.names, _ON_A_PAGE), result.only_correct, strict=True)
    each = ", ".join(f"only {name} in {count(cases)}" for name, cases in list(alone)[:MOST_SETS])
    every, none = ("Both", "neither") if len(result.names) == _TWO else ("All", "none")
    return f"{every} correct in {count(result.all_correct)} cases, {each}, {none} in {count(result.none_correct)}."


def where_correct_table(result: WhereCorrect, *, wide: bool = False) -> Table:
    """Return how many cases of each class all sets, one or none predict correctly, the class with most disagreement first."""
    heads, whose = _heads(result.names, wide=wide)
    names, two = heads[: _MOST_ON_A_PAGE if wide else MOST_SETS], len(result.names) == _TWO
    whole = (result.cases, result.all_correct, result.only_correct, result.none_correct, result.some_correct)
    rows = [_row_of("All classes", CorrectInClass(None, *whole), len(names), two=two)]
    labels = named([each.label for each in result.by_class], _ON_A_PAGE)
    rows += [_row_of(label, each, len(names), two=two) for label, each in zip(labels, result.by_class, strict=True)]
    header = ("True class", "Cases", "Both" if two else "All", *(f"Only {name}" for name in names), *(() if two else ("Some",)))
    header = (*header, "Neither" if two else "None")
    shown = {} if wide else {"shown": _MOST_CLASSES + 1}
    caption = "Cases predicted correctly by both, one or neither" if two else "Cases predicted correctly by all, some or none"
    return folding(caption, header, rows, ("class", "classes"), total=result.classes + 1, notes=whose, **shown)


def _row_of(label: str, row: CorrectInClass, sets: int, *, two: bool) -> Row:
    some = () if two else (count(row.some_correct),)
    return (label, count(row.cases), count(row.all_correct), *map(count, row.only_correct[:sets]), *some, count(row.none_correct))


def disagreed_table(result: WhereCorrect) -> Iterator[Table]:
    """Yield the first cases on which the sets disagree, by identity."""
    if result.disagreed:
        names = distinct_names(result.names, _ON_A_PAGE)[:_MOST_ON_A_PAGE]
        rows = []
        for each in result.disagreed:
            said = (NOTHING if label is None else one_name(label, _ON_A_PAGE) for label in each.predicted[: len(names)])
            rows.append((one_name(each.case, _ON_A_PAGE), one_name(each.truth, _ON_A_PAGE), *said))
        case = "Row" if result.column is None else one_name(result.column, _ON_A_PAGE)
        yield Table("The first cases on which they disagree", (case, "True class", *names), tuple(rows), "l" * (len(names) + 2))


# -- sections of a page ----------------------------------------------------------------------------------------


def sections(measures: SideBySide | None, correct: WhereCorrect | None, curves: Overlaid | None) -> Iterator[Section]:
    """Yield what a page of a comparison shows beside the verdict."""
    if measures is not None:
        tables = tuple(measure_tables(measures, wide=True))
        yield Section("table", "measures", "Every measure side by side", _SAID["measures"], tables=tables, theme="better")
    if correct is not None and correct.cases > 0:
        told = (where_correct_table(correct, wide=True), *disagreed_table(correct))
        drawn, lead = where_correct_picture(correct), where_correct_sentence(correct)
        yield Section("figure", "where-correct", "Where each is correct", lead, tables=told, figure=drawn, theme="better")
    for kind in () if curves is None else curves.curves:
        assert curves is not None
        lead = f"{_about(curves, kind)}. {_SAID[kind]}"
        yield Section("figure", f"{kind}-of-all", _TITLES[kind], lead, figure=overlaid_picture(curves, kind), theme="better")


def _about(curves: Overlaid, kind: str = "roc") -> str:
    """Return of which class curves are, and why."""
    if kind == "reliability" and not curves.of_class:
        return "Of the highest probability of each case"
    return f"Class {quoted(curves.of)} against the rest, {curves.why}"
