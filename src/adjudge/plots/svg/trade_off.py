"""The trade-offs of the page."""

from __future__ import annotations

from functools import partial

from adjudge.plots.svg.axes import rule
from adjudge.plots.svg.canvas import Canvas
from adjudge.plots.trade_off import Spread

_WIDTH, _HEIGHT = 480.0, 350.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 16.0, 14.0, 46.0
_DOT = 2.6


def spread_svg(found: Spread, name: str) -> str:
    """Return splits by the share kept for testing, with their mean and spread, as SVG."""
    canvas = Canvas(_WIDTH, _HEIGHT)
    _axes(canvas, found)
    canvas.path([_at(found, *corner) for corner in found.band], "area0")
    for splits in found.splits:
        for x, y in zip(splits.dots_x, splits.dots_y, strict=True):
            canvas.dot(*_at(found, float(x), float(y)), _DOT, "faint mark4")
    canvas.path([_at(found, *point) for point in found.means], "curve line0")
    for point in found.means:
        canvas.dot(*_at(found, *point), 4.2, "mark0")
    return canvas.drawn(name, f"Trade-off: {found.title}", found.words)


def _at(found: Spread, x: float, y: float) -> tuple[float, float]:
    across, up = found.across.part(x), found.up.part(y)
    return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)


def _axes(canvas: Canvas, found: Spread) -> None:
    left, right, low = found.across.start, found.across.stop, found.up.start
    rule(canvas, partial(_at, found), (found.x_ticks, found.y_ticks), (left, right), low, notched=False)
    x, y = _at(found, (left + right) / 2, low)
    canvas.text(x, y + 38, found.x_name, "lab")
    canvas.text(14, (_TOP + _HEIGHT - _BOTTOM) / 2, found.y_name, "lab", turn=-90)
