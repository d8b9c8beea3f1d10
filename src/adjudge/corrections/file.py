"""A correction as a small JSON file, to be kept, read by people and applied elsewhere.

It holds numbers and labels with their type, never code. What is unknown, as a later version, or contradicts itself is refused.
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

from adjudge._base import Finding, InputError, argument, counted, listed, plain, quoted, safe
from adjudge._base.arrays import FloatArray
from adjudge._base.files import write_whole
from adjudge._base.strict_json import MOST_VALUES, read_json
from adjudge.corrections.costs import REJECTED, checked_costs
from adjudge.corrections.multipliers import Form, Goal, Multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Kind, Rejection
from adjudge.predictions.labels import parse, text_of

Correction: TypeAlias = Multipliers | PriorShift | Rejection

FORMAT, VERSION = "adjudge correction", 1
LARGEST = 1 << 26  # bytes a file may have
_MOST_CLASSES, _MOST_FINDINGS, _LONGEST_TEXT = 100_000, 100, 4000
_TYPES: dict[str, type] = {"text": str, "bool": bool, "int": int, "float": float}
_LONGEST = 2**63 - 1
_ROUNDING = 1e-6  # of shares that sum to one, and of what lies within limits
_TWO = 2
_GIVE = "Give a file written by `adjudge correct fit`."
_WORTH = ("loss", "loss_before", "errors", "errors_before", "errors_majority")
_RATES = ("accuracy", "error", "rejection")


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
    kind = next((name for name, (made, *_) in _KINDS.items() if isinstance(correction, made)), "")
    _need(kind, f"A correction is Multipliers, a PriorShift or a Rejection; got {type(correction).__name__}.")
    if correction.classes is None:
        msg = "This shift does not name its classes; whose priors are these? Pass PriorShift(..., "
        raise InputError(msg, argument("classes", python="classes=[...]"), ").")
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
    rule = {name: _written(correction, name) for name in _KINDS[kind][2]}
    told = {"format": FORMAT, "version": VERSION, "kind": kind, "classes": classes, "rule": rule}
    told["findings"] = [plain(finding) for finding in getattr(correction, "findings", ())]
    lines = (f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in told.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if len(text) > LARGEST or text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        takes = f"The correction takes {len(text):,} bytes"
        raise InputError(
            takes, f", and files of more than {LARGEST:,} or of {MOST_VALUES:,} numbers are not read again. Join rare classes."
        )
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
        return _understood(read_json(Path(path), largest=LARGEST))
    except InputError as error:
        raise InputError(name, f" cannot be used as a correction: {error} {_GIVE}") from error
    except (OSError, ValueError) as error:  # a path may hold what no path can
        msg = f"Cannot read the correction {name}: {getattr(error, 'strerror', None) or safe(error)}."
        raise InputError(msg) from error


def read_costs(path: str | os.PathLike[str]) -> Any:
    """Return the costs in a file of strict JSON: {true: {decided: cost}}, with "REJECTED" for no decision, or a table."""
    try:
        told = read_json(Path(path), largest=LARGEST)
    except OSError as error:
        msg = f"Cannot read the costs {safe(path)}: {error.strerror}."
        raise InputError(msg) from error
    except InputError as error:
        raise InputError(safe(path), f" holds no costs: {error}") from error
    for true, row in told.items() if isinstance(told, dict) else ():
        if isinstance(row, dict):
            told[true] = {REJECTED if key == str(REJECTED) else key: cost for key, cost in row.items()}
    return told


def _understood(told: Any) -> Correction:
    """Return the correction that a file describes, or refuse it."""
    whole = told if isinstance(told, Mapping) else {}
    _need(whole.get("format") == FORMAT, f'"format" is not {FORMAT!r}.')
    known = type(version := whole.get("version")) is int and version == VERSION
    _need(known, f"it is of version {safe(version)}, and this adjudge knows version {VERSION}.")
    _exactly(whole, ("format", "version", "kind", "classes", "rule", "findings"), "the file")
    kind, told_findings = whole["kind"], whole["findings"]
    _need(isinstance(kind, str) and kind in _KINDS, f"it is of kind {quoted(kind)}; known are {', '.join(_KINDS)}.")
    classes, findings = _classes(whole["classes"]), []
    few = isinstance(told_findings, list) and len(told_findings) <= _MOST_FINDINGS
    _need(few, f'"findings" must be a list of at most {_MOST_FINDINGS}.')
    for each in told_findings:
        parts = _exactly(each, ("code", "message", "advice", "value"), "a finding")
        texts = [parts[name] for name in ("code", "message", "advice")]
        short = all(isinstance(text, str) and len(text) <= _LONGEST_TEXT for text in texts)
        _need(short and re.fullmatch(r"A\d{3}", texts[0]), "a finding is a code such as A801 with short texts.")
        for worth in parts["value"] if isinstance(parts["value"], list) else [parts["value"]]:
            _need(
                worth is None or isinstance(worth, (str, bool, int, float)),
                "a finding is worth a number, a text or a list of these.",
            )
            _ = worth if isinstance(worth, (str, bool, type(None))) else _number(worth, "what a finding is worth")
        findings.append(Finding(**parts))
    _, made, fields = _KINDS[kind]
    return made(_exactly(whole["rule"], fields, "the rule"), classes, tuple(findings))


def _need(holds: Any, why: str) -> None:
    """Refuse a file that does not hold what it must."""
    if not holds:
        raise InputError(why)


def _exactly(told: Any, keys: Sequence[str], where: str) -> dict[str, Any]:
    """Return a mapping that has these keys and no other, or refuse it."""
    came = "nothing" if told is None else type(told).__name__
    _need(isinstance(told, Mapping), f"{where} holds {came} where keys and values are needed.")
    strange, absent = [key for key in told if key not in keys], [key for key in keys if key not in told]
    _need(not strange, f"{where} holds the unknown {listed(strange)}.")
    _need(not absent, f"{where} lacks {listed(absent)}.")
    return dict(told)


def _held(value: Any) -> Any:
    """Return a label that files can hold, or refuse it."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            msg = f"the class {quoted(value)} is no text that files can hold."
            raise InputError(msg) from error
    elif isinstance(value, int):
        _need(abs(value) <= _LONGEST, f"the class {safe(value)} is longer than the whole numbers files of predictions can hold.")
    return _number(value, "a class") if isinstance(value, float) else value


