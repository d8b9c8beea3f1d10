"""How much two classifiers differ in a measure of decisions, on the same cases or on different ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from adjudge._base import dataclass, replace
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.progress import stepped
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts, outcomes_of
from adjudge.estimates.clustered_pairs import effect_among, effective_joint, effective_sides
from adjudge.estimates.estimate import effective_cells
from adjudge.estimates.over_folds import of_table
from adjudge.estimates.posterior import difference, drawn, posterior
from adjudge.metrics.averages import Margins, margins_of, of_margins, of_tables
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.stats.clustered import ClusterEffect
from adjudge.stats.difference_tests import coin_counts, drawn_tail, mid_tail
from adjudge.stats.distribution import Distribution
from adjudge.stats.paired import paired_distribution
from adjudge.stats.transforms import Drawn, widened_draws

_FEWEST_SWAPS = 500
_AT_ONCE = 1 << 22  # cells drawn or swapped at one time
_MOST_SWAPPED = 1 << 26  # cells of all swaps, beyond the fewest
_LARGEST = 100_000_000  # cases that are dealt anew one by one; more are scaled down
DRAWS = 20_000
_WHOLE = 100  # classes up to which whole tables are drawn; of more, what measures need of them
_FEWEST = 2_000
_MOST = 1 << 27  # cells drawn altogether, beyond the fewest draws
_PRIOR_PATTERNS = 500
_ERRED_TO = 5
_LEAST = 2.0  # cases' worth of the prior in a rare class
_OUTCOMES = 4  # both right, one, the other, neither: the cases' worth of the prior
_BY_CLASS = ("balanced_accuracy", "informedness")
_DRAWN = ("mcc", "kappa", "g_mean", "fbeta")
OF_CLUSTERS = ", of effective cases: clusters count as many as they are worth"


class Cells:
    """Which patterns of truth and decision make up which cell of a classifier's table."""

    def __init__(self, truth: IntArray, said: IntArray, k: int, *, rejects: bool) -> None:
        self.truth, self.said, self.shape = truth, said, (k, k + rejects)
        self.cells = _Sums(truth * (k + rejects) + said, np.arange(truth.size), k * (k + rejects))

    @property
    def held(self) -> int:
        """How many numbers are held for each draw."""
        k, columns = self.shape
        return max(self.truth.size, k * columns if k <= _WHOLE else k)

    def margins(self, shares: AnyArray) -> Margins:
        """Return diagonals and sums of rows and columns of the tables of draws x patterns; of many classes without the tables."""
        k = self.shape[0]
        if k <= _WHOLE:
            return margins_of(self.cells.of(shares).reshape(len(shares), *self.shape))
        return Margins(*(sums.of(shares) for sums in self._by_class))

    @cached_property
    def _by_class(self) -> tuple[_Sums, ...]:
        truth, said, k = self.truth, self.said, self.shape[0]
        every, hit, decided, rejected = np.ones(truth.size, dtype=bool), truth == said, said < k, said == k
        parts = ((truth, hit), (truth, every), (said, decided), (truth, rejected))
        return tuple(_Sums(by[some], np.flatnonzero(some), k) for by, some in parts)


class _Sums:
    """Which patterns are added up to which of so many sums."""

    def __init__(self, at: IntArray, patterns: IntArray, size: int) -> None:
        order = np.argsort(at, kind="stable")
        self.order, self.size = patterns[order], size
        self.places, self.starts = np.unique(at[order], return_index=True)

    def of(self, shares: AnyArray) -> FloatArray:
        """Return the sums of draws x patterns."""
        sums = np.zeros((len(shares), self.size))
        if self.places.size:
            sums[:, self.places] = np.add.reduceat(shares[:, self.order], self.starts, axis=1)
        return sums


