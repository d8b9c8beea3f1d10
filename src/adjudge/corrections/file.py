"""A correction as a small JSON file, to be kept, read by people and applied elsewhere.

The file holds numbers and labels, never code. Labels keep their type, because 1, True and "1" are different classes. What is
unknown - a key, a kind, a later version - or contradicts itself is refused: a correction applied by half is worse than none.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.files import write_whole
from adjudge._base.findings import Finding
from adjudge._base.show import plain
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.costs import REJECTED, check_dearest
from adjudge.corrections.multipliers import Form, Goal, Multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Kind, Rejection
from adjudge.predictions.labels import parse, text_of

Correction: TypeAlias = Multipliers | PriorShift | Rejection

FORMAT, VERSION = "adjudge correction", 1
LARGEST = 1 << 26
"""Bytes a file may have."""
_MOST_CLASSES, _MOST_FINDINGS, _LONGEST_TEXT = 100_000, 100, 4000
_TYPES: dict[str, type] = {"text": str, "bool": bool, "int": int, "float": float}
_LONGEST = 2**63 - 1
_ROUNDING = 1e-6  # of shares that sum to one, and of what lies within limits
_TWO = 2
_GIVE = "Give a file written by `adjudge correct fit`."
_WORTH = ("loss", "loss_before", "errors", "errors_before", "errors_majority")
_RATES = ("accuracy", "error", "rejection")
_FIELDS: dict[str, tuple[str, ...]] = {
    "multipliers": ("multipliers", "majority", "form", "goal", "bounds", "last_free", *_WORTH),
    "priors": ("old", "new"),
    "rejection": ("kind", "thresholds", "costs", "cost", *_RATES, "of", "positive", "optimal"),
}


def save_correction(correction: Correction, path: str | os.PathLike[str]) -> Path:
    """Write a correction as a JSON file, whole or not at all.

    Parameters
    ----------
    correction : Multipliers, PriorShift or Rejection
        What :func:`adjudge.fit_multipliers`, :func:`adjudge.fit_rejection`, :func:`adjudge.chow` or a shift of priors gave. A
        rule of least expected cost is a `Rejection` of kind "costs".
    path : path
        Where to write.

    The file keeps the rule, the classes with their types, the rates on the cases it was fitted to and the findings; the table of
    those cases is left out.
    """
    kind = next((name for name, (made, _) in _KINDS.items() if isinstance(correction, made)), None)
    if kind is None:
        msg = f"A correction is Multipliers, a PriorShift or a Rejection; got {type(correction).__name__}."
        raise InputError(msg)
    if correction.classes is None:
        msg = "This shift does not name its classes; whose priors are these? Pass PriorShift(..., classes=[...])."
        raise InputError(msg)
    classes = []
    for label in correction.classes:  # beside their types, so that 1, 1.0, true and "1" come back as what they were
        value = label.item() if isinstance(label, np.generic) else label
        made = next((name for name, made in _TYPES.items() if type(value) is made), None)
        if made is None or value != value:  # noqa: PLR0124 - NaN is no label
            came = f"{quoted(label)} ({type(label).__name__})"
            msg = f"A file can name classes by text, whole numbers, numbers and truth values; got {came}."
            raise InputError(msg)
        classes.append({made: _held(value)})
    _check_apart(correction.classes)
    rule = {name: _written(correction, name) for name in _FIELDS[kind]}
    told = {"format": FORMAT, "version": VERSION, "kind": kind, "classes": classes, "rule": rule}
    told["findings"] = [plain(finding) for finding in getattr(correction, "findings", ())]
    lines = (f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in told.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if len(text) > LARGEST:
        takes = f"The correction takes {len(text):,} bytes"
        raise InputError(takes, f", and files of more than {LARGEST:,} are not read again. Join rare classes.")
    return write_whole(path, text, such_as="correction.json")


def load_correction(path: str | os.PathLike[str]) -> Correction:
    """Read a correction that :func:`adjudge.save_correction` wrote; anything else is refused.

    The correction applies as the one that was saved, to the last digit. It is plain data: nothing in the file is ever run.
    """
    if not isinstance(path, (str, os.PathLike)):
        msg = f"A correction is read from a path; got {type(path).__name__}."
        raise InputError(msg)
    name = quoted(Path(path).name or os.fspath(path))
    try:
        return _understood(strict_json(Path(path)))
    except (InputError, RecursionError) as error:
        why = "its brackets are nested too deeply." if isinstance(error, RecursionError) else f"{error} {_GIVE}"
        msg = f"{name} is no correction that can be used: {why}"
        raise InputError(msg) from error
    except (OSError, ValueError) as error:  # a path may hold what no path can
        msg = f"Cannot read the correction {name}: {getattr(error, 'strerror', None) or safe(error)}."
        raise InputError(msg) from error


def strict_json(path: Path) -> Any:
    """Return what a file of strict JSON says: a plain file of bounded size, no NaN, no key twice."""
    if path.exists() and not path.is_file():
        msg = "it is no plain file."
        raise InputError(msg)
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        msg = f"it has more than {LARGEST:,} bytes."
        raise InputError(msg)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            msg = "it says the same thing twice."
            raise InputError(msg)
        return found

    def no_number(text: str) -> Any:
        msg = f"it holds {safe(text)}, which is no number."
        raise InputError(msg)

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=once, parse_constant=no_number)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, endless digits, endless brackets
        msg = "it is not JSON."
        raise InputError(msg) from error


def read_costs(path: str | os.PathLike[str]) -> Any:
    """Return the costs in a file of strict JSON: {true: {decided: cost}}, with "REJECTED" for no decision, or a table."""
    try:
        told = strict_json(Path(path))
    except OSError as error:
        msg = f"Cannot read the costs {safe(path)}: {error.strerror}."
        raise InputError(msg) from error
    except InputError as error:
        msg = f"{safe(path)} holds no costs: {error}"
        raise InputError(msg) from error
    for true, row in told.items() if isinstance(told, dict) else ():
        if isinstance(row, dict):
            told[true] = {REJECTED if key == str(REJECTED) else key: cost for key, cost in row.items()}
    return told


def _understood(told: Any) -> Correction:
    """Return the correction that a file describes, or refuse it."""
    whole = told if isinstance(told, Mapping) else {}
    if whole.get("format") != FORMAT:
        msg = f'"format" is not {FORMAT!r}.'
        raise InputError(msg)
    if type(whole.get("version")) is not int or whole["version"] != VERSION:
        msg = f"it is of version {safe(whole.get('version'))}, and this adjudge knows version {VERSION}."
        raise InputError(msg)
    _exactly(whole, ("format", "version", "kind", "classes", "rule", "findings"), "the file")
    kind = whole["kind"]
    if not isinstance(kind, str) or kind not in _KINDS:
        msg = f"it is of kind {quoted(kind)}; known are {', '.join(_KINDS)}."
        raise InputError(msg)
    classes, findings = _classes(whole["classes"]), []
    if not isinstance(whole["findings"], list) or len(whole["findings"]) > _MOST_FINDINGS:
        msg = f'"findings" must be a list of at most {_MOST_FINDINGS}.'
        raise InputError(msg)
    for each in whole["findings"]:
        parts = _exactly(each, ("code", "message", "advice", "value"), "a finding")
        texts = [parts[name] for name in ("code", "message", "advice")]
        short = all(isinstance(text, str) and len(text) <= _LONGEST_TEXT for text in texts)
        if not short or not re.fullmatch(r"A\d{3}", texts[0]):
            msg = "a finding is a code such as A801 with short texts."
            raise InputError(msg)
        findings.append(Finding(**parts))
    return _KINDS[kind][1](_exactly(whole["rule"], _FIELDS[kind], "the rule"), classes, tuple(findings))


def _exactly(told: Any, keys: Sequence[str], where: str) -> dict[str, Any]:
    """Return a mapping that has these keys and no other, or refuse it."""
    if not isinstance(told, Mapping):
        came = "nothing" if told is None else type(told).__name__
        msg = f"{where} holds {came} where keys and values are needed."
        raise InputError(msg)
    strange, absent = [key for key in told if key not in keys], [key for key in keys if key not in told]
    if strange or absent:
        msg = f"{where} holds the unknown {listed(strange)}." if strange else f"{where} lacks {listed(absent)}."
        raise InputError(msg)
    return dict(told)


def _held(value: Any) -> Any:
    """Return a label that files can hold, or refuse it."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            msg = f"the class {quoted(value)} is no text that files can hold."
            raise InputError(msg) from error
    elif isinstance(value, int) and abs(value) > _LONGEST:
        msg = f"the class {safe(value)} is longer than the whole numbers files of predictions can hold."
        raise InputError(msg)
    return _number(value, "a class") if isinstance(value, float) else value


