"""A result as sections: what the page says and in which order, with nothing of how it looks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, TypeAlias

from adjudge._base.findings import Finding
from adjudge._base.text import counted, safe
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.curves import Curve
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.belief import Belief
from adjudge.judgements.evaluation import MOST_CORNERS, Evaluation
from adjudge.judgements.mending import Recommendations
from adjudge.judgements.overfitting import Overfitting, OverfittingAgainst
from adjudge.judgements.partitioned import judge_partitions
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.corrections import LinePicture, rejection_picture
from adjudge.plots.densities import DensitySet, belief_set
from adjudge.plots.differences import DifferencePicture
from adjudge.plots.forest import Forest
from adjudge.plots.geometry import CellMap, CurveSet, cell_map, curve_set
from adjudge.plots.labels import named, share
from adjudge.plots.outcomes import OutcomeBars
from adjudge.plots.partitions import PartitionPicture, partition_picture
from adjudge.plots.rounds import RoundsPicture
from adjudge.plots.svg.matrix import NARROW_CLASSES
from adjudge.plots.trade_off import Spread
from adjudge.reports.mendings import REJECTING, figures, pictures, together
from adjudge.reports.mendings import method as mending_method
from adjudge.reports.mendings import table as mending_table
from adjudge.reports.methods import methods
from adjudge.reports.tables import Table, cells, classes, facts, measures, parts
from adjudge.reports.values import limits, measured, percent, scope, short_title, value
from adjudge.reports.verdicts import verdict

Figure: TypeAlias = (
    CellMap | CurveSet | DensitySet | DifferencePicture | Forest | OutcomeBars | PartitionPicture | RoundsPicture | Spread
)


@dataclass(frozen=True, slots=True)
class Card:
    """One number set large, with a line below."""

    title: str
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page."""

    kind: str
    """verdict, findings, figure, table, facts, methods, or part: a result of its own among several."""
    name: str
    """Short and unlike every other section's: anchors and pictures are named by it."""
    title: str
    lead: str = ""
    sentences: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    figure: Figure | None = None
    wide: bool = False
    """Whether a figure needs the whole width."""
    pictures: tuple[tuple[str, CurveSet | Forest | LinePicture], ...] = ()
    """Small figures below the tables, each with what to see in it."""
    inner: tuple[Section, ...] = ()
    """The sections of a part."""
    folded: bool = False
    """Whether a part is shown only when asked for."""


@singledispatch
def sections(result: Any) -> tuple[Section, ...]:
    """Return the sections of a result; one that has only words is its verdict."""
    return (Section("verdict", "verdict", "Verdict", sentences=verdict(result)),)


@sections.register
def _(result: Evaluation) -> tuple[Section, ...]:
    return tuple(_of_evaluation(result))


@sections.register
def _(result: Overfitting) -> tuple[Section, ...]:
    return (Section("verdict", "verdict", "Overfitting", "Error on training cases and on new cases", verdict(result)),)


@sections.register
def _(result: Recommendations) -> tuple[Section, ...]:
    lead = f"{counted(result.cases, 'case')} · {result.measure.replace('_', ' ')} · {counted(result.tried, 'correction')} tried"
    told = Section("findings", "findings", "Before you believe it", findings=result.findings)
    return (
        Section("verdict", "verdict", "Can it be mended?", lead, verdict(result), tuple(Card(*each) for each in figures(result))),
        *((told,) if result.findings else ()),
        Section("table", "mending", "Every correction tried", tables=(mending_table(result),), pictures=pictures(result)),
        Section("methods", "methods", "How the numbers were made", sentences=(mending_method(result),)),
    )


@sections.register
def _(result: OverfittingAgainst) -> tuple[Section, ...]:
    return (Section("verdict", "verdict", "Overfitting against another model", sentences=verdict(result)),)


