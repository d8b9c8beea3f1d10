"""Truth, decisions and scores as arrays, in the words of scikit-learn: brought into columns of one form and read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from adjudge._base import Finding, InputError, argument, either, listed, parameter, quoted, replace, safe, switch, wording
from adjudge.predictions.labels import ordered, parse
from adjudge.predictions.model import Predictions
from adjudge.predictions.native import arrow_of, check_aligned, held, is_frame, named_columns, one_column
from adjudge.predictions.read import read
from adjudge.predictions.roles import AN_ARRAY, BESIDE_MODEL
from adjudge.predictions.sources import ColumnsSource

SIDES = ("row", "fold", "group", "weight", "count", "cluster", "run")
"""Roles that arrays can have beside truth, decisions and scores."""
_OF_COLUMNS = ("truth", "predicted", "scores", "split", "engine", "n_jobs")
_SCORES_FIRST = ("thresholds", "recommend")
"""Verbs that take scores before decisions."""
_TWO = 2
_MANY = 20  # more different whole numbers than these are measured rather than named


class Typed(NamedTuple):
    """What the caller wrote: how a sentence names the true classes, and the call it shows."""

    verb: str
    truth: str = "y_true"  # or y, beside a model and X
    several: bool = False  # whether it is one of several sets, in all of which row i is the same case

    @property
    def origin(self) -> str:
        """How the evidence says where the truth comes from."""
        return AN_ARRAY if self.truth == "y_true" else BESIDE_MODEL

    @property
    def ways(self) -> str:
        """The calls that take arrays."""
        if self.verb in _SCORES_FIRST:
            return self.call("y_score")
        return f"{self.call('y_pred')} or {self.call('y_score=...')}"

    def call(self, *arguments: str) -> str:
        """Return the call with these arguments after the truth."""
        return f"{self.verb}({', '.join([self.truth, *arguments])})"


def is_column(value: Any) -> bool:
    """Return whether a value holds one label or number per case: an array, a list, a series, or a frame of one column."""
    if isinstance(value, (list, tuple, range)):
        first = value[0] if len(value) else None
        return not is_frame(first) and not isinstance(first, (Mapping, Predictions)) and not hasattr(first, "predict")
    if isinstance(value, (str, bytes, os.PathLike, Mapping, Predictions)) or value is None:
        return False
    frame = named_columns(value)
    if frame is not None:
        return len(frame) == 1
    return isinstance(value, pa.ChunkedArray) or (hasattr(value, "__array__") and not hasattr(value, "columns"))  # of engines


def from_arrays(
    y_true: Any, y_pred: Any = None, y_score: Any = None, *, name: str = "arrays", typed: Typed, roles: Mapping[str, Any]
) -> Predictions:
    """Return the predictions that arrays hold; `roles` are the other arguments of :func:`adjudge.read`, their sides arrays."""
    asked = {role: value for role, value in roles.items() if value is not None}
    _refuse_names(asked)
    if y_pred is None and y_score is None:
        raise InputError(parameter(typed.truth), f" alone says nothing of predictions. Call {typed.ways}.")
    sides = {role: asked.pop(role) for role in SIDES if role in asked and not isinstance(asked[role], str)}
    check_aligned({typed.truth: y_true, "y_pred": y_pred, "y_score": y_score, **sides})
    classes = None if asked.get("classes") is None else list(asked["classes"])
    columns: dict[str, Any] = {typed.truth: _labels(typed.truth, y_true, classes, typed)}
    truth = arrow_of(typed.truth, columns[typed.truth])
    if y_score is not None and "labels_as" not in asked and (measured := _fraction(truth)) is not None:
        told = f" holds {measured:.6g}, which is no label. The true classes come first: {typed.call('y_score=...')}."
        raise InputError(parameter(typed.truth), told, parameter=typed.truth)
    if y_pred is not None:
        columns["y_pred"] = _labels("y_pred", y_pred, classes, typed)
        _check_decisions(truth, arrow_of("y_pred", columns["y_pred"]), typed, relabelled="relabel" in asked)
    if typed.several and "row" not in asked | sides:
        sides["row"] = np.arange(len(columns[typed.truth]))
    columns |= {role: held(one_column(role, values)) for role, values in sides.items()}
    asked |= {role: role for role in sides} | {"truth": typed.truth} | ({} if y_pred is None else {"predicted": "y_pred"})
    in_order = ""
    if y_score is not None:
        scored, asked["scores"] = _score_columns(y_score, columns, typed)
        if isinstance(asked["scores"], str) and (width := _width(scored["y_score"])) is not None:
            if classes is None:
                asked["classes"] = _sorted_labels(columns, width, typed)
                in_order = f"'y_score' (its {width} columns in the sorted order of the labels: {listed(asked['classes'], 8)})"
            elif len(classes) != width:
                told = f" has {width} columns, and {len(classes)} classes are listed; list one for each column, in their order."
                raise InputError(parameter("y_score"), told, parameter="classes")
        columns |= scored
        if y_pred is not None and asked["scores"] == "y_score":
            _check_scores(truth, arrow_of("y_score", scored["y_score"]), typed)
    _check_lengths(columns, typed)
    predictions = read(ColumnsSource(name, columns), **asked)
    evidence = predictions.roles.evidence | {"truth": f"{quoted(typed.truth)} {typed.origin}"}
    known = replace(predictions.roles, evidence=evidence | ({"scores": in_order} if in_order else {}))
    return Predictions.of(predictions.source, known, predictions.reading, predictions.found, predictions.training)


def taken_as(y_true: Any, values: Any, typed: Typed, name: str) -> tuple[str, Finding | None]:
    """Return whether an array holds decisions ("y_pred") or scores ("y_score"), by its values, and a finding that says so."""
    if isinstance(values, Mapping) or (is_frame(values) and not is_column(values)):
        return "y_score", _taken("scores", "the columns are classes")
    column = held(one_column(name, values, several=True))
    if _width(column) is not None:
        return "y_score", _taken("scores", "there is a column for each class")
    truth, said = arrow_of(typed.truth, held(one_column(typed.truth, y_true))), arrow_of(name, column)
    if not _is_number(said.type) or not len(said) or _measured(truth):
        return "y_pred", None
    known = {float(label) for label in _distinct(truth) if isinstance(label, (int, float))}
    strange = [value for value in _distinct(said) if value is not None and float(value) not in known]
    if not strange:
        return "y_pred", _taken("decisions", f"all values are labels of {typed.truth}")
    if any(float(value) != np.floor(value) for value in strange):
        return "y_score", _taken("scores", f"the numbers are no labels of {typed.truth}")
    if len(known) != _TWO:  # places beside text, or classes that are never true
        return "y_pred", None
    told = f" holds whole numbers such as {strange[0]:g} that are no labels of {typed.truth}: decisions or scores? Pass each as "
    ways = f"Predictions({typed.truth}, ...) or Predictions({typed.truth}, ", argument("scores", python="scores=..."), "), with "
    raise InputError(parameter(name), told, *ways, switch("by_position"), ".")


def _taken(what: str, why: str) -> Finding:
    scored = "Predictions(y_true, ", argument("scores", python="scores=..."), ") for each and ", switch("by_position")
    how = "labels" if what == "scores" else wording(*scored)
    advice = wording(f"If they are {'decisions' if what == 'scores' else 'scores'}, pass ", how, ".")
    return Finding("A117", f"Taken as {what}: {why}.", advice, what)


def _refuse_names(asked: Mapping[str, Any]) -> None:
    """Refuse what names columns, or says how files are read."""
    named = [argument(name) for name in _OF_COLUMNS if name in asked]
    if named:
        raise InputError(either(named, ", "), " says how files and frames are read, and these are arrays. Leave it out.")
    texts = [role for role in SIDES if isinstance(asked.get(role), str) and asked[role]]
    if texts:
        told = " names a column, and arrays have no names. Pass its values, one per case."
        raise InputError(argument(texts[0], asked[texts[0]]), told)


def _labels(name: str, values: Any, classes: list[Any] | None, typed: Typed) -> Any:
    """Return labels, one per case; numbers of classes get their names where `classes` are texts."""
    column = held(one_column(name, values, several=True))
    width = _width(column)
    if width is not None:
        rows = np.asarray(column)
        ones = rows.dtype.kind in "iub" or (rows.dtype.kind == "f" and bool(np.isin(rows, (0, 1)).all()))
        told = f" has {width} columns; give one label per case."
        if name == "y_pred" and not ones:
            told = f" has {width} columns of numbers, which are scores: pass them as "
            raise InputError(parameter(name), told, argument("y_score", python="y_score=..."), ".", parameter="y_pred")
        how = f" Of one-hot rows that is {name}.argmax(axis=1)." if ones else f" Call {typed.ways}."
        raise InputError(parameter(name), told, how)
    array = arrow_of(name, column)
    if classes is None or not kinds.is_integer(array.type) or not all(isinstance(each, str) for each in classes):
        return column
    low, high = pc.min_max(array).as_py().values()
    if low is None or low < 0 or high >= len(classes) or any(isinstance(parse(each), int) for each in classes):
        return column
    return pa.DictionaryArray.from_arrays(array.cast(pa.int32()), pa.array(classes))


def _check_decisions(truth: pa.Array, said: pa.Array, typed: Typed, *, relabelled: bool) -> None:
    """Refuse scores where labels belong, and numbers of classes beside their names."""
    texts = [_is_text(each.type) for each in (truth, said)]
    score = _fraction(said)
    if score is not None and not _measured(truth):
        told = f" holds {score:.6g}, which is no label of {typed.truth}. Pass scores as {typed.call('y_score=...')}."
        raise InputError(parameter("y_pred"), told, parameter="y_pred")
    if texts[0] == texts[1] or relabelled or not all(map(len, (truth, said))):
        return
    numbers, names = (said, truth) if texts[0] else (truth, said)
    text = next((each for each in _distinct(names) if each is not None), "")
    if not kinds.is_integer(numbers.type) or isinstance(parse(str(text)), int):
        return
    one, other = ("y_pred", typed.truth) if texts[0] else (typed.truth, "y_pred")
    told = f" text such as {quoted(text)}. If they are places in a list of classes pass "
    more = argument("classes", python="classes=[...]")
    raise InputError(parameter(one), " holds whole numbers and ", parameter(other), told, more, " in that order.")


def _check_scores(truth: pa.Array, scores: pa.Array, typed: Typed) -> None:
    """Refuse other decisions where scores belong."""
    if (kinds.is_integer(scores.type) or kinds.is_boolean(scores.type)) and {*_distinct(scores)} <= {*_distinct(truth)}:
        told = f" holds labels of {typed.truth}, as y_pred does. To compare two predictions call compare({typed.truth}, a, b)."
        raise InputError(parameter("y_score"), told)


def _score_columns(y_score: Any, columns: Mapping[str, Any], typed: Typed) -> tuple[dict[str, Any], Any]:
    """Return columns of scores by name, and what says which class each speaks of: one name, several, or {class: name}."""
    frame = named_columns(y_score) if is_frame(y_score) else None
    by_class: dict[Any, Any] = dict(y_score) if isinstance(y_score, Mapping) else frame or {}
    if len(by_class) > 1:
        texts = [str(name) for name in by_class]
        labels = {str(label) for label in _distinct(arrow_of(typed.truth, columns[typed.truth]))}
        numbered = texts == [str(at) for at in range(len(texts))]  # as frames name columns that have no names
        if isinstance(y_score, Mapping) or (labels <= {*texts} if numbered else labels & {*texts}):
            names = {label: f"y_score of {label}" for label in by_class}
            return {names[label]: _numbers(names[label], by_class[label]) for label in by_class}, names
        if not numbered:
            return {str(name): _numbers(str(name), values) for name, values in by_class.items()}, texts
    if isinstance(y_score, Mapping):
        ((label, values),) = by_class.items()
        return {"y_score": _numbers("y_score", values)}, {label: "y_score"}
    return {"y_score": _numbers("y_score", y_score, several=True)}, "y_score"


def _numbers(name: str, values: Any, *, several: bool = False) -> Any:
    """Return scores, or refuse what holds labels."""
    column = held(one_column(name, values, several=several))
    if not (isinstance(column, np.ndarray) and column.dtype.kind in "iufb") and _width(column) is None:
        array = arrow_of(name, column)
        if _is_text(array.type):
            text = next((each for each in _distinct(array) if each is not None), "")
            told = f" holds text such as {quoted(text)}. Labels are decisions: pass them as "
            raise InputError(parameter("y_score"), told, argument("y_pred", python="y_pred"), ".", parameter="y_score")
    return column


def _sorted_labels(columns: Mapping[str, Any], width: int, typed: Typed) -> list[Any]:
    """Return the labels that occur, sorted, as scikit-learn sorts the columns of predict_proba; refuse another number of them."""
    found = {each for name in (typed.truth, "y_pred") if name in columns for each in _distinct(arrow_of(name, columns[name]))}
    labels = ordered(each for each in found if each is not None and each == each)  # noqa: PLR0124 - NaN
    if len(labels) != width:
        told = f" has {width} columns, and the labels are {listed(labels, 8)}. Say which class each column speaks of: "
        raise InputError(parameter("y_score"), told, argument("classes", python="classes=model.classes_"), ".")
    return labels


def _check_lengths(columns: Mapping[str, Any], typed: Typed) -> None:
    sizes = {name: len(values) for name, values in columns.items()}
    cases = sizes[typed.truth]
    if not cases:
        raise InputError(parameter(typed.truth), " is empty: there are no cases.")
    for name, size in sizes.items():
        if size != cases:
            told = f" has {cases:,} cases and {safe(name)} {size:,}; give one value per case in each."
            raise InputError(parameter(typed.truth), told, parameter=name if name in ("y_pred", "y_score", *SIDES) else None)


def _distinct(array: pa.Array) -> list[Any]:
    return list(pc.unique(array.dictionary_decode() if kinds.is_dictionary(array.type) else array).to_pylist())


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))


def _fraction(array: pa.Array) -> float | None:
    """Return the first number that is not whole; None where there is none."""
    if not kinds.is_floating(array.type):
        return None
    values = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
    at = np.flatnonzero(np.isfinite(values) & (values != np.floor(values)))
    return float(values[at[0]]) if at.size else None


def _measured(truth: pa.Array) -> bool:
    """Return whether the truth is measured rather than named: fractions, or many different numbers."""
    return _fraction(truth) is not None or (_is_number(truth.type) and len(pc.unique(truth)) > _MANY)


def _width(values: Any) -> int | None:
    shape: tuple[int, ...] = getattr(values, "shape", ())
    return int(shape[1]) if len(shape) == _TWO else None