def _classes(told: Any) -> tuple[Any, ...]:
    """Return the classes: two or more, all different, each of the type it says."""
    if not isinstance(told, list) or not _TWO <= len(told) <= _MOST_CLASSES:
        msg = f'"classes" must list from two to {_MOST_CLASSES:,} classes.'
        raise InputError(msg)
    classes = []
    for each in told:
        if not isinstance(each, Mapping) or len(each) != 1 or next(iter(each)) not in _TYPES:
            msg = f'a class is written as {{"text": "a"}}, with one of {", ".join(_TYPES)}; got {safe(each)}.'
            raise InputError(msg)
        kind, value = next(iter(each.items()))
        if type(value) is not _TYPES[kind]:  # True would pass for an int
            msg = f"the class {safe(value)} is not the {kind} it is said to be."
            raise InputError(msg)
        classes.append(_held(value))
    _check_apart(classes)
    return tuple(classes)


def _check_apart(classes: Sequence[Any]) -> None:
    """Refuse classes that are one where they are read from a file of predictions, such as 1 and "1"."""
    numbers = {label for label in classes if not isinstance(label, str)}
    texts = {label for label in classes if isinstance(label, str)}
    alike = [label for label in texts if parse(label) in numbers] + [label for label in numbers if text_of(label) in texts]
    if len(numbers) + len(texts) < len(classes) or alike:
        told = f" ({quoted(alike[0])} is also written as another)" if alike else ""
        msg = f'"classes" names a class twice{told}.'
        raise InputError(msg)


