"""Estimates as a reader sees them: what they are called, and how many digits they deserve."""

from __future__ import annotations

import math
from typing import Any

from adjudge._base import probable, quoted, share
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.metrics.catalogue import find
from adjudge.partitions.replicates import MeasureInterval
from adjudge.plots.labels import NOTHING, decimals_for, loss, margin_words, named, number, rounded
from adjudge.plots.quantities import METHODS, MOST_DECIMALS, NAMES, is_share

_PLACES, _MOST_PLACES, _MOST_DIGITS = 3, 9, 6
"""Decimals of bounded numbers such as an AUC, at least and at most; and of probabilities near a level."""
FINER = 5  # times as fine as its interval is wide allows, for numbers that are to be told apart, or from 0
_SIGNIFICANT = 3  # digits that a value without bounds keeps, however wide its interval
_TITLES = NAMES | {
    "mcc": "MCC (Matthews correlation)",
    "kappa": "Cohen's kappa",
    "g_mean": "G-mean",
    "sensitivity": "Sensitivity (recall)",
    "jaccard": "Jaccard index",
    "brier": "Brier score",
    "ece": "Calibration error (ECE)",
}
_AVERAGES = {"macro": "mean over classes", "hand-till": "Hand-Till, all pairs", "groups": "mean over classes and groups"}


def title(estimate: Estimate) -> str:
    """Return what an estimate is called, with the class or the average it speaks of."""
    name, about = short_title(estimate), scope(estimate)
    return f"{name}, {about}" if about else name


def short_title(estimate: Estimate) -> str:
    """Return what the measure is called."""
    return _TITLES.get(estimate.measure, estimate.measure.replace("_", " ").capitalize())


def scope(estimate: Estimate) -> str:
    """Return the class or the average an estimate speaks of, if either."""
    if estimate.of is not None:
        return f"class {quoted(estimate.of)}"
    return _AVERAGES.get(estimate.average, estimate.average) if estimate.average else ""


def formula(estimate: Estimate) -> str:
    """Return how an estimate follows from the cases."""
    written = find(estimate.measure).formula
    if estimate.average == "hand-till":
        return "mean AUC over all pairs of classes"
    return f"mean over classes of {written}" if estimate.average == "macro" else written


def value(estimate: Estimate) -> str:
    """Return the value, with as many digits as its interval allows."""
    if math.isnan(estimate.value):
        return "undefined"
    shown = _written(estimate, estimate.value)
    if find(estimate.measure).low < 0:
        return shown
    few = math.isinf(find(estimate.measure).high) and sum(letter.isdigit() for letter in shown.lstrip("0.-")) < _SIGNIFICANT
    return loss(float(f"{estimate.value:.{_SIGNIFICANT}g}")) if few else shown


def limits(estimate: Estimate) -> str:
    """Return the limits of an estimate, both with as many decimals as their distance allows, or a dash."""
    interval = estimate.interval
    return NOTHING if interval is None else f"{_written(estimate, interval.low)} to {_written(estimate, interval.high)}"


def _written(estimate: Estimate, v: float) -> str:
    """Return a value of a measure, two digits of the width of its interval showing."""
    interval = estimate.interval
    width = 0.0 if interval is None else interval.high - interval.low
    if is_share(estimate.measure):
        return share(v, decimals_for(width))
    if not math.isinf(find(estimate.measure).high):
        places = min(_MOST_PLACES, math.ceil(-math.log10(width)) + 1) if 0 < width < 1 else 0
        return number(v, max(_PLACES, places))
    if not (0 < width < math.inf and math.isfinite(v)):
        return loss(v)
    if find(estimate.measure).low < 0:  # which may be of either sign, and near 0
        return rounded(v, width / FINER)
    shown = rounded(v, width)
    return shown if v == 0 or any(digit in shown for digit in "123456789") else loss(v)  # what is not 0 never looks it


def sureness(estimate: Estimate) -> str:
    """Return the interval in words, or nothing."""
    return "" if estimate.interval is None else f"{percent(estimate.interval.level)} interval {limits(estimate)}"


def with_limits(estimate: Estimate) -> str:
    """Return a value and its limits close together."""
    if estimate.interval is None:
        return value(estimate)
    low, high = (_written(estimate, v).rstrip("%") for v in (estimate.interval.low, estimate.interval.high))
    return f"{value(estimate)} ({low}-{high})"


def limits_of(interval: Interval) -> str:
    """Return limits by themselves, both with as many decimals as their distance allows."""
    width = interval.high - interval.low
    return f"{rounded(interval.low, width)} to {rounded(interval.high, width)}"


