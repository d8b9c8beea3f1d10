"""Posteriors of measures, given what was counted; the balanced accuracy over the levels of a further variable among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, command, counted, listed, parameter, plain, share, wording
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.records import dataclass, replace
from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates import estimate
from adjudge.estimates.clustered import effective
from adjudge.estimates.clustered_rates import worth_of_classes
from adjudge.estimates.estimate import Estimate, Interval, effective_cells, share_of_class, share_of_table, worth_by_class
from adjudge.metrics.averages import of_tables, the_class, value
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.metrics.on_counts import JACCARD
from adjudge.stats.betasum import SumDistribution, SumDistributions, beta_sum
from adjudge.stats.distribution import BetaDistribution, Distribution, Kind
from adjudge.stats.engines import allowed
from adjudge.stats.paired import PairedDistribution
from adjudge.stats.transforms import Drawn, Image, difference_distribution

_ROUNDING = 1e-9
_TWO = 2
FEW_OF_A_CLASS = 10
_OF_PAIRS = 1e-10  # how far probabilities of a paired difference over several classes may be out
_ADVICE = wording("Its interval may lie too low; take ", argument("prior", "jeffreys"), ", or the interval")
DRAWS = 20_000
STRONGEST = 1e12  # the most cases a prior may be worth
_NAMED_PRIORS = {"flat": (1.0, 1.0), "jeffreys": (0.5, 0.5), "dirichlet": (1.0, 1.0)}
_AVERAGED = ("balanced_accuracy", "informedness")
_COMPLEMENTS = {"error": "accuracy", "fpr": "specificity", "fnr": "sensitivity"}


@dataclass(frozen=True, slots=True, eq=False)
class Recalls:
    """Right decisions and cases of every class in every level that has a case, and what each weighs."""

    correct: FloatArray
    support: FloatArray
    weights: FloatArray  # alike over the levels a class is seen in, and over the classes
    levels: int
    empty: int  # classes, counted in each level, without a case there


def recalls(tables: Mapping[Any, ConfusionCounts], whole: ConfusionCounts | None = None, level: float = 0.95) -> Recalls:
    """Return the recalls of classes that have cases, of as many as these are worth at a level. The levels make up `whole`."""
    given: Any = tables
    if not isinstance(given, Mapping) or not given or not all(isinstance(table, ConfusionCounts) for table in given.values()):
        msg = " takes a mapping of level -> ConfusionCounts with at least one level, or the name of a column of predictions."
        raise InputError(argument("by"), msg)
    classes = {table.classes for table in tables.values()} | ({whole.classes} if whole is not None else set())
    if len(classes) > 1:
        msg = "The tables of the levels must have the same classes in the same order as the whole table."
        raise InputError(msg)
    n = sum(float(table.n) for table in tables.values())
    if whole is not None and abs(n - float(whole.n)) > _ROUNDING * n:
        msg = f"The levels hold {n:g} cases and the table {float(whole.n):g}; they must be the same cases."
        raise InputError(msg)
    total = np.stack([table.support for table in tables.values()]).astype(np.float64)
    worth = np.stack([worth_of_classes(table, level) for table in tables.values()])
    seen = total > 0
    if not seen.any():
        msg = "No level has a case."
        raise InputError(msg)
    share, cases = np.stack([table.correct for table in tables.values()])[seen] / total[seen], worth[seen]
    among = seen.sum(axis=0)
    weights = np.broadcast_to(1 / (np.maximum(among, 1) * np.count_nonzero(among)), seen.shape)[seen]
    return Recalls(share * cases, cases, weights, len(tables), int((~seen[:, among > 0]).sum()))


def over_levels(tables: Mapping[Any, ConfusionCounts], level: float = 0.95) -> Estimate:
    """Return the balanced accuracy over classes and levels, its limits put together from those of the recalls."""
    recall = recalls(tables, level=level)
    method = estimate.usual(recall.support.size)
    limits = Interval(*estimate.mean_recall_limits(recall.correct, recall.support, level, method, recall.weights), level, method)
    return Estimate("balanced_accuracy", float(recall.weights @ (recall.correct / recall.support)), limits, average="groups")


def of_levels(balanced: Estimate, plain: float, seen: Recalls) -> Iterator[Finding]:
    """Say when a further variable flatters or hides what the classes alone show."""
    limits, notable = balanced.interval, 0.01
    if limits is not None and abs(balanced.value - plain) >= notable and not limits.low <= plain <= limits.high:
        over = f"Averaged over {counted(seen.levels, 'group')} as well as classes"
        told = f"{over}, the balanced accuracy is {share(balanced.value)}, "
        flattered = balanced.value < plain
        owed = "at least part of the plain one is owed to them" if flattered else "the plain one hides how well it does in most"
        yield Finding("A505", f"{told}not {share(plain)}.", f"The groups go with the class: {owed}.", balanced.value - plain)
    if seen.empty:
        told = f"{counted(seen.empty, 'class', 'classes')} without a case in some group, left out of averages there."
        yield Finding("A506", told, "Where a class is seen in one group only, the two are indistinguishable.", seen.empty)


@dataclass(frozen=True, slots=True, eq=False)
class Posterior(Shown):
    """The posterior distribution of a measure: moments, densities, tails, quantiles and intervals."""

    quantity: str
    distribution: Distribution
    method: str
    of: Any = None
    findings: tuple[Finding, ...] = ()  # what to know before believing it

    @property
    def mean(self) -> float:
        """The expected value."""
        return self.distribution.mean

    @property
    def var(self) -> float:
        """The variance."""
        return self.distribution.var

    @property
    def median(self) -> float:
        """The value as likely exceeded as not."""
        return self.distribution.median

    @property
    def mode(self) -> float:
        """The most probable value."""
        return self.distribution.mode

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return self.distribution.pdf(x)

    def cdf(self, x: Any) -> Any:
        """Return the probability of at most `x`."""
        return self.distribution.cdf(x)

    def sf(self, x: Any) -> Any:
        """Return the probability of more than `x`."""
        return self.distribution.sf(x)

    def logsf(self, x: Any) -> Any:
        """Return the logarithm of the probability of more than `x`, however small."""
        return self.distribution.logsf(x)

    def ppf(self, q: Any) -> Any:
        """Return the value that is not exceeded with probability `q`."""
        return self.distribution.ppf(q)

    def interval(self, level: float = 0.95, kind: Kind = "central") -> Interval:
        """Return the interval that holds the value with probability `level`."""
        low, high = self.distribution.interval(level, kind)
        return Interval(low, high, level, f"posterior, {kind}")

    def sample(self, n: int, rng: Any = None) -> FloatArray:
        """Return `n` draws."""
        return self.distribution.sample(n, np.random.default_rng(rng))

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return moments and the central credible interval at a level as plain Python."""
        told = {name: plain(getattr(self, name)) for name in ("quantity", "method", "mean", "median", "mode")}
        sure = {"sd": self.var**0.5, "credible_interval": self.interval(level), "findings": self.findings}
        return told | {name: plain(value) for name, value in sure.items()}

    def __repr__(self) -> str:
        low, high = self.distribution.interval()
        return f"Posterior of {self.quantity} ({self.method}): mean {self.mean:.6g}, 95% [{low:.6g}, {high:.6g}]"


