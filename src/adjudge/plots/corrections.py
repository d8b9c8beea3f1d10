"""Corrections: what they multiply, reject and gain, errors against a multiplier, accuracy against rejection, and priors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge._base.text import counted
from adjudge.corrections.multipliers import ErrorCurve, Multipliers
from adjudge.corrections.operating import AccuracyRejection, OperatingPoint
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.judgements.recommendation import Recommendations
from adjudge.plots.curves import thinned
from adjudge.plots.differences import signed
from adjudge.plots.forest import Forest, Row, forest
from adjudge.plots.labels import count, decimals_for, loss, named, rounded, said
from adjudge.plots.learners import measure_name
from adjudge.plots.limits import bounds, refuse_undefined
from adjudge.plots.lines import Key, LinePicture, ratio_ticks
from adjudge.plots.quantities import is_share
from adjudge.plots.scales import Scale, scale_of

MOST_CLASSES = 12
"""Classes with priors in one picture; of more, those that changed most."""
_WIDEST = 1e3  # the multiplier and its inverse as far as they are drawn, unless the best lies beyond
_FEWEST = 10  # decided cases: with fewer the accuracy says nothing, and its limits would fill the picture
_DOT, _OLD = 1, 4  # colours


def error_picture(curve: ErrorCurve) -> LinePicture:
    """Return the errors against the multiplier as steps, with the fewest, no correction, and always deciding for the other class.

    The multiplier runs in equal ratios, so that to double and to halve a class look alike.
    """
    across = _ratios(curve)
    x, y = _steps(curve, 10**across.start, 10**across.stop)
    up = scale_of(y.tolist(), [curve.errors_majority], low=0.0)
    kept = thinned(_parts(np.log10(x), across), _parts(y, up))
    left, best = 10**across.start, curve.best
    keys = (
        Key("line", "errors"),
        Key(
            "dot", f"fewest on these cases: {count(curve.fewest)} at a multiplier of {loss(best)}", max(best, left), curve.fewest
        ),
        Key("upright", f"no correction, multiplier 1: {count(curve.errors_before)}", x=1.0),
        Key("level", f"always the other class, multiplier 0: {count(curve.errors_majority)}", y=curve.errors_majority),
    )
    name = f"multiplier of {named([curve.positive], 20)[0]}, in equal ratios"
    ticks = ratio_ticks(across)
    return LinePicture(
        "Errors against the multiplier", x[kept], y[kept], across, up, name, "Errors", ticks, keys, logarithmic=True
    )


def _ratios(curve: ErrorCurve) -> Scale:
    """Return the axis of the logarithm: all that changes something, as far as one would go, and at least a half to two."""
    known = curve.multipliers[(curve.multipliers >= 1 / _WIDEST) & (curve.multipliers <= _WIDEST)]
    more = [curve.best] if 0 < curve.best < math.inf else []
    return scale_of(np.log10([*known, 0.5, 2.0, *more]).tolist())


def _steps(curve: ErrorCurve, left: float, right: float) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the curve between two values of the multiplier."""
    inside = curve.multipliers[(curve.multipliers > left) & (curve.multipliers < right)]
    edges = np.concatenate([[left], inside, [right]])
    place = np.searchsorted(curve.multipliers, edges[1:], side="left") - 1
    heights = np.where(place < 0, curve.errors_majority, curve.errors[np.maximum(place, 0)]).astype(np.float64)
    return np.repeat(edges, 2)[1:-1], np.repeat(heights, 2)


def rejection_picture(curve: AccuracyRejection) -> LinePicture:
    """Return the accuracy of the decided cases against the share rejected, in its band, until few cases are left."""
    drawn = curve.kept >= min(_FEWEST, int(curve.kept.max()))
    x, y, low, high = (values[drawn] for values in (curve.rejected, curve.accuracy, curve.low, curve.high))
    across = scale_of([0.0, *x.tolist()], low=0.0, high=1.0, percent=True)
    up = scale_of([*y.tolist(), *low.tolist(), *high.tolist()], low=0.0, high=1.0, percent=True)
    kept = _kept(x, (y, low, high), across, up)
    width = float(high[0] - low[0])
    keys = (
        Key("line", "accuracy of the cases decided"),
        Key("band", f"{100 * curve.level:.6g}% limits, at each share by itself"),
        Key(
            "dot",
            f"nothing rejected: {_percent(y[0], width)} ({_percent(low[0], width)} to {_percent(high[0], width)})",
            x[0],
            y[0],
        ),
    )
    names = "Share of the cases rejected, the least sure first", "Accuracy"
    band = x[kept], low[kept], high[kept]
    return LinePicture(
        "Accuracy against rejection", x[kept], y[kept], across, up, *names, tuple(across.ticks(room=60)), keys, band
    )


