"""Subjects as draws of a population: each drawn towards the others, above the population mean and the next subject."""

from __future__ import annotations

import math

from adjudge.judgements.population import Population
from adjudge.plots.forest import Forest, Row, ends_of, forest_of, limited_row
from adjudge.plots.labels import named
from adjudge.plots.quantities import written

_MOST = 60  # subjects with a row each; of more, dots in one
_FIRST, _SECOND, _INK = 0, 1, 4  # colours


def population_forest(result: Population) -> Forest:
    """Return subjects by what was seen of them, and below them what they say of the population."""
    limits = result.mean.interval
    words = written(result.measure, 0.0 if limits is None else limits.high - limits.low)
    rows = []
    if len(result.subjects) <= _MOST:
        names = named([subject.name for subject in result.subjects], 60)
        for name, subject in zip(names, result.subjects, strict=True):
            value = subject.estimate.value
            dots = () if math.isnan(subject.seen) else (subject.seen,)
            rows.append(Row(name, value, *ends_of(subject.estimate.interval), words(value), colour=_INK, dots=dots))
    else:
        seen = tuple(subject.seen for subject in result.subjects if not math.isnan(subject.seen))
        rows.append(Row("Subjects, as seen", words="a dot for each", headed=True, colour=_INK, dots=seen))
    mean, following = result.mean, result.next_subject
    rows.append(limited_row("Population mean", mean.value, mean.interval, words, "diamond", _FIRST))
    rows.append(limited_row("Next subject", following.value, following.interval, words, "ring", _SECOND))
    one = len(result.subjects) <= _MOST
    return forest_of(
        result.measure,
        rows,
        f" ({100 * result.level:.6g}% intervals)",
        marks=[("chance", result.chance)],
        title=f"{result.n_subjects:,} subjects",
        heads=("subject", "with the others") if one else None,
        note="faint: as seen; lines: each in the light of the others" if one else "",
    )
