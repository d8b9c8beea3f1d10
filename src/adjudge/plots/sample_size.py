"""The geometry of plans and gates: what more cases would give, and how far requirements are from what was seen."""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted
from adjudge.judgements.gate import Gate, JudgedRule
from adjudge.judgements.sample_size import SampleSize
from adjudge.metrics.catalogue import find
from adjudge.plots.drawing import NothingToDrawError
from adjudge.plots.forest import Forest, Row, forest
from adjudge.plots.labels import count, named, number
from adjudge.plots.lines import Key, LinePicture, ratio_ticks
from adjudge.plots.scales import scale_of

MOST_RULES = 20
"""Rules in one picture; of more, those nearest to failing."""
_LONGEST = 48  # letters of a rule above its row
_LOOKS = {"passes": ("disc", 0), "inconclusive": ("ring", 4), "fails": ("diamond", 1)}


def sample_size_picture(found: SampleSize) -> LinePicture:
    """Return the half width or the assurance against the number of cases, which runs in equal ratios."""
    x, y, often = found.numbers.astype(np.float64), found.reached, found.assurance is not None
    across = scale_of(np.log10(x).tolist())
    up = scale_of([0.0, *y.tolist(), *([1.0] if often else [])], low=0.0, high=1.0 if often else math.inf, percent=often)
    at = int(np.flatnonzero(found.numbers == found.cases)[0])
    wanted = found.assurance if found.assurance is not None else found.target
    said = share(wanted, 0) if often else number(wanted, 3)
    keys = (
        Key("line", "how often the goal is reached" if often else "expected half width of the limits"),
        Key(
            "dot", f"{count(found.cases)} cases: {share(float(y[at])) if often else number(float(y[at]), 4)}", x[at], float(y[at])
        ),
        Key("level", f"asked for: {said}", y=wanted),
    )
    names = "Cases, in equal ratios", "Assurance" if often else f"Half width of the {100 * found.level:.6g}% limits"
    return LinePicture("Cases needed", x, y, across, up, *names, ratio_ticks(across, count), keys, logarithmic=True)


def gate_forest(found: Gate) -> Forest:
    """Return how far every measure is beyond its bound: to the right where it should be, each limit holding by itself."""
    rules = drawn_rules(found)
    if not rules:
        msg = "No rule of this gate has a value and limits, so that there is nothing to draw; print it for the reasons."
        raise NothingToDrawError(msg)
    kept = sorted(rules, key=lambda rule: min(_beyond(rule)))[:MOST_RULES]
    rows = [
        Row(named([rule.rule], _LONGEST)[0], *_beyond(rule), rule.state, *_LOOKS[rule.state], headed=True)
        for rule in rules
        if rule in kept
    ]
    left = f"{counted(len(found.rules) - len(rows), 'more rule')} not drawn" if len(rows) < len(found.rules) else ""
    axis = f"Beyond the bound; each limit holds by itself at {100 * found.level:.6g}%"
    return forest(rows, axis=axis, marks=(("the bound", 0.0),), title=f"Rules: {found.state}", note=left)


def drawn_rules(found: Gate) -> list[JudgedRule]:
    """Return the rules that share an axis: those about measures with both ends, else those about the first without."""
    known = [rule for rule in found.rules if rule.reason is None and math.isfinite(rule.value)]
    ended = [rule for rule in known if math.isfinite(find(rule.measure).high)]
    return ended or [rule for rule in known if rule.measure == known[0].measure]


def _beyond(rule: JudgedRule) -> tuple[float, float, float]:
    """Return how far the value and its limits are on the good side of the bound."""
    if rule.operator.startswith(">"):
        return rule.value - rule.bound, rule.low - rule.bound, rule.high - rule.bound
    return rule.bound - rule.value, rule.bound - rule.high, rule.bound - rule.low
