"""Posteriors of measures, given what was counted.

Rates have Beta posteriors; the balanced accuracy is an average of independent ones (Brodersen et al. 2010),
computed without draws. F1 is a rising map of the Jaccard index, whose posterior under a Dirichlet prior of the
cells is a Beta. Where no formula is known, seeded draws from that Dirichlet stand in, and `method` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.show import Shown, plain
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import Interval
from adjudge.metrics.averages import the_class
from adjudge.metrics.catalogue import find
from adjudge.metrics.many import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure, against_rest
from adjudge.predictions.positive import position
from adjudge.stats.beta import BetaLaw
from adjudge.stats.betasum import beta_sum
from adjudge.stats.difference import difference_law
from adjudge.stats.images import Drawn, Image
from adjudge.stats.law import Kind, Law

DRAWS = 20_000
_NAMED_PRIORS = {"flat": (1.0, 1.0), "jeffreys": (0.5, 0.5)}
_COMPLEMENTS = {"error": "accuracy", "fpr": "specificity", "fnr": "sensitivity"}


@dataclass(frozen=True, slots=True, eq=False)
class Posterior(Shown):
    """What to believe of a measure: ask it for moments, densities, tails, quantiles and intervals."""

    quantity: str
    law: Law
    method: str
    of: Any = None

    @property
    def mean(self) -> float:
        """The expected value."""
        return self.law.mean

    @property
    def var(self) -> float:
        """The variance."""
        return self.law.var

    @property
    def median(self) -> float:
        """The value as likely exceeded as not."""
        return self.law.median

    @property
    def mode(self) -> float:
        """The most probable value."""
        return self.law.mode

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return self.law.pdf(x)

    def cdf(self, x: Any) -> Any:
        """Return the probability of at most `x`."""
        return self.law.cdf(x)

    def sf(self, x: Any) -> Any:
        """Return the probability of more than `x`."""
        return self.law.sf(x)

    def logsf(self, x: Any) -> Any:
        """Return the logarithm of the probability of more than `x`, however small."""
        return self.law.logsf(x)

    def ppf(self, q: Any) -> Any:
        """Return the value that is not exceeded with probability `q`."""
        return self.law.ppf(q)

    def interval(self, level: float = 0.95, kind: Kind = "central") -> Interval:
        """Return the limits that hold the value with probability `level`."""
        low, high = self.law.interval(level, kind)
        return Interval(low, high, level, f"posterior, {kind}")

    def sample(self, n: int, rng: Any = None) -> FloatArray:
        """Return `n` draws."""
        return self.law.sample(n, np.random.default_rng(rng))

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain Python."""
        told = {"quantity": self.quantity, "method": self.method, "mean": self.mean, "median": self.median, "mode": self.mode}
        whole: dict[str, Any] = plain(told | {"sd": self.var**0.5, "interval": self.interval()})
        return whole

    def __repr__(self) -> str:
        low, high = self.law.interval()
        return f"Posterior of {self.quantity} ({self.method}): mean {self.mean:.6g}, 95% [{low:.6g}, {high:.6g}]"


def posterior(
    counts: ConfusionCounts,
    name: str = "balanced_accuracy",
    *,
    prior: Any = (1, 1),
    weights: Any = None,
    by: Mapping[Any, ConfusionCounts] | None = None,
    positive: Any = None,
    rng: Any = 0,
) -> Posterior:
    """Return the posterior of a measure.

    Parameters
    ----------
    counts : ConfusionCounts
        What was counted: one classifier's test cases, or the sum over folds of an algorithm's.
    name : str
        One of the count measures of :func:`adjudge.measures`.
    prior : (a, b), "flat", "jeffreys" or "dirichlet"
        The Beta prior of each rate; "dirichlet" puts a flat prior on each row of the table (K classes).
    weights : sequence, optional
        The weight of each class in the balanced accuracy, in the order of the classes; sum 1.
    by : mapping of level -> ConfusionCounts, optional
        The counts within each level of a further variable: the balanced accuracy is then averaged over the
        levels too, so that a variable that goes with the class cannot flatter it.
    positive : label, optional
        The class that a measure of one class speaks of.
    rng : seed
        For measures without a formula, whose posterior is drawn.
    """
    measure = find(name)
    if measure.needs != "decisions":
        msg = f"{measure.name} has no posterior from counts; its interval comes from the scores."
        raise InputError(msg)
    if measure.name == "balanced_accuracy" and by is not None:
        return _confound_balanced(list(by.values()), _pair(prior))
    cells = effective_cells(counts)
    if measure.name in ("balanced_accuracy", "informedness"):
        return _balanced(measure, cells, prior, weights)
    return _of_rate(measure, counts, cells, _pair(prior), positive) or drawn(measure, counts, _pair(prior)[0], positive, rng)


