"""Known cases gathered from predictions, and recipes: what is fitted to them and how.

One recipe is fitted to parts of the cases to judge it and to all of them to use it, so that what was judged is what is used.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from adjudge._base import InputError, argument, dataclass, either, listed, parameter, quoted, wording
from adjudge._base.arrays import FloatArray, IntArray
from adjudge.corrections.costs import costs_of, none_zero, shares_of
from adjudge.corrections.file import Correction
from adjudge.corrections.labelled import Known, both
from adjudge.corrections.multipliers import Multipliers, fit_multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Rejection, fit_rejection
from adjudge.counts.passes import summing_to_one
from adjudge.counts.sampling import by_appearance
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.duplicates import Identities, without_duplicates
from adjudge.predictions.model import DRAW, Predictions, refuse_beyond_memory, refuse_to_hold
from adjudge.predictions.readers import MISSING_CLASS
from adjudge.stats.multiplier_rule import winners

Kind: TypeAlias = Literal["multipliers", "softmax", "errors", "priors", "reject", "costs"]
Thresholds: TypeAlias = Literal["two-sided", "max-probability", "per-class"]
COUNTED, BALANCED = "counted", "balanced"
_TWO = 2
_MULTIPLIERS: dict[str, dict[str, Any]] = {"multipliers": {}, "softmax": {"form": "softmax"}, "errors": {"goal": "errors"}}


class TooManyCasesError(InputError):
    """More cases than are to be held."""


def known(predictions: Predictions, *, most: int | None = None) -> Known:
    """Return all cases in one order, as a correction is fitted to them together. More than `most` scores are not gathered."""
    if most is None:
        refuse_to_hold(predictions)
        refuse_beyond_memory(predictions, beside=("cluster", "weight"), instead=DRAW)
    encoder = Encoder(without_duplicates(predictions))
    row = encoder.roles.row
    identities = Identities(row) if row and encoder.reading.duplicates == "error" else None
    parts, held = [], 0
    for block in encoder.blocks(singly=True):
        if identities is not None and block.row is not None:
            identities.add(block.row, block.fold, block.number, block.run)
        kept = block.group if block.cluster is None else block.cluster
        parts.append((block.truth, block.scores, block.weight, kept, block.predicted))
        held += 0 if block.scores is None else block.scores.size
        if most is not None and held > most:
            msg = f"There are more than {most:,} scores, too many to hold."
            raise TooManyCasesError(msg)
    if identities is not None:
        identities.check()
    if encoder.scores.form == "none":
        msg = "A correction needs the probabilities of the classes, and none were found. Name their columns with "
        raise InputError(msg, argument("scores"), ".")
    place = np.empty(len(encoder.labels.book), dtype=np.int64)
    place[encoder.order] = np.arange(len(encoder.order))
    whole: Any = (None if column[0] is None else np.concatenate(column) for column in zip(*parts, strict=True))
    truth, scores, weight, group, codes = whole
    if weight is not None and weight[0] > 0 and np.all(weight == weight[0]):
        weight = None  # weights that are all the same are none
    clustered = encoder.roles.cluster is not None
    if clustered:
        group = by_appearance(group)
    elif group is not None:
        check_named(encoder)
    p, at = _by_class(scores.astype(np.float64), encoder, int(place[0]))
    decided = np.where(codes < 0, -1, place[np.maximum(codes, 0)]) if encoder.decisions_given else None
    of: dict[str, Any] = {"group": group, "decided": decided, "clustered": clustered, **read_from(encoder)}
    return Known(p, place[truth], encoder.classes, weight=weight, at=at, **of).in_one_order()


def read_from(encoder: Encoder) -> dict[str, Any]:
    """Return what cases were read from: the column of the truth, those of the scores by class unless one holds all, the scale."""
    scores = encoder.scores
    columns = () if scores.form == "vector" else tuple(zip(scores.classes, scores.columns, strict=True))
    return {"truth": encoder.roles.truth, "scores": columns, "scale": scores.scale}


def check_named(encoder: Encoder) -> None:
    """Refuse cases of no group: they are neither one group nor each its own."""
    if MISSING_CLASS in encoder.groups.book.labels:
        told = f"column {quoted(encoder.roles.group)} has cases without a group. Name their groups, leave them out, or pass "
        raise InputError(wording(told, argument("group", ""), "."))


def _by_class(scores: FloatArray, encoder: Encoder, at: int) -> tuple[FloatArray, int | None]:
    """Return the scores in the order of the classes; or those that only rank, and of which class, `at`, they are."""
    classes, ranks = encoder.classes, encoder.scores.scale == "scores"
    if encoder.scores.form == "single":
        return (scores[:, 0], at) if ranks else (both(np.clip(scores[:, 0], 0, 1), at), None)
    if ranks:
        msg = "These scores only rank; a correction needs probabilities, percentages, votes or logits. See "
        raise InputError(msg, argument("scores_are"), ".")
    if scores.shape[1] != len(classes) or len(classes) < _TWO:
        told = f"there are {scores.shape[1]} score columns and {len(classes)} classes: {listed(classes)}"
        msg = f"Every class needs a score column and there must be two or more; {told}."
        raise InputError(msg)
    return summing_to_one(np.ascontiguousarray(scores[:, encoder.order])), None  # one layout, so that sums are the same digits


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
    priors: Any = None  # the new ones, or "counted": those of the cases it is fitted to
    old: Any = None  # the priors the classifier learnt under; those of the cases unless given
    majority: int | None = None  # the place of the class the others are multiplied against; the most frequent unless given

    def __post_init__(self) -> None:
        choices = {"kind": get_args(Kind), "weights": (None, BALANCED), "thresholds": (None, *get_args(Thresholds))}
        for name, allowed in choices.items():
            given = getattr(self, name)
            if not (given is None or isinstance(given, str)) or given not in allowed:
                told = listed([choice for choice in allowed if choice is not None], 6)
                raise InputError(parameter(name), f" must be one of {told}; got {quoted(given)}.")

    @property
    def counts(self) -> bool:
        """Whether the new priors are those of the cases it is fitted to."""
        return isinstance(self.priors, str) and self.priors == COUNTED

    @property
    def is_fitted(self) -> bool:
        """Whether it learns anything from the cases; costs and given priors are taken at their word."""
        return self.kind != "costs" and (self.kind != "priors" or self.counts)

    def fitted(self, cases: Known) -> Correction:
        """Return the correction of these cases."""
        if self.kind != "reject":
            check_probabilities(cases)
        given: dict[str, Any] = {"classes": cases.classes, "weight": cases.weight}
        if self.kind in _MULTIPLIERS:
            majority = self.majority
            if self.weights == BALANCED:  # all classes are equally frequent then: the most frequent one is found before
                given["weight"] = cases.balanced_weight
                majority = int(cases.totals.argmax()) if majority is None else majority
            given |= {"bounds": self.bounds, "majority": majority} | _MULTIPLIERS[self.kind]
            return fit_multipliers(cases.labels, cases.p, **given)
        if self.kind == "priors":
            if self.counts and self.old is None:
                msg = "The shares of these cases are the new priors; say which the training cases had ("
                raise InputError(msg, argument("old"), ").")
            old = cases.shares if self.old is None else shares_of(self.old, cases.classes, "old")
            new = none_zero(cases.totals) if self.counts else shares_of(self.priors, cases.classes, "priors")
            return PriorShift(old, new, cases.classes)
        prices = {name: getattr(self, name) for name in ("gamma", "alpha", "costs", "reject_cost")}
        if self.kind == "costs" and all(price is None for price in prices.values()):
            ways = either([argument(name) for name in ("gamma", "alpha", "reject_cost")], ", ")
            raise InputError(wording("A rule of least cost needs the costs (", argument("costs"), ", or ", ways, ")."))
        prices["costs"] = None if self.costs is None else costs_of(self.costs, cases.classes)
        kind = "costs" if self.kind == "costs" else self.thresholds
        positive = cases.of if self.positive is None else self.positive
        given |= prices | {"max_rejection": self.max_rejection, "kind": kind, "positive": positive}
        return fit_rejection(cases.labels, cases.p, **given)


def check_probabilities(cases: Known) -> None:
    """Refuse scores that only rank."""
    if cases.p.ndim == 1:
        msg = "These scores only rank, and this correction needs probabilities; two thresholds (kind reject) can cut scores."
        raise InputError(msg)


def uncorrected(correction: Correction, p: FloatArray) -> IntArray:
    """Return the decisions without a correction; ties go where the correction lets them go, so that they are no gain."""
    return winners(p, correction.majority if isinstance(correction, Multipliers) else 0)


def decided(correction: Correction, p: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return corrected probabilities, which a rule that rejects leaves alone, and the place of each decision, -1 for none."""
    return (p if isinstance(correction, Rejection) else correction.apply(p)), correction.codes(p)
