"""Fit a correction to predictions whose truth is known, and say what it does to these very cases."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown
from adjudge._base.text import listed, quoted, safe
from adjudge.corrections.file import Correction
from adjudge.corrections.kappa import Kappa, fit_kappa
from adjudge.corrections.named import costs_of, shares_of
from adjudge.corrections.priors import Priors, PriorShift, count_priors, estimate_priors
from adjudge.corrections.rejection import Rejection, fit_rejection
from adjudge.corrections.scored import both, find_scores, summing_to_one
from adjudge.corrections.streaming import decided
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.duplicates import Identities, without_duplicates
from adjudge.predictions.gaps import Gaps
from adjudge.predictions.label_columns import LabelReader
from adjudge.predictions.labels import Codebook
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Scale
from adjudge.predictions.sources import open_path

Kind: TypeAlias = Literal["kappa", "softmax", "errors", "priors", "reject", "costs"]
_TWO = 2
_KAPPA: dict[str, dict[str, Any]] = {"kappa": {}, "softmax": {"form": "softmax"}, "errors": {"goal": "errors"}}


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Cases whose class is known, gathered from predictions."""

    p: FloatArray
    """Probabilities by class; or the scores of class `of`, which only rank."""
    y: IntArray
    classes: tuple[Any, ...]
    weight: FloatArray | None
    of: Any = None
    truth: str = "truth"
    """The column the classes were read from."""
    scores: tuple[tuple[Any, str], ...] = ()
    """The columns the scores were read from, by class; one of two classes may be alone."""
    scale: Scale = "probabilities"

    @property
    def labels(self) -> AnyArray:
        """The true class of each case, by its name."""
        names = np.empty(len(self.classes), dtype=object)
        names[:] = self.classes
        return names[self.y]

    @property
    def shares(self) -> FloatArray:
        """How frequent each class is."""
        counts = np.bincount(self.y, self.weight, len(self.classes))
        return np.asarray(counts / counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Shown):
    """A correction, and what it does to the cases it was fitted to: more than it will do for others."""

    kind: Kind
    correction: Correction
    cases: int
    before: dict[str, float]
    """Accuracy, error and the like without it; empty where scores only rank."""
    after: dict[str, float]
    priors: Priors | None = None
    """Where the new priors were estimated or counted."""
    findings: tuple[Finding, ...] = ()


def known(predictions: Predictions) -> Known:
    """Return all cases at once: a correction is fitted to them together."""
    encoder = Encoder(without_duplicates(predictions))
    row = encoder.roles.row
    identities = Identities(row) if row and encoder.reading.duplicates == "error" else None
    parts = []
    for block in encoder.blocks():
        if identities is not None and block.row is not None:
            identities.add(block.row, block.fold, block.number)
        parts.append((block.truth, block.scores, block.weight))
    if identities is not None:
        identities.check()
    form, classes = encoder.scores.form, encoder.classes
    if form == "none":
        msg = "A correction needs the probabilities of the classes, and none were found. Name their columns with --scores."
        raise InputError(msg)
    place = np.empty(len(encoder.labels.book), dtype=np.int64)
    place[encoder.order] = np.arange(len(encoder.order))
    truth = place[np.concatenate([part[0] for part in parts])]
    scores = np.concatenate([np.asarray(part[1], dtype=np.float64) for part in parts])
    weight = None if parts[0][2] is None else np.concatenate([np.asarray(part[2]) for part in parts])
    p, of = _by_class(scores, encoder, place)
    named = () if form == "vector" else tuple(zip(encoder.scores.classes, encoder.scores.columns, strict=True))
    return Known(p, truth, classes, weight, of, encoder.roles.truth, named, encoder.scores.scale)


