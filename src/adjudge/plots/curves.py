"""Curves of one kind in one picture, each with as few points as show it, and a threshold on the ROC curve of its class."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from adjudge._base import counted, share
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.counts.curves import Curve
from adjudge.judgements.curves import ThresholdTable
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.plots import NothingToDrawError
from adjudge.plots.drawing import LINE, Area, Axis, Drawing, Item, Line, Panel, Text, band, box, line_of, lines_of, mark, segment
from adjudge.plots.labels import count, ems, in_lines, named, number, threshold_words
from adjudge.plots.scales import shares, ticks
from adjudge.plots.style import LETTERS, MOST_LINES
from adjudge.stats.bands import Band

MOST_POINTS = 400  # points of a drawn curve
_TOLERANCE = 0.0005  # how far a drawn curve of the unit square may leave the true one: a fifth of a pixel
_SMALL = 0.5  # where nothing of a reliability diagram reaches this, the picture ends at the highest
_CONTEXT_POINTS = 120
_COLUMNS = 2000  # strips of the unit square that a very long curve is first brought down to
_LONG = 4 * _COLUMNS
_WIDTH, _HEIGHT = 480.0, 370.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 16.0, 16.0, 46.0
_LARGEST_DOT = 12.0  # radius of a dot that stands for every case
_STEP = 18.0  # height of a line of the legend
_TALLEST = 40.0  # bar of the bin with most cases
_SIDES = 48.0  # units before the words of a legend below the picture, and behind them
_STEPS = 64  # points of a straight line at which a legend must not stand
_SEARCHED = ("reliability", "precision-recall")  # curves that may lie in any corner
_MOST = 0.66  # of the width of the panel, that a legend within it may take
_TITLES = {
    "roc": "ROC curve",
    "precision-recall": "Precision-recall curve",
    "reliability": "Reliability of the probabilities",
    "risk-coverage": "Risk-coverage curve",
}
_AREAS = {"roc": "AUC", "precision-recall": "average precision", "reliability": "calibration error"}
Point = tuple[float, float]
FRAME = {"left": 56.0, "right": 464.0, "top": 14.0, "bottom": 354.0}  # where the unit square lies on the page, for the script
_MARK, _KEY_STEP = 6.0, 19.0  # radius of a mark, and units down of a key
_CLOSE = 1e-9


def curve_set(curves: Sequence[Curve]) -> Drawing:
    """Return curves of one kind in one picture; of more than there are colours the least areas have one, others lie behind."""
    first, alone = curves[0], len(curves) == 1
    order = sorted(range(len(curves)), key=lambda i: (math.isnan(curves[i].area), curves[i].area))
    coloured, behind = ([curves[i] for i in sorted(some)] for some in (order[:MOST_LINES], order[MOST_LINES:]))
    right, top = _ends(curves)
    items, limits, note = list[Item](), list[Line](), ""
    if first.name in ("roc", "reliability"):
        items.append(segment((0, 0), (right, min(right, top)), "ref"))
    elif first.name == "precision-recall" and alone and first.y.size:
        items.append(segment((0, float(first.y[-1])), (right, float(first.y[-1])), "ref"))
    words = [f"{_AREAS.get(first.name, 'area')} {number(curve.area)}" for curve in coloured]
    names = named([curve.of for curve in coloured], 60)
    told = [area if curve.of is None else f"{name}: {area}" for curve, name, area in zip(coloured, names, words, strict=True)]
    keys = [(f"curve line{colour}", each) for colour, each in enumerate(told)]
    if alone and first.band is not None:  # the bands of several would hide each other
        note = f"{100 * first.band.level:.6g}% {'band of the whole curve' if first.size is None else 'interval of each bin'}"
        if first.size is None:
            items.append(band(*sides(first.band), "band area0", label=note))
            keys.append(("band-key", note))
        else:
            low, high, sizes = first.band.low.tolist(), first.band.high.tolist(), first.size / first.size.sum()
            tall = _TALLEST / (_HEIGHT - _TOP - _BOTTOM) * top / float(sizes.max())
            for (x, start), (_, end), size in zip(low, high, sizes.tolist(), strict=True):
                limits += [segment((x, 0), (x, size * tall), "cases"), segment((x, start), (x, end), "bar thin")]
            keys += [("bar thin", note), ("cases", f"cases in each bin, at most {count(float(first.size.max(initial=0.0)))}")]
    keys += [("context", counted(len(behind), "other"))] if behind else []
    items += [*limits, *(Line(_points(curve, _CONTEXT_POINTS), "context") for curve in behind)]
    for colour, (curve, area) in enumerate(zip(coloured, words, strict=True)):
        items += _curve(curve, colour, area, filled=alone and not note)
    axes = Axis(0.0, right, shares(right), first.x_name, grid=True), Axis(0.0, top, shares(top), first.y_name, grid=True)
    panel = Panel(_LEFT, _TOP, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM, *axes)
    legend, foot = _legend(keys, first.name, _ink(curves, limits, panel) if first.name in _SEARCHED else np.empty((0, 2)))
    said = "; ".join(filter(None, [*told, note]))
    return Drawing(_WIDTH, max(_HEIGHT, foot), _TITLES.get(first.name, first.name), said, (*items, *legend), panel)


def _ends(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return where the axes end: at 1, or before where errors are few or all probabilities small."""

    def reach(parts: Sequence[FloatArray]) -> float:
        highest = max((float(part.max()) for part in parts if part.size), default=1.0)
        return ticks(0.0, highest)[-1] if 0 < highest < _SMALL else 1.0

    if curves[0].name == "reliability":
        right = reach([curve.x for curve in curves])
        limits = [curve.band.high[:, 1] for curve in curves if curve.band is not None]
        return right, max(right, reach([*(curve.y for curve in curves), *limits]))
    if curves[0].name == "risk-coverage":
        return 1.0, ticks(0.0, max((float(curve.y.max()) for curve in curves if curve.y.size), default=1.0) or 1.0)[-1]
    return 1.0, 1.0


