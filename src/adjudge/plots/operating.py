"""A threshold on the ROC curve of its class, beside the cheapest one and what was decided: what is drawn, before it is drawn."""

from __future__ import annotations

from typing import Any

from adjudge._base.arrays import FloatArray
from adjudge._base.levels import share
from adjudge.judgements.curves import ThresholdTable
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.plots import NothingToDrawError
from adjudge.plots.curves import sides, thinned
from adjudge.plots.drawing import Axis, Drawing, Item, Line, Panel, Text, band, box, line_of, mark, segment
from adjudge.plots.labels import named, threshold_words
from adjudge.plots.scales import shares
from adjudge.stats.bands import roc_band

Point = tuple[float, float]
FRAME = {"left": 56.0, "right": 464.0, "top": 14.0, "bottom": 354.0}
"""Where the unit square lies on the page, for the script."""
_MARK, _STEP = 6.0, 19.0  # radius of a mark, and units down of a key
_CLOSE = 1e-9


def threshold_picture(found: Thresholds, *, threshold: float | None = None, of: Any = None, **use: Any) -> Drawing:
    """Return the picture of a threshold, that to begin with if left out; `use` are prevalence and costs of ``Thresholds.at``."""
    first = found.first(of)
    asked = first.use if first is found.asked else {}
    here = found.at(first.threshold if threshold is None else threshold, of=of, **asked | use)
    return _picture(found, here)


def point_picture(here: Operating) -> Drawing:
    """Return the picture of one threshold on the ROC curve that it is a point of."""
    if here.every is None:
        msg = "This point knows no curve to be drawn on. Draw what Thresholds.at() or Thresholds.least_cost() gives."
        raise NothingToDrawError(msg)
    return _picture(here.every, here)


def _picture(found: Thresholds, here: Operating) -> Drawing:
    """Return the ROC curve in its band, the threshold, the cheapest one and the line of equal cost; a script may move them."""
    table, best = found.table(here.of), found.least_cost(of=here.of, **here.use)
    x, y = table.alarms / table.others, table.found / table.cases
    kept = thinned(x, y)
    at, cheapest = ((each.alarms / table.others, each.found / table.cases) for each in (here, best))
    items: list[Item] = [
        band(*sides(roc_band(x, y, table.worth[1], table.worth[0], found.level)), "band area0"),
        segment((0, 0), (1, 1), "ref"),
        Line(line_of(x[kept], y[kept]), "curve line0 roc", label="ROC curve", styled=True),
        segment(at, (at[0], 0), "guide down"),
        segment(at, (0, at[1]), "guide across"),
        segment(*equal_cost(at, slope(here)), "equal"),
    ]
    keys = {"here": "this threshold", "best": "least expected cost", "decided": "as decided", "equal": "the same cost"}
    keys["band"] = f"{100 * found.level:.6g}% band of the whole curve"
    if table.decided is None:
        del keys["decided"]
    room, tall = 7.5 * max(map(len, keys.values())) + 32, _STEP * (len(keys) - 1)
    left, down = FRAME["right"] - room, FRAME["bottom"] - 14 - tall
    items.append(box((left - 6, left - 6 + room), (down - 16, down - 10 + tall + _STEP), "plate", page=True))
    for i, (kind, words) in enumerate(keys.items()):
        y0 = down + i * _STEP - 4
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
    told = [f"sensitivity {found}, specificity {spared}" for found, spared in rates]
    heading = f"{named([here.of], 40)[0]} against the rest"
    words = f"{heading}. This threshold: {told[0]}; least expected cost: {told[1]}."
    return Drawing(480.0, 400.0, "ROC curve with the threshold marked", words, tuple(items), panel, heading)


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


def thresholds_told(table: ThresholdTable, thresholds: FloatArray) -> list[str]:
    """Return thresholds on the score of a class as a reader sees them, with as many digits as tell them from others."""
    each = zip(thresholds.tolist(), *(ends.tolist() for ends in table.alike(thresholds)), strict=True)
    return [threshold_words(value, probable=table.probable, alike=(low, high)) for value, low, high in each]
