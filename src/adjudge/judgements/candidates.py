"""Which corrections are tried: the usual ones by themselves, others only where they were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.corrections.costs import Asked, cases_of, priced
from adjudge.corrections.labelled import Labelled
from adjudge.corrections.recipes import Known, Recipe, Thresholds

SHARES = ("accuracy", "balanced_accuracy")
"""Measures of decisions; the others are of probabilities or of costs."""
_TWO = 2
_THRESHOLDS: dict[Thresholds, str] = {
    "two-sided": "two thresholds",
    "max-probability": "one threshold",
    "per-class": "a threshold for each class",
}


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """What is tried: its name and how it is fitted."""

    name: str
    recipe: Recipe


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What decisions cost, as asked for and as a table."""

    asked: Mapping[str, Any]
    """gamma, alpha, costs, reject_cost, max_rejection: those that were given, and the positive class."""
    table: FloatArray
    """K x (K + 1), the last column for rejected cases."""
    most: float | None
    """The largest share that may be rejected; 0: nothing is."""

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
            msg = wording(
                argument("positive"),
                " is the class that costs speak of, and no costs are given. Leave it out, or say what errors cost.",
            )
            raise InputError(msg)
        return None
    known = cases_of(cases.p, cases.labels, cases.classes, positive)
    table, most = priced(known, Asked(*(asked[name] for name in ("gamma", "alpha", "costs", "reject_cost", "max_rejection"))))
    return Prices(given if positive is None else given | {"positive": positive}, table, most)


def ways(data: Labelled, measure: str, prices: Prices | None, *, softmax: bool, old: Any) -> tuple[Way, ...]:
    """Return what is tried for a measure, or refuse to try nothing."""
    found = tuple(_multipliers(data, measure, softmax=softmax, old=old) if prices is None else _rules(prices, len(data.classes)))
    if not found:
        told = " leave nothing to try. Allow some rejection, or say what errors cost."
        msg = wording("More than two classes and ", argument("max_rejection", 0), told)
        raise InputError(msg)
    return found


def _multipliers(data: Labelled, measure: str, *, softmax: bool, old: Any) -> Iterator[Way]:
    weights: Any = "balanced" if measure == "balanced_accuracy" else None
    alike = ", classes weighed alike" if weights else ""
    fixed = {"weights": weights, "majority": data.majority}
    yield Way(f"class multipliers, least squares in [0, 1]{alike}", Recipe("multipliers", **fixed))
    yield Way(f"class multipliers, least squares{alike}", Recipe("multipliers", bounds=None, **fixed))
    if softmax:
        yield Way(f"class multipliers, softmax form{alike}", Recipe("softmax", **fixed))
    if measure in SHARES:
        yield Way(f"class multipliers, fewest errors{alike}", Recipe("errors", **fixed))
    if old is not None:
        yield Way("counted priors", Recipe("priors", priors="counted", old=old))


def _rules(prices: Prices, k: int) -> Iterator[Way]:
    """Yield thresholds fitted to cases and, where no share is given, the rule that takes probabilities at their word."""
    kinds: tuple[Thresholds, ...] = ("two-sided",) if k == _TWO else () if prices.most == 0 else ("max-probability", "per-class")
    for kind in kinds:
        if not (prices.most and kind == "per-class"):
            yield Way(f"{_THRESHOLDS[kind]} ({prices.words})", Recipe("reject", thresholds=kind, **prices.asked))
    if not prices.most and set(prices.asked) & {"gamma", "alpha", "costs", "reject_cost"}:
        yield Way(f"least expected cost ({prices.words})", Recipe("costs", **prices.asked))
