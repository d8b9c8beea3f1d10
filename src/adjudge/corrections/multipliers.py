r"""Class probabilities corrected by one number per class, fitted to cases whose class is known.

The correction of Duch and Itert (2003). What it gains on the cases it was fitted to is more than it gains on others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from adjudge._base import Finding, InputError, Shown, argument, counted, either, listed, parameter, quoted, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, blocks, frozen, generator
from adjudge._base.records import dataclass, replace
from adjudge.corrections import labelled as cases
from adjudge.corrections.labelled import are_predictions, checked_sums, in_order, labelled, probabilities, reference_class
from adjudge.counts.passes import BlockPasses, Moments, Passes
from adjudge.predictions.model import Predictions
from adjudge.stats import multiplier_search, softmax_multipliers
from adjudge.stats.multiplier_rule import Outcome, Rescaling
from adjudge.stats.softmax_multipliers import Sums, case_sums, least_squares

Form: TypeAlias = Literal["linear", "softmax", "iterated"]
Goal: TypeAlias = Literal["squared", "errors"]
Bounds: TypeAlias = tuple[float, float] | None

CLOSED = ("linear", "squared")  # what has a solution in closed form, from sums over the cases
_BEYOND = 1e15  # times as much leaves nothing of the other probabilities
_ROUNDING = 1e-9  # sums of weights, added up differently


def limits_of(bounds: Any, form: Form, goal: Goal) -> Bounds:
    """Return within which every multiplier lies, None for anywhere."""
    if bounds is None or (isinstance(bounds, str) and bounds == "usual"):
        usual = None if bounds is None else (0.0, 1.0)
        return usual if (form, goal) == CLOSED else (0.0, float("inf"))
    try:
        low, high = (float(b) for b in bounds)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not 0 <= low < high or low == float("inf"):
        told = f" must be two numbers, 0 <= low < high, or None; got {bounds!r}. (0, 1) only lets the majority class grow."
        raise InputError(parameter("bounds"), told)
    ends = softmax_multipliers.LARGEST if form != "linear" and goal == "squared" else _BEYOND
    if low >= ends:
        told = f" must begin below {ends:g}, where the search ends; got {bounds!r}. Lower the first of them."
        raise InputError(parameter("bounds"), told)
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers(Shown):
    """A fitted correction. Losses and errors are those of the cases it was fitted to.

    `loss` is the squared loss over all classes, summed over the cases; in the linear form it is that of the formula, before
    negative values are raised to 0. Errors count ties for the majority class, before and after.
    """

    multipliers: FloatArray
    """One number for each class but the majority, in class order; for every class where the majority's is free.
    The iterated form has one such row per round."""
    majority: int
    classes: tuple[Any, ...]
    form: Form
    goal: Goal
    bounds: Bounds
    last_free: bool
    loss: float
    loss_before: float
    errors: float
    errors_before: float
    errors_majority: float
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "multipliers", frozen(self.multipliers))

    def __repr__(self) -> str:
        told = ", ".join(f"{k:.4g}" for k in np.atleast_2d(self.multipliers)[-1])
        after = f"errors {self.errors:g} (before {self.errors_before:g}, majority {self.errors_majority:g})"
        return f"Multipliers ({told}) against {quoted(self.classes[self.majority])}, {self.form}, goal {self.goal}: {after}"

    def apply(self, p: npt.ArrayLike) -> FloatArray:
        """Return the corrected probabilities of other cases; rows sum to 1.

        Negative values, which the linear form has where a multiplier leaves 0 to 1, are raised to 0 and the row divided by
        its sum.
        """
        given, rule = probabilities(in_order(p, self.classes)[0], len(self.classes)), rule_of(self)
        corrected = np.empty_like(given)
        for rows in blocks(*given.shape):
            corrected[rows] = rule.apply(given[rows])
        return corrected

    def predict(self, p: npt.ArrayLike) -> AnyArray:
        """Return the class of the largest corrected probability; ties go to the majority class, then to the first."""
        codes = self.codes(probabilities(in_order(p, self.classes)[0], len(self.classes)))
        plain = np.asarray(self.classes)
        if plain.shape != (len(self.classes),) or plain.tolist() != list(self.classes):  # 1 beside "a" would turn into text
            plain = np.fromiter(self.classes, dtype=object, count=len(self.classes))
        return np.asarray(plain[codes])

    def codes(self, p: FloatArray) -> IntArray:
        """Return the place of the class decided for each case; `p` is checked already."""
        rule, codes = rule_of(self), np.empty(len(p), dtype=np.int64)
        for rows in blocks(*p.shape):
            codes[rows] = rule.predict(p[rows])
        return codes


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCurve(Shown):
    """The number of errors of two classes against the multiplier, exactly.

    `errors[j]` holds above `multipliers[j]` and up to the next breakpoint; `best` is where they are fewest, nearest 1 among
    equals.
    """

    multipliers: FloatArray
    errors: AnyArray
    best: float
    fewest: float
    errors_before: float
    errors_majority: float
    positive: Any
    """The class whose probability is multiplied."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "multipliers", frozen(self.multipliers))
        object.__setattr__(self, "errors", frozen(self.errors, np.asarray(self.errors).dtype))

    def __repr__(self) -> str:
        lowest = f"fewest errors {self.fewest:g} at a multiplier of {self.best:.4g}, {self.errors_before:g} without correction"
        rest = f"{self.errors_majority:g} of the majority; {counted(self.multipliers.size, 'step')}"
        return f"ErrorCurve of {quoted(self.positive)}: {lowest}, {rest}"

    def at(self, multiplier: float) -> float:
        """Return the errors at any multiplier >= 0."""
        if not multiplier >= 0:
            msg = f"a multiplier must not be negative, got {multiplier!r}. 1 changes nothing, 0 leaves the majority class."
            raise InputError(msg)
        place = int(np.searchsorted(self.multipliers, multiplier, side="left")) - 1
        errors: float = self.errors[place].item() if place >= 0 else self.errors_majority
        return errors