def effective_cells(counts: ConfusionCounts) -> AnyArray:
    """Return the table; weighted cases as so many as they are worth."""
    cells = counts.cells if isinstance(counts.cells, np.ndarray) else counts.cells.toarray()
    return cells * (counts.effective_n / counts.n) if isinstance(counts, WeightedCounts) else cells


def _pair(prior: Any) -> tuple[float, float]:
    if isinstance(prior, str) and prior == "dirichlet":
        return (1.0, 1.0)
    found = _NAMED_PRIORS.get(prior, prior) if isinstance(prior, str) else prior
    if isinstance(found, str) or len(found) != 2 or not all(v > 0 for v in found):  # noqa: PLR2004 - a and b
        msg = f"prior must be two numbers above 0, 'flat', 'jeffreys' or 'dirichlet'; got {prior!r}."
        raise InputError(msg)
    return (float(found[0]), float(found[1]))


def _balanced(measure: Measure, cells: AnyArray, prior: Any, weights: Any) -> Posterior:
    k = len(cells)
    a, b = _recall_parameters(cells, prior)
    share = np.full(k, 1 / k) if weights is None else _checked_weights(weights, k)
    law = beta_sum(a, b, share)
    method = "exact: flat Dirichlet rows" if prior == "dirichlet" else "exact: independent Beta recalls"
    if measure.name == "balanced_accuracy":
        return Posterior(measure.name, law, method)
    spread = k / (k - 1)
    image = Image(
        law, lambda x: spread * x - spread / k, lambda y: (y + spread / k) / spread, lambda y: np.full_like(y, 1 / spread)
    )
    return Posterior(measure.name, image, method)


def _recall_parameters(cells: AnyArray, prior: Any) -> tuple[FloatArray, FloatArray]:
    correct, support = np.diagonal(cells)[: len(cells)], cells.sum(axis=1)
    a, b = (1.0, len(cells) - 1.0) if prior == "dirichlet" else _pair(prior)
    return correct + a, support - correct + b


def _checked_weights(weights: Any, k: int) -> FloatArray:
    share = np.asarray(weights, dtype=np.float64)
    if share.shape != (k,) or np.any(share < 0) or abs(share.sum() - 1) > 1e-9:  # noqa: PLR2004 - rounding
        msg = f"weights must be {k} numbers of at least 0 that sum to 1, one per class; got {weights!r}."
        raise InputError(msg)
    return share


def _confound_balanced(tables: list[ConfusionCounts], prior: tuple[float, float]) -> Posterior:
    """Average the recalls over classes and over levels, each with its own Beta."""
    parameters = [_recall_parameters(effective_cells(table), prior) for table in tables]
    a, b = (np.concatenate(part) for part in zip(*parameters, strict=True))
    return Posterior(
        "balanced_accuracy", beta_sum(a, b, np.full(a.size, 1 / a.size)), "exact: recalls averaged over classes and levels"
    )