def _classes(told: Any) -> tuple[Any, ...]:
    """Return the classes: two or more, all different, each of the type it says."""
    many = isinstance(told, list) and _TWO <= len(told) <= _MOST_CLASSES
    _need(many, f'"classes" must list from two to {_MOST_CLASSES:,} classes.')
    classes = []
    for each in told:
        alone = isinstance(each, Mapping) and len(each) == 1 and next(iter(each)) in _TYPES
        _need(alone, f'a class is written as {{"text": "a"}}, with one of {", ".join(_TYPES)}; got {safe(each)}.')
        kind, value = next(iter(each.items()))
        _need(type(value) is _TYPES[kind], f"the class {safe(value)} is not the {kind} it is declared as.")  # True is no int
        classes.append(_held(value))
    _check_apart(classes)
    return tuple(classes)


def _check_apart(classes: Sequence[Any]) -> None:
    """Refuse classes that are one where they are read from a file of predictions, such as 1 and "1"."""
    numbers = {label for label in classes if not isinstance(label, str)}
    texts = {label for label in classes if isinstance(label, str)}
    alike = [label for label in texts if parse(label) in numbers] + [label for label in numbers if text_of(label) in texts]
    told = f" ({quoted(alike[0])} is also written as another)" if alike else ""
    _need(len(numbers) + len(texts) == len(classes) and not alike, f'"classes" names a class twice{told}.')


def _number(value: Any, name: str) -> Any:
    """Return a finite number as it is: whole ones stay whole."""
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:  # whole numbers may be longer than any float
        raise InputError(name, f" must be a finite number; got {safe(value)}.")
    return value


def _array(told: Any, name: str, *, endless: bool = False) -> FloatArray:
    """Return a list of numbers, or a list of such lists, as an array; "inf" and "-inf" where thresholds may be `endless`."""
    rows = told if isinstance(told, list) and told and isinstance(told[0], list) else [told]
    _need(all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows), f'"{name}" must be a table of numbers.')
    words = {"inf": math.inf, "-inf": -math.inf} if endless else {}
    values = [[words[v] if isinstance(v, str) and v in words else float(_number(v, f'"{name}"')) for v in row] for row in rows]
    return np.array(values if rows is told else values[0], dtype=np.float64)


def _place(value: Any, k: int, name: str) -> int:
    told = f'"{name}" must be the place of one of {counted(k, "class", "classes")}; got {safe(value)}.'
    _need(type(value) is int and 0 <= value < k, told)
    return int(value)


def _one_of(value: Any, allowed: Sequence[Any], name: str) -> Any:
    among = value in allowed and type(value) in {type(each) for each in allowed}
    _need(among, f'"{name}" must be one of {listed(allowed)}; got {safe(value)}.')
    return value


def _written(correction: Correction, name: str) -> Any:
    """Return one part of a rule as plain data; classes are told by their place, infinity by its name."""
    value = getattr(correction, name)
    if value is not None and name in ("of", "positive"):
        return list(correction.classes or ()).index(value)
    if isinstance(value, (np.ndarray, tuple)):
        rows = np.atleast_2d(np.asarray(value, dtype=np.float64)).tolist()
        rows = [[v if math.isfinite(v) else ("inf" if v > 0 else "-inf") for v in row] for row in rows]
        return rows if np.ndim(value) > 1 else rows[0]
    if isinstance(value, (float, np.floating)):
        return _number(float(value), name)
    return int(value) if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else value


