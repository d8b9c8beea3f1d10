"""Subjects as draws of a population: how good a classifier is for the typical subject, for the next one, and for each.

Rows of a subject belong together, and a few subjects say little of others, however many rows each has. The accuracy of each, or
each of its recalls, is drawn from a population (Brodersen et al. 2012, J. Mach. Learn. Res. 13:3133-3176).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base import Finding, Shown, counted, dataclass, first_few, quoted, share
from adjudge._base.arrays import FloatArray
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.stats import special
from adjudge.stats.population import NormalBinomial, normal_binomial, variational
from adjudge.stats.shares import ShareDistribution, mean_of

METHOD = "normal-binomial"
MEASURES = ("balanced_accuracy", "accuracy")
FEW = 5  # subjects below which the prior says more of their spread than they do
MOST_SHOWN = 200  # subjects that are shown one by one: of more, those at both ends
_COARSE = 1 << 11  # cells of the distribution of one of many subjects
_NOTABLE = 1e-3  # of the posterior that nodes may leave out
_ABOVE = 0.05  # so far above the chance level the share of a class is worth a word


@dataclass(frozen=True, slots=True)
class Subject(Shown):
    """One subject: what was seen, and what it is with the others in view."""

    name: Any
    seen: float  # the measure of its own cases; NaN where it lacks a class
    cases: float
    estimate: Estimate  # drawn towards the others, the more so the fewer cases it has
    lacks: tuple[Any, ...] = ()  # classes of which it has no case


@dataclass(frozen=True, slots=True)
class Approximation(Shown):
    """The population mean as Brodersen et al. (2013) and R's micp approximate it: by variational Bayes, which is too sure."""

    mean: Estimate
    infraliminal: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Population(Shown):
    """What subjects say of the population that they are drawn from."""

    measure: str
    mean: Estimate  # the measure of the typical subject: at the mean of the population's logits
    next_subject: Estimate  # that of a subject not seen yet
    spread: Estimate  # its standard deviation between subjects: posterior median
    chance: float  # the chance level
    infraliminal: float  # probability that the population mean is at the chance level or below
    next_above_chance: float  # probability that the next subject is above the chance level
    subjects: tuple[Subject, ...]  # by what was seen, the lowest first
    n_subjects: int
    cases: float
    classes: tuple[Any, ...]
    prior: str
    level: float
    variational: Approximation
    left_out: float  # how much of the posterior the numerics miss, about
    name: str = "predictions"
    column: str | None = None  # that of the subjects, where one file holds all of them
    findings: tuple[Finding, ...] = ()
    _besides = ("above_chance",)

    @property
    def above_chance(self) -> float:
        """The probability that the population mean is above the chance level."""
        return 1 - self.infraliminal

    def __repr__(self) -> str:
        told = (f"{each!r}" for each in (self.mean, self.next_subject, self.spread))
        names = ("population mean", "next subject", "spread between subjects")
        lines = [f"{name}: {words}" for name, words in zip(names, told, strict=True)]
        above = f"P(population mean above {self.chance:.4g}) {self.above_chance:.6g}"
        return "\n".join([counted(self.n_subjects, "subject"), *lines, above, *(f"{finding}" for finding in self.findings)])


