"""Corrections to try, each fitted on some folds and judged on the others: the gains, and what the best does to decisions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, counted, parameter, plain, safe, wording
from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge._base.progress import stepped
from adjudge._base.records import dataclass, field, replace
from adjudge.corrections.costs import priced
from adjudge.corrections.file import Correction
from adjudge.corrections.fitting import Fitted, rates
from adjudge.corrections.labelled import Known, cases_of
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.recipes import BALANCED, Recipe, decided, uncorrected
from adjudge.corrections.rejection import Rejection
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.joint import outcomes_of
from adjudge.counts.probabilities import case_losses
from adjudge.estimates.score_differences import mean_distribution
from adjudge.judgements.eligibility import FOLDS
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value
from adjudge.stats.distribution import Distribution
from adjudge.stats.paired import paired_distribution
from adjudge.stats.student import PointDistribution, StudentDistribution

SHARES = ("accuracy", "balanced_accuracy")  # measures of decisions; the others are of probabilities or of costs
_TWO = 2
_ROUNDING = 1e-12  # of sums of shares
_DIGITS = 6  # of sums of weights: all cases of a class are again a whole number


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What decisions cost, as asked for and as a table."""

    asked: Mapping[str, Any]  # gamma, alpha, costs, reject_cost, max_rejection: those that were given, and the positive class
    table: FloatArray  # K x (K + 1), the last column for rejected cases
    most: float | None  # the largest share that may be rejected; 0: nothing is

    @property
    def free(self) -> bool:
        """Whether rejecting costs no more than deciding rightly, so that fewer errors alone say nothing for a rule."""
        return self.most != 0 and bool(np.all(self.table[:, -1] <= np.diagonal(self.table)))

    @property
    def words(self) -> str:
        """What was asked for, in a few words."""
        told = [f"{name} {self.asked[name]:g}" for name in ("gamma", "alpha") if name in self.asked]
        told += ["costs as given"] if "costs" in self.asked else []
        told += [f"rejecting costs {self.asked['reject_cost']:g}"] if "reject_cost" in self.asked else []
        told += [f"at most {100 * self.asked['max_rejection']:g}% rejected"] if "max_rejection" in self.asked else []
        told += ["against as many rejected at random"] if self.free else []
        return ", ".join(told)


def prices_of(cases: Known, positive: Any, asked: Mapping[str, Any]) -> Prices | None:
    """Return what decisions cost, or refuse what contradicts itself; None where nothing was said of it."""
    given = {name: value for name, value in asked.items() if value is not None}
    if not given:
        if positive is not None:
            told = " is the class that costs speak of, and no costs are given. Leave it out, or say what errors cost."
            raise InputError(wording(argument("positive"), told))
        return None
    table, most = priced(cases_of(cases.p, cases.labels, cases.classes, positive), asked)
    return Prices(given if positive is None else given | {"positive": positive}, table, most)


def ways(data: Known, measure: str, prices: Prices | None, *, softmax: bool, old: Any) -> dict[str, Recipe]:
    """Return the recipes that are tried for a measure, by name, or refuse to try nothing."""
    tried: dict[str, Recipe] = {}
    if prices is None:
        weights: Any = "balanced" if measure == "balanced_accuracy" else None
        alike = ", classes weighed alike" if weights else ""
        fixed = {"weights": weights, "majority": int(data.totals.argmax())}
        tried[f"class multipliers, least squares in [0, 1]{alike}"] = Recipe("multipliers", **fixed)
        tried[f"class multipliers, least squares{alike}"] = Recipe("multipliers", bounds=None, **fixed)
        if softmax:
            tried[f"class multipliers, softmax form{alike}"] = Recipe("softmax", **fixed)
        if measure in SHARES:
            tried[f"class multipliers, fewest errors{alike}"] = Recipe("errors", **fixed)
        return tried if old is None else tried | {"counted priors": Recipe("priors", priors="counted", old=old)}
    if len(data.classes) == _TWO:
        tried[f"two thresholds ({prices.words})"] = Recipe("reject", thresholds="two-sided", **prices.asked)
    elif prices.most != 0:
        tried[f"one threshold ({prices.words})"] = Recipe("reject", thresholds="max-probability", **prices.asked)
        if not prices.most:
            tried[f"a threshold for each class ({prices.words})"] = Recipe("reject", thresholds="per-class", **prices.asked)
    if not prices.most and set(prices.asked) & {"gamma", "alpha", "costs", "reject_cost"}:  # probabilities at their word
        tried[f"least expected cost ({prices.words})"] = Recipe("costs", **prices.asked)
    if not tried:
        told = " leave nothing to try. Allow some rejection, or say what errors cost."
        raise InputError(wording("More than two classes and ", argument("max_rejection", 0), told))
    return tried


