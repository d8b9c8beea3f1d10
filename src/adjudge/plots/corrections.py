"""Corrections: what they multiply, reject and gain, errors against a multiplier, accuracy against rejection, and priors."""

from __future__ import annotations

import math

import numpy as np

from adjudge._base import counted, safe, share
from adjudge._base.arrays import AnyArray
from adjudge.corrections.multipliers import ErrorCurve, Multipliers
from adjudge.corrections.operating import AccuracyRejection, OperatingPoint
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.judgements.recommendation import Recommendations
from adjudge.plots import NothingToDrawError
from adjudge.plots.curves import thinned
from adjudge.plots.drawing import Drawing
from adjudge.plots.forest import Forest, Row
from adjudge.plots.labels import count, decimals_for, loss, named, rounded, said, signed
from adjudge.plots.lines import Key, line_picture, ratio_axis
from adjudge.plots.quantities import bounds, is_share, measure_name
from adjudge.plots.scales import scale_of

MOST_CLASSES = 12  # classes with priors in one picture; of more, those that changed most
_WIDEST = 1e3  # the multiplier and its inverse as far as they are drawn, unless the best lies beyond
_FEWEST = 10  # decided cases: with fewer the accuracy says nothing, and its limits would fill the picture
_MOST_ROWS = 30  # corrections in one picture
_FEW = 8  # corrections with a line of their own for name and words
_SECOND, _INK = 1, 4  # colours


def error_picture(curve: ErrorCurve) -> Drawing:
    """Return the errors against the multiplier as steps, with the fewest, no correction, and always deciding for the other class.

    The multiplier runs in equal ratios, so that to double and to halve a class look alike.
    """
    known, best = curve.multipliers[(curve.multipliers >= 1 / _WIDEST) & (curve.multipliers <= _WIDEST)], curve.best
    across = scale_of(np.log10([*known, 0.5, 2.0, *([best] if 0 < best < math.inf else [])]).tolist())
    left, right = 10**across.start, 10**across.stop
    edges = np.concatenate([[left], curve.multipliers[(curve.multipliers > left) & (curve.multipliers < right)], [right]])
    place = np.searchsorted(curve.multipliers, edges[1:], side="left") - 1
    heights = np.where(place < 0, curve.errors_majority, curve.errors[np.maximum(place, 0)]).astype(np.float64)
    x, y = np.repeat(edges, 2)[1:-1], np.repeat(heights, 2)
    up = scale_of(y.tolist(), [curve.errors_majority], low=0.0)
    kept = thinned(across.part(np.log10(x)), up.part(y))
    fewest = f"fewest on these cases: {count(curve.fewest)} at a multiplier of {loss(best)}"
    keys = (
        Key("line", "errors"),
        Key("dot", fewest, max(best, left), curve.fewest),
        Key("upright", f"no correction, multiplier 1: {count(curve.errors_before)}", x=1.0),
        Key("level", f"always the other class, multiplier 0: {count(curve.errors_majority)}", y=curve.errors_majority),
    )
    axis = ratio_axis(across, f"multiplier of {named([curve.positive], 60)[0]}")
    return line_picture("Errors against the multiplier", (x[kept], y[kept]), axis, (up, "Errors"), keys)


def rejection_picture(curve: AccuracyRejection) -> Drawing:
    """Return the accuracy of the decided cases against the share rejected, in its band, until few cases are left."""
    drawn = curve.kept >= min(_FEWEST, int(curve.kept.max()))
    x, y, low, high = (values[drawn] for values in (curve.rejected, curve.accuracy, curve.low, curve.high))
    across = scale_of([0.0, *x.tolist()], low=0.0, high=1.0, percent=True)
    up = scale_of([*y.tolist(), *low.tolist(), *high.tolist()], low=0.0, high=1.0, percent=True)
    needed = [thinned(across.part(x), up.part(line)) for line in (y, low, high)]  # what no line can do without
    kept = np.unique(np.concatenate(needed))
    value, first, last = (share(float(line[0]), decimals_for(float(high[0] - low[0]))) for line in (y, low, high))
    keys = (
        Key("line", "accuracy of the cases decided"),
        Key("band", f"{100 * curve.level:.6g}% interval, at each share by itself"),
        Key("dot", f"nothing rejected: {value} ({first} to {last})", x[0], y[0]),
    )
    axis = across.axis("Share of the cases rejected, the least sure first", 60, notched=True)
    limits = x[kept], low[kept], high[kept]
    return line_picture("Accuracy against rejection", (x[kept], y[kept]), axis, (up, "Accuracy"), keys, limits)


