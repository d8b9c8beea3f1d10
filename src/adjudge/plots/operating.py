"""A threshold on the ROC curve of its class, beside the cheapest one and what was decided: what is drawn, before it is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.levels import share
from adjudge.judgements.threshold_table import ThresholdTable
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.plots.curves import sides, thinned
from adjudge.plots.drawing import (
    Area,
    Axis,
    Drawing,
    Figure,
    Item,
    Line,
    NothingToDrawError,
    Panel,
    Text,
    around,
    box,
    line_of,
    mark,
    segment,
)
from adjudge.plots.labels import loss, named
from adjudge.plots.scales import ticks
from adjudge.stats.bands import roc_band

Point = tuple[float, float]
X_NAME, Y_NAME = "False positive rate (false alarms)", "True positive rate (found)"
FRAME = {"left": 56.0, "right": 464.0, "top": 14.0, "bottom": 354.0}
"""Where the unit square lies on the page, for the script."""
_MARK, _STEP = 6.0, 19.0  # radius of a mark, and units down of a key
_CLOSE = 1e-9
_TINY = 0.005  # probabilities below it differ in more digits than others
_MOST_DIGITS = 20
_RARE = (1e-2, 1e-3, 1e-4, 1e-5)  # below each of them a share has one more decimal


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdPicture(Figure):
    """The ROC curve of one class with a threshold marked on it."""

    of: Any
    x: FloatArray
    y: FloatArray
    band: tuple[FloatArray, FloatArray]
    here: Point
    """The threshold asked for."""
    best: Point
    """That of least expected cost."""
    decided: Point | None
    """What the decisions in use do, which need not follow any threshold."""
    equal: tuple[Point, Point]
    """The points of the same expected cost as the threshold's lie on the line between these."""
    level: float
    words: str

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """What each mark is called: its kind, and words."""
        decided = () if self.decided is None else (("decided", "as decided"),)
        level = f"{100 * self.level:.6g}%"
        marks = (("here", "this threshold"), ("best", "least expected cost"), *decided)
        return (*marks, ("equal", "the same cost"), ("band", f"{level} band of the whole curve"))

    @property
    def drawing(self) -> Drawing:
        """The curve with its band, the threshold, the cheapest one and the line of equal cost; a script may move them."""
        x, y = self.here
        items: list[Item] = [
            Area((around(*self.band),), "band area0", styled=True),
            segment((0, 0), (1, 1), "ref"),
            Line(line_of(self.x, self.y), "curve line0 roc", label="ROC curve", styled=True),
            segment((x, y), (x, 0), "guide down"),
            segment((x, y), (0, y), "guide across"),
            segment(*self.equal, "equal"),
        ]
        room, tall = 7.5 * max(len(words) for _, words in self.keys) + 32, _STEP * (len(self.keys) - 1)
        left, down = FRAME["right"] - room, FRAME["bottom"] - 14 - tall
        items.append(box((left - 6, left - 6 + room), (down - 16, down - 10 + tall + _STEP), "plate", page=True))
        for i, (kind, words) in enumerate(self.keys):
            at = down + i * _STEP - 4
            if kind in ("equal", "band"):
                items.append(segment((left, at), (left + 18, at), "equal key-mark" if kind == "equal" else "band-key", page=True))
            else:
                shape, size = ("square", 5.0) if kind == "decided" else ("disc", _MARK - 1)
                items.append(mark(left + 9, at, shape, size, f"{kind} key-mark", page=True))
            items.append(Text(left + 26, at + 4, words, "key", "start"))
        told = dict(self.keys)
        items += [] if self.decided is None else [mark(*self.decided, "square", 8.0, "decided", label=told["decided"])]
        items.append(mark(*self.best, "disc", _MARK + 1.5, "best", label=told["best"]))
        items.append(mark(*self.here, "disc", _MARK, "here", label=told["here"]))
        percent = tuple((v, f"{100 * v:g}%") for v in ticks(0, 1))
        axes = Axis(0.0, 1.0, percent, X_NAME, grid=True), Axis(0.0, 1.0, percent, Y_NAME, grid=True)
        panel = Panel(FRAME["left"], FRAME["top"], FRAME["right"], FRAME["bottom"], *axes)
        heading = f"{named([self.of], 40)[0]} against the rest"
        return Drawing(480.0, 400.0, "ROC curve with the threshold marked", self.words, tuple(items), panel, heading)


def threshold_picture(found: Thresholds, *, threshold: float | None = None, of: Any = None, **use: Any) -> ThresholdPicture:
    """Return the picture of a threshold, that to begin with if left out; `use` are prevalence and costs of ``Thresholds.at``."""
    first = found.first(of)
    asked = first.use if first is found.asked else {}
    here = found.at(first.threshold if threshold is None else threshold, of=of, **asked | use)
    return _picture(found, here)


