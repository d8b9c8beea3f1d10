"""The page of an evaluation, and of what is said of one: corrections, overfitting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from adjudge._base.text import counted, safe
from adjudge.counts.confusion import ConfusionCounts
from adjudge.describe.confusions import about_confusions, confusions
from adjudge.describe.document import Card, Section, with_columns
from adjudge.describe.group_sections import groups
from adjudge.describe.methods import methods
from adjudge.describe.origin_sections import data, origin
from adjudge.describe.ranking_sections import ranking
from adjudge.describe.recommendation_sections import corrections
from adjudge.describe.recommendations import advice, figures, pictures
from adjudge.describe.recommendations import method as correction_method
from adjudge.describe.recommendations import table as correction_table
from adjudge.describe.sections import base_name, sections
from adjudge.describe.tables import cells, classes, measures
from adjudge.describe.values import limits, measured, percent, scope, short_title, value
from adjudge.describe.verdicts import verdict
from adjudge.describe.weaknesses import card_note
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors
from adjudge.judgements.evaluation import MOST_CORNERS, Evaluation
from adjudge.judgements.overfitting import Overfitting, OverfittingAgainst
from adjudge.judgements.recommendation import Recommendations
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.densities import accuracy_posteriors_set
from adjudge.plots.geometry import cell_map
from adjudge.plots.labels import named
from adjudge.plots.partitions import partition_picture
from adjudge.plots.svg.matrix import NARROW_CLASSES


@sections.register
def _(result: Evaluation) -> tuple[Section, ...]:
    return tuple(_of_evaluation(result))


@sections.register
def _(result: Overfitting) -> tuple[Section, ...]:
    return (Section("verdict", "verdict", "Overfitting", "Error on training cases and on new cases", verdict(result)),)


@sections.register
def _(result: Recommendations) -> tuple[Section, ...]:
    lead = f"{counted(result.cases, 'case')} · {result.measure.replace('_', ' ')} · {counted(result.tried, 'correction')} tried"
    told = Section("findings", "findings", "Caveats", findings=result.findings)
    return (
        Section(
            "verdict",
            "verdict",
            "Can it be improved without retraining?",
            lead,
            verdict(result),
            tuple(Card(*each) for each in figures(result)),
        ),
        *((told,) if result.findings else ()),
        Section(
            "table",
            "corrections",
            "Every correction tried",
            tables=(correction_table(result),),
            pictures=pictures(result),
            theme="corrections",
        ),
        Section("methods", "methods", "Methods", sentences=(correction_method(result),), theme="methods"),
    )


@sections.register
def _(result: OverfittingAgainst) -> tuple[Section, ...]:
    return (Section("verdict", "verdict", "Overfitting against another model", sentences=verdict(result)),)


def _of_evaluation(result: Evaluation) -> Iterator[Section]:
    name = base_name(result.origin.name)
    told = (*verdict(result), *advice(result.recommendations or ()))
    yield Section("verdict", "verdict", name, _subtitle(result), told, tuple(_cards(result)))
    if result.findings:
        yield Section("findings", "findings", "Caveats", findings=result.findings)
    yield from _sure(result)
    yield from _wrong(result)
    yield from ranking(result)
    yield from corrections(result)
    yield from _partition(result)
    yield from groups(result)
    yield from origin(result)
    yield from data(result, name)
    yield Section("methods", "methods", "Methods", sentences=methods(result), theme="methods")


def _sure(result: Evaluation) -> Iterator[Section]:
    """Yield what to believe, drawn and in numbers, and every measure with its method and formula."""
    every = measures(result)
    if result.accuracy_posteriors is not None:
        yield _densities(result, result.accuracy_posteriors)
        brief = with_columns(every, [at for at, name in enumerate(every.header) if name not in _DETAILS])
        yield Section("table", "numbers", "In numbers", tables=(replace(brief, caption="In numbers"),), narrow=True, theme="sure")
    folded = result.accuracy_posteriors is not None
    title = "How each measure is defined and its interval made" if folded else "All measures"
    yield Section("table", "measures", title, tables=(every,), theme="sure", folded=folded)


_DETAILS = ("Method", "Formula", "Direction")


def _wrong(result: Evaluation) -> Iterator[Section]:
    """Yield the truth against the decisions, the largest confusions, and every class by itself."""
    if result.counts is not None:
        yield _confusion(result.counts)
    if result.counts is not None and result.counts.k > _TWO:
        largest, about = confusions(result.counts, result.level), about_confusions(result.counts)
        yield Section("table", "confusions", largest.caption, about, tables=(largest,), narrow=True, theme="wrong")
    if result.by_class:
        yield Section("table", "classes", "Class by class", _class_lead(result), tables=(classes(result),), theme="wrong")


def _partition(result: Evaluation) -> Iterator[Section]:
    """Yield the cases in one simplex, where that has few enough corners."""
    space, found = result.partition, result.partition_intervals
    if space is not None and found is not None:
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
    return Section("figure", "simplex", "Standardised partition space", lead, figure=drawn, wide=len(spaces) > 1, theme="space")


def _subtitle(result: Evaluation) -> str:
    cases = counted(result.origin.rows, "case")
    counts = result.undecided if result.counts is None else result.counts
    if counts is None:
        return f"{cases} · numeric predictions"
    few = 8
    shown = ", ".join(named(list(counts.classes or ())[:few], 30))
    more = f" and {counts.k - few:,} more" if counts.k > few else ""
    without = " · no decisions" if result.counts is None else ""
    return f"{cases} · {counted(counts.k, 'class', 'classes')}: {shown}{more}{without}"


_TWO = 2
_CARDS = (
    "accuracy",
    "balanced_accuracy",
    "auc",
    "brier",
    "log_loss",
    "mcc",
    "kappa",
    "f1",
    "average_precision",
    "mae",
    "mse",
    "rae",
    "rse",
)
_MOST_CARDS = 5


def _cards(result: Evaluation) -> Iterator[Card]:
    for name in [name for name in _CARDS if name in result.estimates][:_MOST_CARDS]:
        estimate = result.estimates[name]
        yield Card(short_title(estimate), value(estimate), _limits(estimate), card_note(result, estimate))


def _limits(estimate: Estimate) -> str:
    if estimate.reason is not None:
        return safe(estimate.reason)
    return scope(estimate) if estimate.interval is None else f"{percent(estimate.interval.level)}: {limits(estimate)}"


def _densities(result: Evaluation, posteriors: AccuracyPosteriors) -> Section:
    marks = [] if result.baseline is None else [(f"always {named([result.baseline[0]], 16)[0]}", result.baseline[1])]
    whose = posteriors.tested[0].upper() + posteriors.tested[1:]
    lead = (
        f"{whose}: posterior distributions under {posteriors.prior}. The shaded part is the {percent(posteriors.level)} interval."
    )
    lead += f" {posteriors.chance.statement}." if posteriors.chance.classes > 1 else ""
    return Section(
        "figure", "densities", "Posterior distributions", lead, figure=accuracy_posteriors_set(posteriors, marks), theme="sure"
    )


def _confusion(counts: ConfusionCounts) -> Section:
    found = cell_map(counts)
    lead = "Each row sums to 100% of the cases of that true class."
    if found.others:
        lead += f" Of {counts.k:,} classes, the {len(found.rows) - 1} with most errors; the last row and column hold all others."
        lead += " Numbers are percent; cells below 1% show their shade only."
    wide = len(found.rows) > NARROW_CLASSES
    return Section(
        "figure", "confusion", "Confusion matrix", lead, tables=(cells(found),), figure=found, wide=wide, theme="wrong"
    )


def _class_lead(result: Evaluation) -> str:
    level = percent(result.level)
    folded = " The commonest classes first." if len(classes(result).folded) else ""
    return f"One class against the rest, with {level} intervals in brackets.{folded}"
