"""The grid, the ticks and the axis that pictures of lines share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from adjudge.plots.svg.canvas import Canvas

Ticks = Iterable[tuple[float, str]]


def rule(
    canvas: Canvas,
    at: Callable[[float, float], tuple[float, float]],
    ticks: tuple[Ticks, Ticks],
    ends: tuple[float, float],
    low: float,
    *,
    notched: bool = True,
) -> None:
    """Rule lines across at the upright ticks, write all ticks, and draw the axis from end to end at the height `low`."""
    (left, right), (across, up) = ends, ticks
    for value, words in up:
        x, y = at(left, value)
        canvas.line((x, y), at(right, value), "grid")
        canvas.text(x - 8, y + 4, words, "tick", "end")
    for value, words in across:
        x, y = at(value, low)
        if notched:
            canvas.line((x, y), (x, y + 4), "axis")
        canvas.text(x, y + 18, words, "tick")
    canvas.line(at(left, low), at(right, low), "axis")
