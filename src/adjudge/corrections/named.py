"""Numbers given by class: in the order of the classes, or by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.corrections.cost_tables import REJECTED, checked_costs
from adjudge.corrections.prior_checks import checked_priors
from adjudge.predictions.spellings import position


def shares_of(values: Any, classes: AnyArray | Sequence[Any], name: str) -> FloatArray:
    """Return class priors in the order of `classes`, from such a list or a mapping {class: prior}."""
    names = _names(classes)
    if isinstance(values, Mapping):
        values = _row(values, names, name)
    return checked_priors(values, name, len(names))


def costs_of(costs: Any, classes: AnyArray | Sequence[Any]) -> FloatArray:
    """Return costs in the order of `classes`, K x K or K x (K + 1), from such a table or {true: {decided: cost}}.

    In a mapping the right decision costs 0 unless it is named, and REJECTED, or the text "REJECTED" where no class is called so,
    names what rejecting costs.
    """
    names = _names(classes)
    if not isinstance(costs, Mapping):
        return checked_costs(costs, len(names))
    rows = _row(costs, names, "costs")
    for label, row in zip(names, rows, strict=True):
        if not isinstance(row, Mapping):
            msg = f"costs[{quoted(label)}] must map each decision to its cost, got {type(row).__name__}."
            raise InputError(msg)
    told = [_told_rejection(row, label, names) for label, row in zip(names, rows, strict=True)]
    missing = [label for label, keys in zip(names, told, strict=True) if not keys]
    if 0 < len(missing) < len(names):
        msg = f"costs name what REJECTED costs for some true classes, but not for {listed(missing)}."
        raise InputError(msg)
    table = [_costs_of_class(row, label, names, keys) for label, row, keys in zip(names, rows, told, strict=True)]
    return checked_costs(table, len(names))


def _names(classes: Any) -> list[Any]:
    return list(classes.tolist() if isinstance(classes, np.ndarray) else classes)


def _told_rejection(row: Mapping[Any, Any], label: Any, names: Iterable[Any]) -> list[Any]:
    """Return the key under which a row says what rejecting costs, if it does."""
    word = str(REJECTED)
    found = [key for key in row if key is REJECTED or (isinstance(key, str) and key == word and word not in names)]
    if len(found) > 1:
        msg = f"costs[{quoted(label)}] names {word} twice."
        raise InputError(msg)
    return found


def _costs_of_class(row: Mapping[Any, Any], label: Any, names: list[Any], rejecting: list[Any]) -> list[Any]:
    """Return what every decision costs where `label` is true, and last what the key `rejecting` says."""
    decided = {key: value for key, value in row.items() if not any(key is said for said in rejecting)}
    if not any(names[position(names, key)] == label for key in decided):
        decided[label] = 0.0
    return [*_row(decided, names, f"costs[{quoted(label)}]"), *(row[key] for key in rejecting)]


def _row(values: Mapping[Any, Any], names: list[Any], what: str) -> list[Any]:
    """Return the values of a mapping in the order of `names`, each named once."""
    found: dict[int, Any] = {}
    for key, value in values.items():
        at = position(names, key)
        if at in found:
            msg = f"{what} names the class {quoted(names[at])} twice."
            raise InputError(msg)
        found[at] = value
    missing = [label for at, label in enumerate(names) if at not in found]
    if missing:
        msg = f"{what} says nothing about {listed(missing)}; name every class of {listed(names)}."
        raise InputError(msg)
    return [found[at] for at in range(len(names))]