def judge_population(
    names: Sequence[Any],
    correct: FloatArray,
    cases: FloatArray,
    classes: Sequence[Any],
    *,
    measure: str,
    level: float,
    chance: float | None,
    prior: Any,
    **about: Any,
) -> Population:
    """Return what tables subjects x classes of correct cases and of all say of the population."""
    held = cases.sum(axis=0) > 0
    correct, cases, known = correct[:, held], cases[:, held], [label for label, has in zip(classes, held, strict=True) if has]
    chance = 1 / max(len(classes), 2) if chance is None else chance
    by_class = [(correct.sum(axis=1), cases.sum(axis=1))] if measure == "accuracy" else list(zip(correct.T, cases.T, strict=True))
    models = [normal_binomial(k, n, prior) for k, n in by_class]

    def told(name: str, value: float, limits: tuple[float, float], **more: Any) -> Estimate:
        return Estimate(name, value, Interval(*limits, level, METHOD), **more)

    mean, following = (mean_of([getattr(model, part)() for model in models]) for part in ("mean", "following"))
    between = mean_of([model.variance() for model in models])
    low, high, middle = (math.sqrt(max(v, 0.0) / len(models)) for v in (*between.limits(level), between.limits(0.0)[0]))
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.mean([k / n for k, n in by_class], axis=0)
    own = cases.sum(axis=1)
    place = np.lexsort((np.arange(own.size), np.where(np.isnan(seen), np.inf, seen)))
    shown = place if own.size <= MOST_SHOWN else np.concatenate([place[: MOST_SHOWN // 2], place[-MOST_SHOWN // 2 :]])
    subjects = []
    for at, each in zip(shown.tolist(), _of_subjects(models, shown), strict=True):
        estimate = told(measure, each.mean, each.limits(level), of=names[at], cases=float(own[at]))
        lacks = () if measure == "accuracy" else tuple(label for label, n in zip(known, cases[at], strict=True) if not n)
        subjects.append(Subject(names[at], float(seen[at]), float(own[at]), estimate, lacks))
    below = float(mean.below(np.array([chance]))[0])
    lacking = np.flatnonzero(np.isnan(seen)).tolist()
    left_out = max(model.left_out for model in models)
    findings = _findings([names[at] for at in lacking], own, cases.sum(axis=0), known, measure, chance, left_out)
    return Population(
        measure,
        told(measure, mean.mean, mean.limits(level)),
        told(measure, following.mean, following.limits(level)),
        told(f"standard deviation of {measure}", middle, (low, high)),
        chance,
        below,
        1 - float(following.below(np.array([chance]))[0]),
        tuple(subjects),
        own.size,
        float(own.sum()),
        tuple(classes),
        prior,
        level,
        _approximated(by_class, measure, level, chance),
        left_out,
        findings=tuple(findings),
        **about,
    )


def _of_subjects(models: Sequence[NormalBinomial], places: Sequence[int] | Any) -> Iterator[ShareDistribution]:
    """Yield the distribution of each subject; those that saw the same are the same."""
    known: dict[tuple[int, ...], ShareDistribution] = {}
    by_model: list[dict[int, ShareDistribution]] = [{} for _ in models]
    for at in places:
        key = tuple(int(model.different[at]) for model in models)
        if key not in known:
            for place, model, made in zip(key, models, by_model, strict=True):
                if place not in made:
                    made[place] = model.subject(at)
            known[key] = mean_of([made[place] for place, made in zip(key, by_model, strict=True)], _COARSE)
        yield known[key]


def _approximated(by_class: Any, measure: str, level: float, chance: float) -> Approximation:
    z = np.linspace(-8.5, 8.5, 801)
    weights = np.exp(-0.5 * z**2)
    parts = []
    for k, n in by_class:
        mean, sd = variational(k, n)
        logits = mean + sd * z
        parts.append(ShareDistribution.of(logits, special.ndtr(z), float(weights @ special.expit(logits) / weights.sum())))
    whole = mean_of(parts)
    estimate = Estimate(measure, whole.mean, Interval(*whole.limits(level), level, "variational Bayes"))
    return Approximation(estimate, float(whole.below(np.array([chance]))[0]))


def _findings(
    lacking: Sequence[Any],
    own: FloatArray,
    support: FloatArray,
    classes: Sequence[Any],
    measure: str,
    chance: float,
    missed: float,
) -> Iterator[Finding]:
    """Yield what to know of few subjects, of classes that some lack, and of a chance level that is too low."""
    few = int((own > 0).sum())
    if few < FEW:
        message = f"{counted(few, 'subject')} with cases cannot show how much subjects differ: the prior decides that."
        advice = "More rows of the same subjects do not help; add subjects. Read the interval of the next subject as a guess."
        yield Finding("A751", message, advice, few)
    if lacking:
        shown = first_few([quoted(name) for name in lacking], 3)
        message = f"{counted(len(lacking), 'subject lacks', 'subjects lack')} cases of a class: {shown}."
        yield Finding("A752", message, "The recall of that class is taken from the other subjects there.", len(lacking))
    most = float(support.max() / support.sum())
    if measure == "accuracy" and support.size > 1 and most > chance + _ABOVE:
        label = quoted(classes[int(np.argmax(support))])
        message = f"Predicting {label} always is correct in {share(most)} of cases, above the chance level of {share(chance)}."
        yield Finding("A753", message, "Compare with that share, or use the balanced accuracy.", most)
    if missed > _NOTABLE:
        message = f"The numerics leave out about {missed:.2g} of the posterior."
        yield Finding("A754", message, "Take the third digit of these numbers as unknown; more subjects settle it.", missed)
    if own.size > MOST_SHOWN:
        message = f"Of {own.size:,} subjects the {MOST_SHOWN // 2} lowest and the {MOST_SHOWN // 2} highest are listed."
        yield Finding("A755", message, "The population rests on all of them.", own.size)
