"""The standardised partition space: memberships, what they are worth, how good the rule is, and how two rules differ."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, checked_level, counted, either, listed, parameter, plain, wording
from adjudge._base.arrays import FloatArray, IntArray, blocks, generator
from adjudge._base.records import dataclass, field
from adjudge.partitions.cases import Cases, cases_in, in_order
from adjudge.partitions.goodness import MEASURES, Goodness, goodness, highest, mean_distance, score
from adjudge.partitions.regions import Region, case_findings, fit_findings, new_findings, regions_of
from adjudge.partitions.replicates import RESAMPLES, Evidence, MeasureInterval, check_measure, check_resamples, deviations, limits
from adjudge.partitions.scaling import TIED, Scaling, Ties, fit, locate, orders, scaled, split, tied
from adjudge.predictions.fitted import from_model, is_model
from adjudge.predictions.model import Predictions

Convention: TypeAlias = Literal["paper", "klar"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartitionSpace(Shown):
    """Cases in the simplex of their classes, as the rule puts them and scaled to what is true in each region."""

    classes: tuple[Any, ...]
    memberships: FloatArray
    """As given, a row per case that sums to one."""
    truth: IntArray | None
    """The true classes as places in `classes`; None where new cases came without."""
    orders: IntArray
    """The `depth` classes of highest membership, as places in `classes`."""
    scaled: FloatArray
    goodness: Goodness
    """The measures of the scaled memberships, with the original assignment."""
    regions: tuple[Region, ...]
    depth: int
    convention: Convention
    ties: Ties
    findings: tuple[Finding, ...]
    scaling: Scaling = field(repr=False)
    refit: bool = True
    """Whether the scaling was fitted to these cases."""
    unscaled: Goodness = field(init=False, repr=False)
    """The measures of the memberships as they were given."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "unscaled", goodness(self.memberships, self.truth, self.predicted))
        for values in (self.memberships, self.truth, self.orders, self.scaled):
            if values is not None:
                values.setflags(write=False)

    def __repr__(self) -> str:
        told = f"scaled accuracy {self.scaled_accuracy:.4f}, ability to separate {self.ability_to_separate:.4f}"
        cases, classes = counted(len(self.memberships), "case"), counted(len(self.classes), "class", "classes")
        return f"PartitionSpace of {cases} in {classes}, depth {self.depth}: {told}, correct {self.correct:.4f}"

    @property
    def predicted(self) -> IntArray:
        """The class of highest original membership, as its place in `classes`."""
        return self.orders[:, 0]

    correct = property(attrgetter("goodness.correct"), doc="Share of cases predicted correctly.")
    correctness = property(
        attrgetter("goodness.correctness"), doc="The same by the predicted class; NaN for one never predicted."
    )
    scaled_accuracy = property(
        attrgetter("goodness.scaled_accuracy"), doc="Ac: 1 where all scaled vectors lie in their true corners."
    )
    ability_to_separate = property(attrgetter("goodness.ability_to_separate"), doc="AS: the same for predicted corners.")
    confidence = property(attrgetter("goodness.confidence"), doc="The mean of the highest scaled membership.")
    non_resemblance = property(attrgetter("goodness.non_resemblance"), doc="How different the memberships of a case are.")

    def apply(self, memberships: Any, truth: Any = None, *, rng: Any = None) -> PartitionSpace:
        """Return new cases in the space of the old: scaled by what was fitted, tested where their true classes are given.

        Regions that are new, or too small, are scaled by the fit of their parent, the region of the shorter order;
        cases of a class never predicted before keep their memberships. Findings say so.
        """
        given = cases_in(memberships, truth, None if isinstance(memberships, Predictions) else self.classes)
        return _space(in_order(given, self.classes), self.depth, self.convention, self.ties, rng, self.scaling)

    def precision(self, probabilities: Any) -> float:
        """Return how near the original memberships lie to the true conditional probabilities of the classes.

        1 where they are the same, as `scaled_accuracy`. Known in simulations only. Scaled memberships cannot be asked: scaling
        makes them precise on average.
        """
        return float(score(mean_distance(self.memberships, self._true(probabilities)), len(self.classes)))

    def separability(self, probabilities: Any) -> float:
        """Return how far apart the classes are by their true conditional probabilities: no rule separates better."""
        p = self._true(probabilities)
        return goodness(p, None, np.argmax(p, axis=1)).ability_to_separate

    def interval(
        self, measure: str = "scaled_accuracy", *, level: float = 0.95, resamples: int = RESAMPLES, rng: Any = None
    ) -> MeasureInterval:
        """Return a measure with its interval by drawing anew how much each case weighs; each time cases are scaled anew.

        Half a case in all is of another class than seen, so that a rule without errors is not taken to be without any for
        ever. 95% intervals of 40 to 60 cases, of rules from poor to nearly perfect, held the value of very many cases in 88% of
        80 tries or more. A space that was fitted to other cases keeps its scaling. Above 20,000 cases subsets are drawn.
        `measure` is "scaled_accuracy", "ability_to_separate", "confidence", "non_resemblance" or "correct".
        """
        place, level, resamples = check_measure(measure), checked_level(level), check_resamples(resamples)
        values = [getattr(self, name) for name in MEASURES]
        off, method = deviations([self.evidence()], [values], resamples, generator(rng))
        ends = limits(values[place], off[0, :, place], level)
        return MeasureInterval(measure, values[place], *ends, level, resamples, method)

    def evidence(self) -> Evidence:
        """Return what replicates are drawn from."""
        if self.truth is None:
            msg = "Intervals need the true classes; apply(memberships, truth) takes them."
            raise InputError(msg)
        at = locate(self.scaling, self.orders)
        return Evidence(self.memberships, self.scaled, self.truth, self.orders, self.scaling, at, self.refit, self.convention)

    def _true(self, probabilities: Any) -> FloatArray:
        p = cases_in(probabilities, None, self.classes).memberships
        if p.shape != self.memberships.shape:
            msg = f" have shape {p.shape}, the memberships {self.memberships.shape}; give a row for each case."
            raise InputError(parameter("probabilities"), msg)
        return p

    def to_dict(self) -> dict[str, Any]:
        """Return the measures, regions and findings as plain Python; the cases themselves are in the attributes."""
        told: dict[str, Any] = {"classes": list(self.classes), "n": len(self.memberships), "depth": self.depth}
        told = plain(told | {"convention": self.convention}) | self.goodness.to_dict()
        told |= plain({"regions": self.regions, "findings": self.findings})
        return told


