"""Ranking and thresholds: the chapter of curves with their bands, and of the sliders that move a threshold along one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base.levels import share
from adjudge._base.version import VERSION
from adjudge.counts.curves import Curve
from adjudge.describe.document import Section, Table
from adjudge.describe.sections import sections
from adjudge.describe.sliders import data, grid, sentence
from adjudge.describe.values import percent, with_limits
from adjudge.describe.verdicts import verdict
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.judgements.weaknesses import confidence_of
from adjudge.plots.geometry import curve_set
from adjudge.plots.labels import NOTHING, count, named, number
from adjudge.plots.operating import rare as rarely
from adjudge.plots.operating import threshold_picture, threshold_words, thresholds_told

_TWO = 2
_ROWS = 13
_LONGEST_NAME = 40


@verdict.register
def _(result: Thresholds) -> tuple[str, ...]:
    here = result.first()
    best = result.least_cost(**here.use)
    at, cheapest = thresholds_told(result.table(), np.array([here.threshold, best.threshold]))
    begun = f"Threshold {at} on the score of {_name(result.of)}."
    return begun, sentence(here, best, _name(result.of), cheapest), *(str(finding) for finding in here.findings)


@verdict.register
def _(result: Operating) -> tuple[str, ...]:
    each = [f"{what} {with_limits(rate)}" for what, rate in _rates(result) if rate.interval is not None]
    counts = ", ".join(f"{count(getattr(result, what))} {told}" for what, told in _COUNTS.items())
    prevalence, name = rarely(result.prevalence), _name(result.of)
    sums = " (sums of weights)" if result.every is not None and result.every.table().weighted else ""
    interval = result.cost.interval
    assert interval is not None
    limits = f"{percent(interval.level)}: {number(interval.low, 3, (0,))} to {number(interval.high, 3, (0,))}"
    each_costs = f"a miss costing {result.miss_cost:g} and a false alarm {result.alarm_cost:g}"
    return (
        f"Predicted as {name} from {_plain(result)} on: {counts}{sums}.",
        f"At a prevalence of {prevalence} ({percent(interval.level)} limits in brackets): {', '.join(each)}.",
        f"Expected cost of a case {number(result.cost.value, 3, (0,))} ({limits}), {each_costs}.",
        *(str(finding) for finding in result.findings),
    )


_COUNTS = {
    "found": "true positives (found)",
    "missed": "false negatives (missed)",
    "alarms": "false positives (false alarms)",
    "left": "true negatives",
}


def _rates(found: Operating) -> tuple[tuple[str, Any], ...]:
    values = (("positive predictive value", found.ppv), ("negative predictive value", found.npv))
    return (("sensitivity", found.sensitivity), ("specificity", found.specificity), *values)


def _plain(found: Operating) -> str:
    """Return the threshold as a number with as many digits as decide the same cases."""
    if np.isinf(found.threshold):
        return "no score"
    if found.every is None:
        return repr(found.threshold)
    low, high = (float(end[0]) for end in found.every.table().alike(np.array([found.threshold])))
    return threshold_words(found.threshold, probable=False, alike=(low, high))


def _name(label: Any) -> str:
    return named([label], _LONGEST_NAME)[0]


@sections.register
def _(result: Thresholds) -> tuple[Section, ...]:
    table = result.table()
    of = f"{count(table.cases)} of {count(table.cases + table.others)}{' as sums of weights' if table.weighted else ' cases'}"
    head = Section(
        "verdict", "verdict", "What a threshold does", f"Class of interest: {_name(result.of)} · {of}", verdict(result)
    )
    how = Section("methods", "methods", _HOW, sentences=METHODS, theme="methods")
    return head, sliding(result), how, *_data(result)


def _data(result: Thresholds) -> Iterator[Section]:
    """Yield where the cases came from, where that is known."""
    if result.origin is None:
        return
    name, size, fingerprint = result.origin
    rows = [("Source", named([name], _LONGEST_NAME)[0]), ("Rows", count(size))]
    rows += [("Level of intervals", percent(result.level)), ("Version", f"adjudge {VERSION}")]
    if fingerprint is not None:
        rows.append(("SHA-256", named([fingerprint], 100)[0]))
    yield Section("facts", "data", "The data", tables=(Table("The data", ("", ""), tuple(rows), "ll"),), theme="data")


_HOW = "Methods"
_BANDS = (
    "The band of a ROC curve holds the whole true curve at its level: both classes' distributions of scores lie within the "
    "margins of Dvoretzky, Kiefer and Wolfowitz (1956; Massart 1990), each at the square root of the level, which span a "
    "rectangle around every point (Campbell 1994). It assumes nothing of the scores. The band of a precision-recall curve is the "
    "same region at the prevalence of the cases."
)
_LIMITS = (
    "At a threshold, intervals of sensitivity and specificity are mid-P; those of predictive values follow from both at a "
    "prevalence taken as known (Donner and Zou 2012), those of the cost by MOVER (Zou and Donner 2008). None of them knows how "
    "a threshold was chosen: judge a chosen one on other cases."
)
METHODS = (_BANDS, _LIMITS)
"""How bands and what is said of a threshold were made."""


def ranking(result: Evaluation) -> Iterator[Section]:
    """Yield the chapter: thresholds under sliders, the curves of many classes, precision and recall, reliability."""
    found = result.thresholds
    if found is not None:
        yield sliding(found)
    of = None if found is None or found.classes > _TWO else found.of
    if of is None:
        yield from _curve(result, "roc", None)
        yield from _curve(result, "precision-recall", of)
    yield from _reliability_of_class(result, result.positive if of is None else of)
    yield from _reliability(result)
    if of is not None:  # last, so that the two diagrams of reliability stand side by side
        yield from _curve(result, "precision-recall", of)


_ALONG = (
    "Up the curve more cases of the class are found, to the right at the price of more false alarms. Points above the broken "
    "line would cost less than this threshold, points below it more."
)
_CHOSEN = (
    "Sensitivity and specificity are taken to stay what they are when the prevalence changes. A threshold chosen here was "
    "chosen on these cases: on others it will do a little worse."
)
_BALANCED = ("Nobody said which threshold is used: this one is where false alarms come nearest to misses in number.",)
_DIAGONAL = (
    "On the diagonal probabilities mean what they say; dots above it were promised too little, dots below it too much. "
    "Limits that reach the diagonal leave it open."
)


def sliding(found: Thresholds) -> Section:
    """Return the threshold of a class under sliders."""
    name, several = _name(found.of), found.classes > _TWO
    table = found.table()
    lead = f"ROC curve of class {name} against the rest." if not several else "ROC curve of one class against the rest."
    if several:
        lead += " A threshold on the score of one class is not the decision for the most probable class; the square marks that."
    bins = ("Scores were put together in bins of a thousandth of their size: thresholds are the ends of bins.",)
    settled = found.asked is not None or found.in_use is not None
    title = "Trading misses against false alarms"
    return Section(
        "figure",
        "thresholds",
        title,
        lead,
        tables=(_thresholds(found),),
        figure=threshold_picture(found),
        wide=True,
        theme="ranking",
        reading=(_ALONG, _CHOSEN, *(bins if table.binned else ()), *(_BALANCED if several and not settled else ())),
        scripts=("sliders.js",),
        data=data(found),
        template="sliders.html",
    )


def _thresholds(found: Thresholds) -> Table:
    """Return what some thresholds do, evenly along those under the slider."""
    table, first = found.table(), found.first()
    chosen = grid(table, first.threshold)
    chosen = chosen[np.unique(np.linspace(0, chosen.size - 1, _ROWS).round().astype(int))]
    told = thresholds_told(table, chosen)
    rows = tuple((words, *_row(found.at(t, **first.use))) for words, t in zip(told, chosen.tolist(), strict=True))
    rates = ("Sensitivity", "Specificity", "PPV", "NPV")
    header = ("Threshold", "True positives", "False negatives", "False positives", "True negatives", *rates)
    sums = " Numbers of cases are sums of weights." if table.weighted else ""
    at = f"at a prevalence of {rarely(first.prevalence)}"
    caption = f"Thresholds on the score of {_name(found.of)} {at}, {percent(found.level)} limits in brackets.{sums}"
    return Table(caption, header, rows, "l" + "r" * (len(header) - 1))


def _row(found: Operating) -> tuple[str, ...]:
    counts = (count(getattr(found, what)) for what in _COUNTS)
    rates = (with_limits(rate) if rate.interval is not None else NOTHING for _, rate in _rates(found))
    return (*counts, *rates)


_TITLES = {
    "roc": ("ROC curves of all classes", "True against false positive rate of each class against the rest."),
    "precision-recall": ("Trading misses against precision", "Precision against recall of each class against the rest."),
}
_READ = {
    "roc": "The nearer a curve comes to the upper left corner, the better its class is told from the others; "
    "the diagonal is what guessing would do.",
    "precision-recall": "The further right a curve stays high, the more cases of its class are found among few false alarms. "
    "Where a class is rare this says more than the ROC curve.",
}


def _curve(result: Evaluation, kind: str, of: Any) -> Iterator[Section]:
    curves = result.curves.get(kind, {})
    found = [curve for label, curve in curves.items() if curve.x.size and (of is None or label == of)]
    if not found:
        return
    title, lead = _TITLES[kind]
    if len(found) == 1:
        lead = lead.replace("each class", f"class {_name(found[0].of)}")
    drawn = curve_set(found)
    if len(drawn.named) < len(found):
        lead += f" In colour the {len(drawn.named)} with the smallest area of {len(found)}."
    read = (_READ[kind], *_banded(found, kind))
    yield Section("figure", kind, title, lead, tables=(_points(found, kind),), figure=drawn, theme="ranking", reading=read)


def _banded(found: Sequence[Curve], kind: str) -> Iterator[str]:
    if len(found) == 1 and found[0].band is not None:
        where = f" at the prevalence of these cases, {share(float(found[0].y[-1]))}" if kind == "precision-recall" else ""
        yield f"The band holds the whole true curve in {percent(found[0].band.level)} of samples{where}."


_AT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def _points(found: Sequence[Curve], kind: str) -> Table:
    """Return how high each curve is at some places across."""
    names = named([curve.of for curve in found], 24)
    heights = [_heights(curve, kind) for curve in found]
    rows = tuple((share(at, 0), *(share(each[i]) for each in heights)) for i, at in enumerate(_AT))
    first = ("AUC" if kind == "roc" else "Average precision", *(number(curve.area) for curve in found))
    head = f"{found[0].y_name} at {found[0].x_name.lower()}"
    return Table(head, (found[0].x_name, *names), (*rows, first), "l" + "r" * len(names))


def _heights(curve: Curve, kind: str) -> list[float]:
    """Return the height at each place: of ROC curves the best reached so far, of precision the best from there on."""
    if kind == "roc":
        return [float(curve.y[curve.x <= at].max(initial=0.0)) for at in _AT]
    return [float(curve.y[curve.x >= at].max(initial=0.0)) for at in _AT]


def _reliability_of_class(result: Evaluation, of: Any) -> Iterator[Section]:
    """Yield how often the class of interest was true against how probable it was predicted; a rare one in bins that suit it."""
    rare = result.curves.get("quantile-reliability", {}).get(of)
    curve = rare or result.curves.get("class-reliability", {}).get(of)
    if curve is None or not curve.x.size:
        return
    name = _name(of)
    bins = f"bins that expect equally many cases of {name}" if rare is not None else "bins of equal width"
    lead = f"Predicted probability of {name} against the share of cases that are {name}, in {bins}."
    mean = confidence_of(result.curves, result.counts, of, level=result.level) if result.counts is not None else None
    if mean is not None:
        lead += f" Mean predicted {rarely(mean.called)}, observed {rarely(mean.happened.value)}."
    yield _diagram("class-reliability", f"Do the probabilities of {name} mean what they say?", lead, curve)


def _reliability(result: Evaluation) -> Iterator[Section]:
    """Yield how often the highest probability of each case was right."""
    curve = result.curves.get("reliability", {}).get("highest probability")
    if curve is not None and curve.x.size:
        lead = "Highest probability of each case against how often it was right, in bins; larger dots stand for more cases."
        yield _diagram("reliability", "Do the probabilities mean what they say?", lead, curve)


def _diagram(name: str, title: str, lead: str, curve: Curve) -> Section:
    drawn, table = curve_set((curve,)), _bins(curve)
    return Section("figure", name, title, lead, tables=(table,), figure=drawn, theme="ranking", reading=(_DIAGONAL,))


def _bins(curve: Curve) -> Table:
    limits = [NOTHING] * curve.x.size
    level = ""
    if curve.band is not None:
        level = f" ({percent(curve.band.level)})"
        both = zip(curve.band.low[:, 1].tolist(), curve.band.high[:, 1].tolist(), strict=True)
        limits = [f"{rarely(low)} to {rarely(high)}" for low, high in both]
    sizes = [] if curve.size is None else curve.size.tolist()
    rows = tuple(
        (f"up to {rarely(edge)}", count(n), rarely(x), rarely(y), limit)
        for edge, n, x, y, limit in zip(curve.thresholds.tolist(), sizes, curve.x.tolist(), curve.y.tolist(), limits, strict=True)
    )
    header = ("Probability", "Cases", "Mean given", "Happened", f"Limits{level}")
    notes = (f"Calibration error {number(curve.area)}: the mean distance from the diagonal over all cases.",)
    return Table("Reliability by bin", header, rows, "lrrrr", notes=notes)
