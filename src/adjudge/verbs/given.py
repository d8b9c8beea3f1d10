"""What was typed first in a call: one source, arrays of truth and predictions, or fitted models with X and y."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from adjudge._base import InputError, argument, either, parameter
from adjudge._base.signatures import takes_those_of
from adjudge.predictions.arrays import Typed, from_arrays, is_column, taken_as
from adjudge.predictions.fitted import from_cross_validate, from_model, is_cross_validated, is_model
from adjudge.predictions.model import Predictions
from adjudge.predictions.read import read

_ARRAYS, _BESIDE = ("y_true", "y_pred", "y_score"), ("X", "y")
_TWO = 2


@takes_those_of(read)
def with_arrays(
    source: Any, *, y_true: Any = None, y_pred: Any = None, y_score: Any = None, X: Any = None, y: Any = None, **roles: Any
) -> None:
    """Take one set of predictions: a source, arrays, or a model.

    Parameters
    ----------
    y_true : array-like, optional
        The true class of each case, or the true number, where arrays are judged: ``(y_true, y_pred)`` by position.
    y_pred : array-like, optional
        The predicted class of each case; without it the scores decide.
    y_score : array-like, optional
        Scores: one number per case, that of the positive class; or cases x classes, in the order of `classes` or, without them,
        of the sorted labels, as predict_proba has them; or {class: column}, or a frame whose columns are the classes.
    X, y : table and target, optional
        Cases and their true classes, beside a fitted model, or beside what scikit-learn's cross_validate returned with
        ``return_estimator=True, return_indices=True``, whose held-out cases are judged.
    **roles
        Those of :func:`adjudge.read`; beside arrays `row`, `fold`, `group`, `weight`, `count`, `cluster` and `run` are arrays,
        too.
    """


@takes_those_of(read)
def with_models(source: Any, *, y_true: Any = None, X: Any = None, y: Any = None, **roles: Any) -> None:
    """Take several sets of predictions: sources, arrays, or models.

    Parameters
    ----------
    y_true : array-like, optional
        The true class of each case, where arrays are compared: ``(y_true, a, b)`` by position. Each is taken as decisions or as
        scores by its values, and a finding says which. Row i is the same case in all of them.
    X, y : table and target, optional
        Cases and their true classes, beside fitted models; `y` alone beside a mapping {name: array}.
    **roles
        Those of :func:`adjudge.read`.
    """


def one_set(verb: str, typed: Sequence[Any], roles: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the source of one set of predictions and the roles left to read it by; arrays and models are read already."""
    left = dict(roles)
    if "sample_weight" in left:
        given, told = argument("weight", python="weight=..."), f" here; call {verb}(y_true, y_pred, "
        raise InputError(parameter("sample_weight"), " is ", argument("weight"), told, given, ").")
    y_true, y_pred, y_score, X, y = (left.pop(name, None) for name in (*_ARRAYS, *_BESIDE))
    if y_true is not None:
        typed = [y_true, *(typed if typed and typed[0] is not None else typed[1:])]
    first, *rest = _until_none(typed) or [None]
    if first is None:
        told = (
            f"{verb} needs predictions: {verb}(y_true, y_pred), {verb}(model, X, y), or {verb}(source) of a file, a frame or a "
        )
        raise InputError(told, "dict of arrays.")
    if is_cross_validated(first) or is_model(first):
        X, y = _beside(verb, first, [*rest, *(each for each in (X, y) if each is not None)])
        judged = from_cross_validate if is_cross_validated(first) else from_model
        return judged(first, X, y, verb=verb, roles=left), {}
    if X is not None or y is not None:
        told = f" go with a fitted model: {verb}(model, X, y). Beside {_kind(first)} call {verb}(y_true, y_pred)."
        raise InputError(either([parameter("X"), parameter("y")], " and "), told)
    if len(rest) > _TWO:
        told = f"{verb} takes y_true, y_pred and y_score; {len(rest) + 1} arrays came. To compare predictions call "
        raise InputError(told, "compare(y_true, a, b).")
    for name, place, called in zip(_ARRAYS[1:], [*rest, None, None][:_TWO], (y_pred, y_score), strict=True):
        if place is not None and called is not None:
            raise InputError(parameter(name), " was given twice: by its place and by its name.")
    y_pred, y_score = (
        called if place is None else place for place, called in zip([*rest, None, None], (y_pred, y_score), strict=False)
    )
    if not is_column(first):
        if y_pred is None and y_score is None:
            return first, left
        _refuse_source(verb, first, y_score if y_pred is None else y_pred)
    return from_arrays(first, y_pred, y_score, typed=Typed(verb), roles=left), {}


