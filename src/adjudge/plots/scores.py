"""The scores of a class by true class, how much of it the highest ones hold, and the place of the true class among all scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge._base import share
from adjudge._base.arrays import FloatArray
from adjudge.judgements.curves import ThresholdTable
from adjudge.judgements.gains import Gains
from adjudge.judgements.thresholds import Thresholds
from adjudge.judgements.top_k import TopK
from adjudge.plots.curves import thinned, thresholds_told
from adjudge.plots.drawing import Area, Axis, Drawing, Item, Line, Marks, band, line_of, segment
from adjudge.plots.labels import count, named
from adjudge.plots.lines import below_keys, keys_above, ratio_axis
from adjudge.plots.scales import Scale, shares

BINS, FEW_BINS = 40, 20
_MANY = 1000  # cases of the class from which on the finer bins are taken
_HEIGHT = 230.0
_LONGEST = 36
_LOW = 0.05  # where the middle one of all probabilities is below this, the axis is one of equal ratios
_LEAST = 1e-6  # the least probability such an axis begins at
_BELOW = 0.001  # the share of the cases that may lie below its beginning
_EVERY_TICK, _BESIDE = 12, 0.03  # values of k that all have a tick, and the room beside the first and the last, in parts of all
_DOT = 3.4
_ROOM = 1.06  # of the tallest bar, where the panel ends


def score_bins(table: ThresholdTable) -> tuple[FloatArray, list[FloatArray], bool]:
    """Return the edges of bins of scores, the share in each of others and of the class, and whether ratios are equal."""
    values, bins = table.thresholds[1:], BINS if table.cases >= _MANY else FEW_BINS
    sides = [np.diff(side.astype(np.float64)) for side in (table.alarms, table.found)]
    edges, ratios = _edges(values, sides[0] + sides[1], bins) if table.probable else (_even_edges(values, bins), False)
    return edges, [binned(values, edges, side) for side in sides], ratios


def score_picture(thresholds: Thresholds) -> Drawing:
    """Return the scores of a class among its own cases and among the others, each adding up to 100%, with the threshold."""
    table = thresholds.table()
    name, (edges, parts, ratios) = _class(table.of), score_bins(table)
    weights = " (sum of weights)" if table.weighted else ""
    keys = [f"{words}: {count(n)}{weights}" for words, n in (("others", table.others), (name, table.cases))]
    axis = Scale(float(edges[0]), float(edges[-1]), percent=table.probable).axis(f"Score of {name}", 60, notched=True)
    if ratios:
        axis = ratio_axis(Scale(math.log10(edges[0]), 0.0), f"Score of {name}", lambda value: f"{100 * value:g}%")
    return distribution(f"Scores of {name} by true class", edges, parts, keys, axis, _threshold(thresholds, table))


def distribution(
    title: str,
    edges: FloatArray,
    parts: Sequence[FloatArray],
    keys: Sequence[str],
    axis: Axis,
    threshold: tuple[float, str] | None = None,
    heading: str = "",
) -> Drawing:
    """Return the shares of each part in bins as steps, with a key each, and perhaps a `threshold` and what it is called."""
    styles = [(f"curve line{i}", words) for i, words in enumerate(keys)]
    styles += [] if threshold is None else [("upright", threshold[1])]
    items: list[Item] = [part for pair in keys_above(styles, 10.0) for part in pair]
    top = _ROOM * max((float(part.max(initial=0.0)) for part in parts), default=1.0) or 1.0
    for i, part in enumerate(parts):
        steps = line_of(np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(part, 2), [0.0]]))
        items += [Area((steps,), f"area{i}", styled=True), Line(steps, f"curve line{i}", label=keys[i], styled=True)]
    if threshold is not None:
        at = min(max(threshold[0], axis.start), axis.stop)
        items.append(segment((at, 0), (at, top), "ref"))
    told = "; ".join([*keys, *([] if threshold is None else [threshold[1]])])
    up = Scale(0.0, top, 0.0, percent=True)
    return below_keys(items, axis, up, "Share of the cases", len(styles), _HEIGHT, (title, told), heading)


def binned(values: FloatArray, edges: FloatArray, cases: FloatArray) -> FloatArray:
    """Return the share of the cases in each bin, its lower edge included; what lies beyond is in the first or the last."""
    within = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, edges.size - 2)
    return np.asarray(np.bincount(within, cases, edges.size - 1) / max(float(cases.sum()), 1e-300))


def _threshold(thresholds: Thresholds, table: ThresholdTable) -> tuple[float, str] | None:
    """Return the threshold that decides between two classes, and how it is told; None where none decides as was decided."""
    start = thresholds.start(table.of)
    place = table.place(start)
    if thresholds.classes > 2 or table.decided != (table.found[place], table.alarms[place]):  # noqa: PLR2004
        return None
    return start, f"threshold {thresholds_told(table, np.array([start]))[0]}"


def _edges(values: FloatArray, cases: FloatArray, bins: int) -> tuple[FloatArray, bool]:
    """Return the edges of bins of probabilities, and whether they have equal ratios: where most of them are small."""
    order = np.argsort(values)
    values, below = values[order], np.cumsum(cases[order])
    middle, least = (float(values[np.searchsorted(below, part * below[-1])]) for part in (0.5, _BELOW))
    if not 0 < middle < _LOW:
        return np.linspace(0, 1, bins + 1), False
    return np.geomspace(min(max(least, _LEAST), middle / 2), 1, bins + 1), True


def _even_edges(values: FloatArray, bins: int) -> FloatArray:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    return np.linspace(low, high if high > low else low + (abs(low) or 1.0), bins + 1)


def _class(label: Any) -> str:
    name = named([label], _LONGEST)[0]
    return name if name.startswith("class") else f"class {name}"


def gains_picture(gains: Gains) -> Drawing:
    """Return the share of a class found against the share of the cases taken, beside the ideal and the random order."""
    name, level = _class(gains.of), f"{100 * gains.level:.6g}%"
    keys = [("curve line0", name), ("area0", f"{level} interval at each share")]
    keys += [("curve thin line2", "ideal order"), ("ref", "random order")]
    items: list[Item] = [part for pair in keys_above(keys, 10.0) for part in pair]
    items.append(band(gains.band.low, gains.band.high, "area0", label=keys[1][1]))
    items.append(segment((0, 0), (1, 1), "ref"))
    items.append(Line(np.array([(0, 0), (gains.prevalence, 1), (1, 1)]), "curve thin line2", label="ideal order"))
    kept = thinned(gains.taken, gains.found)
    items.append(Line(line_of(gains.taken[kept], gains.found[kept]), "curve line0", label=keys[0][1], styled=True))
    said = "; ".join(f"{share(each.found)} found in {share(each.taken, 0)} of the cases" for each in gains.lifts)
    axis = Axis(0.0, 1.0, shares(), "Share of the cases taken, highest scores first", grid=True)
    up, told = Scale(0.0, 1.0, 0.0, 1.0, percent=True), (f"Cumulative gain of {name}", said)
    return below_keys(items, axis, up, "Share of the class found", len(keys), 250.0, told)


def top_k_picture(top_k: Sequence[TopK]) -> Drawing:
    """Return the share of the cases whose true class is among the k most probable ones against k, with intervals."""
    level, last = f"{100 * top_k[0].interval.level:.6g}%", top_k[-1].k
    keys = [("curve line0", "true class among the k most probable"), ("curve thin line2", "among the k commonest, always named")]
    items: list[Item] = [part for pair in keys_above([keys[0], ("bar", f"{level} interval"), keys[1]], 10.0) for part in pair]
    many = [each.k for each in top_k]
    items.append(Line(line_of(many, [each.commonest for each in top_k]), keys[1][0], label=keys[1][1]))
    points = line_of(many, [each.share for each in top_k])
    items.append(Line(points, keys[0][0], label=keys[0][1], styled=True))
    items.append(Marks(points, "disc", _DOT, "dot"))
    items += [segment((each.k, each.interval.low), (each.k, each.interval.high), "bar") for each in top_k]
    ticks = tuple((float(k), f"{k}") for k in many if last <= _EVERY_TICK or k == 1 or k % 5 == 0)
    axis = Axis(1 - _BESIDE * last, last + _BESIDE * last, ticks, "k, classes of highest probability", notched=True)
    said = "; ".join(f"{share(each.share)} for k = {each.k}" for each in top_k)
    up = Scale(0.0, 1.0, 0.0, 1.0, percent=True)
    return below_keys(items, axis, up, "Share of the cases", len(keys) + 1, 250.0, ("Top-k accuracy", said))