def assign_folds(truth: IntArray, folds: Any, rng: Any, groups: IntArray | None = None) -> IntArray:
    """Return the fold of each case, every class dealt out alike; cases of a group are all in the same fold."""
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or not _TWO <= folds <= truth.size:
        told = f" must be a whole number from 2 to the number of cases, {truth.size:,}; got {folds!r}."
        raise InputError(wording(parameter("folds"), told))
    source = np.random.default_rng(rng)
    if groups is None:
        fold, order = np.empty(truth.size, dtype=np.int64), source.permutation(truth.size)
        fold[order[np.argsort(truth[order], kind="stable")]] = np.arange(truth.size) % folds
        return fold
    # Whole groups, the largest first, each to the fold that holds least of its classes: with h the shares of the classes a fold
    # holds and s those of the group, the sum of squares of all h grows by 2 h s + s s, which is least where h s is.
    many = int(groups.max()) + 1
    if many < folds:
        msg = f"{folds} folds need as many groups, and there are {counted(many, 'group')}. Use fewer folds, or leave groups out."
        raise InputError(msg, parameter="groups")
    counts = np.zeros((many, int(truth.max()) + 1))
    np.add.at(counts, (groups, truth), 1)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    order = source.permutation(many)
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    held, place = np.zeros((folds, shares.shape[1])), np.empty(many, dtype=np.int64)
    for group in order:
        best = np.lexsort((held.sum(axis=1), held @ shares[group]))[0]
        held[best] += shares[group]
        place[group] = best
    return place[groups]


def deal(cases: Known, folds: Any, rng: Any) -> IntArray:
    """Return the fold of each case; clusters are never apart, and where they are fewer than folds there are fewer folds."""
    if cases.clustered and cases.group is not None and not isinstance(folds, bool) and isinstance(folds, (int, np.integer)):
        many = int(cases.group.max()) + 1
        if many < _TWO:
            msg = (
                "All cases are of one cluster, so that no other is there to test a correction on. Collect more clusters, or pass "
            )
            raise InputError(msg, argument("cluster", ""), " to take rows as independent cases.")
        folds = min(folds, many)
    return assign_folds(cases.y, folds, rng, cases.group)


