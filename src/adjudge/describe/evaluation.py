"""The document of an evaluation and of a report: the verdict, every measure, and the chapters of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted, quoted, safe
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.description import caveats, document, methods_section
from adjudge.describe.document import Card, Document, Section, Table, base_name, with_columns
from adjudge.describe.methods import methods
from adjudge.describe.partition import simplex
from adjudge.describe.recommendation import advice, corrections
from adjudge.describe.tables import about_confusions, cells, class_sizes, classes, confusions, facts, measures, parts
from adjudge.describe.thresholds import ranking
from adjudge.describe.values import limits, measured, percent, probability, scope, short_title, sureness, value
from adjudge.describe.verdict import card_note, sentences
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.findings import FEW_CASES
from adjudge.judgements.groups import FoldsJudged, GroupsJudged
from adjudge.judgements.report import Report
from adjudge.plots.labels import count, named
from adjudge.plots.learners import part_forest
from adjudge.plots.maps import NARROW_CLASSES, cell_map
from adjudge.plots.posteriors import accuracy_posteriors_set

_TWO = 2
_LONGEST_NAME = 22  # of a class, where a terminal has room for it
_DETAILS = ("Method", "Formula", "Direction")
"""Columns that a page has room for."""
_CARDS = (
    "accuracy", "balanced_accuracy", "auc", "brier", "log_loss", "mcc", "kappa", "f1", "average_precision", "mae", "mse", "rae",
    "rse",
)  # fmt: skip
_MOST_CARDS = 5
_FEW_CLASSES = 8
_MOST_CROSSED = 12
"""Groups, and classes, up to which the cases of each in each are shown."""
_WHAT_IS_OWED = {
    "": "There is no sure sign that the groups helped or hid anything.",
    "part": "Part of the plain one is owed to the groups: the class can be guessed from the group.",
    "all": "All of the plain one that is above chance may be owed to the groups: the class can be guessed from the group.",
    "hidden": "The plain one hides how well it does in most groups.",
}
_ALIKE = "Balanced accuracy: within each group, over all cases, and with every class counting alike and every group within it."
ONE_TEST_SET = (
    "One test set: the intervals speak of the finite number of test cases only. They do not cover cases of another population, "
    "labels made otherwise, or a model trained anew on other cases."
)


@document.register
def _(result: Evaluation, *, whole: bool) -> Document:
    told, every, roles = sentences(result), measures(result), result.origin.roles
    tables = (every, *((classes(result, _LONGEST_NAME),) if result.by_class else ()))
    evidence = tuple(str(roles).splitlines()) if roles is not None and roles.evidence else ()
    key = with_columns(every, [i for i, name in enumerate(every.header) if not name.startswith(_DETAILS)])
    page = tuple(_page(result, told, every)) if whole else ()
    return Document(told, tables, result.findings, evidence, key=key, sections=page)


@document.register
def _(result: Report, *, whole: bool) -> Document:
    """Return the document of the only evaluation or learner, or of the comparison with the evaluations behind it."""
    if result.comparison is None:
        return document(result.evaluation if result.learner is None else result.learner, whole=whole)
    found = document(result.comparison, whole=whole)
    names, lines = named(result.names), []
    for name, each in zip(names, result.evaluations, strict=True):
        first = sentences(each)[0]
        lines.append(f"{name}: {first if first[1].isupper() else first[0].lower() + first[1:]}")
    page = list(found.sections)
    for at, each in enumerate(result.evaluations if whole else (), 1):  # all but the first are folded; anchors bear its number
        head, *others = document(each, whole=True).sections
        inner = tuple(replace(part, name=f"{part.name}-{at}") for part in others)
        page.append(replace(head, kind="part", name=f"part-{at}", title=names[at - 1], inner=inner, folded=at > 1))
    return replace(found, closing=tuple(lines), sections=tuple(page))


def _page(result: Evaluation, told: tuple[str, ...], every: Table) -> Iterator[Section]:
    name = base_name(result.origin.name)
    cards = (result.estimates[name] for name in [name for name in _CARDS if name in result.estimates][:_MOST_CARDS])
    large = tuple(Card(short_title(each), value(each), _limits(each), card_note(result, each)) for each in cards)
    yield Section("verdict", "verdict", name, _subtitle(result), (*told, *advice(result.recommendations or ())), large)
    yield from caveats(result.findings)
    yield from _sure(result, every)
    yield from _wrong(result)
    yield from ranking(result)
    yield from corrections(result)
    space, sure = result.partition, result.partition_intervals
    if space is not None and sure is not None:
        drawn = simplex({"": space})
        told_sure = f"Accuracy Ac {measured(sure['accuracy'])}, ability to separate AS {measured(sure['separation'])}."
        yield replace(drawn, lead=f"{drawn.lead} {told_sure}")
    if result.counts is not None and result.groups is not None:
        yield from groups(result, result.counts, result.groups)
    yield from origin(result)
    yield Section("facts", "data", "The data", tables=(facts(result, name),), theme="data")
    if result.counts is not None or result.undecided is not None:
        sizes = class_sizes(result)
        yield Section("table", "class-sizes", sizes.caption, tables=(sizes,), theme="data", folded=True)
    yield methods_section(*methods(result))


def _limits(estimate: Estimate) -> str:
    if estimate.reason is not None:
        return safe(estimate.reason)
    return scope(estimate) if estimate.interval is None else f"{percent(estimate.interval.level)}: {limits(estimate)}"


def _subtitle(result: Evaluation) -> str:
    cases = counted(result.origin.rows, "case")
    counts = result.undecided if result.counts is None else result.counts
    if counts is None:
        return f"{cases} · numeric predictions"
    shown = ", ".join(named(list(counts.classes or ())[:_FEW_CLASSES], 30))
    more = f" and {counts.k - _FEW_CLASSES:,} more" if counts.k > _FEW_CLASSES else ""
    without = " · no decisions" if result.counts is None else ""
    return f"{cases} · {counted(counts.k, 'class', 'classes')}: {shown}{more}{without}"


def _sure(result: Evaluation, every: Table) -> Iterator[Section]:
    """Yield the posteriors, drawn and in numbers, and every measure with its method and formula."""
    known = result.accuracy_posteriors
    if known is not None:
        yield _densities(result, known)
        brief = with_columns(every, [at for at, name in enumerate(every.header) if name not in _DETAILS])
        yield Section("table", "numbers", "In numbers", tables=(replace(brief, caption="In numbers"),), narrow=True, theme="sure")
    title = "All measures" if known is None else "How each measure is defined and its interval made"
    yield Section("table", "measures", title, tables=(every,), theme="sure", folded=known is not None)


def _densities(result: Evaluation, found: AccuracyPosteriors) -> Section:
    marks = [] if result.baseline is None else [(f"always {named([result.baseline[0]], 16)[0]}", result.baseline[1])]
    whose = found.tested[0].upper() + found.tested[1:]
    lead = f"{whose}: posterior distributions under {found.prior}. The shaded part is the {percent(found.level)} interval."
    lead += f" {found.chance.statement}." if found.chance.classes > 1 else ""
    drawn = accuracy_posteriors_set(found, marks)
    return Section("figure", "densities", "Posterior distributions", lead, figure=drawn, theme="sure")


def _wrong(result: Evaluation) -> Iterator[Section]:
    """Yield the truth against the decisions, the largest confusions, and every class by itself."""
    counts, weak = result.counts, result.weaknesses
    if counts is not None:
        drawn = cell_map(counts)
        lead = "Each row sums to 100% of the cases of that true class."
        if drawn.others:
            lead += (
                f" Of {counts.k:,} classes, the {len(drawn.rows) - 1} with most errors; the last row and column hold all others."
            )
            lead += " Numbers are percent; cells below 1% show their shade only."
        wide, told = len(drawn.rows) > NARROW_CLASSES, (cells(drawn),)
        yield Section("figure", "confusion", "Confusion matrix", lead, tables=told, figure=drawn, wide=wide, theme="wrong")
    if counts is not None and weak is not None and counts.k > _TWO:
        largest, about = confusions(weak, counts, result.level), about_confusions(weak, counts)
        yield Section("table", "confusions", largest.caption, about, tables=(largest,), narrow=True, theme="wrong")
    if result.by_class:
        every = classes(result)
        lead = f"One class against the rest, with {percent(result.level)} intervals in brackets."
        lead += " The commonest classes first." if every.folded else ""
        yield Section("table", "classes", "Class by class", lead, tables=(every,), theme="wrong")


# -- groups ----------------------------------------------------------------------------------------------------


def groups(result: Evaluation, counts: ConfusionCounts, found: GroupsJudged) -> Iterator[Section]:
    """Yield how each group fares, whether they differ, and what is left when groups count alike."""
    table = parts(found, result.by_group, "group", result.level)
    apart = [("All cases", result.estimates["accuracy"], "diamond")]
    drawn = part_forest(found.accuracy, apart, what="group", level=result.level)
    yield Section(
        "figure",
        "groups",
        "Is every group served?",
        _range(result.by_group, "group"),
        tables=(table,),
        figure=drawn,
        theme="groups",
        reading=tuple(_differences(result, found)),
    )
    over, plain = result.over_groups, result.estimates["balanced_accuracy"]
    if over is not None:
        apart = [("Classes counting alike", plain, "diamond"), ("Groups counting alike as well", over, "diamond")]
        both = f"{value(plain)} ({sureness(plain)}) becomes {value(over)} ({sureness(over)})"
        yield Section(
            "figure",
            "groups-balanced",
            "Is it right because of the groups?",
            _ALIKE,
            tables=(replace(with_columns(table, (0, 1, 4)), caption="Balanced accuracy by group"),),
            figure=part_forest(found.balanced, apart, what="group", level=result.level),
            theme="groups",
            reading=(f"Where groups count alike too, {both}.", _WHAT_IS_OWED[found.owed]),
        )
    if counts.k <= _MOST_CROSSED and 1 < len(result.by_group) <= _MOST_CROSSED:
        names, labels = named(list(result.by_group), 40), named(list(counts.classes), 24)
        support = np.stack([table.support for table in result.by_group.values()])
        rows = tuple((name, *(count(v) for v in row.tolist())) for name, row in zip(names, support, strict=True))
        lead = "A class that is rare in one group and common in another lets the group give the class away."
        crossed = Table("Cases by group and true class", ("Group", *labels), rows, "l" + "r" * len(labels))
        title = "Which classes are in which group"
        yield Section("table", "groups-classes", title, lead, tables=(crossed,), theme="groups", narrow=True)


def _range(tables: Mapping[Any, ConfusionCounts], what: str) -> str:
    each = [float(table.correct.sum() / table.n) for table in tables.values() if table.n]
    weighed = " (weighted)" if any(isinstance(table, WeightedCounts) for table in tables.values()) else ""
    span = f"Accuracy from {share(min(each))} to {share(max(each))} over {counted(len(tables), what)}{weighed}"
    return f"{span}; the band is the interval of all cases together."


def _differences(result: Evaluation, found: GroupsJudged) -> Iterator[str]:
    """Yield whether groups differ by more than chance and their classes, and what single intervals are worth."""
    tested = found.compared
    if tested is not None:
        p = f"p {probability(tested.p_value, digits=3)}"
        if tested.p_value <= 1 - result.level:
            ends = f"least often correct in {quoted(tested.lowest)}, most often in {quoted(tested.highest)}"
            yield f"The groups differ by more than chance ({p}), even with the classes taken into account: {ends}."
        else:
            yield f"Differences between the groups may be chance ({p}), the classes taken into account."
    elif len(result.by_group) > 1:
        yield "Whether the groups differ was not tested: cases have weights, or are too few in each group, or share no class."
    if len(result.by_group) > 1:
        yield "Intervals of small groups are wide: one that reaches into the band does not differ surely."


# -- folds -----------------------------------------------------------------------------------------------------


def origin(result: Evaluation) -> Iterator[Section]:
    """Yield the folds, where there are some; else what one test set does not tell."""
    found = result.folds
    if found is None:
        if result.counts is not None or result.undecided is not None:
            yield Section("table", "folds", "Validation design", ONE_TEST_SET, theme="origin")
        return
    tables = {label: counts for label, counts in result.by_fold.items() if counts.n}
    apart = [
        ("This test set, pooled", result.estimates["accuracy"], "diamond"),
        ("This algorithm, trained anew", found.algorithm, "diamond"),
        (f"Mean of {counted(len(tables), 'fold')} ± 2 SE", found.conventional, "cross"),
    ]
    yield Section(
        "figure",
        "folds",
        "Fold by fold",
        _range(tables, "fold"),
        tables=(parts(found, tables, "fold", result.level),),
        figure=part_forest(found.accuracy, apart, what="fold", level=result.level),
        theme="origin",
        reading=tuple(_folds_read(result, tables, found)),
    )


def _folds_read(result: Evaluation, tables: Mapping[Any, ConfusionCounts], found: FoldsJudged) -> Iterator[str]:
    pooled, anew = result.estimates["accuracy"], found.algorithm
    yield f"This test set: {value(pooled)} ({sureness(pooled)}), all answers pooled: these models on cases like these."
    if anew is not None:
        about = "if each fold was answered by a model trained on all others; corrected for the training cases they share"
        yield f"This algorithm, trained anew: {value(anew)} ({sureness(anew)}), {about}."
    smallest = min(round(counts.n) for counts in tables.values())
    if smallest <= FEW_CASES:
        yield f"Folds are small (the smallest has {counted(smallest, 'case')}): read the pooled number, not single folds."
    yield "The bar of two standard errors is what is commonly reported; it takes no notice of training cases that folds share."
