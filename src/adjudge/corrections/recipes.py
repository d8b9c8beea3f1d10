"""What to fit and how, apart from the cases it is fitted to.

One recipe is fitted to parts of the cases to judge it and to all of them to use it, so that what was judged is what is used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from adjudge._base.arguments import argument, parameter, wording
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.corrections.class_numbers import costs_of, none_zero, shares_of
from adjudge.corrections.file import Correction
from adjudge.corrections.multipliers import Multipliers, fit_multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Rejection, fit_rejection
from adjudge.predictions.roles import Scale

Kind: TypeAlias = Literal["multipliers", "softmax", "errors", "priors", "reject", "costs"]
Thresholds: TypeAlias = Literal["two-sided", "max-probability", "per-class"]
COUNTED, BALANCED = "counted", "balanced"
_MULTIPLIERS: dict[str, dict[str, Any]] = {"multipliers": {}, "softmax": {"form": "softmax"}, "errors": {"goal": "errors"}}


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Cases whose class is known, gathered from predictions."""

    p: FloatArray
    """Probabilities by class; or the scores of class `of`, which only rank."""
    y: IntArray
    classes: tuple[Any, ...]
    weight: FloatArray | None = None
    of: Any = None
    truth: str = "truth"
    """The column the classes were read from."""
    scores: tuple[tuple[Any, str], ...] = ()
    """The columns the scores were read from, by class; one of two classes may be alone."""
    scale: Scale = "probabilities"
    group: IntArray | None = None
    """The number of the group of each case, where groups were named."""
    decided: IntArray | None = None
    """The place of the class each case was given, -1 for none; None where nothing but the probabilities decides."""

    def only(self, rows: BoolArray) -> Known:
        """Return some of the cases."""
        weight = None if self.weight is None else self.weight[rows]
        group, decided = (None if part is None else part[rows] for part in (self.group, self.decided))
        return replace(self, p=self.p[rows], y=self.y[rows], weight=weight, group=group, decided=decided)

    @property
    def names(self) -> AnyArray:
        """The classes as an array that leaves each label what it is."""
        names = np.empty(len(self.classes), dtype=object)
        names[:] = self.classes
        return names

    @property
    def labels(self) -> AnyArray:
        """The true class of each case, by its name."""
        return self.names[self.y]

    @property
    def totals(self) -> FloatArray:
        """How many cases each class has, weighted as they count."""
        return np.bincount(self.y, self.weight, len(self.classes)).astype(np.float64)

    @property
    def shares(self) -> FloatArray:
        """How frequent each class is."""
        return np.asarray(self.totals / self.totals.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """A kind of correction with everything that is decided before it meets a case."""

    kind: Kind
    bounds: Any = "usual"
    weights: Literal["balanced"] | None = None
    """"balanced": every class weighs the same however many cases it has, which is what balanced accuracy asks for."""
    thresholds: Thresholds | None = None
    """Of a rule that rejects; two on the score of one of two classes, one for all of more, unless named."""
    gamma: float | None = None
    alpha: float | None = None
    costs: Any = None
    reject_cost: float | None = None
    max_rejection: float | None = None
    positive: Any = None
    priors: Any = None
    """The new ones, or "counted": those of the cases it is fitted to."""
    old: Any = None
    """The priors the classifier learnt under; those of the cases unless given."""
    majority: int | None = None
    """The place of the class the others are multiplied against; the most frequent unless given."""

    def __post_init__(self) -> None:
        choices = {"kind": get_args(Kind), "weights": (None, BALANCED), "thresholds": (None, *get_args(Thresholds))}
        for name, known in choices.items():
            given = getattr(self, name)
            if not (given is None or isinstance(given, str)) or given not in known:
                told = listed([choice for choice in known if choice is not None], 6)
                msg = wording(parameter(name), f" must be one of {told}; got {quoted(given)}.")
                raise InputError(msg)

    @property
    def is_fitted(self) -> bool:
        """Whether it learns anything from the cases; costs and given priors are taken at their word."""
        return self.kind != "costs" and (self.kind != "priors" or self._counts)

    @property
    def _counts(self) -> bool:
        return isinstance(self.priors, str) and self.priors == COUNTED

    def fitted(self, cases: Known) -> Correction:
        """Return the correction of these cases."""
        if self.kind != "reject":
            check_probabilities(cases)
        if self.kind == "priors":
            return self._shift(cases)
        return self._multipliers(cases) if self.kind in _MULTIPLIERS else self._rule(cases)

    def _multipliers(self, cases: Known) -> Multipliers:
        """Balanced weights make all classes equally frequent, so that the most frequent one is found before them."""
        balanced = self.weights == BALANCED
        majority = int(cases.totals.argmax()) if balanced and self.majority is None else self.majority
        return fit_multipliers(
            cases.p,
            cases.labels,
            classes=cases.classes,
            weight=balanced_weight(cases) if balanced else cases.weight,
            bounds=self.bounds,
            majority=majority,
            **_MULTIPLIERS[self.kind],
        )

    def _shift(self, cases: Known) -> PriorShift:
        if self._counts and self.old is None:
            msg = wording(
                "The shares of these cases are the new priors; say which the training cases had (", argument("old"), ")."
            )
            raise InputError(msg)
        old = cases.shares if self.old is None else shares_of(self.old, cases.names, "old")
        new = none_zero(cases.totals) if self._counts else shares_of(self.priors, cases.names, "priors")
        return PriorShift(old, new, cases.classes)

    def _rule(self, cases: Known) -> Rejection:
        """Return the rule that may reject, or that of least expected cost."""
        if self.kind == "costs" and all(value is None for value in (self.gamma, self.alpha, self.costs, self.reject_cost)):
            msg = wording(
                "A rule of least cost needs the costs (",
                argument("costs"),
                ", or ",
                argument("gamma"),
                ", ",
                argument("alpha"),
                ", ",
                argument("reject_cost"),
                ").",
            )
            raise InputError(msg)
        return fit_rejection(
            cases.p,
            cases.labels,
            gamma=self.gamma,
            alpha=self.alpha,
            costs=None if self.costs is None else costs_of(self.costs, cases.names),
            reject_cost=self.reject_cost,
            max_rejection=self.max_rejection,
            kind="costs" if self.kind == "costs" else self.thresholds,
            positive=cases.of if self.positive is None else self.positive,
            classes=cases.classes,
            weight=cases.weight,
        )


def check_probabilities(cases: Known) -> None:
    """Refuse scores that only rank."""
    if cases.p.ndim == 1:
        msg = "These scores only rank, and this correction needs probabilities; two thresholds (kind reject) can cut scores."
        raise InputError(msg)


def uncorrected(correction: Correction, p: FloatArray) -> IntArray:
    """Return the decisions without a correction; ties go where the correction lets them go, so that they are no gain."""
    codes: IntArray = p.argmax(axis=1)
    if isinstance(correction, Multipliers):
        codes[p[:, correction.majority] == p.max(axis=1)] = correction.majority
    return codes


def balanced_weight(cases: Known) -> FloatArray:
    """Return weights that sum to one in every class."""
    totals = cases.totals
    own = np.where(totals > 0, totals, 1.0)[cases.y]
    return np.asarray((1.0 if cases.weight is None else cases.weight) / own)


def decided(correction: Correction, p: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return corrected probabilities and the place of each decision, -1 for none; `p` holds probabilities that sum to one.

    A rule that rejects leaves probabilities as they are, and may take the scores of one class where they only rank.
    """
    after = p if isinstance(correction, Rejection) else correction.apply(p)
    return after, correction.codes(p)