def numbered(groups: Any, cases: int) -> IntArray:
    """Return the number of the group of each case, or refuse what names none."""
    try:  # as objects, since NaN among text would turn into a name
        labels = (groups if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)).tolist()
    except ValueError:
        labels = None
    if not isinstance(labels, list) or len(labels) != cases or not all(isinstance(label, Hashable) for label in labels):
        came = f"{len(labels):,} of them" if isinstance(labels, list) else safe(type(groups).__name__)
        raise InputError(parameter("groups"), f" must name the group of each of {counted(cases, 'case')}; got {came}.")
    # None, NaN, or what frames have in their place: all but None are unlike themselves
    nameless = sum(label is None or str(label) in ("<NA>", "NaT") or label != label for label in labels)  # noqa: PLR0124
    if nameless:
        msg = f"{counted(nameless, 'case')} have no group (None or NaN). Name their groups, or leave these cases out."
        raise InputError(msg, parameter="groups")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What one correction did to cases that took no part in fitting it."""

    each: FloatArray  # what each case adds to the gain
    distribution: Distribution
    method: str
    in_sample: float
    rejected: float | None
    correction: Correction  # fitted on all cases
    p: FloatArray
    decided: IntArray  # both by corrections that had not seen the case; -1 where none was decided
    always: int | None  # the only class that it decides for on all cases, fitted on all of them; None where there are several

    @property
    def gain(self) -> float:
        """More is better."""
        return float(self.each.sum())

    @property
    def p_gain(self) -> float:
        """How probable a gain is; what makes no difference to any case is none."""
        known = self.distribution
        return float(known.at > 0 if isinstance(known, PointDistribution) else known.sf(0.0)) if self.each.any() else 0.0


def cross_fitted(cases: Known, recipe: Recipe, fold: IntArray) -> tuple[FloatArray, IntArray]:
    """Return probabilities and decisions of corrections fitted without the fold of the case; -1 where none was made."""
    p, codes = cases.p.copy(), np.empty(cases.y.size, dtype=np.int64)
    for part in stepped(np.unique(fold)):
        out = fold == part
        p[out], codes[out] = decided(recipe.fitted(cases.only(~out)), cases.p[out])
    return p, codes


class Crossed:
    """Corrections on the same cases, with the same folds, against the decisions given or those of the highest probability."""

    def __init__(self, cases: Known, measure: str, prices: Prices | None, fold: IntArray) -> None:
        self.cases, self.measure, self.prices, self.fold = cases, measure, prices, fold
        self.stratum = cases.y if measure == "balanced_accuracy" else np.zeros_like(cases.y)
        sizes = np.bincount(self.stratum, cases.weight)
        one = 1.0 if cases.weight is None else cases.weight
        self.share: FloatArray = one / (sizes[self.stratum] * np.count_nonzero(sizes))
        """How much of the measure is one case: classes count alike in balanced accuracy, else all cases do."""

    def before(self, correction: Correction) -> float:
        """Return the value without a correction, ties going where this one lets them go."""
        return float(self.share @ self._without(correction))

    def of(self, recipe: Recipe) -> Judged:
        """Fit with each fold left out, and once on all cases."""
        p, codes = cross_fitted(self.cases, recipe, self.fold)
        whole = recipe.fitted(self.cases)
        without, (fitted, decisions) = self._without(whole), decided(whole, self.cases.p)
        after, seen = self._values(p, codes), self._values(fitted, decisions)
        each, flattering = self._gains(without, after, codes < 0), self._gains(without, seen, decisions < 0)
        gain = (self.share * each, *self._distribution(each, after, without), float(self.share @ flattering))
        rejected = float(self.share @ (codes < 0)) if isinstance(whole, Rejection) else None
        always = int(decisions[0]) if decisions[0] >= 0 and (decisions == decisions[0]).all() else None
        return Judged(*gain, rejected, whole, p, codes, always)

    def alike(self, judged: Judged) -> bytes:
        """Return what two corrections share that come to the same for every case: decisions, or probabilities."""
        return (judged.decided if self.prices is not None or self.measure in SHARES else judged.p).tobytes()

    def of_choice(self, tried: list[Judged]) -> float:
        """Return what choosing gained: in each fold, by the correction of the largest gain in all others, or by none."""
        folds = int(self.fold.max()) + 1
        gains = np.array([np.bincount(self.fold, judged.each, folds) for judged in tried] + [np.zeros(folds)])
        chosen = np.argmax(gains.sum(axis=1, keepdims=True) - gains, axis=0)
        return float(gains[chosen, np.arange(folds)].sum())

    def _without(self, correction: Correction) -> FloatArray:
        """Return the value of each case as it was decided, or would be by the highest probability."""
        given = self.cases.decided
        return self._values(self.cases.p, uncorrected(correction, self.cases.p) if given is None else given)

    def _values(self, p: FloatArray, codes: IntArray) -> FloatArray:
        truth = self.cases.y
        if self.prices is not None:
            return np.asarray(self.prices.table[truth, codes])  # -1, the last column, where rejected
        if self.measure in SHARES:
            return np.asarray(codes == truth, dtype=np.float64)
        own = np.maximum(p[np.arange(truth.size), truth], np.finfo(np.float64).tiny)  # one impossible case decides nothing
        return case_losses(self.measure, p, own, len(self.cases.classes))

    def _gains(self, without: FloatArray, after: FloatArray, rejected: BoolArray) -> FloatArray:
        """Return how much better each case is off, more being better; where rejecting is free, than with as many at random."""
        if self.measure in SHARES:
            return after - without
        if self.prices is None or not self.prices.free:
            return without - after
        # Rejecting as many at random takes the same share off the cost of every case. How many are rejected is itself found on
        # these cases: `saved` makes the spread of the gains know that, and leaves their mean alone.
        share, left = float(self.share @ rejected), self.prices.table[self.cases.y, -1]
        saved = (rejected - share) * float(self.share @ (left - without))
        return np.asarray((1 - share) * without + share * left - after + saved)

    def _distribution(self, each: FloatArray, after: FloatArray, without: FloatArray) -> tuple[Distribution, str]:
        r"""Return the posterior of the gain, and how it was found.

        Over groups or clusters it is Student's t of what each adds: the jackknife of the gain when one of them is left out
        (Cochran 1977, Sampling Techniques, section 11.8, where all are as large; Bell and McCaffrey 2002, Surv. Methodol.
        28:169-181, where one outweighs the others). Degrees of freedom are one less than groups of equal size that weigh as much.

        Of some cases of each class, with :math:`W_c = N_c / N` of all, the gain in accuracy is :math:`\sum_c W_c d_c`. How
        frequent classes happened to be adds :math:`W_c (d_c - d)^2 / N` to the variance: cases of a class are worth less by that.
        """
        if self.cases.group is not None:
            return self._over_groups(each, self.cases.group), f"cross-fitted, t of {self.cases.kept_together}s"
        if self.measure not in SHARES:
            return mean_distribution(each, self.cases.weight), "cross-fitted, paired"
        y, totals, ones = self.cases.y, self.cases.totals, np.ones(after.size)
        if self.cases.weight is None or self.measure != "accuracy":
            outcomes = outcomes_of(after > 0, without > 0, self.stratum, ones, int(self.stratum.max()) + 1)
            return paired_distribution(outcomes[outcomes.sum(axis=1) > 0] + 1), "cross-fitted, paired"
        outcomes, known = outcomes_of(after > 0, without > 0, y, ones, totals.size), totals > 0
        outcomes, weights = outcomes[known], totals[known] / totals.sum()
        alone = [paired_distribution(row[None] + 1) for row in outcomes]
        gains, spreads = (np.array([getattr(distribution, name) for distribution in alone]) for name in ("mean", "var"))
        within = weights**2 * spreads
        between = weights * (gains - weights @ gains) ** 2 / totals.sum()
        outcomes = outcomes * (within / (within + between))[:, None] + 1
        return paired_distribution(outcomes, weights), "cross-fitted, paired by class"

    def _over_groups(self, each: FloatArray, group: IntArray) -> Distribution:
        """Return the posterior of the gain, of which each group is one observation."""
        many, strata = int(group.max()) + 1, int(self.stratum.max()) + 1
        at = group * strata + self.stratum
        own, added = (
            np.bincount(at, part, many * strata).reshape(many, strata).astype(np.float64)
            for part in (self.share, self.share * each)
        )
        sizes, total = own.sum(axis=0), added.sum(axis=0)
        mean = total / np.where(sizes > 0, sizes, 1.0)
        left = sizes - own
        others = left > _ROUNDING * sizes
        without = np.where(others, (total - added) / np.where(others, left, 1.0), mean)
        moved = (sizes * (mean - without)).sum(axis=1) * (many - 1) / many
        known = mean_distribution(np.asarray(float(self.share @ each) + many * (moved - moved.mean())), None)
        alike = own.sum(axis=1)
        degrees = max(float(alike.sum()) ** 2 / float((alike**2).sum()) - 1, 1.0)
        return replace(known, df=min(degrees, known.df)) if isinstance(known, StudentDistribution) else known


@dataclass(frozen=True, slots=True, eq=False)
class BeforeAfter(Shown):
    """Decisions without a correction and with it, the correction being fitted without the case."""

    name: str
    before: ConfusionCounts
    after: ConfusionCounts
    brier: tuple[float, float]  # the Brier score without and with it
    measures: dict[str, tuple[float, float]] = field(init=False)
    """Errors in 1,000 cases, accuracy, balanced accuracy and Brier score, each without and with the correction."""

    def __post_init__(self) -> None:
        tables = (self.before, self.after)
        both = on_counts.ACCURACY, on_counts.BALANCED_ACCURACY
        accuracies = {measure.name: tuple(value(measure, table) for table in tables) for measure in both}
        wrong = (1000 * float(table.n - table.correct.sum() - table.rejected.sum()) / table.n for table in tables)
        object.__setattr__(self, "measures", {"errors_per_1000": (next(wrong), next(wrong)), **accuracies, "brier": self.brier})

    def to_dict(self) -> dict[str, Any]:
        """Return both tables and what follows from them as plain Python."""
        return {"name": self.name, "before": self.before.to_dict(), "after": self.after.to_dict(), **plain(self.measures)}


def before_after(cases: Known, name: str, judged: Judged) -> BeforeAfter:
    """Return what one correction did, as it was fitted with the fold of each case left out."""
    given = uncorrected(judged.correction, cases.p) if cases.decided is None else cases.decided
    k, classes, tables = len(cases.classes), tuple(cases.classes), []
    width = k + bool((given < 0).any() or (judged.decided < 0).any())
    for codes in (given, judged.decided):
        at = cases.y * width + np.where(codes < 0, k, codes)
        if cases.weight is None:
            tables.append(ConfusionCounts(np.bincount(at, minlength=k * width).reshape(k, width), classes))
            continue
        sums = (np.bincount(at, weight, k * width).reshape(k, width) for weight in (cases.weight, cases.weight**2))
        cells, squares = (np.round(each, _DIGITS) for each in sums)
        tables.append(WeightedCounts(cells, classes, squares=squares))
    each = (case_losses("brier", p, p[np.arange(cases.y.size), cases.y], k) for p in (cases.p, judged.p))
    before, after = (float(np.average(losses, weights=cases.weight)) for losses in each)
    return BeforeAfter(name, tables[0], tables[1], (before, after))


def with_left_out(fit: Fitted, cases: Known) -> Fitted:
    """Return the same fit with the rates of cases left out in turn; where these cannot be had, without the flattering ones."""
    if not fit.in_sample:  # what was fitted to no case flatters nobody
        return fit
    recipe, fitted = fit.recipe, fit.correction
    if isinstance(fitted, Multipliers):
        recipe = replace(recipe, majority=fitted.majority)
    try:
        p, codes = cross_fitted(cases, recipe, deal(cases, FOLDS, 0))
    except InputError as error:
        why = wording("Its gain is unknown, since it cannot be tested on held-out cases: ", error.wording)
        return replace(fit, before={}, after={}, findings=(*fit.findings, Finding("A844", why, "Fit it to more cases.")))
    costs = fitted.costs if isinstance(fitted, Rejection) else None
    return replace(fit, left_out=rates(cases, p, codes, costs, balanced=recipe.weights == BALANCED))
