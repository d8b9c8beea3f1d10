"""The curves of several sets of predictions over each other: by colour and dashes, so that they are told apart in print."""

from __future__ import annotations

import re
from typing import Any

from adjudge._base import InputError, listed, parameter, quoted
from adjudge._base.records import replace
from adjudge.judgements.overlaid import Overlaid
from adjudge.plots.curves import curve_set
from adjudge.plots.drawing import Drawing, Item, Line, Marks, segment
from adjudge.plots.labels import named
from adjudge.plots.style import MOST_LINES

KINDS = ("roc", "precision-recall", "reliability")
_COLOUR, _MARK = re.compile(r"\bline([1-9])\b"), re.compile(r"\bmark([1-9])\b")
_SHAPES = ("class-square", "class-triangle", "class-diamond", "hexagon")


def overlaid_picture(result: Overlaid, kind: str | None = None) -> Drawing:
    """Return the curves of one kind, of the first there is unless named; of more sets than colours those with the best areas."""
    kind = next(iter(result.curves)) if kind is None else kind
    if kind not in result.curves:
        known = listed(result.curves, len(KINDS))
        msg = f" must be one of {known}, the curves that the scores of two sets or more give here; got {quoted(kind)}."
        raise InputError(parameter("kind"), msg)
    every = list(result.curves[kind].values())
    least = 1.0 if kind == "reliability" else -1.0
    best = sorted(range(len(every)), key=lambda i: (least * every[i].area, i))[:MOST_LINES]
    drawing = curve_set([every[i] for i in sorted(best)])
    items: list[Item] = [_dashed(item) for item in drawing.items]
    if kind == "precision-recall":
        items.insert(0, segment((0, result.share), (1, result.share), "ref"))
    of = f"Class {named([result.of], 60)[0]} against the rest"
    heading = of if kind != "reliability" or result.of_class else "The highest probability of each case"
    left_out = f"; {len(every) - len(best)} more not drawn" if len(every) > len(best) else ""
    return replace(drawing, items=tuple(items), words=f"{heading}. {drawing.words}{left_out}", heading=heading)


def _dashed(item: Any) -> Any:
    """Return a coloured line with the dashes of its colour, and its marks in a shape of their own; the first as they are."""
    if isinstance(item, Marks):
        colour = _MARK.search(item.style)
        return item if colour is None else replace(item, shape=_SHAPES[int(colour[1]) - 1])
    colour = _COLOUR.search(item.style) if isinstance(item, Line) else None
    return item if colour is None else replace(item, style=f"{item.style} dash{colour[1]}")
