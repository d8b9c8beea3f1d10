"""How often a comparison finds a difference where there is none: measured, not promised.

Two learners that are equally good by construction (the same learner on exchangeable blocks of features) were
compared at 5% in 15 settings. An honest test rejects in 5% of them; that folds share cases makes many reject more often.

Two sets of predictions that are equally good by construction were compared at a level of 95% with a margin of 0.01 in 36
settings, many of them with few positive cases. A verdict "better or worse" may come in 10% of all pairs, 5% on either side.
"""

from __future__ import annotations

from dataclasses import dataclass

from adjudge._base.show import Shown

INTOLERABLE = 0.30
"""Mean rejection rate of a true null from which on a test says nothing."""


@dataclass(frozen=True, slots=True)
class ErrorRate(Shown):
    """How often a method found a difference where there is none."""

    mean: float
    """On average over the settings."""
    max: float
    """In the worst of them."""
    over: str
    """What the differences came from."""
    claim: str = "At 5% this method told equally good learners apart in"
    """What the shares are shares of."""

    @property
    def refused(self) -> bool:
        """Whether the test is wrong so often that its answer is worth nothing."""
        return self.mean > INTOLERABLE

    @property
    def told(self) -> str:
        """The whole in one sentence, without the full stop."""
        return f"{self.claim} {self}"

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f}% on average and up to {100 * self.max:.1f}% {self.over}"


_FOLDS, _REPEATED, _SPLITS = "over 10 folds", "over 10 x 10 folds", "over 30 random splits"
_TWICE, _HELD = "over 5 x 2 folds", "on held-out cases"

_MEASURED = {
    "paired_t": {
        "folds": ErrorRate(0.072, 0.153, _FOLDS),
        "repeated folds": ErrorRate(0.568, 0.660, _REPEATED),
        "subsampling": ErrorRate(0.341, 0.430, _SPLITS),
    },
    "nadeau_bengio": {
        "folds": ErrorRate(0.013, 0.037, _FOLDS),
        "repeated folds": ErrorRate(0.049, 0.113, _REPEATED),
        "subsampling": ErrorRate(0.054, 0.110, _SPLITS),
    },
    "correlated_t": {"repeated folds": ErrorRate(0.063, 0.147, _REPEATED)},
    "five_by_two_t": {"repeated folds": ErrorRate(0.065, 0.140, _TWICE)},
    "five_by_two_f": {"repeated folds": ErrorRate(0.068, 0.170, _TWICE)},
    "mcnemar_exact": {"holdout": ErrorRate(0.021, 0.047, _HELD)},
    "mcnemar_mid": {
        "holdout": ErrorRate(0.038, 0.063, _HELD),
        "folds": ErrorRate(0.071, 0.143, "on all cases of 10 folds together"),
    },
}


def known_error(method: str, plan_kind: str) -> ErrorRate | None:
    """Return how often a test is known to reject a true null at 5%, or None where that was not measured.

    Parameters
    ----------
    method : str
        "paired_t", "nadeau_bengio", "correlated_t" (a probability above 95% outside a margin of 0.01), "five_by_two_t",
        "five_by_two_f", "mcnemar_exact" or "mcnemar_mid".
    plan_kind : str
        Where the differences come from, as the `kind` of a plan: "holdout", "subsampling", "folds" or "repeated folds".

    >>> known_error("paired_t", "repeated folds").refused
    True
    """
    return _MEASURED.get(method, {}).get(plan_kind)


_VERDICTS = "With a level of 95% this method called one of two equally good classifiers better in"
_PAIRS = "of pairs in 36 settings, with 2 to 50 positive cases among 30 to 1,000 (10% allowed, 5% on either side)"
_OF_PAIRS = {  # tests/comparing/test_equal_pairs.py makes and checks these: seed 713, 300 pairs a setting
    "auc": (0.029, 0.083),
    "f1": (0.029, 0.087),
    "mcc": (0.035, 0.097),
    "kappa": (0.034, 0.093),
    "precision": (0.028, 0.09),
    "balanced_accuracy": (0.018, 0.073),
    "accuracy": (0.043, 0.09),
    "brier": (0.004, 0.043),
    "log_loss": (0.019, 0.067),
}


def verdict_error(measure: str) -> ErrorRate | None:
    """Return how often equally good predictions of the same cases get a verdict by a measure; None where that was not measured.

    Two classes, a level of 95%, a margin of 0.01.
    """
    known = _OF_PAIRS.get(measure)
    return None if known is None else ErrorRate(*known, _PAIRS, _VERDICTS)


def told(method: str) -> str:
    """Return all that is known of a test's errors as one sentence.

    >>> told("five_by_two_t")
    'At 5%, two equally good learners were called different in 6.5% on average and up to 14.0% over 5 x 2 folds.'
    """
    rates = "; ".join(str(rate) for rate in _MEASURED[method].values())
    return f"At 5%, two equally good learners were called different in {rates}."
