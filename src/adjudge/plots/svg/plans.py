"""The plans of the page."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plots.densities import WIDTH
from adjudge.plots.plans import Box, PlanPicture
from adjudge.plots.svg.canvas import Canvas

_SIDE, _TOP = 22.0, 8.0
_KINDS = {"learnt": "mark0 faint", "partly": "mark1 faint", "judged": "mark1"}


def plan_svg(found: PlanPicture, name: str) -> str:
    """Return which rows learn and which are judged as SVG."""
    canvas = Canvas(WIDTH + 2 * _SIDE, _TOP + found.height)
    _fill(canvas, (*found.boxes, *found.keys))
    for label in found.labels:
        canvas.text(_SIDE + label.x, _TOP + label.y, label.words, label.kind, label.anchor)
    return canvas.drawn(name, f"Plan: {found.title}", found.words)


def _fill(canvas: Canvas, boxes: Iterable[Box]) -> None:
    """Draw all boxes of a kind at once: there may be thousands."""
    every = list(boxes)
    for kind, looks in _KINDS.items():
        canvas.boxes([_placed(box) for box in every if box.kind == kind], looks)


def _placed(box: Box) -> tuple[float, float, float, float]:
    return _SIDE + box.left, _TOP + box.down - box.tall / 2, box.right - box.left, box.tall
