"""Correct a finished classifier without retraining it: which correction is worth it, fit one, apply it to files of any size."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from adjudge._base import InputError, argument, either, listed
from adjudge._base.progress import waiting
from adjudge._base.signatures import takes_those_of
from adjudge.corrections.costs import REJECTED, costs_of, shares_of
from adjudge.corrections.file import Correction, load_correction, read_costs, save_correction
from adjudge.corrections.fitting import IN_PASSES, Fitted, fit_cases, fit_in_passes
from adjudge.corrections.labelled import Known
from adjudge.corrections.recipes import Kind, Thresholds, TooManyCasesError, check_probabilities, known
from adjudge.corrections.streaming import Corrected, apply_to_file
from adjudge.counts import scores as score_tables
from adjudge.judgements.crossfit import with_left_out
from adjudge.judgements.eligibility import FOLDS
from adjudge.judgements.recommendation import Recommendations
from adjudge.judgements.recommendation import recommend as judge_corrections
from adjudge.predictions.fitted import is_cross_validated, is_model
from adjudge.predictions.model import following
from adjudge.predictions.read import read
from adjudge.predictions.roles import Scale
from adjudge.verbs.given import one_set, with_arrays

__all__ = ["apply", "fit", "load_correction", "recommend", "save_correction"]


def __dir__() -> list[str]:
    """Return the names for users, without what the module imports."""
    return __all__


_PRICES = ("gamma", "alpha", "costs", "reject_cost", "max_rejection")
_TAKES: dict[str, tuple[str, ...]] = {
    "multipliers": ("bounds", "weights"),
    "softmax": ("bounds", "weights"),
    "errors": ("bounds", "weights"),
    "priors": ("priors", "unlabelled", "counted", "old"),
    "reject": ("thresholds", *_PRICES),
    "costs": _PRICES,
}
"""Which options go with which kind of correction."""


@takes_those_of(with_arrays)
def fit(
    source: Any = None,
    kind: Kind | None = None,
    *,
    bounds: Any = "usual",
    weights: Any = None,
    thresholds: Thresholds | None = None,
    gamma: float | None = None,
    alpha: float | None = None,
    costs: Any = None,
    reject_cost: float | None = None,
    max_rejection: float | None = None,
    priors: Any = None,
    unlabelled: str | os.PathLike[str] | None = None,
    counted: str | os.PathLike[str] | None = None,
    old: Any = None,
    positive: Any = None,
    group: Any = None,
    level: float = 0.95,
    progress: bool = True,
    **roles: Any,
) -> Fitted:
    """Fit a correction to predictions whose truth is known; ``.save("fix.json")`` keeps it.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, or Predictions
        Anything :func:`adjudge.read` takes, with the probabilities of the classes. Or the true classes beside `y_score`, or a
        fitted model beside `X` and `y`.
    kind : {"multipliers", "softmax", "errors", "priors", "reject", "costs"}
        Class multipliers by least squares, the same through exponentials, multipliers that make few errors; new class priors;
        thresholds that leave doubtful cases undecided; or the decision of least expected cost.
    bounds : (low, high) or None
        Of multipliers: within which each lies, (0, 1) if left out; None for anywhere.
    weights : "balanced", optional
        Of multipliers: all classes alike, for the balanced accuracy.
    thresholds : {"two-sided", "max-probability", "per-class"}, optional
        Of "reject": what is cut; two-sided of two classes, max-probability of more, if left out.
    gamma, alpha, costs, reject_cost, max_rejection
        Of "reject" and "costs": what decisions cost, as for :func:`adjudge.fit_rejection`. `costs` may be a table,
        {true: {decided: cost}}, or the path of a .json file of either.
    priors : mapping of class -> prior, sequence, or "counted", optional
        Of "priors": the new class priors, or those of these cases.
    unlabelled, counted : path, optional
        Of "priors": a file without truth that the new priors are estimated from, or a random sample with truth.
    old : mapping of class -> prior, or sequence, optional
        Of "priors": those of the training cases; the shares of these cases if left out.
    positive : label, optional
        The class of interest.
    group : str or array, optional
        The column of groups to keep together where parts are left out in turn, or their values beside arrays.
    level : float
        That of intervals of estimated priors.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, as for :func:`adjudge.read`.

    More cases than are held are gone through twice for "multipliers" and "priors", which follow from sums over the cases; the
    other kinds hold all cases.

    >>> p = [0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3, 0.2] * 20
    >>> truth = ["ill", "ill", "well", "well", "well", "well", "well", "well"] * 20
    >>> fitted = fit({"truth": truth, "p_ill": p, "p_well": [1 - each for each in p]}, "errors")
    >>> fitted.before["accuracy"], fitted.left_out["accuracy"]
    (0.625, 1.0)
    """
    asked = {"bounds": bounds, "weights": weights, "thresholds": thresholds, "gamma": gamma, "alpha": alpha, "costs": costs}
    asked |= {"reject_cost": reject_cost, "max_rejection": max_rejection, "priors": priors, "unlabelled": unlabelled}
    asked |= {"counted": counted, "old": old}
    asked = {name: value for name, value in asked.items() if value is not None or name == "bounds"}
    given = [name for name in asked if name != "bounds" or not (isinstance(bounds, str) and bounds == "usual")]
    if kind not in _TAKES:
        raise InputError(argument("kind", python="kind"), f" must be one of {listed(_TAKES, 6)}; got {kind!r}.")
    strange = [argument(name) for name in given if name not in _TAKES[kind]]
    if strange:
        raise InputError(either(strange, ", "), " does not go with ", argument("kind", kind), ".")
    source, roles = one_set("correct.fit", (source,), roles | {"positive": positive, "group": group})
    named_group = bool(group) if isinstance(group, str) else group is not None
    asked |= {name: _named(asked[name]) for name in ("unlabelled", "counted") if name in asked}
    if isinstance(costs, (str, os.PathLike)):
        asked["costs"] = read_costs(costs)
    with following("fitting to", progress=progress) as follow:
        asked |= {"follow": follow, "level": level}
        predictions = follow(read(_named(source), **roles))
        try:
            cases = known(predictions, most=score_tables.EXACT if kind in IN_PASSES else None)
        except TooManyCasesError:
            return fit_in_passes(predictions, kind, folds=FOLDS, named_group=named_group, **asked)
        made = fit_cases(cases, kind, positive=positive, **asked)
        with waiting("testing it on held-out cases", progress=progress):
            return with_left_out(made, _grouped(cases, group, FOLDS))


def apply(
    correction: Correction | Fitted | str | os.PathLike[str],
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    scores: Any = None,
    scores_are: Scale | None = None,
    predicted: str | None = None,
    positive: Any = None,
    progress: bool = True,
) -> Corrected:
    """Apply a correction to a file of any size, block by block; no truth is needed.

    Parameters
    ----------
    correction : Multipliers, PriorShift, Rejection, Fitted, or path
        The correction, or the .json file of one.
    source : path
        A .csv, .csv.gz, .tsv or .parquet file, a folder or a pattern of them, with a score for each class.
    output : path
        The .csv, .csv.gz or .parquet file to write: corrected probabilities p_<class>, the corrected decision, and the other
        columns as they are. It appears whole or not at all.
    scores, scores_are
        The columns of scores and what they hold; found by their names if left out.
    predicted : str, optional
        The column of old decisions, which the new ones replace; found by its name if left out.
    positive : label, optional
        The class that a single score of two classes speaks of.
    progress : bool
        Whether to show how many rows were corrected, on a terminal or in a notebook, where it takes long.

    A rejected case is written as the text REJECTED; in Parquet files whose classes are numbers or truth values it is null.
    """
    if isinstance(correction, Fitted):
        correction = correction.correction
    elif isinstance(correction, (str, os.PathLike)):
        correction = load_correction(correction)
    how: dict[str, Any] = {"scores": scores, "scores_are": scores_are, "predicted": predicted, "positive": positive}
    with following("correcting", progress=progress) as follow:
        return apply_to_file(correction, _named(source), output, follow=follow, **how)


@takes_those_of(with_arrays)
def recommend(
    source: Any = None,
    y_score: Any = None,
    y_pred: Any = None,
    *,
    measure: str | None = None,
    softmax: bool = False,
    gamma: float | None = None,
    alpha: float | None = None,
    costs: Any = None,
    reject_cost: float | None = None,
    max_rejection: float | None = None,
    old: Any = None,
    classes: Any = None,
    positive: Any = None,
    group: Any = None,
    folds: int = FOLDS,
    level: float = 0.95,
    rng: Any = 0,
    progress: bool = True,
    **roles: Any,
) -> Recommendations:
    """Say which corrections are worth it, each tested on held-out cases.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions, array, or fitted model
        Predictions that :func:`adjudge.read` takes, with the probabilities of all classes. Or the true classes, before these
        probabilities: ``recommend(y_true, p)``; or a fitted model: ``recommend(model, X, y)``. The classifier must not have been
        trained on these cases.
    measure : str, optional
        What is to gain: "accuracy", "balanced_accuracy", "brier", "log_loss" or, with what decisions cost, "cost". The cost
        where costs are given, else the accuracy, if left out.
    softmax : bool
        Whether the softmax form of the multipliers is tried as well.
    gamma, alpha, costs, reject_cost, max_rejection
        What decisions cost, as for :func:`adjudge.fit_rejection`: thresholds of least cost, and rejection, are then tried.
        `costs` may be the path of a .json file. Where rejecting costs nothing else, gains are against as many rejected at random.
    old : mapping of class -> prior, or sequence, optional
        The class priors the classifier was trained under; counted priors are then tried as well.
    classes : sequence, optional
        The classes in the order to show them, and of the columns of an array of probabilities.
    positive : label, optional
        The class that `alpha` speaks of.
    group : str or array, optional
        The column of groups, such as patients, or their values beside arrays: groups are left out whole, and count as one
        observation each. So are clusters (`cluster`), which go before groups.
    folds : int
        How many parts take turns in being left out.
    level : float
        How often the intervals shall hold the gain.
    rng : seed
        What to deal the cases into folds with.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, as for :func:`adjudge.read`.

    Gains are against the decisions given (with REJECTED among them where ``rejected=REJECTED``), else against the most probable
    class, where ties go as the correction lets them go.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(400) < 0.1).astype(int)
    >>> p = np.clip(0.5 + 0.3 * (y - 0.5) + 0.2 * rng.normal(size=400), 0.01, 0.99)
    >>> advice = recommend(y, p)
    >>> advice.best.advice, advice.tried
    ('recommended', 3)
    """
    prices = {"gamma": gamma, "alpha": alpha, "reject_cost": reject_cost, "max_rejection": max_rejection}
    priced = costs is not None or any(price is not None for price in prices.values())
    if isinstance(costs, (str, os.PathLike)):
        costs = read_costs(costs)
    asked: dict[str, Any] = {"measure": measure or ("cost" if priced else "accuracy"), "softmax": softmax, "folds": folds}
    asked |= {"level": level, "rng": rng} | prices
    how = roles | {"classes": classes, "positive": positive, "group": group}
    model = is_model(source) or is_cross_validated(source)
    source, how = one_set("recommend", (source, y_score, y_pred) if model else (source, y_pred, y_score), how)
    with following("reading", progress=progress) as follow:
        predictions = follow(read(_named(source), **how))
        cases = _grouped(known(predictions), group, folds)
    check_probabilities(cases)
    if cases.weight is not None:
        told = "Recommendations count every case alike, and these have weights. Pass "
        raise InputError(told, argument("weight", ""), " to leave them out.")
    labels = None
    if cases.decided is not None:
        labels = [REJECTED if at < 0 else cases.classes[at] for at in cases.decided.tolist()]
    asked |= {"classes": cases.classes, "positive": positive if priced else None, "decided": labels}
    asked |= {"groups": cases.group, "clustered": cases.clustered}
    asked["old"] = None if old is None else shares_of(old, cases.classes, "old")
    asked["costs"] = None if costs is None else costs_of(costs, cases.classes)
    with waiting("trying corrections", progress=progress):
        return judge_corrections(cases.p, cases.labels, **asked)


def _grouped(cases: Known, named: Any, folds: int) -> Known:
    """Return the cases without groups that nobody named and that are too few to leave out in turn: parts, not clusters."""
    few = cases.group is not None and not cases.clustered and len(set(cases.group.tolist())) < folds
    return replace(cases, group=None) if few and named is None else cases


def _named(source: Any) -> Any:
    """Return a path that has a name to be told by: "." has none."""
    return Path(source).resolve() if isinstance(source, (str, os.PathLike)) and not Path(source).name else source
