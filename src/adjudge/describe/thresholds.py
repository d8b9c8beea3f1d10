"""Ranking and thresholds: the chapter of curves with their bands, and of the sliders that move a threshold along one.

The script of the page holds the same formulas and the same rounding of the sliders; a test in a browser holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjudge._base import VERSION, share
from adjudge.counts.curves import Curve
from adjudge.describe.description import document, methods_section, of_fields, opening
from adjudge.describe.document import TEXTS, Document, Row, Section, Table
from adjudge.describe.scores import gain, places, scores
from adjudge.describe.values import one_name, percent, with_limits
from adjudge.judgements.curves import STEPS
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.plots.curves import FRAME, curve_set, threshold_picture, thresholds_told
from adjudge.plots.labels import NOTHING, count, named, number, threshold_words
from adjudge.plots.labels import rare as rarely
from adjudge.plots.style import MOST_LINES

COSTS = (1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100)
"""How many times dearer one kind of error may be than the other."""
_TWO = 2
_LONGEST_NAME = 60
_DIGITS = 9  # of weights in the page
_AT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_COUNTS = {
    "found": "true positives (found)",
    "missed": "false negatives (missed)",
    "alarms": "false positives (false alarms)",
    "left": "true negatives",
}
_RATES = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "positive predictive value",
    "npv": "negative predictive value",
}
METHODS = tuple(TEXTS["thresholds"].values())
"""How bands and what is said of a threshold were made."""
_READ_OFF = TEXTS["reading"]  # what to read off a figure
_TITLES = {
    "roc": ("ROC curves of all classes", "True against false positive rate of each class against the rest."),
    "precision-recall": ("Trading misses against precision", "Precision against recall of each class against the rest."),
}


@document.register
def _(result: Thresholds, *, whole: bool) -> Document:
    here = result.begin or result.first()
    best = result.best or result.least_cost(**here.use)
    table, name = result.table(), one_name(result.of, _LONGEST_NAME)
    at, cheapest = thresholds_told(table, np.array([here.threshold, best.threshold]))
    told = (f"Threshold {at} on the score of {name}.", sentence(here, best, name, cheapest), *map(str, here.findings))
    page: list[Section] = []
    if whole:
        of = f"{count(table.cases)} of {count(table.cases + table.others)}{' as sums of weights' if table.weighted else ' cases'}"
        page += opening("What a threshold does", f"Class of interest: {name} · {of}", told)
        page += [sliding(result), methods_section(*METHODS)]
    if whole and result.origin is not None:
        source, size, fingerprint = result.origin
        each = {"Source": one_name(source, _LONGEST_NAME), "Rows": count(size), "Level of intervals": percent(result.level)}
        each |= {"Version": f"adjudge {VERSION}"} | ({} if fingerprint is None else {"SHA-256": one_name(fingerprint, 100)})
        facts = Table("The data", ("", ""), tuple(each.items()), "ll")
        page.append(Section("facts", "data", "The data", tables=(facts,), theme="data"))
    return Document(told, key=of_fields(result).key, sections=tuple(page))


@document.register
def _(result: Operating, **_: bool) -> Document:
    each = [(name, getattr(result, what)) for what, name in _RATES.items()]
    rates = ", ".join(f"{name} {with_limits(rate)}" for name, rate in each if rate.interval is not None)
    counts = ", ".join(f"{count(getattr(result, what))} {told}" for what, told in _COUNTS.items())
    sums = " (sums of weights)" if result.every is not None and result.every.table().weighted else ""
    interval = result.cost.interval
    assert interval is not None
    level = percent(interval.level)
    at = "no score" if np.isinf(result.threshold) else repr(result.threshold)
    if result.every is not None and not np.isinf(result.threshold):  # as many digits as decide the same cases
        low, high = (float(end[0]) for end in result.every.table().alike(np.array([result.threshold])))
        at = threshold_words(result.threshold, probable=False, alike=(low, high))
    cost = f"{_cost(result.cost.value)} ({level}: {_cost(interval.low)} to {_cost(interval.high)})"
    told = (
        f"Predicted as {one_name(result.of, _LONGEST_NAME)} from {at} on: {counts}{sums}.",
        f"At a prevalence of {rarely(result.prevalence)} ({level} intervals in brackets): {rates}.",
        f"Expected cost of a case {cost}, {_paid(result)}.",
        *map(str, result.findings),
    )
    return Document(told, key=of_fields(result).key)


def _paid(here: Operating) -> str:
    return f"a miss costing {here.miss_cost:g} and a false alarm {here.alarm_cost:g}"


# -- curves ----------------------------------------------------------------------------------------------------


def ranking(result: Evaluation) -> Iterator[Section]:
    """Yield the chapter: thresholds under sliders, the curves of many classes, precision and recall, reliability."""
    thresholds = result.thresholds
    if thresholds is not None:
        yield sliding(thresholds)
        yield from (*scores(result), *gain(result))
    of = None if thresholds is None or thresholds.classes > _TWO else thresholds.of
    if of is None:
        yield from (*_curve(result, "roc", None), *_curve(result, "precision-recall", of))
    yield from places(result)
    label = result.positive if of is None else of
    rare = result.curves.get("quantile-reliability", {}).get(label)
    curve = rare or result.curves.get("class-reliability", {}).get(label)
    if curve is not None and curve.x.size:
        name = one_name(label, _LONGEST_NAME)
        bins = f"bins that expect equally many cases of {name}" if rare is not None else "bins of equal width"
        lead = f"Predicted probability of {name} against the share of cases that are {name}, in {bins}."
        mean = None if result.weaknesses is None else result.weaknesses.class_confidence
        if mean is not None:
            lead += f" Mean predicted {rarely(mean.mean_probability)}, observed {rarely(mean.observed.value)}."
        yield _diagram("class-reliability", f"Are the probabilities of {name} calibrated?", lead, curve)
    curve = result.curves.get("reliability", {}).get("highest probability")
    if curve is not None and curve.x.size:
        lead = "Highest probability of each case against how often it was correct, in bins; larger dots stand for more cases."
        yield _diagram("reliability", "Are the probabilities calibrated?", lead, curve)
    if of is not None:  # last, so that the two diagrams of reliability stand side by side
        yield from _curve(result, "precision-recall", of)


def _curve(result: Evaluation, kind: str, of: Any) -> Iterator[Section]:
    every = result.curves.get(kind, {}).items()
    shown = [curve for label, curve in every if curve.x.size and (of is None or label == of)]
    if not shown:
        return
    title, lead = _TITLES[kind]
    if len(shown) == 1:
        lead = lead.replace("each class", f"class {one_name(shown[0].of, _LONGEST_NAME)}")
    if len(shown) > MOST_LINES:
        lead += f" In colour the {MOST_LINES} with the smallest area of {len(shown)}."
    read = [_READ_OFF[kind]]
    if len(shown) == 1 and shown[0].band is not None:
        where = f" at the prevalence of these cases, {share(float(shown[0].y[-1]))}" if kind == "precision-recall" else ""
        read.append(f"The band holds the whole true curve in {percent(shown[0].band.level)} of samples{where}.")
    names = named([curve.of for curve in shown], 40)
    rows = []
    for at in _AT:  # of ROC curves the best reached so far, of precision the best from there on
        beside = (curve.y[curve.x <= at if kind == "roc" else curve.x >= at] for curve in shown)
        rows.append((share(at, 0), *(share(float(heights.max(initial=0.0))) for heights in beside)))
    rows.append(("AUC" if kind == "roc" else "Average precision", *(number(curve.area) for curve in shown)))
    table = Table(f"{shown[0].y_name} at {shown[0].x_name.lower()}", (shown[0].x_name, *names), tuple(rows))
    yield Section("figure", kind, title, lead, tables=(table,), figure=curve_set(shown), theme="ranking", reading=tuple(read))


def _diagram(name: str, title: str, lead: str, curve: Curve) -> Section:
    limits, level = [NOTHING] * curve.x.size, ""
    if curve.band is not None:
        level = f" ({percent(curve.band.level)})"
        both = zip(curve.band.low[:, 1].tolist(), curve.band.high[:, 1].tolist(), strict=True)
        limits = [f"{rarely(low)} to {rarely(high)}" for low, high in both]
    sizes = [] if curve.size is None else curve.size.tolist()
    each = zip(curve.thresholds.tolist(), sizes, curve.x.tolist(), curve.y.tolist(), limits, strict=True)
    rows = tuple((f"up to {rarely(edge)}", count(n), rarely(x), rarely(y), limit) for edge, n, x, y, limit in each)
    header = ("Probability", "Cases", "Mean predicted", "Observed", f"Interval{level}")
    notes = (f"Calibration error {number(curve.area)}: the mean distance from the diagonal over all cases.",)
    table, drawn = Table("Reliability by bin", header, rows, notes=notes), curve_set((curve,))
    return Section("figure", name, title, lead, tables=(table,), figure=drawn, theme="ranking", reading=(_READ_OFF["diagonal"],))


# -- sliders ---------------------------------------------------------------------------------------------------


def sliding(thresholds: Thresholds) -> Section:
    """Return the threshold of a class under sliders, and what some thresholds do, evenly along those under the slider."""
    name, several = one_name(thresholds.of, _LONGEST_NAME), thresholds.classes > _TWO
    rows, table, chosen = [], thresholds.table(), thresholds.some()
    for words, place, point in zip(thresholds_told(table, chosen), table.places(chosen).tolist(), thresholds.points, strict=True):
        hits, alarms = table.found[place].item(), table.alarms[place].item()
        cells = map(count, (hits, table.cases - hits, alarms, table.others - alarms))
        rates = (getattr(point, what) for what in _RATES)
        rows.append((words, *cells, *(with_limits(rate) if rate.interval is not None else NOTHING for rate in rates)))
    header: Row = ("Threshold", "True positives", "False negatives", "False positives", "True negatives")
    prevalence = rarely((thresholds.begin or thresholds.first()).prevalence)
    caption = f"Thresholds on the score of {name} at a prevalence of {prevalence}, "
    caption += f"{percent(thresholds.level)} intervals in brackets."
    caption += " Numbers of cases are sums of weights." if table.weighted else ""
    lead = f"ROC curve of class {name} against the rest."
    if several:
        lead = "ROC curve of one class against the rest."
        lead += " A threshold on the score of one class is not the decision for the most probable class; the square marks that."
    reading = [_READ_OFF["along"], _READ_OFF["chosen"], *([_READ_OFF["bins"]] if table.binned else [])]
    reading += [_READ_OFF["balanced"]] if several and thresholds.asked is None and thresholds.in_use is None else []
    points = Table(caption, (*header, "Sensitivity", "Specificity", "PPV", "NPV"), tuple(rows))
    drawn: dict[str, Any] = {"figure": threshold_picture(thresholds), "tables": (points,), "reading": tuple(reading)}
    moved: dict[str, Any] = {"scripts": ("sliders.js",), "data": data(thresholds), "template": "sliders.html"}
    title = "Trading misses against false alarms"
    return Section("figure", "thresholds", title, lead, theme="ranking", wide=True, **drawn, **moved)


def prevalences() -> list[float]:
    """Return shares of a class to choose from: finer where it is rare, or all but the rule."""
    few = [k * decade for decade in (1e-4, 1e-3) for k in range(1, 10)]
    common = [k / 200 for k in range(2, 20)] + [k / 100 for k in range(10, 100)]
    return [float(f"{v:.4g}") for v in (*few, *common, *(0.99 + k / 1000 for k in range(1, 10)))]


def costs(miss: float = 1, alarm: float = 1) -> list[tuple[float, float]]:
    """Return costs of a miss and of a false alarm to choose from, those asked for among them."""
    pairs: list[tuple[float, float]] = [*((1, times) for times in COSTS[:0:-1]), *((times, 1) for times in COSTS)]
    return pairs if (miss, alarm) in pairs else sorted([*pairs, (miss, alarm)], key=lambda pair: pair[0] / pair[1])


def data(thresholds: Thresholds) -> dict[str, Any]:
    """Return what the script needs to know, with the words of the first state for readers without it."""
    labels = [thresholds.of, *(label for label in thresholds.tables if label != thresholds.of)]
    names = named(labels, _LONGEST_NAME)
    first = thresholds.begin or thresholds.first()
    pairs = costs(first.miss_cost, first.alarm_cost)
    return {
        "level": percent(thresholds.level),
        "tail": (1 - thresholds.level) / 2,
        "frame": FRAME,
        "prevalences": prevalences(),
        "costs": [[*pair, cost_words(*pair)] for pair in pairs],
        "cost": pairs.index((first.miss_cost, first.alarm_cost)),
        "weighted": thresholds.table().weighted,
        "classes": [_class(thresholds, label, name) for label, name in zip(labels, names, strict=True)],
        "start": state(first, thresholds.best or thresholds.least_cost(**first.use), names[0]),
    }


def _class(thresholds: Thresholds, label: Any, name: str) -> dict[str, Any]:
    table, start = thresholds.table(label), thresholds.start(label)
    asked = thresholds.asked if thresholds.asked is not None and thresholds.asked.of == label else None
    chosen = table.steps(start)
    places = table.places(chosen)
    even = chosen.size == STEPS + 2 and np.array_equal(chosen[:-1], np.arange(STEPS + 1) / STEPS)
    return {
        "name": name,
        "cases": _numbers([table.cases])[0],
        "others": _numbers([table.others])[0],
        "worth": _numbers(table.worth),
        "scale": table.scale,
        "margins": list(table.margins),
        "words": None if even else thresholds_told(table, chosen),
        "found": _numbers(table.found[places]),
        "alarms": _numbers(table.alarms[places]),
        "hull": {
            "words": thresholds_told(table, table.thresholds[table.hull]),
            "found": _numbers(table.found[table.hull]),
            "alarms": _numbers(table.alarms[table.hull]),
        },
        "decided": None if table.decided is None else _numbers(table.decided),
        "start": int(np.flatnonzero(chosen <= start)[-1]),
        "prevalence": None if asked is None else asked.prevalence,
    }


def _numbers(values: Any) -> list[float]:
    """Return numbers as they stand in the page, whole where they are."""
    each = np.asarray(values, dtype=float).tolist()
    return [int(value) if value.is_integer() else float(f"{value:.{_DIGITS}g}") for value in each]


def state(here: Operating, best: Operating, name: str) -> dict[str, str]:
    """Return every number of the page as words, by the name of its place: what a threshold does, and the cheapest one."""
    assert here.every is not None
    at, cheapest = thresholds_told(here.every.table(), np.array([here.threshold, best.threshold]))
    told = {
        "threshold": at,
        "prevalence": rarely(here.prevalence),
        "cost": cost_words(here.miss_cost, here.alarm_cost),
        "headline": headline(here, at),
        "sentence": sentence(here, best, name, cheapest),
    }
    for what, cases in here.of_cases(1000).items():
        told |= {what: count(getattr(here, what)), f"{what}-of": _cases(cases)}
    for what in _RATES:
        rate = getattr(here, what)
        known = rate.interval
        limits = NOTHING if known is None else f"{rarely(known.low)} to {rarely(known.high)}"
        told |= {what: NOTHING if known is None else rarely(float(rate.value)), f"{what}-interval": limits}
    interval = here.cost.interval
    assert interval is not None
    told |= {"expected": _cost(here.cost.value), "expected-interval": f"{_cost(interval.low)} to {_cost(interval.high)}"}
    alone = min(here.prevalence * here.miss_cost, (1 - here.prevalence) * here.alarm_cost)  # of calling everybody, or nobody
    return told | {"least": _cost(best.cost.value), "without": _cost(alone)}


def headline(here: Operating, at: str) -> str:
    """Return what a threshold finds of the class and at what price, in one line."""
    found = f"finds {count(here.found)} of {count(here.found + here.missed)} ({rarely(float(here.sensitivity.value))})"
    right = NOTHING if here.ppv.interval is None else rarely(float(here.ppv.value))
    price = f"precision {right} at a prevalence of {rarely(here.prevalence)}; a case costs {_cost(here.cost.value)}"
    return f"Threshold {at}: {found} with {count(here.alarms)} false alarms; {price}."


def cost_words(miss: float, alarm: float) -> str:
    """Return how much dearer one error is than the other."""
    return f"{miss:g} : {alarm:g}"


def sentence(here: Operating, best: Operating, name: str, cheapest: str) -> str:
    """Return what a threshold does to a thousand cases."""
    each = {what: _cases(cases) for what, cases in here.of_cases(1000).items()}
    called = name if name.startswith("class ") else f"class {name}"
    head = f"Of 1,000 cases with {rarely(here.prevalence)} of {called}:"
    did = f"{each['found']} true positives, {each['missed']} false negatives (missed), {each['alarms']} false positives."
    yes, no = (None if rate.reason is not None else rarely(float(rate.value)) for rate in (here.ppv, here.npv))
    call = "No case is predicted positive" if yes is None else f"A positive prediction is correct in {yes}"
    rest = "every case is predicted positive" if no is None else f"a negative one in {no}"
    least = f"a case costs {_cost(here.cost.value)} on average, at least {_cost(best.cost.value)} (threshold: {cheapest})"
    return f"{head} {did} {call}, {rest}; {_paid(here)}, {least}."


def _cases(value: float) -> str:
    """Return how many of a thousand cases, a thousand itself with its comma."""
    shown = number(value, 0, (0,))
    return "1,000" if shown == "1000" else shown


def _cost(value: float) -> str:
    return number(value, 3, (0,))
