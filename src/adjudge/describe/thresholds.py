"""Ranking and thresholds: the chapter of curves with their bands, and of the sliders that move a threshold along one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base.levels import share
from adjudge._base.version import VERSION
from adjudge.counts.curves import Curve
from adjudge.describe.description import document, methods_section, of_fields
from adjudge.describe.document import Document, Row, Section, Table
from adjudge.describe.sliders import data, sentence
from adjudge.describe.values import percent, with_limits
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.plots.curves import curve_set
from adjudge.plots.labels import NOTHING, count, named, number
from adjudge.plots.operating import rare as rarely
from adjudge.plots.operating import threshold_picture, threshold_words, thresholds_told

_TWO = 2
_LONGEST_NAME = 40


_COUNTS = {
    "found": "true positives (found)",
    "missed": "false negatives (missed)",
    "alarms": "false positives (false alarms)",
    "left": "true negatives",
}


@document.register
def _(result: Thresholds, *, whole: bool) -> Document:
    here = result.begin or result.first()
    best = result.best or result.least_cost(**here.use)
    at, cheapest = thresholds_told(result.table(), np.array([here.threshold, best.threshold]))
    name = _name(result.of)
    begun = f"Threshold {at} on the score of {name}."
    told = (begun, sentence(here, best, name, cheapest), *(str(finding) for finding in here.findings))
    page = tuple(_page(result, told)) if whole else ()
    return Document(told, key=of_fields(result).key, sections=page)


def _page(result: Thresholds, told: tuple[str, ...]) -> Iterator[Section]:
    table = result.table()
    of = f"{count(table.cases)} of {count(table.cases + table.others)}{' as sums of weights' if table.weighted else ' cases'}"
    lead = f"Class of interest: {_name(result.of)} · {of}"
    yield Section("verdict", "verdict", "What a threshold does", lead, told)
    yield sliding(result)
    yield methods_section(*METHODS)
    if result.origin is not None:
        name, size, fingerprint = result.origin
        rows = [("Source", named([name], _LONGEST_NAME)[0]), ("Rows", count(size))]
        rows += [("Level of intervals", percent(result.level)), ("Version", f"adjudge {VERSION}")]
        rows += [] if fingerprint is None else [("SHA-256", named([fingerprint], 100)[0])]
        yield Section("facts", "data", "The data", tables=(Table("The data", ("", ""), tuple(rows), "ll"),), theme="data")


@document.register
def _(result: Operating, **_: bool) -> Document:
    each = [f"{what} {with_limits(rate)}" for what, rate in _rates(result) if rate.interval is not None]
    counts = ", ".join(f"{count(getattr(result, what))} {told}" for what, told in _COUNTS.items())
    sums = " (sums of weights)" if result.every is not None and result.every.table().weighted else ""
    interval, name = result.cost.interval, _name(result.of)
    assert interval is not None
    limits = f"{percent(interval.level)}: {number(interval.low, 3, (0,))} to {number(interval.high, 3, (0,))}"
    paid = f"a miss costing {result.miss_cost:g} and a false alarm {result.alarm_cost:g}"
    at = "no score" if np.isinf(result.threshold) else repr(result.threshold)
    if result.every is not None and not np.isinf(result.threshold):  # as many digits as decide the same cases
        low, high = (float(end[0]) for end in result.every.table().alike(np.array([result.threshold])))
        at = threshold_words(result.threshold, probable=False, alike=(low, high))
    told = (
        f"Predicted as {name} from {at} on: {counts}{sums}.",
        f"At a prevalence of {rarely(result.prevalence)} ({percent(interval.level)} limits in brackets): {', '.join(each)}.",
        f"Expected cost of a case {number(result.cost.value, 3, (0,))} ({limits}), {paid}.",
        *(str(finding) for finding in result.findings),
    )
    return Document(told, key=of_fields(result).key)


def _rates(found: Operating) -> tuple[tuple[str, Any], ...]:
    values = (("positive predictive value", found.ppv), ("negative predictive value", found.npv))
    return (("sensitivity", found.sensitivity), ("specificity", found.specificity), *values)


def _name(label: Any) -> str:
    return named([label], _LONGEST_NAME)[0]


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
        tables=(_points_table(found),),
        figure=threshold_picture(found),
        wide=True,
        theme="ranking",
        reading=(_ALONG, _CHOSEN, *(bins if table.binned else ()), *(_BALANCED if several and not settled else ())),
        scripts=("sliders.js",),
        data=data(found),
        template="sliders.html",
    )


def _points_table(found: Thresholds) -> Table:
    """Return what some thresholds do, evenly along those under the slider."""
    table, first, chosen = found.table(), found.begin or found.first(), found.some()
    rows = []
    for words, place, point in zip(thresholds_told(table, chosen), table.places(chosen).tolist(), found.points, strict=True):
        hits, alarms = table.found[place].item(), table.alarms[place].item()
        cells = map(count, (hits, table.cases - hits, alarms, table.others - alarms))
        rates = (with_limits(rate) if rate.interval is not None else NOTHING for _, rate in _rates(point))
        rows.append((words, *cells, *rates))
    header: Row = ("Threshold", "True positives", "False negatives", "False positives", "True negatives")
    header = (*header, "Sensitivity", "Specificity", "PPV", "NPV")
    sums = " Numbers of cases are sums of weights." if table.weighted else ""
    at = f"Thresholds on the score of {_name(found.of)} at a prevalence of {rarely(first.prevalence)}"
    caption = f"{at}, {percent(found.level)} limits in brackets.{sums}"
    return Table(caption, header, tuple(rows), "l" + "r" * (len(header) - 1))


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
    read = [_READ[kind]]
    if len(found) == 1 and found[0].band is not None:
        where = f" at the prevalence of these cases, {share(float(found[0].y[-1]))}" if kind == "precision-recall" else ""
        read.append(f"The band holds the whole true curve in {percent(found[0].band.level)} of samples{where}.")
    yield Section("figure", kind, title, lead, tables=(_points(found, kind),), figure=drawn, theme="ranking", reading=tuple(read))


_AT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def _points(found: Sequence[Curve], kind: str) -> Table:
    """Return how high each curve is at some places across."""
    names = named([curve.of for curve in found], 24)
    heights = [
        # of ROC curves the best reached so far, of precision the best from there on
        [float(curve.y[curve.x <= at if kind == "roc" else curve.x >= at].max(initial=0.0)) for at in _AT]
        for curve in found
    ]
    rows = tuple((share(at, 0), *(share(each[i]) for each in heights)) for i, at in enumerate(_AT))
    first = ("AUC" if kind == "roc" else "Average precision", *(number(curve.area) for curve in found))
    head = f"{found[0].y_name} at {found[0].x_name.lower()}"
    return Table(head, (found[0].x_name, *names), (*rows, first), "l" + "r" * len(names))


def _reliability_of_class(result: Evaluation, of: Any) -> Iterator[Section]:
    """Yield how often the class of interest was true against how probable it was predicted; a rare one in bins that suit it."""
    rare = result.curves.get("quantile-reliability", {}).get(of)
    curve = rare or result.curves.get("class-reliability", {}).get(of)
    if curve is None or not curve.x.size:
        return
    name = _name(of)
    bins = f"bins that expect equally many cases of {name}" if rare is not None else "bins of equal width"
    lead = f"Predicted probability of {name} against the share of cases that are {name}, in {bins}."
    mean = None if result.weaknesses is None else result.weaknesses.class_confidence
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