def _kept(x: FloatArray, lines: Sequence[FloatArray], across: Scale, up: Scale) -> IntArray:
    """Return the points that one of some lines over the same values cannot do without."""
    return np.unique(np.concatenate([thinned(_parts(x, across), _parts(y, up)) for y in lines]))


def _parts(values: FloatArray, scale: Scale) -> FloatArray:
    return np.asarray((values - scale.start) / (scale.stop - scale.start))


def _percent(value: float, width: float) -> str:
    return share(float(value), decimals_for(width))


def priors_forest(found: Priors | PriorShift, *, new: PriorShift | None = None) -> Forest:
    """Return the priors of each class: what they were, what they are with limits, and, if given, those that are used.

    A shift has no limits: its new priors were given.
    """
    now = found.new if isinstance(found, PriorShift) else found.priors
    if new is not None and new.new.size != now.size:
        msg = f"new has {counted(new.new.size, 'prior')} and the estimate {now.size}. Give a shift of the same classes."
        raise InputError(msg)
    moved: AnyArray = now if found.old is None else np.abs(now - found.old)
    drawn = sorted(np.argsort(-moved, kind="stable")[:MOST_CLASSES].tolist())
    axis, title = "Prior", "A shift of priors"
    if isinstance(found, Priors):
        axis, title = (
            f"Prior ({100 * found.level:.6g}% limits of each class by itself)",
            f"Priors from {count(found.cases)} cases",
        )
        title += "" if found.moved is None else f"; were they unchanged, {said(found.moved.p_value, 'P')}"
    names = named(range(now.size) if found.classes is None else found.classes)
    rows = [row for i in drawn for row in _class_rows(found, new, i, names[i])]
    return forest(
        rows,
        axis=axis,
        low=0.0,
        high=1.0,
        percent=True,
        title=title,
        heads=("class", "share"),
        note=f"{counted(now.size - len(drawn), 'class', 'classes')} that changed less not drawn" if len(drawn) < now.size else "",
    )


def _class_rows(found: Priors | PriorShift, new: PriorShift | None, i: int, name: str) -> list[Row]:
    shift = isinstance(found, PriorShift)
    value = float(found.new[i] if isinstance(found, PriorShift) else found.priors[i])
    low, high = (math.nan, math.nan) if isinstance(found, PriorShift) else (float(v) for v in found.interval[i])
    width = 0.0 if math.isnan(low) else high - low
    rows = []
    if found.old is not None:
        rows.append(Row(f"{name} was", float(found.old[i]), words=_percent(found.old[i], width), shape="tick", colour=_OLD))
    rows.append(Row(f"{name} {'new' if shift else 'is'}", value, low, high, _percent(value, width)))
    if new is not None:
        rows.append(Row(f"{name} used", float(new.new[i]), words=_percent(new.new[i], width), shape="ring", colour=_DOT))
    return rows


MOST_ROWS = 30
"""Corrections in one picture."""
_FEW = 8  # corrections with a line of their own for name and words
_REFERENCE, _WRONG, _LEFT = 4, 1, 4  # colours


def multiplier_forest(found: Multipliers) -> Forest:
    """Return the multiplier of each class, read against 1, which changes nothing; of an iterated form those of the last round."""
    rounds = np.atleast_2d(found.multipliers)
    values = rounds[-1].tolist()
    if not found.last_free:
        values.insert(found.majority, 1.0)
    names = named(found.classes)
    far = sorted(range(len(values)), key=lambda i: -abs(math.log(values[i])) if values[i] > 0 else -math.inf)
    drawn = sorted(far[:MOST_CLASSES])
    told = f"Errors {count(found.errors_before)} before, {count(found.errors)} after, where it was fitted"
    rows = [Row(names[i], values[i], words=loss(values[i])) for i in drawn]
    if not found.last_free and found.majority in drawn:
        at = drawn.index(found.majority)
        rows[at] = replace(rows[at], words="fixed", shape="ring", colour=_REFERENCE)
    return forest(
        rows,
        axis="Multiplier" if len(rounds) == 1 else f"Multiplier, round {len(rounds)} of {len(rounds)}",
        low=0.0,
        marks=[("no correction", 1.0)],
        title=told,
        heads=("class", "multiplier"),
        note=f"{counted(len(values) - len(drawn), 'class', 'classes')} nearer to 1 not drawn" if len(drawn) < len(values) else "",
    )


