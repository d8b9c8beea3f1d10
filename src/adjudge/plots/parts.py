"""Folds or groups of one set of predictions as a forest: a row each, and set apart what all of them come to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge._base.text import counted
from adjudge.estimates.estimate import Estimate
from adjudge.plots.forest import LONGEST, Forest, Row, forest
from adjudge.plots.labels import decimals_for, named
from adjudge.plots.learners import MOST_ROWS, measure_name
from adjudge.plots.quantities import MOST_DECIMALS, Writer

_INK = 4


def part_forest(
    found: Mapping[Any, Estimate],
    apart: Sequence[tuple[str, Estimate | None, str]],
    *,
    what: str,
    level: float,
    marks: Sequence[tuple[str, float]] = (),
) -> Forest:
    """Return the picture of one share by fold or group; of many each is a dot.

    `apart` are names, estimates and shapes of what is set apart below; the first of them is also the band.
    """
    known = [(name, each, shape) for name, each, shape in apart if each is not None]
    band = next((each.interval for _, each, _ in known if each.interval is not None), None)
    words = Writer(decimals_for(band.high - band.low if band else 0.0, most=MOST_DECIMALS), percent=True)
    measure = next(iter(found.values())).measure if found else "accuracy"
    rows = _rows(found, what, words)
    rows += [_row(name, each, words, shape, i, headed=True) for i, (name, each, shape) in enumerate(known)]
    return forest(
        rows,
        axis=f"{measure_name(measure)} ({100 * level:.6g}% intervals)",
        low=0.0,
        high=1.0,
        percent=True,
        marks=marks,
        band=None if band is None else (band.low, band.high),
        title=f"{measure_name(measure)} by {what}",
    )


def _rows(found: Mapping[Any, Estimate], what: str, words: Writer) -> list[Row]:
    if len(found) <= MOST_ROWS:
        names = named(list(found), LONGEST)
        return [_row(name, each, words, "disc", _INK) for name, each in zip(names, found.values(), strict=True)]
    values = tuple(each.value for each in found.values() if math.isfinite(each.value))
    span = f"{words(min(values))} to {words(max(values))}" if values else "undefined"
    return [Row(counted(len(found), what), words=span, colour=_INK, headed=True, dots=values)]


def _row(name: str, each: Estimate, words: Writer, shape: str, colour: int, *, headed: bool = False) -> Row:
    if math.isnan(each.value):
        return Row(name, words=f"undefined: {each.reason}" if each.reason else "undefined", headed=headed)
    low, high = (math.nan, math.nan) if each.interval is None else (each.interval.low, each.interval.high)
    told = words(each.value)
    if headed and each.interval is not None:
        told = f"{told}, {words(low)} to {words(high)}"
    return Row(name, each.value, low, high, told, shape, colour, headed=headed)