def posterior(
    counts: ConfusionCounts, name: str, *, prior: Any, weights: Any = None, positive: Any = None, rng: Any = 0
) -> Posterior:
    """Return the posterior of a measure; see :func:`adjudge.posterior`."""
    measure = find(name)
    if measure.needs != "decisions":
        msg = f"{measure.name} has no posterior from counts; its interval comes from the scores."
        raise InputError(msg)
    if weights is not None and measure.name not in _AVERAGED:
        msg = f" are those of the classes in the balanced accuracy; {measure.name} has none."
        raise InputError(argument("weights"), msg)
    if positive is not None and not isinstance(measure, ClassMeasure):
        counts = counts.binary(positive)
    if counts.clusters is not None:
        at = the_class(measure, counts, positive) if isinstance(measure, ClassMeasure) else None
        made = posterior(effective(counts, measure, at=at), name, prior=prior, weights=weights, positive=positive, rng=rng)
        return replace(made, method=f"{made.method}, of effective cases: clusters count as many as they are worth")
    if measure.name not in _AVERAGED:
        rate = _of_rate(measure, counts, pair(prior), positive)
        return rate or drawn(measure, counts, cell_prior(measure, prior), positive, rng)
    flat_rows = isinstance(prior, str) and prior == "dirichlet"
    method = "exact: flat Dirichlet rows" if flat_rows else "exact: independent Beta recalls"
    (a, b), k, share = recall_parameters(effective_cells(counts), prior), counts.k, class_shares(weights, counts.k)
    if measure.name == "balanced_accuracy":
        distribution = beta_sum(a, b, share)
    elif k > 1:
        spread = k / (k - 1)  # chance becomes 0 and perfection 1
        distribution = beta_sum(a, b, spread * share, -spread / k)
    else:
        msg = "informedness says how well classes are separated; there is only one class."
        raise InputError(msg)
    findings = (*of_prior(counts, measure.name, prior), *of_one_in_k(counts), *of_distribution(distribution))
    return Posterior(measure.name, distribution, method, findings=findings)


