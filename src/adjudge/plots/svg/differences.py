"""The differences of the page."""

from __future__ import annotations

from adjudge.plots.densities import WIDTH
from adjudge.plots.differences import BAR, CHIP, END, STRIP, THICK, DifferencePicture, Part
from adjudge.plots.svg.canvas import Canvas

_SIDE, _TOP, _BOTTOM = 22.0, 4.0, 46.0
_CAP = 4.5  # half the height of the ends of a bar
_DIAMOND = 5.5


def difference_svg(found: DifferencePicture, name: str) -> str:
    """Return what to believe of a difference as SVG."""
    canvas = Canvas(WIDTH + 2 * _SIDE, _TOP + found.height + _BOTTOM)
    _frame(canvas, found)
    for part in found.parts:
        _draw(canvas, found, part)
    _curve(canvas, found)
    _bar(canvas, found)
    for x, y, part in found.chips:
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        canvas.path([(_SIDE + x + CHIP * a, _TOP + y + CHIP * b) for a, b in corners], f"{part.kind} whole")
    for label in found.labels:
        canvas.text(_SIDE + label.x, _TOP + label.y, label.words, f"{label.kind} halo", label.anchor)
    return canvas.drawn(name, f"Posterior distribution of the difference: {found.title}", found.words)


def _at(found: DifferencePicture, value: float, down: float) -> tuple[float, float]:
    return _SIDE + found.across(value), _TOP + down


def _box(canvas: Canvas, found: DifferencePicture, ends: tuple[float, float], down: tuple[float, float], kind: str) -> None:
    (low, high), (top, foot) = ends, down
    if low < high:
        canvas.path([_at(found, v, d) for v, d in ((low, top), (high, top), (high, foot), (low, foot))], kind)


def _frame(canvas: Canvas, found: DifferencePicture) -> None:
    """Draw what the density is read against: impossible values, the middle, ticks, no difference and the axis."""
    for ends in found.scale.impossible:
        _box(canvas, found, ends, (STRIP + THICK, found.base), "beyond")
    for part in found.parts:
        if part.kind == "same":
            _box(canvas, found, found.within(part), (STRIP + THICK, found.base + END), "within")
    for value, words in found.ticks:
        canvas.line(_at(found, value, STRIP + THICK), _at(found, value, found.height), "grid")
        x, y = _at(found, value, found.height)
        canvas.text(x, y + 17, words, "tick")
    if not found.zero.far:
        canvas.line(_at(found, 0.0, STRIP + THICK), _at(found, 0.0, found.base + END), "ref")
    for down in (found.base, found.height):
        canvas.line(_at(found, found.scale.start, down), _at(found, found.scale.stop, down), "axis")
    canvas.text(_SIDE + WIDTH / 2, _TOP + found.height + 37, found.axis, "lab")


def _draw(canvas: Canvas, found: DifferencePicture, part: Part) -> None:
    _box(canvas, found, found.within(part), (STRIP, STRIP + THICK), f"{part.kind} whole")
    x, y = found.area(part)
    if x.size > 1:
        curve = [_at(found, float(a), float(b)) for a, b in zip(x, found.down(y), strict=True)]
        ends = [_at(found, float(v), found.base) for v in (x[0], x[-1])]
        canvas.path([ends[0], *curve, ends[1]], part.kind)


def _curve(canvas: Canvas, found: DifferencePicture) -> None:
    if found.spike is not None:
        top = _at(found, found.spike, STRIP + THICK + 8)
        canvas.line(_at(found, found.spike, found.base), top, "heavy line4")
        canvas.dot(*top, 4.2, f"{found.part_of(found.spike).kind} whole")
    elif found.x.size:
        curve = zip(found.x, found.down(found.y), strict=True)
        canvas.path([_at(found, float(a), float(b)) for a, b in curve], "curve edge")


def _bar(canvas: Canvas, found: DifferencePicture) -> None:
    """Draw the interval with its ends, and the observed difference on it."""
    down = found.base + BAR
    canvas.line(_at(found, found.low, down), _at(found, found.high, down), "bar")
    for end in (found.low, found.high):
        canvas.line(_at(found, end, down - _CAP), _at(found, end, down + _CAP), "bar")
    x, y = _at(found, found.difference, down)
    canvas.path([(x, y - _DIAMOND), (x + _DIAMOND, y), (x, y + _DIAMOND), (x - _DIAMOND, y)], "mark4")