def priors_forest(priors: Priors | PriorShift) -> Forest:
    """Return the priors of each class: what they were, and what they are, with limits unless given."""
    now = priors.new if isinstance(priors, PriorShift) else priors.priors
    moved: AnyArray = now if priors.old is None else np.abs(now - priors.old)
    drawn = sorted(np.argsort(-moved, kind="stable")[:MOST_CLASSES].tolist())
    axis, title, called = "Prior", "A shift of priors", "new"
    if isinstance(priors, Priors):
        axis, called = f"Prior ({100 * priors.level:.6g}% interval of each class by itself)", "is"
        title = f"Priors from {count(priors.cases)} cases"
        title += "" if priors.moved is None else f"; if they were unchanged, {said(priors.moved.p_value, 'P')}"
    names = named(range(now.size) if priors.classes is None else priors.classes)
    rows = []
    for i in drawn:
        low, high = (float(v) for v in priors.interval[i]) if isinstance(priors, Priors) else (math.nan, math.nan)
        decimals = decimals_for(0.0 if math.isnan(low) else high - low)
        if priors.old is not None:
            was = float(priors.old[i])
            rows.append(Row(f"{names[i]} was", was, words=share(was, decimals), shape="tick", colour=_INK))
        rows.append(Row(f"{names[i]} {called}", float(now[i]), low, high, share(float(now[i]), decimals)))
    left = now.size - len(drawn)
    note = f"{counted(left, 'class', 'classes')} that changed less not drawn" if left else ""
    return Forest(rows, axis=axis, bounds=(0.0, 1.0), percent=True, title=title, heads=("class", "share"), note=note)


def multiplier_forest(multipliers: Multipliers) -> Forest:
    """Return the multiplier of each class, read against 1, which changes nothing; of an iterated form those of the last round."""
    rounds = np.atleast_2d(multipliers.multipliers)
    values = rounds[-1].tolist()
    if not multipliers.last_free:
        values.insert(multipliers.majority, 1.0)
    names = named(multipliers.classes)
    far = sorted(range(len(values)), key=lambda i: -abs(math.log(values[i])) if values[i] > 0 else -math.inf)
    rows, left = [], len(values) - MOST_CLASSES
    for i in sorted(far[:MOST_CLASSES]):
        fixed = not multipliers.last_free and i == multipliers.majority
        look = ("fixed", "ring", _INK) if fixed else (loss(values[i]), "disc", 0)
        rows.append(Row(names[i], values[i], math.nan, math.nan, *look))
    return Forest(
        rows,
        axis="Multiplier" if len(rounds) == 1 else f"Multiplier, round {len(rounds)} of {len(rounds)}",
        bounds=(0.0, math.inf),
        marks=[("no correction", 1.0)],
        title=f"Errors {count(multipliers.errors_before)} before, {count(multipliers.errors)} after, where it was fitted",
        heads=("class", "multiplier"),
        note=f"{counted(left, 'class', 'classes')} nearer to 1 not drawn" if left > 0 else "",
    )