def before_rules(source: Any, given: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return a source with the arrays that belong to it, and the rules that were typed after them."""
    alone = not (is_column(source) or is_model(source) or is_cross_validated(source))
    first = next((i for i, each in enumerate(given) if alone or isinstance(each, (str, os.PathLike))), len(given))
    return (source, *given[:first]), given[first:]


class Several(NamedTuple):
    """Sets of predictions of the same cases, with what is left to read them by; arrays and models are read already."""

    sets: list[Any]
    roles: dict[str, Any]
    names: list[str] | None = None  # those of a mapping
    made: bool = False  # whether they were arrays or models


def several_sets(verb: str, typed: Sequence[Any], roles: Mapping[str, Any], *, arrays: bool = True) -> Several:
    """Return sets of predictions: sources as they are, `arrays` beside the truth and models beside X and y read."""
    left = dict(roles)
    y_true, X, y = (left.pop(name, None) for name in ("y_true", *_BESIDE))
    given = _until_none(typed)
    first = given[0] if given else None
    named = None
    if isinstance(first, Mapping) and first and not is_cross_validated(first):
        named = {str(name): values for name, values in first.items()}
    models = [each for each in given if is_model(each)] if named is None else list(named.values())
    beside = [*given[len(models) if named is None else 1 :], *(each for each in (X, y) if each is not None)]
    if models and all(map(is_model, models)) and beside and not any(map(_is_source, beside)):
        X, y = _beside(verb, models[0], beside, several=True)
        made = [from_model(model, X, y, verb=verb, roles=left, several=len(models) > 1) for model in models]
        return Several(made, {}, None if named is None else [*named], made=True)
    truth = y if y_true is None else y_true
    if truth is None and named is not None and len(given) == _TWO and is_column(given[1]):
        truth, given = given[1], given[:1]
    elif truth is None and arrays and len(given) > _TWO and is_column(first) and not any(map(_is_source, given[1:])):
        truth, *given = given
    if truth is None or X is not None or not (arrays or named):
        if (arrays and X is not None) or (arrays and is_column(first) and not isinstance(first, (list, tuple))):
            told = f"{verb} takes two predictions or more: {verb}(y_true, a, b), {verb}(model_a, model_b, X, y), or {verb}("
            raise InputError(told, '{"old": a, "new": b}, y_true).')
        return Several(given, left)
    by_name = dict(zip(_letters(len(given)), given, strict=True)) if named is None else named
    return Several(_of_arrays(verb, truth, by_name, left), {}, None if named is None else [*named], made=True)


def sets_in(verb: str, typed: Sequence[Any], roles: Mapping[str, Any]) -> Several:
    """Return one set of predictions or several, for a verb that takes both: arrays in a row are truth, decision and scores."""
    several = several_sets(verb, typed, roles, arrays=False)
    first, named = next(iter(typed), None), [name for name in (*_ARRAYS, *_BESIDE) if roles.get(name) is not None]
    alone = len(typed) <= 1 or is_column(first) or is_model(first) or is_cross_validated(first)
    if several.made or not (named or alone):
        return several
    source, left = one_set(verb, typed, roles)
    return Several([source], left)


def _of_arrays(verb: str, y_true: Any, arrays: Mapping[str, Any], roles: Mapping[str, Any]) -> list[Predictions]:
    """Return several arrays as sets of predictions, each taken as decisions or as scores by its values."""
    typed = Typed(verb, several=True)
    taken = {name: taken_as(y_true, values, typed, name) for name, values in arrays.items()}
    doubtful = any(kind == "y_score" for kind, _ in taken.values())  # else all are labels, which needs no remark
    sets = []
    for name, (kind, found) in taken.items():
        made = from_arrays(y_true, **{kind: arrays[name]}, name=name, typed=typed, roles=roles)
        remarks = (*made.found, found) if doubtful and found is not None else made.found
        sets.append(Predictions.of(made.source, made.roles, made.reading, remarks, made.training))
    return sets


def _beside(verb: str, model: Any, rest: list[Any], *, several: bool = False) -> tuple[Any, Any]:
    """Return the X and y typed beside a model, or refuse."""
    call = f"{verb}({'model_a, model_b' if several else 'result' if isinstance(model, Mapping) else 'model'}, X, y)"
    if len(rest) != _TWO:
        what = "The result of cross_validate" if isinstance(model, Mapping) else f"{type(model).__name__} is a model, which"
        came = {0: "neither came", 1: "only one came"}.get(len(rest), f"{len(rest)} came")
        msg = f"{what} needs cases and their true classes beside it, and {came}. Call {call}."
        raise InputError(msg)
    return rest[0], rest[1]


def _refuse_source(verb: str, first: Any, second: Any) -> None:
    """Refuse predictions beside what holds its own, or what is no column of labels."""
    if isinstance(first, Mapping):
        how = f"compare({{...}}, y_true) compares several arrays; {verb}(y_true, y_pred) takes one"
    elif isinstance(first, (str, os.PathLike)):
        how = f"name the columns of a file: {verb}(path, truth=..., predicted=...)"
    elif getattr(first, "shape", (0,))[1:] and getattr(first, "shape", None) is not None:
        how = f"the first argument has {first.shape[1]} columns; give one label per case: {verb}(y_true, y_pred)"
    else:
        how = f"give one label per case: {verb}(y_true, y_pred)"
    msg = f"{_kind(first).capitalize()} beside {_kind(second)} cannot be evaluated; {how}."
    raise InputError(msg)


def _is_source(value: Any) -> bool:
    """Return whether a value is a source of predictions by itself, and no array of them."""
    return isinstance(value, (str, os.PathLike, Predictions)) or is_model(value) or not hasattr(value, "__len__")


def _until_none(typed: Sequence[Any]) -> list[Any]:
    """Return the arguments given by place, without those left out at the end; (y_true, None, scores) keeps its gap."""
    last = max((i for i, each in enumerate(typed) if each is not None), default=-1)
    return list(typed[: last + 1])


def _letters(many: int) -> list[str]:
    return ["abcdefghijklmnopqrstuvwxyz"[i] if i < 26 else f"array {i + 1}" for i in range(many)]  # noqa: PLR2004


def _kind(value: Any) -> str:
    name = "path" if isinstance(value, (str, os.PathLike)) else type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