def pair(prior: Any) -> tuple[float, float]:
    """Return the Beta prior of one rate."""
    parameters: Any = _NAMED_PRIORS.get(prior) if isinstance(prior, str) else prior
    numbers = np.shape(parameters) == (2,) and all(isinstance(v, (int, float, np.number)) for v in parameters)
    if not numbers or not all(0 < v <= STRONGEST for v in parameters):
        told = f" must be two numbers above 0 and at most {STRONGEST:g}, 'flat', 'jeffreys' or 'dirichlet'; got {prior!r}."
        raise InputError(wording(parameter("prior"), told))
    return (float(parameters[0]), float(parameters[1]))


def cell_prior(measure: Measure, prior: Any) -> float:
    """Return what a prior puts into each cell of the table, for measures that rest on all of them."""
    a, b = pair(prior)
    if a != b:
        msg = f"{measure.name} rests on all cells of the table, which a prior treats alike: give a = b, not {a:g} and {b:g}."
        raise InputError(msg)
    return a


def recall_parameters(cells: AnyArray, prior: Any) -> tuple[FloatArray, FloatArray]:
    """Return the Beta parameters of the recall of each class; `cells` may be many tables."""
    k = cells.shape[-2]
    correct, support = np.diagonal(cells, axis1=-2, axis2=-1)[..., :k], cells.sum(axis=-1)
    a, b = (1.0, max(k - 1.0, 1.0)) if isinstance(prior, str) and prior == "dirichlet" else pair(prior)
    return correct + a, support - correct + b


def class_shares(weights: Any, k: int) -> FloatArray:
    """Return the weight of each class: those given, or all equal."""
    if weights is None:
        return np.full(k, 1 / k)
    numbers = not isinstance(weights, str) and all(isinstance(v, (int, float, np.number)) for v in weights)
    share = np.asarray(weights, dtype=np.float64) if numbers else np.zeros(0)
    if share.shape != (k,) or np.any(share < 0) or abs(share.sum() - 1) > 1e-9:  # noqa: PLR2004 - rounding
        msg = f" must be {k} numbers of at least 0 that sum to 1, one per class; got {weights!r}."
        raise InputError(parameter("weights"), msg)
    return share


