"""What fitted models predict for cases whose class is known, and what scikit-learn's cross_validate fitted and left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from adjudge._base import InputError, argument, counted, listed, parameter, safe
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.predictions.arrays import SIDES, Typed, from_arrays
from adjudge.predictions.labels import ordered
from adjudge.predictions.model import Predictions
from adjudge.predictions.native import one_column

_ASKED = ("predict", "predict_proba", "decision_function")
_TWO = 2


class Answers(NamedTuple):
    """What a model says of some cases."""

    y_pred: Any
    scores: FloatArray | None  # by class; of two classes alone the decision values of the second
    classes: list[Any] | None
    decision: bool = False  # whether the scores only rank


def is_model(value: Any) -> bool:
    """Return whether a value predicts: an estimator, a pipeline, a search, or anything with predict or predict_proba."""
    return not isinstance(value, Mapping) and any(callable(getattr(value, name, None)) for name in _ASKED)


def is_cross_validated(value: Any) -> bool:
    """Return whether a value is what scikit-learn's cross_validate returns."""
    return isinstance(value, Mapping) and {"fit_time", "score_time"} <= {*value}


def from_model(model: Any, X: Any, y: Any, *, verb: str, roles: Mapping[str, Any], several: bool = False) -> Predictions:
    """Return what a fitted model, one of `several` or alone, predicts for `X`, beside the true classes `y`."""
    return _read(ask(model, X, verb), y, type(model).__name__, Typed(verb, "y", several), dict(roles))


def from_cross_validate(result: Mapping[str, Any], X: Any, y: Any, *, verb: str, roles: Mapping[str, Any]) -> Predictions:
    """Return what the models of ``cross_validate(return_estimator=True, return_indices=True)`` predict of held-out cases."""
    if not {"estimator", "indices"} <= {*result}:
        told = "This result of cross_validate holds scores only, and no predictions. Call cross_validate(model, X, y, "
        told += "return_estimator=True, return_indices=True) and then "
        raise InputError(told, f"{verb}(result, X, y); or estimate(model, X, y, ", argument("cv", 5), ").")
    models, tested = result["estimator"], [np.asarray(rows) for rows in result["indices"]["test"]]
    truth = one_column("y", y)
    cases = np.asarray(truth)
    if (last := max(int(rows.max(initial=-1)) for rows in tested)) >= len(cases):
        told = f" has {counted(len(cases), 'case')}, and row {last + 1:,} was tested: pass the X and y that were cross-validated."
        raise InputError(parameter("y"), told)
    answers = [ask(model, rows_of(X, rows), verb) for model, rows in zip(models, tested, strict=True)]
    rows, asked = np.concatenate(tested), dict(roles)
    for role in SIDES:
        if asked.get(role) is not None and not isinstance(asked[role], str):
            asked[role] = np.asarray(one_column(role, asked[role]))[rows]
    asked |= {"row": rows}
    if any(each.size > 1 for each in tested):  # folds of one case each are no folds
        asked |= {"fold": np.repeat(np.arange(len(tested)) + 1, [each.size for each in tested])}
    return _read(_together(answers), cases[rows], type(models[0]).__name__, Typed(verb, "y"), asked)


def ask(model: Any, X: Any, verb: str) -> Answers:
    """Return what a fitted model says of cases: decisions and, where it has them, probabilities or decision values."""
    name = type(model).__name__
    if isinstance(model, type):
        told = f"{model.__name__} is a class, no model. Fit one: model = {model.__name__}().fit(X_train, y_train), then "
        raise InputError(told, f"{verb}(model, X, y).")
    try:
        said = {each: getattr(model, each)(X) for each in _ASKED[:2] if callable(getattr(model, each, None))}
        if "predict_proba" not in said and callable(getattr(model, "decision_function", None)):
            said["decision_function"] = model.decision_function(X)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise
        told = f"This {name} is not fitted. Fit it first, then {verb}(model, X, y); learners that are not fitted are tested by "
        raise InputError(told, f"{'compare_learners(a, b, X, y)' if verb == 'compare' else 'estimate(model, X, y)'}.") from error
    if any(isinstance(each, list) and len(each) and np.ndim(each[0]) == _TWO for each in said.values()):
        msg = f"This {name} predicts several targets at once; evaluate one of them at a time, as arrays."
        raise InputError(msg)
    known = getattr(model, "classes_", None)
    classes = None if known is None or np.ndim(known) != 1 else np.asarray(known).tolist()
    decided = None if "predict" not in said else one_column("y_pred", said["predict"], several=True)
    if classes is None and "predict_proba" not in said:  # a network gives the probabilities of its classes by predict
        wide = len(getattr(decided, "shape", ())) == _TWO
        return Answers(None, np.asarray(decided, np.float64), None) if wide else Answers(decided, None, None)
    scores = next((said[each] for each in ("predict_proba", "decision_function") if each in said), None)
    values = None if scores is None else np.asarray(one_column("y_score", scores, several=True), dtype=np.float64)
    width = None if values is None else values.shape[1] if values.ndim == _TWO else 1
    fits = classes is None or width == len(classes) or (width == 1 and len(classes) == _TWO)
    return Answers(decided, values if fits else None, classes, "decision_function" in said)


def rows_of(X: Any, rows: AnyArray) -> Any:
    """Return some rows of a table of any kind."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and hasattr(X, "column_names"):  # a table of Arrow
        return X.take(rows)
    return [X[at] for at in rows] if isinstance(X, (list, tuple)) else X[rows]


def _together(answers: Sequence[Answers]) -> Answers:
    """Return what the models of all folds say, one below the other; a class that one of them never saw has probability 0."""
    y_pred = None if any(each.y_pred is None for each in answers) else np.concatenate([np.asarray(e.y_pred) for e in answers])
    known = [each.classes for each in answers]
    classes = ordered(dict.fromkeys(label for labels in known for label in labels or ())) or None
    same = all(each == classes for each in known)
    scores = [each.scores for each in answers if each.scores is not None]
    if len(scores) < len(answers) or (any(each.decision for each in answers) and not same):
        return Answers(y_pred, None, classes)
    if same:
        return answers[0]._replace(y_pred=y_pred, scores=np.concatenate(scores))
    at, parts = {label: i for i, label in enumerate(classes or ())}, []
    for own, labels in zip(scores, known, strict=True):
        part = np.zeros((len(own), len(at)))
        part[:, [at[label] for label in labels or ()]] = own
        parts.append(part)
    return Answers(y_pred, np.concatenate(parts), classes)


def _read(answers: Answers, y: Any, name: str, typed: Typed, asked: dict[str, Any]) -> Predictions:
    """Return the answers of a model as predictions, its columns under the names of its classes."""
    known, scores = answers.classes, answers.scores
    wanted = None if asked.get("classes") is None else list(asked["classes"])
    by_class: Any = scores
    if scores is not None and known is not None:
        if wanted is None:
            wanted = known
        elif known == list(range(len(wanted))) and not {*known} <= {*wanted}:
            known = wanted  # a model of places in the list of classes
        elif {*wanted} != {*known}:
            told = f" lists {listed(wanted, 8)}, and the classes of {safe(name)} are {listed(known, 8)}. List these."
            raise InputError(parameter("classes"), told)
        by_class = scores[:, [known.index(label) for label in wanted]] if scores.ndim == _TWO else {known[1]: scores}
        asked["classes"] = wanted
    if answers.decision and scores is not None and asked.get("scores_are") is None:
        asked["scores_are"] = "scores"
    return from_arrays(y, answers.y_pred, by_class, name=name, typed=typed, roles=asked)
