"""The geometry of corrections: errors against the multiplier, accuracy against what is rejected, and priors old and new.

The first two are lines with what they are read against, each said in words beside its sign; the last is a forest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge._base.text import counted
from adjudge.corrections.multipliers import ErrorCurve
from adjudge.corrections.operating import AccuracyRejection
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.plots.forest import LONGEST, Forest, Row, forest
from adjudge.plots.geometry import thinned
from adjudge.plots.labels import count, decimals_for, loss, named, probability
from adjudge.plots.scales import Scale, scale_of

MOST_CLASSES = 12
"""Classes with priors in one picture; of more, those that changed most."""
_WIDEST = 1e3  # the multiplier and its inverse as far as they are drawn, unless the best lies beyond
_ROUND = (1.0, 2.0, 5.0)
_MOST_TICKS = 7
_FEWEST = 10  # decided cases: with fewer the accuracy says nothing, and its limits would fill the picture
_DOT, _OLD = 1, 4  # colours


@dataclass(frozen=True, slots=True)
class Key:
    """A sign of the picture and what it says: a line, a band, a dot, or a line of reference, upright or level, at a value."""

    sign: str
    words: str
    x: float = math.nan
    y: float = math.nan


@dataclass(frozen=True, slots=True, eq=False)
class LinePicture:
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

    def part(self, x: float) -> float:
        """Return how far across a value lies: 0 at the left edge, 1 at the right, and never beyond."""
        if not self.logarithmic:
            return self.across.part(self.across.nearest(x))
        return self.across.part(self.across.nearest(math.log10(x) if x > 0 else -math.inf))

    @property
    def ends(self) -> tuple[float, float]:
        """The values at the left and the right edge."""
        start, stop = self.across.start, self.across.stop
        return (10**start, 10**stop) if self.logarithmic else (start, stop)

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Round values and how they are written."""
        return self.up.ticks(room=200, most=_MOST_TICKS)

    @property
    def around(self) -> list[tuple[float, float]]:
        """The corners of the band, all around."""
        if self.band is None:
            return []
        x, low, high = (values.tolist() for values in self.band)
        return [*zip(x, high, strict=True), *zip(x[::-1], low[::-1], strict=True)]

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join(key.words for key in self.keys)


def error_picture(curve: ErrorCurve) -> LinePicture:
    """Return the errors against the multiplier as steps, with the fewest, no correction, and always deciding for the other class.

    The multiplier runs in equal ratios, so that to double and to halve a class look alike.
    """
    across = _ratios(curve)
    x, y = _steps(curve, 10**across.start, 10**across.stop)
    up = scale_of(y.tolist(), [curve.errors_majority], low=0.0)
    kept = thinned(_parts(np.log10(x), across), _parts(y, up))
    left, best = 10**across.start, curve.best
    keys = (
        Key("line", "errors"),
        Key(
            "dot", f"fewest on these cases: {count(curve.fewest)} at a multiplier of {loss(best)}", max(best, left), curve.fewest
        ),
        Key("upright", f"no correction, multiplier 1: {count(curve.errors_before)}", x=1.0),
        Key("level", f"always the other class, multiplier 0: {count(curve.errors_majority)}", y=curve.errors_majority),
    )
    name = f"multiplier of {named([curve.positive], 20)[0]}, in equal ratios"
    ticks = _ratio_ticks(across)
    return LinePicture(
        "Errors against the multiplier", x[kept], y[kept], across, up, name, "Errors", ticks, keys, logarithmic=True
    )


def _ratios(curve: ErrorCurve) -> Scale:
    """Return the axis of the logarithm: all that changes something, as far as one would go, and at least a half to two."""
    known = curve.multipliers[(curve.multipliers >= 1 / _WIDEST) & (curve.multipliers <= _WIDEST)]
    more = [curve.best] if 0 < curve.best < math.inf else []
    return scale_of(np.log10([*known, 0.5, 2.0, *more]).tolist())


