"""What quantities and methods are called in a picture, and how values are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from adjudge._base.levels import share
from adjudge.estimates.posterior import Posterior
from adjudge.metrics.catalogue import ALL
from adjudge.metrics.measure import ClassMeasure
from adjudge.plots.labels import named, number

MOST_DECIMALS = 4
"""Decimals of a percentage in a picture: more have no room."""
_LONGEST = 32
_SHARES = {"accuracy", "error", "rejection_rate", "balanced_accuracy"}
METHODS = {
    "midp": "mid-P",
    "clopper-pearson": "Clopper-Pearson (exact)",
    "wilson": "Wilson score",
    "jeffreys": "Jeffreys",
    "wald": "normal approximation (Wald)",
    "tail-inversion": "exact binomial bounds",
    "mover-tail-inversion": "exact bounds of the classes, put together (MOVER)",
    "effective-tail-inversion": "exact binomial bounds, effective size",
    "mover-jeffreys": "MOVER with Jeffreys limits",
    "unbiased-centre": "Wilson around the mean recall, effective size",
    "f1-jeffreys": "Jeffreys on the Jaccard index",
    "f1-tail-inversion": "exact bounds of the Jaccard index",
    "fbeta-midp": "mid-P on the Jaccard index and the share of misses",
    "fbeta-tail-inversion": "exact bounds of the Jaccard index and the share of misses",
    "region-midp": "mid-P on recalls and prevalence, jointly",
    "region-tail-inversion": "exact bounds of recalls and prevalence, jointly",
    "effective-wilson": "Wilson, effective size",
    "mover-log": "MOVER on the logarithms",
    "mover-log-hull": "hull of MOVER on the logarithms and Wilson, effective size",
    "posterior": "posterior, Jeffreys prior",
    "bootstrap": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "hull": "hull of Newcombe and logit DeLong",
    "newcombe": "Newcombe",
    "delong": "DeLong",
    "logit-delong": "logit DeLong",
    "mover": "MOVER of the classes' limits",
    "means": "means of the classes' limits",
}
"""Methods of intervals as a reader would call them."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Values as words: shares as percentages, all else as numbers."""

    decimals: int
    """Those of a percentage; a plain number has two more."""
    percent: bool

    def __call__(self, value: float) -> str:
        """Return one value as words."""
        return share(value, self.decimals) if self.percent else number(value, self.decimals + 2)


def name_of(posterior: Posterior) -> str:
    """Return what a posterior speaks of, short enough for the head of a row."""
    first, _, second = posterior.quantity.partition(" - ")
    words = (
        f"difference in {_spoken(first)}" if first == second else " - ".join(_spoken(part) for part in (first, second) if part)
    )
    if posterior.of is not None:
        words += f" of {named([posterior.of], 16)[0]}"
    return named([words[:1].upper() + words[1:]], _LONGEST)[0]


def is_share(quantity: str) -> bool:
    """Say whether a measure, or both that a difference is taken of, are shares of cases.

    >>> is_share("accuracy - balanced_accuracy"), is_share("mcc")
    (True, False)
    """
    plain = {measure.name for measure in ALL if isinstance(measure, ClassMeasure) and measure.plain}
    return plain.union(_SHARES & {measure.name for measure in ALL}).issuperset(quantity.split(" - "))


def equally_long(values: Sequence[float], *, percent: bool) -> list[str]:
    """Return ticks with as few decimals as tell every one of them exactly.

    >>> equally_long([0.9, 0.925, 0.95], percent=True)
    ['90.0%', '92.5%', '95.0%']
    """
    scale, sign = (100, "%") if percent else (1, "")
    near = 1e-6 * min((b - a for a, b in pairwise(values)), default=1.0)
    digits = next((d for d in range(13) if all(abs(round(scale * v, d) - scale * v) <= scale * near for v in values)), 13)
    return [f"{scale * v:.{digits}f}{sign}" for v in values]


def _spoken(name: str) -> str:
    shortest = 3  # such as F1 and MCC
    return name.upper() if len(name) <= shortest else name.replace("_", " ")