def base_name(name: str) -> str:
    r"""Return the last part of a path of any system: readers of a page need no folder or host of ours.

    >>> base_name("/srv/me/a.csv"), base_name("\\\\host\\share\\b.csv")
    ('a.csv', 'b.csv')
    """
    parts = [part for part in re.split(r"[/\\]", str(name)) if part.strip(". ")]
    return named([parts[-1]])[0] if parts else "predictions"


def _of_evaluation(result: Evaluation) -> Iterator[Section]:
    name = base_name(result.origin.name)
    yield Section("verdict", "verdict", name, _subtitle(result), verdict(result), tuple(_cards(result)))
    if result.findings:
        yield Section("findings", "findings", "Before you believe it", findings=result.findings)
    if result.belief is not None:
        yield _densities(result, result.belief)
    if result.counts is not None:
        yield _confusion(result.counts)
    yield from _curves(result)
    yield from _mending(result)
    yield from _partition(result)
    if result.by_class:
        yield Section("table", "classes", "Class by class", _class_lead(result), tables=(classes(result),))
    yield Section("table", "measures", "All measures", tables=(measures(result),))
    for found, what in ((result.by_fold, "fold"), (result.by_group, "group")):
        if found:
            yield Section("table", f"{what}s", f"By {what}", _range(found, what), tables=(parts(found, what, result.level),))
    yield Section("facts", "data", "The data", tables=(facts(result, name),))
    yield Section("methods", "methods", "How the numbers were made", sentences=methods(result))


def _mending(result: Evaluation) -> Iterator[Section]:
    """Yield what corrections would gain, in accuracy and, of unequal classes, in balanced accuracy; or why none was tried."""
    if result.mendable is not None and result.mendable.refused:
        yield Section("table", "mending", "Can it be mended?", result.mendable.about_groups)
    for found in result.mending:
        assert result.mendable is not None
        drawn = f" drawn from {result.mendable.of:,}" if result.mendable.of > found.cases else ""
        tried = f"Corrections of the probabilities, without retraining, tried on {counted(found.cases, 'case')}{drawn}."
        alike = found.measure == "balanced_accuracy"
        title = "Can it be mended, all classes counting alike?" if alike else "Can it be mended?"
        about = together(found.groups).strip() or result.mendable.about_groups
        lead = " ".join((*verdict(found), tried, about)).strip()
        drawings = pictures(found) if alike else (*pictures(found), (REJECTING, rejection_picture(result.mendable.rejecting())))
        name = "mending-balanced" if alike else "mending"
        yield Section("table", name, title, lead, tables=(mending_table(found),), pictures=drawings)


def _partition(result: Evaluation) -> Iterator[Section]:
    """Yield the cases in one simplex, where that has few enough corners."""
    space = result.partition
    if space is not None:
        found = judge_partitions({"": space}, level=result.level, resamples=_FEW_RESAMPLES).intervals[""]
        drawn = simplex({"": space})
        told = f"Accuracy Ac {measured(found['accuracy'])}, ability to separate AS {measured(found['separation'])}."
        yield replace(drawn, lead=f"{drawn.lead} {told}")


def simplex(spaces: Mapping[str, PartitionSpace], **how: Any) -> Section:
    """Return the picture of partition spaces of the same cases, side by side, drawn as `how` says."""
    first = next(iter(spaces.values()))
    lead = "Inside a mark the true class of a case, around it the class assigned"
    lead += "; memberships as they came." if how.get("space") == "original" else "; scaled to what the assignments are worth."
    if len(first.classes) > MOST_CORNERS and not how.get("classes"):
        lead += " The two classes most often taken for each other, against the rest."
    drawn = partition_picture(dict(spaces) if len(spaces) > 1 else first, **how)
    return Section("figure", "simplex", "Every case in one simplex", lead, figure=drawn, wide=len(spaces) > 1)


def _subtitle(result: Evaluation) -> str:
    cases = counted(result.origin.rows, "case")
    if result.counts is None:
        return f"{cases} · numeric predictions"
    few = 8
    shown = ", ".join(named(list(result.counts.classes or ())[:few], 30))
    more = f" and {result.counts.k - few:,} more" if result.counts.k > few else ""
    return f"{cases} · {counted(result.counts.k, 'class', 'classes')}: {shown}{more}"