def balanced_by(
    counts: ConfusionCounts, tables: Mapping[Any, ConfusionCounts], name: str, *, prior: Any, weights: Any, **_: Any
) -> Posterior:
    """Return the posterior of the balanced accuracy over levels too: every class in every level has its own Beta."""
    if find(name).name != "balanced_accuracy" or weights is not None or (isinstance(prior, str) and prior == "dirichlet"):
        msg = " balances the balanced accuracy, with equal weights and a Beta prior: (a, b), 'flat' or 'jeffreys'."
        raise InputError(argument("by"), msg)
    (a, b), seen = pair(prior), recalls(tables, counts)
    distribution = beta_sum(seen.correct + a, seen.support - seen.correct + b, seen.weights)
    of_groups = of_levels(over_levels(tables), value(find(name), counts), seen)
    findings = (*of_groups, *of_cells(seen.support), *of_distribution(distribution))
    return Posterior("balanced_accuracy", distribution, "exact: recalls averaged over classes and levels", findings=findings)


def _of_rate(measure: Measure, counts: ConfusionCounts, prior: tuple[float, float], positive: Any) -> Posterior | None:
    """Return the Beta posterior of a share of cases, or None where the measure is none."""
    if measure.name in _COMPLEMENTS and not counts.has_rejected:
        whole = _of_rate(find(_COMPLEMENTS[measure.name]), counts, prior, positive)
        assert whole is not None
        assert isinstance(whole.distribution, BetaDistribution)
        return Posterior(measure.name, whole.distribution.mirrored, whole.method, whole.of)
    if measure.name in ("accuracy", "error", "rejection_rate"):
        return Posterior(measure.name, _beta(*share_of_table(measure.name, counts), prior), "exact: Beta")
    if not isinstance(measure, ClassMeasure):
        return None
    at = the_class(measure, counts, positive)
    label = counts.classes[at]
    if measure.name in ("f1", "jaccard"):
        cell = cell_prior(measure, prior)
        distribution: Distribution = _beta(*share_of_class(JACCARD, counts, at), (cell, 2 * cell))
        if measure.name == "f1":
            distribution = Image(distribution, lambda j: 2 * j / (1 + j), lambda f: f / (2 - f), lambda f: 2 / (2 - f) ** 2)
        return Posterior(measure.name, distribution, "exact: Beta of the Jaccard index", label)
    if not measure.plain:
        return None
    return Posterior(measure.name, _beta(*share_of_class(measure, counts, at), prior), "exact: Beta", label)


def _beta(hits: float, cases: float, prior: tuple[float, float]) -> BetaDistribution:
    return BetaDistribution(hits + prior[0], max(cases - hits, 0.0) + prior[1])


def drawn(measure: Measure, counts: ConfusionCounts, prior: float, positive: Any, rng: Any, *, macro: bool = False) -> Posterior:
    """Draw tables from the Dirichlet posterior of the cells and measure each; `macro` averages over the classes."""
    if counts.k == 1:
        msg = f"{measure.name} has no posterior here: there is only one class."
        raise InputError(msg)
    cells = effective_cells(counts)
    shares = np.random.default_rng(rng).dirichlet(cells.ravel() + prior, DRAWS).reshape(-1, *cells.shape)
    at = the_class(measure, counts, positive) if isinstance(measure, ClassMeasure) and not macro else None
    told, of = tuple(of_cell_prior(prior * cells.size, float(cells.sum()))), None if at is None else counts.classes[at]
    how = f"{DRAWS:,} draws from the Dirichlet posterior of the cells"
    return Posterior(measure.name, Drawn(of_tables(measure, shares, at)), how, of, told)


def difference(a: Posterior, b: Posterior) -> Posterior:
    """Return the posterior of a - b for independent evidence; ``.sf(0)`` is P(a > b)."""
    for one in (a, b):
        if not isinstance(one, Posterior):
            msg = f"difference() takes two posteriors, got {type(one).__name__}; of an array of tables take one, e.g. many[0]."
            raise InputError(msg)
    if isinstance(a.distribution, (Image, Drawn)) or isinstance(b.distribution, (Image, Drawn)):
        draws = a.sample(DRAWS, 0) - b.sample(DRAWS, 1)
        return Posterior(f"{a.quantity} - {b.quantity}", Drawn(draws), f"{DRAWS:,} draws of both")
    distribution = difference_distribution(a.distribution, b.distribution)
    findings = tuple(of_distribution(distribution))
    return Posterior(f"{a.quantity} - {b.quantity}", distribution, "exact: independent Betas", findings=findings)


