"""Numbers given by class: in the order of the classes, or by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.corrections.costs import REJECTED, checked_costs
from adjudge.corrections.prior_checks import checked_priors
from adjudge.predictions.positive import position


def shares_of(values: Any, classes: AnyArray, name: str) -> FloatArray:
    """Return class priors in the order of `classes`, from such a list or a mapping {class: prior}."""
    names = classes.tolist()
    if isinstance(values, Mapping):
        values = _row(values, names, name)
    return checked_priors(values, name, len(names))


def costs_of(costs: Any, classes: AnyArray) -> FloatArray:
    """Return costs in the order of `classes`, K x K or K x (K + 1), from such a table or {true: {decided: cost}}.

    In a mapping the right decision costs 0 unless it is named, and REJECTED names what rejecting costs.
    """
    names = classes.tolist()
    if not isinstance(costs, Mapping):
        return checked_costs(costs, len(names))
    rows = _row(costs, names, "costs")
    for label, row in zip(names, rows, strict=True):
        if not isinstance(row, Mapping):
            msg = f"costs[{quoted(label)}] must map each decision to its cost, got {type(row).__name__}."
            raise InputError(msg)
    rejecting = [any(decided is REJECTED for decided in row) for row in rows]
    if len(set(rejecting)) > 1:
        missing = [label for label, told in zip(names, rejecting, strict=True) if not told]
        msg = f"costs name what REJECTED costs for some true classes, but not for {listed(missing)}."
        raise InputError(msg)
    decisions = [*names, REJECTED] if rejecting[0] else names
    return checked_costs(
        [_costs_of_class(row, label, names, decisions) for label, row in zip(names, rows, strict=True)], len(names)
    )


def _costs_of_class(row: Mapping[Any, Any], label: Any, names: list[Any], decisions: list[Any]) -> list[Any]:
    decided = {key: value for key, value in row.items() if key is not REJECTED}
    if not any(names[position(names, key)] == label for key in decided):
        decided[label] = 0.0
    found = _row(decided, names, f"costs[{quoted(label)}]")
    return found if len(decisions) == len(names) else [*found, row[REJECTED]]


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
