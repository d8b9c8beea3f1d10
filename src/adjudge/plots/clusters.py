"""Clusters: the accuracy of each, drawn towards that of all, in order; few by name, many along one axis."""

from __future__ import annotations

import numpy as np

from adjudge._base import counted
from adjudge.judgements.clusters import ClustersJudged
from adjudge.plots import NothingToDrawError
from adjudge.plots.drawing import Axis, Drawing, Figure, Item, Marks, box, line_of, segment
from adjudge.plots.labels import named
from adjudge.plots.learners import part_forest
from adjudge.plots.lines import below_keys, keys_above
from adjudge.plots.quantities import in_digits
from adjudge.plots.scales import scale_of

_MOST_ROWS = 30  # clusters with a row and a name each
_MOST_LINES = 80  # clusters drawn of many more: evenly spaced in their order, the first and the last among them
_SEEN, _DRAWN = 2.0, 2.6  # radius of what was seen of a cluster, and of what it is drawn to


def clusters_picture(judged: ClustersJudged) -> Figure:
    """Return the accuracy of each cluster with its interval, the lowest first, against that of all."""
    if not judged.each:
        msg = "There is no cluster to draw: they were too many to be counted each by itself, or nothing is decided."
        raise NothingToDrawError(msg)
    if len(judged.each) <= _MOST_ROWS:
        estimates = {each.of: each for each in judged.each}
        return part_forest(estimates, [("All cases", judged.whole, "diamond")], what="cluster", level=judged.level)
    return _caterpillar(judged)


def _caterpillar(judged: ClustersJudged) -> Drawing:
    """Return clusters from left to right in the order of their accuracy."""
    many = len(judged.each)
    at = np.unique(np.linspace(0, many - 1, min(many, _MOST_LINES)).round().astype(np.int64))
    x, some = np.asarray(at + 1, dtype=np.float64), [judged.each[i] for i in at.tolist()]
    ends = [(0.0, 1.0) if each.interval is None else (each.interval.low, each.interval.high) for each in some]
    seen, drawn = np.array([judged.seen[i] for i in at.tolist()]), np.array([each.value for each in some])
    limits = None if judged.whole is None else judged.whole.interval
    up = scale_of([*seen.tolist(), *np.ravel(ends).tolist()], low=0.0, high=1.0, percent=True)
    first, last = 0.0, many + 1.0
    keys = [("mark1", "as seen"), ("mark4", f"drawn towards all cases, with its {100 * judged.level:.6g}% interval")]
    keys += [] if limits is None else [("area0", f"all cases: {100 * judged.level:.6g}% interval")]
    signs = keys_above(keys, 10.0)
    items: list[Item] = [*(sign for sign, _ in signs), *(text for _, text in signs)]
    items += [] if limits is None else [box((first, last), (limits.low, limits.high), "area0")]
    items += [
        segment((place, low), (place, high), "thin line4 stem") for place, (low, high) in zip(x.tolist(), ends, strict=True)
    ]
    items.append(Marks(line_of(x, seen), "disc", _SEEN, "mark1", label="as seen"))
    items.append(Marks(line_of(x, drawn), "disc", _DRAWN, "mark4", label="drawn towards all", styled=True))
    thinned = "" if len(some) == many else f" ({len(some):,} of {many:,} drawn)"
    ticks = tuple((float(v), f"{v:,}") for v in sorted({1, round((many + 1) / 2), many}))
    across = Axis(first, last, ticks, f"Clusters in the order of their accuracy{thinned}", notched=True)
    words, ends_of_order = in_digits(0.05, percent=True), (judged.each[0], judged.each[-1])
    low, high = (
        f"{name} ({words(one.value)})" for name, one in zip(named([e.of for e in ends_of_order], 40), ends_of_order, strict=True)
    )
    told = f"{counted(many, 'cluster')}, from {low} to {high}"
    return below_keys(items, across, up, "Accuracy", len(signs), 270.0, ("Accuracy by cluster", told))
