"""Where the parts of a picture of partition spaces go, in units down and across: simplexes, words, and the keys to them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.plots.drawing import LETTER, Text
from adjudge.plots.labels import count
from adjudge.plots.simplex import FEWEST, MOST, View, corners
from adjudge.plots.spaces import CORNERLESS, DIVISIONS, LANE, LARGEST, LEVELS, SMALLEST, Cells, Marks, Panel, Spaces

NARROW, WIDE = 480.0, 1000.0
"""Units across, of one space and of several."""
_MANY = 150  # cases up to which marks have their full size
_SHRINK = 0.16  # the power of the number of cases by which marks become smaller
_FULL, _THIN = 0.5, 0.3  # size of the fullest cell, of the way to the next: in a solid there must be room to see through
_LEAST = 0.28  # size of a cell with one case, beside one with most
BOLD = 10.5
"""Units that a bold letter takes where it is largest."""
HALF = 10.0
"""Half the width of a sign that is a line."""
_ABREAST, _SQUARE = 3, 4  # spaces beside each other; four stand in a square
_GAP, _SIDE = 20.0, 12.0
_LINE = 15.0  # from line to line
_HEAD, _FOOT, _AROUND = 22.0, 26.0, 40.0  # room above for the name, below for the goodness, for the corners' words
_STEP, _SIGN = 20.0, 26.0  # height of a key; room for its sign
HINT = "Drag, or use the arrow keys, to turn; Home turns back."
"""Words for pages on which a tetrahedron can be turned."""
ABOVE, BELOW = -27.0, 20.0
"""From a corner down to the first of its two lines."""
_OUTWARD = 0.8  # of their width, by which words at the outermost corner of a solid move out, where fewer marks lie


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a simplex lies: its middle, the length of an edge, and from where it is seen."""

    x: float
    y: float
    scale: float
    view: View
    left: float
    right: float
    """Between where the words at the corners must stay."""

    @property
    def words(self) -> tuple[float, ...]:
        """How words are set at the corners of a solid.

        How far below a corner the first line stands where that is above the middle, and where it is below; from line to line;
        the width of a letter; and by how much of their width words move for each unit that the corner lies beside the middle.
        """
        return ABOVE, BELOW, _LINE, BOLD, _OUTWARD / (self.view.reach * self.scale)

    def at(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return points as units across and down, and how far behind the middle they lie."""
        seen, away = self.view.seen(points)
        return seen * (self.scale, -self.scale) + (self.x, self.y), away


@dataclass(frozen=True, slots=True)
class Key:
    """A sign and what it means; the sign is named, and numbered where there are several."""

    sign: str
    numbers: tuple[float, ...]
    words: str
    half: float = HALF
    """Half the width of the sign."""
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A picture laid out."""

    width: float
    height: float
    frames: tuple[Frame, ...]
    labels: tuple[Text, ...]
    corner_labels: tuple[tuple[Text, ...], ...]
    """The words at each corner of each simplex, two lines for every one."""
    keys: tuple[Key, ...]
    radius: float
    """Half the width of a mark, or of the fullest cell."""


def abreast(picture: Spaces) -> int:
    """Return how many spaces stand beside each other where there is room."""
    return 2 if len(picture.panels) == _SQUARE else min(len(picture.panels), _ABREAST)


def laid_out(picture: Spaces, *, fixed: bool = False) -> Sheet:
    """Return where everything goes; what is fixed needs no room to be turned."""
    width, across = NARROW if len(picture.panels) == 1 else WIDE, abreast(picture)
    wide = _width(picture)
    high = _height(picture, wide, fixed=fixed)
    frames, labels, at_corners = [], [], []
    for i, panel in enumerate(picture.panels):
        start = (i % across) * (wide + _GAP), (i // across) * high
        frame = _frame(picture, start, wide, fixed=fixed)
        frames.append(frame)
        labels += _around(panel, start, (wide, high))
        at_corners.append(tuple(_at_corners(picture, panel, frame)))
    down = high * math.ceil(len(picture.panels) / across)
    radius = _radius(picture, wide)
    keys, notes, foot = _legend(picture, (width, down), radius)
    return Sheet(width, foot, tuple(frames), (*labels, *notes), tuple(at_corners), keys, radius)


def laid_apart(picture: Spaces) -> tuple[Sheet, ...]:
    """Return a sheet for each space and one for the keys, so that a narrow page can set them below each other."""
    wide = _width(picture)
    high, radius, frame = _height(picture, wide), _radius(picture, wide), _frame(picture, (0.0, 0.0), wide)
    sheets = []
    for panel in picture.panels:
        labels, words = tuple(_around(panel, (0.0, 0.0), (wide, high))), tuple(_at_corners(picture, panel, frame))
        sheets.append(Sheet(wide, high, (frame,), labels, (words,), (), radius))
    keys, notes, foot = _legend(picture, (NARROW, 0.0), radius)
    return (*sheets, Sheet(NARROW, foot, (), tuple(notes), (), keys, radius))


def cell_size(cases: FloatArray, most: int) -> FloatArray:
    """Return how large cells are drawn beside the fullest, by the logarithm of their cases: some hold thousands."""
    return _LEAST + (1 - _LEAST) * np.log(cases) / max(math.log(most), 1.0)


def _width(picture: Spaces) -> float:
    """Return how wide each space is."""
    across = abreast(picture)
    return NARROW if across == 1 else (WIDE - _GAP * (across - 1)) / across


def _edge(picture: Spaces, wide: float) -> float:
    """Return the length of an edge that leaves room for words beside it."""
    if picture.classes == FEWEST:
        return wide - 2 * 40
    narrow = 350
    side = wide - 2 * (46 if wide < narrow else 72)
    return side if picture.classes < MOST else 0.9 * side


def _reach(picture: Spaces, wide: float, *, fixed: bool) -> tuple[float, float]:
    """Return how far the simplex reaches above and below its middle: as it is seen, or however it is turned."""
    edge = _edge(picture, wide)
    if picture.classes == FEWEST:
        return LANE * edge, LANE * edge
    if picture.classes == MOST:
        up = picture.view.seen(corners(MOST))[0][:, 1]
        return (edge * up.max(), -edge * up.min()) if fixed else (edge * picture.view.reach, edge * picture.view.reach)
    return 3**-0.5 * edge, 3**-0.5 / 2 * edge


def _head(picture: Spaces) -> float:
    return _HEAD if any(panel.name for panel in picture.panels) else 4.0


def _height(picture: Spaces, wide: float, *, fixed: bool = False) -> float:
    above = 0.0 if picture.classes == FEWEST else _AROUND
    return _head(picture) + above + sum(_reach(picture, wide, fixed=fixed)) + _AROUND + _FOOT


def _frame(picture: Spaces, corner: tuple[float, float], wide: float, *, fixed: bool = False) -> Frame:
    left, top = corner
    above = 0.0 if picture.classes == FEWEST else _AROUND
    down = top + _head(picture) + above + _reach(picture, wide, fixed=fixed)[0]
    return Frame(left + wide / 2, float(round(down)), _edge(picture, wide), picture.view, left, left + wide)


def _radius(picture: Spaces, wide: float) -> float:
    """Return the size of marks: smaller where there are many, and in a smaller simplex."""
    smaller = math.sqrt(min(1.0, wide / NARROW))
    found = picture.panels[0].found
    if isinstance(found, Cells):
        return (_THIN if picture.turns else _FULL) * _edge(picture, wide) / DIVISIONS[picture.classes]
    many = max(panel.cases for panel in picture.panels) / _MANY
    return max(SMALLEST, LARGEST * smaller * math.pow(max(1.0, many), -_SHRINK))


def _around(panel: Panel, corner: tuple[float, float], size: tuple[float, float]) -> list[Text]:
    """Return the name above a space and its goodness below."""
    (left, top), (wide, high) = corner, size
    found = [Text(left + wide / 2, top + high - 10, panel.goodness, "key")]
    if panel.name:
        found.append(Text(left + wide / 2, top + 14, panel.name, "head"))
    return found


def _at_corners(picture: Spaces, panel: Panel, frame: Frame) -> list[Text]:
    found = []
    at, _ = frame.at(corners(picture.classes))
    outward = frame.words[-1] if picture.turns else 0.0
    for (x, y), corner in zip(at.tolist(), panel.corners, strict=True):
        rate = corner.rate if len(picture.panels) > 1 else corner.whole_rate
        down, anchor = y + (BELOW if y > frame.y else ABOVE), "middle"
        half = BOLD * max(len(corner.name), len(rate)) / 2
        across = min(max(x + 2 * half * outward * (x - frame.x), frame.left + half), frame.right - half)
        if picture.classes == FEWEST:
            across, down, anchor = x, y + LANE * frame.scale + 20, "start" if x < frame.x else "end"
        found += [Text(across, down, corner.name, "head halo", anchor), Text(across, down + _LINE, rate, "aside halo", anchor)]
    return found


def _legend(picture: Spaces, start: tuple[float, float], radius: float) -> tuple[tuple[Key, ...], list[Text], float]:
    """Return the keys in lines, the notes below them, and where they end."""
    placed: list[Key] = []
    width, y = start[0], start[1] + 14
    for line in _lines(picture, radius):
        x = _SIDE
        for key in line:
            sign = max(_SIGN, 2 * key.half + 6)
            room = sign + (LETTER + 1) * len(key.words) + 10
            if x > _SIDE and x + room > width:
                x, y = _SIDE, y + _STEP
            placed.append(replace(key, x=x + sign / 2, y=y))
            x += room
        y += _STEP
    notes = [words for note in picture.notes for words in wrap(note, int((width - 2 * _SIDE) / LETTER))]
    told = [(words, "aside") for words in notes] + ([(HINT, "hint aside")] if picture.turns else [])
    labels = [Text(_SIDE, y + 2 + i * _LINE, words, style, "start") for i, (words, style) in enumerate(told)]
    return tuple(placed), labels, y + _LINE * len(told) - 4


def _lines(picture: Spaces, radius: float) -> list[list[Key]]:
    """Return the keys, in lines."""
    names = [corner.name for corner in picture.panels[0].corners]
    apart = isinstance(picture.panels[0].found, Marks)
    lines = [[Key("mark", (i, i), name) for i, name in enumerate(names)]]
    if apart and picture.known:
        strange = [Key("mark", (0, CORNERLESS), "assigned to a class without corner")] if picture.strange else []
        lines.append([Key("mark", (0, 1), "inside: true class; ring: assigned class"), *strange])
    elif picture.classes > FEWEST and not apart:
        lines += _of_cells(picture, radius)
    strokes = [Key("border", (), "border of the best class" if picture.choice.whole else "border of the best drawn")]
    if picture.classes > FEWEST:
        strokes.append(Key("second", (), "of the second-best"))
    if picture.lines is not None:
        corner = {"accuracy": "true class (Ac)", "separation": "assigned class (AS)"}[picture.lines]
        strokes.append(Key("toward", (0,), f"to the corner of the {corner}"))
    return [*lines, strokes]


def _of_cells(picture: Spaces, radius: float) -> list[list[Key]]:
    most = picture.most
    shares = [f"{round(100 * level)}%" for level in LEVELS]
    words = [f"majority's share: up to {shares[0]}", *shares[1:], "more"]
    shades = [Key("shade", (i,), word) for i, word in enumerate(words)]
    cells = []
    for n in sorted({1, round(most**0.5), most}):
        half = radius * float(cell_size(np.array(float(n)), most))
        cells.append(Key("cell", (), f"{count(n)} cases in a cell" if n == most else count(n), half))
    return [shades, cells]
