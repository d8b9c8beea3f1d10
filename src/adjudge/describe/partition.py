"""What partition spaces say: sentences and tables, for the prompt and for the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from adjudge._base.levels import share
from adjudge._base.text import counted, safe
from adjudge.describe.description import caveats, document, facts, methods_section
from adjudge.describe.document import Card, Document, Section, Table
from adjudge.describe.tables import MOST_ROWS
from adjudge.describe.values import measured, percent
from adjudge.judgements.evaluation import MOST_CORNERS
from adjudge.judgements.partitioned import PartitionComparison
from adjudge.partitions.differences import PartitionDifference
from adjudge.partitions.space import PartitionSpace
from adjudge.partitions.sure import MeasureInterval
from adjudge.plots.labels import NOTHING, named, number
from adjudge.plots.partitions import partition_picture

_LONGEST = 40
_LEVEL = 0.95
_NAMES = {"accuracy": "Ac", "separation": "AS"}
METHOD = (
    "Each case lies in a simplex whose corners are the classes, by its memberships. Within each region of cases that are "
    "assigned alike, memberships are moved quantile by quantile of a Beta law, so that on average they are as high as the "
    "assignments are right (Sondhauss and Weihs 2001). Ac is 1 less the mean distance to the corner of the true class, over that "
    "of the centre: 1 where all cases lie in the right corner, 0 where all lie in the centre. AS is the same for the corner "
    "of the class assigned. Limits come from weighing cases anew and scaling anew (Rubin 1981), with half a case of doubt."
)

_REGIONS = "How memberships were scaled: Beta laws fitted to the highest membership, and those it was moved to."


def one(space: PartitionSpace) -> PartitionComparison:
    """Return one space as a comparison of one; :func:`adjudge.compare_partitions` works out intervals."""
    return PartitionComparison({"": space}, {"": {}}, {}, _LEVEL, space.findings)


@document.register
def _(result: PartitionSpace, *, whole: bool) -> Document:
    alone = one(result)
    rows = tuple((name, f"{getattr(result, name):.3f}") for name in ("accuracy", "separation", "correct"))
    page = tuple(_page(alone)) if whole else ()
    return Document(tuple(_sentences(alone)), (rules(alone), corners(alone)), result.findings, key=facts(rows), sections=page)


@document.register
def _(result: PartitionComparison, *, whole: bool) -> Document:
    first, second = rules(result), corners(result)
    tables = (first, *((second,) if second.rows else ()))
    page = tuple(_page(result)) if whole else ()
    return Document(tuple(_sentences(result)), tables, result.findings, key=first, sections=page)


def _sentences(result: PartitionComparison) -> Iterator[str]:
    if len(result.spaces) == 1:
        yield from _of_one(result)
        return
    if not result.known:
        yield "The true classes are not known: the rules can be drawn side by side, but not judged."
    for pair, found in result.differences.items():
        yield _of_pair(pair, found["accuracy"], "lies nearer to the corners of the true classes", "as near to the true corners")
    for pair, found in result.differences.items():
        yield _of_pair(pair, found["separation"], "separates the classes it assigns more", "equally well separated")


def _of_one(result: PartitionComparison) -> Iterator[str]:
    (found,), space = result.intervals.values(), result.first
    if not result.known:
        yield f"The true classes of {counted(result.cases, 'case')} are not known: only how far they are kept apart can be told."
        yield f"The ability to separate, AS, is {number(space.separation)}: 1 in the assigned corners, 0 in the centre."
        return
    verb = "is" if result.cases == 1 else "are"
    yield f"{share(space.correct)} of {counted(result.cases, 'case')} {verb} assigned to the true class."
    yield (
        f"Scaled to what the assignments are worth, accuracy Ac is {_with_limits(found, 'accuracy', space)}: 1 if every case "
        "lay in the corner of its true class, 0 if all lay in the centre."
    )
    separated = _with_limits(found, "separation", space)
    yield f"The ability to separate, AS, is {separated}: the same for the corners of the classes assigned."


def _of_pair(pair: tuple[str, str], found: PartitionDifference, more: str, alike: str) -> str:
    """Say who has more of a measure, with the numbers in the order of the names."""
    names, values, sign = [named([each], _LONGEST)[0] for each in pair], [found.a, found.b], 1
    limits = found.low, found.high
    if found.value < 0:
        names, values, sign, limits = names[::-1], values[::-1], -1, (-found.high, -found.low)
    who = f"{names[0]} and {names[1]} may be {alike}" if limits[0] <= 0 else f"{names[0]} {more} than {names[1]}"
    told = f"{_NAMES[found.measure]} {number(values[0])} against {number(values[1])}"
    between = f"{percent(found.level)}: {_signed(limits[0])} to {_signed(limits[1])}"
    return f"{who}: {told}, a difference of {_signed(sign * found.value)} ({between})."


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def rules(result: PartitionComparison) -> Table:
    """Return the measures of each rule."""
    header = ("Rule", "Correct", "Ac", "AS", "Confidence", "Ac unscaled", "AS unscaled")
    rows = tuple(
        (
            named([name], _LONGEST)[0],
            _or_nothing(space.correct, share),
            _with_limits(result.intervals[name], "accuracy", space),
            _with_limits(result.intervals[name], "separation", space),
            number(space.confidence),
            _or_nothing(space.unscaled.accuracy, number),
            number(space.unscaled.separation),
        )
        for name, space in result.spaces.items()
    )
    if len(rows) == 1:
        return Table("Measures", header[1:], tuple(row[1:] for row in rows), "rrrrrr")
    return Table("Rules", header, rows, "lrrrrrr")


def _with_limits(found: dict[str, MeasureInterval], measure: str, space: PartitionSpace) -> str:
    return measured(found[measure]) if found else _or_nothing(float(getattr(space, measure)), number)


def _or_nothing(value: float, written: Callable[[float], str]) -> str:
    return NOTHING if math.isnan(value) else written(value)


def corners(result: PartitionComparison) -> Table:
    """Return how many cases each rule assigns to each class, and how often rightly."""
    labels = named(list(result.first.classes), _LONGEST)
    several = len(result.spaces) > 1
    rows = []
    for name, space in result.spaces.items():
        for at, label in enumerate(labels):
            assigned = int((space.assigned == at).sum())
            right = _or_nothing(float(space.correctness[at]), share)
            rows.append((*((named([name], _LONGEST)[0],) if several else ()), label, f"{assigned:,}", right))
    header = (*(("Rule",) if several else ()), "Class", "Assigned", "Of these right")
    return Table("Corners", header, tuple(rows[:MOST_ROWS]), "l" * several + "lrr", tuple(rows[MOST_ROWS:]))


def regions(result: PartitionComparison) -> Table:
    """Return the regions of each rule, its largest first."""
    several = len(result.spaces) > 1
    rows: list[tuple[str, ...]] = [
        (
            *((named([name], _LONGEST)[0],) if several else ()),
            " > ".join(named(list(each.order), _LONGEST)),
            f"{each.n:,}",
            _or_nothing(each.correct, share),
            number(each.mean),
            _law(each.alpha, each.beta),
            _law(each.scaled_alpha, each.scaled_beta),
            safe(each.note),
        )
        for name, space in result.spaces.items()
        for each in sorted(space.regions, key=lambda each: -each.n)
    ]
    header: tuple[str, ...] = ("Order of classes", "Cases", "Right", "Mean", "Beta fitted", "Beta scaled to", "Note")
    header, align = (("Rule", *header), "llrrrrrl") if several else (header, "lrrrrrl")
    if not any(row[-1] for row in rows):
        header, align, rows = header[:-1], align[:-1], [row[:-1] for row in rows]
    return Table("Regions", header, tuple(rows[:MOST_ROWS]), align, tuple(rows[MOST_ROWS:]))


def _law(alpha: float, beta: float) -> str:
    return NOTHING if math.isnan(alpha) or math.isnan(beta) else f"{alpha:.2f}, {beta:.2f}"


def _page(result: PartitionComparison) -> Iterator[Section]:
    labels = ", ".join(named(list(result.first.classes), 30))
    lead = f"{counted(result.cases, 'case')} · {labels} · depth {result.first.depth}"
    yield Section("verdict", "verdict", "Partition space", lead, tuple(_sentences(result)), tuple(_cards(result)))
    yield from caveats(result.findings)
    yield simplex(result.spaces, **result.drawing)
    if len(result.spaces) > 1:
        yield Section("table", "rules", "Rule by rule", tables=(rules(result), corners(result)), theme="space")
    else:
        yield Section("table", "corners", "Corner by corner", tables=(corners(result),), theme="space")
    yield Section("table", "regions", "Region by region", _REGIONS, tables=(regions(result),), theme="space")
    yield methods_section(METHOD)


def simplex(spaces: Mapping[str, PartitionSpace], **how: Any) -> Section:
    """Return the picture of partition spaces of the same cases, side by side, drawn as `how` says."""
    first = next(iter(spaces.values()))
    lead = "Inside a mark the true class of a case, around it the class assigned"
    lead += "; memberships as they came." if how.get("space") == "original" else "; scaled to what the assignments are worth."
    if len(first.classes) > MOST_CORNERS and not how.get("classes"):
        lead += " The two classes most often taken for each other, against the rest."
    drawn = partition_picture(dict(spaces) if len(spaces) > 1 else first, **how)
    return Section("figure", "simplex", "Standardised partition space", lead, figure=drawn, wide=len(spaces) > 1, theme="space")


def _cards(result: PartitionComparison) -> Iterator[Card]:
    if len(result.spaces) == 1 and not any(result.intervals.values()):
        values = ((_NAMES[measure], _with_limits({}, measure, result.first)) for measure in _NAMES)
        yield from (Card(name, value, "scaled") for name, value in values)
    for name, found in result.intervals.items():
        whose = f", {named([name], 24)[0]}" if len(result.spaces) > 1 else ""
        for measure, each in found.items():
            note = f"{percent(each.level)}: {number(each.low)} to {number(each.high)}"
            yield Card(f"{_NAMES[measure]}{whose}", number(each.value), note)