def rejection_forest(found: Rejection) -> Forest:
    """Return the shares of cases rightly decided, wrongly decided, and not decided."""
    shares = (
        (found.accuracy, "Rightly decided", 0),
        (found.error, "Wrongly decided", _WRONG),
        (found.rejection, "Rejected", _LEFT),
    )
    rows = [Row(name, value, words=share(value), colour=colour, headed=True) for value, name, colour in shares]
    known = "fitted to these cases" if found.counts is not None else "as the probabilities expect"
    return forest(rows, axis=f"Share of all cases, {known}", low=0.0, high=1.0, percent=True, title=_cut(found))


def _cut(found: Rejection) -> str:
    if found.kind == "two-sided":
        low, high = (loss(t) for t in found.thresholds)
        return f"{named([found.of], 20)[0]} denied below {low}, decided from {high} on"
    if found.kind == "max-probability":
        return f"Decided from a probability of {loss(float(found.thresholds[0]))} on"
    return (
        "Decided from a probability of its own for each class" if found.kind == "per-class" else "Decided where that costs least"
    )


def operating_picture(found: OperatingPoint) -> LinePicture:
    """Return the point of a threshold in the ROC square, with the box of its limits.

    The line joins it to deciding nothing and everything: what is reached by a coin in place of the threshold for some cases.
    """
    seen, spared = found.sensitivity, found.specificity
    refuse_undefined(seen.value, "The sensitivity")
    refuse_undefined(spared.value, "The specificity")
    alarms = 1 - spared.value
    keys = [
        Key("line", "this threshold, or a coin in its place for some cases"),
        Key("dot", f"sensitivity {_told(seen)}, specificity {_told(spared)}", alarms, seen.value),
    ]
    band = None
    if seen.interval is not None and spared.interval is not None:
        keys.insert(1, Key("band", f"{100 * seen.interval.level:.6g}% limits of each by itself"))
        x = np.array([1 - spared.interval.high, 1 - spared.interval.low])
        band = x, np.full(2, seen.interval.low), np.full(2, seen.interval.high)
    whole = scale_of([0.0, 1.0], low=0.0, high=1.0, percent=True)
    title = f"{named([found.positive], 20)[0]} from {loss(found.threshold)} on"
    line = np.array([0.0, alarms, 1.0]), np.array([0.0, seen.value, 1.0])
    names = "False alarms (1 - specificity)", "Sensitivity"
    return LinePicture(title, *line, whole, whole, *names, tuple(whole.ticks(room=60)), tuple(keys), band)


def _told(estimate: object) -> str:
    limits = getattr(estimate, "interval", None)
    return share(getattr(estimate, "value", math.nan), 1 if limits is None else decimals_for(limits.high - limits.low))


def gains_forest(found: Recommendations) -> Forest:
    """Return what each correction gains where it had no say."""
    percent, name = is_share(found.measure), measure_name(found.measure).lower()
    low, high = bounds(found.measure)
    level = found.rows[0].interval.level if found.rows else 0.95
    more, few = len(found.rows) - MOST_ROWS, len(found.rows) <= _FEW
    rows, scale = [], 100 if percent else 1
    for row in found.rows[:MOST_ROWS]:
        limits = row.interval
        told = signed(rounded(scale * row.gain, scale * (limits.high - limits.low)), row.gain)
        colour = {"recommended": 2, "worth trying": 0}.get(row.advice, _REFERENCE)
        rows.append(Row(row.name, row.gain, limits.low, limits.high, f"{told}, {row.advice}", colour=colour, headed=few))
    return forest(
        rows,
        axis=f"Gain in {name} on held-out cases ({100 * level:.6g}% intervals)",
        low=low - high,
        high=high - low,
        percent=percent,
        marks=[("no gain", 0.0)],
        title=f"{name.capitalize()} {share(found.before) if percent else loss(found.before)} without a correction",
        heads=None if few else ("correction", "gain, advice"),
        note=f"{counted(more, 'correction')} more not drawn" if more > 0 else "",
    )