def fit_multipliers(
    y_true: Iterable[Any] | Predictions,
    p: npt.ArrayLike | None = None,
    *,
    form: Form = "linear",
    goal: Goal = "squared",
    bounds: Bounds | Literal["usual"] = "usual",
    majority: int | None = None,
    last_free: bool = False,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    weight: npt.ArrayLike | Literal["balanced"] | None = None,
    rng: int | np.random.Generator = 0,
) -> Multipliers:
    r"""Fit a correction of the probabilities `p` (cases by classes) to the true classes of the same cases.

    Parameters
    ----------
    y_true
        The true classes: columns of `p`, or labels, with `classes` naming the columns. Or predictions of any size
        (:func:`adjudge.read`) in place of both, which are gone through twice and never held: for the least squares of the linear
        form, whose sums over the cases suffice.
    p
        Probabilities; rows sum to 1. Of two classes one number per case will do, that of the `positive` one.
    form
        "linear": :math:`\kappa_i p_i`, the majority class taking the rest. "softmax": proportional to
        :math:`\exp(\kappa_i p_i)`. "iterated": the softmax form fitted again to its own result until the loss settles.
    goal
        "squared" makes the squared loss least. "errors" makes the errors of deciding for the largest :math:`\kappa_i p_i`
        few: the fewest with two classes, with more by a search that may miss them. Probabilities are then
        :math:`\kappa_i p_i` divided by their sum, or their softmax.
    bounds
        Within which every multiplier lies. Usually (0, 1) for the least squares of the linear form, so that nothing turns
        negative, and anything from 0 on otherwise. None: anything, for the softmax form and the errors anything from 0 on.
    majority
        Column of the reference class; the most frequent class of `y_true` unless given.
    last_free
        In the softmax form, let the majority class have a multiplier of its own rather than 1.
    weight
        Of the cases; or "balanced": every class weighs the same however many cases it has, for which predictions are gone
        through once more.
    rng
        Where the searches with many minima begin.

    Duch and Itert (2003), A posteriori corrections to classification methods.

    >>> fitted = fit_multipliers([0, 1, 1, 1], [[0.7, 0.3], [0.4, 0.6], [0.6, 0.4], [0.2, 0.8]])
    >>> fitted.multipliers.round(4).tolist(), fitted.apply([[0.5, 0.5]]).round(4).tolist()
    ([0.6667], [[0.3333, 0.6667]])
    """
    generator(rng)  # refuses what is no seed
    for name, option, known in (("form", form, get_args(Form)), ("goal", goal, get_args(Goal))):
        if option not in known:
            raise InputError(parameter(name), f" must be one of {listed(known)}, got {option!r}.")
    if last_free and (form == "linear" or goal == "errors"):
        msg = " belongs to least squares of the softmax form; elsewhere only ratios to the majority count. Leave it out."
        raise InputError(parameter("last_free"), msg)
    if form == "iterated" and goal == "errors":
        told = "the iterated form is fitted by least squares; errors depend on multiplied probabilities alone. Use "
        raise InputError(told, argument("form", "softmax"), ".")
    limits = limits_of(bounds, form, goal)
    balanced = isinstance(weight, str) and weight == "balanced"
    weight = None if balanced else weight
    if are_predictions(y_true, p=p, classes=classes, positive=positive, weight=weight):
        return _fit_passes(y_true, (form, goal), majority, limits, balanced=balanced)
    low, high = limits or (0.0, np.inf)
    data = labelled(p, y_true, classes=classes, weight=weight, positive=positive)  # type: ignore[arg-type]
    totals = data.totals
    at = reference_class(majority, totals)
    if balanced:
        data, totals = replace(data, weight=data.balanced_weight), (totals > 0).astype(np.float64)
    given: dict[str, Any] = {"majority": at, "weight": data.weight, "rng": np.random.default_rng(rng)}
    sums = None
    if goal == "errors":
        whole = multiplier_search.fewest_errors(data.p, data.y, low=low, high=high, **given)[None]
    elif form == "linear":
        sums = case_sums(data.p, data.y, majority=at, weight=data.weight)
        whole = np.insert(least_squares(sums.equations(), limits), at, 1.0)[None]
    else:
        fit = softmax_multipliers.fit_rounds if form == "iterated" else softmax_multipliers.fit_softmax
        whole = np.atleast_2d(fit(data.p, data.y, limits=(low, high), last_free=last_free, **given))
    kept = whole if last_free else np.delete(whole, at, axis=1)
    kept = kept if form == "iterated" else kept[0]
    fitted = Multipliers(kept, at, data.classes, form, goal, limits, last_free, 0, 0, 0, 0, 0)
    rule, unchanged = rule_of(fitted), _unchanged_rule(at, len(data.classes))
    losses = [None if sums is None else sums.loss(each.multipliers[0]) for each in (rule, unchanged)]
    after = rule.outcome(data.p, data.y, data.weight, loss=losses[0])
    if sums is not None and losses[1] is not None:
        before = Outcome(losses[1], sums.errors, np.zeros(len(data.classes), dtype=np.int64))
    else:
        before = unchanged.outcome(data.p, data.y, data.weight)
    return told_of(fitted, after, before, totals, whole=data.weight is None)


