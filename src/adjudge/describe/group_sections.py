"""Groups and confounds: how each group fares, whether they differ, and what is left when groups count alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted, quoted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.document import Section, Table, with_columns
from adjudge.describe.tables import of_part, parts
from adjudge.describe.values import probability, sureness, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.groups import GroupsCompared, compare_groups, owed_to_groups
from adjudge.plots.labels import count, named
from adjudge.plots.parts import part_forest

_MOST_SHOWN = 12
"""Groups, and classes, up to which the cases of each in each are shown."""
_MOST_DOTS = 2000
_THEME = "groups"
_WHAT_IS_OWED = {
    "": "There is no sure sign that the groups helped or hid anything.",
    "part": "Part of the plain one is owed to the groups: the class can be guessed from the group.",
    "all": "All of the plain one that is above chance may be owed to the groups: the class can be guessed from the group.",
    "hidden": "The plain one hides how well it does in most groups.",
}


def groups(result: Evaluation) -> Iterator[Section]:
    """Yield the chapter on groups, where groups are known."""
    counts, found = result.counts, result.by_group
    if counts is None or not found:
        return
    estimates = {label: of_part(table, result.level) for label, table in list(found.items())[:_MOST_DOTS]}
    accuracy = {label: each[0] for label, each in estimates.items()}
    drawn = part_forest(accuracy, [("All cases", result.estimates["accuracy"], "diamond")], what="group", level=result.level)
    yield Section(
        "figure",
        "groups",
        "Is every group served?",
        _range(found),
        tables=(parts(found, "group", result.level),),
        figure=drawn,
        theme=_THEME,
        reading=tuple(_differences(result)),
    )
    if result.over_groups is not None:
        yield _alike(result, {label: each[1] for label, each in estimates.items()}, result.over_groups)
    if counts.k <= _MOST_SHOWN and 1 < len(found) <= _MOST_SHOWN:
        yield _crossed(found, counts)


def _range(found: dict[object, ConfusionCounts]) -> str:
    each = [float(table.correct.sum() / table.n) for table in found.values() if table.n]
    weighed = " (weighted)" if any(isinstance(table, WeightedCounts) for table in found.values()) else ""
    span = f"Accuracy from {share(min(each))} to {share(max(each))} over {counted(len(found), 'group')}{weighed}"
    return f"{span}; the band is the interval of all cases together."


def _differences(result: Evaluation) -> Iterator[str]:
    """Yield whether groups differ by more than chance and their classes, and what single intervals are worth."""
    found = compare_groups(result.by_group)
    if found is not None:
        yield _tested(found, result)
    elif len(result.by_group) > 1:
        yield "Whether the groups differ was not tested: cases have weights, or are too few in each group, or share no class."
    if len(result.by_group) > 1:
        yield "Intervals of small groups are wide: one that reaches into the band does not differ surely."


def _tested(found: GroupsCompared, result: Evaluation) -> str:
    law = f"p {probability(found.p_value, digits=3)}"
    if found.p_value <= 1 - result.level:
        ends = f"least often correct in {quoted(found.lowest)}, most often in {quoted(found.highest)}"
        return f"The groups differ by more than chance ({law}), even with the classes taken into account: {ends}."
    return f"Differences between the groups may be chance ({law}), the classes taken into account."


def _alike(result: Evaluation, balanced: dict[object, Estimate], over: Estimate) -> Section:
    plain = result.estimates["balanced_accuracy"]
    apart = [("Classes counting alike", plain, "diamond"), ("Groups counting alike as well", over, "diamond")]
    drawn = part_forest(balanced, apart, what="group", level=result.level)
    lead = "Balanced accuracy: within each group, over all cases, and with every class counting alike and every group within it."
    told = with_columns(parts(result.by_group, "group", result.level), (0, 1, 4))
    return Section(
        "figure",
        "groups-balanced",
        "Is it right because of the groups?",
        lead,
        tables=(replace(told, caption="Balanced accuracy by group"),),
        figure=drawn,
        theme=_THEME,
        reading=_owed(result, plain, over),
    )


def _owed(result: Evaluation, plain: Estimate, over: Estimate) -> tuple[str, ...]:
    """Say what is left of the balanced accuracy when groups cannot help."""
    both = f"{value(plain)} ({sureness(plain)}) becomes {value(over)} ({sureness(over)})"
    told = f"Where groups count alike too, {both}."
    return (told, _WHAT_IS_OWED[owed_to_groups(plain.value, over, result.by_group)])


def _crossed(found: dict[object, ConfusionCounts], counts: ConfusionCounts) -> Section:
    names, classes = named(list(found), 40), named(list(counts.classes), 24)
    support = np.stack([table.support for table in found.values()])
    rows = tuple((name, *(count(v) for v in row.tolist())) for name, row in zip(names, support, strict=True))
    lead = "A class that is rare in one group and common in another lets the group give the class away."
    table = Table("Cases by group and true class", ("Group", *classes), rows, "l" + "r" * len(classes))
    return Section(
        "table", "groups-classes", "Which classes are in which group", lead, tables=(table,), theme=_THEME, narrow=True
    )