def with_interval(v: float, interval: Interval | None, *, sign: bool = False) -> str:
    """Return a number of any measure with its interval and how that was made, to the digits that its width allows."""
    plus = "+" if sign and v >= 0 else ""
    if interval is None:
        return f"{plus}{loss(v)}"
    shown = rounded(v, interval.high - interval.low)
    return f"{plus}{shown}, {limits_of(interval)} ({percent(interval.level)}, {method(interval)})"


def p_value(p: float, digits: int = 4) -> str:
    """Return a p-value to so many significant digits; one that is hardly above 0 is only said to be small."""
    said = probable(p, 3)
    return f"p {said}" if said.startswith("<") else f"p = {p:.{digits}g}"


def method(interval: Interval | None) -> str:
    """Return how an interval was made, as a reader would call it."""
    return NOTHING if interval is None else METHODS.get(interval.method, interval.method)


def percent(level: float) -> str:
    """Return the level of an interval."""
    return f"{100 * level:.6g}%"


def apart(one: float, other: float, decimals: int) -> tuple[str, str]:
    """Return two shares with enough digits to tell them apart, if they differ."""
    while decimals < _MOST_DIGITS and one != other and share(one, decimals) == share(other, decimals):
        decimals += 1
    return share(one, decimals), share(other, decimals)


def points(*differences: float) -> str:
    """Return a difference of two shares in percentage points, or its limits."""
    return " to ".join(number(100 * difference, 1, (0,)) for difference in differences)


def measured(interval: MeasureInterval) -> str:
    """Return a measure of a partition with its limits."""
    return f"{number(interval.value)} ({percent(interval.level)}: {number(interval.low)} to {number(interval.high)})"


def one_name(label: Any, longest: int = 80) -> str:
    """Return the name of a class, a file or a learner, short and visible."""
    return named([label], longest)[0]


def spoken(measure: str) -> str:
    """Return what a measure is called within a sentence."""
    title = short_title(Estimate(measure, math.nan))
    named_after = title.split(maxsplit=1)[0] in ("Cohen's", "Brier", "Jaccard")
    return title if named_after or not title[1].islower() else title[0].lower() + title[1:]


def about(measure: str, of: object) -> str:
    """Return a measure within a sentence, with the class it speaks of if one."""
    return spoken(measure) + ("" if of is None else f" of class {quoted(of)}")


def amount(measure: str, value: float, width: float) -> str:
    """Return a difference of a measure as a number, with the digits that an interval `width` wide allows."""
    if is_share(measure):
        return number(100 * value, decimals_for(width, most=MOST_DECIMALS), (0,))
    return loss(value) if math.isinf(find(measure).high) else number(value, 3, (0,))


def unit(measure: str) -> str:
    """Return what differences of a measure are counted in."""
    return " points" if is_share(measure) else ""


def margin_of(measure: str, margin: float) -> str:
    """Return the largest difference that counts as none."""
    return margin_words(margin, percent=is_share(measure))


def taken(measure: str, margin: float) -> str:
    """Return what the region of practical equivalence means."""
    most = margin_of(measure, margin)
    return f"differences up to {most} count as none" if margin > 0 else "every difference counts, however small"


def rounded_up(cases: float) -> str:
    """Return about how many cases or clusters are needed, rounded up to two digits."""
    unit = 10 ** max(0, math.floor(math.log10(max(cases, 1))) - 1)
    return f"{math.ceil(cases / unit) * unit:,}"


def sure(p: float, level: float) -> str:
    """Return a probability to two digits, or to more where two would put it on the wrong side of the level."""
    shown = (probable(p, digits) for digits in range(2, _MOST_DIGITS + 1))
    return next((words for words in shown if (float(words[2:]) >= level) == (p >= level)), probable(p, _MOST_DIGITS))


def three(comparison: Any, level: float, *, bare: bool = True) -> tuple[str, ...]:
    """Return how probable better, practically the same and worse are; `bare` without the sign of equality."""
    shown = (sure(p, level) for p in (comparison.better, comparison.same, comparison.worse))
    return tuple(words.removeprefix("= ") if bare else words for words in shown)


def told_method(method: str) -> str:
    """Return how it was compared, with the paper behind it where the method does not name it itself."""
    papers = {
        "paired Dirichlet posterior": "Altham 1971, Biometrika 58:561-576",
        "paired Bayesian bootstrap": "Rubin 1981, Ann. Stat. 9:130-134",
        "DeLong": "DeLong et al. 1988, Biometrics 44:837-845",
    }
    paper = next((paper for name, paper in papers.items() if method.startswith(name)), None)
    return method if paper is None else f"{method} ({paper})"
