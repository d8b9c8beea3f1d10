"""Rejecting the cases that cost less undecided: thresholds fitted to known cases, and what they do to them."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from adjudge._base import Finding, InputError, Shown, Undefined, argument, counted, dataclass, listed, parameter, quoted, replace
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge.corrections import labelled
from adjudge.corrections.costs import at_least_0, costs_of_gamma, decision_labels, priced
from adjudge.corrections.labelled import Known, are_predictions, cases_of, checked_sums, columns_for, named_probabilities
from adjudge.counts.cells import pairs
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.curves import cuts
from adjudge.counts.passes import BlockPasses, Passes
from adjudge.metrics.averages import value
from adjudge.metrics.on_counts import ACCURACY, ERROR, REJECTION_RATE, SENSITIVITY, SPECIFICITY
from adjudge.predictions.spellings import position
from adjudge.stats import rejection as stats
from adjudge.stats.ranking import ScoreTable, merge, tabulate

Kind: TypeAlias = Literal["two-sided", "max-probability", "per-class", "costs"]
_TWO = 2
_FEW, _FEW_OF_CLASS = 30, 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rejection(Shown):
    """A rule that decides or rejects, and what it does to the cases it was fitted to.

    Fitted to these cases, so it does a little worse on others: test it on held-out cases.
    """

    kind: Kind
    thresholds: FloatArray
    """two-sided: the score below which `of` is denied, and that from which on it is decided; max-probability: the least
    probability of a decision; per-class: that for each class; costs: none."""
    classes: tuple[Any, ...]
    costs: FloatArray
    """What each decision costs in each true class; the last of K + 1 columns is rejection."""
    cost: float
    """The mean cost of a case; by gamma this is gamma L - A."""
    accuracy: float
    error: float
    rejection: float
    """The shares A of all cases decided correctly, L decided wrongly and R not decided; A + L + R = 1."""
    of: Any = None
    """The class whose score two thresholds cut."""
    positive: Any = None
    counts: ConfusionCounts | None = None
    """The table with its column of rejected cases; none where the rule follows from probabilities alone."""
    optimal: int = 1
    """How many choices of thresholds cost as little on these cases."""
    findings: tuple[Finding, ...] = ()
    _besides = ("sensitivity", "specificity")

    def __post_init__(self) -> None:
        object.__setattr__(self, "thresholds", frozen(self.thresholds))
        object.__setattr__(self, "costs", frozen(self.costs))

    def __repr__(self) -> str:
        at = f" at {', '.join(f'{t:.4g}' for t in self.thresholds[:8])}" if self.thresholds.size else ""
        rates = f"accuracy {self.accuracy:.4f}, error {self.error:.4f}, rejected {self.rejection:.4f}"
        return f"Rejection ({self.kind}){at}: {rates}, cost {self.cost:.6g}"

    @property
    def sensitivity(self) -> float:
        """The share of positive cases decided so."""
        return self._of_positive(SENSITIVITY)

    @property
    def specificity(self) -> float:
        """The share of the other cases decided to be other."""
        return self._of_positive(SPECIFICITY)

    def _of_positive(self, measure: Any) -> float:
        if self.counts is None:
            return Undefined("no true classes were given")
        if self.positive is None:
            return Undefined("no class was named as the positive one; pass positive=")
        return value(measure, self.counts, positive=self.positive)

    def apply(self, p: Any) -> AnyArray:
        """Return a label for each case, REJECTED where there is no decision.

        `p` holds a column for each class in the order of `classes` (or named by them); for two classes also one number per
        case, the score of `of`. Read the labels with ``rejected=REJECTED``.
        """
        return decision_labels(self.codes(columns_for(p, self.classes, self.of, one=self.kind == "two-sided")), self.classes)

    def codes(self, p: FloatArray) -> IntArray:
        """Return the place of the decided class for each case, -1 for none; `p` is checked already."""
        if self.kind == "two-sided":
            at = position(self.classes, self.of)
            scores = p if p.ndim == 1 else p[:, at]
            low, high = self.thresholds
            return np.where(scores >= high, at, np.where(scores < low, 1 - at, -1))
        if self.kind == "costs":
            cheapest = stats.cheapest(p, self.costs)
            return np.where(cheapest == len(self.classes), -1, cheapest)
        top = np.argmax(p, axis=1)
        least = self.thresholds[top] if self.kind == "per-class" else self.thresholds[0]
        return np.where(p[np.arange(top.size), top] >= least, top, -1)


def fit_rejection(
    y_true: Any,
    p: Any = None,
    *,
    gamma: float | None = None,
    alpha: float | None = None,
    costs: Any = None,
    reject_cost: float | None = None,
    max_rejection: float | None = None,
    kind: Kind | None = None,
    positive: Any = None,
    classes: Any = None,
    weight: Any = None,
) -> Rejection:
    r"""Return the thresholds that decide and reject at least cost on cases whose class is known.

    Parameters
    ----------
    y_true : array-like
        The true class of each case: labels, in `classes` where `p` has columns; without `classes` the numbers of columns.
        Or predictions with probabilities, of any size (:func:`adjudge.read`), in place of both: they are gone through and never
        held. One threshold, or one for each class, then needs costs that differ only between correct and wrong decisions.
    p : array-like
        Cases x classes probabilities; or for two classes one number per case, the score of the positive class on any scale.
    gamma : float, optional
        Minimise :math:`\gamma L - A`, that is :math:`(1 + \gamma) L + R`: errors against undecided cases.
    alpha : float, optional
        Minimise :math:`p_{+-} + \alpha p_{-+}` (first the true class, so `alpha` is the cost of a false positive and 1 that of a
        missed one). Needs `reject_cost` or `max_rejection`: rejecting everything would be free.
    costs : array-like or mapping, optional
        Any K x (K + 1) costs, rows true, columns decided, the last one rejected, in the order of `classes`. K x K without
        `reject_cost` or `max_rejection` never rejects. By name: {true: {decided: cost}}, as in :func:`adjudge.decide`.
    reject_cost : float, optional
        The cost of rejecting a case; alone it stands against 1 for an error.
    max_rejection : float, optional
        The largest share of cases to reject; alone it finds the fewest errors.
    kind : {"two-sided", "max-probability", "per-class", "costs"}, optional
        Two thresholds on the score of one of two classes (default for two); the least highest probability of a decision
        (default for more); one for each class; or, for `costs` of more than two classes, no thresholds: the least expected cost,
        taking `p` at its word.
    positive : label, optional
        The class that `alpha`, sensitivity and specificity speak of.
    weight : array-like, optional
        The weight of each case.

    All thresholds are compared; of equally good ones those that reject least are taken, then the lowest. Duch and Itert (2003).

    >>> rule = fit_rejection([0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.9], gamma=3)
    >>> rule.thresholds.round(2), rule.cost, rule.rejection
    (array([0.35, 0.7 ]), -0.6666666666666666, 0.3333333333333333)
    >>> rule.apply([0.2, 0.5, 0.7])
    array([0, REJECTED, 1], dtype=object)
    """
    asked = {"gamma": gamma, "alpha": alpha, "costs": costs, "reject_cost": reject_cost, "max_rejection": max_rejection}
    passes = None
    if are_predictions(y_true, p=p, classes=classes, weight=weight):
        passes = BlockPasses(y_true)
        checked_sums(passes.moments())
        of = passes.positive
        cases = labelled.cases_to_come(passes.classes, passes.classes[of] if positive is None and of is not None else positive)
    else:
        labelled.check_given(p)
        cases = cases_of(p, y_true, classes, positive, weight)
    table, share = priced(cases, asked)
    k = len(cases.classes)
    if kind is None:
        kind = "two-sided" if k == _TWO else "costs" if costs is not None and not share else "max-probability"
    if kind not in get_args(Kind):
        msg = f" must be 'two-sided' (two classes), 'max-probability', 'per-class' or 'costs', got {kind!r}."
        raise InputError(argument("thresholds", python="kind"), msg, parameter="kind")
    if kind == "two-sided" and k != _TWO:
        told = f" cuts the score of one of two classes; there are {k}. Use 'max-probability' or 'per-class'."
        raise InputError(argument("thresholds", "two-sided", python='kind="two-sided"'), told)
    if share and kind in ("per-class", "costs"):
        named = argument("thresholds", kind, python=f'kind="{kind}"')
        told = "; use 'max-probability', or say what rejecting costs."
        raise InputError(parameter("max_rejection"), " does not go with ", named, told)
    if kind == "costs" and share is not None:
        table = table[:, :k]  # a share of 0: rejecting is no choice
    thresholds, bins = _thresholds(kind, cases, passes, table, share)
    rule = Rejection(kind, thresholds.values, cases.classes, table, 0.0, 0.0, 0.0, 0.0, cases.of, cases.positive)
    if passes is not None:
        cells = passes.decisions(rule.codes)
    else:
        cells = pairs(cases.y, rule.codes(cases.p if kind == "two-sided" else cases.by_class), k, cases.weight)
    return _told(rule, from_cells(cells, cases.classes, range(k), rejected=True), thresholds, bins)


def _thresholds(
    kind: Kind, cases: Known, passes: Passes | None, table: FloatArray, share: float | None
) -> tuple[stats.Thresholds, int]:
    """Return the thresholds, and how many bins scores were put into; 0 where every score was kept apart."""
    if kind == "costs":
        return stats.Thresholds(np.empty(0), 1), 0
    if kind == "two-sided":
        at = 1 if cases.at is None else cases.at
        column = cases.p if cases.p.ndim == 1 else cases.p[:, at]
        scores = tabulate(column, cases.y == at, cases.weight) if passes is None else passes.scored(at)
        turned = table if at else table[::-1][:, [1, 0, 2]]
        return stats.two_sided(scores, turned, most=share, lows=cuts(scores)), _bins(scores)
    k = len(table)
    beyond, own = table[:, :k] - table[:, k:], np.eye(k, dtype=np.bool_)
    if passes is None:
        return _one_sided(kind, cases, beyond.ravel(), share), 0
    if np.ptp(beyond[own]) or np.ptp(beyond[~own]):  # tables of right and wrong cases know no more
        told = "These costs differ from class to class; thresholds on the highest probability then need all cases in memory: "
        told += "pass y_true and p as arrays. Of predictions of any size "
        raise InputError(told, argument("kind", "costs"), " follows any costs, and so does 'two-sided' for two classes.")
    right, wrong, tops = float(beyond[0, 0]), float(beyond[0, 1]), passes.tops()
    every = reduce(merge, tops)
    together = stats.one_sided_of(every, right, wrong, most=share, lows=cuts(every))
    if kind == "max-probability":
        return together, _bins(every)
    each = [stats.one_sided_of(top, right, wrong, most=share, lows=cuts(top)) if top.values.size else together for top in tops]
    optimal = prod(one.optimal for one, top in zip(each, tops, strict=True) if top.values.size)
    return stats.Thresholds(np.array([one.values[0] for one in each]), optimal), max(map(_bins, tops))


def _one_sided(kind: Kind, cases: Known, beyond: FloatArray, share: float | None) -> stats.Thresholds:
    """Return the threshold on the highest probability, or one for each class, by what pairs cost beyond rejecting."""
    p, k, weight = cases.by_class, len(cases.classes), cases.weight
    top = np.argmax(p, axis=1)
    sure, pair = p[np.arange(top.size), top], cases.y * k + top
    together = stats.one_sided(sure, pair, beyond, weight=weight, most=share)
    if kind == "max-probability":
        return together
    values, optimal = np.full(k, together.values[0]), 1  # where a class is nowhere the most probable, that of all
    # Each class by itself: the cases decided for one are none of another's, so together they are optimal too.
    for code in np.unique(top if weight is None else top[weight > 0]):
        mine = top == code
        best = stats.one_sided(sure[mine], pair[mine], beyond, weight=None if weight is None else weight[mine], most=share)
        values[code], optimal = best.values[0], optimal * best.optimal
    return stats.Thresholds(values, optimal)


def _bins(scores: ScoreTable) -> int:
    return 0 if scores.mixed is None else scores.values.size


def chow(p: Any, gamma: float, *, classes: Any = None) -> Rejection:
    r"""Return the rule that is best for correct probabilities: reject where an error has more than :math:`1/(1+\gamma)`.

    Its rates and cost are those expected by `p`. With two classes and gamma up to 1 nothing is rejected: the surer class is
    never wrong with more than 1/2. Chow (1970), IEEE Trans. Inf. Theory 16:41-46.

    >>> rule = chow([[0.95, 0.05], [0.3, 0.7], [0.55, 0.45]], 3)
    >>> rule.apply([[0.95, 0.05], [0.3, 0.7]]), round(rule.error, 4)
    (array([0, REJECTED], dtype=object), 0.0167)
    """
    values, names = named_probabilities(p, classes)
    least = stats.chow_threshold(at_least_0("gamma", gamma))
    top = values.max(axis=1)
    kept = top >= least
    accuracy, error = float(top[kept].sum() / top.size), float((1 - top[kept]).sum() / top.size)
    table = costs_of_gamma(len(names), gamma)
    return Rejection(
        "max-probability", np.array([least]), names, table, gamma * error - accuracy, accuracy, error, float(1 - kept.mean())
    )


def _told(rule: Rejection, counts: ConfusionCounts, thresholds: stats.Thresholds, bins: int) -> Rejection:
    """Return the rule with what it does to the cases."""
    table, told, fitted = rule.costs, [], rule.kind != "costs"
    cells = counts.cells if isinstance(counts.cells, np.ndarray) else counts.cells.toarray()
    accuracy, error, rejected = (value(measure, counts) for measure in (ACCURACY, ERROR, REJECTION_RATE))
    undecided = [label for label, n in zip(counts.classes, counts.predicted, strict=True) if not n]
    if len(undecided) == counts.k:
        advice = "Rejecting costs less than any decision here: lower gamma, or make rejecting dearer."
        told.append(Finding("A830", "Every case is rejected.", advice))
    elif undecided:
        advice = "Its cases are rejected or decided for other classes."
        told.append(Finding("A831", f"No case is decided for {listed(undecided)}.", advice, undecided))
    if fitted and thresholds.optimal > 1:
        advice = "Those that reject least were taken; more cases would separate them."
        message = f"{counted(thresholds.optimal, 'choice')} of thresholds cost the same on these cases."
        told.append(Finding("A832", message, advice, thresholds.optimal))
    least = int(np.argmin(counts.support))
    if fitted and (counts.n < _FEW or counts.support[least] < _FEW_OF_CLASS):
        own = f"{counts.support[least]:,.6g} of class {quoted(counts.classes[least])}"
        message = f"The thresholds follow {counts.n:,.6g} cases, {own}."
        told.append(Finding("A833", message, "Test them on other cases before using them.", counts.n))
    if bins:
        message = f"There were too many different scores to keep apart: thresholds were compared between {bins:,} bins of them."
        advice = "The rule does what is reported; fitted to fewer cases, held in memory, it may differ."
        told.append(Finding("A835", message, advice, bins))
    cost = float((cells[:, : table.shape[1]] * table).sum() / counts.n)
    rates: dict[str, Any] = {"cost": cost, "accuracy": accuracy, "error": error, "rejection": rejected}
    return replace(rule, **rates, counts=counts, optimal=thresholds.optimal, findings=tuple(told))