def partition(
    y_true: Any,
    memberships: Any = None,
    y: Any = None,
    *,
    classes: Any = None,
    positive: Any = None,
    depth: int = 1,
    convention: Convention = "paper",
    ties: Ties = "first",
    rng: Any = None,
) -> PartitionSpace:
    r"""Return the standardised partition space of a rule that predicts for each case the class of its highest membership.

    Cases of the same order of classes make a region; there memberships are moved, quantile by quantile of a Beta distribution, so
    that on average they are as high as the classes are frequent. So rules of any kind can be compared: how far their
    vectors lie from the corners of the true classes (`scaled_accuracy`) and of the predicted ones (`ability_to_separate`).

    Parameters
    ----------
    y_true : array-like, or Predictions
        The true class of each case: labels, or without names and `classes` the numbers of columns. Predictions have their truth
        and their probabilities. So has a fitted model: ``partition(model, X, y)``.
    memberships : array-like, frame or mapping
        Cases x classes, rows that sum to one; bring other values there with :func:`memberships`. Named columns are classes. Of
        two classes one probability per case will do, that of the `positive` one.
    y : array-like, optional
        The true class of each case, beside a model and X.
    classes : sequence, optional
        The labels of the columns.
    positive : label, optional
        The class that one probability per case speaks of.
    depth : int
        How many classes of highest membership name a region, from 1 to G - 1. Regions of fewer than G cases share the fit of
        their parent: from G cases on the moments always fit a Beta distribution, whatever the memberships.
    convention : {"paper", "klar"}
        Sondhauss and Weihs (2001) with its slips corrected; or, at depth 1, the choices of the R package klaR.
    ties : {"first", "random"}
        Equal memberships as the predictions decided, where they did, and else in the order of the columns; or drawn by `rng`.

    >>> space = partition(["a", "b", "a", "b"], [[0.7, 0.3], [0.6, 0.4], [0.8, 0.2], [0.1, 0.9]], classes=["a", "b"])
    >>> space.correctness.round(3), space.scaled[:, 0].round(3)
    (array([0.667, 1.   ]), array([0.688, 0.404, 0.915, 0.   ]))
    """
    if is_model(y_true):
        y_true, memberships = from_model(y_true, memberships, y, verb="partition", roles={"classes": classes}), None
        classes = None
    elif y is not None:
        raise InputError(parameter("y"), " goes with a fitted model: partition(model, X, y). Arrays are partition(y_true, p).")
    if isinstance(y_true, Predictions):
        if memberships is not None or classes is not None:
            msg = "Predictions hold their own truth and memberships; leave "
            raise InputError(msg, either([argument("memberships"), argument("classes")], " and "), " out.")
        cases = cases_in(y_true, None, None)
    elif memberships is None:
        raise InputError(parameter("memberships"), " are needed beside y_true: partition(y_true, p). Only predictions have both.")
    else:
        cases = cases_in(memberships, y_true, classes, positive=positive)
    return partition_of(cases, depth=depth, convention=convention, ties=ties, rng=rng)


