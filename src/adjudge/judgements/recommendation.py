"""Can it be improved without retraining? Every correction judged on cases that took no part in choosing it.

It is fitted on all folds but one and applied to that one, in turn. It is recommended where a gain is at least 99% probable
together with all that were tried (Holm): with 95% one recommendation in ten did harm on fresh cases, since the probability does
not know that the correction would be fitted anew. The gain of the best is told beside that of choosing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base import Finding, InputError, Shown, checked_level, counted, dataclass, field, listed, plain, quoted, replace
from adjudge._base.arguments import argument, either, parameter, wording
from adjudge._base.arrays import IntArray, generator
from adjudge._base.progress import stepped
from adjudge.corrections.costs import REJECTED
from adjudge.corrections.file import Correction
from adjudge.corrections.labelled import Known, labelled
from adjudge.corrections.multipliers import ErrorCurve, Multipliers, error_curve
from adjudge.corrections.operating import AccuracyRejection, accuracy_rejection
from adjudge.corrections.recipes import Recipe
from adjudge.corrections.rejection import Rejection
from adjudge.counts.curves import Curve, reliability_curve
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.estimates.estimate import Interval
from adjudge.judgements.clusters import FEW
from adjudge.judgements.crossfit import SHARES, BeforeAfter, Crossed, before_after, deal, numbered, prices_of, ways
from adjudge.judgements.eligibility import FEWEST, FOLDS
from adjudge.stats.difference_tests import holm

Advice: TypeAlias = Literal["recommended", "worth trying", "leave it"]
RECOMMENDED, WORTH_TRYING = 0.99, 0.8  # probabilities of a gain from which on a correction is recommended, and worth trying
MEASURES = ("accuracy", "balanced_accuracy", "brier", "log_loss", "cost")
FEW_GROUPS = 20  # groups below which their spread is a guess
_MISSED = 0.9
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Candidate(Shown):
    """One correction: what it gains where it had no say, beside what it seems to gain where it had."""

    name: str
    gain: float  # on unseen cases, more is better; where rejecting costs nothing, against rejecting as many at random
    interval: Interval
    p_gain: float  # how probable it is that there is a gain at all, of this correction by itself
    p_together: float  # the same, were all that were tried to be right at once. Holm (1979).
    in_sample: float  # the gain on the very cases it was fitted to, which flatters
    missed: float  # a gain that would be larger than this has less than 5% probability
    correction: Correction  # fitted on all cases, ready to apply
    rejected: float | None = None  # the share of unseen cases left undecided; None for corrections that decide every case
    always: tuple[Any, float] | None = None  # the class it gives every case, if there is but one, and how often that is right
    few: bool = False  # whether there are too few cases, or none of a class, to recommend anything
    recipe: Recipe = field(default_factory=lambda: Recipe("multipliers"), repr=False)  # how to fit it again
    _untold, _besides = ("few", "recipe"), ("advice",)

    @property
    def advice(self) -> Advice:
        """What to do about it, as one of all that were tried."""
        if self.p_together >= RECOMMENDED and not self.few:
            return "recommended"
        return "worth trying" if self.p_together >= WORTH_TRYING else "leave it"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recommendations(Shown):
    """Corrections, the most probable gain first."""

    measure: str
    before: float  # the value without a correction
    rows: tuple[Candidate, ...]
    cases: int
    folds: int
    findings: tuple[Finding, ...] = ()
    gain_of_choice: float = 0.0  # what choosing the largest gain, or none, gained in folds that had no say in the choice
    groups: int | None = None  # how many groups were kept together
    clusters: int | None = None  # how many clusters were, each one observation of a gain
    baseline: str = "the most probable class"  # what decides without a correction; or the decisions given
    different: int = 1  # how many of those tried differ: what comes to the same for every case counts once
    errors: ErrorCurve | None = field(default=None, repr=False)  # against the multiplier, of two classes for their accuracy
    rejecting: AccuracyRejection | None = field(default=None, repr=False)  # accuracy against what is rejected, where tried
    reliability: tuple[Curve, ...] = field(default=(), repr=False)
    """Without a correction and, on held-out cases, with the best one; empty where none is worth trying."""
    unseen: BeforeAfter | None = field(default=None, repr=False)  # what the best, recommended or not, did to unseen cases

    @property
    def tried(self) -> int:
        """How many corrections were tried."""
        return len(self.rows)

    @property
    def p_together(self) -> tuple[float, ...]:
        """How sure the gain of each row is when all that were tried are to be correct at once."""
        return tuple(row.p_together for row in self.rows)

    @property
    def best(self) -> Candidate | None:
        """The correction with the largest gain of those that are recommended; or None."""
        return max((row for row in self.rows if row.advice == "recommended"), key=lambda row: row.gain, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the points of the curves as plain Python."""
        names = ("measure", "before", "baseline", "cases", "folds", "tried", "different", "gain_of_choice", "groups", "findings")
        told = {name: plain(getattr(self, name)) for name in (*names, "rows")}
        told |= {} if self.clusters is None else {"clusters": self.clusters}
        return told | {"best": None if self.best is None else self.best.name, "unseen": plain(self.unseen)}


