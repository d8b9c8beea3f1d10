"""The densities of the page."""

from __future__ import annotations

from adjudge.plots.densities import Density, DensitySet
from adjudge.plots.geometry import ticks
from adjudge.plots.labels import share
from adjudge.plots.svg.canvas import Canvas, width_of

_WIDTH, _HEIGHT = 480.0, 370.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 22.0, 22.0, 62.0, 46.0


def densities_svg(found: DensitySet, name: str) -> str:
    """Return densities with shaded intervals as SVG; each is named and told in a line above the picture."""
    canvas = Canvas(_WIDTH, _HEIGHT)
    for v in (v for v in ticks(found.start, found.stop) if found.start <= v <= found.stop):
        x, y = _at(found, v, 0)
        canvas.line((x, y), _at(found, v, found.top), "grid")
        canvas.text(x, y + 18, f"{100 * v:.4g}%", "tick")
    for label, value in found.shown_marks:
        canvas.line(_at(found, value, 0), _at(found, value, found.top), "ref")
        _mark(canvas, found, label, value)
    for density in found.densities:
        _draw(canvas, found, density)
    canvas.line(_at(found, found.start, 0), _at(found, found.stop, 0), "axis")
    words = [_words(density, found.level) for density in found.densities]
    for i, (density, text) in enumerate(zip(found.densities, words, strict=True)):
        y = 18.0 + 20 * i
        canvas.line((_LEFT, y - 4), (_LEFT + 20, y - 4), f"curve line{density.colour}")
        canvas.text(_LEFT + 28, y, text, "key", "start")
    x, y = _at(found, (found.start + found.stop) / 2, 0)
    canvas.text(x, y + 38, "Share of right decisions", "lab")
    return canvas.drawn(name, "Posterior densities", "; ".join(words))


def _words(density: Density, level: float) -> str:
    limits = f"{100 * level:g}% {share(density.low)} to {share(density.high)}"
    return f"{density.name.capitalize()}: median {share(density.median)}, {limits}"


def _draw(canvas: Canvas, found: DensitySet, density: Density) -> None:
    x, y = density.shaded
    base = [_at(found, float(v), 0) for v in (x[-1], x[0])]
    canvas.path([*(_at(found, float(a), float(b)) for a, b in zip(x, y, strict=True)), *base], f"area{density.colour}")
    canvas.path(
        [_at(found, float(a), float(b)) for a, b in zip(density.x, density.y, strict=True)], f"curve line{density.colour}"
    )


def _mark(canvas: Canvas, found: DensitySet, label: str, value: float) -> None:
    """Write the name of a mark beside its line, on the side where there is room."""
    x, y = _at(found, value, found.top)
    right = x + width_of(label, 11.5) + 12 < _WIDTH
    canvas.text(x + (6 if right else -6), y + 10, label, "tick", "start" if right else "end")


def _at(found: DensitySet, x: float, y: float) -> tuple[float, float]:
    across = (x - found.start) / (found.stop - found.start)
    return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - y / found.top * (_HEIGHT - _TOP - _BOTTOM)
