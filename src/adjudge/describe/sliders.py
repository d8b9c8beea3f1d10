"""Thresholds under sliders: what the page must know to work out every number again, and those numbers as words.

The script of the page holds the same formulas and the same rounding; a test in a browser holds the two together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.describe.values import percent
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.threshold_table import STEPS
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.plots.labels import NOTHING, count, named, number
from adjudge.plots.operating import FRAME, rare, thresholds_told

COSTS = (1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100)
"""How many times dearer one kind of error may be than the other."""
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


def data(found: Thresholds) -> dict[str, Any]:
    """Return what the script needs to know, with the words of the first state for readers without it."""
    labels = [found.of, *(label for label in found.tables if label != found.of)]
    names = named(labels, _LONGEST_NAME)
    first = found.begin or found.first()
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
        "start": state(first, found.best or found.least_cost(**first.use), names[0]),
    }


def _class(found: Thresholds, label: Any, name: str) -> dict[str, Any]:
    table, start = found.table(label), found.start(label)
    asked = found.asked if found.asked is not None and found.asked.of == label else None
    chosen = table.steps(start)
    places = table.places(chosen)
    even = chosen.size == STEPS + 2 and np.array_equal(chosen[:-1], np.arange(STEPS + 1) / STEPS)
    return {
        "name": name,
        "cases": _number(table.cases),
        "others": _number(table.others),
        "worth": [_number(worth) for worth in table.worth],
        "margins": list(table.margins),
        "words": None if even else thresholds_told(table, chosen),
        "found": [_number(v) for v in table.found[places].tolist()],
        "alarms": [_number(v) for v in table.alarms[places].tolist()],
        "hull": {
            "words": thresholds_told(table, table.thresholds[table.hull]),
            "found": [_number(v) for v in table.found[table.hull].tolist()],
            "alarms": [_number(v) for v in table.alarms[table.hull].tolist()],
        },
        "decided": None if table.decided is None else [_number(v) for v in table.decided],
        "start": int(np.flatnonzero(chosen <= start)[-1]),
        "prevalence": None if asked is None else asked.prevalence,
    }


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else float(f"{value:.{_DIGITS}g}")


def state(here: Operating, best: Operating, name: str) -> dict[str, str]:
    """Return every number of the page as words, by the name of its place: what a threshold does, and the cheapest one."""
    assert here.every is not None
    at, cheapest = thresholds_told(here.every.table(), np.array([here.threshold, best.threshold]))
    told = {
        "threshold": at,
        "prevalence": rare(here.prevalence),
        "cost": cost_words(here.miss_cost, here.alarm_cost),
        "sentence": sentence(here, best, name, cheapest),
    }
    for what, cases in here.of_cases(1000).items():
        told |= {what: count(getattr(here, what)), f"{what}-of": _cases(cases)}
    for what in ("sensitivity", "specificity", "ppv", "npv"):
        rate: Estimate = getattr(here, what)
        known = rate.interval
        limits = NOTHING if known is None else f"{rare(known.low)} to {rare(known.high)}"
        told |= {what: NOTHING if known is None else rare(float(rate.value)), f"{what}-limits": limits}
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


def _cost(value: float) -> str:
    return number(value, 3, (0,))