def _fit_passes(p: Any, asked: tuple[Form, Goal], majority: int | None, limits: Bounds, *, balanced: bool) -> Multipliers:
    """Return the same of predictions that are gone through: a pass for the sums, and one for the errors."""
    if asked != CLOSED:
        told = " needs all cases in memory: pass their probabilities and classes as arrays. Of predictions of any size "
        these, those = (either(map(argument, ("form", "goal"), each), " with ") for each in (asked, CLOSED))
        raise InputError(these, told, those, " is fitted.")
    passes: Passes = BlockPasses(p)
    at = reference_class(majority, checked_sums(passes.moments()).totals)  # before all are equally frequent
    passes = cases.BalancedPasses(passes) if balanced else passes
    moments = checked_sums(passes.moments())
    fitted = of_moments(moments, at, passes.classes, limits)
    after, before = passes.outcomes(rescalings(fitted, moments))
    return told_of(fitted, after, before, moments.totals, whole=not passes.weighted)


def of_moments(moments: Moments, majority: int, classes: tuple[Any, ...], limits: Bounds) -> Multipliers:
    """Return the linear form of least squares; what it is worth takes another pass."""
    multipliers = least_squares(_sums_of(moments, majority).equations(), limits)
    return Multipliers(multipliers, majority, classes, "linear", "squared", limits, False, 0, 0, 0, 0, 0)  # noqa: FBT003


def _sums_of(moments: Moments, majority: int) -> Sums:
    """Return what the fit and the loss of a linear rescaling need; errors are not among the moments."""
    others = np.arange(moments.totals.size) != majority
    sides = np.stack([moments.by_class[others].sum(axis=0), moments.by_class[majority]])
    weights = np.array([moments.totals[others].sum(), moments.totals[majority]])
    return Sums(moments.gram, np.diag(moments.by_class), sides, weights, np.nan, majority)


def rescalings(fitted: Multipliers, moments: Moments) -> list[tuple[Rescaling, float | None]]:
    """Return what the correction does to probabilities, and what leaves them as they are, each with its loss where sums tell."""
    sums = _sums_of(moments, fitted.majority)
    rules = rule_of(fitted), _unchanged_rule(fitted.majority, moments.totals.size)
    return [(rule, sums.loss(rule.multipliers[0])) for rule in rules]


