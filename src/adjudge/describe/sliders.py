"""Thresholds under sliders: what the page must know to work out every number again, and those numbers as words.

The script of the page holds the same formulas and the same rounding; a test in a browser holds the two together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.describe.values import percent
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.thresholds import Operating, Thresholds, ThresholdTable
from adjudge.plots.labels import NOTHING, count, named, number
from adjudge.plots.operating import rare, thresholds_told
from adjudge.plots.svg.operating import FRAME
from adjudge.stats.bands import roc_margins

STEPS = 200
"""Thresholds under the slider, about."""
COSTS = (1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100)
"""How many times dearer one kind of error may be than the other."""
_FAR = 0.1  # of both rates together, that a step of the slider may jump over
_DIGITS = 9  # of weights in the page
_LONGEST_NAME = 40


def prevalences() -> list[float]:
    """Return shares of a class to choose from: finer where it is rare, or all but the rule.

    >>> prevalences()[:3], prevalences()[-1]
    ([0.0001, 0.0002, 0.0003], 0.999)
    """
    rare = [k * decade for decade in (1e-4, 1e-3) for k in range(1, 10)]
    common = [k / 200 for k in range(2, 20)] + [k / 100 for k in range(10, 100)]
    return [float(f"{v:.4g}") for v in (*rare, *common, *(0.99 + k / 1000 for k in range(1, 10)))]


def costs(miss: float = 1, alarm: float = 1) -> list[tuple[float, float]]:
    """Return costs of a miss and of a false alarm to choose from, those asked for among them.

    >>> costs(2, 3)[12:15]
    [(1, 1.5), (2, 3), (1, 1)]
    """
    pairs: list[tuple[float, float]] = [*((1, times) for times in COSTS[:0:-1]), *((times, 1) for times in COSTS)]
    return pairs if (miss, alarm) in pairs else sorted([*pairs, (miss, alarm)], key=lambda pair: pair[0] / pair[1])


def grid(table: ThresholdTable, start: float) -> FloatArray:
    """Return the thresholds under the slider, the lowest first, the last one infinite: nobody is called.

    Steps of half a percent suit most probabilities. Where they would jump over too much, as with rare classes, and of plain
    scores, thresholds are taken evenly along the ROC curve, each as short a number as calls the same cases.
    """
    even = np.arange(STEPS + 1) / STEPS
    chosen = even if table.probable and not table.binned and _fine(table, even) else _along(table)
    return np.append(np.union1d(chosen, [start] if math.isfinite(start) else []), np.inf)


def _fine(table: ThresholdTable, chosen: FloatArray) -> bool:
    """Say whether no two neighbours among the thresholds have much between them that others could tell apart."""
    places = table.places(chosen[::-1])
    both = table.found / table.cases + table.alarms / table.others
    return not np.any((np.diff(both[places]) > _FAR) & (np.diff(places) > 1))


def _along(table: ThresholdTable) -> FloatArray:
    both = (table.found / table.cases + table.alarms / table.others) / 2
    places = np.unique(np.searchsorted(both, np.arange(1, STEPS + 1) / STEPS - 1e-12))
    places = places[(places > 0) & (places < both.size)]
    if table.binned:
        return np.unique(table.thresholds[places])
    below = np.append(table.thresholds[1:], -math.inf)[places]
    return np.unique([_shortest(low, high) for low, high in zip(below.tolist(), table.thresholds[places].tolist(), strict=True)])


def _shortest(low: float, high: float) -> float:
    """Return a number of few digits above `low` and not above `high`.

    >>> _shortest(0.12345, 0.12412), _shortest(-3.07, -3.02)
    (0.124, -3.02)
    """
    if not math.isfinite(high):
        return high
    gap = high - low if math.isfinite(low) else max(abs(high), 1.0)
    for decimals in range(-math.ceil(math.log10(gap)), 18) if gap > 0 else ():
        value = math.floor(high * 10.0**decimals) / 10.0**decimals
        if low < value <= high:
            return value
    return high


def data(found: Thresholds) -> dict[str, Any]:
    """Return what the script needs to know, with the words of the first state for readers without it."""
    labels = [found.of, *(label for label in found.tables if label != found.of)]
    names = named(labels, _LONGEST_NAME)
    first = found.first()
    pairs = costs(first.miss_cost, first.alarm_cost)
    return {
        "level": percent(found.level),
        "tail": (1 - found.level) / 2,
        "frame": FRAME,
        "prevalences": prevalences(),
        "costs": [[*pair, cost_words(*pair)] for pair in pairs],
        "cost": pairs.index((first.miss_cost, first.alarm_cost)),
        "weighted": found.table().weighted,
        "classes": [_class(found, label, name) for label, name in zip(labels, names, strict=True)],
        "start": state(found, first.threshold, name=names[0], **first.use),
    }


def _class(found: Thresholds, label: Any, name: str) -> dict[str, Any]:
    table = found.table(label)
    first = found.first(label)
    start = first.threshold
    chosen = grid(table, start)
    places = table.places(chosen)
    even = chosen.size == STEPS + 2 and np.array_equal(chosen[:-1], np.arange(STEPS + 1) / STEPS)
    hull = table.hull
    return {
        "name": name,
        "cases": _number(table.cases),
        "others": _number(table.others),
        "worth": [_number(worth) for worth in table.worth],
        "margins": list(roc_margins(table.worth[1], table.worth[0], found.level)),
        "words": None if even else thresholds_told(table, chosen),
        "found": [_number(v) for v in table.found[places].tolist()],
        "alarms": [_number(v) for v in table.alarms[places].tolist()],
        "hull": {
            "words": thresholds_told(table, table.thresholds[hull]),
            "found": [_number(v) for v in table.found[hull].tolist()],
            "alarms": [_number(v) for v in table.alarms[hull].tolist()],
        },
        "decided": None if table.decided is None else [_number(v) for v in table.decided],
        "start": int(np.flatnonzero(chosen <= start)[-1]),
        "prevalence": first.prevalence if first is found.asked else None,
    }


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else float(f"{value:.{_DIGITS}g}")


def state(found: Thresholds, threshold: float, *, name: str, of: Any = None, **use: Any) -> dict[str, str]:
    """Return every number of the page as words, by the name of its place."""
    here, best = found.at(threshold, of=of, **use), found.least_cost(of=of, **use)
    at, cheapest = thresholds_told(found.table(of), np.array([threshold, best.threshold]))
    told = {
        "threshold": at,
        "prevalence": rare(here.prevalence),
        "cost": cost_words(here.miss_cost, here.alarm_cost),
        "sentence": sentence(here, best, name, cheapest),
    }
    for what, cases in here.of_cases(1000).items():
        told |= {what: count(getattr(here, what)), f"{what}-of": _cases(cases)}
    for what in ("sensitivity", "specificity", "ppv", "npv"):
        told |= _rate(what, getattr(here, what))
    interval = here.cost.interval
    assert interval is not None
    told |= {"expected": _cost(here.cost.value), "expected-limits": f"{_cost(interval.low)} to {_cost(interval.high)}"}
    return told | {"least": _cost(best.cost.value), "without": _cost(without(here))}


def without(here: Operating) -> float:
    """Return the expected cost of calling everybody or nobody, whichever is cheaper."""
    return min(here.prevalence * here.miss_cost, (1 - here.prevalence) * here.alarm_cost)


def cost_words(miss: float, alarm: float) -> str:
    """Return how much dearer one error is than the other.

    >>> cost_words(5, 1), cost_words(1, 1.5)
    ('5 : 1', '1 : 1.5')
    """
    return f"{miss:g} : {alarm:g}"


def sentence(here: Operating, best: Operating, name: str, cheapest: str) -> str:
    """Return what a threshold does to a thousand cases."""
    each = {what: _cases(cases) for what, cases in here.of_cases(1000).items()}
    called = name if name.startswith("class ") else f"class {name}"
    head = f"Of 1,000 cases with {rare(here.prevalence)} of {called}:"
    did = f"{each['found']} true positives, {each['missed']} false negatives (missed), {each['alarms']} false positives."
    call = (
        "Nobody is predicted positive"
        if here.ppv.reason is not None
        else f"A positive prediction is correct in {rare(float(here.ppv.value))}"
    )
    rest = (
        "everybody is predicted positive" if here.npv.reason is not None else f"a negative one in {rare(float(here.npv.value))}"
    )
    paid = f"a miss costing {here.miss_cost:g} and a false alarm {here.alarm_cost:g}"
    least = f"a case costs {_cost(here.cost.value)} on average, at least {_cost(best.cost.value)} (threshold: {cheapest})"
    return f"{head} {did} {call}, {rest}; {paid}, {least}."


def _cases(value: float) -> str:
    """Return how many of a thousand cases, a thousand itself with its comma."""
    shown = number(value, 0, (0,))
    return "1,000" if shown == "1000" else shown


def _rate(what: str, found: Estimate) -> Mapping[str, str]:
    if found.interval is None:
        return {what: NOTHING, f"{what}-limits": NOTHING}
    return {what: rare(float(found.value)), f"{what}-limits": f"{rare(found.interval.low)} to {rare(found.interval.high)}"}


def _cost(value: float) -> str:
    return number(value, 3, (0,))