def _points(curve: Curve, most: int = MOST_POINTS) -> FloatArray:
    """Return the points of a curve that are drawn: all that are dots, else as many as show it."""
    if curve.size is not None:
        return line_of(curve.x, curve.y)
    x, y = stepped(curve.x, curve.y) if curve.name == "precision-recall" else (curve.x, curve.y)
    kept = thinned(x, y, most=most)
    return line_of(x[kept], y[kept])


def _curve(curve: Curve, colour: int, label: str, *, filled: bool) -> Iterator[Item]:
    at = _points(curve)
    if filled and curve.name in ("roc", "precision-recall") and len(at):
        yield Area((np.concatenate([[(at[0, 0], 0.0)], at, [(at[-1, 0], 0.0)]]),), "area0", styled=True)
    if curve.size is None:
        yield Line(at, f"curve line{colour}", label=label, styled=True)
    else:  # dots stand for themselves, the line leads the eye
        yield Line(at, f"curve thin joined line{colour}", styled=True)
        for (x, y), radius in zip(at.tolist(), _radii(curve.size), strict=True):
            yield mark(x, y, "disc", radius, f"dot mark{colour}" if colour else "dot")


def _radii(sizes: FloatArray) -> list[float]:
    return [2 + _LARGEST_DOT * math.sqrt(size) for size in (sizes / sizes.sum()).tolist()]


def _ink(curves: Sequence[Curve], limits: Sequence[Line], panel: Panel) -> FloatArray:
    """Return points on the page along every straight line of dots: between them, across them, their limits and bars."""
    ends = [panel.at(line.points) for line in limits]
    for curve in curves:
        at = panel.at(_points(curve, _CONTEXT_POINTS))
        ends += [np.stack(pair) for pair in pairwise(at)]
        for point, radius in zip(at, [2.0] * len(at) if curve.size is None else _radii(curve.size), strict=True):
            ends += [np.stack([point - reach, point + reach]) for reach in ((radius, 0.0), (0.0, radius))]
    return np.concatenate([np.linspace(start, end, _STEPS) for start, end in ends])


def _legend(keys: Sequence[tuple[str, str]], name: str, ink: FloatArray) -> tuple[list[Item], float]:
    """Return the legend where the curves of good classifiers are not, mostly low to the right, and units down to its foot."""
    room, tall = LETTERS * max(ems(words) for _, words in keys) + 36, _STEP * (len(keys) - 1)
    below = room > _MOST * (_WIDTH - _LEFT - _RIGHT)  # where there is room for long names, in two lines if need be
    if below:
        longest = (_WIDTH - _SIDES) / LETTERS
        if any(ems(words) > longest for _, words in keys):  # each name above what is said of it
            parts = [(style, *words.rpartition(": ")) for style, words in keys]
            keys = [(style, f"{in_lines([name], longest)[0]}:\n{told}" if name else told) for style, name, _, told in parts]
        tall += LINE * sum(words.count("\n") for _, words in keys)
    left, right, top, low = _LEFT + 14, _WIDTH - _RIGHT - room - 6, _TOP + 18, _HEIGHT - _BOTTOM - 14 - tall
    x = left if name == "risk-coverage" else right
    y = top if name == "risk-coverage" else low
    if below:
        x, y = 10.0, _HEIGHT + 18
    elif name in _SEARCHED:  # a corner where it hides nothing that is drawn, or below the picture
        corners = [(left, top), (right, low), (right, low - _TALLEST - 6), (right, top), (left, low)]
        corners = [(left, low), (right, top), (right, low), (left, top)] if name == "precision-recall" else corners
        for x, y in (*corners, (left, _HEIGHT + 18)):
            off = ink - (x - 10, y - 20)  # the plate and a little around it
            if not np.any(np.all((off >= 0) & (off <= (room + 8, tall + 30)), axis=1)):
                break
    items: list[Item] = [box((x - 6, x - 6 + room), (y - 16, y - 16 + tall + _STEP + 4), "plate", page=True)]
    down = y
    for style, words in keys:
        items.append(segment((x, down - 4), (x + 20, down - 4), style, page=True))
        items += lines_of(Text(x + 28, down, words, "key", "start"))
        down += _STEP + LINE * words.count("\n")
    return items, y + tall + _STEP - 6