def error_curve(
    y_true: Iterable[Any],
    p: npt.ArrayLike,
    *,
    majority: int | None = None,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    weight: npt.ArrayLike | None = None,
) -> ErrorCurve:
    r"""Return the errors of two classes for every multiplier: decide for the positive class where :math:`\kappa p_+ > p_-`.

    The class multiplied is `positive`, by its label, or else the one that is not the `majority`; ties go to the other. One number
    per case in `p` is the probability of the positive class.
    Duch and Itert (2003), section 2.

    >>> error_curve([0, 1, 1], [[0.8, 0.2], [0.6, 0.4], [0.1, 0.9]])
    ErrorCurve of 0: fewest errors 0 at a multiplier of 0.4082, 1 without correction, 1 of the majority; 4 steps
    """
    data = labelled(p, y_true, classes=classes, weight=weight, positive=positive)
    rest = reference_class(majority, data.totals)
    if len(data.classes) != 2:  # noqa: PLR2004
        msg = f"an error curve needs two classes, got {len(data.classes)}. Give fit_multipliers("
        raise InputError(msg, argument("goal", "errors"), ") more of them.")
    if positive is not None:
        cases.check_label(positive, "positive")
        if positive not in data.classes:
            raise InputError(parameter("positive"), f" must be one of {listed(data.classes)}, got {quoted(positive)}.")
        rest = 1 - data.classes.index(positive)
        if majority is not None and majority != rest:
            given = either([argument("positive", positive), argument("majority", majority)], " and ")
            raise InputError(given, " name the same class. Give one of them.")
    other = 1 - rest
    steps = multiplier_search.steps_of(*multiplier_search.class_breaks(data.p, data.y, data.weight, np.ones(2), other, rest))
    best = multiplier_search.best_of(steps)
    if steps.at_zero < best.errors:
        best = multiplier_search.Choice(0.0, steps.at_zero)
    before = _unchanged_rule(rest, 2).outcome(data.p, data.y, data.weight).errors
    fewest, before, always = (round(n) if data.weight is None else n for n in (best.errors, before, steps.at_zero))
    return ErrorCurve(steps.begins, steps.errors, best.multiplier, fewest, before, always, data.classes[other])


def rule_of(fitted: Multipliers) -> Rescaling:
    """Return what the correction does to rows of probabilities."""
    rounds = np.atleast_2d(fitted.multipliers)
    whole = rounds if fitted.last_free else np.insert(rounds, fitted.majority, 1.0, axis=1)
    if fitted.form != "linear":
        return Rescaling("softmax", whole, fitted.majority)
    return Rescaling("shares" if fitted.goal == "errors" else "linear", whole, fitted.majority)


def told_of(fitted: Multipliers, after: Outcome, before: Outcome, totals: FloatArray, *, whole: bool) -> Multipliers:
    """Return the correction with what it is worth; errors are `whole` numbers where cases have no weights."""
    alone = float(totals.sum() - totals[fitted.majority])
    errors = {"errors": after.errors, "errors_before": before.errors, "errors_majority": alone}
    counts: dict[str, Any] = {name: round(number) if whole else number for name, number in errors.items()}
    valued = replace(fitted, loss=after.loss, loss_before=before.loss, **counts)
    return replace(valued, findings=tuple(_findings(valued, after)))


def _unchanged_rule(majority: int, k: int) -> Rescaling:
    """Return what leaves probabilities as they are."""
    return Rescaling("linear", np.ones((1, k)), majority)


def _findings(fitted: Multipliers, after: Outcome) -> Iterable[Finding]:
    for at in np.flatnonzero(after.negative):
        n = int(after.negative[at])
        message = f"the rescaled probability of class {quoted(fitted.classes[at])} was negative in {counted(n, 'case')}."
        advice = wording("It is raised to 0 there; ", argument("bounds", (0, 1)), " keeps it from happening.")
        yield Finding("A801", message, advice, n)
    if fitted.form != "linear" and fitted.goal == "squared" and fitted.multipliers.max() >= softmax_multipliers.LARGEST:
        message = f"a multiplier grew to {softmax_multipliers.LARGEST:g}, where the search ends: the loss has no least value."
        advice = "The classes are separated without error; there is nothing to correct."
        yield Finding("A802", message, advice, float(fitted.multipliers.max()))
    if fitted.goal == "squared" and fitted.loss > fitted.loss_before * (1 + 1e-9):
        rose = f"the squared loss rose from {fitted.loss_before:.6g} to {fitted.loss:.6g}"
        message = f"{rose}: the softmax form flattens probabilities."
        linear = argument("goal", "multipliers", python="form='linear', or free the majority's multiplier with last_free=True")
        yield Finding("A803", message, wording("Use ", linear, "."), fitted.loss)
    if fitted.goal == "squared" and fitted.errors > min(fitted.errors_before, fitted.errors_majority) * (1 + _ROUNDING):
        known = min((fitted.errors_before, "no correction"), (fitted.errors_majority, "always the majority class"))
        message = f"{fitted.errors:g} errors, more than the {known[0]:g} of {known[1]}: least squares does not count errors."
        yield Finding("A804", message, wording("Use ", argument("goal", "errors"), " if errors matter."), fitted.errors)
