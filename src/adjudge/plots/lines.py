"""A line with what it is read against, each said in words beside its sign."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass
from adjudge.plots.drawing import Axis, Drawing, Item, Line, Marks, Panel, Text, band, box, line_of, mark, segment
from adjudge.plots.labels import ems
from adjudge.plots.scales import Scale, in_room
from adjudge.plots.style import LETTERS

_MOST_TICKS = 7
_WIDTH, _DOT = 480.0, 4.8
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 26.0, 12.0, 46.0  # from the page to the panel, above which keys stand
_STEP = 19.0  # units down of a key
_STYLES = {"line": "curve line0", "band": "area0", "dot": "mark1", "level": "ref", "upright": "upright"}


@dataclass(frozen=True, slots=True)
class Key:
    """A sign of the picture and what it says: a line, a band, a dot, or a line of reference, upright or level, at a value."""

    sign: str
    words: str
    x: float = math.nan
    y: float = math.nan


def line_picture(
    title: str,
    line: tuple[FloatArray, FloatArray],
    across: Axis,
    up: tuple[Scale, str],
    keys: Sequence[Key],
    limits: tuple[FloatArray, FloatArray, FloatArray] | None = None,
) -> Drawing:
    """Return one line with the keys to it above, perhaps in a band: values across, and the `limits` there."""
    left, right, low, high = across.start, across.stop, up[0].start, up[0].stop

    def within(x: FloatArray | float, y: FloatArray | float) -> FloatArray:
        return line_of(np.clip(np.atleast_1d(x), left, right), np.clip(np.atleast_1d(y), low, high))

    items: list[Item] = [part for pair in keys_above([(_STYLES[key.sign], key.words) for key in keys], 10.0) for part in pair]
    if limits is not None:
        x, low_side, high_side = limits
        items.append(band(within(x, high_side), within(x, low_side), "area0"))
    for key in keys:
        if key.sign == "upright":
            at = min(max(key.x, left), right)
            items.append(segment((at, low), (at, high), "ref"))
        elif key.sign == "level" and low <= key.y <= high:
            items.append(segment((left, key.y), (right, key.y), "ref"))
    items.append(Line(within(*line), "curve line0", label=keys[0].words, styled=True))
    items += [Marks(within(key.x, key.y), "disc", _DOT, "mark1") for key in keys if key.sign == "dot"]
    return below_keys(items, across, *up, len(keys), 250.0, (title, "; ".join(key.words for key in keys)))


def keys_above(keys: Sequence[tuple[str, str]], half: float) -> list[tuple[Item, Text]]:
    """Return signs, each by its style and `half` as wide to either side, and the words beside them, from line to line."""
    x, signs = _LEFT + half, list[tuple[Item, Text]]()
    for i, (style, words) in enumerate(keys):
        y = _TOP + i * _STEP + 4
        sign: Item = segment((x - half, y), (x + half, y), style, page=True)
        if style.startswith("area"):
            sign = box((x - half, x + half), (y - 5, y + 5), style, page=True)
        elif style.startswith("mark"):
            sign = mark(x, y, "disc", _DOT, style, page=True)
        elif style == "upright":
            sign = segment((x, y - 8), (x, y + 8), "ref", page=True)
        signs.append((sign, Text(x + half + 8, y + 4, words, "key", "start")))
    return signs


def below_keys(
    items: Sequence[Item], across: Axis, up: Scale, name: str, keys: int, height: float, told: tuple[str, str], heading: str = ""
) -> Drawing:
    """Return a picture in a panel so high below so many keys; `told` are its title and words."""
    top, (across, more) = _TOP + keys * _STEP + 6, in_room(across)
    upwards = up.axis(name, 200, _MOST_TICKS, grid=True)
    left = max(_LEFT, 30 + LETTERS * max((ems(words) for _, words in upwards.ticks), default=0.0))
    panel = Panel(left, top, _WIDTH - _RIGHT, top + height, across, upwards)
    return Drawing(_WIDTH, panel.bottom + _BOTTOM + more, *told, tuple(items), panel, heading)


def ratio_axis(across: Scale, name: str, told: Callable[[float], str] = "{:g}".format) -> Axis:
    """Return the axis of logarithms to the base 10, with 1, 2, 5, 10, 20 ... as far as there is room, else powers of ten."""
    powers = range(math.floor(across.start), math.ceil(across.stop) + 1)
    inside = [v for power in powers for v in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)]
    inside = [v for v in inside if across.start <= math.log10(v) <= across.stop]
    if len(inside) > _MOST_TICKS:  # equally many are left out
        whole = [power for power in powers if across.start <= power <= across.stop]
        every = -(-len(whole) // _MOST_TICKS)
        inside = [10.0**power for power in whole if not power % every]
    ticks = tuple((v, told(v)) for v in inside)
    return Axis(10**across.start, 10**across.stop, ticks, f"{name}, in equal ratios", log=True, notched=True)