def rejection_forest(rejection: Rejection) -> Forest:
    """Return the shares of cases rightly decided, wrongly decided, and not decided."""
    values, names = (rejection.accuracy, rejection.error, rejection.rejection), ("Correct", "Wrong", "Rejected")
    each = zip(names, values, (0, _SECOND, _INK), strict=True)
    rows = [Row(name, value, words=share(value), colour=colour, headed=True) for name, value, colour in each]
    known = "fitted to these cases" if rejection.counts is not None else "as the probabilities expect"
    title = "Decided where that costs least"
    if rejection.kind == "two-sided":
        low, high = (loss(t) for t in rejection.thresholds)
        title = f"{named([rejection.of], 60)[0]} denied below {low}, decided from {high} on"
    elif rejection.kind == "max-probability":
        title = f"Decided from a probability of {loss(float(rejection.thresholds[0]))} on"
    elif rejection.kind == "per-class":
        title = "Decided from a probability of its own for each class"
    return Forest(rows, axis=f"Share of all cases, {known}", bounds=(0.0, 1.0), percent=True, title=title)


def operating_picture(point: OperatingPoint) -> Drawing:
    """Return the point of a threshold in the ROC square, with the box of its limits.

    The line joins it to deciding nothing and everything: what is reached by a coin in place of the threshold for some cases.
    """
    seen, spared, told = point.sensitivity, point.specificity, []
    for name, each in (("sensitivity", seen), ("specificity", spared)):
        if math.isnan(each.value):
            reason = safe(getattr(each.value, "reason", "it is not a number"))
            msg = f"The {name} is undefined ({reason}), so there is nothing to draw. Give cases of both classes."
            raise NothingToDrawError(msg)
        decimals = 1 if each.interval is None else decimals_for(each.interval.high - each.interval.low)
        told.append(f"{name} {share(each.value, decimals)}")
    alarms = 1 - spared.value
    keys = [Key("line", "this threshold, or a coin in its place for some cases"), Key("dot", ", ".join(told), alarms, seen.value)]
    band = None
    if seen.interval is not None and spared.interval is not None:
        keys.insert(1, Key("band", f"{100 * seen.interval.level:.6g}% interval of each by itself"))
        x = np.array([1 - spared.interval.high, 1 - spared.interval.low])
        band = x, np.full(2, seen.interval.low), np.full(2, seen.interval.high)
    whole = scale_of([0.0, 1.0], low=0.0, high=1.0, percent=True)
    title = f"{named([point.positive], 60)[0]} from {loss(point.threshold)} on"
    line = np.array([0.0, alarms, 1.0]), np.array([0.0, seen.value, 1.0])
    axis = whole.axis("False alarms (1 - specificity)", 60, notched=True)
    return line_picture(title, line, axis, (whole, "Sensitivity"), keys, band)


def gains_forest(recommended: Recommendations) -> Forest:
    """Return what each correction gains where it had no say."""
    percent, name = is_share(recommended.measure), measure_name(recommended.measure).lower()
    low, high = bounds(recommended.measure)
    level = recommended.rows[0].interval.level if recommended.rows else 0.95
    more, few = len(recommended.rows) - _MOST_ROWS, len(recommended.rows) <= _FEW
    rows, scale = [], 100 if percent else 1
    for row in recommended.rows[:_MOST_ROWS]:
        limits = row.interval
        told = signed(rounded(scale * row.gain, scale * (limits.high - limits.low)), row.gain)
        colour = {"recommended": 2, "worth trying": 0}.get(row.advice, _INK)
        rows.append(Row(row.name, row.gain, limits.low, limits.high, f"{told}, {row.advice}", colour=colour, headed=few))
    return Forest(
        rows,
        axis=f"Gain in {name} on held-out cases ({100 * level:.6g}% intervals)",
        bounds=(low - high, high - low),
        percent=percent,
        marks=[("no gain", 0.0)],
        title=f"{name.capitalize()} {share(recommended.before) if percent else loss(recommended.before)} without a correction",
        heads=None if few else ("correction", "gain, advice"),
        note=f"{counted(more, 'correction')} more not drawn" if more > 0 else "",
    )