def in_order(joint: JointCounts, i: int, j: int, positive: int | None) -> tuple[JointCounts, int | None, bool, bool]:
    """Return the patterns of two classifiers sorted by what was counted, the class looked for, and whether they turned round.

    The order hangs neither on who is named first nor on that of the classes; the last says whether it is the same both ways.
    """
    k, radix, worth = joint.k, joint.k + 1, joint.worth
    # a place for each class: by its cases, and by who found it and assigned it how often, whoever comes first
    support = np.bincount(joint.truth, weights=worth, minlength=k)
    hits = [np.bincount(joint.truth, weights=worth * joint.right[:, c], minlength=k) for c in (i, j)]
    assigned = [np.bincount(joint.predicted[:, c], weights=worth, minlength=k + 1)[:k] for c in (i, j)]
    keys = [support, *(side(*both) for both in (hits, assigned) for side in (np.minimum, np.maximum))]
    to = np.arange(k + 1)
    to[np.lexsort([*keys[::-1], np.arange(k) == (-1 if positive is None else positive)])] = np.arange(k)
    truth, first, second = to[joint.truth], to[joint.predicted[:, i]], to[joint.predicted[:, j]]
    forth, back = (_merged(joint, (truth * radix + a) * radix + b) for a, b in ((first, second), (second, first)))
    one, two = ((codes.tolist(), times.tolist()) for codes, times, _ in (forth, back))
    turned = two < one
    codes, n, squares = back if turned else forth
    said = np.stack((codes // radix % radix, codes % radix), axis=1)
    names = (joint.names[j], joint.names[i]) if turned else (joint.names[i], joint.names[j])
    pair = replace(joint, names=names, truth=codes // radix**2, predicted=said, n=n, squares=squares)
    return pair, None if positive is None else int(to[positive]), turned, one == two


def _merged(joint: JointCounts, codes: IntArray) -> tuple[IntArray, AnyArray, FloatArray | None]:
    distinct, where = np.unique(codes, return_inverse=True)
    n, squares = np.zeros(distinct.size, dtype=joint.n.dtype), None if joint.squares is None else np.zeros(distinct.size)
    np.add.at(n, where.ravel(), joint.n)
    if squares is not None and joint.squares is not None:
        np.add.at(squares, where.ravel(), joint.squares)
    return distinct, n, squares


def swap_tails(pair: JointCounts, measures: Sequence[Measure], positive: int | None, *, rng: Any = 0) -> list[float]:
    """Return, for each measure, the mid-P of the first classifier's lead over the second among all swaps of what they said."""
    # cases of one class that got the same two answers are alike: how many of them are swapped is enumerated, or drawn
    (first, second), worth = pair.predicted.T, pair.worth
    apart, radix = first != second, pair.k + 1
    codes = (pair.truth * radix + np.minimum(first, second)) * radix + np.maximum(first, second)
    groups, where = np.unique(codes[apart], return_inverse=True)
    size = np.bincount(where.ravel(), weights=worth[apart], minlength=groups.size)
    whole = np.maximum(np.rint(size), 1).astype(np.int64)
    own, low, high = groups // radix**2, groups // radix % radix, groups % radix
    truth = np.concatenate((pair.truth[~apart], own, own))
    said = np.concatenate((first[~apart], low, high)), np.concatenate((second[~apart], high, low))
    cells = max(truth.size, pair.k * (pair.k + pair.rejects))
    heads, weights = coin_counts(whole, int(np.clip(_MOST_SWAPPED // cells, _FEWEST_SWAPS, DRAWS)), rng)
    sums = [Cells(truth, each, pair.k, rejects=pair.rejects) for each in said]
    ours = np.bincount(where.ravel(), weights=(worth * (first < second))[apart], minlength=groups.size)
    observed = _leads(measures, sums, np.concatenate((worth[~apart], ours, size - ours))[None], positive)
    parts, chunk = [], max(1, _AT_ONCE // sums[0].held)
    for start in range(0, len(heads), chunk):
        share = heads[start : start + chunk] * (size / whole)
        same = np.tile(worth[~apart], (len(share), 1))
        parts.append(_leads(measures, sums, np.concatenate((same, share, size - share), axis=1), positive))
    every, tails = float(weights.sum()) > 1 - 1 / (2 * len(heads)), []
    for at, seen in enumerate(observed):
        leads = np.concatenate([part[at] for part in parts])
        tails.append(mid_tail(leads, weights, float(seen[0])) if every else drawn_tail(leads, float(seen[0])))
    return tails


def _leads(measures: Sequence[Measure], sums: list[Cells], worth: FloatArray, positive: int | None) -> list[FloatArray]:
    one, other = (cells.margins(worth) for cells in sums)
    return [np.asarray(of_margins(each, one, positive) - of_margins(each, other, positive)) for each in measures]


def shuffle_tail(a: ConfusionCounts, b: ConfusionCounts, measure: Measure, positive: int | None, *, rng: Any = 0) -> float:
    """Return the mid-P of a's lead over b, among the cases of both dealt anew to two samples of the same sizes."""
    both = [effective_cells(counts) for counts in (a, b)]
    scale = min(1.0, _LARGEST / sum(float(each.sum()) for each in both))
    whole = [np.rint(each.ravel() * scale).astype(np.int64) for each in both]
    total = whole[0] + whole[1]
    seen = np.flatnonzero(total)
    draws = int(np.clip(_MOST_SWAPPED // total.size, _FEWEST_SWAPS, DRAWS))
    source, ours = np.random.default_rng(rng), int(whole[0].sum())
    shuffled = source.multivariate_hypergeometric(total[seen], ours, size=draws, method="marginals")
    shuffled = np.concatenate((whole[0][None, seen], shuffled))
    parts, chunk = [], max(1, _AT_ONCE // total.size)
    for start in range(0, len(shuffled), chunk):
        tables = np.zeros((len(shuffled[start : start + chunk]), total.size))
        tables[:, seen] = shuffled[start : start + chunk]
        one, other = (of_tables(measure, t.reshape(-1, *both[0].shape), positive) for t in (tables, total - tables))
        parts.append(one - other)
    leads = np.concatenate(parts)
    return drawn_tail(leads[1:], float(leads[0]))


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The value of a measure for two classifiers, and the posterior distribution of a minus b."""

    a: float
    b: float
    distribution: Distribution | None  # None where one of them has no value
    method: str
    outcomes: FloatArray | None = None  # both right, only a, only b, neither, over all classes
    effect: ClusterEffect | None = None  # what clusters do to the difference; None of independent rows

    @property
    def value(self) -> float:
        """The observed difference."""
        return self.a - self.b


# whether what is counted happened: from the truth, the decision, the number of classes and the class looked for
Event = Callable[[IntArray, IntArray, int, int], BoolArray]
_EVENTS: dict[str, Event] = {
    **dict.fromkeys(("accuracy", *_BY_CLASS, "sensitivity"), lambda truth, said, _k, _at: said == truth),
    **dict.fromkeys(("error", "fnr"), lambda truth, said, k, _at: (said != truth) & (said < k)),
    "rejection_rate": lambda _truth, said, k, _at: said == k,
    "specificity": lambda _truth, said, k, at: (said != at) & (said < k),
    "fpr": lambda _truth, said, _k, at: said == at,
}


def paired_difference(
    joint: JointCounts,
    measure: Measure,
    i: int,
    j: int,
    *,
    positive: int | None,
    draws: FloatArray | None = None,
    level: float = 0.95,
    rng: Any = 0,
) -> Difference:
    """Return the difference of a count measure between `i` and `j` on the same cases; `draws` are those known already."""
    known = None if draws is None else {measure.name: draws}
    return paired_differences(joint, [measure], i, j, positive=positive, draws=known, level=level, rng=rng)[0]


def paired_differences(
    joint: JointCounts,
    measures: Sequence[Measure],
    i: int,
    j: int,
    *,
    positive: int | None,
    draws: Mapping[str, FloatArray] | None = None,
    level: float = 0.95,
    rng: Any = 0,
) -> list[Difference]:
    """Return the differences of several count measures; they cost little more than one, as those that are drawn share draws.

    Where rows belong to clusters each measure has its own number of effective cases, at the level, and its own draws.
    """
    if joint.clusters is not None:
        apart = [effect_among(joint, measure, [i, j], positive=positive) for measure in measures]
        if joint.clusters.singles:
            together = paired_differences(replace(joint, clusters=None), measures, i, j, positive=positive, draws=draws, rng=rng)
            return [replace(own, effect=effect) for own, effect in zip(together, apart, strict=True)]
        made = []
        for measure, effect in zip(measures, apart, strict=True):
            worthy = effective_joint(joint, effect, level)
            (own,) = paired_differences(worthy, [measure], i, j, positive=positive, rng=rng)
            method = f"{own.method}{OF_CLUSTERS}" if own.method else ""
            made.append(replace(own, method=method, outcomes=joint.outcomes(i, j).sum(axis=0), effect=effect))
        return made
    tables = [joint.confusion(at) for at in (i, j)]
    outcomes = joint.outcomes(i, j).sum(axis=0)
    differences: dict[str, Difference] = {}
    left: list[Measure] = []
    for measure in measures:
        a, b = (of_table(measure, table, positive) for table in tables)
        defined = not (np.isnan(a) or np.isnan(b))
        exact = _exact(joint, measure, i, j, positive) if defined else None
        method = "paired Dirichlet posterior" if exact is not None else ""
        differences[measure.name] = Difference(a, b, exact, method, outcomes)
        if defined and exact is None:
            left.append(measure)
    if not left:
        return [differences[measure.name] for measure in measures]
    # the same whichever classifier and whichever class comes first
    pair, at, turned, alike = in_order(joint, i, j, positive)
    if draws is None:
        values = drawn_measures(pair, left, [0, 1], positive=at, rng=rng)
        leads = {name: each[:, 0] - each[:, 1] for name, each in values.items()}
    else:
        leads = {m.name: (-1 if turned else 1) * (draws[m.name][:, i] - draws[m.name][:, j]) for m in left}
    for measure, tail in zip(left, swap_tails(pair, left, at, rng=rng), strict=True):
        each = leads[measure.name]
        told = f"paired Bayesian bootstrap of cells, {each.size:,} draws, no surer than swaps of answers"
        each = each[np.isfinite(each)]
        if alike:
            each = np.concatenate((each, -each))
        each = widened_draws(each, tail, measure.high - measure.low)
        differences[measure.name] = replace(differences[measure.name], distribution=Drawn(-each if turned else each), method=told)
    return [differences[measure.name] for measure in measures]


def _exact(joint: JointCounts, measure: Measure, i: int, j: int, positive: int | None) -> Distribution | None:
    """Return the distribution of the difference of shares among cases of known truth; None for other measures."""
    event = _EVENTS.get(measure.name)
    averaged = isinstance(measure, ClassMeasure) and positive is None
    if event is None or (averaged and measure.name != "sensitivity"):
        return None
    at = -1 if positive is None else positive
    happened = [event(joint.truth, joint.predicted[:, c], joint.k, at) for c in (i, j)]
    outcomes = outcomes_of(happened[0], happened[1], joint.truth, joint.worth, joint.k)
    seen = outcomes.sum(axis=1) > 0
    if measure.name in _BY_CLASS or averaged:
        k = int(np.count_nonzero(seen))
        return paired_distribution(outcomes[seen] + 1, np.full(k, 1 / (k - 1 if measure.name == "informedness" else k)))
    if isinstance(measure, ClassMeasure):
        own = np.arange(joint.k) == at
        outcomes = outcomes[own if measure.name in ("sensitivity", "fnr") else ~own]
    return paired_distribution(outcomes.sum(axis=0, keepdims=True) + 1, np.ones(1))


def drawn_values(joint: JointCounts, measure: Measure, which: list[int], *, positive: int | None, rng: Any = 0) -> FloatArray:
    """Return draws x classifiers of a measure, from the posterior of the shares of all patterns."""
    return drawn_measures(joint, [measure], which, positive=positive, rng=rng)[measure.name]


def drawn_measures(
    joint: JointCounts, measures: Sequence[Measure], which: list[int], *, positive: int | None, rng: Any = 0
) -> dict[str, FloatArray]:
    """Return the same for several measures by name, from the same draws of the shares."""
    truth, said, mass, scale = _with_prior(joint, which)
    cells = max(mass.size, joint.k * (joint.k + joint.rejects)) * len(which)
    draws = int(np.clip(_MOST // cells, _FEWEST, DRAWS))
    source = np.random.default_rng(rng)
    sums = [Cells(truth, said[:, c], joint.k, rejects=joint.rejects) for c in range(len(which))]
    parts: dict[str, list[FloatArray]] = {measure.name: [] for measure in measures}
    chunk = max(1, _AT_ONCE // sums[0].held)
    for start in stepped(range(0, draws, chunk)):
        shares = source.standard_gamma(mass, (min(draws - start, chunk), mass.size)) * scale
        margins = [each.margins(shares) for each in sums]
        for measure in measures:
            parts[measure.name].append(np.stack([of_margins(measure, each, positive) for each in margins], axis=1))
    return {name: np.concatenate(each) for name, each in parts.items()}


def _with_prior(joint: JointCounts, which: list[int]) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return the patterns with one more case's worth of each outcome, shared among classes as their cases are; and a scale."""
    # A rare class gets half a case's worth of each outcome at least: two cases that both got right must not settle that both
    # always are right. It is scaled down by as much, so that it stays as rare as it was. Who errs in the prior errs alike to the
    # commonest other classes, and those who err together say the same. Of many classes only the commonest have a share.
    support = np.bincount(joint.truth, weights=joint.worth, minlength=joint.k)
    m = len(which)  # all right, each alone, none: of two classifiers these are all outcomes
    right = [np.ones(m, dtype=bool), *np.eye(m, dtype=bool), np.zeros(m, dtype=bool)]
    ranked = np.argsort(-support, kind="stable")
    seen = ranked[support[ranked] > 0][: max(2, _PRIOR_PATTERNS // (len(right) * min(joint.k, _ERRED_TO)))]
    own = np.zeros(joint.k)
    own[seen] = _OUTCOMES * support[seen] / support[seen].sum()
    given = np.where(own > 0, np.maximum(own, _LEAST), 0.0)
    truth, said, mass = [joint.truth], [joint.predicted[:, which]], [joint.worth]
    for c in seen:
        others = ranked[ranked != c][:_ERRED_TO] if joint.k > 1 else ranked
        for who in right:
            wrong = others if not who.all() else others[:1]
            truth.append(np.full(wrong.size, c))
            said.append(np.where(who[None, :], c, wrong[:, None]))
            mass.append(np.full(wrong.size, given[c] / len(right) / wrong.size))
    every = np.concatenate(truth)
    scale = np.divide(support + own, support + given, out=np.ones(joint.k), where=support > 0)
    return every, np.concatenate(said), np.concatenate(mass), scale[every]


def independent_difference(
    a: ConfusionCounts, b: ConfusionCounts, measure: Measure, *, positive: int | None, level: float = 0.95, rng: Any = 0
) -> Difference:
    """Return the difference of a count measure between two classifiers judged on different cases."""
    if a.clusters is not None or b.clusters is not None:
        (one_side, other_side), effect = effective_sides((a, b), measure, positive=positive, level=level)
        made = independent_difference(one_side, other_side, measure, positive=positive, rng=rng)
        return replace(made, method=f"{made.method}{OF_CLUSTERS}" if made.method else "", effect=effect)
    one, other = (of_table(measure, counts, positive) for counts in (a, b))
    if np.isnan(one) or np.isnan(other):
        return Difference(one, other, None, "")
    # the order of two tables hangs on what they hold, not on who is named first
    in_a, in_b = ([float(counts.n), *effective_cells(counts).ravel().tolist()] for counts in (a, b))
    turned = in_b < in_a
    first, second = (b, a) if turned else (a, b)
    seeds = np.random.default_rng(rng).spawn(2)
    label = None if positive is None or not isinstance(measure, ClassMeasure) else a.classes[positive]
    macro, own = isinstance(measure, ClassMeasure) and label is None, []
    for counts, seed in zip((first, second), seeds, strict=True):
        if macro or measure.name in _DRAWN:
            own.append(drawn(measure, counts, 1 / np.size(effective_cells(counts)), label, seed, macro=macro))
        else:
            own.append(posterior(counts, measure.name, prior="flat", positive=label, rng=seed))
    lead = difference(own[0], own[1])
    told = f"independent posteriors, {lead.method.removeprefix('exact: independent ')}"
    if not isinstance(lead.distribution, Drawn):
        return Difference(one, other, difference(own[1], own[0]).distribution if turned else lead.distribution, told)
    each = lead.distribution.draws
    if in_a == in_b:
        each = np.concatenate((each, -each))
    each = widened_draws(each, shuffle_tail(first, second, measure, positive, rng=rng), measure.high - measure.low)
    return Difference(one, other, Drawn(-each if turned else each), f"{told}, no surer than exchanges of cases")