_FEW_RESAMPLES = 200  # enough for limits of two digits, and a page is not to wait


_CARDS = ("accuracy", "balanced_accuracy", "auc", "brier", "log_loss", "mcc", "kappa", "f1", "mae", "mse", "rae", "rse")
_MOST_CARDS = 5


def _cards(result: Evaluation) -> Iterator[Card]:
    for name in [name for name in _CARDS if name in result.estimates][:_MOST_CARDS]:
        estimate = result.estimates[name]
        yield Card(short_title(estimate), value(estimate), _card_note(result, estimate))


def _card_note(result: Evaluation, estimate: Estimate) -> str:
    if estimate.reason is not None:
        return safe(estimate.reason)
    if estimate.interval is not None:
        return f"{percent(estimate.interval.level)}: {limits(estimate)}"
    about = scope(estimate)
    if estimate.measure == "balanced_accuracy":
        about = f"chance: {share(1 / max(1, int((result.counts.support > 0).sum())))}" if result.counts is not None else ""
    return about or {"brier": "0 is perfect", "log_loss": "0 is perfect"}.get(estimate.measure, "")


def _densities(result: Evaluation, belief: Belief) -> Section:
    marks = [] if result.baseline is None else [(f"always {named([result.baseline[0]], 16)[0]}", result.baseline[1])]
    whose = belief.tested[0].upper() + belief.tested[1:]
    lead = f"{whose}: what to believe under {belief.prior}. The shaded part holds {percent(belief.level)}."
    return Section("figure", "densities", "How good is it, and how sure are we?", lead, figure=belief_set(belief, marks))


def _confusion(counts: ConfusionCounts) -> Section:
    found = cell_map(counts)
    lead = "Each row sums to 100% of the cases truly of that class."
    if found.others:
        lead += f" Of {counts.k:,} classes, the {len(found.rows) - 1} with most errors; the last row and column hold all others."
    wide = len(found.rows) > NARROW_CLASSES
    return Section("figure", "confusion", "Where it goes wrong", lead, tables=(cells(found),), figure=found, wide=wide)


_FIGURES = {
    "roc": ("Trading misses against false alarms", "ROC curve of each class against the rest."),
    "precision-recall": ("Trading misses against precision", "Precision-recall curve of each class against the rest."),
    "reliability": (
        "Do the probabilities mean what they say?",
        "Highest probability of each case against how often it was right; dots by number of cases.",
    ),
}


def _curves(result: Evaluation) -> Iterator[Section]:
    for kind, (title, lead) in _FIGURES.items():
        found = [curve for curve in result.curves.get(kind, {}).values() if curve.x.size]
        if found:
            yield Section("figure", kind, title, _curve_lead(found, lead), figure=curve_set(found))


def _curve_lead(found: Sequence[Curve], lead: str) -> str:
    if len(found) == 1 and found[0].of is not None:
        lead = lead.replace("each class", f"class {named([found[0].of], 40)[0]}")
    shown = len(curve_set(found).named)
    return f"{lead} In colour the {shown} with the smallest area of {len(found)}." if shown < len(found) else lead


def _class_lead(result: Evaluation) -> str:
    level = percent(result.level)
    folded = " The commonest classes first." if len(classes(result).folded) else ""
    return f"One class against the rest, with {level} intervals in brackets.{folded}"


def _range(found: dict[Any, ConfusionCounts], what: str) -> str:
    each = [float(counts.correct.sum() / counts.n) for counts in found.values() if counts.n]
    weighed = " (weighted)" if any(isinstance(counts, WeightedCounts) for counts in found.values()) else ""
    if not each:
        return ""
    return f"Accuracy from {share(min(each))} to {share(max(each))} over {counted(len(found), what)}{weighed}."
