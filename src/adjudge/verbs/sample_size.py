"""The verb that says how many cases a test set needs, from what one expects or from pilots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

from adjudge._base.arguments import Part, argument, either, parameter, switch, wording
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge._base.text import listed, quoted
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.result import count_all
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.comparison import given_margin, grown
from adjudge.judgements.decision import ASSURANCE, LEVEL, MARGIN, checked_assurance
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.sample_size import (
    SampleSize,
    Wanted,
    by_scaling,
    difference_by_pilots,
    for_bound,
    for_half_width,
    for_mean_pair,
    for_mean_recall,
    for_pair,
    for_two,
    of_pilot,
    total_for,
)
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.predictions.read import read
from adjudge.predictions.spellings import position
from adjudge.verbs.compare import compare
from adjudge.verbs.count import all_counted, is_counted, refuse_roles
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.interval import interval
from adjudge.verbs.measure import measure as measured

_SHARES = ("accuracy", "sensitivity")
_ONE, _TWO, _HALF = 1, 2, 0.5
_CAUTION = 6.0
"""Cases of the rarest class by which a comparison is less sure than its spread: it heeds swaps and few degrees of freedom.

Without them plans for 30 and 75 cases of the rarest class reached 72% and 76% where 80% were asked for.
"""


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
    **roles: Any,
) -> SampleSize:
    """Return how many cases are needed, for one of four goals.

    Parameters
    ----------
    *pilots : paths, dataframes, mappings of arrays, Predictions, Evaluation
        Predictions already made, from which what is expected is taken; two of the same cases to compare two classifiers.
    half_width : float, optional
        The goal that limits of the measure reach no further than this to either side, on average.
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
        The share of cases that just one of two classifiers gets right; if left out, and without two pilots, what independent
        errors would give. For the balanced accuracy that of every class.
    independent : bool
        Whether two classifiers judge different cases.
    margin : float
        The equivalence margin that they are compared with.
    level : float
        That of the limits, of the gate or of the comparison.
    assurance : float
        How often the goal is to be reached, if what is expected is so.
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
    """
    level, assurance = checked_level(level), checked_assurance(assurance)
    all_counted(*pilots)  # refuses counts among predictions
    goals = {"half_width": half_width, "above": above, "difference": difference, "equivalent": equivalent or None}
    given = [name for name, value in goals.items() if value is not None]
    if len(given) != _ONE and given != ["difference", "equivalent"]:
        ways = either([argument("half_width"), argument("above"), argument("difference")], ", ")
        came = either(map(parameter, given), ", ") or "none"
        raise InputError(wording("Give one goal: ", ways), " or ", switch("equivalent"), "; got ", came, ".")
    if equivalent or difference is not None:
        apart = 0.0 if equivalent and not difference else _between("difference", difference)
        wanted = Wanted(apart, given_margin(margin), level, assurance, equivalent)
        return _of_two(pilots, wanted, find(measure), _Said(expected, discordant, share, independent), roles)
    if independent or discordant is not None:
        told = either([argument("independent"), argument("discordant")], " and ")
        raise InputError(told, " are about two classifiers; ask for a ", argument("difference"), ".")
    target = _between(given[0], goals[given[0]])
    return _of_one(pilots, target, find(measure), expected, share, None if above is None else assurance, level, roles)


# -- one classifier ------------------------------------------------------------------------------------------


def _of_one(
    pilots: tuple[Any, ...],
    target: float,
    measure: Measure,
    expected: Any,
    share: Any,
    assurance: float | None,
    level: float,
    roles: dict[str, Any],
) -> SampleSize:
    """Plan for a bound where an assurance is given, else for a half width."""
    if len(pilots) > _ONE:
        msg = f"A half width or a bound is about one classifier, and {len(pilots)} pilots were given. Give one."
        raise InputError(msg)
    pilot = _evaluated(pilots[0], level, roles) if pilots else None
    if measure.name in _SHARES:
        return _of_share(pilot, target, measure, expected, share, level, assurance)
    if assurance is not None:
        msg = f"To be shown above a bound, plan the accuracy or the sensitivity of a class; of {measure.name} plan a half width."
        raise InputError(msg)
    if measure.name == "balanced_accuracy":
        return _of_balanced(pilot, target, expected, share, level)
    if pilot is None:
        msg = f"How wide limits of {measure.name} are depends on the data: give a pilot, a file of predictions."
        raise InputError(msg)
    found = pilot.estimates.get(measure.name)
    if found is None or found.interval is None:
        known = [name for name, each in pilot.estimates.items() if each.interval is not None]
        msg = f"There are no limits of {measure.name} in the pilot; there are those of {', '.join(known)}."
        raise InputError(msg)
    if found.interval.level != level:
        had = found.interval.level
        msg = f"The pilot was evaluated at level {had:g}, and {level:g} is asked for; pass the predictions themselves."
        raise InputError(msg)
    half, n = (found.interval.high - found.interval.low) / 2, round(pilot.origin.rows / pilot.repeats)
    return by_scaling(measure.name, found.value, half, n, target, level=level, findings=tuple(of_pilot(n)))


def _evaluated(pilot: Any, level: float, roles: dict[str, Any]) -> Evaluation:
    if isinstance(pilot, Evaluation):
        return pilot
    if not is_counted(pilot):
        return evaluate(pilot, level=level, **roles)
    positive = refuse_roles(roles, kept=("positive",)).get("positive")
    found = evaluate(pilot, level=level)
    if positive is None or found.counts is None:
        return found
    return replace(found, positive=found.counts.classes[position(found.counts.classes, positive)])


def _of_share(
    pilot: Evaluation | None, target: float, measure: Measure, expected: Any, share: Any, level: float, assurance: float | None
) -> SampleSize:
    seen, among = (None, None) if pilot is None else _seen(pilot, measure, level)
    rate = seen.value if expected is None and seen is not None else _share_of("expected", expected)
    if share is not None or among is not None:
        among = among if share is None else _share_of("share", share)
    known: dict[str, Any] = {"measure": measure.name, "level": level, "share": among}

    goal = for_half_width if assurance is None else partial(for_bound, assurance=assurance)
    found = goal(rate, target, **known)
    if seen is None or expected is not None:
        return found

    limits = seen.interval
    assert limits is not None
    ends = [limits.low, limits.high, *([_HALF] if limits.low < _HALF < limits.high else [])]  # a width is largest at one half
    totals = [total_for(p, target, level=level, assurance=assurance, share=among) for p in ends]
    known_totals = [n for n in totals if n is not None]
    plausible = (min(known_totals) if known_totals else None), (None if None in totals else max(known_totals))
    return replace(found, plausible=plausible, findings=tuple(of_pilot(round(seen.cases or 0))))


def _seen(pilot: Evaluation, measure: Measure, level: float) -> tuple[Estimate, float | None]:
    """Return what the pilot shows, and the share of the class that it is about."""
    counts = pilot.counts
    if counts is None:
        told = "predicts numbers, which have none" if pilot.undecided is None else "holds scores that decide nothing"
        msg = f"{measure.name} needs decisions, and the pilot {told}."
        raise InputError(msg)
    of = pilot.positive if isinstance(measure, ClassMeasure) else None
    if isinstance(measure, ClassMeasure) and of is None:
        msg = wording(f"{measure.name} of which class? There are {listed(counts.classes)}. Pass ", argument("positive"), ".")
        raise InputError(msg)
    found = Estimate(measure.name, measured(counts, measure.name, positive=of), of=of, cases=float(counts.n))
    if math.isnan(found.value):
        told = f"The pilot has no case of class {quoted(of)}; say what to expect with "
        raise InputError(told, either([argument("expected"), argument("share")], " and "), ".")
    among = None
    if of is not None:
        support = float(counts.support[position(counts.classes, of)])
        found, among = replace(found, cases=support), support / float(counts.n)
    return replace(found, interval=interval(counts, measure.name, level=level, positive=of)), among


def _of_balanced(pilot: Evaluation | None, target: float, expected: Any, share: Any, level: float) -> SampleSize:
    if pilot is None or pilot.counts is None:
        shares = _mapping("share", share)
        return for_mean_recall(_recalls(expected, shares), shares, target, level=level)
    counts = pilot.counts
    seen = [i for i, n in enumerate(counts.support.tolist()) if n > 0]
    label = counts.classes
    shares = {label[i]: float(counts.support[i] / counts.n) for i in seen} if share is None else _mapping("share", share)
    rates = {label[i]: float(counts.correct[i] / counts.support[i]) for i in seen} if expected is None else None
    rates = _recalls(expected, shares) if rates is None or set(rates) != set(shares) else rates
    return for_mean_recall(rates, shares, target, level=level, findings=tuple(of_pilot(round(float(counts.n)))))


def _recalls(expected: Any, shares: Mapping[Any, float]) -> dict[Any, float]:
    """Return the recall of every class: one for all, or one for each."""
    if not isinstance(expected, Mapping):
        return dict.fromkeys(shares, _share_of("expected", expected))
    rates = {label: _share_of("expected", rate) for label, rate in expected.items()}
    if set(rates) != set(shares):
        both = either([argument("expected"), argument("share")], " and ")
        raise InputError(both, f" must name the same classes; got {listed(rates)} and {listed(shares)}.")
    return rates


def _mapping(name: str, value: Any) -> dict[Any, float]:
    if not isinstance(value, Mapping) or len(value) < _TWO:
        example = "{'ill': 0.1, 'well': 0.9}"
        told = f" a mapping of class -> number, such as {example}, or a pilot."
        msg = wording("For the balanced accuracy give ", argument(name), told)
        raise InputError(msg)
    numbers = {label: _between(name, each) for label, each in value.items()}
    total, rounding = math.fsum(numbers.values()), 1e-6
    if abs(total - 1) > rounding:
        msg = f"The shares of the classes must sum to 1, got {total:.6g}."
        raise InputError(msg)
    return numbers


# -- two classifiers -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Said:
    """What the user says of two classifiers."""

    expected: Any
    discordant: Any
    share: Any
    independent: bool


def _of_two(pilots: tuple[Any, ...], wanted: Wanted, measure: Measure, said: _Said, roles: dict[str, Any]) -> SampleSize:
    if len(pilots) > _TWO:
        msg = f"A difference is between two classifiers, and {len(pilots)} pilots were given. Give two, one or none."
        raise InputError(msg)
    if measure.name == "accuracy":
        return _of_accuracies(pilots, wanted, said, roles)
    if said.independent:
        msg = wording(f"For different cases plan the accuracy; for {measure.name} leave ", argument("independent"), " out.")
        raise InputError(msg)
    if len(pilots) == _TWO:
        return _of_pilots(pilots, wanted, measure, roles)
    if measure.name != "balanced_accuracy":
        msg = f"How well a difference of {measure.name} is known depends on the data: give predictions of both as pilots."
        raise InputError(msg)
    shares = _mapping("share", said.share)
    return for_mean_pair(_apart(said.discordant, shares, wanted.difference), shares, wanted)


def _of_pilots(pilots: tuple[Any, ...], wanted: Wanted, measure: Measure, roles: dict[str, Any]) -> SampleSize:
    """Plan by what two pilots say of the spread of a difference."""
    _need_cases(pilots)
    both = [read(pilot, **roles) for pilot in pilots]
    seen = compare(both[0], both[1], measure=measure.name)
    law, found = seen.law, count_all(both[0])
    rarest = 1.0
    if isinstance(found, Tally):
        support = found.confusion.support
        rarest = float(support[support > 0].min() / support.sum())
    assert law is not None
    if not float(law.var) > 0:
        msg = f"The pilots never differ, so that they do not say how well a difference of {measure.name} is known."
        raise InputError(msg)

    def spread(n: int) -> float:
        return grown(law, seen.difference, n / seen.cases)[1]

    def caution(n: int) -> float:
        return math.sqrt(1 + _CAUTION / (n * rarest))

    return difference_by_pilots(measure.name, spread, caution, seen.cases, wanted, findings=tuple(of_pilot(seen.cases)))


def _apart(discordant: Any, shares: Mapping[Any, float], difference: float) -> dict[Any, float]:
    """Return for every class the share of its cases that just one of two gets right: one for all, or one for each."""
    if discordant is None:
        told = " how often just one of the two is right, a share such as 0.1, or give two pilots."
        raise InputError(wording("Say with ", argument("discordant")), told)
    each = dict(discordant) if isinstance(discordant, Mapping) else dict.fromkeys(shares, discordant)
    if set(each) != set(shares):
        both = either([argument("discordant"), argument("share")], " and ")
        raise InputError(both, f" must name the same classes; got {listed(each)} and {listed(shares)}.")
    return {label: _more_than(difference, value) for label, value in each.items()}


def _more_than(difference: float, discordant: Any) -> float:
    """Return the share of cases that just one gets right, which is more than the difference."""
    if not difference < _between("discordant", discordant):
        told = f"Accuracies that differ by {difference:g} have one right alone in more than {difference:g} of the cases"
        msg = f"{told}; got {discordant:g}."
        raise InputError(msg)
    return float(discordant)


def _of_accuracies(pilots: tuple[Any, ...], wanted: Wanted, said: _Said, roles: dict[str, Any]) -> SampleSize:
    expected, discordant, d, cases = said.expected, said.discordant, wanted.difference, 0
    if len(pilots) == _TWO and not said.independent:
        if discordant is None:
            _need_cases(pilots)
            a, b = (read(pilot, **roles) for pilot in pilots)
            outcomes = compare(a, b, measure="accuracy").outcomes
            assert outcomes is not None
            discordant, cases = (outcomes[1] + outcomes[2]) / sum(outcomes), round(sum(outcomes))
    elif pilots and expected is None:
        seen, _ = _seen(_evaluated(pilots[0], wanted.level, roles), find("accuracy"), wanted.level)
        expected, cases = seen.value, round(seen.cases or 0)
    if discordant is not None and not said.independent:
        apart = _more_than(d, discordant)
        return for_pair((apart + d) / 2, (apart - d) / 2, wanted, findings=tuple(of_pilot(cases)))
    worse = _share_of("expected", expected)
    better = _share_of("expected", worse + d, more=(" plus ", parameter("difference")))
    if said.independent:
        return for_two(better, worse, wanted, findings=tuple(of_pilot(cases)))
    alone = better * (1 - worse), worse * (1 - better)
    if not sum(alone) > 0:
        told = f"With an accuracy of {worse:g} there is nothing to tell two classifiers apart by; say "
        raise InputError(told, argument("discordant"), ".")
    return for_pair(*alone, wanted, findings=tuple(of_pilot(cases, guessed=True)))


def _need_cases(pilots: tuple[Any, ...]) -> None:
    if any(isinstance(pilot, (Evaluation, ConfusionCounts)) or is_counted(pilot) for pilot in pilots):
        msg = "How often just one of two is right takes every case, which counts and evaluations do not keep; pass predictions, "
        raise InputError(msg, "or say it with ", argument("discordant"), ".")


def _between(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        msg = wording(parameter(name), f" must be a number strictly between 0 and 1, got {quoted(value)}.")
        raise InputError(msg)
    return float(value)


def _share_of(name: str, value: Any, *, more: Sequence[Part] = ()) -> float:
    if value is None:
        told = f"Say what to {'expect' if name == 'expected' else 'assume'} with "
        msg = wording(told, argument(name), ", a share such as 0.9, or give a pilot.")
        raise InputError(msg)
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        msg = wording(parameter(name), *more, f" must be a share from 0 to 1, got {quoted(value)}.")
        raise InputError(msg)
    return float(value)