def _steps(curve: ErrorCurve, left: float, right: float) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the curve between two values of the multiplier."""
    inside = curve.multipliers[(curve.multipliers > left) & (curve.multipliers < right)]
    edges = np.concatenate([[left], inside, [right]])
    place = np.searchsorted(curve.multipliers, edges[1:], side="left") - 1
    heights = np.where(place < 0, curve.errors_majority, curve.errors[np.maximum(place, 0)]).astype(np.float64)
    return np.repeat(edges, 2)[1:-1], np.repeat(heights, 2)


def _ratio_ticks(across: Scale) -> tuple[tuple[float, str], ...]:
    """Return 1, 2, 5, 10, 20 ... as far as there is room, else powers of ten with equally many left out."""
    first, last = math.floor(across.start), math.ceil(across.stop)
    found = [m * 10.0**power for power in range(first, last + 1) for m in _ROUND]
    inside = [v for v in found if across.start <= math.log10(v) <= across.stop]
    if len(inside) > _MOST_TICKS:
        powers = [power for power in range(first, last + 1) if across.start <= power <= across.stop]
        every = -(-len(powers) // _MOST_TICKS)
        inside = [10.0**power for power in powers if not power % every]
    return tuple((v, f"{v:g}") for v in inside)


def rejection_picture(curve: AccuracyRejection) -> LinePicture:
    """Return the accuracy of the decided cases against the share rejected, in its band, until few cases are left."""
    drawn = curve.kept >= min(_FEWEST, int(curve.kept.max()))
    x, y, low, high = (values[drawn] for values in (curve.rejected, curve.accuracy, curve.low, curve.high))
    across = scale_of([0.0, *x.tolist()], low=0.0, high=1.0, percent=True)
    up = scale_of([*y.tolist(), *low.tolist(), *high.tolist()], low=0.0, high=1.0, percent=True)
    kept = _kept(x, (y, low, high), across, up)
    width = float(high[0] - low[0])
    keys = (
        Key("line", "accuracy of the cases decided"),
        Key("band", f"{100 * curve.level:.6g}% limits, at each share by itself"),
        Key("dot", f"nothing rejected: {_share(y[0], width)} ({_share(low[0], width)} to {_share(high[0], width)})", x[0], y[0]),
    )
    names = "Share of the cases rejected, the least sure first", "Accuracy"
    band = x[kept], low[kept], high[kept]
    return LinePicture(
        "Accuracy against rejection", x[kept], y[kept], across, up, *names, tuple(across.ticks(room=60)), keys, band
    )


def _kept(x: FloatArray, lines: Sequence[FloatArray], across: Scale, up: Scale) -> IntArray:
    """Return the points that one of some lines over the same values cannot do without."""
    return np.unique(np.concatenate([thinned(_parts(x, across), _parts(y, up)) for y in lines]))


def _parts(values: FloatArray, scale: Scale) -> FloatArray:
    return np.asarray((values - scale.start) / (scale.stop - scale.start))


def _share(value: float, width: float) -> str:
    return share(float(value), decimals_for(width))


def priors_forest(found: Priors | PriorShift, *, new: PriorShift | None = None) -> Forest:
    """Return the priors of each class: what they were, what they are with limits, and, if given, those that are used.

    A shift has no limits: its new priors were given.
    """
    now = found.new if isinstance(found, PriorShift) else found.priors
    if new is not None and new.new.size != now.size:
        msg = f"new has {counted(new.new.size, 'prior')} and the estimate {now.size}. Give a shift of the same classes."
        raise InputError(msg)
    drawn = _most_moved(now, found.old)
    names = named(range(now.size) if found.classes is None else found.classes, LONGEST - 6)
    rows = [row for i in drawn for row in _class_rows(found, new, i, names[i])]
    return forest(
        rows,
        axis=_axis(found),
        low=0.0,
        high=1.0,
        percent=True,
        title=_title(found),
        heads=("class", "share"),
        note=f"{counted(now.size - len(drawn), 'class', 'classes')} that changed less not drawn" if len(drawn) < now.size else "",
    )


def _most_moved(now: FloatArray, old: FloatArray | None) -> list[int]:
    """Return which classes to draw, in their order."""
    size: AnyArray = now if old is None else np.abs(now - old)
    return sorted(np.argsort(-size, kind="stable")[:MOST_CLASSES].tolist())


def _class_rows(found: Priors | PriorShift, new: PriorShift | None, i: int, name: str) -> list[Row]:
    shift = isinstance(found, PriorShift)
    value = float(found.new[i] if isinstance(found, PriorShift) else found.priors[i])
    low, high = (math.nan, math.nan) if isinstance(found, PriorShift) else (float(v) for v in found.interval[i])
    width = 0.0 if math.isnan(low) else high - low
    rows = []
    if found.old is not None:
        rows.append(Row(f"{name} was", float(found.old[i]), words=_share(found.old[i], width), shape="tick", colour=_OLD))
    rows.append(Row(f"{name} {'new' if shift else 'is'}", value, low, high, _share(value, width)))
    if new is not None:
        rows.append(Row(f"{name} used", float(new.new[i]), words=_share(new.new[i], width), shape="ring", colour=_DOT))
    return rows


def _axis(found: Priors | PriorShift) -> str:
    return "Prior" if isinstance(found, PriorShift) else f"Prior ({100 * found.level:.6g}% limits of each class by itself)"


def _title(found: Priors | PriorShift) -> str:
    if isinstance(found, PriorShift):
        return "A shift of priors"
    cases = f"Priors from {count(found.cases)} cases"
    return cases if found.moved is None else f"{cases}; were they unchanged, P {_written(found.moved.p_value)}"


def _written(p: float) -> str:
    told = probability(p, 3)
    return told if told[0] in "<>" else f"= {told}"
