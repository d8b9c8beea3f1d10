"""Rankings as forests: candidates from best to worst, and two learners over several data sets."""

from __future__ import annotations

import math

from adjudge._base.text import counted
from adjudge.judgements.over_sets import OverSets
from adjudge.judgements.ranking import Ranking
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import signed
from adjudge.plots.forest import Forest, Row, forest
from adjudge.plots.labels import named, probability, rounded
from adjudge.plots.learners import measure_name
from adjudge.plots.limits import written
from adjudge.plots.quantities import is_share
from adjudge.plots.textbook_tests import difference_row

_FIRST, _OTHERS = 0, 4  # colours


def ranking_forest(result: Ranking) -> Forest:
    """Return the picture of a ranking; those that cannot be told from the best have its colour."""
    measure = find(result.measure)
    numbers = {row.name: i for i, row in enumerate(result.rows)}
    runs = [(numbers[group[0]], numbers[group[-1]]) for group in result.groups if len(group) > 1]
    rows = []
    for row in result.rows:
        low, high = (math.nan, math.nan) if row.interval is None else (row.interval.low, row.interval.high)
        colour = _FIRST if 1 in row.groups else _OTHERS
        rows.append(Row(row.name, row.value, low, high, probability(row.p_best), colour=colour))
    of = "" if result.of is None else f" of {named([result.of], 12)[0]}"
    return forest(
        [*rows, _winner(result)],
        axis=f"{measure_name(result.measure)}{of} ({100 * result.level:.6g}% limits for all together)",
        low=measure.low,
        high=measure.high,
        percent=is_share(result.measure),
        title=f"{len(result.rows)} candidates, {result.cases:,} cases",
        heads=("best first", "P(best)"),
        joined=runs,
        note="lines join indistinguishable candidates" if runs else "of every two one is called better",
    )


def _winner(result: Ranking) -> Row:
    """Return what the winner is worth where it was not chosen: an open mark, beside what it seemed to be."""
    best, limits = result.best, result.best.interval
    words = written(result.measure, limits.high - limits.low if limits else 0.0)
    seen, kept = words(best.value), words(result.optimism.corrected)
    told = kept if kept == seen else f"{kept}, not {seen}"
    name = "Winner, on held-out cases"
    return Row(name, result.optimism.corrected, words=told, shape="ring", colour=_FIRST, headed=True)


MOST_SETS = 40
"""Data sets with a row each; of more, those with the largest differences."""
_MEAN = 2  # colour


def sets_forest(found: OverSets) -> Forest:
    """Return the difference on each data set and, where folds were given, over all of them."""
    names = named(found.names)
    largest = sorted(range(found.n_sets), key=lambda i: -abs(found.means[i]))[:MOST_SETS]
    rows = [_set(found, i, names[i]) for i in sorted(largest)]
    together = found.hierarchical
    if together is not None:
        rows.append(difference_row("Mean over data sets", together.mu.value, together.mu.interval, colour=_MEAN))
    three, where = (found.signed_rank, "typical") if together is None else (together, "next")
    told = (f"{name} {probability(p)}" for name, p in (("worse", three.worse), ("same", three.same), ("better", three.better)))
    said = [f"shaded: within ±{found.margin:g}"] if found.margin else []
    said += ["faint: as seen on its own"] if together is not None else []
    more = found.n_sets - MOST_SETS
    said += [f"{counted(more, 'smaller difference')} not drawn"] if more > 0 else []
    return forest(
        rows,
        axis="Difference, a minus b" + ("" if together is None else f" ({100 * found.level:.6g}% intervals)"),
        marks=[("no difference", 0.0)],
        band=(-found.margin, found.margin) if found.margin else None,
        title=f"On the {where} data set a is {', '.join(told)}",
        heads=("data set", "a - b"),
        note="; ".join(said),
    )


def _set(found: OverSets, i: int, name: str) -> Row:
    mean = float(found.means[i])
    if found.hierarchical is None:
        return Row(name, mean, words=signed(rounded(mean, 0.0), mean))
    known = found.hierarchical.shrunken[found.names[i]]
    assert known.interval is not None
    low, high = known.interval.low, known.interval.high
    return Row(name, known.value, low, high, signed(rounded(known.value, high - low), known.value), dots=(mean,))
