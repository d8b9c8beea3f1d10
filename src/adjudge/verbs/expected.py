"""What is said of the cases to come, checked: shares, rates of every class, and clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

from adjudge._base import InputError, Part, argument, either, listed, parameter, quoted, wording

_TWO = 2


def class_shares(value: Any) -> dict[Any, float]:
    """Return the share of each class."""
    if not isinstance(value, Mapping) or len(value) < _TWO:
        told = wording("For the balanced accuracy give ", argument("share"), " a mapping of class -> number, such as ")
        raise InputError(told, "{'ill': 0.1, 'well': 0.9}, or a pilot.")
    among = {label: between("share", each) for label, each in value.items()}
    total, rounding = math.fsum(among.values()), 1e-6
    if abs(total - 1) > rounding:
        msg = f"The shares of the classes must sum to 1, got {total:.6g}."
        raise InputError(msg, parameter="share")
    return among


def by_class(name: str, value: Any, shares: Mapping[Any, float], checked: Callable[[Any], float]) -> dict[Any, float]:
    """Return a number for every class: one for all, or one for each."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(shares, checked(value))
    each = {label: checked(one) for label, one in value.items()}
    if set(each) != set(shares):
        both = either([argument(name), argument("share")], " and ")
        raise InputError(both, f" must name the same classes; got {listed(each)} and {listed(shares)}.")
    return each


def more_than(difference: float, discordant: Any) -> float:
    """Return the share of cases that just one gets right, which is more than the difference."""
    if not difference < between("discordant", discordant):
        told = f"Accuracies that differ by {difference:g} have one correct alone in more than {difference:g} of the cases"
        raise InputError(told, f"; got {discordant:g}.", parameter="discordant")
    return float(discordant)


def between(name: str, value: Any) -> float:
    """Return a number strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise InputError(parameter(name), f" must be a number strictly between 0 and 1, got {quoted(value)}.")
    return float(value)


def share_of(name: str, value: Any, *, more: Sequence[Part] = ()) -> float:
    """Return a share; `more` is what was added to the parameter."""
    if value is None:
        told = f"Say what to {'expect' if name == 'expected' else 'assume'} with "
        raise InputError(told, argument(name), ", a share such as 0.9, or give a pilot.")
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InputError(parameter(name), *more, f" must be a share from 0 to 1, got {quoted(value)}.")
    return float(value)


def of_clusters(intra_cluster: Any, cluster_size: Any, variation: Any) -> dict[str, float]:
    """Return what is said of clusters, checked, by the names that a plan has for it."""
    asked: dict[str, float] = {}
    if intra_cluster is not None:
        asked["intra_cluster"] = share_of("intra_cluster", intra_cluster)
    for name, called, least in (("cluster_size", "cluster_size", 1), ("cluster_variation", "variation", 0)):
        value = cluster_size if name == "cluster_size" else variation
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, Real) or not least <= float(value) < math.inf:
            told = "how many cases each cluster has, at least 1" if least else "a coefficient of variation, 0 or more"
            raise InputError(parameter(name), f" is {told}; got {quoted(value)}.")
        asked[called] = float(value)
    return asked
