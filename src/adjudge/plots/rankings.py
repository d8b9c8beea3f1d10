"""A ranking as a forest: candidates from best to worst, lines beside those without a verdict, and the winner's luck."""

from __future__ import annotations

import math
from collections.abc import Callable

from adjudge.judgements.ranking import Ranked, Ranking
from adjudge.metrics.catalogue import find
from adjudge.plots.forest import LONGEST, Forest, Row, forest
from adjudge.plots.labels import named, probability, rounded, told_apart
from adjudge.plots.learners import measure_name, writer
from adjudge.plots.quantities import is_share

_FIRST, _OTHERS = 0, 4  # colours


def ranking_forest(result: Ranking) -> Forest:
    """Return the picture of a ranking; those that cannot be told from the best have its colour."""
    measure = find(result.measure)
    numbers = {row.name: i for i, row in enumerate(result.rows)}
    runs = [(numbers[group[0]], numbers[group[-1]]) for group in result.groups if len(group) > 1]
    shown = told_apart([row.name for row in result.rows], LONGEST)
    return forest(
        [*(_candidate(row, name) for row, name in zip(result.rows, shown, strict=True)), _winner(result)],
        axis=f"{_spoken(result)} ({100 * result.level:.6g}% limits for all together)",
        low=measure.low,
        high=measure.high,
        percent=is_share(result.measure),
        title=f"{len(result.rows)} candidates, {result.cases:,} cases",
        heads=("best first", "P(best)"),
        joined=runs,
        note="lines join indistinguishable candidates" if runs else "of every two one is called better",
    )


def _spoken(result: Ranking) -> str:
    name = measure_name(result.measure)
    return name if result.of is None else f"{name} of {named([result.of], 12)[0]}"


def _candidate(row: Ranked, name: str) -> Row:
    low, high = (math.nan, math.nan) if row.interval is None else (row.interval.low, row.interval.high)
    colour = _FIRST if 1 in row.groups else _OTHERS
    return Row(name, row.value, low, high, probability(row.p_best), colour=colour)


def _writer(name: str, width: float) -> Callable[[float], str]:
    if not is_share(name) and math.isinf(find(name).high):
        return lambda value: rounded(value, width)
    return writer(name, width)


def _winner(result: Ranking) -> Row:
    """Return what the winner is worth where it was not chosen: an open mark, beside what it seemed to be."""
    best, limits = result.best, result.best.interval
    words = _writer(result.measure, limits.high - limits.low if limits else 0.0)
    seen, kept = words(best.value), words(result.optimism.corrected)
    told = kept if kept == seen else f"{kept}, not {seen}"
    name = "Winner, on held-out cases"
    return Row(name, result.optimism.corrected, words=told, shape="ring", colour=_FIRST, headed=True)
