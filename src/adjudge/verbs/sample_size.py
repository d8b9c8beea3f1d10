"""The verb that says how many cases a test set needs, from what one expects or from pilots."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, argument, checked_level, either, listed, parameter, quoted, switch, wording
from adjudge._base.signatures import takes_those_of
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.result import count_all
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Estimate
from adjudge.judgements import sample_size as planned
from adjudge.judgements.comparison import given_margin, grown
from adjudge.judgements.decision import ASSURANCE, LEVEL, MARGIN, checked_assurance
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.planned_clusters import Clustering, clustered, clustering_of, effect_in, of_differences
from adjudge.judgements.sample_size import SampleSize, Wanted
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.predictions.alignment import side_by_side
from adjudge.predictions.model import Predictions, following
from adjudge.predictions.read import read
from adjudge.predictions.spellings import position
from adjudge.verbs.compare import compare
from adjudge.verbs.count import all_counted, is_counted, refuse_roles
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.expected import between, by_class, class_shares, more_than, of_clusters, share_of
from adjudge.verbs.given import sets_in, with_arrays
from adjudge.verbs.measure import interval
from adjudge.verbs.measure import measure as measured

_SHARES = ("accuracy", "sensitivity")
_ONE, _TWO, _HALF = 1, 2, 0.5
_CAUTION = 6.0  # without it plans for 30 and 75 such cases reached 72% and 76% where 80% were asked for
"""Cases of the rarest class by which a comparison, which heeds swaps and few degrees of freedom, is less sure than its spread."""


@takes_those_of(with_arrays)
def sample_size(
    *pilots: Any,
    half_width: float | None = None,
    above: float | None = None,
    difference: float | None = None,
    equivalent: bool = False,
    measure: str = "accuracy",
    expected: Any = None,
    share: Any = None,
    discordant: Any = None,
    independent: bool = False,
    margin: float = MARGIN,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    intra_cluster: float | None = None,
    cluster_size: float | None = None,
    cluster_variation: float | None = None,
    progress: bool = True,
    **roles: Any,
) -> SampleSize:
    """Return how many cases are needed, for one of four goals.

    Parameters
    ----------
    *pilots : paths, dataframes, mappings of arrays, Predictions, Evaluation
        Predictions already made, from which what is expected is taken; two of the same cases to compare two classifiers.
    half_width : float, optional
        The goal that the interval of the measure has this half width, on average.
    above : float, optional
        The goal that :func:`adjudge.gate` passes a rule that accuracy or sensitivity is above this.
    difference : float, optional
        The goal that :func:`adjudge.compare` says *better* of two classifiers that differ by this much.
    equivalent : bool
        The goal that :func:`adjudge.compare` says *equivalent* of two classifiers, equal ones unless a `difference` within the
        margin is given.
    measure : str
        The accuracy, the sensitivity of a class (``positive=``), the balanced accuracy; with a pilot, for a half width, any
        measure that has an interval; with two, for a difference, any that can be compared.
    expected : float, or mapping of class -> float
        What the measure is taken to be; of two classifiers that of the worse. For the balanced accuracy the recalls.
    share : float, or mapping of class -> float
        The share of the class that the sensitivity speaks of among all cases; for the balanced accuracy of every class.
    discordant : float, or mapping of class -> float, optional
        The share of cases that just one of two classifiers gets correct; if left out, and without two pilots, what independent
        errors would give. For the balanced accuracy that of every class.
    independent : bool
        Whether two classifiers are tested on different cases.
    margin : float
        The equivalence margin that they are compared with.
    level : float
        That of the interval, of the gate or of the comparison.
    assurance : float
        How often the goal is to be reached, if what is expected is so.
    intra_cluster, cluster_size : float, optional
        How alike cases of a cluster such as a patient are (the intra-cluster correlation of correctness; of two classifiers that
        of the difference), and how many cases each cluster has, on average. A pilot whose rows name clusters shows both.
    cluster_variation : float, optional
        The coefficient of variation of the number of cases of a cluster; 0, equal clusters, unless a pilot shows it.
    progress : bool
        Whether to show how many rows of pilots were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them; see :func:`adjudge.read`.

    >>> sample_size(half_width=0.02, expected=0.9).cases
    865
    >>> sample_size(above=0.8, expected=0.9, assurance=0.9).cases
    124
    >>> sample_size(difference=0.03, expected=0.9, discordant=0.09).cases
    1370
    >>> sample_size(equivalent=True, discordant=0.05).cases
    4311
    >>> size = sample_size(half_width=0.05, expected=0.85, intra_cluster=0.25, cluster_size=25)
    >>> size.cases, size.clusters.clusters
    (1450, 58)
    """
    level, assurance = checked_level(level), checked_assurance(assurance)
    if pilots or roles.get("y_true") is not None:
        pilot_sets = sets_in("sample_size", pilots, roles)
        pilots, roles = tuple(pilot_sets.sets), pilot_sets.roles
    all_counted(*pilots)  # refuses counts among predictions
    goals = {"half_width": half_width, "above": above, "difference": difference, "equivalent": equivalent or None}
    given = [name for name, value in goals.items() if value is not None]
    if len(given) != _ONE and given != ["difference", "equivalent"]:
        ways = either([argument("half_width"), argument("above"), argument("difference")], ", ")
        came = either(map(parameter, given), ", ") or "none"
        raise InputError(wording("Give one goal: ", ways), " or ", switch("equivalent"), "; got ", came, ".")
    wanted = find(measure)
    asked = of_clusters(intra_cluster, cluster_size, cluster_variation)
    if equivalent or difference is not None:
        apart = 0.0 if equivalent and not difference else between("difference", difference)
        goal = Wanted(apart, given_margin(margin), level, assurance, equivalent)
        if len(pilots) > _TWO:
            msg = f"A difference is between two classifiers, and {len(pilots)} pilots were given. Give two, one or none."
            raise InputError(msg)
        pilots, clustering = _without_clusters(pilots, asked, level, roles, independent=independent, progress=progress)
        roles = {} if any(isinstance(pilot, Predictions) for pilot in pilots) else roles
        if wanted.name == "accuracy":
            size = _of_accuracies(pilots, goal, expected, discordant, independent=independent, roles=roles, progress=progress)
        else:
            size = _of_difference(
                pilots, goal, wanted, discordant, share, independent=independent, roles=roles, progress=progress
            )
        return clustered(size, clustering)
    if independent or discordant is not None:
        told = either([argument("independent"), argument("discordant")], " and ")
        raise InputError(told, " are about two classifiers; ask for a ", argument("difference"), ".")
    target = between(given[0], goals[given[0]])
    if len(pilots) > _ONE:
        msg = f"A half width or a bound is about one classifier, and {len(pilots)} pilots were given. Give one."
        raise InputError(msg)
    pilot = _evaluated(pilots[0], level, roles, progress=progress) if pilots else None
    if wanted.name in _SHARES:
        return _of_share(pilot, target, wanted, expected, share, level, None if above is None else assurance, asked)
    if above is not None:
        msg = f"To be shown above a bound, plan the accuracy or the sensitivity of a class; of {wanted.name} plan a half width."
        raise InputError(msg)
    size = _of_half_width(pilot, target, wanted, expected, share, level)
    return clustered(size, clustering_of([] if pilot is None else [pilot], wanted, asked))


# -- cases that come in clusters -----------------------------------------------------------------------------


def _without_clusters(
    pilots: tuple[Any, ...], asked: dict[str, float], level: float, roles: dict[str, Any], *, independent: bool, progress: bool
) -> tuple[tuple[Any, ...], tuple[Clustering | None, tuple[Finding, ...]]]:
    """Return pilots for a difference, their rows as independent ones, and how these lie in clusters."""
    measure = find("accuracy")
    if len(pilots) < _TWO:
        one = [_evaluated(pilot, level, roles, progress=progress) for pilot in pilots]
        return tuple(one), clustering_of(one, measure, asked)
    if independent or any(map(_is_whole, pilots)):
        return pilots, clustering_of([_evaluated(pilot, level, roles, progress=progress) for pilot in pilots], measure, asked)
    sets = [read(pilot, **roles) for pilot in pilots]
    plain = tuple(Predictions.of(p.source, replace(p.roles, cluster=None), p.reading, p.found, p.training) for p in sets)
    if not all(each.roles.cluster for each in sets):
        return plain, clustering_of([], measure, asked)
    roles_of = [replace(each.roles, cluster=None, fold=each.roles.cluster) for each in sets]  # whose rows are brought together
    named = [Predictions.of(p.source, roles, p.reading) for p, roles in zip(sets, roles_of, strict=True)]
    cases = side_by_side(named, ("a", "b"))
    if cases.fold is None:
        msg = "The pilots put the same cases into different clusters; name the column of clusters with "
        raise InputError(msg, argument("cluster"), ".")
    a, b = (said == cases.truth for said in cases.predicted)
    return plain, of_differences(a.astype(np.float64) - b, cases.fold, asked)


def _is_whole(pilot: Any) -> bool:
    """Say whether a pilot does not keep its cases."""
    return isinstance(pilot, (Evaluation, ConfusionCounts)) or is_counted(pilot)


# -- one classifier ------------------------------------------------------------------------------------------


def _evaluated(pilot: Any, level: float, roles: dict[str, Any], *, progress: bool) -> Evaluation:
    if isinstance(pilot, Evaluation):
        return pilot
    counted = is_counted(pilot)
    positive = refuse_roles(roles, kept=("positive",)).get("positive") if counted else None
    evaluation: Evaluation = evaluate(pilot, level=level, progress=progress, **({} if counted else roles))
    if positive is None or evaluation.counts is None:
        return evaluation
    return replace(evaluation, positive=evaluation.counts.classes[position(evaluation.counts.classes, positive)])


def _of_share(
    pilot: Evaluation | None,
    target: float,
    measure: Measure,
    expected: Any,
    share: Any,
    level: float,
    assurance: float | None,
    clusters: dict[str, float],
) -> SampleSize:
    """Plan a share of cases: for a bound where an assurance is given, else for a half width."""
    seen, among = (None, None) if pilot is None else _seen(pilot, measure, level)
    rate = seen.value if expected is None and seen is not None else share_of("expected", expected)
    among = among if share is None else share_of("share", share)
    goal = planned.for_half_width if assurance is None else partial(planned.for_bound, assurance=assurance)
    size = goal(rate, target, measure=measure.name, level=level, share=among)
    clustering = clustering_of([] if pilot is None else [pilot], measure, clusters, among)
    if seen is None or expected is not None:
        return clustered(size, clustering)
    limits = seen.interval
    assert limits is not None
    ends = [limits.low, limits.high, *([_HALF] if limits.low < _HALF < limits.high else [])]  # a width is largest at one half
    of = among if clustering[0] is None else None  # clusters are collected, and not cases
    totals = [planned.total_for(p, target, level=level, assurance=assurance, share=of) for p in ends]
    known = [n for n in totals if n is not None]
    plausible = (min(known) if known else None), (None if None in totals else max(known))
    return clustered(replace(size, plausible=plausible, findings=tuple(planned.of_pilot(round(seen.cases or 0)))), clustering)


def _seen(pilot: Evaluation, measure: Measure, level: float) -> tuple[Estimate, float | None]:
    """Return what the pilot shows, and the share of the class that it is about."""
    counts = pilot.counts
    if counts is None:
        told = "predicts numbers, which have none" if pilot.undecided is None else "holds scores that decide nothing"
        raise InputError(measure.name, f" needs decisions, and the pilot {told}.")
    of = pilot.positive if isinstance(measure, ClassMeasure) else None
    if isinstance(measure, ClassMeasure) and of is None:
        raise InputError(measure.name, f" needs one class. There are {listed(counts.classes)}. Pass ", argument("positive"), ".")
    value, cases, among = measured(counts, measure.name, positive=of), float(counts.n), None
    if math.isnan(value):
        told = f"The pilot has no case of class {quoted(of)}; say what to expect with "
        raise InputError(told, either([argument("expected"), argument("share")], " and "), ".")
    if of is not None:
        cases = float(counts.support[position(counts.classes, of)])
        among = cases / float(counts.n)
    return Estimate(measure.name, value, interval(counts, measure.name, level=level, positive=of), of=of, cases=cases), among


def _of_half_width(
    pilot: Evaluation | None, target: float, measure: Measure, expected: Any, share: Any, level: float
) -> SampleSize:
    """Plan the limits of the balanced accuracy, or of what else a pilot has limits of."""
    counts = None if pilot is None else pilot.counts
    if measure.name == "balanced_accuracy":
        seen = [] if counts is None else np.flatnonzero(counts.support > 0).tolist()
        label: Any = () if counts is None else counts.classes
        if counts is not None and share is None:
            shares = {label[i]: float(counts.support[i] / counts.n) for i in seen}
        else:
            shares = class_shares(share)
        rates = {label[i]: float(counts.correct[i] / counts.support[i]) for i in seen} if counts is not None else {}
        if counts is None or expected is not None or set(rates) != set(shares):
            rates = by_class("expected", expected, shares, partial(share_of, "expected"))
        findings = () if counts is None else tuple(planned.of_pilot(round(float(counts.n))))
        return planned.for_mean_recall(rates, shares, target, level=level, findings=findings)
    if pilot is None:
        msg = f"How wide the interval of {measure.name} is depends on the data: give a pilot, a file of predictions."
        raise InputError(msg)
    estimate = pilot.estimates.get(measure.name)
    if estimate is None or estimate.interval is None:
        known = [name for name, each in pilot.estimates.items() if each.interval is not None]
        msg = f"There is no interval of {measure.name} in the pilot; there are those of {', '.join(known)}."
        raise InputError(msg)
    if estimate.interval.level != level:
        msg = f"The pilot was evaluated at level {estimate.interval.level:g}, and {level:g} is asked for; "
        raise InputError(msg, "pass the predictions themselves.")
    half, n = (estimate.interval.high - estimate.interval.low) / 2, round(pilot.origin.rows / pilot.repeats)
    effect = effect_in(pilot, measure)
    half *= 1.0 if effect is None else math.sqrt(effect.share(level))  # that of as many independent cases
    asked: dict[str, Any] = {"level": level, "as_independent": effect is not None, "findings": tuple(planned.of_pilot(n))}
    return planned.by_scaling(measure.name, estimate.value, half, n, target, **asked)


# -- two classifiers -----------------------------------------------------------------------------------------


def _of_difference(
    pilots: tuple[Any, ...],
    wanted: Wanted,
    measure: Measure,
    discordant: Any,
    share: Any,
    *,
    independent: bool,
    roles: Any,
    progress: bool,
) -> SampleSize:
    """Plan a difference of the balanced accuracy, or by what two pilots say of the spread of any other."""
    if independent:
        msg = f"For different cases plan the accuracy; for {measure.name} leave "
        raise InputError(msg, argument("independent"), " out.")
    if len(pilots) < _TWO:
        if measure.name != "balanced_accuracy":
            msg = f"How well a difference of {measure.name} is known depends on the data: give predictions of both as pilots."
            raise InputError(msg)
        shares = class_shares(share)
        if discordant is None:
            told = wording("Say with ", argument("discordant"), " how often just one of the two is correct, a share such as 0.1")
            raise InputError(told, ", or give two pilots.")
        apart = by_class("discordant", discordant, shares, partial(more_than, wanted.difference))
        return planned.for_mean_pair(apart, shares, wanted)
    a, b = _with_cases(pilots, roles)
    seen, rarest = compare(a, b, measure=measure.name, progress=progress), 1.0
    with following("counting", progress=progress) as follow:
        counts = count_all(follow(a))
    if isinstance(counts, Tally):
        support = counts.confusion.support
        rarest = float(support[support > 0].min() / support.sum())
    distribution = seen.distribution
    assert distribution is not None
    if not float(distribution.var) > 0:
        msg = f"The pilots never differ, so that they do not say how well a difference of {measure.name} is known."
        raise InputError(msg)
    return planned.difference_by_pilots(
        measure.name,
        lambda n: grown(distribution, seen.difference, n / seen.cases)[1],
        lambda n: math.sqrt(1 + _CAUTION / (n * rarest)),
        seen.cases,
        wanted,
        findings=tuple(planned.of_pilot(seen.cases)),
    )


def _of_accuracies(
    pilots: tuple[Any, ...], wanted: Wanted, expected: Any, discordant: Any, *, independent: bool, roles: Any, progress: bool
) -> SampleSize:
    d, cases = wanted.difference, 0
    if len(pilots) == _TWO and not independent:
        if discordant is None:
            a, b = _with_cases(pilots, roles)
            outcomes = compare(a, b, measure="accuracy", progress=progress).outcomes
            assert outcomes is not None
            discordant, cases = (outcomes[1] + outcomes[2]) / sum(outcomes), round(sum(outcomes))
    elif pilots and expected is None:
        seen, _ = _seen(_evaluated(pilots[0], wanted.level, roles, progress=progress), find("accuracy"), wanted.level)
        expected, cases = seen.value, round(seen.cases or 0)
    if discordant is not None and not independent:
        apart = more_than(d, discordant)
        return planned.for_pair((apart + d) / 2, (apart - d) / 2, wanted, findings=tuple(planned.of_pilot(cases)))
    worse = share_of("expected", expected)
    better = share_of("expected", worse + d, more=(" plus ", parameter("difference")))
    if independent:
        return planned.for_two(better, worse, wanted, findings=tuple(planned.of_pilot(cases)))
    alone = better * (1 - worse), worse * (1 - better)
    if not sum(alone) > 0:
        told = f"With an accuracy of {worse:g} there is nothing that separates two classifiers; say "
        raise InputError(told, argument("discordant"), ".")
    return planned.for_pair(*alone, wanted, findings=tuple(planned.of_pilot(cases, guessed=True)))


def _with_cases(pilots: tuple[Any, ...], roles: Any) -> list[Predictions]:
    """Return two pilots case by case."""
    if any(map(_is_whole, pilots)):
        msg = "How often just one of two is correct takes every case, which counts and evaluations do not keep; "
        raise InputError(msg, "pass predictions, or say it with ", argument("discordant"), ".")
    return [read(pilot, **roles) for pilot in pilots]