def recommend(
    p: Any,
    y: Any,
    *,
    classes: Any = None,
    measure: str = "accuracy",
    softmax: bool = False,
    old: Any = None,
    positive: Any = None,
    decided: Any = None,
    groups: Any = None,
    clustered: bool = False,
    folds: int = FOLDS,
    level: float = 0.95,
    rng: Any = 0,
    **priced: Any,
) -> Recommendations:
    """Return which corrections of probabilities are worth it; the parameters are those of :func:`adjudge.recommend`."""
    level = checked_level(level)
    generator(rng)  # refuses what is no seed
    data = labelled(p, y, classes=classes)
    group = None if groups is None else numbered(groups, data.y.size)
    cases = replace(data, group=group, decided=_decisions(decided, data), clustered=clustered and group is not None)
    cases = cases.in_one_order()
    asked = dict.fromkeys(("gamma", "alpha", "costs", "reject_cost", "max_rejection")) | priced
    prices = prices_of(cases, positive, asked)
    if measure not in MEASURES or (measure == "cost") != (prices is not None):
        *first, last = map(argument, asked)
        told = f" must be one of {', '.join(MEASURES[:-1])}, or cost together with "
        raise InputError(wording(parameter("measure"), told, either(first, ", "), " or ", last, f"; got {measure!r}."))
    tried = ways(data, measure, prices, softmax=softmax, old=old)
    return _judged(Crossed(cases, measure, prices, deal(cases, folds, rng)), tried, level)


def recommend_sampled(cases: Known, measure: str) -> Recommendations:
    """Return the same of some cases of every class, each with the weight of those of its class that it stands for."""
    cases = cases.in_one_order()
    crossed = Crossed(cases, measure, None, deal(cases, FOLDS, 0))
    return _judged(crossed, ways(cases, measure, None, softmax=False, old=None), 0.95)


def _decisions(decided: Any, data: Known) -> IntArray | None:
    """Return the place of the class each case was given, -1 for none, or refuse what is no decision."""
    if decided is None:
        return None
    given = np.asarray(decided, dtype=object)
    if given.shape != data.y.shape:
        msg = f" must hold what was decided in each of {counted(data.y.size, 'case')}; got shape {given.shape}."
        raise InputError(parameter("decided"), msg)
    place = {str(REJECTED): -1, REJECTED: -1} | {label: at for at, label in enumerate(data.classes)}
    strange = [label for label in given.tolist() if not isinstance(label, Hashable) or label not in place]
    if strange:
        msg = f" has {listed(list(dict.fromkeys(map(str, strange))))}, but the classes are {listed(data.classes)}."
        raise InputError(parameter("decided"), msg)
    return np.array([place[label] for label in given.tolist()], dtype=np.int64)


