"""What subjects say of the population that they are drawn from."""

from __future__ import annotations

import math

from adjudge._base import counted, probable, safe
from adjudge.describe.description import document, methods_section, of_fields, opening
from adjudge.describe.document import TEXTS, Card, Document, Section, Table, base_name, folding
from adjudge.describe.values import limits, percent, spoken, sureness, title, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.population import Approximation, Population, Subject
from adjudge.plots.labels import NOTHING, count, named, number, probability
from adjudge.plots.population import population_forest

_METHODS = TEXTS["population"]
_SMALL = 1e-4


@document.register
def _(result: Population, *, whole: bool) -> Document:
    """Tell the mean, the next subject and the spread; then what a widely used approximation would say."""
    measure, name, chance = spoken(result.measure), title(Estimate(result.measure, math.nan)), percent(result.chance)
    mean, following, other = result.mean, result.next_subject, result.variational
    likely = f"above chance with probability {_likely(result.next_above_chance)}"
    below = f"infraliminal probability (at {chance} or below) {_likely(result.infraliminal)}"
    told = (
        f"{name} of the typical subject: {value(mean)}, {sureness(mean)} ({counted(result.n_subjects, 'subject')}).",
        f"Next subject: {value(following)} expected, {sureness(following)}; {likely}.",
        f"P(population mean above {chance}) {probable(result.above_chance, 4)}; {below}.",
        f"Subjects differ by a standard deviation of {_points(result)}.",
    )
    variational = (
        f"R's micp approximates the same model, with the priors of Brodersen et al., by variational Bayes: {value(other.mean)}, "
        f"{sureness(other.mean)}, infraliminal probability {_likely(other.infraliminal)}. That takes mean and spread for "
        "independent, and is too sure."
    )
    key, each = numbers(result), subjects(result)
    page: list[Section] = []
    if whole:
        lead = f"{base_name(result.name)} · {counted(result.n_subjects, 'subject')} · {count(result.cases)} cases · {measure}"
        cards = (
            Card("Population mean", value(mean), sureness(mean)),
            Card("Next subject", value(following), sureness(following)),
            Card("Above chance", probability(result.above_chance, 4), f"probability that the population mean is above {chance}"),
        )
        page += opening("How good is it for the population?", lead, told, cards, result.findings)
        about = "Each subject in the light of the others: the fewer cases it has, the nearer it is drawn to them. "
        about += "The next subject may lie anywhere in its interval, however many rows there are."
        drawing = population_forest(result)
        page.append(Section("figure", "population", "Subjects and their population", about, figure=drawing, theme="sure"))
        page.append(Section("table", "numbers", "In numbers", tables=(key,), theme="sure"))
        page.append(Section("table", "subjects", "Subject by subject", tables=(each,), theme="sure"))
        texts = (text.format(level=percent(result.level)) for name, text in _METHODS.items() if _holds(result, name))
        page.append(methods_section(*texts, variational))
    return Document((*told, variational), (each,), result.findings, key=key, sections=tuple(page))


@document.register
def _(result: Subject, **_: bool) -> Document:
    return of_fields(result, f"{safe(result.name)}: {value(result.estimate)}, {sureness(result.estimate)}")


@document.register
def _(result: Approximation, **_: bool) -> Document:
    return of_fields(result, f"Population mean by variational Bayes: {value(result.mean)}, {sureness(result.mean)}")


def numbers(result: Population) -> Table:
    """Return the few numbers of the population, and what the approximation gives beside them."""
    other, level = result.variational, percent(result.level)
    low, high = ("", "") if result.spread.interval is None else (result.spread.interval.low, result.spread.interval.high)
    rows = (
        ("Population mean", value(result.mean), limits(result.mean)),
        ("Next subject", value(result.next_subject), limits(result.next_subject)),
        ("Spread between subjects (standard deviation, points)", number(100 * result.spread.value, 1), _span(low, high)),
        ("P(population mean above chance)", probability(result.above_chance, 4), NOTHING),
        ("P(next subject above chance)", probability(result.next_above_chance, 4), NOTHING),
        ("Infraliminal probability", _bare(result.infraliminal), NOTHING),
        ("Population mean, variational (R's micp)", value(other.mean), limits(other.mean)),
        ("Infraliminal probability, variational (R's micp)", _bare(other.infraliminal), NOTHING),
    )
    return Table("Population", ("Number", "Value", f"{level} interval"), rows)


def subjects(result: Population) -> Table:
    """Return one row per subject, the lowest first: what was seen, and the same in the light of the others."""
    rows = []
    for name, one in zip(named([subject.name for subject in result.subjects], 60), result.subjects, strict=True):
        seen = NOTHING if math.isnan(one.seen) else value(Estimate(result.measure, one.seen, one.estimate.interval))
        lacks = NOTHING if not one.lacks else ", ".join(named(one.lacks[:3], 20))
        rows.append((name, count(one.cases), seen, value(one.estimate), limits(one.estimate), lacks))
    header = ("Subject", "Cases", "Seen", "With the others", f"{percent(result.level)} interval", "No case of")
    return folding("Subjects", header, rows, ("subject", "subjects")).without_empty_columns()


def _points(result: Population) -> str:
    interval = result.spread.interval
    known = "" if interval is None else f", {percent(result.level)} interval {_span(interval.low, interval.high)}"
    return f"{number(100 * result.spread.value, 1)} points{known}"


def _span(low: float | str, high: float | str) -> str:
    return NOTHING if isinstance(low, str) or isinstance(high, str) else f"{number(100 * low, 1)} to {number(100 * high, 1)}"


def _bare(p: float) -> str:
    """Return a small probability to three digits, however small."""
    return f"{p:.3g}" if 0 < p < _SMALL else probability(p, 4)


def _likely(p: float) -> str:
    return _bare(p) if 0 < p < _SMALL else probable(p, 4).removeprefix("= ")


def _holds(result: Population, name: str) -> bool:
    """Return whether a text on methods is of this result."""
    return {"brodersen": result.prior == "brodersen", "weak": result.prior == "weak"}.get(
        name, name != "classes" or result.measure == "balanced_accuracy"
    )
