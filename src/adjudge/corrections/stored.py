"""The parts of a correction as plain data, and back: every field checked for its type, its size and what it may be.

Fields are checked against each other as well: a file that contradicts itself was not written by a fit.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.class_numbers import check_dearest
from adjudge.corrections.multipliers import Form, Goal, Multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Kind, Rejection
from adjudge.predictions.labels import parse, text_of

MOST_CLASSES = 100_000
_MOST_FINDINGS, _LONGEST_TEXT = 100, 4000
_TYPES: dict[str, type] = {"text": str, "bool": bool, "int": int, "float": float}
_LARGEST = sys.float_info.max
_LONGEST = 2**63 - 1
_ROUNDING = 1e-6  # of shares that sum to one, and of what lies within limits
_TWO = 2
_RATES = ("accuracy", "error", "rejection")


def exactly(told: Any, keys: Sequence[str], where: str) -> dict[str, Any]:
    """Return a mapping that has these keys and no other, or refuse it."""
    if not isinstance(told, Mapping):
        came = "nothing" if told is None else type(told).__name__
        msg = f"{where} holds {came} where keys and values are needed."
        raise InputError(msg)
    strange, absent = [key for key in told if key not in keys], [key for key in keys if key not in told]
    if strange or absent:
        said = f"holds the unknown {listed(strange)}" if strange else f"lacks {listed(absent)}"
        msg = f"{where} {said}."
        raise InputError(msg)
    return dict(told)


# -- labels ------------------------------------------------------------------------------------------------


def typed(label: Any) -> dict[str, Any]:
    """Return a label beside its type, so that 1, 1.0, true and "1" come back as what they were."""
    value = label.item() if isinstance(label, np.generic) else label
    kind = next((name for name, made in _TYPES.items() if type(value) is made), None)
    if kind is None or value != value:  # noqa: PLR0124 - NaN is no label
        came = f"{quoted(label)} ({type(label).__name__})"
        msg = f"A file can name classes by text, whole numbers, numbers and truth values; got {came}."
        raise InputError(msg)
    _check_length(value)
    return {kind: _sound_text(value) if kind == "text" else _number(value, "a class") if kind == "float" else value}


def _check_length(value: Any) -> None:
    if isinstance(value, int) and abs(value) > _LONGEST:
        msg = f"the class {safe(value)} is longer than the whole numbers files of predictions can hold."
        raise InputError(msg)


def _sound_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        msg = f"the class {quoted(text)} is no text that files can hold."
        raise InputError(msg) from error
    return text


def labels(told: Any) -> tuple[Any, ...]:
    """Return the classes: two or more, all different, each of the type it says."""
    if not isinstance(told, list) or not _TWO <= len(told) <= MOST_CLASSES:
        msg = f'"classes" must list from two to {MOST_CLASSES:,} classes.'
        raise InputError(msg)
    found = tuple(_label(each) for each in told)
    check_apart(found)
    return found


def check_apart(classes: Sequence[Any]) -> None:
    """Refuse classes that are one where they are read from a file of predictions, such as 1 and "1"."""
    numbers = {label for label in classes if not isinstance(label, str)}
    texts = {label for label in classes if isinstance(label, str)}
    alike = [label for label in texts if parse(label) in numbers] + [label for label in numbers if text_of(label) in texts]
    if len(numbers) + len(texts) < len(classes) or alike:
        told = f" ({quoted(alike[0])} is also written as another)" if alike else ""
        msg = f'"classes" names a class twice{told}.'
        raise InputError(msg)


def _label(told: Any) -> Any:
    if not isinstance(told, Mapping) or len(told) != 1 or next(iter(told)) not in _TYPES:
        msg = f'a class is written as {{"text": "a"}}, with one of {", ".join(_TYPES)}; got {safe(told)}.'
        raise InputError(msg)
    kind, value = next(iter(told.items()))
    if type(value) is not _TYPES[kind]:  # True would pass for an int
        msg = f"the class {safe(value)} is not the {kind} it is said to be."
        raise InputError(msg)
    if isinstance(value, str):
        return _sound_text(value)
    _check_length(value)
    return _number(value, "a class") if kind == "float" else value


# -- numbers -----------------------------------------------------------------------------------------------


def _number(value: Any, name: str) -> Any:
    """Return a finite number as it is: whole ones stay whole."""
    if type(value) not in (int, float) or not abs(value) <= _LARGEST:  # whole numbers may be longer than any float
        msg = f"{name} must be a finite number; got {safe(value)}."
        raise InputError(msg)
    return value


def _array(told: Any, name: str, *, endless: bool = False) -> FloatArray:
    """Return a list of numbers, or a list of such lists, as an array; "inf" and "-inf" where thresholds may be `endless`."""
    rows = told if isinstance(told, list) and told and isinstance(told[0], list) else [told]
    if not all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows):
        msg = f'"{name}" must be a table of numbers.'
        raise InputError(msg)
    words = {"inf": math.inf, "-inf": -math.inf} if endless else {}
    values = [[words[v] if isinstance(v, str) and v in words else float(_number(v, f'"{name}"')) for v in row] for row in rows]
    return np.array(values if rows is told else values[0], dtype=np.float64)


def _plain(values: FloatArray) -> Any:
    """Return an array as lists, infinity by its name."""
    if values.ndim > 1:
        return [_plain(row) for row in values]
    return [float(v) if math.isfinite(v) else ("inf" if v > 0 else "-inf") for v in values]


def _place(value: Any, k: int, name: str) -> int:
    if type(value) is not int or not 0 <= value < k:
        msg = f'"{name}" must be the place of one of {counted(k, "class", "classes")}; got {safe(value)}.'
        raise InputError(msg)
    return value


def _one_of(value: Any, allowed: Sequence[Any], name: str) -> Any:
    if value not in allowed or type(value) not in {type(each) for each in allowed}:
        msg = f'"{name}" must be one of {listed(allowed)}; got {safe(value)}.'
        raise InputError(msg)
    return value


def findings(told: Any) -> tuple[Finding, ...]:
    """Return the findings that were kept."""
    if not isinstance(told, list) or len(told) > _MOST_FINDINGS:
        msg = f'"findings" must be a list of at most {_MOST_FINDINGS}.'
        raise InputError(msg)
    kept = []
    for each in told:
        parts = exactly(each, ("code", "message", "advice", "value"), "a finding")
        texts = [parts[name] for name in ("code", "message", "advice")]
        short = all(isinstance(text, str) and len(text) <= _LONGEST_TEXT for text in texts)
        if not short or not re.fullmatch(r"A\d{3}", texts[0]):
            msg = "a finding is a code such as A801 with short texts."
            raise InputError(msg)
        kept.append(Finding(**parts))
    return tuple(kept)


# -- multipliers -------------------------------------------------------------------------------------------

_MULTIPLIERS = ("multipliers", "majority", "form", "goal", "bounds", "last_free")
_WORTH = ("loss", "loss_before", "errors", "errors_before", "errors_majority")


def of_multipliers(fitted: Multipliers) -> dict[str, Any]:
    """Return multipliers as plain data."""
    bounds = None if fitted.bounds is None else _plain(np.array(fitted.bounds))
    told = {
        "majority": int(fitted.majority),
        "form": fitted.form,
        "goal": fitted.goal,
        "bounds": bounds,
        "last_free": fitted.last_free,
    }
    return {"multipliers": _plain(fitted.multipliers)} | told | {name: _number(getattr(fitted, name), name) for name in _WORTH}


def multipliers(told: Any, classes: tuple[Any, ...], found: tuple[Finding, ...]) -> Multipliers:
    """Return the multipliers that were written down."""
    rule = exactly(told, (*_MULTIPLIERS, *_WORTH), "the rule")
    form, goal = _one_of(rule["form"], get_args(Form), "form"), _one_of(rule["goal"], get_args(Goal), "goal")
    free = _one_of(rule["last_free"], (False, True), "last_free")
    values = _array(rule["multipliers"], "multipliers")
    wanted = len(classes) - (not free)
    if values.shape[-1] != wanted or (values.ndim > 1) != (form == "iterated") or not values.size:
        msg = f'"multipliers" has shape {values.shape}, which does not fit {counted(len(classes), "class", "classes")}.'
        raise InputError(msg)
    squares = form == "linear" and goal == "squared"
    if (free and (form == "linear" or goal == "errors")) or (form == "iterated" and goal == "errors"):
        msg = f'"form" {form}, "goal" {goal} and "last_free" do not go together.'
        raise InputError(msg)
    if not squares and values.min() < 0:
        msg = f'"multipliers" holds {values.min():g}; only the linear form goes below 0.'
        raise InputError(msg)
    bounds = _bounds(rule["bounds"], needed=not squares)
    if bounds is not None and not (bounds[0] - _ROUNDING <= values.min() and values.max() <= bounds[1] * (1 + _ROUNDING)):
        msg = f'"multipliers" goes from {values.min():g} to {values.max():g}, beyond its own "bounds".'
        raise InputError(msg)
    worth = {name: _number(rule[name], f'"{name}"') for name in _WORTH}
    if min(worth.values()) < 0:
        msg = f"losses and errors are sums of what is never below 0; got {listed(worth.values())}."
        raise InputError(msg)
    return Multipliers(
        values, _place(rule["majority"], len(classes), "majority"), classes, form, goal, bounds, free, **worth, findings=found
    )


def _bounds(told: Any, *, needed: bool) -> tuple[float, float] | None:
    if told is None and not needed:
        return None
    values = _array(told, "bounds", endless=True)
    if values.shape != (_TWO,) or not 0 <= values[0] < values[1]:
        msg = f'"bounds" must be two numbers, the lower one first; got {safe(told)}.'
        raise InputError(msg)
    return float(values[0]), float(values[1])


# -- priors ------------------------------------------------------------------------------------------------


def of_shift(shift: PriorShift) -> dict[str, Any]:
    """Return a shift of priors as plain data."""
    return {"old": _plain(shift.old), "new": _plain(shift.new)}


def shift(told: Any, classes: tuple[Any, ...], found: tuple[Finding, ...]) -> PriorShift:
    """Return the shift that was written down."""
    rule = exactly(told, ("old", "new"), "the rule")
    if found:
        msg = "a shift of priors has no findings."
        raise InputError(msg)
    return PriorShift(_array(rule["old"], "old"), _array(rule["new"], "new"), classes)


# -- rejection ---------------------------------------------------------------------------------------------

_REJECTION = ("kind", "thresholds", "costs", "cost", *_RATES, "of", "positive", "optimal")


def of_rejection(rule: Rejection) -> dict[str, Any]:
    """Return a rule that may reject as plain data; classes are told by their place."""
    names = list(rule.classes)
    return {
        "kind": rule.kind,
        "thresholds": _plain(rule.thresholds),
        "costs": _plain(rule.costs),
        **{name: float(_number(float(getattr(rule, name)), name)) for name in ("cost", *_RATES)},
        **{name: None if getattr(rule, name) is None else names.index(getattr(rule, name)) for name in ("of", "positive")},
        "optimal": int(rule.optimal),
    }


def rejection(told: Any, classes: tuple[Any, ...], found: tuple[Finding, ...]) -> Rejection:
    """Return the rule that was written down."""
    rule, k = exactly(told, _REJECTION, "the rule"), len(classes)
    kind = _one_of(rule["kind"], get_args(Kind), "kind")
    thresholds, costs = _thresholds(rule["thresholds"], kind, k), _array(rule["costs"], "costs")
    rates: dict[str, Any] = {name: float(_number(rule[name], f'"{name}"')) for name in _RATES}
    cost = float(_number(rule["cost"], '"cost"'))
    if min(rates.values()) < 0 or max(rates.values()) > 1 or abs(sum(rates.values()) - 1) > _ROUNDING:
        msg = f"accuracy, error and rejection are shares that sum to 1; got {listed(rates.values())}."
        raise InputError(msg)
    _check_costs(costs, k, cost, rates=rates, rejects=kind != "costs" or rates["rejection"] > 0)
    of, positive = (None if rule[name] is None else classes[_place(rule[name], k, name)] for name in ("of", "positive"))
    if (kind == "two-sided" and of is None) or (of is not None and k != _TWO):
        msg = '"of" names the class whose score two thresholds cut, among two.'
        raise InputError(msg)
    if type(rule["optimal"]) is not int or rule["optimal"] < 1:
        msg = f'"optimal" is a count; got {safe(rule["optimal"])}.'
        raise InputError(msg)
    named: dict[str, Any] = {"of": of, "positive": positive, "optimal": rule["optimal"], "findings": found}
    return Rejection(kind, thresholds, classes, costs, cost, **rates, **named)


def _check_costs(costs: FloatArray, k: int, cost: float, *, rates: Mapping[str, float], rejects: bool) -> None:
    """Refuse costs of another shape than the rule needs, and a mean cost that they cannot have."""
    if costs.shape not in ((k, k), (k, k + 1)):
        msg = f'"costs" have shape {costs.shape}; {counted(k, "class", "classes")} need {k} x {k} or {k} x {k + 1}.'
        raise InputError(msg)
    if costs.shape[1] == k and rejects:
        msg = f'"costs" do not say what rejecting costs, but the rule rejects ({rates["rejection"]:g} of the cases).'
        raise InputError(msg)
    check_dearest(costs)
    slack = _ROUNDING * max(1.0, float(np.abs(costs).max()))
    if not costs.min() - slack <= cost <= costs.max() + slack:
        msg = f'"cost" is {cost:g}, and no decision costs less than {costs.min():g} or more than {costs.max():g}.'
        raise InputError(msg)


def _thresholds(told: Any, kind: Kind, k: int) -> FloatArray:
    values = _array(told, "thresholds", endless=True)
    wanted = {"two-sided": 2, "max-probability": 1, "per-class": k, "costs": 0}[kind]
    if values.shape != (wanted,) or (kind == "two-sided" and (k != _TWO or values[0] > values[1])):
        msg = f'"thresholds" of a {kind} rule are {wanted}, in order; got {safe(told)}.'
        raise InputError(msg)
    if kind != "two-sided" and not ((values >= 0) & ((values <= 1 + _ROUNDING) | (values == np.inf))).all():
        msg = f'"thresholds" of a {kind} rule are probabilities, or "inf" where everything is rejected; got {safe(told)}.'
        raise InputError(msg)
    return values
