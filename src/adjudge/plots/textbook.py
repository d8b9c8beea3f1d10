"""Distributions of textbook tests, and the number of cases needed.

A distribution is what would come by chance, shaded as far out as what was seen or further, and a dot for that.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge._base import share
from adjudge._base.arrays import BoolArray, FloatArray
from adjudge.judgements.accuracy_posteriors import Chance
from adjudge.judgements.sample_size import SampleSize
from adjudge.judgements.textbook import FiveByTwo, McNemar
from adjudge.plots import NothingToDrawError
from adjudge.plots.drawing import Axis, Drawing
from adjudge.plots.labels import count, loss, number, said
from adjudge.plots.lines import Key, line_picture, ratio_axis
from adjudge.plots.scales import scale_of
from adjudge.stats import special

_FAR = 5.0  # standard deviations of a count as far as its distribution is drawn, or to what was seen
_MOST_STEPS = 240  # counts with a step each; of more, points along a curve
_TAIL = 0.005  # how much of the distribution of F may lie beyond its drawing
_ALPHA = 0.05
_F = (10.0, 5.0)  # degrees of freedom


def sample_size_picture(sample_size: SampleSize) -> Drawing:
    """Return the half width or the assurance against the number of cases, which runs in equal ratios."""
    x, y, often = sample_size.numbers.astype(np.float64), sample_size.reached, sample_size.assurance is not None
    across = ratio_axis(scale_of(np.log10(x).tolist()), "Cases", count)
    up = scale_of([0.0, *y.tolist(), *([1.0] if often else [])], low=0.0, high=1.0 if often else math.inf, percent=often)
    at = int(np.flatnonzero(sample_size.numbers == sample_size.cases)[0])
    reached = share(float(y[at])) if often else number(float(y[at]), 4)
    wanted = sample_size.assurance if sample_size.assurance is not None else sample_size.target
    asked = share(wanted, 0) if often else number(wanted, 3)
    keys = (
        Key("line", "how often the goal is reached" if often else "expected half width of the interval"),
        Key("dot", f"{count(sample_size.cases)} cases: {reached}", x[at], float(y[at])),
        Key("level", f"asked for: {asked}", y=wanted),
    )
    name = "Assurance" if often else f"Half width of the {100 * sample_size.level:.6g}% interval"
    return line_picture("Cases needed", (x, y), across, (up, name), keys)


def chance_picture(chance: Chance) -> Drawing:
    """Return how many guesses would be right, with how many decisions were."""
    if not chance.cases > 0:
        msg = "This Chance knows of no case, so there is nothing to draw. Make it with adjudge.chance(counts)."
        raise NothingToDrawError(msg)
    n, seen = chance.cases, chance.right
    counts = _counts(n, chance.rate, [seen, *([] if chance.threshold is None else [chance.threshold])])
    keys = [
        Key("line", f"correct by guessing, of {count(n)} cases"),
        Key("band", f"as many or more by guessing: {said(chance.p_value_rate)}"),
        Key("dot", f"observed: {count(seen)} correct", seen, _binomial(np.array([seen]), n, chance.rate).item()),
    ]
    if chance.threshold is not None:
        keys.append(Key("upright", f"enough at {100 * chance.alpha:.6g}%: {count(chance.threshold)} or more", chance.threshold))
    names = "Correct decisions against guessing", "Correct decisions", "Probability"
    return _distribution(names, counts, _binomial(counts, n, chance.rate), counts >= seen, keys)


def mcnemar_picture(test: McNemar) -> Drawing:
    """Return how often only the first would be right were both equally good, with how often it was."""
    n, seen = test.b + test.c, test.b
    counts = _counts(n, 0.5, [test.b, test.c])
    keys = [
        Key("line", f"only a correct, of {count(n)} on which they differ"),
        Key("band", f"as uneven or more if equal: {said(test.p_exact)}"),
        Key("dot", f"observed: only a {count(test.b)}, only b {count(test.c)}", seen, _binomial(np.array([seen]), n, 0.5).item()),
        Key("upright", "as often either way", n / 2),
    ]
    tail = (counts >= max(test.b, test.c)) | (counts <= min(test.b, test.c))
    names = "McNemar's test", "Cases that only a got correct", "Probability"
    return _distribution(names, counts, _binomial(counts, n, 0.5), tail, keys)


def five_by_two_picture(test: FiveByTwo) -> Drawing:
    """Return the distribution of F, were both learners equally good, with the F seen."""
    known = math.isfinite(test.f)
    critical, far = float(special.fdtri(*_F, 1 - _ALPHA)), float(special.fdtri(*_F, 1 - _TAIL))
    x = np.unique(np.append(np.linspace(0.0, max(far, 1.05 * test.f if known else 0.0), _MOST_STEPS), test.f if known else 0.0))
    keys = [
        Key("line", "F with 10 and 5 degrees of freedom if equal"),
        Key("band", f"as large or larger: {said(test.p_f)}"),
        Key("upright", f"enough at 5%: {loss(critical)}", critical),
    ]
    if known:
        observed = f"observed F = {loss(test.f)}; t: {said(test.p_t)}"
        keys.insert(2, Key("dot", observed, test.f, float(_f_density(np.array([test.f]))[0])))
    tail = x >= test.f if known else np.zeros(x.size, dtype=bool)
    return _distribution(("5 x 2 cross-validated F", "F", "Density"), x, _f_density(x), tail, keys, steps=False)


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
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(np.maximum(n - k, 0) + 1)
    return np.asarray(np.where(k <= n, np.exp(ways + special.xlogy(k, rate) + special.xlog1py(n - k, -rate)), 0.0))


def _f_density(x: FloatArray) -> FloatArray:
    """Return the density of F with 10 and 5 degrees of freedom."""
    a, b = _F
    known = a / 2 * math.log(a / b) + special.xlogy(a / 2 - 1, x) - (a + b) / 2 * np.log1p(a * x / b)
    return np.asarray(np.exp(known - special.betaln(a / 2, b / 2)))


def _distribution(
    names: tuple[str, str, str], x: FloatArray, y: FloatArray, tail: BoolArray, keys: list[Key], *, steps: bool = True
) -> Drawing:
    """Return a distribution as a line, as steps where every count has its own, with its tail shaded."""
    if steps and np.all(np.diff(x) == 1):
        x, y, tail = np.repeat(x, 2) + np.tile([-0.5, 0.5], x.size), np.repeat(y, 2), np.repeat(tail, 2)
    across = scale_of(x.tolist(), [key.x for key in keys if math.isfinite(key.x)])
    up = scale_of([0.0, *y.tolist()], low=0.0)
    ticks = tuple((v, words) for v, words in across.ticks(room=50) if v >= 0)
    title, x_name, y_name = names
    axis, shaded = Axis(across.start, across.stop, ticks, x_name, notched=True), (x, np.zeros(x.size), np.where(tail, y, 0.0))
    return line_picture(title, (x, y), axis, (up, y_name), keys, shaded)