def _by_class(scores: FloatArray, encoder: Encoder, place: IntArray) -> tuple[FloatArray, Any]:
    """Return the scores in the order of the classes; or those that only rank, and of which class they are."""
    classes, ranks = encoder.classes, encoder.scores.scale == "scores"
    if encoder.scores.form == "single":
        at = int(place[0])
        return (scores[:, 0], classes[at]) if ranks else (both(np.clip(scores[:, 0], 0, 1), at), None)
    if ranks:
        msg = "These scores only rank; a correction needs probabilities, percentages, votes or logits. See --scores-are."
        raise InputError(msg)
    if scores.shape[1] != len(classes) or len(classes) < _TWO:
        told = f"there are {scores.shape[1]} score columns and {len(classes)} classes: {listed(classes)}"
        msg = f"Every class needs a score column and there must be two or more; {told}."
        raise InputError(msg)
    return summing_to_one(np.ascontiguousarray(scores[:, encoder.order])), None  # one layout, so that sums are the same digits


def fit(
    cases: Known,
    kind: Kind,
    *,
    bounds: Any = "usual",
    gamma: float | None = None,
    alpha: float | None = None,
    costs: Any = None,
    reject_cost: float | None = None,
    max_rejection: float | None = None,
    positive: Any = None,
    priors: Any = None,
    unlabelled: str | os.PathLike[str] | None = None,
    counted: str | os.PathLike[str] | None = None,
    old: Any = None,
    level: float = 0.95,
) -> Fitted:
    """Return a correction of the named kind, with what it does to the cases it was fitted to.

    "kappa", "softmax" and "errors" are forms and goals of :func:`adjudge.fit_kappa`; "reject" is :func:`adjudge.fit_rejection`,
    and "costs" its rule of least expected cost; "priors" shifts class priors to given ones, or to those estimated from an
    unlabelled or counted in a labelled file. The old priors are the shares of these cases unless given.
    """
    if kind not in get_args(Kind):
        msg = f"kind must be one of {listed(get_args(Kind), 6)}; got {quoted(kind)}."
        raise InputError(msg)
    if kind != "reject":
        _check_probabilities(cases)
    if kind == "priors":
        before = cases.shares if old is None else shares_of(old, _names(cases), "old")
        found, new = _new_priors(cases, before, priors, unlabelled, counted, level)
        return _judged(kind, PriorShift(before, new, cases.classes), cases, found)
    if kind in _KAPPA:
        made = fit_kappa(cases.p, cases.labels, classes=cases.classes, weight=cases.weight, bounds=bounds, **_KAPPA[kind])
        return _judged(kind, made, cases)
    prices = {"gamma": gamma, "alpha": alpha, "reject_cost": reject_cost, "max_rejection": max_rejection}
    return _judged(kind, _rule(cases, kind, costs, positive, prices), cases)


def _rule(cases: Known, kind: Kind, costs: Any, positive: Any, prices: dict[str, float | None]) -> Rejection:
    """Return the rule that may reject."""
    if kind == "costs" and costs is None:
        msg = "A rule of least cost needs the costs (--costs)."
        raise InputError(msg)
    return fit_rejection(
        cases.p,
        cases.labels,
        costs=None if costs is None else costs_of(costs, _names(cases)),
        kind="costs" if kind == "costs" else None,
        positive=cases.of if positive is None else positive,
        classes=cases.classes,
        weight=cases.weight,
        **prices,
    )


def _names(cases: Known) -> AnyArray:
    names = np.empty(len(cases.classes), dtype=object)
    names[:] = cases.classes
    return names


def _check_probabilities(cases: Known) -> None:
    if cases.p.ndim == 1:
        msg = "These scores only rank, and this correction needs probabilities; two thresholds (kind reject) can cut scores."
        raise InputError(msg)


