"""The threshold of the page: a ROC curve whose marks a script may move."""

from __future__ import annotations

from adjudge.plots.geometry import ticks
from adjudge.plots.operating import X_NAME, Y_NAME, Point, ThresholdPicture
from adjudge.plots.svg.canvas import Canvas, width_of

WIDTH, HEIGHT = 480.0, 400.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 16.0, 14.0, 46.0
FRAME = {"left": LEFT, "right": WIDTH - RIGHT, "top": TOP, "bottom": HEIGHT - BOTTOM}
"""Where the unit square lies, for the script."""
_MARK = 6.0
_SQUARE, _SMALL = 8.0, 5.0  # half a side: that of the mark goes around a dot
_LINE = 19.0


def threshold_svg(found: ThresholdPicture, name: str) -> str:
    """Return the ROC curve of a class with the threshold, the cheapest one and the line of equal cost as SVG."""
    canvas = Canvas(WIDTH, HEIGHT)
    _axes(canvas)
    low, high = ([_at(point) for point in side.tolist()] for side in found.band)
    canvas.path([*low, *high[::-1]], "band area0")
    canvas.line(_at((0, 0)), _at((1, 1)), "ref")
    canvas.path([_at(point) for point in zip(found.x.tolist(), found.y.tolist(), strict=True)], "curve line0 roc")
    x, y = found.here
    canvas.line(_at((x, y)), _at((x, 0)), "guide down")
    canvas.line(_at((x, y)), _at((0, y)), "guide across")
    canvas.line(_at(found.equal[0]), _at(found.equal[1]), "equal")
    _legend(canvas, found)
    if found.decided is not None:
        _square(canvas, _at(found.decided), "decided")
    canvas.dot(*_at(found.best), _MARK + 1.5, "best")
    canvas.dot(*_at(found.here), _MARK, "here")
    return canvas.drawn(name, "ROC curve with the threshold marked", found.words)


def _at(point: Point) -> tuple[float, float]:
    return LEFT + point[0] * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - point[1] * (HEIGHT - TOP - BOTTOM)


def _axes(canvas: Canvas) -> None:
    for v in ticks(0, 1):
        (x, y), (left, up) = _at((v, 0)), _at((0, v))
        canvas.line((x, y), _at((v, 1)), "grid")
        canvas.text(x, y + 18, f"{100 * v:g}%", "tick", "end" if v == 1 else "middle")
        canvas.line((left, up), _at((1, v)), "grid")
        canvas.text(left - 8, up + 4, f"{100 * v:g}%", "tick", "end")
    canvas.line(_at((0, 0)), _at((1, 0)), "axis")
    canvas.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, X_NAME, "lab")
    canvas.text(14, (TOP + HEIGHT - BOTTOM) / 2, Y_NAME, "lab", turn=-90)


def _square(canvas: Canvas, at: tuple[float, float], kind: str) -> None:
    (x, y), half = at, _SMALL if "key" in kind else _SQUARE
    corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half), (x - half, y - half)]
    canvas.path(corners, kind)


def _legend(canvas: Canvas, found: ThresholdPicture) -> None:
    """Write what the marks are, low to the right, where curves of good classifiers are not."""
    room = max(width_of(words, 12.5) for _, words in found.keys) + 32
    x, down = WIDTH - RIGHT - room, HEIGHT - BOTTOM - 14 - _LINE * (len(found.keys) - 1)
    canvas.plate(x - 6, down - 16, (room, _LINE * len(found.keys) + 6))
    for i, (kind, words) in enumerate(found.keys):
        y = down + i * _LINE
        if kind == "decided":
            _square(canvas, (x + 9, y - 4), "decided key-mark")
        elif kind in ("equal", "band"):
            canvas.line((x, y - 4), (x + 18, y - 4), "equal key-mark" if kind == "equal" else "band-key")
        else:
            canvas.dot(x + 9, y - 4, _MARK - 1, f"{kind} key-mark")
        canvas.text(x + 26, y, words, "key", "start")
