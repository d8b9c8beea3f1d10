"""A line with what it is read against, each said in words beside its sign."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.plots.drawing import Area, Axis, Drawing, Figure, Item, Line, Marks, Panel, Text, around, box, line_of, mark, segment
from adjudge.plots.scales import Scale

MOST_TICKS = 7
WIDTH, PLOT = 480.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 26.0, 12.0, 46.0
"""Units: of the page and of the panel, and from the page to the panel; keys stand above it."""
STEP = 19.0
"""Units down of a key."""
_DOT = 4.8
_HALF = 10.0  # of a sign beside its words
_ROUND = (1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class Key:
    """A sign of the picture and what it says: a line, a band, a dot, or a line of reference, upright or level, at a value."""

    sign: str
    words: str
    x: float = math.nan
    y: float = math.nan


@dataclass(frozen=True, slots=True, eq=False)
class LinePicture(Figure):
    """One line, perhaps in a band, with the keys to it."""

    title: str
    x: FloatArray
    y: FloatArray
    across: Scale
    """Of the logarithm, to the base 10, where `logarithmic`."""
    up: Scale
    x_name: str
    y_name: str
    x_ticks: tuple[tuple[float, str], ...]
    keys: tuple[Key, ...]
    band: tuple[FloatArray, FloatArray, FloatArray] | None = None
    """Values across, and the limits there."""
    logarithmic: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """The values at the left and the right edge."""
        start, stop = self.across.start, self.across.stop
        return (10**start, 10**stop) if self.logarithmic else (start, stop)

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Round values and how they are written."""
        return self.up.ticks(room=200, most=MOST_TICKS)

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join(key.words for key in self.keys)

    @property
    def drawing(self) -> Drawing:
        """The line and its band, with the keys above."""
        (left, right), low, high = self.ends, self.up.start, self.up.stop
        items: list[Item] = [part for i, key in enumerate(self.keys) for part in _sign(key, TOP + i * STEP + 4)]
        if self.band is not None:
            x, *sides = self.band
            corners = around(*(self._within(x, side) for side in reversed(sides)))
            items.append(Area((corners,), "area0", styled=True))
        for key in self.keys:
            if key.sign == "upright":
                at = min(max(key.x, left), right)
                items.append(segment((at, low), (at, high), "ref"))
            elif key.sign == "level" and low <= key.y <= high:
                items.append(segment((left, key.y), (right, key.y), "ref"))
        items.append(Line(self._within(self.x, self.y), "curve line0", label=self.keys[0].words, styled=True))
        dots = [self._within(np.array([key.x]), np.array([key.y])) for key in self.keys if key.sign == "dot"]
        items += [Marks(at, "disc", _DOT, "mark1") for at in dots]
        across = Axis(left, right, self.x_ticks, self.x_name, log=self.logarithmic, notched=True)
        panel = panel_of(across, Axis(low, high, tuple(self.y_ticks), self.y_name, grid=True), len(self.keys), PLOT)
        return Drawing(WIDTH, panel.bottom + BOTTOM, self.title, self.words, tuple(items), panel)

    def _within(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return points that stay in the panel."""
        return line_of(np.clip(x, *self.ends), np.clip(y, self.up.start, self.up.stop))


def panel_of(x: Axis, y: Axis, keys: int, height: float) -> Panel:
    """Return a panel below so many keys."""
    top = TOP + keys * STEP + 6
    return Panel(LEFT, top, WIDTH - RIGHT, top + height, x, y)


def _sign(key: Key, down: float) -> list[Item]:
    """Return a sign and its words."""
    x, half = LEFT + _HALF, _HALF
    words = Text(x + half + 8, down + 4, key.words, "key", "start")
    if key.sign == "band":
        return [box((x - half, x + half), (down - 5, down + 5), "area0", page=True), words]
    if key.sign == "dot":
        return [mark(x, down, "disc", _DOT, "mark1", page=True), words]
    if key.sign == "upright":
        return [segment((x, down - 8), (x, down + 8), "ref", page=True), words]
    return [segment((x - half, down), (x + half, down), "ref" if key.sign == "level" else "curve line0", page=True), words]


def ratio_ticks(across: Scale, told: Callable[[float], str] = "{:g}".format) -> tuple[tuple[float, str], ...]:
    """Return 1, 2, 5, 10, 20 ... as far as there is room, else powers of ten with equally many left out."""
    powers = range(math.floor(across.start), math.ceil(across.stop) + 1)
    inside = [m * 10.0**power for power in powers for m in _ROUND if across.start <= math.log10(m * 10.0**power) <= across.stop]
    if len(inside) > MOST_TICKS:
        whole = [power for power in powers if across.start <= power <= across.stop]
        every = -(-len(whole) // MOST_TICKS)
        inside = [10.0**power for power in whole if not power % every]
    return tuple((v, told(v)) for v in inside)