def _judged(crossed: Crossed, tried: Mapping[str, Recipe], level: float) -> Recommendations:
    """Judge all that is tried, and put it in order; what comes to the same for every case is tried once. Holm (1979)."""
    judged = {name: crossed.of(recipe) for name, recipe in stepped(tried.items())}
    names = sorted(judged, key=lambda name: (-judged[name].p_gain, -judged[name].gain))
    in_order, cases, folds = [judged[name] for name in names], crossed.cases, int(crossed.fold.max()) + 1
    alike = [crossed.alike(each) for each in in_order]
    own = {key: each.p_gain for key, each in zip(alike, in_order, strict=True)}
    held = dict(zip(own, (1 - holm(np.array([1 - p for p in own.values()]))).tolist(), strict=True))
    groups = None if cases.group is None else int(cases.group.max()) + 1
    few, rows = cases.y.size < FEWEST or bool((cases.totals == 0).any()) or (cases.clustered and (groups or 0) < FEW), []
    for name, each, key in zip(names, in_order, alike, strict=True):
        low, high, missed = (*each.distribution.interval(level), float(each.distribution.ppf((1 + _MISSED) / 2)))
        if crossed.measure in SHARES:  # Student's distribution knows no end
            low, high, missed = max(low, -1.0), min(high, 1.0), min(missed, 1.0)
        always = None if each.always is None else (cases.classes[each.always], float(cases.shares[each.always]))
        gain = (each.gain, Interval(low, high, level, each.method), each.p_gain, held[key], each.in_sample, missed)
        rows.append(Candidate(name, *gain, each.correction, each.rejected, always, few, tried[name]))
    made = [each.correction for each in in_order]
    multipliers = [each for each in made if isinstance(each, Multipliers)]
    two = len(cases.classes) == _TWO and crossed.measure == "accuracy" and multipliers
    rejects = any(isinstance(each, Rejection) and each.kind != "costs" for each in made)
    good = [row for row in rows if row.advice == "recommended"]
    shown = max(good, key=lambda row: row.gain) if good else rows[0]
    unseen, reliability = judged[shown.name], []
    if shown.advice != "leave it" and not isinstance(shown.correction, Rejection):
        for name, p in (("without", cases.p), (shown.name, unseen.p)):
            sums = ProbabilityCounts()
            sums.add(p, cases.y, cases.weight)
            reliability.append(reliability_curve(sums.top, name))
    return Recommendations(
        measure=crossed.measure,
        before=crossed.before(multipliers[0] if multipliers else made[0]),  # with ties as they are without a correction
        rows=tuple(rows),
        cases=cases.y.size,
        folds=folds,
        findings=tuple(_findings(cases, folds, groups)),
        gain_of_choice=crossed.of_choice(in_order),
        groups=None if cases.clustered else groups,
        clusters=groups if cases.clustered else None,
        baseline="the most probable class" if cases.decided is None else "the decisions given",
        different=len(own),
        errors=error_curve(cases.labels, cases.p, classes=cases.classes, weight=cases.weight) if two else None,
        rejecting=accuracy_rejection(cases.labels, cases.p, classes=cases.classes) if rejects else None,
        reliability=tuple(reliability),
        unseen=before_after(cases, shown.name, unseen),
    )


def _findings(cases: Known, folds: int, groups: int | None) -> Iterator[Finding]:
    if cases.y.size < FEWEST:
        told = f"Corrections were chosen and tested on {counted(cases.y.size, 'case')} only, so that none is recommended."
        yield Finding("A840", told, "Collect more cases before correcting anything.", cases.y.size)
    support = np.bincount(cases.y, minlength=len(cases.classes))
    what, unit = cases.kept_together, "case"
    if cases.clustered and cases.group is not None and groups != cases.y.size:
        there = np.unique(np.stack([cases.group, cases.y]), axis=1)[1]
        support, unit = np.bincount(there, minlength=len(cases.classes)), "cluster"
    few = quoted(cases.classes[int(np.argmin(support))])
    if not support.all():
        told = f"Class {few} has no case, so that no correction is recommended."
        yield Finding("A843", told, "Collect cases of it before correcting anything, or leave its column out.", 0)
    elif (support < folds).any():
        told = f"Class {few} has {counted(int(support.min()), unit)}: some folds lack it."
        yield Finding("A841", told, "What a correction does for that class is a guess.", int(support.min()))
    if groups is not None and groups < FEW_GROUPS:
        told = f"Gains were tested by {counted(groups, what)} only, however many cases they have."
        yield Finding("A842", told, f"How much {what}s differ is a guess; collect more of them.", groups)
    if groups is not None and groups < FEW and cases.clustered:
        told = f"With {counted(groups, 'cluster')}, whether a correction helps in new ones cannot be known; none is recommended."
        yield Finding("A845", told, f"Collect cases of {FEW} clusters or more before correcting anything.", groups)