def partition_of(
    cases: Cases, *, depth: Any = 1, convention: Convention = "paper", ties: Ties = "first", rng: Any = None
) -> PartitionSpace:
    """Return the partition space of cases that were checked already."""
    if cases.truth is None:
        msg = "partition needs the true class of each case to scale memberships by: partition(y_true, p)."
        raise InputError(msg)
    g = len(cases.classes)
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or not 1 <= depth < g:
        msg = wording(parameter("depth"), f" must be a whole number from 1 to {g - 1}, one less than the classes; got {depth!r}.")
        raise InputError(msg)
    if convention not in get_args(Convention):
        raise InputError(parameter("convention"), f" must be 'paper' or 'klar', got {convention!r}.")
    if ties not in get_args(Ties):
        raise InputError(parameter("ties"), f" must be 'first' or 'random', got {ties!r}.")
    if convention == "klar" and depth > 1:
        msg = "klaR scales at depth 1 only, got "
        raise InputError(msg, argument("depth", depth), ". Use ", argument("convention", "paper"), ".")
    return _space(cases, int(depth), convention, ties, rng, None)


def _space(cases: Cases, depth: int, convention: Convention, ties: Ties, rng: Any, scaling: Scaling | None) -> PartitionSpace:
    """Return the space of cases, scaled by a fit to others or, where there is none, to themselves."""
    m, truth, new = cases.memberships, cases.truth, scaling is not None
    chance = generator(rng) if ties == "random" else None
    order = orders(m, depth, rng=chance, decided=cases.decided, slack=TIED if convention == "klar" else 0.0)
    parts = split(m, order)
    own = fit(parts, np.zeros(len(m), dtype=np.int64) if truth is None else truth, order, convention=convention)
    if scaling is None and convention == "klar" and own.fitted[0].moments.n.size < own.g:
        msg = "klaR does not scale where some class is never predicted. Use "
        raise InputError(msg, argument("convention", "paper"), ".")
    scaling = own if scaling is None else scaling
    at = locate(scaling, order)
    equal = tied(m, parts.tops)
    rows = scaled(scaling, m, order, at, parts)
    regions = regions_of(own, order, at, scaling, cases.classes, known=truth is not None)
    elsewhere, assigned = 0, order[:, 0]
    for part in blocks(len(rows)):
        block, firsts = rows[part], assigned[part]
        elsewhere += int(np.count_nonzero(highest(block) > block[np.arange(len(block)), firsts]))
    unlike = 0 if cases.decided is None else int(np.count_nonzero(cases.decided != assigned))
    of_regions = new_findings(at) if new else fit_findings(regions, cases.classes)
    told = (*of_regions, *case_findings(len(m), equal, elsewhere, unlike, cases.zero))
    measures, chosen = goodness(rows, truth, assigned), (depth, convention, ties)
    return PartitionSpace(cases.classes, m, truth, order, rows, measures, regions, *chosen, told, scaling, not new)


