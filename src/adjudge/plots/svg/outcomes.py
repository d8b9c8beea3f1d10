"""Which cases two classifiers get right, on the page."""

from __future__ import annotations

from adjudge.plots.densities import WIDTH
from adjudge.plots.outcomes import STEP, OutcomeBars
from adjudge.plots.svg.canvas import Canvas

_SIDE, _TOP, _BOTTOM = 22.0, 6.0, 10.0
_HIGH = 14.0
_BESIDE = 8.0


def outcomes_svg(found: OutcomeBars, name: str) -> str:
    """Return a bar for each outcome as SVG."""
    canvas = Canvas(WIDTH + 2 * _SIDE, _TOP + found.height + _BOTTOM)
    start = _SIDE + found.left
    for i, bar in enumerate(found.bars):
        y = _TOP + STEP * (i + 0.5)
        canvas.text(start - _BESIDE, y + 4, bar.name, "tick", "end")
        if bar.long > 0:
            corners = ((0.0, -1), (bar.long, -1), (bar.long, 1), (0.0, 1))
            kind = bar.kind if bar.kind == "same" else f"{bar.kind} whole"
            canvas.path([(start + x, y + side * _HIGH / 2) for x, side in corners], kind)
        canvas.text(start + bar.long + _BESIDE, y + 4, bar.words, "key", "start")
    canvas.line((start, _TOP), (start, _TOP + found.height), "axis")
    return canvas.drawn(name, f"Who is right on how many cases: {found.title}", found.words)