def _of_rate(
    measure: Measure, counts: ConfusionCounts, cells: AnyArray, prior: tuple[float, float], positive: Any
) -> Posterior | None:
    """Return the Beta posterior of a share of cases, or None where the measure is none."""
    if measure.name in _COMPLEMENTS and not counts.has_rejected:
        whole = _of_rate(find(_COMPLEMENTS[measure.name]), counts, cells, prior, positive)
        assert whole is not None
        assert isinstance(whole.law, BetaLaw)
        return Posterior(measure.name, whole.law.mirrored, whole.method, whole.of)
    if measure.name in ("accuracy", "error", "rejection_rate"):
        right, none = np.diagonal(cells).sum(), cells[:, len(cells) :].sum()
        hit = {"accuracy": right, "error": cells.sum() - right - none, "rejection_rate": none}[measure.name]
        return Posterior(measure.name, _beta(hit, cells.sum() - hit, prior), "exact: Beta")
    if isinstance(measure, ClassMeasure):
        return _of_class(measure, counts, cells, prior, positive)
    return None


def _of_class(
    measure: ClassMeasure, counts: ConfusionCounts, cells: AnyArray, prior: tuple[float, float], positive: Any
) -> Posterior | None:
    at = the_class(measure, counts, positive)
    parts = against_rest(ConfusionCounts(np.rint(cells), counts.classes) if not isinstance(counts, WeightedCounts) else counts)
    scale = counts.effective_n / counts.n if isinstance(counts, WeightedCounts) else 1.0
    label = counts.classes[at]
    if measure.name in ("f1", "jaccard"):
        hit, wrong = parts.hit[at] * scale, (parts.alarm[at] + parts.support[at] - parts.hit[at]) * scale
        jaccard = _beta(hit, wrong, (prior[0], 2 * prior[0]))
        law = jaccard if measure.name == "jaccard" else Image(jaccard, _f1, _jaccard, lambda f: 2 / (2 - f) ** 2)
        return Posterior(measure.name, law, "exact: Beta of the Jaccard index", label)
    if not measure.plain:
        return None
    top, bottom = (float(part[at]) * scale for part in measure.parts(parts))
    return Posterior(measure.name, _beta(top, bottom - top, prior), "exact: Beta", label)


def _f1(j: Any) -> Any:
    return 2 * j / (1 + j)


def _jaccard(f: Any) -> Any:
    return f / (2 - f)


def _beta(hits: float, misses: float, prior: tuple[float, float]) -> BetaLaw:
    return BetaLaw(float(hits) + prior[0], float(misses) + prior[1])


def drawn(measure: Measure, counts: ConfusionCounts, prior: float, positive: Any, rng: Any, *, macro: bool = False) -> Posterior:
    """Draw tables from the Dirichlet posterior of the cells and measure each; `macro` averages over the classes."""
    cells = effective_cells(counts)
    generator = np.random.default_rng(rng)
    shares = generator.dirichlet(cells.ravel() + prior, DRAWS).reshape(-1, *cells.shape)
    at = the_class(measure, counts, positive) if isinstance(measure, ClassMeasure) and not macro else None
    draws = of_tables(measure, shares if at is not None or positive is None else _collapsed(shares, counts, positive), at)
    return Posterior(measure.name, Drawn(draws), f"{DRAWS:,} draws from the Dirichlet posterior of the cells")


def _collapsed(tables: FloatArray, counts: ConfusionCounts, positive: Any) -> FloatArray:
    """Return the 2 x 2 tables of one class against the rest."""
    at, k = position(counts.classes, positive), counts.k
    others = [i for i in range(k) if i != at]
    rows = np.stack([tables[:, at], tables[:, others].sum(axis=1)], axis=1)
    return np.stack([rows[..., at], rows[..., others].sum(axis=-1), *np.moveaxis(rows[..., k:], -1, 0)], axis=-1)


def difference(a: Posterior, b: Posterior) -> Posterior:
    """Return the posterior of a - b for independent evidence; ``.sf(0)`` is P(a > b)."""
    if isinstance(a.law, (Image, Drawn)) or isinstance(b.law, (Image, Drawn)):
        draws = a.sample(DRAWS, 0) - b.sample(DRAWS, 1)
        return Posterior(f"{a.quantity} - {b.quantity}", Drawn(draws), f"{DRAWS:,} draws of both")
    return Posterior(f"{a.quantity} - {b.quantity}", difference_law(a.law, b.law), "exact: independent Betas")
