"""Corrections and what they gain as pictures: multipliers, what a rule rejects, the point of a threshold, and gains."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.operating import OperatingPoint
from adjudge.corrections.rejection import Rejection
from adjudge.judgements.recommendation import Candidate, Recommendations
from adjudge.plots.corrections import MOST_CLASSES, Key, LinePicture
from adjudge.plots.differences import signed
from adjudge.plots.forest import LONGEST, Forest, Row, forest
from adjudge.plots.labels import count, decimals_for, loss, named, rounded
from adjudge.plots.learners import measure_name
from adjudge.plots.limits import bounds, refuse_undefined
from adjudge.plots.quantities import is_share
from adjudge.plots.scales import scale_of

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
    names = named(found.classes, LONGEST)
    far = sorted(range(len(values)), key=lambda i: -abs(math.log(values[i])) if values[i] > 0 else -math.inf)
    drawn = sorted(far[:MOST_CLASSES])
    told = f"Errors {count(found.errors_before)} before, {count(found.errors)} after, where it was fitted"
    return forest(
        [_multiplier(found, i, names[i], values[i]) for i in drawn],
        axis="Multiplier" if len(rounds) == 1 else f"Multiplier, round {len(rounds)} of {len(rounds)}",
        low=0.0,
        marks=[("no correction", 1.0)],
        title=told,
        heads=("class", "multiplier"),
        note=f"{counted(len(values) - len(drawn), 'class', 'classes')} nearer to 1 not drawn" if len(drawn) < len(values) else "",
    )


def _multiplier(found: Multipliers, i: int, name: str, value: float) -> Row:
    fixed = i == found.majority and not found.last_free
    return Row(name, value, words="fixed" if fixed else loss(value), shape="ring" if fixed else "disc", colour=4 * fixed)


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
    return forest(
        [replace(_gain(row, percent=percent), headed=few) for row in found.rows[:MOST_ROWS]],
        axis=f"Gain in {name} on held-out cases ({100 * level:.6g}% intervals)",
        low=low - high,
        high=high - low,
        percent=percent,
        marks=[("no gain", 0.0)],
        title=f"{name.capitalize()} {share(found.before) if percent else loss(found.before)} without a correction",
        heads=None if few else ("correction", "gain, advice"),
        note=f"{counted(more, 'correction')} more not drawn" if more > 0 else "",
    )


def _gain(row: Candidate, *, percent: bool) -> Row:
    scale, limits = 100 if percent else 1, row.interval
    told = signed(rounded(scale * row.gain, scale * (limits.high - limits.low)), row.gain)
    colour = {"recommended": 2, "worth trying": 0}.get(row.advice, _REFERENCE)
    return Row(row.name, row.gain, limits.low, limits.high, f"{told}, {row.advice}", colour=colour)