def _new_priors(
    cases: Known, old: FloatArray, priors: Any, unlabelled: Any, counted: Any, level: float
) -> tuple[Priors | None, FloatArray]:
    given = [
        name for name, value in (("--priors", priors), ("--unlabelled", unlabelled), ("--counted", counted)) if value is not None
    ]
    if len(given) != 1:
        msg = f"The new priors come from one of --priors, --unlabelled and --counted; got {' and '.join(given) or 'none'}."
        raise InputError(msg)
    if priors is not None:
        return None, shares_of(priors, _names(cases), "priors")
    if unlabelled is not None:
        found = estimate_priors(_posteriors(unlabelled, cases), old=old, level=level)
    else:
        found = count_priors(labels_in(counted, cases.truth, cases.classes), classes=cases.classes, old=old, level=level)
    return found, found.priors


def _posteriors(path: str | os.PathLike[str], cases: Known) -> FloatArray:
    """Return the probabilities in another file, from columns of the same names where it has them."""
    source, own = open_path(Path(path)), dict(cases.scores)
    if not own or not set(own.values()) <= set(source.names):
        scored = find_scores(source, cases.classes, scores_are=cases.scale)
    elif len(own) == 1:
        scored = find_scores(source, cases.classes, scores=cases.scores[0][1], scores_are=cases.scale, of=cases.scores[0][0])
    else:
        scored = find_scores(source, cases.classes, scores=own, scores_are=cases.scale)
    return np.concatenate(list(scored.blocks()))


def labels_in(path: str | os.PathLike[str], column: str, classes: tuple[Any, ...]) -> AnyArray:
    """Return the labels in one column of a file; one that is not among `classes` is refused."""
    source, gaps = open_path(Path(path)), Gaps()
    if column not in source.names:
        msg = f"{safe(source.name)}: there is no column {quoted(column)} of labels; the columns are {listed(source.names, 12)}."
        raise InputError(msg)
    reader = LabelReader(Codebook.of(classes, closed=True), source.cells, gaps=gaps)
    parts, before = [], 0
    for batch in source.batches([column], []):
        parts.append(reader.read(batch[column], column, before))
        before += len(parts[-1])
    for name, gap in gaps.columns.items():
        msg = f"{safe(source.name)}: column {quoted(name)} has {gap}; leave such cases out."
        raise InputError(msg)
    names = np.empty(len(classes), dtype=object)
    names[:] = classes
    return names[np.concatenate(parts)] if parts else names[:0]


def _judged(kind: Kind, correction: Correction, cases: Known, priors: Priors | None = None) -> Fitted:
    after, codes = decided(correction, cases.p)
    costs = correction.costs if isinstance(correction, Rejection) else None
    told = () if priors is None else priors.findings
    before = {} if cases.p.ndim == 1 else _rates(cases, cases.p, _uncorrected(correction, cases.p), costs)
    rates = _rates(cases, after, codes, costs)
    return Fitted(kind, correction, cases.y.size, before, rates, priors, (*getattr(correction, "findings", ()), *told))


def _uncorrected(correction: Correction, p: FloatArray) -> IntArray:
    """Return the decisions without a correction; ties go where the correction lets them go, so that they are no gain."""
    codes: IntArray = p.argmax(axis=1)
    if isinstance(correction, Kappa):
        codes[p[:, correction.majority] == p.max(axis=1)] = correction.majority
    return codes


def _rates(cases: Known, p: FloatArray, codes: IntArray, costs: FloatArray | None) -> dict[str, float]:
    """Return what decisions and probabilities are worth on these cases, each weighted as it counts."""
    truth, values = cases.y, {"accuracy": codes == cases.y, "error": (codes != cases.y) & (codes >= 0), "rejected": codes < 0}
    told: dict[str, Any] = dict(values)
    if costs is None:
        off = p.copy()
        off[np.arange(truth.size), truth] -= 1
        told["squared loss"] = np.einsum("ij,ij->i", off, off)
        told.pop("rejected")
    else:
        told["cost"] = costs[truth, codes]  # -1, the last column, where rejected
    return {name: float(np.average(each, weights=cases.weight)) for name, each in told.items()}
