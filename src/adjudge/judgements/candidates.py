"""What corrections are tried: the recipes, the measures they are judged by, and the folds that cases are assigned to."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, parameter, wording
from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, safe
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


def dealt(truth: IntArray, folds: Any, rng: Any, groups: IntArray | None = None) -> IntArray:
    """Return the fold of each case, every class dealt out alike; cases of a group are all in the same fold."""
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or not _TWO <= folds <= truth.size:
        msg = wording(
            parameter("folds"), f" must be a whole number from 2 to the number of cases, {truth.size:,}; got {folds!r}."
        )
        raise InputError(msg)
    source = np.random.default_rng(rng)
    if groups is not None:
        return _together(truth, int(folds), source, groups)
    fold = np.empty(truth.size, dtype=np.int64)
    order = source.permutation(truth.size)
    order = order[np.argsort(truth[order], kind="stable")]
    fold[order] = np.arange(truth.size) % folds
    return fold


def _together(truth: IntArray, folds: int, source: np.random.Generator, groups: IntArray) -> IntArray:
    """Deal whole groups, the largest first, each to the fold that holds least of its classes.

    With h the shares of the classes a fold holds and s those of the group, the sum of squares of all h grows by
    2 h s + s s, which is least where h s is.
    """
    many = int(groups.max()) + 1
    if many < folds:
        msg = f"{folds} folds need as many groups, and there are {counted(many, 'group')}. Use fewer folds, or leave groups out."
        raise InputError(msg)
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


def numbered(groups: Any, cases: int) -> IntArray:
    """Return the number of the group of each case, or refuse what names none."""
    try:  # as objects, since NaN among text would turn into a name
        labels = (groups if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)).tolist()
    except ValueError:
        labels = None
    if not isinstance(labels, list) or len(labels) != cases or not all(isinstance(label, Hashable) for label in labels):
        came = f"{len(labels):,} of them" if isinstance(labels, list) else safe(type(groups).__name__)
        msg = f"groups must name the group of each of {counted(cases, 'case')}; got {came}."
        raise InputError(msg)
    nameless = sum(map(_is_missing, labels))
    if nameless:
        msg = f"{counted(nameless, 'case')} have no group (None or NaN). Name their groups, or leave these cases out."
        raise InputError(msg)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _is_missing(label: Any) -> bool:
    """Return whether a label is None, NaN or what frames have in their place; all but None are unlike themselves."""
    return label is None or str(label) in ("<NA>", "NaT") or label != label  # noqa: PLR0124
