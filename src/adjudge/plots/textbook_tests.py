"""Textbook tests as pictures: differences with their limits, and laws of chance with what was seen on them.

A law is a line with keys: what would come by chance, shaded as far out as what was seen or further, and a dot for that.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, frozen
from adjudge.estimates.estimate import Interval
from adjudge.judgements.accuracy_posteriors import Chance
from adjudge.judgements.textbook import CorrectedT, CorrelatedT, ErrorDifference, FiveByTwo, McNemar, PairedT
from adjudge.judgements.training import OverfittingAgainst
from adjudge.judgements.two_areas import DeLong
from adjudge.partitions.differences import PartitionDifference
from adjudge.plots.densities import Mark
from adjudge.plots.differences import DifferencePicture, density_of, ends_of, signed, three_parts
from adjudge.plots.drawing import NothingToDrawError
from adjudge.plots.forest import Forest, Row, forest
from adjudge.plots.labels import count, loss, rounded, said
from adjudge.plots.learners import measure_name
from adjudge.plots.lines import Key, LinePicture
from adjudge.plots.scales import scale_of

_FAR = 5.0  # standard deviations of a count as far as its law is drawn, or to what was seen
_MOST_STEPS = 240  # counts with a step each; of more, points along a curve
_TAIL = 0.005  # how much of the law of F may lie beyond its drawing
_ALPHA = 0.05
_F = (10.0, 5.0)  # degrees of freedom
_SECOND = 1  # colour


def difference_row(name: str, value: float, limits: Interval | None, *, points: bool = False, colour: int = 0) -> Row:
    """Return a difference with its sign and its limits; in percentage points where it is one of shares."""
    scale = 100 if points else 1
    low, high = (math.nan, math.nan) if limits is None else (limits.low, limits.high)
    width = 0.0 if limits is None else scale * (high - low)
    shown = [signed(rounded(scale * v, width), v) for v in (value, low, high)]
    words = shown[0] if limits is None else f"{shown[0]}, {shown[1]} to {shown[2]}"
    return Row(name, value, low, high, words, "diamond", colour, headed=True)


def _about_nothing(rows: list[Row], axis: str, title: str, level: float | None, *, percent: bool = False) -> Forest:
    limits = "" if level is None else f" ({100 * level:.6g}% interval)"
    return forest(rows, axis=f"{axis}{limits}", marks=[("no difference", 0.0)], title=title, percent=percent)


def areas_forest(found: DeLong) -> Forest:
    """Return the difference of two areas."""
    rows = [difference_row("AUC of a minus AUC of b", found.difference, found.interval)]
    title = f"AUC {loss(found.auc_a)} and {loss(found.auc_b)}, {said(found.p_value)}"
    return _about_nothing(rows, "Difference in AUC", title, None if found.interval is None else found.interval.level)


def paired_forest(found: PairedT | CorrectedT) -> Forest:
    """Return the mean difference over splits; where it was corrected, the title tells what it would have seemed."""
    rows = [difference_row("Mean difference, a minus b", found.mean, found.interval)]
    naive = f" ({said(found.p_naive)} were splits independent)" if isinstance(found, CorrectedT) else ""
    return _about_nothing(rows, "Difference", f"t = {loss(found.t)}, {said(found.p_value)}{naive}", found.interval.level)


def errors_forest(found: ErrorDifference) -> Forest:
    """Return the difference of two error rates."""
    rows = [difference_row("Error of the first minus the second", found.d, found.interval, points=True)]
    title = "Neither rate varies" if math.isnan(found.p_positive) else said(found.p_positive, "P(the first errs more)")
    return _about_nothing(rows, "Difference in error", title, found.interval.level, percent=True)


def partition_forest(found: PartitionDifference) -> Forest:
    """Return the difference of a measure of two partitions."""
    limits = Interval(found.low, found.high, found.level, found.method)
    name = measure_name(found.measure)
    rows = [difference_row(f"{name} of a minus b", found.value, limits)]
    return _about_nothing(rows, f"Difference in {name.lower()}", f"{name} {found.a:.3f} and {found.b:.3f}", found.level)


def against_forest(found: OverfittingAgainst) -> Forest:
    """Return how much more one model errs than another, on training cases and on new ones."""
    rows = [
        difference_row("On the training cases", found.training_difference, found.training, points=True),
        difference_row("On new cases", found.sample_difference, found.sample, points=True, colour=_SECOND),
    ]
    title = "Overfits against the other" if found.overfits else "Does not overfit against the other"
    return _about_nothing(rows, "Error, this less the other", title, found.sample.level, percent=True)


def correlated_picture(found: CorrelatedT) -> DifferencePicture:
    """Return what to believe of the difference of two learners over splits."""
    law, margin = found.law, found.margin
    low, high = law.interval()
    ends = ends_of(law, (low, high))
    spike = None if ends[0] < ends[1] else ends[0]
    around = ends if spike is None else (spike - 2 * margin, spike + 2 * margin)
    scale = scale_of((*around, low, high, found.mean), (0.0, -margin, margin))
    x, y, ceiling = density_of(law, scale, (*ends, -margin, 0.0, margin, low, high)) if spike is None else (_NONE, _NONE, 1.0)
    shown = [signed(rounded(v, high - low), v) for v in (found.mean, low, high)]
    limits = f"95%: {shown[1]} to {shown[2]}" if low < high else "without spread"
    same = f"practically the same: ±{margin:.4g}" if margin else "no difference"
    return DifferencePicture(
        three_parts(found),
        scale,
        frozen(x),
        frozen(y),
        ceiling,
        spike,
        found.mean,
        low,
        high,
        "Difference",
        ("b better", "a better"),
        f"mean {shown[0]}, {limits}",
        Mark(same, 0.0, scale.nearest(0.0)),
        "a - b",
    )


_NONE = np.empty(0)


def chance_picture(found: Chance) -> LinePicture:
    """Return how many guesses would be right, with how many decisions were."""
    if not found.cases > 0:
        msg = "This Chance knows of no case, so there is nothing to draw. Make it with adjudge.chance(counts)."
        raise NothingToDrawError(msg)
    n, seen = found.cases, found.right
    counts = _counts(n, found.rate, [seen, *([] if found.threshold is None else [found.threshold])])
    keys = [
        Key("line", f"right by guessing, of {count(n)} cases"),
        Key("band", f"as many or more by guessing: {said(found.p_value_rate)}"),
        Key("dot", f"observed: {count(seen)} right", seen, float(_binomial(np.array([seen]), n, found.rate)[0])),
    ]
    if found.threshold is not None:
        keys.append(Key("upright", f"enough at {100 * found.alpha:.6g}%: {count(found.threshold)} or more", found.threshold))
    heights = _binomial(counts, n, found.rate)
    title = "Correct decisions against guessing"
    return _law(title, (counts, heights), counts >= seen, "Right decisions", "Probability", tuple(keys))


def mcnemar_picture(found: McNemar) -> LinePicture:
    """Return how often only the first would be right were both equally good, with how often it was."""
    n, seen = found.b + found.c, found.b
    counts = _counts(n, 0.5, [found.b, found.c])
    keys = (
        Key("line", f"only a right, of {count(n)} on which they differ"),
        Key("band", f"as uneven or more, were they equal: {said(found.p_exact)}"),
        Key("dot", f"observed: only a {count(found.b)}, only b {count(found.c)}", seen, _binomial(_one(seen), n, 0.5).item()),
        Key("upright", "as often either way", n / 2),
    )
    tail = (counts >= max(found.b, found.c)) | (counts <= min(found.b, found.c))
    heights = _binomial(counts, n, 0.5)
    return _law("McNemar's test", (counts, heights), tail, "Cases that only a got right", "Probability", keys)


def five_by_two_picture(found: FiveByTwo) -> LinePicture:
    """Return the law of F, were both learners equally good, with the F seen."""
    from scipy.special import fdtri

    known = math.isfinite(found.f)
    critical, far = float(fdtri(*_F, 1 - _ALPHA)), float(fdtri(*_F, 1 - _TAIL))
    x = np.unique(np.append(np.linspace(0.0, max(far, 1.05 * found.f if known else 0.0), _MOST_STEPS), found.f if known else 0.0))
    keys = [
        Key("line", "F with 10 and 5 degrees of freedom, were they equal"),
        Key("band", f"as large or larger: {said(found.p_f)}"),
        Key("upright", f"enough at 5%: {loss(critical)}", critical),
    ]
    if known:
        keys.insert(
            2, Key("dot", f"observed F = {loss(found.f)}; t: {said(found.p_t)}", found.f, float(_f_density(_one(found.f))[0]))
        )
    tail = x >= found.f if known else np.zeros(x.size, dtype=bool)
    return _law("5 x 2 cross-validated F", (x, _f_density(x)), tail, "F", "Density", tuple(keys), steps=False)


def _one(value: float) -> FloatArray:
    return np.array([value], dtype=np.float64)


def _counts(n: float, rate: float, shown: list[float]) -> FloatArray:
    """Return the counts to draw: nearly all that come by chance, and those to show; of very many some, evenly."""
    middle, spread = n * rate, _FAR * math.sqrt(n * rate * (1 - rate)) + 1
    low, high = (round(v) for v in (min(middle - spread, *shown), max(middle + spread, *shown)))
    low, high = max(0, low), min(math.ceil(n), high)
    if high - low <= _MOST_STEPS:
        return np.arange(low, high + 1, dtype=np.float64)
    return np.unique(np.append(np.linspace(low, high, _MOST_STEPS).round(), shown))


def _binomial(k: FloatArray, n: float, rate: float) -> FloatArray:
    """Return the probability of each count; by the gamma function, so that the worth of weighted cases needs no rounding."""
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1)
    return np.asarray(np.where(k <= n, np.exp(ways + xlogy(k, rate) + xlog1py(n - k, -rate)), 0.0))


def _f_density(x: FloatArray) -> FloatArray:
    """Return the density of F with 10 and 5 degrees of freedom."""
    from scipy.special import betaln, xlogy

    a, b = _F
    known = a / 2 * math.log(a / b) + xlogy(a / 2 - 1, x) - (a + b) / 2 * np.log1p(a * x / b) - betaln(a / 2, b / 2)
    return np.asarray(np.exp(known))


def _law(
    title: str,
    law: tuple[FloatArray, FloatArray],
    tail: BoolArray,
    x_name: str,
    y_name: str,
    keys: tuple[Key, ...],
    *,
    steps: bool = True,
) -> LinePicture:
    """Return a law as a line, as steps where every count has its own, with its tail shaded."""
    x, y = law
    if steps and np.all(np.diff(x) == 1):
        x, y, tail = np.repeat(x, 2) + np.tile([-0.5, 0.5], x.size), np.repeat(y, 2), np.repeat(tail, 2)
    across = scale_of(x.tolist(), [key.x for key in keys if math.isfinite(key.x)])
    up = scale_of([0.0, *y.tolist()], low=0.0)
    ticks = tuple((v, words) for v, words in across.ticks(room=50) if v >= 0)
    return LinePicture(title, x, y, across, up, x_name, y_name, ticks, keys, (x, np.zeros(x.size), np.where(tail, y, 0.0)))