def of_prior(counts: ConfusionCounts, name: str, prior: Any) -> Iterator[Finding]:
    """Say when a flat prior on every class pulls an average over classes away from what was seen."""
    flat = prior in ("dirichlet", "flat") if isinstance(prior, str) else min(prior) >= 1
    cases, told = worth_by_class(counts), []
    few = cases < FEW_OF_A_CLASS
    if few.any():
        whose = listed([counts.classes[int(i)] for i in np.flatnonzero(few)])
        told.append(f"class {whose} has fewer than {FEW_OF_A_CLASS} cases")
    if counts.k > _TWO:
        told.append(f"there are {counts.k:,} classes, whose pulls add up")
    if flat and told:
        message = f"The flat prior pulls the recall of every class towards chance: {', and '.join(told)}."
        yield Finding("A501", message, wording(_ADVICE, f" of the {name.replace('_', ' ')} itself."), float(cases.min()))


def of_one_in_k(counts: ConfusionCounts) -> Iterator[Finding]:
    """Say when the priors of the recalls decide whether the balanced accuracy is found to be above 1/K."""
    cases = worth_by_class(counts)
    never, few = (counts.predicted == 0) & (counts.support > 0), cases < FEW_OF_A_CLASS
    told = [
        f"class {listed([counts.classes[int(i)] for i in np.flatnonzero(which)])} {why}"
        for which, why in ((never, "is never predicted"), (few & ~never, f"has fewer than {FEW_OF_A_CLASS} cases"))
        if which.any()
    ]
    if told and counts.k > 1:
        message = f"Posterior P(balanced accuracy > 1/{counts.k}) (Brodersen et al. 2010) rests on the prior here: "
        advice = "It may be near 1 without skill; chance() tests that."
        yield Finding("A511", f"{message}{'; '.join(told)}.", advice, float(cases.min()))


def of_cells(cases: FloatArray) -> Iterator[Finding]:
    """Say when a prior on the recall of every class in every group weighs beside the few cases they have."""
    few = int(np.count_nonzero(cases < FEW_OF_A_CLASS))
    if few:
        message = f"The prior pulls every recall towards 1/2: {few:,} of {cases.size:,} classes within groups have fewer than "
        advice = wording(_ADVICE, " that ", command("adjudge evaluate", python="evaluate()"), " gives for groups.")
        yield Finding("A501", f"{message}{FEW_OF_A_CLASS} cases.", advice, float(cases.min()))


def of_cell_prior(weight: float, cases: float) -> Iterator[Finding]:
    """Say when a prior on every cell of a table weighs as much as a tenth of the cases."""
    if weight > cases / 10:
        message = f"The prior of the cells weighs as much as {weight:,.4g} cases spread over the table, beside {cases:,.4g} seen."
        yield Finding("A501", message, wording(_ADVICE, " of the measure itself, or a smaller prior."), weight)


def of_distribution(distribution: Distribution | SumDistributions) -> Iterator[Finding]:
    """Say when the mass of a distribution is not 1, so that its probabilities are good to fewer digits than all others."""
    if not isinstance(distribution, SumDistribution | SumDistributions | PairedDistribution):
        return
    flaw = float(np.max(distribution.flaw))
    if flaw > (_OF_PAIRS if isinstance(distribution, PairedDistribution) else allowed(distribution.weights.size)):
        told = f"Probabilities and intervals of this distribution are good to {flaw:.1g} only: its total mass is that far from 1."
        advice = wording("Take ", argument("prior", "jeffreys"), " or 'flat', or fewer classes without cases.")
        yield Finding("A510", told, "Read no more digits." if isinstance(distribution, PairedDistribution) else advice, flaw)