@dataclass(frozen=True, slots=True)
class PartitionDifference(Shown):
    """A measure of a less that of b, with an interval of the difference on the same cases."""

    measure: str
    a: float
    b: float
    value: float
    low: float
    high: float
    level: float
    higher: float
    """Share of the replicates in which a has more; equals count half."""
    resamples: int
    method: str

    def in_words(self) -> str:
        """Return the difference as text."""
        sure = "may be chance" if self.low <= 0 <= self.high else "is more than chance"
        limits_said = f"{100 * self.level:.6g}% interval {self.low:+.3f} to {self.high:+.3f}"
        name = self.measure.replace("_", " ").capitalize()
        return f"{name} {self.a:.3f} and {self.b:.3f}: a has {self.value:+.3f} ({limits_said}), which {sure}."

    __repr__ = in_words


def partition_difference(
    a: PartitionSpace,
    b: PartitionSpace,
    *,
    measure: str = "scaled_accuracy",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Any = None,
) -> PartitionDifference:
    """Return how much more of a measure partition a has than partition b of the same cases, in the same order.

    Cases weigh the same for both, drawn anew again and again, so what is hard for both does not blur the difference; half a
    case of doubt is each rule's own. Of two rules equally good on 40 to 60 cases, 95% intervals declared one better in at most
    10% of 80 tries.

    >>> from adjudge import partition
    >>> truth = [0, 0, 0, 1, 1, 1]
    >>> sharp = partition(truth, [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.3, 0.7], [0.2, 0.8], [0.1, 0.9]])
    >>> vague = partition(truth, [[0.6, 0.4], [0.4, 0.6], [0.7, 0.3], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]])
    >>> difference = partition_difference(sharp, vague, rng=1)
    >>> round(difference.value, 3), difference.higher > 0.9
    (0.621, True)
    """
    place, level, resamples = check_measure(measure), checked_level(level), check_resamples(resamples)
    for space in (a, b):
        if not isinstance(space, PartitionSpace):
            msg = f" must be partitions, as partition() returns them; got {type(space).__name__}."
            raise InputError(parameter("a"), " and ", parameter("b"), msg)
    sets = [space.evidence() for space in (a, b)]
    check_same(a, b)
    values = [[float(getattr(space, name)) for name in MEASURES] for space in (a, b)]
    off, method = deviations(sets, values, resamples, generator(rng))
    return difference_of(measure, values[0][place], values[1][place], off[0, :, place] - off[1, :, place], level, method)


def difference_of(measure: str, a: float, b: float, off: FloatArray, level: float, method: str) -> PartitionDifference:
    """Return the difference of two values with limits; `off` is how far those of replicates are from it."""
    low, high = limits(a - b, off, level)
    more = a - b + off
    higher = float(np.mean((more > 0) + (more == 0) / 2))
    return PartitionDifference(measure, a, b, a - b, low, high, level, higher, off.size, method)


def check_same(a: PartitionSpace, b: PartitionSpace) -> None:
    """Refuse partitions of other classes or cases."""
    if a.classes != b.classes:
        msg = f" of {listed(b.classes)}. Give both the same classes in the same order."
        raise InputError(parameter("a"), f" is of classes {listed(a.classes)}, ", parameter("b"), msg)
    if not np.array_equal(np.asarray(a.truth), np.asarray(b.truth)):
        told = " are not of the same cases in the same order: their true classes differ."
        raise InputError(parameter("a"), " and ", parameter("b"), told)