def point_picture(here: Operating) -> ThresholdPicture:
    """Return the picture of one threshold on the ROC curve that it is a point of."""
    if here.every is None:
        msg = "This point knows no curve to be drawn on. Draw what Thresholds.at() or Thresholds.least_cost() gives."
        raise NothingToDrawError(msg)
    return _picture(here.every, here)


def _picture(found: Thresholds, here: Operating) -> ThresholdPicture:
    table = found.table(here.of)
    best = found.least_cost(of=here.of, **here.use)
    x, y = table.alarms / table.others, table.found / table.cases
    kept = thinned(x, y)
    band = roc_band(x, y, table.worth[1], table.worth[0], found.level)
    at, cheapest = _point(table, here), _point(table, best)
    decided = None if table.decided is None else (table.decided[1] / table.others, table.decided[0] / table.cases)
    equal, words = equal_cost(at, slope(here)), _words(here, best)
    return ThresholdPicture(table.of, x[kept], y[kept], sides(band), at, cheapest, decided, equal, found.level, words)


def slope(found: Operating) -> float:
    r"""Return how many more cases found make up for more false alarms, :math:`(1 - \pi) C_+ / (\pi C_-)`, in rates."""
    return (1 - found.prevalence) * found.alarm_cost / (found.prevalence * found.miss_cost)


def equal_cost(at: Point, rise: float) -> tuple[Point, Point]:
    """Return where the line of that slope through a point enters and leaves the unit square.

    >>> equal_cost((0.5, 0.5), 1.0)
    ((0.0, 0.0), (1.0, 1.0))
    """
    x, y = at
    ends = ((0.0, y - rise * x), (1.0, y + rise * (1 - x)), (x - y / rise, 0.0), (x + (1 - y) / rise, 1.0))
    within = sorted(end for end in ends if all(-_CLOSE <= value <= 1 + _CLOSE for value in end))
    return (within[0], within[-1]) if within else (at, at)


def _point(table: ThresholdTable, found: Operating) -> Point:
    return found.alarms / table.others, found.found / table.cases


def threshold_words(value: float, *, probable: bool, alike: Point | None = None) -> str:
    """Return a threshold as a reader sees it; from infinity on nobody is called.

    `alike` are the scores between which a threshold calls the same cases, the upper one included: digits are added until the
    number shown does so too, so that a reader who copies it decides as was judged.

    >>> threshold_words(0.61728, probable=True), threshold_words(0.61728, probable=True, alike=(0.61709, 0.61728))
    ('61.7%', '61.728%')
    """
    if np.isinf(value):
        return "none positive" if value > 0 else "all positive"
    percent = probable and 0 <= value <= 1
    first = loss(value) if not percent else f"{100 * value:.3g}%" if 0 < value < _TINY else share(value)
    if alike is None or alike[0] < _meant(first) <= alike[1]:
        return first
    each = (_with_digits(value, digits, percent=percent) for digits in range(2, _MOST_DIGITS))
    return next((text for text in each if alike[0] < _meant(text) <= alike[1]), f"{value!r}")


def thresholds_told(table: ThresholdTable, thresholds: FloatArray) -> list[str]:
    """Return thresholds on the score of a class as a reader sees them, with as many digits as tell them from others."""
    each = zip(thresholds.tolist(), *(ends.tolist() for ends in table.alike(thresholds)), strict=True)
    return [threshold_words(value, probable=table.probable, alike=(low, high)) for value, low, high in each]


def _with_digits(value: float, digits: int, *, percent: bool) -> str:
    """Return a threshold to so many decimals of a percentage, or to more significant digits than a plain score has."""
    exact = Decimal(value)
    return f"{exact * 100:.{digits}f}%" if percent else f"{value:.{digits + 3}g}"


def _meant(text: str) -> float:
    """Return the number that a reader would take a threshold for; NaN where it is only said to be beyond some number."""
    if text[0] in "<>":
        return math.nan
    number = Decimal(text.rstrip("%").replace(",", ""))
    return float(number / 100 if text.endswith("%") else number)


def rare(value: float) -> str:
    """Return a share as a percentage, below 1% to two significant digits: rare classes differ there.

    >>> rare(0.233), rare(0.0123), rare(0.001), rare(0.0005)
    ('23.3%', '1.2%', '0.10%', '0.050%')
    """
    return share(value, 1 + sum(0 < value < limit for limit in _RARE), 6)


def _words(here: Operating, best: Operating) -> str:
    each = [
        f"sensitivity {share(float(p.sensitivity.value))}, specificity {share(float(p.specificity.value))}" for p in (here, best)
    ]
    return f"{named([here.of], 40)[0]} against the rest. This threshold: {each[0]}; least expected cost: {each[1]}."
