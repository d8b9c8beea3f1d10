"""What partition spaces say: sentences and tables, for the prompt and for the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from adjudge._base import counted, safe, share
from adjudge.describe.description import document, facts, methods_section, opening
from adjudge.describe.document import MOST_ROWS, TEXTS, Card, Document, Section, Table
from adjudge.describe.values import measured, one_name, percent
from adjudge.judgements.evaluation import MOST_CORNERS
from adjudge.judgements.partitioned import PartitionComparison
from adjudge.partitions.replicates import MeasureInterval
from adjudge.partitions.space import PartitionDifference, PartitionSpace
from adjudge.plots.labels import NOTHING, named, number
from adjudge.plots.partitions import partition_picture
from adjudge.plots.simplex import FEWEST

_LONGEST = 60
_LEVEL = 0.95
_NAMES = {"scaled_accuracy": "Scaled accuracy (Ac)", "ability_to_separate": "Ability to separate (AS)"}

_ENDS = "1 if every case lay in the corner of its true class, 0 if all lay in the centre"
_MORE = (
    ("scaled_accuracy", "lies nearer to the corners of the true classes", "as near to the true corners"),
    ("ability_to_separate", "separates the classes it predicts more", "equally well separated"),
)
"""What it means that a rule has more of a measure than another, or as much."""
_REGIONS = "How memberships were scaled: Beta distributions fitted to the highest membership, and those it was moved to."


@document.register
def _(result: PartitionSpace, *, whole: bool) -> Document:
    alone = PartitionComparison({"": result}, {"": {}}, {}, _LEVEL, result.findings)  # compare_partitions works out intervals
    rows = tuple((name, f"{getattr(result, name):.3f}") for name in (*_NAMES, "correct"))
    return replace(document(alone, whole=whole), tables=(rules(alone), corners(alone)), key=facts(rows))


@document.register
def _(result: PartitionComparison, *, whole: bool) -> Document:
    told, first, second = tuple(sentences(result)), rules(result), corners(result)
    tables = (first, *((second,) if second.rows else ()))
    page: list[Section] = []
    if whole:
        labels = ", ".join(named(list(result.first.classes), 60))
        lead = f"{_cases(result)} · {labels} · depth {result.first.depth}"
        alone, cards = len(result.spaces) == 1, []
        if alone and not any(result.intervals.values()):
            cards += [Card(name, _with_limits({}, measure, result.first), "scaled") for measure, name in _NAMES.items()]
        for rule, intervals in result.intervals.items():
            whose = "" if alone else f", {one_name(rule, 40)}"
            for measure, each in intervals.items():
                note = f"{percent(each.level)}: {number(each.low)} to {number(each.high)}"
                cards.append(Card(f"{_NAMES[measure]}{whose}", number(each.value), note))
        page += opening("Partition space", lead, told, cards, result.findings)
        page.append(simplex(result.spaces, **result.drawing))
        if not alone:
            page.append(Section("table", "rules", "Rule by rule", tables=(first, second), theme="space"))
        else:
            page.append(Section("table", "corners", "Corner by corner", tables=(second,), theme="space"))
        page.append(Section("table", "regions", "Region by region", _REGIONS, tables=(regions(result),), theme="space"))
        page.append(methods_section(*TEXTS["partition"].values()))
    return Document(told, tables, result.findings, key=first, sections=tuple(page))


def sentences(result: PartitionComparison) -> Iterator[str]:
    """Yield the verdict."""
    if len(result.spaces) > 1:
        if not result.known:
            yield "The true classes are not known: the rules can be drawn side by side, but not tested."
        for measure, more, alike in _MORE:
            yield from (_of_pair(pair, by_measure[measure], more, alike) for pair, by_measure in result.differences.items())
        return
    (intervals,), space, cases = result.intervals.values(), result.first, _cases(result)
    if not result.known:
        yield f"The true classes of {cases} are not known: only the ability to separate (AS) is known."
        separated = number(space.ability_to_separate)
        yield f"The ability to separate (AS) is {separated}: 1 in the corners of the predicted classes, 0 in the centre."
        return
    scaled, separated = (_with_limits(intervals, measure, space) for measure in _NAMES)
    yield f"{share(space.correct)} of {cases} {'is' if result.cases == 1 else 'are'} predicted correctly."
    yield f"The scaled accuracy (Ac) is {scaled}: {_ENDS}."
    yield f"The ability to separate (AS) is {separated}: the same for the corners of the predicted classes."


def _cases(result: PartitionComparison) -> str:
    """Return how many cases there are, and of how many clusters."""
    of = "" if result.clusters is None else f" of {counted(result.clusters, 'cluster')}"
    return f"{counted(result.cases, 'case')}{of}"


def _of_pair(pair: tuple[str, str], gap: PartitionDifference, more: str, alike: str) -> str:
    """Say who has more of a measure, with the numbers in the order of the names."""
    names, values, ends = [one_name(each, _LONGEST) for each in pair], [gap.a, gap.b], [gap.low, gap.high]
    if gap.value < 0:
        names, values, ends = names[::-1], values[::-1], [-gap.high, -gap.low]
    who = f"{names[0]} and {names[1]} may be {alike}" if ends[0] <= 0 else f"{names[0]} {more} than {names[1]}"
    name = _NAMES[gap.measure]
    told = f"{name[0].lower()}{name[1:]} {number(values[0])} against {number(values[1])}, a difference of {abs(gap.value):+.3f}"
    return f"{who}: {told} ({percent(gap.level)}: {ends[0]:+.3f} to {ends[1]:+.3f})."


def rules(result: PartitionComparison) -> Table:
    """Return the measures of each rule."""
    rows = []
    for name, space in result.spaces.items():
        each = (_with_limits(result.intervals[name], measure, space) for measure in _NAMES)
        plain = _or_nothing(space.unscaled.scaled_accuracy, number), number(space.unscaled.ability_to_separate)
        rows.append((one_name(name, _LONGEST), _or_nothing(space.correct, share), *each, number(space.confidence), *plain))
    table = Table("Rules", ("Rule", "Correct", "Ac", "AS", "Confidence", "Ac unscaled", "AS unscaled"), tuple(rows))
    return table if len(rows) > 1 else replace(table.with_columns(range(1, 7)), caption="Measures")


def _with_limits(intervals: dict[str, MeasureInterval], measure: str, space: PartitionSpace) -> str:
    return measured(intervals[measure]) if intervals else _or_nothing(float(getattr(space, measure)), number)


def _or_nothing(value: float, written: Callable[[float], str]) -> str:
    return NOTHING if math.isnan(value) else written(value)


def corners(result: PartitionComparison) -> Table:
    """Return how many cases each rule assigns to each class, and how often correctly."""
    labels, rows = named(list(result.first.classes), _LONGEST), []
    for name, space in result.spaces.items():
        for at, label in enumerate(labels):
            right = _or_nothing(float(space.correctness[at]), share)
            rows.append((one_name(name, _LONGEST), label, f"{int((space.predicted == at).sum()):,}", right))
    return _by_rule(result, Table("Corners", ("Rule", "Class", "Predicted", "Of these correct"), tuple(rows), "llrr"))


def regions(result: PartitionComparison) -> Table:
    """Return the regions of each rule, its largest first."""
    rows = []
    for name, space in result.spaces.items():
        for each in sorted(space.regions, key=lambda each: -each.n):
            order, right = " > ".join(named(list(each.order), _LONGEST)), _or_nothing(each.correct, share)
            distributions = ((each.alpha, each.beta), (each.scaled_alpha, each.scaled_beta))
            told = (NOTHING if math.isnan(a) or math.isnan(b) else f"{a:.2f}, {b:.2f}" for a, b in distributions)
            rows.append((one_name(name, _LONGEST), order, f"{each.n:,}", right, number(each.mean), *told, safe(each.note)))
    header = ("Rule", "Order of classes", "Cases", "Correct", "Mean", "Beta fitted", "Beta scaled to", "Note")
    table = _by_rule(result, Table("Regions", header, tuple(rows), "llrrrrrl"))
    return table if any(row[-1] for row in rows) else table.with_columns(range(len(table.header) - 1))


def _by_rule(result: PartitionComparison, table: Table) -> Table:
    """Return a table with many rows folded, and without the name of the rule where there is but one."""
    table = replace(table, rows=table.rows[:MOST_ROWS], folded=table.rows[MOST_ROWS:])
    return table if len(result.spaces) > 1 else table.with_columns(range(1, len(table.header)))


def simplex(spaces: Mapping[str, PartitionSpace], **how: Any) -> Section:
    """Return the picture of partition spaces of the same cases, side by side, drawn as `how` says."""
    first = next(iter(spaces.values()))
    drawn = partition_picture(dict(spaces) if len(spaces) > 1 else first, **how)
    lead = "Inside a mark the true class of a case, around it the predicted class"
    lead = "Memberships of each true class between the two corners" if drawn.classes == FEWEST else lead
    lead += "; memberships as they came." if how.get("space") == "original" else "; scaled to what the assignments are worth."
    if len(first.classes) > MOST_CORNERS and not how.get("classes"):
        lead += " The two classes most often taken for each other, against the rest."
    return Section("figure", "simplex", "Standardised partition space", lead, figure=drawn, wide=len(spaces) > 1, theme="space")