def sides(band: Band) -> tuple[FloatArray, FloatArray]:
    """Return both sides of a band with as many points as are seen."""
    low, high = (side[thinned(side[:, 0], side[:, 1])] for side in (band.low, band.high))
    return low, high


def stepped(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the steps whose area is the average precision: the height of each point holds back to the one before.

    Straight lines between points would promise precision that no threshold gives (Davis and Goadrich 2006).
    """
    x, y = np.append(0.0, x), np.append(y[:1], y)  # the first height holds back to a recall of 0
    return np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]


def thinned(x: FloatArray, y: FloatArray, *, most: int = MOST_POINTS) -> IntArray:
    """Return which points of a curve in the unit square to draw: both ends, and those it cannot do without.

    The point farthest from what is drawn is added until none is farther than a reader sees, or `most` are drawn
    (Douglas and Peucker 1973). A very long curve is first brought down to the lowest and highest points of thin strips.
    """
    candidates = np.arange(x.size)
    if x.size > _LONG:
        starts = np.flatnonzero(np.diff(np.floor(x * _COLUMNS), prepend=np.nan) != 0)
        run = np.repeat(np.arange(starts.size), np.diff(np.append(starts, x.size)))
        extremes = []
        for extreme in (np.minimum, np.maximum):
            at = np.flatnonzero(y == extreme.reduceat(y, starts)[run])
            extremes.append(at[np.unique(run[at], return_index=True)[1]])
        candidates = np.unique(np.concatenate([starts, np.append(starts[1:], x.size) - 1, *extremes]))
    x, y = x[candidates], y[candidates]
    cuts = dict[tuple[int, int], tuple[float, int]]()  # of stretches worth one: minus the distance and the place of the farthest
    i, j = np.array([0]), np.array([x.size - 1])
    while (i := i[apart := j - i > 1]).size:  # stretches of one depth at once
        distance, at = _farthest(x, y, i, j := j[apart])
        far = distance > _TOLERANCE
        i, at, j = i[far], at[far], j[far]
        stretches, farthest = zip(i.tolist(), j.tolist(), strict=True), zip((-distance[far]).tolist(), at.tolist(), strict=True)
        cuts |= zip(stretches, farthest, strict=True)
        i, j = np.concatenate([i, at]), np.concatenate([at, j])
    whole = (0, x.size - 1)
    kept, waiting = set(whole) if x.size else set(), [(*cuts[whole], *whole)] if whole in cuts else []
    while waiting and len(kept) < most:
        _, cut, first, last = heapq.heappop(waiting)
        kept.add(cut)
        for stretch in ((first, cut), (cut, last)):
            if stretch in cuts:
                heapq.heappush(waiting, (*cuts[stretch], *stretch))
    return np.asarray(candidates[sorted(kept)])


def _farthest(x: FloatArray, y: FloatArray, i: IntArray, j: IntArray) -> tuple[FloatArray, IntArray]:
    """Return how far the point farthest from the straight line between its ends lies in each stretch, and which it is."""
    sizes = j - i - 1
    starts = np.cumsum(sizes) - sizes
    at = np.arange(sizes.sum()) + np.repeat(i + 1 - starts, sizes)
    first, last = np.repeat(i, sizes), np.repeat(j, sizes)
    distance = off_line(x[at], y[at], (x[first], y[first]), (x[last], y[last]))
    farthest = np.maximum.reduceat(distance, starts)
    places = np.flatnonzero(distance == np.repeat(farthest, sizes))
    return farthest, at[places[np.searchsorted(places, starts)]]


def off_line(x: FloatArray, y: FloatArray, start: tuple[AnyArray, AnyArray], end: tuple[AnyArray, AnyArray]) -> FloatArray:
    """Return how far points lie from the straight line between `start` and `end`, one line for all or one for each."""
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    length = along_x**2 + along_y**2
    x, y = x - start[0], y - start[1]
    part = np.clip((x * along_x + y * along_y) / np.where(length, length, 1), 0, 1)  # ends that are one point have no direction
    return np.asarray(np.hypot(x - part * along_x, y - part * along_y))


def threshold_picture(result: Thresholds | Operating) -> Drawing:
    """Return the ROC curve in its band, a threshold, the cheapest one and the line of equal cost; a script may move them."""
    here = result if isinstance(result, Operating) else result.begin or result.first()
    if here.every is None:
        msg = "This point knows no curve to be drawn on. Draw what Thresholds.at() or Thresholds.least_cost() gives."
        raise NothingToDrawError(msg)
    table, best, level = here.every.table(), here.best or here, here.every.level
    x, y = table.alarms / table.others, table.found / table.cases
    kept = thinned(x, y)
    at, cheapest = ((each.alarms / table.others, each.found / table.cases) for each in (here, best))
    items: list[Item] = [
        *([] if table.band is None else [band(*sides(table.band), "band area0")]),
        segment((0, 0), (1, 1), "ref"),
        Line(line_of(x[kept], y[kept]), "curve line0 roc", label="ROC curve", styled=True),
        segment(at, (at[0], 0), "guide down"),
        segment(at, (0, at[1]), "guide across"),
        segment(*equal_cost(at, slope(here)), "equal"),
    ]
    keys = {"here": "this threshold", "best": "least expected cost"}
    keys |= {} if table.decided is None else {"decided": "as decided"}
    keys |= {"equal": "the same cost"} | ({} if table.band is None else {"band": f"{100 * level:.6g}% band of the whole curve"})
    room, tall = 7.5 * max(map(len, keys.values())) + 32, _KEY_STEP * (len(keys) - 1)
    left, down = FRAME["right"] - room, FRAME["bottom"] - 14 - tall
    items.append(box((left - 6, left - 6 + room), (down - 16, down - 10 + tall + _KEY_STEP), "plate", page=True))
    for i, (kind, words) in enumerate(keys.items()):
        y0 = down + i * _KEY_STEP - 4
        if kind in ("equal", "band"):
            items.append(segment((left, y0), (left + 18, y0), "equal key-mark" if kind == "equal" else "band-key", page=True))
        else:
            shape, size = ("square", 5.0) if kind == "decided" else ("disc", _MARK - 1)
            items.append(mark(left + 9, y0, shape, size, f"{kind} key-mark", page=True))
        items.append(Text(left + 26, y0 + 4, words, "key", "start"))
    if table.decided is not None:  # which need not follow any threshold
        decided = table.decided[1] / table.others, table.decided[0] / table.cases
        items.append(mark(*decided, "square", 8.0, "decided", label=keys["decided"]))
    items.append(mark(*cheapest, "disc", _MARK + 1.5, "best", label=keys["best"]))
    items.append(mark(*at, "disc", _MARK, "here", label=keys["here"]))
    names = "False positive rate (false alarms)", "True positive rate (found)"
    across, up = (Axis(0.0, 1.0, shares(), name, grid=True) for name in names)
    panel = Panel(FRAME["left"], FRAME["top"], FRAME["right"], FRAME["bottom"], across, up)
    rates = [(share(float(p.sensitivity.value)), share(float(p.specificity.value))) for p in (here, best)]
    told = [f"sensitivity {hit}, specificity {spared}" for hit, spared in rates]
    heading = f"{named([here.of], 60)[0]} against the rest"
    words = f"{heading}. This threshold: {told[0]}; least expected cost: {told[1]}."
    return Drawing(480.0, 400.0, "ROC curve with the threshold marked", words, tuple(items), panel, heading)


def slope(point: Operating) -> float:
    r"""Return how many more cases found make up for more false alarms, :math:`(1 - \pi) C_+ / (\pi C_-)`, in rates."""
    return (1 - point.prevalence) * point.alarm_cost / (point.prevalence * point.miss_cost)


def equal_cost(at: Point, rise: float) -> tuple[Point, Point]:
    """Return where the line of that slope through a point enters and leaves the unit square.

    >>> equal_cost((0.5, 0.5), 1.0)
    ((0.0, 0.0), (1.0, 1.0))
    """
    x, y = at
    ends = ((0.0, y - rise * x), (1.0, y + rise * (1 - x)), (x - y / rise, 0.0), (x + (1 - y) / rise, 1.0))
    within = sorted(end for end in ends if all(-_CLOSE <= value <= 1 + _CLOSE for value in end))
    return (within[0], within[-1]) if within else (at, at)


def thresholds_told(table: ThresholdTable, thresholds: FloatArray) -> list[str]:
    """Return thresholds on the score of a class as a reader sees them, with as many digits as tell them from others."""
    each = zip(thresholds.tolist(), *(ends.tolist() for ends in table.alike(thresholds)), strict=True)
    return [threshold_words(value, probable=table.probable, alike=(low, high)) for value, low, high in each]