def _multipliers(rule: Mapping[str, Any], classes: tuple[Any, ...], findings: tuple[Finding, ...]) -> Multipliers:
    form, goal = _one_of(rule["form"], get_args(Form), "form"), _one_of(rule["goal"], get_args(Goal), "goal")
    free = _one_of(rule["last_free"], (False, True), "last_free")
    values, named = _array(rule["multipliers"], "multipliers"), counted(len(classes), "class", "classes")
    fits = values.size and values.shape[-1] == len(classes) - (not free) and (values.ndim > 1) == (form == "iterated")
    _need(fits, f'"multipliers" has shape {values.shape}, which does not fit {named}.')
    squares, least, most = form == "linear" and goal == "squared", values.min(), values.max()
    apart = (free and (form == "linear" or goal == "errors")) or (form == "iterated" and goal == "errors")
    _need(not apart, f'"form" {form}, "goal" {goal} and "last_free" do not go together.')
    _need(squares or least >= 0, f'"multipliers" holds {least:g}; only the linear form goes below 0.')
    bounds = None
    if rule["bounds"] is not None or not squares:
        ends = _array(rule["bounds"], "bounds", endless=True)
        rising = ends.shape == (_TWO,) and 0 <= ends[0] < ends[1]
        _need(rising, f'"bounds" must be two numbers, the lower one first; got {safe(rule["bounds"])}.')
        bounds = float(ends[0]), float(ends[1])
        inside = bounds[0] - _ROUNDING <= least and most <= bounds[1] * (1 + _ROUNDING)
        _need(inside, f'"multipliers" goes from {least:g} to {most:g}, beyond its own "bounds".')
    worth = {name: _number(rule[name], f'"{name}"') for name in _WORTH}
    _need(min(worth.values()) >= 0, f"losses and errors are sums of what is never below 0; got {listed(worth.values())}.")
    majority = _place(rule["majority"], len(classes), "majority")
    return Multipliers(values, majority, classes, form, goal, bounds, free, **worth, findings=findings)


def _shift(rule: Mapping[str, Any], classes: tuple[Any, ...], findings: tuple[Finding, ...]) -> PriorShift:
    _need(not findings, "a shift of priors has no findings.")
    return PriorShift(_array(rule["old"], "old"), _array(rule["new"], "new"), classes)


def _rejection(rule: Mapping[str, Any], classes: tuple[Any, ...], findings: tuple[Finding, ...]) -> Rejection:
    kind, k = _one_of(rule["kind"], get_args(Kind), "kind"), len(classes)
    cut, came = _array(rule["thresholds"], "thresholds", endless=True), safe(rule["thresholds"])
    wanted = {"two-sided": 2, "max-probability": 1, "per-class": k, "costs": 0}[kind]
    ordered = cut.shape == (wanted,) and (kind != "two-sided" or (k == _TWO and cut[0] <= cut[1]))
    _need(ordered, f'"thresholds" of a {kind} rule are {wanted}, in order; got {came}.')
    likely = kind == "two-sided" or ((cut >= 0) & ((cut <= 1 + _ROUNDING) | (cut == np.inf))).all()
    _need(likely, f'"thresholds" of a {kind} rule are probabilities, or "inf" where everything is rejected; got {came}.')
    costs = checked_costs(_array(rule["costs"], "costs"), k)
    rates: dict[str, Any] = {name: float(_number(rule[name], f'"{name}"')) for name in _RATES}
    cost, shares = float(_number(rule["cost"], '"cost"')), list(rates.values())
    whole = min(shares) >= 0 and max(shares) <= 1 and abs(sum(shares) - 1) <= _ROUNDING
    _need(whole, f"accuracy, error and rejection are shares that sum to 1; got {listed(shares)}.")
    told = f'"costs" do not say what rejecting costs, but the rule rejects ({rates["rejection"]:g} of the cases).'
    _need(costs.shape[1] > k or (kind == "costs" and not rates["rejection"] > 0), told)
    slack, least, most = _ROUNDING * max(1.0, float(np.abs(costs).max())), costs.min(), costs.max()
    within = least - slack <= cost <= most + slack
    _need(within, f'"cost" is {cost:g}, and no decision costs less than {least:g} or more than {most:g}.')
    of, positive = (None if rule[name] is None else classes[_place(rule[name], k, name)] for name in ("of", "positive"))
    _need(kind != "two-sided" if of is None else k == _TWO, '"of" names the class whose score two thresholds cut, among two.')
    _need(type(rule["optimal"]) is int and rule["optimal"] >= 1, f'"optimal" is a count; got {safe(rule["optimal"])}.')
    named: dict[str, Any] = {"of": of, "positive": positive, "optimal": rule["optimal"], "findings": findings}
    return Rejection(kind, cut, classes, costs, cost, **rates, **named)


_KINDS: dict[str, tuple[type[Any], Callable[..., Correction], tuple[str, ...]]] = {
    "multipliers": (Multipliers, _multipliers, ("multipliers", "majority", "form", "goal", "bounds", "last_free", *_WORTH)),
    "priors": (PriorShift, _shift, ("old", "new")),
    "rejection": (Rejection, _rejection, ("kind", "thresholds", "costs", "cost", *_RATES, "of", "positive", "optimal")),
}