def _number(value: Any, name: str) -> Any:
    """Return a finite number as it is: whole ones stay whole."""
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:  # whole numbers may be longer than any float
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


def _written(correction: Correction, name: str) -> Any:
    """Return one part of a rule as plain data; classes are told by their place."""
    value = getattr(correction, name)
    if value is not None and name in ("of", "positive"):
        return list(correction.classes or ()).index(value)
    if isinstance(value, (np.ndarray, tuple)):
        return _plain(np.asarray(value, dtype=np.float64))
    if isinstance(value, (float, np.floating)):
        return _number(float(value), name)
    return int(value) if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else value


def _multipliers(rule: Mapping[str, Any], classes: tuple[Any, ...], found: tuple[Finding, ...]) -> Multipliers:
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
    bounds = None
    if rule["bounds"] is not None or not squares:
        low_high = _array(rule["bounds"], "bounds", endless=True)
        if low_high.shape != (_TWO,) or not 0 <= low_high[0] < low_high[1]:
            msg = f'"bounds" must be two numbers, the lower one first; got {safe(rule["bounds"])}.'
            raise InputError(msg)
        bounds = float(low_high[0]), float(low_high[1])
    if bounds is not None and not (bounds[0] - _ROUNDING <= values.min() and values.max() <= bounds[1] * (1 + _ROUNDING)):
        msg = f'"multipliers" goes from {values.min():g} to {values.max():g}, beyond its own "bounds".'
        raise InputError(msg)
    worth = {name: _number(rule[name], f'"{name}"') for name in _WORTH}
    if min(worth.values()) < 0:
        msg = f"losses and errors are sums of what is never below 0; got {listed(worth.values())}."
        raise InputError(msg)
    majority = _place(rule["majority"], len(classes), "majority")
    return Multipliers(values, majority, classes, form, goal, bounds, free, **worth, findings=found)


def _shift(rule: Mapping[str, Any], classes: tuple[Any, ...], found: tuple[Finding, ...]) -> PriorShift:
    if found:
        msg = "a shift of priors has no findings."
        raise InputError(msg)
    return PriorShift(_array(rule["old"], "old"), _array(rule["new"], "new"), classes)


def _rejection(rule: Mapping[str, Any], classes: tuple[Any, ...], found: tuple[Finding, ...]) -> Rejection:
    kind, k = _one_of(rule["kind"], get_args(Kind), "kind"), len(classes)
    thresholds, costs = _thresholds(rule["thresholds"], kind, k), _array(rule["costs"], "costs")
    rates: dict[str, Any] = {name: float(_number(rule[name], f'"{name}"')) for name in _RATES}
    cost = float(_number(rule["cost"], '"cost"'))
    if min(rates.values()) < 0 or max(rates.values()) > 1 or abs(sum(rates.values()) - 1) > _ROUNDING:
        msg = f"accuracy, error and rejection are shares that sum to 1; got {listed(rates.values())}."
        raise InputError(msg)
    _check_costs(costs, k, cost, rejected=rates["rejection"], rejects=kind != "costs" or rates["rejection"] > 0)
    of, positive = (None if rule[name] is None else classes[_place(rule[name], k, name)] for name in ("of", "positive"))
    if (kind == "two-sided" and of is None) or (of is not None and k != _TWO):
        msg = '"of" names the class whose score two thresholds cut, among two.'
        raise InputError(msg)
    if type(rule["optimal"]) is not int or rule["optimal"] < 1:
        msg = f'"optimal" is a count; got {safe(rule["optimal"])}.'
        raise InputError(msg)
    named: dict[str, Any] = {"of": of, "positive": positive, "optimal": rule["optimal"], "findings": found}
    return Rejection(kind, thresholds, classes, costs, cost, **rates, **named)


def _check_costs(costs: FloatArray, k: int, cost: float, *, rejected: float, rejects: bool) -> None:
    """Refuse costs of another shape than the rule needs, and a mean cost that they cannot have."""
    if costs.shape not in ((k, k), (k, k + 1)):
        msg = f'"costs" have shape {costs.shape}; {counted(k, "class", "classes")} need {k} x {k} or {k} x {k + 1}.'
        raise InputError(msg)
    if costs.shape[1] == k and rejects:
        msg = f'"costs" do not say what rejecting costs, but the rule rejects ({rejected:g} of the cases).'
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


_KINDS: dict[str, tuple[type[Any], Callable[..., Correction]]] = {
    "multipliers": (Multipliers, _multipliers),
    "priors": (PriorShift, _shift),
    "rejection": (Rejection, _rejection),
}
